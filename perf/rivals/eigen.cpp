// SPDX-License-Identifier: BSD-3-Clause
// Eigen's reductions of a mapped array, which use one thread.
#include <Eigen/Core>

#include "contender.hpp"

namespace perf {

namespace {

template <class T>
auto mapped(const T* x, std::size_t n) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(x, static_cast<Eigen::Index>(n));
}

template <class T>
void add() {
  auto& all = host_contenders<T>();
  const auto put = [&](operation what, auto run) { all.push_back({.name = "Eigen", .what = what, .run = run, .parallel = false}); };
  put(operation::sum, [](const place&, const T* x, const T*, std::size_t n, T* result) { *result = mapped(x, n).sum(); });
  put(operation::dot, [](const place&, const T* x, const T* y, std::size_t n, T* result) {
    *result = mapped(x, n).matrix().dot(mapped(y, n).matrix());
  });
  put(operation::sum_abs, [](const place&, const T* x, const T*, std::size_t n, T* result) { *result = mapped(x, n).abs().sum(); });
  put(operation::min, [](const place&, const T* x, const T*, std::size_t n, T* result) { *result = mapped(x, n).minCoeff(); });
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
