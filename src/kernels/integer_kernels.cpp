// SPDX-License-Identifier: BSD-3-Clause
// Exact totals of integers: partial sums in the narrowest type that a tile cannot overflow.
#include "accrue/detail/kernels.hpp"

#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integer_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "has_kernel.hpp"
#include "prefetch.hpp"
#include "target-inl.hpp"

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

/// Products of 32-bit integers, of which a 64-bit sum could overflow, are added in halves.
template <term what, class T>
HWY_INLINE void add_halves(integer_total& total, const operands<T>& tile) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
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

/// |x| where magnitudes are added, else x less the smallest T.
template <term what, class T>
HWY_INLINE auto load_unsigned(const T* x) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto v = hn::LoadU(d, x);
  if constexpr (std::is_unsigned_v<T>) {
    return v;
  } else if constexpr (what == term::magnitude) {
    return hn::BitCast(du, hn::Abs(v));
  } else {
    return hn::BitCast(du, hn::Xor(v, hn::Set(d, std::numeric_limits<T>::min())));
  }
}

/// Adds the values or magnitudes of whole groups of vectors, and returns how many elements these have. Bytes are added eight at a time;
/// 16-bit and 32-bit integers in pairs, whose two halves have sums of their own; 64-bit integers by their halves too.
template <term what, class T>
HWY_INLINE std::size_t add_vectors(integer_total& total, const operands<T>& tile) {
  using lane = std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>;
  const hn::ScalableTag<lane> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  constexpr std::size_t unroll = 4;
  constexpr int half = 4 * sizeof(lane);
  const auto lower = hn::Set(d, (lane{1} << half) - 1);
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  std::size_t i = 0;
  for (; i + unroll * lanes <= tile.size; i += unroll * lanes) {
    prefetch_ahead(tile.x + i, unroll * lanes * sizeof(T));
    for (std::size_t u = 0; u < unroll; ++u) {
      const auto v = load_unsigned<what>(tile.x + i + u * lanes);
      if constexpr (sizeof(T) == 1) {
        low = low + hn::SumsOf8(v);
      } else {
        low = low + hn::And(hn::BitCast(d, v), lower);
        high = high + hn::ShiftRight<half>(hn::BitCast(d, v));
      }
    }
  }
  const auto sum = [&](auto v) HWY_ATTR { return static_cast<detail::int128>(hn::GetLane(hn::SumOfLanes(d, v))); };
  total.low += sum(low);
  if constexpr (sizeof(T) != 1) total.low += sum(high) << (sizeof(T) == 8 ? half : 0);
  if (what == term::value) total.low += static_cast<detail::int128>(std::numeric_limits<T>::min()) * static_cast<detail::int128>(i);
  return i;
}

template <term what, class T>
HWY_INLINE void add_term(integer_total& total, const operands<T>& tile) {
  if constexpr (!is_product(what)) {
    using rest = std::conditional_t<sizeof(T) == 8, detail::int128, std::int64_t>;
    rest sum = 0;
    std::size_t i = 0;
    if constexpr (has_vectors) i = add_vectors<what>(total, tile);
    for (; i < tile.size; ++i) sum += term_of<rest, what>(tile, i);
    total.low += sum;
  } else if constexpr (sizeof(T) == 1) {
    std::int32_t sum = 0;
    static_assert(largest_integer_tile * 255 * 255 <= std::numeric_limits<std::int32_t>::max());
    for (std::size_t i = 0; i < tile.size; ++i) sum += term_of<std::int32_t, what>(tile, i);
    total.low += sum;
  } else if constexpr (sizeof(T) == 2) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < tile.size; ++i) sum += term_of<std::int64_t, what>(tile, i);
    total.low += sum;
  } else if constexpr (sizeof(T) == 4) {
    add_halves<what>(total, tile);
  } else {
    add_wide<what>(total, tile);
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
  }                                                                         \
  template <>                                                               \
  inline constexpr bool has_kernel<&add_integers<T>> = true;
ACCRUE_INTEGERS(add_i8, std::int8_t)
ACCRUE_INTEGERS(add_i16, std::int16_t)
ACCRUE_INTEGERS(add_i32, std::int32_t)
ACCRUE_INTEGERS(add_i64, std::int64_t)
ACCRUE_INTEGERS(add_u8, std::uint8_t)
ACCRUE_INTEGERS(add_u16, std::uint16_t)
ACCRUE_INTEGERS(add_u32, std::uint32_t)
ACCRUE_INTEGERS(add_u64, std::uint64_t)
#undef ACCRUE_INTEGERS

static_assert(for_every_element([]<class T>(std::type_identity<T>) {
                if constexpr (integer<T>) return has_kernel<&add_integers<T>>;
                return true;
              }),
              "an integer element of the closed set has no kernel that adds it");

}  // namespace accrue::kernels
#endif
