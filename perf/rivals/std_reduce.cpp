// SPDX-License-Identifier: BSD-3-Clause
// The standard library's parallel algorithms, over TBB.
#include <oneapi/tbb/global_control.h>

#include <cmath>
#include <execution>
#include <limits>
#include <numeric>

#include "contender.hpp"

namespace perf {

namespace {

constexpr auto policy = std::execution::par_unseq;

class thread_limit {
 public:
  explicit thread_limit(int threads) : control_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)) {}

 private:
  tbb::global_control control_;
};

template <class T>
void add() {
  auto& all = host_contenders<T>();
  const auto put = [&](operation what, auto run) { all.push_back({.name = "std::reduce(par_unseq)", .what = what, .run = run}); };
  put(operation::sum, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    const thread_limit limit(at.threads);
    *result = std::reduce(policy, x, x + n, T(0));
  });
  put(operation::dot, [](const place& at, const T* x, const T* y, std::size_t n, T* result) {
    const thread_limit limit(at.threads);
    *result = std::transform_reduce(policy, x, x + n, y, T(0));
  });
  put(operation::sum_abs, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    const thread_limit limit(at.threads);
    *result = std::transform_reduce(policy, x, x + n, T(0), std::plus<>{}, [](T v) { return std::fabs(v); });
  });
  put(operation::min, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    const thread_limit limit(at.threads);
    *result = std::reduce(policy, x, x + n, std::numeric_limits<T>::infinity(), [](T a, T b) { return b < a ? b : a; });
  });
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
