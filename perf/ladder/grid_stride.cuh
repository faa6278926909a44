// SPDX-License-Identifier: BSD-3-Clause
// Ladder C: from a sum in global memory, one launch for each halving, to a grid-stride loop with four loads in flight.
#pragma once

#include "block_sums.cuh"

namespace ladder {

/// Adds the upper half of n places to the lower one, in place; the odd place in the middle stays. Limit: every step is a launch,
/// and reads and writes memory.
template <class T>
__global__ void add_upper_half(T* x, std::size_t n) {
  const std::size_t half = (n + 1) / 2;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + half < n) x[i] += x[i + half];
}

/// A block's sum of one value a thread, by halves in shared memory.
template <class T>
__device__ void store_block_sum(T value, T* out) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

/// A grid as large as the occupancy API says the device holds; each thread strides through the input. Limit: one load in flight a
/// thread.
template <class T>
__global__ void grid_stride(const T* in, T* out, std::size_t n) {
  T sum{};
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    sum += in[i];
  store_block_sum(sum, out);
}

/// Four loads, and four sums, that do not wait for each other. Limit: bandwidth.
template <class T>
__global__ void four_loads(const T* in, T* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum[4] = {};
  for (; i + 3 * step < n; i += 4 * step) {
    for (unsigned k = 0; k < 4; ++k) sum[k] += in[i + k * step];
  }
  for (; i < n; i += step) sum[0] += in[i];
  store_block_sum((sum[0] + sum[1]) + (sum[2] + sum[3]), out);
}

}  // namespace ladder
