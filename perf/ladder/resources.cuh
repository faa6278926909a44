// SPDX-License-Identifier: BSD-3-Clause
// What registers cost: one kernel, sixteen loads in flight a thread, left alone, with launch bounds, and with its registers capped.
#pragma once

#include <cstddef>

#include "grid_stride.cuh"

namespace ladder {

template <class T>
__device__ void sixteen_loads(const T* in, T* out, std::size_t n) {
  constexpr unsigned loads = 16;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum[loads] = {};
  for (; i + (loads - 1) * step < n; i += loads * step) {
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) sum[k] += in[i + k * step];
  }
  for (; i < n; i += step) sum[0] += in[i];
#pragma unroll
  for (unsigned k = 1; k < loads; ++k) sum[0] += sum[k];
  store_block_sum(sum[0], out);
}

/// As the compiler likes it.
template <class T>
__global__ void unbounded(const T* in, T* out, std::size_t n) {
  sixteen_loads(in, out, n);
}
/// Eight blocks of 256 threads must fit a multiprocessor: full occupancy, 32 registers a thread.
template <class T>
__global__ void __launch_bounds__(256, 8) bounded(const T* in, T* out, std::size_t n) {
  sixteen_loads(in, out, n);
}
/// Registers capped, as -maxrregcount would: what does not fit goes to local memory.
template <class T>
__global__ void __maxnreg__(24) capped(const T* in, T* out, std::size_t n) {
  sixteen_loads(in, out, n);
}

}  // namespace ladder
