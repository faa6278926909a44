// SPDX-License-Identifier: BSD-3-Clause
// Exact totals of integers: partial sums in the narrowest type that a tile cannot overflow, so that the compiler vectorises them.
#include "accrue/detail/kernels.hpp"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integers.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

template <class Wide, term what, class T>
HWY_INLINE Wide term_of(const operands<T>& tile, std::size_t i) {
  const auto x = static_cast<Wide>(tile.x[i]);
  if constexpr (what == term::value) return x;
  if constexpr (what == term::magnitude) return x < 0 ? -x : x;
  if constexpr (what == term::square) return x * x;
  return x * static_cast<Wide>(tile.y[i]);
}

/// Terms that a 64-bit sum of a tile could overflow are added in halves.
template <class Wide, term what, class T>
HWY_INLINE void add_halves(integer_total& total, const operands<T>& tile) {
  Wide high = 0;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < tile.size; ++i) {
    const Wide t = term_of<Wide, what>(tile, i);
    high += t >> 32;
    low += static_cast<std::uint64_t>(t) & 0xffffffffu;
  }
  total.low += (static_cast<detail::int128>(high) << 32) + low;
}

/// Products of 64-bit integers take 128 bits each.
template <term what, class T>
HWY_INLINE void add_wide(integer_total& total, const operands<T>& tile) {
  using Wide = std::conditional_t<std::is_signed_v<T>, detail::int128, detail::uint128>;
  for (std::size_t i = 0; i < tile.size; ++i) {
    const Wide t = term_of<Wide, what>(tile, i);
    total.low += static_cast<std::uint64_t>(t);
    total.high += static_cast<detail::int128>(t >> 64);
  }
}

template <term what, class T>
HWY_INLINE void add_term(integer_total& total, const operands<T>& tile) {
  constexpr bool product = what == term::square || what == term::product;
  using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  if constexpr (sizeof(T) * (product ? 2 : 1) <= 2) {
    std::int32_t sum = 0;  // 2^12 terms below 2^16
    for (std::size_t i = 0; i < tile.size; ++i) sum += term_of<std::int32_t, what>(tile, i);
    total.low += sum;
  } else if constexpr (sizeof(T) * (product ? 2 : 1) <= 4) {
    wide sum = 0;
    for (std::size_t i = 0; i < tile.size; ++i) sum += term_of<wide, what>(tile, i);
    total.low += sum;
  } else if constexpr (sizeof(T) == 8 && product) {
    add_wide<what>(total, tile);
  } else if constexpr (what == term::magnitude && std::is_signed_v<T>) {
    std::uint64_t low = 0;  // |INT64_MIN| fits the unsigned type only
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < tile.size; ++i) {
      const auto bits = static_cast<std::uint64_t>(tile.x[i]);
      const std::uint64_t t = tile.x[i] < 0 ? std::uint64_t{0} - bits : bits;
      high += t >> 32;
      low += t & 0xffffffffu;
    }
    total.low += (static_cast<detail::int128>(high) << 32) + low;
  } else {
    add_halves<wide, what>(total, tile);
  }
}

template <class T>
HWY_INLINE void add_any(integer_total& total, term what, const operands<T>& tile) {
  switch (what) {
    case term::value: return add_term<term::value>(total, tile);
    case term::magnitude:
      if constexpr (std::is_unsigned_v<T>) return add_term<term::value>(total, tile);
      return add_term<term::magnitude>(total, tile);
    case term::square: return add_term<term::square>(total, tile);
    case term::product: return add_term<term::product>(total, tile);
  }
}

void add_i8(integer_total& total, term what, operands<std::int8_t> tile) { add_any(total, what, tile); }
void add_i16(integer_total& total, term what, operands<std::int16_t> tile) { add_any(total, what, tile); }
void add_i32(integer_total& total, term what, operands<std::int32_t> tile) { add_any(total, what, tile); }
void add_i64(integer_total& total, term what, operands<std::int64_t> tile) { add_any(total, what, tile); }
void add_u8(integer_total& total, term what, operands<std::uint8_t> tile) { add_any(total, what, tile); }
void add_u16(integer_total& total, term what, operands<std::uint16_t> tile) { add_any(total, what, tile); }
void add_u32(integer_total& total, term what, operands<std::uint32_t> tile) { add_any(total, what, tile); }
void add_u64(integer_total& total, term what, operands<std::uint64_t> tile) { add_any(total, what, tile); }

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

#define ACCRUE_INTEGERS(name, T)                                            \
  HWY_EXPORT(name);                                                         \
  template <>                                                               \
  void add_integers(integer_total& total, term what, operands<T> tile) {    \
    HWY_DYNAMIC_DISPATCH(name)(total, what, tile);                          \
  }
ACCRUE_INTEGERS(add_i8, std::int8_t)
ACCRUE_INTEGERS(add_i16, std::int16_t)
ACCRUE_INTEGERS(add_i32, std::int32_t)
ACCRUE_INTEGERS(add_i64, std::int64_t)
ACCRUE_INTEGERS(add_u8, std::uint8_t)
ACCRUE_INTEGERS(add_u16, std::uint16_t)
ACCRUE_INTEGERS(add_u32, std::uint32_t)
ACCRUE_INTEGERS(add_u64, std::uint64_t)
#undef ACCRUE_INTEGERS

}  // namespace accrue::kernels
#endif
