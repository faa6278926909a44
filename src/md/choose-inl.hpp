// SPDX-License-Identifier: BSD-3-Clause
// Keeping the numbers that a comparison chose, for the instruction set being compiled. Included once for each of them.

#if defined(ACCRUE_CHOOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_CHOOSE_INL
#undef ACCRUE_CHOOSE_INL
#else
#define ACCRUE_CHOOSE_INL
#endif

#include <bit>

#include "lane_tables.hpp"
#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// A bit for each lane of the mask, of eight lanes at most.
template <class D>
HWY_INLINE unsigned lane_bits(D d, hn::Mask<D> mask) {
  std::uint8_t bits[8];
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

#if HWY_MAX_BYTES >= 16

/// Numbers that are chosen from together.
inline constexpr std::size_t choice = width == 8 ? 8 : 4;
using choice_tag = hn::CappedTag<std::uint32_t, choice>;

/// Writes the lanes whose bits are set, in order, and whatever behind them; returns how many are set.
HWY_INLINE std::size_t store_chosen(unsigned bits, hn::Vec<choice_tag> v, std::uint32_t* to) {
  const choice_tag d;
  if constexpr (width == 8) {
    const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits)};
    hn::StoreU(hn::Compress(v, hn::LoadMaskBits(d, bytes)), d, to);
  } else {
    const hn::Repartition<std::uint8_t, choice_tag> bytes;
    const auto front = hn::Load(bytes, front_of_four[bits].data());
    hn::StoreU(hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), front)), d, to);
  }
  return static_cast<std::size_t>(std::popcount(bits));
}

/// Copies those of eight numbers whose bits are set, in order; writes up to eight. Returns how many are set.
HWY_INLINE std::size_t copy_chosen(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
  const choice_tag d;
  std::size_t size = store_chosen(bits & ((1u << choice) - 1), hn::LoadU(d, from), to);
  if constexpr (choice == 4) size += store_chosen(bits >> 4, hn::LoadU(d, from + 4), to + size);
  return size;
}

#else  // one lane

HWY_INLINE std::size_t copy_chosen(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
  std::size_t size = 0;
  for (unsigned k = 0; k < 8; ++k) {
    to[size] = from[k];
    size += bits >> k & 1;
  }
  return size;
}

#endif

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
