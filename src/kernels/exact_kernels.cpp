// SPDX-License-Identifier: BSD-3-Clause
// The vector kernels of exact sums: splitting proven by the exception flags; windows are in windows-inl.hpp.
#include "exact_kernels.hpp"

#include <bit>

#include "accrue/detail/extraction.hpp"
#include "exception_flags.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exact_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "split_sums-inl.hpp"
#include "windows-inl.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// True if every lane of every vector is finite.
template <std::size_t count>
HWY_INLINE bool all_finite(const hn::Vec<d64> (&v)[count]) {
  const d64 d;
  auto sum = hn::Zero(d);
  for (std::size_t u = 0; u < count; ++u) sum = sum + (v[u] - v[u]);  // 0 for a finite value, NaN otherwise
  return hn::AllTrue(d, sum == sum);
}

/// Vectors of each half of the split lanes that a kernel keeps in registers.
inline constexpr std::size_t split_unroll = width == 4 ? 6 : 4;
static_assert(split_unroll * width <= split_lanes::count);

template <class Terms>
HWY_INLINE bool split(split_lanes& lanes, Terms terms) {
  const d64 d;
  split_lanes out;
  const exception_flags flags;
  hn::Vec<d64> high[split_unroll];
  hn::Vec<d64> low[split_unroll];
  for (std::size_t u = 0; u < split_unroll; ++u) {
    high[u] = hn::Load(d, lanes.high + u * width);
    low[u] = hn::Load(d, lanes.low + u * width);
  }
  for_each_step_in_halves<split_unroll>(terms, [&](const auto& t, const auto& at) HWY_ATTR { split_step(t, at, high, low); });
  for (std::size_t u = 0; u < split_unroll; ++u) {
    hn::Store(high[u], d, out.high + u * width);
    hn::Store(low[u], d, out.low + u * width);
  }
  if (flags.rounded(&out) || !all_finite(high) || !all_finite(low)) return false;
  for (std::size_t u = 0; u < split_unroll; ++u) {
    hn::Store(high[u], d, lanes.high + u * width);
    hn::Store(low[u], d, lanes.low + u * width);
  }
  return true;
}

/// Whether the lanes' sums and their own are finite.
HWY_INLINE bool finite(double high, double low) { return high - high == 0 && low - low == 0; }

// The exponents of the smallest and the largest term may prove that no addition rounds: n terms below 2^(E + 1), all multiples of the
// last bit of the smallest, stay below 2^53 such units in either half. That takes twice the operations of a proof by flags, which costs
// more for few terms: processors are slow to raise again a flag that was lowered.
template <std::size_t unroll, class Terms>
HWY_INLINE bool total_by_exponents(Terms terms, double& upper, double& lower) {
  const d64 d;
  using V = hn::Vec<d64>;
  V high[unroll];
  V low[unroll];
  for (std::size_t u = 0; u < unroll; ++u) high[u] = low[u] = hn::Zero(d);
  V largest = hn::Zero(d);
  V smallest = hn::Inf(d);
  for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    split_step(t, in_row(i), high, low);
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      const V x = hn::Abs(t.load(i + u * width));
      largest = hn::Max(largest, x);
      smallest = hn::Min(smallest, hn::IfThenElse(x == hn::Zero(d), hn::Inf(d), x));
    }
  });
  for (std::size_t u = 1; u < unroll; ++u) {
    high[0] = high[0] + high[u];
    low[0] = low[0] + low[u];
  }
  const auto field = [](double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52); };
  const int least = field(hn::GetLane(hn::MinOfLanes(d, smallest)));
  const int spread = field(hn::GetLane(hn::MaxOfLanes(d, largest))) - (least != 0 ? least : 1);
  upper = hn::GetLane(hn::SumOfLanes(d, high[0]));
  lower = hn::GetLane(hn::SumOfLanes(d, low[0]));
  // The halves have units 27 bits apart; a float's double has 29 zeros at its end, and no lower half.
  return spread + static_cast<int>(std::bit_width(terms.tile.size)) <= (Terms::short_terms ? 29 : 26) && finite(upper, lower);
}

template <class Terms>
HWY_INLINE bool total_by_flags(Terms terms, double& upper, double& lower) {
  const d64 d;
  double out[2];
  const exception_flags flags;
  hn::Vec<d64> high[split_unroll];
  hn::Vec<d64> low[split_unroll];
  for (std::size_t u = 0; u < split_unroll; ++u) high[u] = low[u] = hn::Zero(d);
  for_each_step<split_unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    t.prefetch(i, split_unroll);
    split_step(t, in_row(i), high, low);
  });
  for (std::size_t u = 1; u < split_unroll; ++u) {
    high[0] = high[0] + high[u];
    low[0] = low[0] + low[u];
  }
  out[0] = hn::GetLane(hn::SumOfLanes(d, high[0]));
  out[1] = hn::GetLane(hn::SumOfLanes(d, low[0]));
  if (flags.rounded(out) || !finite(out[0], out[1])) return false;
  upper = out[0];
  lower = out[1];
  return true;
}
template <class Terms>
HWY_INLINE bool total(Terms terms, double& upper, double& lower) {
  const std::size_t size = terms.tile.size;
  if (size <= 2 * width) {
    if (total_by_exponents<1>(terms, upper, lower)) return true;
  } else if (size <= most_terms_by_exponents) {
    if (total_by_exponents<split_unroll>(terms, upper, lower)) return true;
  }
  return exception_flags_work() && total_by_flags(terms, upper, lower);
}

/// Calls `visit` with the terms of a tile that are single doubles; answers false where they are not.
template <class T, class Visit>
HWY_INLINE bool visit_single(term what, const operands<T>& tile, Visit visit) {
  switch (what) {
    case term::value: return visit(terms<term::value, T>{tile});
    case term::magnitude: return visit(terms<term::magnitude, T>{tile});
    case term::square:
      if constexpr (sizeof(T) == 4) return visit(terms<term::square, T>{tile});
      break;
    case term::product:
      if constexpr (sizeof(T) == 4) return visit(terms<term::product, T>{tile});
      break;
  }
  return false;
}

template <class T>
HWY_INLINE bool split_any(split_lanes& lanes, term what, operands<T> tile) {
  return visit_single(what, tile, [&](auto terms) HWY_ATTR { return split(lanes, terms); });
}

template <class T>
HWY_INLINE bool total_any(term what, const operands<T>& tile, double& high, double& low) {
  return visit_single(what, tile, [&](auto terms) HWY_ATTR __attribute__((always_inline)) { return total(terms, high, low); });
}

template <class Terms>
bool windows_any_depth(window_totals& state, Terms terms) {
  switch (state.depth) {
    case 2: return windows<2>(state, terms);
    case 3: return windows<3>(state, terms);
    case 4: return windows<4>(state, terms);
    default: return windows<deepest_windows>(state, terms);
  }
}

/// Calls `visit` with the terms of a tile.
template <class T, class Visit>
HWY_INLINE bool visit_terms(term what, const operands<T>& tile, Visit visit) {
  switch (what) {
    case term::value: return visit(terms<term::value, T>{tile});
    case term::magnitude: return visit(terms<term::magnitude, T>{tile});
    case term::square: return visit(terms<term::square, T>{tile});
    case term::product: return visit(terms<term::product, T>{tile});
  }
  return false;
}
template <class T>
bool windows_any(window_totals& state, term what, operands<T> tile) {
  return visit_terms(what, tile, [&](auto terms) HWY_ATTR { return windows_any_depth(state, terms); });
}
template <class T>
bool short_any(window_totals& state, term what, const operands<T>& tile) {
  return visit_terms(what, tile, [&](auto terms) HWY_ATTR __attribute__((always_inline)) { return short_terms(state, terms); });
}

template <class Terms>
int exponent_of(Terms terms) {
  const d64 d;
  auto largest = hn::Zero(u64());
  auto nan = hn::Zero(d);
  for_each_step<1>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    const auto x = hn::Abs(t.load(i));
    nan = nan + (x - x);
    const auto bits = hn::BitCast(u64(), x);
    largest = hn::Max(largest, bits);
  });
  if (!hn::AllTrue(d, nan == nan)) return 1024;
  const std::uint64_t bits = hn::GetLane(hn::MaxOfLanes(u64(), largest));
  return bits == 0 ? no_exponent : static_cast<int>(bits >> 52) - 1023;
}

template <class T>
int exponent_any(term what, operands<T> tile) {
  switch (what) {
    case term::value:
    case term::magnitude: return exponent_of(terms<term::value, T>{tile});
    case term::square: return exponent_of(terms<term::square, T>{tile});
    case term::product: return exponent_of(terms<term::product, T>{tile});
  }
  return 1024;
}

void bins_f64(exponent_bins& bins, const double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(x[i]);
    exponent_bins::pair& bin = bins.bin[bits >> 52];
    constexpr std::uint64_t low_mask = (std::uint64_t{1} << exponent_bins::low_bits) - 1;
    constexpr std::uint64_t one = std::uint64_t{1} << exponent_bins::count_shift;
#if HWY_MAX_BYTES == 8
    bin.low += (bits & low_mask) + one;
    bin.high += (bits >> exponent_bins::low_bits) & 0xffffffffu;
#else
    const hn::Full128<std::uint64_t> d;
    alignas(16) static constexpr std::uint64_t shifts[2] = {0, exponent_bins::low_bits};
    alignas(16) static constexpr std::uint64_t masks[2] = {low_mask, 0xffffffffu};
    alignas(16) static constexpr std::uint64_t counts[2] = {one, 0};
    const auto parts = hn::Or(hn::And(hn::Shr(hn::Set(d, bits), hn::Load(d, shifts)), hn::Load(d, masks)), hn::Load(d, counts));
    auto* p = reinterpret_cast<std::uint64_t*>(&bin);
    hn::Store(hn::Load(d, p) + parts, d, p);
#endif
  }
}

bool split_f32(split_lanes& lanes, term what, operands<float> tile) { return split_any(lanes, what, tile); }
bool split_f64(split_lanes& lanes, term what, operands<double> tile) { return split_any(lanes, what, tile); }
bool total_f32(term what, const operands<float>& tile, double& high, double& low) { return total_any(what, tile, high, low); }
bool total_f64(term what, const operands<double>& tile, double& high, double& low) { return total_any(what, tile, high, low); }
bool windows_f32(window_totals& state, term what, operands<float> tile) { return windows_any(state, what, tile); }
bool windows_f64(window_totals& state, term what, operands<double> tile) { return windows_any(state, what, tile); }
bool short_f32(window_totals& state, term what, const operands<float>& tile) { return short_any(state, what, tile); }
bool short_f64(window_totals& state, term what, const operands<double>& tile) { return short_any(state, what, tile); }
int exponent_f32(term what, operands<float> tile) { return exponent_any(what, tile); }
int exponent_f64(term what, operands<double> tile) { return exponent_any(what, tile); }

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(bins_f64);
HWY_EXPORT(split_f32);
HWY_EXPORT(split_f64);
HWY_EXPORT(total_f32);
HWY_EXPORT(total_f64);
HWY_EXPORT(windows_f32);
HWY_EXPORT(windows_f64);
HWY_EXPORT(short_f32);
HWY_EXPORT(short_f64);
HWY_EXPORT(exponent_f32);
HWY_EXPORT(exponent_f64);

void add_to_bins(exponent_bins& bins, const double* x, std::size_t count) { HWY_DYNAMIC_DISPATCH(bins_f64)(bins, x, count); }
bool split_fold(split_lanes& lanes, term what, operands<float> tile) {
  return HWY_DYNAMIC_DISPATCH(split_f32)(lanes, what, tile);
}
bool split_fold(split_lanes& lanes, term what, operands<double> tile) {
  return HWY_DYNAMIC_DISPATCH(split_f64)(lanes, what, tile);
}
namespace {

/// The total of a tile that `into_windows` takes.
template <class T, class IntoWindows>
bool window_total(term what, const operands<T>& tile, short_total& total, IntoWindows into_windows) {
  window_totals windows;
  if (tile.size > exact_accumulator::largest_tile || !into_windows(windows, what, tile)) return false;
  total.high = total.low = 0;
  for (int j = 0; j < windows.depth; ++j) {
    const int unit = windows.top - j * detail::window_step - 52;
    total.part[total.part_count++] = {windows.total[j], unit};
    if (sizeof(T) == 8 && is_product(what)) total.part[total.part_count++] = {windows.error[j], unit - detail::error_offset};
  }
  return true;
}

}  // namespace

// Squares of many floats seldom lie close enough together for a pair.
bool tile_total(term what, const operands<float>& tile, short_total& total) {
  total.part_count = 0;
  const bool may_be_pair = what != term::square || tile.size <= most_terms_by_exponents;
  if (may_be_pair && HWY_DYNAMIC_DISPATCH(total_f32)(what, tile, total.high, total.low)) return true;
  return window_total(what, tile, total, HWY_DYNAMIC_DISPATCH(short_f32));
}
bool tile_total(term what, const operands<double>& tile, short_total& total) {
  total.part_count = 0;
  if (!is_product(what) && HWY_DYNAMIC_DISPATCH(total_f64)(what, tile, total.high, total.low)) return true;
  return window_total(what, tile, total, HWY_DYNAMIC_DISPATCH(short_f64));
}
bool window_fold(window_totals& windows, term what, operands<float> tile) {
  return HWY_DYNAMIC_DISPATCH(windows_f32)(windows, what, tile);
}
bool window_fold(window_totals& windows, term what, operands<double> tile) {
  return HWY_DYNAMIC_DISPATCH(windows_f64)(windows, what, tile);
}
int largest_exponent(term what, operands<float> tile) { return HWY_DYNAMIC_DISPATCH(exponent_f32)(what, tile); }
int largest_exponent(term what, operands<double> tile) { return HWY_DYNAMIC_DISPATCH(exponent_f64)(what, tile); }

}  // namespace accrue::kernels
#endif
