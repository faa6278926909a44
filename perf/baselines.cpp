// SPDX-License-Identifier: BSD-3-Clause
// The plain loops, in namespace ACCRUE_BASELINE_SET.
#include "baselines.hpp"

#include <limits>

namespace baseline::ACCRUE_BASELINE_SET {

namespace {

template <class T>
T add(const T* x, std::size_t n, int threads) {
  T s = 0;
  if (threads == 1) {
#pragma omp simd reduction(+ : s)
    for (std::size_t i = 0; i < n; ++i) s += x[i];
  } else {
#pragma omp parallel for simd reduction(+ : s) num_threads(threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i) s += x[i];
  }
  return s;
}

}  // namespace

double sum(const double* x, std::size_t n, int threads) { return add(x, n, threads); }
float sum(const float* x, std::size_t n, int threads) { return add(x, n, threads); }

double dot(const double* x, const double* y, std::size_t n, int threads) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s) num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t i = 0; i < n; ++i) s += x[i] * y[i];
  return s;
}

double sum_squares(const double* x, std::size_t n, int threads) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s) num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t i = 0; i < n; ++i) s += x[i] * x[i];
  return s;
}

double min(const double* x, std::size_t n, int threads) {
  double m = std::numeric_limits<double>::max();
#pragma omp parallel for simd reduction(min : m) num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t i = 0; i < n; ++i) m = x[i] < m ? x[i] : m;
  return m;
}

double max(const double* x, std::size_t n, int threads) {
  double m = std::numeric_limits<double>::lowest();
#pragma omp parallel for simd reduction(max : m) num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}

std::size_t argmin(const double* x, std::size_t n, int threads) {
  struct best {
    double value;
    std::size_t index;
  } b{std::numeric_limits<double>::max(), 0};
#pragma omp declare reduction(lower : best : omp_out = omp_in.value < omp_out.value ? omp_in : omp_out) initializer(omp_priv = omp_orig)
#pragma omp parallel for reduction(lower : b) num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] < b.value) b = {x[i], i};
  }
  return b.index;
}

}  // namespace baseline::ACCRUE_BASELINE_SET
