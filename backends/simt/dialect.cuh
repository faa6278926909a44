// SPDX-License-Identifier: BSD-3-Clause
// The dialect that the kernels are written in: threads, warps, votes, shuffles, atomics, and arithmetic that rounds as written
// whatever the translation unit's flags. Everything that differs between device compilers is here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "accrue/element.hpp"

#define ACCRUE_DEVICE __device__ __forceinline__
/// Rare paths: out of line, so that they cost the hot path no registers.
#define ACCRUE_DEVICE_RARE inline __device__ __noinline__
/// A kernel whose blocks have at most so many threads, so many of them at a time on a multiprocessor.
#define ACCRUE_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#define ACCRUE_SHARED __shared__

namespace accrue::simt {

inline constexpr unsigned warp_width = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr unsigned most_threads = 512;
inline constexpr unsigned most_warps = most_threads / warp_width;

// Where the calling thread stands. Blocks are one-dimensional, of whole warps.
ACCRUE_DEVICE unsigned thread() { return threadIdx.x; }
ACCRUE_DEVICE unsigned threads() { return blockDim.x; }
ACCRUE_DEVICE unsigned block() { return blockIdx.x; }
ACCRUE_DEVICE unsigned blocks() { return gridDim.x; }
ACCRUE_DEVICE unsigned lane() { return threadIdx.x % warp_width; }
ACCRUE_DEVICE unsigned warp() { return threadIdx.x / warp_width; }
ACCRUE_DEVICE unsigned warps() { return blockDim.x / warp_width; }

/// The block's shared memory whose size the launch gave.
ACCRUE_DEVICE unsigned char* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char shared[];
  return shared;
}

ACCRUE_DEVICE void sync_block() { __syncthreads(); }
ACCRUE_DEVICE void sync_warp() { __syncwarp(); }
/// Whether the predicate holds in some lane. All lanes take part in votes and shuffles.
ACCRUE_DEVICE bool any(bool predicate) { return __any_sync(whole_warp, predicate) != 0; }
ACCRUE_DEVICE unsigned largest_in_warp(unsigned v) { return __reduce_max_sync(whole_warp, v); }

/// Moves a trivially copyable value between lanes, a 32-bit word at a time.
template <class T, class Move>
ACCRUE_DEVICE T move_words(const T& value, Move move) {
  static_assert(std::is_trivially_copyable_v<T>, "accrue: a state that crosses lanes must be trivially copyable");
  constexpr std::size_t words = (sizeof(T) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (std::size_t k = 0; k < words; ++k) word[k] = move(word[k]);
  T moved = value;
  memcpy(&moved, word, sizeof(T));
  return moved;
}
/// The value of the lane `distance` above; lanes without one keep their own.
template <class T>
ACCRUE_DEVICE T shuffle_down(const T& value, unsigned distance) {
  return move_words(value, [=](unsigned w) { return __shfl_down_sync(whole_warp, w, distance); });
}
template <class T>
ACCRUE_DEVICE T shuffle(const T& value, unsigned from) {
  return move_words(value, [=](unsigned w) { return __shfl_sync(whole_warp, w, from); });
}
template <class T>
ACCRUE_DEVICE T shuffle_xor(const T& value, unsigned mask) {
  return move_words(value, [=](unsigned w) { return __shfl_xor_sync(whole_warp, w, mask); });
}

/// Orders this thread's accesses, and those it has seen its block make, for the whole device: release before a counter, acquire after.
/// __threadfence() would order them sequentially consistently, which takes longer.
ACCRUE_DEVICE void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
/// Adds one, starting again from zero after `last`; returns the count before.
ACCRUE_DEVICE unsigned count_up(unsigned* counter, unsigned last) { return atomicInc(counter, last); }
ACCRUE_DEVICE void add_atomically(std::int64_t* p, std::int64_t v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
ACCRUE_DEVICE void add_atomically(int* p, int v) { atomicAdd(p, v); }
/// Takes the value and leaves zero.
ACCRUE_DEVICE std::int64_t take(std::int64_t* p) {
  return static_cast<std::int64_t>(atomicExch(reinterpret_cast<unsigned long long*>(p), 0ull));
}
/// What other blocks wrote: past the first-level cache.
template <class T>
ACCRUE_DEVICE T load_shared_by_device(const T* p) {
  T value;
  if constexpr (sizeof(T) % 8 == 0 && alignof(T) % 8 == 0) {
    std::uint64_t word[sizeof(T) / 8];
#pragma unroll
    for (std::size_t k = 0; k < sizeof(T) / 8; ++k) word[k] = __ldcg(reinterpret_cast<const unsigned long long*>(p) + k);
    memcpy(&value, word, sizeof(T));
  } else if constexpr (sizeof(T) % 4 == 0 && alignof(T) % 4 == 0) {
    unsigned word[sizeof(T) / 4];
#pragma unroll
    for (std::size_t k = 0; k < sizeof(T) / 4; ++k) word[k] = __ldcg(reinterpret_cast<const unsigned*>(p) + k);
    memcpy(&value, word, sizeof(T));
  } else {
    unsigned char byte[sizeof(T)];
#pragma unroll
    for (std::size_t k = 0; k < sizeof(T); ++k) byte[k] = __ldcg(reinterpret_cast<const unsigned char*>(p) + k);
    memcpy(&value, byte, sizeof(T));
  }
  return value;
}

/// 16 bytes of what no thread writes meanwhile.
struct alignas(16) quad {
  unsigned word[4];
};
ACCRUE_DEVICE quad load_quad(const void* p) {
  const uint4 v = __ldg(static_cast<const uint4*>(p));
  return {{v.x, v.y, v.z, v.w}};
}

// Arithmetic: one rounding each, to nearest; no contraction, no flush to zero.
ACCRUE_DEVICE double add(double a, double b) { return __dadd_rn(a, b); }
ACCRUE_DEVICE double subtract(double a, double b) { return __dsub_rn(a, b); }
ACCRUE_DEVICE double multiply(double a, double b) { return __dmul_rn(a, b); }
ACCRUE_DEVICE double fused_multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
ACCRUE_DEVICE double divide(double a, double b) { return __ddiv_rn(a, b); }
ACCRUE_DEVICE double square_root(double x) { return __dsqrt_rn(x); }
// The f32 intrinsics obey -ftz; these do not.
ACCRUE_DEVICE float add(float a, float b) {
  float r;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ACCRUE_DEVICE float subtract(float a, float b) {
  float r;
  asm("sub.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ACCRUE_DEVICE float multiply(float a, float b) {
  float r;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ACCRUE_DEVICE float divide(float a, float b) {
  float r;
  asm("div.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ACCRUE_DEVICE float square_root(float x) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
ACCRUE_DEVICE double widen(float x) {
  double r;
  asm("cvt.f64.f32 %0, %1;" : "=d"(r) : "f"(x));
  return r;
}
ACCRUE_DEVICE float narrow(double x) {
  float r;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(r) : "d"(x));
  return r;
}
ACCRUE_DEVICE float to_float(half h) {
  float r;
  asm("{ .reg .b16 h; mov.b16 h, %1; cvt.f32.f16 %0, h; }" : "=f"(r) : "h"(h.bits));
  return r;
}
ACCRUE_DEVICE float to_float(bfloat16 h) { return std::bit_cast<float>(static_cast<unsigned>(h.bits) << 16); }
ACCRUE_DEVICE float to_float(float x) { return x; }

ACCRUE_DEVICE unsigned high_word(double x) { return static_cast<unsigned>(__double2hiint(x)); }
ACCRUE_DEVICE unsigned low_word(double x) { return static_cast<unsigned>(__double2loint(x)); }
ACCRUE_DEVICE double from_words(unsigned high, unsigned low) {
  return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}

}  // namespace accrue::simt
