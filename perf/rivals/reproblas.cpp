// SPDX-License-Identifier: BSD-3-Clause
// ReproBLAS: reproducible binned sums, on one thread.
extern "C" {
#include <reproBLAS.h>
}

#include <limits>

#include "contender.hpp"

namespace perf {

namespace {

template <class T, class Sum, class Asum, class Dot>
void add(Sum sum, Asum asum, Dot dot) {
  auto& all = host_contenders<T>();
  const auto put = [&](operation what, auto run) {
    all.push_back({.name = "ReproBLAS", .what = what, .run = run, .parallel = false, .most = std::numeric_limits<int>::max()});
  };
  put(operation::sum,
      [sum](const place&, const T* x, const T*, std::size_t n, T* result) { *result = sum(static_cast<int>(n), x, 1); });
  put(operation::sum_abs,
      [asum](const place&, const T* x, const T*, std::size_t n, T* result) { *result = asum(static_cast<int>(n), x, 1); });
  put(operation::dot,
      [dot](const place&, const T* x, const T* y, std::size_t n, T* result) { *result = dot(static_cast<int>(n), x, 1, y, 1); });
}

const bool added = (add<float>(reproBLAS_ssum, reproBLAS_sasum, reproBLAS_sdot),
                    add<double>(reproBLAS_dsum, reproBLAS_dasum, reproBLAS_ddot), true);

}  // namespace

}  // namespace perf
