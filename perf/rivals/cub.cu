// SPDX-License-Identifier: BSD-3-Clause
// CUB's sums at its levels of determinism, dot products through a transforming iterator, and minima. Compiled once for each release
// that is measured; ACCRUE_PERF_CUB is a name for it.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "contender.hpp"
#include "device_memory.hpp"

// The oldest release tried whose calls take a memory resource.
#define ACCRUE_PERF_CUB_HAS_LEVELS (CUB_VERSION >= 300600)
#if ACCRUE_PERF_CUB_HAS_LEVELS
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#endif

namespace perf {

namespace ACCRUE_PERF_CUB {

std::string name(const char* how) {
  return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION) + how;
}

growing_memory temporary;

/// CUB's two calls: for the size of its temporary memory, and for the result.
template <class Call>
void twice(const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "CUB");
  check(call(temporary.get(bytes, "CUB"), bytes), "CUB");
}

#if ACCRUE_PERF_CUB_HAS_LEVELS
/// The same memory, as a resource: left to themselves, calls with an environment allocate and free theirs each time.
struct kept_memory {
  void* allocate(cuda::stream_ref, std::size_t bytes, std::size_t) { return temporary.get(bytes, "CUB"); }
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t) noexcept {}
  void* allocate_sync(std::size_t bytes, std::size_t) { return temporary.get(bytes, "CUB"); }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
  bool operator==(const kept_memory&) const { return true; }
  friend void get_property(const kept_memory&, cuda::mr::device_accessible) noexcept {}
};
#endif

template <class T>
struct product {
  __host__ __device__ T operator()(const thrust::tuple<T, T>& p) const { return thrust::get<0>(p) * thrust::get<1>(p); }
};
template <class T>
struct magnitude {
  __host__ __device__ T operator()(T v) const { return v < T(0) ? -v : v; }
};

cudaStream_t stream_of(const place& at) { return static_cast<cudaStream_t>(at.stream); }

template <class T>
void add() {
  auto& all = device_contenders<T>();
  const auto put = [&](const char* how, operation what, auto run) { all.push_back({.name = name(how), .what = what, .run = run}); };
  put(" run_to_run", operation::sum, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    twice([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(memory, bytes, x, result, static_cast<long long>(n), stream_of(at));
    });
  });
  put(" run_to_run", operation::dot, [](const place& at, const T* x, const T* y, std::size_t n, T* result) {
    const auto products = thrust::make_transform_iterator(thrust::make_zip_iterator(x, y), product<T>{});
    twice([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(memory, bytes, products, result, static_cast<long long>(n), stream_of(at));
    });
  });
  put(" run_to_run", operation::sum_abs, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    const auto magnitudes = thrust::make_transform_iterator(x, magnitude<T>{});
    twice([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(memory, bytes, magnitudes, result, static_cast<long long>(n), stream_of(at));
    });
  });
  put("", operation::min, [](const place& at, const T* x, const T*, std::size_t n, T* result) {
    twice([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Min(memory, bytes, x, result, static_cast<long long>(n), stream_of(at));
    });
  });
#if ACCRUE_PERF_CUB_HAS_LEVELS
  namespace execution = cuda::execution;
  const auto put_level = [&](const char* how, auto determinism) {
    put(how, operation::sum, [determinism](const place& at, const T* x, const T*, std::size_t n, T* result) {
      const auto environment =
          cuda::std::execution::env{cuda::stream_ref{stream_of(at)}, kept_memory{}, execution::require(determinism)};
      check(cub::DeviceReduce::Sum(x, result, static_cast<long long>(n), environment), "CUB");
    });
  };
  put_level(" not_guaranteed", execution::determinism::not_guaranteed);
  put_level(" gpu_to_gpu", execution::determinism::gpu_to_gpu);
#endif
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace ACCRUE_PERF_CUB

}  // namespace perf
