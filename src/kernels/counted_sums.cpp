// SPDX-License-Identifier: BSD-3-Clause
// Accumulation in fixed point: contributions as counts, and targets plus what was counted for them, rounded.
#include <bit>
#include <cmath>
#include <limits>

#include "accrue/detail/kernels.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "counted_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// The sum of two doubles: the nearest one, and the error.
template <class V>
struct two_doubles {
  V nearest;
  V error;
};
template <class V>
HWY_INLINE two_doubles<V> sum_of(V a, V b) {
  const V sum = a + b;
  const V of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// Integers in units: exactly.
template <class D>
HWY_INLINE two_doubles<hn::Vec<D>> in_units(D d, hn::Vec<hn::RebindToSigned<D>> counts, double unit) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, counts);
  // The upper 32 bits, with their sign, as the last bits of a double, and the lower ones.
  constexpr double upper = 0x1p84;
  constexpr double lower = 0x1p52;
  const auto sign = hn::Set(du, std::uint64_t{1} << 31);
  const auto high = hn::BitCast(d, hn::Or(hn::Xor(hn::ShiftRight<32>(bits), sign), hn::Set(du, std::bit_cast<std::uint64_t>(upper))));
  const auto low = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, 0xffffffff)), hn::Set(du, std::bit_cast<std::uint64_t>(lower))));
  const auto scale = hn::Set(d, unit);
  return sum_of((high - hn::Set(d, upper + 0x1p63)) * scale, (low - hn::Set(d, lower)) * scale);
}

/// Of nearest + error, where more bits follow than a double has, the neighbour whose last bit is set: it rounds to fewer bits as the whole
/// does. Source: Boldo and Melquiond, Emulation of FMA and correctly rounded sums (2008).
template <class D, class V>
HWY_INLINE V to_odd(D d, const two_doubles<V>& x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x.nearest);
  const auto one = hn::Set(di, 1);
  const auto even = hn::And(bits, one) == hn::Zero(di);
  const auto exact = hn::RebindMask(di, x.error == hn::Zero(d));
  const auto towards_zero = hn::BroadcastSignBit(hn::Xor(bits, hn::BitCast(di, x.error)));
  return hn::BitCast(d, bits + hn::IfThenElseZero(hn::AndNot(exact, even), hn::Or(towards_zero, one)));
}

/// The nearest floats, infinities where they overflow: Highway's loops over arrays have the largest float there.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<float, D>> nearest_floats(D d, hn::Vec<D> x) {
  const hn::Rebind<float, D> narrow;
  if constexpr (has_vectors) return hn::DemoteTo(narrow, x);
  double wide[2];
  float rounded[2] = {};
  hn::StoreU(x, d, wide);
  for (std::size_t k = 0; k < hn::MaxLanes(d); ++k) rounded[k] = static_cast<float>(wide[k]);
  return hn::LoadU(narrow, rounded);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const double* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}
/// Stores a sum, rounded.
template <class D, class V>
HWY_INLINE void store(D d, const two_doubles<V>& x, double* p) {
  hn::StoreU(x.nearest, d, p);
}
template <class D, class V>
HWY_INLINE void store(D d, const two_doubles<V>& x, float* p) {
  const hn::Rebind<float, D> narrow;
  hn::StoreU(nearest_floats(d, to_odd(d, x)), narrow, p);
}

/// targets += what is added, but where that is zero. Bits of the lanes that are left.
template <class D, class T>
HWY_INLINE std::uint64_t add_exactly(D d, const two_doubles<hn::Vec<D>>& added, T* targets) {
  const auto before = load(d, targets);
  const auto upper = sum_of(before, added.nearest);
  const auto lower = sum_of(upper.error, added.error);
  const auto sum = sum_of(upper.nearest, lower.nearest);
  const auto zero = added.nearest == hn::Zero(d);
  // No infinities, no NaN, nor what may overflow.
  const auto known = hn::And(lower.error == hn::Zero(d), hn::Abs(before) < hn::Set(d, 0x1p1000));
  const two_doubles<hn::Vec<D>> after{hn::IfThenElse(hn::AndNot(zero, known), sum.nearest, before),
                                      hn::IfThenElseZero(hn::AndNot(zero, known), sum.error)};
  store(d, after, targets);
  const auto left = hn::Not(hn::Or(known, zero));
  if (hn::AllFalse(d, left)) [[likely]] return 0;
  std::uint8_t stored[8] = {};
  hn::StoreMaskBits(d, left, stored);
  return std::bit_cast<std::uint64_t>(stored);
}

/// Adds added(d, i) to the targets from i on, vector after vector.
template <class T, class Added>
HWY_INLINE std::size_t add_all_exactly(std::size_t size, T* targets, std::uint16_t* left, const Added& added) {
  const hn::CappedTag<double, 1> one;
  std::size_t found = 0;
  std::size_t i = 0;
  const auto note = [&](std::uint64_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      left[found++] = static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(lanes)));
    }
  };
  for (; i + width <= size; i += width) note(add_exactly(d64(), added(d64(), i), targets + i));
  for (; i < size; ++i) note(add_exactly(one, added(one, i), targets + i));
  return found;
}
template <class T>
HWY_INLINE std::size_t add_all_counts(double unit, const std::int64_t* counts, std::size_t size, T* targets, std::uint16_t* left) {
  return add_all_exactly(size, targets, left, [=](auto d, std::size_t i) HWY_ATTR {
    return in_units(d, hn::LoadU(hn::RebindToSigned<decltype(d)>(), counts + i), unit);
  });
}
template <class T>
HWY_INLINE std::size_t add_all_halves(const double* upper, const double* lower, std::size_t size, T* targets, std::uint16_t* left) {
  return add_all_exactly(size, targets, left, [=](auto d, std::size_t i) HWY_ATTR {
    return sum_of(hn::LoadU(d, upper + i), hn::LoadU(d, lower + i));
  });
}

/// What is not a number as the one that results are.
template <class D>
HWY_INLINE hn::Vec<D> canonical(D d, hn::Vec<D> x) {
  return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN()), x);
}
template <class D>
HWY_INLINE void add_rounded(D d, double unit, const std::int64_t* counts, double* targets) {
  const auto n = hn::LoadU(hn::RebindToSigned<D>(), counts);
  const auto before = hn::LoadU(d, targets);
  const auto sum = canonical(d, before + in_units(d, n, unit).nearest);
  hn::StoreU(hn::IfThenElse(hn::RebindMask(d, n == hn::Zero(hn::RebindToSigned<D>())), before, sum), d, targets);
}
template <class D>
HWY_INLINE void add_rounded(D d, double unit, const std::int64_t* counts, float* targets) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<float, D> narrow;
  const auto n = hn::LoadU(di, counts);
  const auto before = hn::LoadU(narrow, targets);
  const auto added = nearest_floats(d, to_odd(d, in_units(d, n, unit)));
  // Counts that are not zero, and normal numbers as these are, are floats that are not.
  hn::StoreU(hn::IfThenElse(added == hn::Zero(narrow), before, canonical(narrow, before + added)), narrow, targets);
}
template <class T>
HWY_INLINE void add_all_rounded(double unit, const std::int64_t* counts, std::size_t size, T* targets) {
  const hn::CappedTag<double, 1> one;
  std::size_t i = 0;
  for (; i + width <= size; i += width) add_rounded(d64(), unit, counts + i, targets + i);
  for (; i < size; ++i) add_rounded(one, unit, counts + i, targets + i);
}

/// sums += the counts from k on of all copies, and carries: how often that passed 64 bits, up or down. Whether they are all zero.
template <class D>
HWY_INLINE bool add_copies(D d, const std::int64_t* const* copies, std::size_t count, std::size_t k, std::int64_t* sums,
                           std::int64_t* carries) {
  auto sum = hn::LoadU(d, sums);
  auto carry = hn::Zero(d);
  for (std::size_t c = 0; c < count; ++c) {
    const auto more = hn::LoadU(d, copies[c] + k);
    const auto before = sum;
    sum = sum + more;
    const auto passed = hn::BroadcastSignBit(hn::And(hn::Xor(sum, before), hn::Xor(sum, more)));
    const auto sign = hn::BroadcastSignBit(sum);
    carry = carry + hn::And(passed, hn::Not(sign + sign));  // 1 where the sum became negative, else -1
  }
  hn::StoreU(sum, d, sums);
  hn::StoreU(carry, d, carries);
  return hn::AllTrue(d, carry == hn::Zero(d));
}
bool all_copies(const std::int64_t* const* copies, std::size_t count, std::size_t first, std::size_t size, std::int64_t* sums,
                std::int64_t* carries) {
  const hn::CappedTag<std::int64_t, 1> one;
  bool fit = true;
  std::size_t k = 0;
  for (; k + width <= size; k += width) fit = add_copies(i64(), copies, count, first + k, sums + k, carries + k) && fit;
  for (; k < size; ++k) fit = add_copies(one, copies, count, first + k, sums + k, carries + k) && fit;
  return fit;
}

/// Whole numbers of at most 63 bits, as such.
HWY_INLINE void to_whole_numbers(hn::Vec<d64> v, std::int64_t* to) {
#if HWY_ARCH_X86 && HWY_MAX_BYTES == 64
  hn::StoreU(hn::Vec<i64>{_mm512_cvttpd_epi64(v.raw)}, i64(), to);  // without what Highway does for more bits
#else
  double one[width];
  hn::StoreU(v, d64(), one);
  for (std::size_t k = 0; k < width; ++k) to[k] = static_cast<std::int64_t>(one[k]);
#endif
}
/// Calls take(i, v) with vectors of the elements, or of their magnitudes, from i on, zeros in place of what is not held. Bits of that.
template <class T, class Take>
HWY_INLINE std::uint64_t take_held(std::uint64_t least, std::uint64_t range, bool magnitudes, const T* x, std::size_t size,
                                   const Take& take) {
  const d64 d;
  const u64 du;
  const auto keep = hn::BitCast(d, hn::Set(du, ~(std::uint64_t{magnitudes} << 63)));
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < size; i += width) {
    const auto v = hn::And(i + width <= size ? load_wide(x + i) : load_first(x + i, size - i), keep);
    const auto twice = hn::BitCast(du, v) + hn::BitCast(du, v);
    const auto held = hn::Or(twice == hn::Zero(du), twice - hn::Set(du, least) < hn::Set(du, range));
    if (!hn::AllTrue(du, held)) {
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(du, hn::Not(held), bits);
      others |= std::uint64_t{bits[0]} << i;
    }
    take(i, hn::IfThenElseZero(hn::RebindMask(d, held), v));
  }
  return size < 64 ? others & ((std::uint64_t{1} << size) - 1) : others;
}
template <class T>
HWY_INLINE std::uint64_t count_any(const counted_range& unit, bool magnitudes, const T* x, std::size_t size, std::int64_t* counts) {
  const auto scale = hn::Set(d64(), unit.scale);
  return take_held(unit.least, unit.range, magnitudes, x, size,
                   [&](std::size_t i, hn::Vec<d64> v) HWY_ATTR { to_whole_numbers(v * scale, counts + i); });
}
#if HWY_MAX_BYTES >= 16
HWY_INLINE void add_pair(double* to, hn::Vec<hn::CappedTag<double, 2>> pair) {
  const hn::CappedTag<double, 2> two;
  hn::Store(hn::Load(two, to) + pair, two, to);
}
#else
HWY_INLINE void add_pair(double* to, double first, double second) {
  to[0] += first;
  to[1] += second;
}
#endif
/// Calls add(lane, pair) with a vector of two for each lane, or (lane, first, second) where vectors are shorter.
template <class D, class Add>
HWY_INLINE void for_each_pair([[maybe_unused]] D d, hn::Vec<D> first, hn::Vec<D> second, const Add& add) {
#if HWY_MAX_BYTES >= 16
  const hn::CappedTag<double, 2> two;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  if constexpr (lanes == 8) {
    alignas(64) double pairs[2 * lanes];
    hn::StoreInterleaved2(first, second, d, pairs);
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, hn::Load(two, pairs + 2 * lane));
  } else {
    const auto even = hn::InterleaveLower(d, first, second);
    const auto odd = hn::InterleaveUpper(d, first, second);
    if constexpr (lanes == 4) {
      add(0, hn::LowerHalf(two, even));
      add(1, hn::LowerHalf(two, odd));
      add(2, hn::UpperHalf(two, even));
      add(3, hn::UpperHalf(two, odd));
    } else {
      add(0, even);
      add(1, odd);
    }
  }
#else
  add(0, hn::GetLane(first), hn::GetLane(second));
#endif
}
template <class T>
HWY_INLINE std::uint64_t add_any(const keyed_pairs& pairs, bool magnitudes, const T* x, const std::uint32_t* keys, std::size_t size,
                                 bool& known) {
  const auto rounder = hn::Set(d64(), pairs.units.rounder);
  double* const sums = pairs.sums;
  const std::size_t count = pairs.count;
  bool all_known = true;
  const std::uint64_t others =
      take_held(pairs.units.least, pairs.units.range, magnitudes, x, size, [&](std::size_t i, hn::Vec<d64> v) HWY_ATTR {
        const auto upper = (v + rounder) - rounder;
        const auto add = [&](std::size_t lane, auto... pair) HWY_ATTR {
          const std::size_t key = keys[i + lane];
          if (key >= count) [[unlikely]] {
            all_known = false;
          } else {
            add_pair(sums + 2 * key, pair...);
          }
        };
        if (i + width <= size) [[likely]] {
          for_each_pair(d64(), upper, v - upper, add);
        } else {
          for_each_pair(d64(), upper, v - upper, [&](std::size_t lane, auto... pair) HWY_ATTR {
            if (i + lane < size) add(lane, pair...);
          });
        }
      });
  known &= all_known;
  return others;
}
bool carry_all(double rounder, double most, double* halves, std::size_t pairs) {
  const d64 d;
  const auto unit = hn::Set(d, rounder);
  auto all = hn::Zero(d) == hn::Zero(d);
  std::size_t k = 0;
  for (; k + width <= pairs; k += width) {
    hn::Vec<d64> upper;
    hn::Vec<d64> lower;
    hn::LoadInterleaved2(d, halves + 2 * k, upper, lower);
    const auto carried = (lower + unit) - unit;
    upper = upper + carried;
    hn::StoreInterleaved2(upper, lower - carried, d, halves + 2 * k);
    all = hn::And(all, hn::Abs(upper) < hn::Set(d, most));
  }
  bool room = hn::AllTrue(d, all);
  for (; k < pairs; ++k) {
    double* const pair = halves + 2 * k;
    const double carried = (pair[1] + rounder) - rounder;
    pair[0] += carried;
    pair[1] -= carried;
    room = room && std::fabs(pair[0]) < most;
  }
  return room;
}
std::uint64_t add_f64(const keyed_pairs& pairs, bool magnitudes, const double* x, const std::uint32_t* keys, std::size_t size,
                      bool& known) {
  return add_any(pairs, magnitudes, x, keys, size, known);
}
std::uint64_t add_f32(const keyed_pairs& pairs, bool magnitudes, const float* x, const std::uint32_t* keys, std::size_t size,
                      bool& known) {
  return add_any(pairs, magnitudes, x, keys, size, known);
}
std::uint64_t count_f64(const counted_range& unit, bool magnitudes, const double* x, std::size_t size, std::int64_t* counts) {
  return count_any(unit, magnitudes, x, size, counts);
}
std::uint64_t count_f32(const counted_range& unit, bool magnitudes, const float* x, std::size_t size, std::int64_t* counts) {
  return count_any(unit, magnitudes, x, size, counts);
}

std::size_t exactly_f64(double unit, const std::int64_t* counts, std::size_t size, double* targets, std::uint16_t* left) {
  return add_all_counts(unit, counts, size, targets, left);
}
std::size_t exactly_f32(double unit, const std::int64_t* counts, std::size_t size, float* targets, std::uint16_t* left) {
  return add_all_counts(unit, counts, size, targets, left);
}
std::size_t halves_f64(const double* upper, const double* lower, std::size_t size, double* targets, std::uint16_t* left) {
  return add_all_halves(upper, lower, size, targets, left);
}
std::size_t halves_f32(const double* upper, const double* lower, std::size_t size, float* targets, std::uint16_t* left) {
  return add_all_halves(upper, lower, size, targets, left);
}
void rounded_f64(double unit, const std::int64_t* counts, std::size_t size, double* targets) {
  add_all_rounded(unit, counts, size, targets);
}
void rounded_f32(double unit, const std::int64_t* counts, std::size_t size, float* targets) {
  add_all_rounded(unit, counts, size, targets);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(count_f64);
HWY_EXPORT(count_f32);
HWY_EXPORT(add_f64);
HWY_EXPORT(add_f32);
HWY_EXPORT(carry_all);
HWY_EXPORT(all_copies);
HWY_EXPORT(exactly_f64);
HWY_EXPORT(exactly_f32);
HWY_EXPORT(halves_f64);
HWY_EXPORT(halves_f32);
HWY_EXPORT(rounded_f64);
HWY_EXPORT(rounded_f32);
std::uint64_t count_elements(const counted_range& unit, bool magnitudes, const double* x, std::size_t size, std::int64_t* counts) {
  return HWY_DYNAMIC_DISPATCH(count_f64)(unit, magnitudes, x, size, counts);
}
std::uint64_t count_elements(const counted_range& unit, bool magnitudes, const float* x, std::size_t size, std::int64_t* counts) {
  return HWY_DYNAMIC_DISPATCH(count_f32)(unit, magnitudes, x, size, counts);
}
std::uint64_t add_elements(const keyed_pairs& pairs, bool magnitudes, const double* x, const std::uint32_t* keys, std::size_t size,
                           bool& known) {
  return HWY_DYNAMIC_DISPATCH(add_f64)(pairs, magnitudes, x, keys, size, known);
}
std::uint64_t add_elements(const keyed_pairs& pairs, bool magnitudes, const float* x, const std::uint32_t* keys, std::size_t size,
                           bool& known) {
  return HWY_DYNAMIC_DISPATCH(add_f32)(pairs, magnitudes, x, keys, size, known);
}
bool carry_pairs(double rounder, double most, double* halves, std::size_t pairs) {
  return HWY_DYNAMIC_DISPATCH(carry_all)(rounder, most, halves, pairs);
}
bool sum_copies(const std::int64_t* const* copies, std::size_t count, std::size_t first, std::size_t size, std::int64_t* sums,
                std::int64_t* carries) {
  return HWY_DYNAMIC_DISPATCH(all_copies)(copies, count, first, size, sums, carries);
}
std::size_t add_counts(double unit, const std::int64_t* counts, std::size_t size, double* targets, std::uint16_t* left) {
  return HWY_DYNAMIC_DISPATCH(exactly_f64)(unit, counts, size, targets, left);
}
std::size_t add_counts(double unit, const std::int64_t* counts, std::size_t size, float* targets, std::uint16_t* left) {
  return HWY_DYNAMIC_DISPATCH(exactly_f32)(unit, counts, size, targets, left);
}
std::size_t add_halves(const double* upper, const double* lower, std::size_t size, double* targets, std::uint16_t* left) {
  return HWY_DYNAMIC_DISPATCH(halves_f64)(upper, lower, size, targets, left);
}
std::size_t add_halves(const double* upper, const double* lower, std::size_t size, float* targets, std::uint16_t* left) {
  return HWY_DYNAMIC_DISPATCH(halves_f32)(upper, lower, size, targets, left);
}
void add_rounded_counts(double unit, const std::int64_t* counts, std::size_t size, double* targets) {
  HWY_DYNAMIC_DISPATCH(rounded_f64)(unit, counts, size, targets);
}
void add_rounded_counts(double unit, const std::int64_t* counts, std::size_t size, float* targets) {
  HWY_DYNAMIC_DISPATCH(rounded_f32)(unit, counts, size, targets);
}

}  // namespace accrue::kernels
#endif
