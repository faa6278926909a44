// SPDX-License-Identifier: BSD-3-Clause
// What kernels may ask of the instruction set being compiled: how wide its vectors are and what they can do. Beside the choice of one
// (instruction_set.cpp) the one place that knows vector instruction sets by name. Included once for each of them.

#if defined(ACCRUE_TARGET_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_TARGET_INL
#undef ACCRUE_TARGET_INL
#else
#define ACCRUE_TARGET_INL
#endif

#include <hwy/highway.h>

#include "accrue/element.hpp"

namespace accrue::kernels {

/// 1, as a number that compilers do not see: they would make additions of fused operations with it.
extern const double unseen_one;

}  // namespace accrue::kernels

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using d64 = hn::ScalableTag<double>;
using i64 = hn::RebindToSigned<d64>;
using u64 = hn::RebindToUnsigned<d64>;

/// Doubles in a vector: 1, 2, 4 or 8. Where the preprocessor must know, HWY_MAX_BYTES is eight times that.
inline constexpr std::size_t width = hn::MaxLanes(d64());
static_assert(width <= 8 && HWY_MAX_BYTES == 8 * width, "kernels keep vectors in arrays, which scalable ones do not allow");

/// Whether operations on whole vectors pay: not where they are loops over an array.
inline constexpr bool has_vectors = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;

/// Whether masked loads of floats and doubles leave the memory behind the mask alone; elsewhere Highway reads it and masks afterwards.
inline constexpr bool masked_loads = HWY_ARCH_X86 && width >= 4;

/// Whether half is converted by one instruction; Highway's software conversion knows no infinities and NaN.
inline constexpr bool converts_half = has_vectors && ((HWY_ARCH_X86 && width >= 4) || HWY_ARCH_ARM_A64);

/// a + b and a - b by the units that multiply and add. Where these are others than those that add, as in AMD's processors, kernels whose
/// additions are half of these take up to half of the time. On ARM they are the same, and write over an operand.
inline constexpr bool fused_beside_adding = HWY_ARCH_X86 && HWY_NATIVE_FMA;
HWY_INLINE hn::Vec<d64> fused_add(hn::Vec<d64> a, hn::Vec<d64> b) {
  return fused_beside_adding ? hn::MulAdd(hn::Set(d64(), unseen_one), b, a) : a + b;
}
HWY_INLINE hn::Vec<d64> fused_subtract(hn::Vec<d64> a, hn::Vec<d64> b) {
  return fused_beside_adding ? hn::NegMulAdd(hn::Set(d64(), unseen_one), b, a) : a - b;
}

/// A vector of floats from 16-bit ones; halves where `converts_half`.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> load_narrow(const half* p) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> narrow;
  return hn::PromoteTo(d, hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(p)));
}
HWY_INLINE hn::Vec<hn::ScalableTag<float>> load_narrow(const bfloat16* p) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> wide;
  const hn::Rebind<std::uint16_t, decltype(d)> narrow;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(p)))));
}

/// Floats that are integers of 31 bits, as such: without what Highway does for others.
HWY_INLINE hn::Vec<hn::RebindToSigned<hn::ScalableTag<float>>> to_integers(hn::Vec<hn::ScalableTag<float>> v) {
  using result = hn::Vec<hn::RebindToSigned<hn::ScalableTag<float>>>;
#if HWY_ARCH_X86 && HWY_MAX_BYTES == 64
  return result{_mm512_cvtps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_MAX_BYTES == 32
  return result{_mm256_cvtps_epi32(v.raw)};
#else
  return result{hn::NearestInt(v)};
#endif
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
