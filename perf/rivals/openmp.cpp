// SPDX-License-Identifier: BSD-3-Clause
// OpenMP's own reductions, as one writes them.
#include <cmath>
#include <limits>

#include "contender.hpp"

namespace perf {

namespace {

template <class T>
void add() {
  auto& all = host_contenders<T>();
  const auto put = [&](operation what, auto run) { all.push_back({.name = "OpenMP reduction", .what = what, .run = run}); };
  put(operation::sum, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    T s = 0;
#pragma omp parallel for simd reduction(+ : s) num_threads(at.threads)
    for (std::size_t i = 0; i < n; ++i) s += x[i];
    *result = s;
  });
  put(operation::dot, [](const place& at, const T* x, const T* y, std::size_t n, T* result) {
    T s = 0;
#pragma omp parallel for simd reduction(+ : s) num_threads(at.threads)
    for (std::size_t i = 0; i < n; ++i) s += x[i] * y[i];
    *result = s;
  });
  put(operation::sum_abs, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    T s = 0;
#pragma omp parallel for simd reduction(+ : s) num_threads(at.threads)
    for (std::size_t i = 0; i < n; ++i) s += std::fabs(x[i]);
    *result = s;
  });
  put(operation::min, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    T s = std::numeric_limits<T>::infinity();
#pragma omp parallel for simd reduction(min : s) num_threads(at.threads)
    for (std::size_t i = 0; i < n; ++i) s = x[i] < s ? x[i] : s;
    *result = s;
  });
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
