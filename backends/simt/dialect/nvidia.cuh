// SPDX-License-Identifier: BSD-3-Clause
// The kernels' dialect for NVIDIA's compilers: threads, warps, votes, shuffles, atomics, and arithmetic that rounds as written
// whatever the translation unit's flags.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "accrue/element.hpp"

#define ACCRUE_DEVICE __device__ __forceinline__
#define ACCRUE_HOST_DEVICE __host__ __device__ inline
/// Rare paths: out of line, so that they cost the hot path no registers.
#define ACCRUE_DEVICE_RARE inline __device__ __noinline__
/// A kernel whose blocks have at most so many threads, so many of them at a time on a multiprocessor.
/// Kernels are templates: others would be defined by each source file of a program.
#define ACCRUE_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#define ACCRUE_SHARED __shared__

namespace accrue::simt {

inline constexpr unsigned warp_width = 32;
/// Whether terms whose sizes say enough go a way of their own (term_sizes.cuh).
inline constexpr bool folds_by_sizes = true;
inline constexpr unsigned whole_warp = 0xffffffffu;

}  // namespace accrue::simt

#include "accrue/backends/simt/dialect/devices.cuh"

namespace accrue::simt {

ACCRUE_DEVICE void sync_warp() { __syncwarp(); }
/// Whether the predicate holds in some lane. All lanes take part in votes and shuffles.
ACCRUE_DEVICE bool any(bool predicate) { return __any_sync(whole_warp, predicate) != 0; }
ACCRUE_DEVICE unsigned sum_in_warp(unsigned v) { return __reduce_add_sync(whole_warp, v); }
ACCRUE_DEVICE unsigned largest_in_warp(unsigned v) { return __reduce_max_sync(whole_warp, v); }
ACCRUE_DEVICE std::uint32_t smallest_in_warp(std::uint32_t v) { return __reduce_min_sync(whole_warp, v); }
ACCRUE_DEVICE std::int32_t smallest_in_warp(std::int32_t v) { return __reduce_min_sync(whole_warp, v); }

/// Lanes with the caller's value, which has at most so many bits: how many, and how many of them below the caller. (match.any takes longer
/// where many values differ.)
ACCRUE_DEVICE lanes_alike lanes_with(unsigned value, unsigned bits) {
  unsigned alike = whole_warp;
#pragma unroll
  for (unsigned b = 0; b < bits; ++b) {
    const bool mine = (value >> b & 1) != 0;
    const unsigned set = __ballot_sync(whole_warp, mine);
    alike &= mine ? set : ~set;
  }
  return {static_cast<unsigned>(__popc(alike & ((1u << lane()) - 1))), static_cast<unsigned>(__popc(alike))};
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

/// Orders this thread's accesses, and those that a barrier has shown it, for the whole device: release before a counter, acquire after.
/// __threadfence() would order them sequentially consistently, which takes longer.
/// What a thread does before a barrier behind which another thread's fence is to stand for it. Here barriers and fences add up.
ACCRUE_DEVICE void fence_before_barrier() {}
ACCRUE_DEVICE void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
template <class Word>
ACCRUE_DEVICE void load_from_device(Word& v, const void* p) {
  if constexpr (sizeof(Word) == 8) {
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p));
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p));
  } else {
    unsigned word;
    asm volatile("ld.relaxed.gpu.u8 %0, [%1];" : "=r"(word) : "l"(p));
    v = static_cast<Word>(word);
  }
}

/// Two words that one block writes and others wait for, each for itself: 16 bytes, aligned so.
ACCRUE_DEVICE void store_to_device(std::uint64_t* p, std::uint64_t a, std::uint64_t b) {
  asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b) : "memory");
}
ACCRUE_DEVICE void load_from_device(std::uint64_t& a, std::uint64_t& b, const std::uint64_t* p) {
  asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
}

ACCRUE_DEVICE vector16 load_vector16(const void* p) {
  const uint4 v = __ldg(static_cast<const uint4*>(p));
  return {{v.x, v.y, v.z, v.w}};
}

/// Copies into shared memory that arrive later: of 4, 8 or 16 bytes, aligned so. What a thread has asked for since its last `end_copies` is
/// a group; `wait_for_copies` waits for all its groups but the latest.
inline constexpr bool copies_arrive_later = true;
template <unsigned bytes>
ACCRUE_DEVICE void copy_to_shared(void* to, const void* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(bytes) : "memory");
  }
}
ACCRUE_DEVICE void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <unsigned latest>
ACCRUE_DEVICE void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(latest) : "memory");
}

/// Of kernels that `early_launch` enqueues: waits until the kernel before this one in the stream is done. Its writes are seen from then on.
ACCRUE_DEVICE void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Where all blocks have called this, blocks of the kernel behind this one may start, to wait.
ACCRUE_DEVICE void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Words in shared memory, to be added to. Their address stays in one register: compilers would make it anew for each access.
class shared_words {
 public:
  explicit ACCRUE_DEVICE shared_words(std::uint32_t* first) : address_(static_cast<unsigned>(__cvta_generic_to_shared(first))) {
    asm volatile("" : "+r"(address_));
  }
  /// Adds to word k; what was there.
  ACCRUE_DEVICE std::uint32_t fetch_add(std::uint32_t k, std::uint32_t v) const {
    std::uint32_t before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address_ + k * 4), "r"(v) : "memory");
    return before;
  }

 private:
  unsigned address_;
};

// Arithmetic: one rounding each, to nearest; no contraction, no flush to zero.
ACCRUE_DEVICE double add(double a, double b) { return __dadd_rn(a, b); }
ACCRUE_DEVICE double subtract(double a, double b) { return __dsub_rn(a, b); }
ACCRUE_DEVICE double add_up(double a, double b) { return __dadd_ru(a, b); }
ACCRUE_DEVICE double add_down(double a, double b) { return __dadd_rd(a, b); }
ACCRUE_DEVICE double multiply(double a, double b) { return __dmul_rn(a, b); }
ACCRUE_DEVICE double fused_multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
ACCRUE_DEVICE double divide(double a, double b) { return __ddiv_rn(a, b); }
ACCRUE_DEVICE double square_root(double x) { return __dsqrt_rn(x); }
ACCRUE_DEVICE double reciprocal(double x) { return __drcp_rn(x); }
/// The same for 2^-1021 to 2^1021, without a branch; NaN for 0 and less than 2^-1022. A step of third order and one of second from an
/// approximation of 20 bits: the last, from one that is wrong in its last bit at most, rounds as division does. Of the largest significand
/// it does where the approximation is too large, hence the lower word.
ACCRUE_DEVICE double reciprocal_of_normal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = __hiloint2double(__double2hiint(y), static_cast<int>(0x80000000u));
  double e = __fma_rn(-x, y, 1.0);
  e = __fma_rn(e, e, e);
  y = __fma_rn(y, e, y);
  return __fma_rn(y, __fma_rn(-x, y, 1.0), y);
}
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

/// The larger or smaller of two floats, -0 below +0. A NaN wins, or loses to any number.
template <bool maximum, bool nan_wins>
ACCRUE_DEVICE float extreme(float a, float b) {
  float r;
  if constexpr (maximum) {
    if constexpr (nan_wins) {
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    } else {
      asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    }
  } else if constexpr (nan_wins) {
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  } else {
    asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  }
  return r;
}

/// For each 16-bit half of a word, the smallest of three, as integers with or without sign.
ACCRUE_DEVICE unsigned smallest_halves(std::int16_t, unsigned a, unsigned b, unsigned c) { return __vimin3_s16x2(a, b, c); }
ACCRUE_DEVICE unsigned smallest_halves(std::uint16_t, unsigned a, unsigned b, unsigned c) { return __vimin3_u16x2(a, b, c); }
ACCRUE_DEVICE unsigned largest_halves(unsigned a, unsigned b, unsigned c) { return __vimax3_u16x2(a, b, c); }
/// For each 16-bit half, the smaller of a + b, modulo 2^16, and c, as integers without sign.
ACCRUE_DEVICE unsigned smallest_halves_after_add(unsigned a, unsigned b, unsigned c) { return __viaddmin_u16x2(a, b, c); }
/// sum + the products of the words' bytes.
ACCRUE_DEVICE int add_byte_products(int sum, int a, int b) { return __dp4a(a, b, sum); }
ACCRUE_DEVICE unsigned add_byte_products(unsigned sum, unsigned a, unsigned b) { return __dp4a(a, b, sum); }

ACCRUE_DEVICE unsigned high_word(double x) { return static_cast<unsigned>(__double2hiint(x)); }
ACCRUE_DEVICE unsigned low_word(double x) { return static_cast<unsigned>(__double2loint(x)); }
ACCRUE_DEVICE double from_words(unsigned high, unsigned low) {
  return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}

}  // namespace accrue::simt
