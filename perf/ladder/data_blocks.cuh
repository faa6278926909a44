// SPDX-License-Identifier: BSD-3-Clause
// Ladder D: sums in place in global memory, neighboured and interleaved, then several data blocks a thread block. Every kernel
// leaves block b's sum in out[b]; the few sums are added on the host. Method: J. Cheng, M. Grossman, T. McKercher, "Professional
// CUDA C Programming", chapter 3.
#pragma once

#include <cstddef>

#include "block_sums.cuh"

namespace ladder {

/// Neighboured pairs: thread t adds its right neighbour at distance 1, 2, 4 ... if t is a multiple of twice that. Limit:
/// divergence, and loads that use little of each transaction.
template <class T>
__global__ void neighboured(T* x, T* out, std::size_t n) {
  const unsigned t = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x;
  T* own = x + first;
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (t % (2 * distance) == 0 && first + t + distance < n) own[t] += own[t + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = own[0];
}

/// The same pairs by the first threads. Limit: loads that use little of each transaction.
template <class T>
__global__ void neighboured_together(T* x, T* out, std::size_t n) {
  const unsigned t = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x;
  T* own = x + first;
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    const unsigned place = 2 * distance * t;
    if (place < blockDim.x && first + place + distance < n) own[place] += own[place + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = own[0];
}

/// Halves a block's places down to `last` by steps in global memory.
template <class T>
__device__ void halve(T* own, unsigned t, std::size_t present, unsigned last) {
  for (unsigned half = blockDim.x / 2; half > last; half /= 2) {
    if (t < half && t + half < present) own[t] += own[t + half];
    __syncthreads();
  }
}

/// Adds the elements of `blocks` data blocks, one of each, to the first block's place. Returns how many places of it are present.
template <unsigned blocks, class T>
__device__ std::size_t add_data_blocks(T* x, std::size_t n, std::size_t first) {
  const std::size_t i = first + threadIdx.x;
  if (i < n) {
    T sum = x[i];
#pragma unroll
    for (unsigned k = 1; k < blocks; ++k) {
      if (i + k * blockDim.x < n) sum += x[i + k * blockDim.x];
    }
    x[i] = sum;
  }
  __syncthreads();
  return first < n ? n - first : 0;
}

/// Interleaved pairs (`blocks` 1), and unrolled by 2, 4, 8: a thread block takes as many data blocks, so that more loads are in
/// flight. Limit: latency, then the steps in global memory.
template <unsigned blocks, class T>
__global__ void unrolled(T* x, T* out, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * blocks;
  const std::size_t present = add_data_blocks<blocks>(x, n, first);
  halve(x + first, threadIdx.x, present, 0);
  if (threadIdx.x == 0) out[blockIdx.x] = x[first];
}

/// The last 64 places in global memory by one warp. Places that are not present count as nothing.
template <class T>
__device__ void halve_last_warp(T* own, unsigned t, std::size_t present) {
  if (t < 32) {
    volatile T* v = own;
    T sum = (t < present ? v[t] : T{}) + (t + 32 < present ? v[t + 32] : T{});
    __syncwarp();
    for (unsigned half = 16; half > 0; half /= 2) {
      if (t < present) v[t] = sum;
      __syncwarp();
      if (t < half && t + half < present) sum += v[t + half];
      __syncwarp();
    }
    if (t == 0 && present != 0) v[0] = sum;
  }
}

/// By 8, the last warp without the block's barrier.
template <class T>
__global__ void unrolled_8_last_warp(T* x, T* out, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 8;
  const std::size_t present = add_data_blocks<8>(x, n, first);
  halve(x + first, threadIdx.x, present, 32);
  halve_last_warp(x + first, threadIdx.x, present);
  if (threadIdx.x == 0) out[blockIdx.x] = x[first];
}

/// One step of a loop that is written out.
template <class T>
__device__ void halving_step(T* own, unsigned t, std::size_t present, unsigned half) {
  if (t < half && t + half < present) own[t] += own[t + half];
  __syncthreads();
}

/// By 8, all loops written out, each step behind a test of the block's size.
template <class T>
__global__ void unrolled_8_all_loops(T* x, T* out, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 8;
  const std::size_t present = add_data_blocks<8>(x, n, first);
  if (blockDim.x >= 1024) halving_step(x + first, threadIdx.x, present, 512);
  if (blockDim.x >= 512) halving_step(x + first, threadIdx.x, present, 256);
  if (blockDim.x >= 256) halving_step(x + first, threadIdx.x, present, 128);
  if (blockDim.x >= 128) halving_step(x + first, threadIdx.x, present, 64);
  halve_last_warp(x + first, threadIdx.x, present);
  if (threadIdx.x == 0) out[blockIdx.x] = x[first];
}

/// The same with a block size that the compiler knows, which leaves only the steps that count. Limit: the steps in global memory.
template <unsigned threads, class T>
__global__ void unrolled_8_template(T* x, T* out, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * threads * 8;
  const std::size_t present = add_data_blocks<8>(x, n, first);
  if constexpr (threads >= 1024) halving_step(x + first, threadIdx.x, present, 512);
  if constexpr (threads >= 512) halving_step(x + first, threadIdx.x, present, 256);
  if constexpr (threads >= 256) halving_step(x + first, threadIdx.x, present, 128);
  if constexpr (threads >= 128) halving_step(x + first, threadIdx.x, present, 64);
  halve_last_warp(x + first, threadIdx.x, present);
  if (threadIdx.x == 0) out[blockIdx.x] = x[first];
}

}  // namespace ladder
