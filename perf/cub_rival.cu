// SPDX-License-Identifier: BSD-3-Clause
#include "cub_rival.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <stdexcept>

#if CUB_VERSION >= 300200
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#endif

namespace perf {

namespace {

void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(e));
}

/// Temporary memory for the largest call so far.
void* temporary(std::size_t bytes) {
  static void* memory = nullptr;
  static std::size_t size = 0;
  if (bytes > size) {
    check(cudaFree(memory));
    check(cudaMalloc(&memory, bytes));
    size = bytes;
  }
  return memory;
}

class release final : public cub_rival {
 public:
  [[nodiscard]] std::string version() const override {
    return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION);
  }
  [[nodiscard]] bool has_orders() const override { return CUB_VERSION >= 300200; }
  void sum(const float* x, float* out, std::size_t n, cudaStream_t stream, cub_order order) const override {
    sum_of(x, out, n, stream, order);
  }
  void sum(const double* x, double* out, std::size_t n, cudaStream_t stream, cub_order order) const override {
    sum_of(x, out, n, stream, order);
  }
  void min(const float* x, float* out, std::size_t n, cudaStream_t stream) const override { min_of(x, out, n, stream); }
  void min(const double* x, double* out, std::size_t n, cudaStream_t stream) const override { min_of(x, out, n, stream); }

 private:
  template <class T>
  static void sum_of(const T* x, T* out, std::size_t n, cudaStream_t stream, cub_order order) {
    const auto count = static_cast<long long>(n);
    if (order == cub_order::run_to_run) {
      std::size_t bytes = 0;
      check(cub::DeviceReduce::Sum(nullptr, bytes, x, out, count, stream));
      check(cub::DeviceReduce::Sum(temporary(bytes), bytes, x, out, count, stream));
      return;
    }
#if CUB_VERSION >= 300200
    namespace execution = cuda::execution;
    const auto run = [&](auto determinism) {
      const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, execution::require(determinism)};
      check(cub::DeviceReduce::Sum(x, out, count, environment));
    };
    if (order == cub_order::gpu_to_gpu) {
      run(execution::determinism::gpu_to_gpu);
    } else {
      run(execution::determinism::not_guaranteed);
    }
#else
    throw std::runtime_error("this CUB has no levels of determinism");
#endif
  }
  template <class T>
  static void min_of(const T* x, T* out, std::size_t n, cudaStream_t stream) {
    std::size_t bytes = 0;
    check(cub::DeviceReduce::Min(nullptr, bytes, x, out, static_cast<long long>(n), stream));
    check(cub::DeviceReduce::Min(temporary(bytes), bytes, x, out, static_cast<long long>(n), stream));
  }
};

}  // namespace

const cub_rival& ACCRUE_PERF_CUB() {
  static const release one;
  return one;
}

}  // namespace perf
