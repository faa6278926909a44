// SPDX-License-Identifier: BSD-3-Clause
// The plain loops, in namespace ACCRUE_PLAIN_LOOPS_SET: eight vectors of partial results, which is what a compiler's own reduction lacks
// to run at the speed of the caches.
#include "plain_loops.hpp"

#include <algorithm>
#include <limits>

namespace plain::ACCRUE_PLAIN_LOOPS_SET {

namespace {

/// Lanes of partial results that the compiler keeps in eight vectors.
template <class T>
constexpr std::size_t lanes = 8 * ACCRUE_PLAIN_LOOPS_BYTES / sizeof(T);

/// Reduces n terms with `join`: each of `threads` threads takes one contiguous share.
template <class T, class Term, class Join>
T reduce(std::size_t n, int threads, T start, Term term, Join join) {
  const auto share = [=](std::size_t begin, std::size_t end) {
    T lane[lanes<T>];
    for (T& l : lane) l = start;
    std::size_t i = begin;
    for (; i + lanes<T> <= end; i += lanes<T>) {
#pragma omp simd
      for (std::size_t l = 0; l < lanes<T>; ++l) lane[l] = join(lane[l], term(i + l));
    }
    T total = start;
    for (; i < end; ++i) total = join(total, term(i));
    for (const T l : lane) total = join(total, l);
    return total;
  };
  if (threads == 1) return share(0, n);
  T total = start;
#pragma omp parallel num_threads(threads)
  {
    T mine = start;
#pragma omp for schedule(static) nowait
    for (int t = 0; t < threads; ++t) {
      const auto k = static_cast<std::size_t>(t);
      const auto count = static_cast<std::size_t>(threads);
      mine = share(n / count * k, k + 1 == count ? n : n / count * (k + 1));
    }
#pragma omp critical
    total = join(total, mine);
  }
  return total;
}

template <class T>
T add(const T* x, std::size_t n, int threads) {
  return reduce<T>(n, threads, T(0), [=](std::size_t i) { return x[i]; }, [](T a, T b) { return a + b; });
}

}  // namespace

double sum(const double* x, std::size_t n, int threads) { return add(x, n, threads); }
float sum(const float* x, std::size_t n, int threads) { return add(x, n, threads); }

double dot(const double* x, const double* y, std::size_t n, int threads) {
  return reduce<double>(n, threads, 0.0, [=](std::size_t i) { return x[i] * y[i]; }, [](double a, double b) { return a + b; });
}
double sum_squares(const double* x, std::size_t n, int threads) {
  return reduce<double>(n, threads, 0.0, [=](std::size_t i) { return x[i] * x[i]; }, [](double a, double b) { return a + b; });
}
double min(const double* x, std::size_t n, int threads) {
  return reduce<double>(n, threads, std::numeric_limits<double>::max(), [=](std::size_t i) { return x[i]; },
                        [](double a, double b) { return a < b ? a : b; });
}
double max(const double* x, std::size_t n, int threads) {
  return reduce<double>(n, threads, std::numeric_limits<double>::lowest(), [=](std::size_t i) { return x[i]; },
                        [](double a, double b) { return a > b ? a : b; });
}

std::size_t argmin(const double* x, std::size_t n, int threads) {
  struct best {
    double value;
    std::size_t index;
  } b{std::numeric_limits<double>::max(), 0};
#pragma omp declare reduction(lower : best : omp_out = omp_in.value < omp_out.value ? omp_in : omp_out) initializer(omp_priv = omp_orig)
#pragma omp parallel for reduction(lower : b) num_threads(threads) schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] < b.value) b = {x[i], i};
  }
  return b.index;
}

}  // namespace plain::ACCRUE_PLAIN_LOOPS_SET
