// SPDX-License-Identifier: BSD-3-Clause
// Sums of 16-bit floats and of their products, where they are multiples of some 2^u below 2^(u + 27), in integers: 32 bits hold the sum of
// 16 elements, and 64 bits that of 512 products of two.
#include "accrue/detail/narrow_accumulator.hpp"

#include <bit>

#include "accrue/detail/exact_accumulator.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "prefetch.hpp"
#include "target-inl.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

#ifndef ACCRUE_NARROW_SUMS_TYPES
#define ACCRUE_NARROW_SUMS_TYPES
namespace accrue::kernels {

/// What there was in a tile: the largest of |x|'s bits, and the smallest, less one, of what is not zero.
struct narrow_sizes {
  std::uint16_t largest = 0;
  std::uint16_t smallest = 0xffff;
};
struct narrow_totals {
  std::int64_t values = 0;
  detail::int128 products = 0;
  narrow_sizes sizes[2];
};
inline constexpr int integer_bits = 27;
inline constexpr std::size_t sums_of_32_bits = 16;

}  // namespace accrue::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

#if HWY_MAX_BYTES > 8
using f32 = hn::ScalableTag<float>;
using i32 = hn::RebindToSigned<f32>;
using u16 = hn::Repartition<std::uint16_t, f32>;
inline constexpr std::size_t floats = hn::MaxLanes(f32());
inline constexpr std::size_t step = 2 * floats;  ///< elements that a step takes

/// The largest and the smallest magnitudes, as bits.
struct size_lanes {
  hn::Vec<u16> largest = hn::Zero(u16());
  hn::Vec<u16> smallest = hn::Set(u16(), 0xffff);

  HWY_INLINE size_lanes() {}
  template <class T>
  HWY_INLINE void see(const T* p) {
    const auto magnitude = hn::And(hn::LoadU(u16(), reinterpret_cast<const std::uint16_t*>(p)), hn::Set(u16(), 0x7fff));
    largest = hn::Max(largest, magnitude);
    smallest = hn::Min(smallest, magnitude - hn::Set(u16(), 1));
  }
  [[nodiscard]] HWY_INLINE narrow_sizes sizes() const {
    std::uint16_t lane[2][step];
    hn::StoreU(largest, u16(), lane[0]);
    hn::StoreU(smallest, u16(), lane[1]);
    narrow_sizes s;
    for (std::size_t l = 0; l < step; ++l) {
      s.largest = lane[0][l] > s.largest ? lane[0][l] : s.largest;
      s.smallest = lane[1][l] < s.smallest ? lane[1][l] : s.smallest;
    }
    return s;
  }
};

/// The sums of a lane's integers.
template <bool values, bool products>
struct integer_lanes {
  hn::Vec<i32> sum = hn::Zero(i32());
  hn::Vec<i64> wide_sum = hn::Zero(i64());
  hn::Vec<i64> even = hn::Zero(i64());
  hn::Vec<i64> odd = hn::Zero(i64());

  HWY_INLINE integer_lanes() {}
  HWY_INLINE void add(hn::Vec<i32> x, hn::Vec<i32> y) {
    if constexpr (values) sum = sum + x;
    if constexpr (products) {
      const auto odd_of = [](hn::Vec<i32> v) HWY_ATTR {
        return hn::BitCast(i32(), hn::ShiftRight<32>(hn::BitCast(u64(), v)));
      };
      even = even + hn::MulEven(x, y);
      odd = odd + hn::MulEven(odd_of(x), odd_of(y));
    }
  }
  /// After so many additions as 32 bits hold.
  HWY_INLINE void widen() {
    if constexpr (values) {
      const auto pairs = hn::BitCast(i64(), sum);
      wide_sum = wide_sum + hn::ShiftRight<32>(pairs) + hn::ShiftRight<32>(hn::ShiftLeft<32>(pairs));
      sum = hn::Zero(i32());
    }
  }
  HWY_INLINE void give(narrow_totals& totals) const {
    if constexpr (values) totals.values += hn::GetLane(hn::SumOfLanes(i64(), wide_sum));
    if constexpr (products) {  // the sums of lanes in two parts, which 64 bits hold
      const auto lower = hn::Set(i64(), 0xffffffff);
      const auto low = hn::And(even, lower) + hn::And(odd, lower);
      const auto high = hn::ShiftRight<32>(even) + hn::ShiftRight<32>(odd);
      totals.products += static_cast<detail::int128>(hn::GetLane(hn::SumOfLanes(i64(), high))) * (std::int64_t{1} << 32);
      totals.products += hn::GetLane(hn::SumOfLanes(i64(), low));
    }
  }
};

/// The sums of a tile's elements in units of 2^unit[0], or of their magnitudes, and of products: of `pairs` with the elements of y, in
/// units of 2^unit[1], else of squares. And the sizes that say whether these are the sums.
template <bool values, bool products, bool pairs, bool magnitudes, small_float T>
HWY_INLINE void sum_tile(operands<T> tile, const int (&unit)[2], narrow_totals& totals) {
  const auto scale = [](int exponent) { return std::bit_cast<float>(static_cast<std::uint32_t>(127 - exponent) << 23); };
  const auto x_scale = hn::Set(f32(), scale(unit[0]));
  [[maybe_unused]] const auto y_scale = hn::Set(f32(), scale(unit[1]));
  size_lanes x_sizes;
  [[maybe_unused]] size_lanes y_sizes;
  integer_lanes<values, products> lanes[2];
  const auto take = [&](const T* x, const T* y) HWY_ATTR {
    x_sizes.see(x);
    if constexpr (pairs) y_sizes.see(y);
    for (std::size_t u = 0; u < 2; ++u) {
      auto v = load_narrow(x + u * floats);
      if constexpr (magnitudes) v = hn::Abs(v);
      const auto k = to_integers(v * x_scale);
      if constexpr (pairs) {
        lanes[u].add(k, to_integers(load_narrow(y + u * floats) * y_scale));
      } else {
        lanes[u].add(k, k);
      }
    }
  };
  std::size_t i = 0;
  while (i + step <= tile.size) {
    for (std::size_t k = 0; k < sums_of_32_bits && i + step <= tile.size; ++k, i += step) {
      prefetch_ahead(tile.x + i, step * sizeof(T));
      if constexpr (pairs) prefetch_ahead(tile.y + i, step * sizeof(T));
      take(tile.x + i, pairs ? tile.y + i : nullptr);
    }
    for (auto& l : lanes) l.widen();
  }
  if (i < tile.size) {
    T x[step] = {};
    [[maybe_unused]] T y[step] = {};
    for (std::size_t k = i; k < tile.size; ++k) {
      x[k - i] = tile.x[k];
      if constexpr (pairs) y[k - i] = tile.y[k];
    }
    take(x, y);
    for (auto& l : lanes) l.widen();
  }
  for (const auto& l : lanes) l.give(totals);
  totals.sizes[0] = x_sizes.sizes();
  if constexpr (pairs) totals.sizes[1] = y_sizes.sizes();
}
#endif

/// False where a conversion of 16-bit floats is not one operation, and this does not pay.
template <class T>
HWY_INLINE bool sum_any(term what, bool both, operands<T> tile, const int (&unit)[2], narrow_totals& totals) {
  if constexpr (!converts_half) {
    return false;
  } else {
    if (both) {
      sum_tile<true, true, false, false>(tile, unit, totals);
    } else if (what == term::value) {
      sum_tile<true, false, false, false>(tile, unit, totals);
    } else if (what == term::magnitude) {
      sum_tile<true, false, false, true>(tile, unit, totals);
    } else if (what == term::square) {
      sum_tile<false, true, false, false>(tile, unit, totals);
    } else {
      sum_tile<false, true, true, false>(tile, unit, totals);
    }
    return true;
  }
}
bool sum_f16(term what, bool both, operands<half> tile, const int (&unit)[2], narrow_totals& totals) {
  return sum_any(what, both, tile, unit, totals);
}
bool sum_bf16(term what, bool both, operands<bfloat16> tile, const int (&unit)[2], narrow_totals& totals) {
  return sum_any(what, both, tile, unit, totals);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(sum_f16);
HWY_EXPORT(sum_bf16);

namespace {

bool sum(term what, bool both, operands<half> tile, const int (&unit)[2], narrow_totals& totals) {
  return HWY_DYNAMIC_DISPATCH(sum_f16)(what, both, tile, unit, totals);
}
bool sum(term what, bool both, operands<bfloat16> tile, const int (&unit)[2], narrow_totals& totals) {
  return HWY_DYNAMIC_DISPATCH(sum_bf16)(what, both, tile, unit, totals);
}

/// Whether elements of such sizes are integers of a unit, which is set to one that is; false where none is.
template <class T>
bool fit(const narrow_sizes& sizes, int& unit) {
  constexpr int fraction = std::is_same_v<T, half> ? 10 : 7;
  constexpr int bias = std::is_same_v<T, half> ? 15 : 127;
  constexpr int lowest = std::is_same_v<T, half> ? -24 : -120;  // powers of two that are floats
  const int largest = sizes.largest >> fraction;
  const int smallest = sizes.smallest >> fraction;
  if (largest > 2 * bias) return false;  // infinity or NaN
  const int above = largest - bias + 1;
  const int last = (smallest > 1 ? smallest : 1) - bias - fraction;
  if (above <= unit + integer_bits && last >= unit) return true;
  const int least = above - integer_bits;
  const int wanted = last <= least ? least : least + 1;  // where there is one, a bit to spare for larger ones
  unit = wanted > lowest ? wanted : lowest;
  return false;
}
/// As `fit`, for both operands of what is summed.
template <class T>
bool fit_both(bool pairs, const narrow_totals& totals, int (&unit)[2]) {
  const bool x = fit<T>(totals.sizes[0], unit[0]);
  const bool y = !pairs || fit<T>(totals.sizes[1], unit[1]);
  return x && y;
}

/// The sums of a tile, with the units of the last and then with its own; false where it has none. Of the first tile the beginning is
/// looked at before.
template <class T>
bool sum_with_units(term what, bool both, operands<T> tile, int (&unit)[2], narrow_totals& totals) {
  if (unit[0] == no_unit) {
    constexpr std::size_t few = 64;
    unit[0] = unit[1] = 0;
    if (!sum(what, both, operands<T>{tile.x, tile.y, tile.size < few ? tile.size : few}, unit, totals)) return false;
    fit_both<T>(what == term::product, totals, unit);
  }
  for (int round = 0; round < 2; ++round) {
    totals = {};
    if (!sum(what, both, tile, unit, totals)) return false;
    if (fit_both<T>(what == term::product, totals, unit)) return true;
  }
  return false;
}

int bits_of(detail::int128 v) { return detail::bit_width(static_cast<detail::uint128>(v < 0 ? -v : v)); }

}  // namespace

bool narrow_accumulator::has_room(detail::int128 sum, int unit) const {
  constexpr int most_bits = 120;
  if (total_ == 0) return true;
  return (unit_ > unit ? bits_of(total_) + unit_ - unit : bits_of(total_)) <= most_bits &&
         (unit > unit_ ? bits_of(sum) + unit - unit_ : bits_of(sum)) <= most_bits;
}
void narrow_accumulator::add(detail::int128 sum, int unit) {
  if (total_ == 0) {
    total_ = sum;
    unit_ = unit;
    return;
  }
  if (unit_ > unit) {
    total_ *= detail::int128{1} << (unit_ - unit);
    unit_ = unit;
  }
  total_ += sum * (detail::int128{1} << (unit - unit_));
}
bool narrow_accumulator::tries() {
  if (pause_ == 0) return true;
  --pause_;
  return false;
}
bool narrow_accumulator::tried(bool held) {
  constexpr std::uint16_t longest_pause = 64;
  if (held) {
    next_pause_ = 0;
  } else {
    pause_ = next_pause_;
    next_pause_ = next_pause_ < longest_pause ? static_cast<std::uint16_t>(2 * next_pause_ + 1) : longest_pause;
  }
  return held;
}

template <small_float T>
bool narrow_accumulator::fold(term what, operands<T> tile) {
  if (tile.size > largest_tile || !tries()) return false;
  narrow_totals totals;
  if (!sum_with_units(what, false, tile, tile_unit_, totals)) return tried(false);
  const detail::int128 sum = is_product(what) ? totals.products : totals.values;
  const int unit = what == term::product ? tile_unit_[0] + tile_unit_[1] : what == term::square ? 2 * tile_unit_[0] : tile_unit_[0];
  if (!has_room(sum, unit)) return tried(false);
  add(sum, unit);
  return tried(true);
}
template <small_float T>
bool narrow_accumulator::fold_both(narrow_accumulator& values, narrow_accumulator& squares, operands<T> tile) {
  if (tile.size > largest_tile || !values.tries()) return false;
  narrow_totals totals;
  int(&unit)[2] = values.tile_unit_;
  if (!sum_with_units(term::value, true, tile, unit, totals)) return values.tried(false);
  if (!values.has_room(totals.values, unit[0]) || !squares.has_room(totals.products, 2 * unit[0])) return values.tried(false);
  values.add(totals.values, unit[0]);
  squares.add(totals.products, 2 * unit[0]);
  return values.tried(true);
}
void narrow_accumulator::drain(const detail::limb_sink& sink) {
  sink.deposit(total_, unit_);
  total_ = 0;
}

template bool narrow_accumulator::fold(term, operands<half>);
template bool narrow_accumulator::fold(term, operands<bfloat16>);
template bool narrow_accumulator::fold_both(narrow_accumulator&, narrow_accumulator&, operands<half>);
template bool narrow_accumulator::fold_both(narrow_accumulator&, narrow_accumulator&, operands<bfloat16>);

}  // namespace accrue::kernels
#endif
