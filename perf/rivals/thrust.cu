// SPDX-License-Identifier: BSD-3-Clause
// Thrust, whose results come back to the host; they are copied to the device again, as the other contenders leave theirs there.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include <limits>

#include "contender.hpp"
#include "device_memory.hpp"

namespace perf {

namespace {

template <class T>
struct magnitude {
  __host__ __device__ T operator()(T v) const { return v < T(0) ? -v : v; }
};

template <class T>
void add() {
  auto& all = device_contenders<T>();
  const auto put = [&](operation what, auto reduce) {
    all.push_back({.name = "Thrust",
                   .what = what,
                   .run =
                       [reduce](const place& at, const T* x, const T* y, std::size_t n, T* result) {
                         const auto stream = static_cast<cudaStream_t>(at.stream);
                         const T value = reduce(thrust::cuda::par.on(stream), x, y, n);
                         check(cudaMemcpyAsync(result, &value, sizeof value, cudaMemcpyDefault, stream), "Thrust");
                       },
                   .capturable = false});
  };
  put(operation::sum, [](const auto& on, const T* x, const T*, std::size_t n) { return thrust::reduce(on, x, x + n, T(0)); });
  put(operation::dot,
      [](const auto& on, const T* x, const T* y, std::size_t n) { return thrust::inner_product(on, x, x + n, y, T(0)); });
  put(operation::sum_abs, [](const auto& on, const T* x, const T*, std::size_t n) {
    return thrust::transform_reduce(on, x, x + n, magnitude<T>{}, T(0), thrust::plus<T>{});
  });
  put(operation::min, [](const auto& on, const T* x, const T*, std::size_t n) {
    return thrust::reduce(on, x, x + n, std::numeric_limits<T>::infinity(), thrust::minimum<T>{});
  });
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
