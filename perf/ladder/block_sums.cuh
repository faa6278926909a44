// SPDX-License-Identifier: BSD-3-Clause
// Ladders A and B: one block's sum, from M. Harris, "Optimizing Parallel Reduction in CUDA", and the warp shuffle that came later.
// Every kernel leaves the sum of block b's elements in out[b]; the caller launches it again over those until one is left. Where the
// originals counted on the threads of a warp running in step, __syncwarp stands now.
#pragma once

#include <cstddef>

namespace ladder {

template <class T>
__device__ T* shared_of() {
  extern __shared__ __align__(16) unsigned char memory[];
  return reinterpret_cast<T*>(memory);
}

/// 0: neighbours add in pairs, then neighbours' pairs. Threads at work lie apart: every warp stays busy for a few of its lanes, and
/// the remainder is a slow operation. Limit: divergence.
template <class T>
__global__ void divergent(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + t;
  s[t] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (t % (2 * distance) == 0) s[t] += s[t + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

/// 1: the same pairs, by the first threads. Whole warps fall idle, but their places in shared memory lie a power of two apart.
/// Limit: bank conflicts.
template <class T>
__global__ void interleaved(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + t;
  s[t] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    const unsigned place = 2 * distance * t;
    if (place < blockDim.x) s[place] += s[place + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

/// 2: the upper half is added to the lower one, place by place. Limit: half of the threads are idle from the first step on.
template <class T>
__global__ void sequential(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + t;
  s[t] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

/// The sum of the two elements that a thread reads in a block of twice as many elements as threads.
template <class T>
__device__ T first_pair(const T* in, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 2 + threadIdx.x;
  T sum = i < n ? in[i] : T{};
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  return sum;
}

/// 3: each thread reads two elements and adds them on the way in. Limit: instructions of the loop, and a barrier a step.
template <class T>
__global__ void first_add_on_load(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  s[t] = first_pair(in, n);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

/// The last 64 places, by one warp without the block's barrier.
template <class T>
__device__ void add_last_warp(T* s, unsigned t) {
  T sum = s[t] + s[t + 32];
  __syncwarp();
  for (unsigned half = 16; half > 0; half /= 2) {
    s[t] = sum;
    __syncwarp();
    sum += s[t + half];
    __syncwarp();
  }
  s[t] = sum;
}

/// 4: the last warp needs no barrier of the block. Limit: the loop's own instructions.
template <class T>
__global__ void last_warp_unrolled(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  s[t] = first_pair(in, n);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) add_last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

/// The steps of a block whose size the compiler knows, without a loop.
template <unsigned threads, class T>
__device__ void add_unrolled(T* s, unsigned t) {
  if constexpr (threads >= 1024) {
    if (t < 512) s[t] += s[t + 512];
    __syncthreads();
  }
  if constexpr (threads >= 512) {
    if (t < 256) s[t] += s[t + 256];
    __syncthreads();
  }
  if constexpr (threads >= 256) {
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();
  }
  if constexpr (threads >= 128) {
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
  }
  if (t < 32) add_last_warp(s, t);
}

/// 5: completely unrolled for a block size that is a template parameter. Limit: two loads a thread do not hide memory's latency.
template <unsigned threads, class T>
__global__ void completely_unrolled(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  s[t] = first_pair(in, n);
  __syncthreads();
  add_unrolled<threads>(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

/// What a thread reads in a grid that is as large as the device needs: pairs, a grid apart.
template <class T>
__device__ T several_elements(const T* in, std::size_t n) {
  T sum{};
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 2 + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x * 2) {
    sum += in[i];
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
  }
  return sum;
}

/// 6: several elements a thread, so that few blocks do all the work. Limit: bandwidth, nearly.
template <unsigned threads, class T>
__global__ void several_elements_each(const T* in, T* out, std::size_t n) {
  T* s = shared_of<T>();
  const unsigned t = threadIdx.x;
  s[t] = several_elements(in, n);
  __syncthreads();
  add_unrolled<threads>(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

/// The lanes' sum, in lane 0.
template <class T>
__device__ T sum_of_warp(T sum) {
  for (unsigned distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  return sum;
}

/// 7: warps add by shuffles, and only their sums go through shared memory. Limit: bandwidth, nearly.
template <unsigned threads, class T>
__global__ void warp_shuffle(const T* in, T* out, std::size_t n) {
  __shared__ T of_warp[32];
  const unsigned t = threadIdx.x;
  T sum = sum_of_warp(several_elements(in, n));
  if (t % 32 == 0) of_warp[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = sum_of_warp(t < threads / 32 ? of_warp[t] : T{});
    if (t == 0) out[blockIdx.x] = sum;
  }
}

}  // namespace ladder
