// SPDX-License-Identifier: BSD-3-Clause
// The kernels' dialect for AMD's devices: waves of 64 or 32 lanes, which are our warps. Arithmetic rounds as written unless the
// translation unit asks for fast math, which is an error.
#pragma once

#include <hip/hip_runtime.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "accrue/element.hpp"

#if defined(__FAST_MATH__)
#error "accrue: -ffast-math breaks division and rounding on AMD devices; compile this file without it"
#endif

#define ACCRUE_DEVICE __device__ __forceinline__
#define ACCRUE_HOST_DEVICE __host__ __device__ inline
/// Rare paths. Calls would cost more than they save here: the compiler inlines.
#define ACCRUE_DEVICE_RARE inline __device__
/// A kernel whose blocks have at most so many threads. The second argument, blocks at a time on a multiprocessor, bounds registers
/// on NVIDIA's devices; __launch_bounds__ would take it for waves of a SIMD here.
#define ACCRUE_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads)
#define ACCRUE_SHARED __shared__

namespace accrue::simt {

/// Of the device pass. The host pass has another: what both see must not depend on it.
inline constexpr unsigned warp_width = __AMDGCN_WAVEFRONT_SIZE;
/// Not here: the kernels would lack three to seven registers.
inline constexpr bool folds_by_sizes = false;

}  // namespace accrue::simt

#include "accrue/backends/simt/dialect/devices.cuh"

namespace accrue::simt {

/// Waves run in step; the fences keep the compiler from moving accesses.
ACCRUE_DEVICE void sync_warp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
/// Whether the predicate holds in some lane. All lanes take part in votes and shuffles.
ACCRUE_DEVICE bool any(bool predicate) { return __any(predicate) != 0; }

/// Lanes with the caller's value, which has at most so many bits: how many, and how many of them below the caller.
ACCRUE_DEVICE lanes_alike lanes_with(unsigned value, unsigned bits) {
  std::uint64_t alike = __ballot(1);
  for (unsigned b = 0; b < bits; ++b) {
    const bool mine = (value >> b & 1) != 0;
    const std::uint64_t set = __ballot(mine);
    alike &= mine ? set : ~set;
  }
  const std::uint64_t lower = (std::uint64_t{1} << lane()) - 1;
  return {static_cast<unsigned>(__popcll(alike & lower)), static_cast<unsigned>(__popcll(alike))};
}

/// The value of the lane `distance` above; lanes without one keep their own.
template <class T>
ACCRUE_DEVICE T shuffle_down(const T& value, unsigned distance) {
  return move_words(value, [=](unsigned w) { return __shfl_down(w, distance); });
}
template <class T>
ACCRUE_DEVICE T shuffle(const T& value, unsigned from) {
  return move_words(value, [=](unsigned w) { return __shfl(w, static_cast<int>(from)); });
}
template <class T>
ACCRUE_DEVICE T shuffle_xor(const T& value, unsigned mask) {
  return move_words(value, [=](unsigned w) { return __shfl_xor(w, static_cast<int>(mask)); });
}
/// f over the values of all lanes, in all lanes.
template <class T, class F>
ACCRUE_DEVICE T joined_in_warp(T v, const F& f) {
#pragma unroll
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) v = f(v, shuffle_xor(v, distance));
  return v;
}
ACCRUE_DEVICE unsigned sum_in_warp(unsigned v) {
  return joined_in_warp(v, [](unsigned a, unsigned b) { return a + b; });
}
ACCRUE_DEVICE unsigned largest_in_warp(unsigned v) {
  return joined_in_warp(v, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
template <class T>
ACCRUE_DEVICE T smallest_in_warp(T v) {
  return joined_in_warp(v, [](T a, T b) { return b < a ? b : a; });
}

/// Orders this thread's accesses for the whole device: release before a counter, acquire after.
/// What a thread does before a barrier behind which another thread's fence is to stand for it: a barrier alone waits for no wave's stores
/// beyond the compute unit.
ACCRUE_DEVICE void fence_before_barrier() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
ACCRUE_DEVICE void fence_device() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent"); }
template <class Word>
ACCRUE_DEVICE void load_from_device(Word& v, const void* p) {
  v = __hip_atomic_load(static_cast<const Word*>(p), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Two words that one block writes and others wait for, each for itself.
ACCRUE_DEVICE void store_to_device(std::uint64_t* p, std::uint64_t a, std::uint64_t b) {
  __hip_atomic_store(p, a, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_store(p + 1, b, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
ACCRUE_DEVICE void load_from_device(std::uint64_t& a, std::uint64_t& b, const std::uint64_t* p) {
  load_from_device(a, p);
  load_from_device(b, p + 1);
}

ACCRUE_DEVICE vector16 load_vector16(const void* p) { return *static_cast<const vector16*>(p); }

// Arithmetic: one rounding each, to nearest; no contraction: the compiler cannot see through the empty statement.
template <class T>
ACCRUE_DEVICE T rounded_here(T r) {
  asm("" : "+v"(r));
  return r;
}
ACCRUE_DEVICE double add(double a, double b) { return rounded_here(a + b); }
ACCRUE_DEVICE double subtract(double a, double b) { return rounded_here(a - b); }
ACCRUE_DEVICE double multiply(double a, double b) { return rounded_here(a * b); }
ACCRUE_DEVICE double fused_multiply_add(double a, double b, double c) { return rounded_here(__builtin_fma(a, b, c)); }
ACCRUE_DEVICE double divide(double a, double b) { return rounded_here(a / b); }
ACCRUE_DEVICE double square_root(double x) { return rounded_here(::sqrt(x)); }
ACCRUE_DEVICE double reciprocal(double x) { return divide(1.0, x); }
ACCRUE_DEVICE double reciprocal_of_normal(double x) { return reciprocal(x); }
ACCRUE_DEVICE float add(float a, float b) { return rounded_here(a + b); }
ACCRUE_DEVICE float subtract(float a, float b) { return rounded_here(a - b); }
ACCRUE_DEVICE float multiply(float a, float b) { return rounded_here(a * b); }
ACCRUE_DEVICE float divide(float a, float b) { return rounded_here(a / b); }
ACCRUE_DEVICE float square_root(float x) { return rounded_here(::sqrtf(x)); }
ACCRUE_DEVICE double widen(float x) { return x; }
ACCRUE_DEVICE float narrow(double x) { return static_cast<float>(x); }
ACCRUE_DEVICE float to_float(half h) { return static_cast<float>(__builtin_bit_cast(_Float16, h.bits)); }
ACCRUE_DEVICE float to_float(bfloat16 h) { return std::bit_cast<float>(static_cast<unsigned>(h.bits) << 16); }
ACCRUE_DEVICE float to_float(float x) { return x; }

ACCRUE_DEVICE unsigned high_word(double x) { return static_cast<unsigned>(std::bit_cast<std::uint64_t>(x) >> 32); }
ACCRUE_DEVICE unsigned low_word(double x) { return static_cast<unsigned>(std::bit_cast<std::uint64_t>(x)); }
ACCRUE_DEVICE double from_words(unsigned high, unsigned low) { return std::bit_cast<double>(std::uint64_t{high} << 32 | low); }

}  // namespace accrue::simt

#include "accrue/backends/simt/dialect/fallbacks.cuh"
