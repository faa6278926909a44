// SPDX-License-Identifier: BSD-3-Clause
// Ladder E: sums of 32 within one warp, through shared memory and by shuffle; and the four shuffles, each doing what it is for.
// Kernels leave the sum of elements 32 k to 32 k + 31 in out[k]. n is a multiple of 32, as are blocks.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>

#include "block_sums.cuh"

namespace ladder {

/// Through shared memory. Limit: a store, a load and a barrier of the warp for each step.
template <class T>
__global__ void warp_through_shared(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>() + threadIdx.x / 32 * 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  if (i >= n) return;  // whole warps
  s[lane] = in[i];
  __syncwarp();
  for (unsigned half = 16; half > 0; half /= 2) {
    if (lane < half) s[lane] += s[lane + half];
    __syncwarp();
  }
  if (lane == 0) out[i / 32] = s[0];
}

/// By shuffle-down: registers alone. Limit: bandwidth.
template <class T>
__global__ void warp_by_shuffle_down(const T* in, T* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T sum = sum_of_warp(in[i]);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

/// By shuffle-xor: a butterfly, after which every lane has the sum.
template <class T>
__global__ void warp_by_shuffle_xor(const T* in, T* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T sum = in[i];
  for (unsigned mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if (threadIdx.x % 32 == 31) out[i / 32] = sum;
}

/// By shuffle-up: an inclusive scan, whose last lane has the sum.
template <class T>
__global__ void warp_by_shuffle_up(const T* in, T* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned lane = threadIdx.x % 32;
  T sum = in[i];
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T below = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += below;
  }
  if (lane == 31) out[i / 32] = sum;
}

/// By broadcast: lane 0's turn, lane 1's ... each lane hears all 32 values. Limit: 32 shuffles where five would do.
template <class T>
__global__ void warp_by_broadcast(const T* in, T* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T own = in[i];
  T sum = __shfl_sync(0xffffffffu, own, 0);
  for (int from = 1; from < 32; ++from) sum += __shfl_sync(0xffffffffu, own, from);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

}  // namespace ladder
