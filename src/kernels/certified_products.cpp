// SPDX-License-Identifier: BSD-3-Clause
// Sums of products with a bound for their errors, and of numbers beside their squares. Of doubles in one window and a double for what it
// loses, whose own roundings have a bound: 5 operations a vector, 4 of squares. Of floats in one double.
#include <bit>
#include <cmath>
#include <type_traits>

#include "exact_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certified_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "terms-inl.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Sums in lanes of two: a window w, which starts at 3/2 of the power of two 2^top, and l. A number p makes w' = w + p, rounded; w' - w is
/// exact where both lie in the window's binade; and l takes p - (w' - w), which is below half of the window's unit u = 2^(top - 52) and,
/// of products, rounded. So n additions to a lane leave errors of at most 2^-54 u for each of these, and of k 2^-54 u for the k-th
/// addition to l.
template <std::size_t unroll>
struct window_lanes {
  using V = hn::Vec<d64>;
  static constexpr std::size_t lanes = unroll * width;
  static constexpr std::size_t most_additions = largest_certified_block / lanes;

  int top;
  V anchor;
  V window[unroll];
  V left[unroll];

  explicit HWY_INLINE window_lanes(int top_)
      : top(top_), anchor(hn::BitCast(d64(), hn::Set(u64(), static_cast<std::uint64_t>(top + 1023) << 52 | std::uint64_t{1} << 51))) {
    for (std::size_t u = 0; u < unroll; ++u) {
      window[u] = anchor;
      left[u] = hn::Zero(d64());
    }
  }
  HWY_INLINE void add(std::size_t u, V x) {
    const V next = window[u] + x;
    left[u] = fused_add(left[u], fused_subtract(x, next - window[u]));
    window[u] = next;
  }
  template <class Part>
  HWY_INLINE void add_product(std::size_t u, const Part& t, std::size_t i) {
    V lost;
    window[u] = t.add_product(window[u], i, lost);
    left[u] = left[u] + lost;
  }
  /// Bits of sign and exponent by which a window differs from where it started.
  [[nodiscard]] HWY_INLINE V moved(std::size_t u) const { return hn::Xor(window[u], anchor); }
  HWY_INLINE void give(certified_block& block) const {
    constexpr double additions = double{most_additions};
    // And of the additions of lanes: of at most `lanes` numbers of `additions` half units. Twice all that.
    constexpr double errors = 2 * (lanes * additions * (additions + 3) / 2 + lanes * lanes * additions) * 0x1p-54;
    auto count = hn::Zero(i64());
    V rest = left[0];
    for (std::size_t u = 0; u < unroll; ++u) {
      count = count + (hn::BitCast(i64(), window[u]) - hn::BitCast(i64(), anchor));
      if (u != 0) rest = rest + left[u];
    }
    block.count = hn::GetLane(hn::SumOfLanes(i64(), count));
    block.unit = top - 52;
    block.rest = hn::GetLane(hn::SumOfLanes(d64(), rest));
    block.error = errors * std::bit_cast<double>(static_cast<std::uint64_t>(block.unit + 1023) << 52);
  }
};
HWY_INLINE bool no_binade_left(hn::Vec<d64> moved) {
  const auto binade = hn::Set(u64(), std::uint64_t{0xfff} << 52);
  return hn::AllTrue(u64(), hn::And(hn::BitCast(u64(), moved), binade) == hn::Zero(u64()));
}

template <class Terms>
HWY_INLINE bool certified(certified_block& block, int top, Terms terms) {
  if constexpr (!HWY_NATIVE_FMA) return false;
  constexpr std::size_t unroll = 4;
  window_lanes<unroll> sum(top);
  hn::Vec<d64> moved = hn::Zero(d64());  // ever; of squares at last, as their windows grow
  for_each_step_in_halves<unroll>(terms, [&](const auto& t, const auto& at) HWY_ATTR {
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      sum.add_product(u, t, at(u));
      if constexpr (!Terms::never_negative) moved = hn::Or(moved, sum.moved(u));
    }
  });
  for (std::size_t u = 0; u < unroll; ++u) moved = hn::Or(moved, sum.moved(u));
  if (!no_binade_left(moved)) return false;
  sum.give(block);
  return true;
}

/// The sums of a block's doubles and of their squares, whose windows start at 2^top. Where these stay in their binade, all elements are
/// below 2^(top / 2), and so many of them in a lane do not move a window that is so much higher.
bool both_f64(certified_block& values, certified_block& squares, int top, const operands<double>& tile) {
  if constexpr (!HWY_NATIVE_FMA) return false;
  constexpr std::size_t unroll = width == 8 ? 4 : 2;  // there are registers
  using lanes = window_lanes<unroll>;
  lanes sum(top / 2 + 3 + static_cast<int>(std::bit_width(lanes::most_additions)));
  lanes sum_of_squares(top);
  for_each_step_in_halves<unroll>(terms<term::square, double>{tile}, [&](const auto& t, const auto& at) HWY_ATTR {
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      sum.add(u, t.factor(at(u)));
      sum_of_squares.add_product(u, t, at(u));
    }
  });
  hn::Vec<d64> moved = hn::Zero(d64());
  for (std::size_t u = 0; u < unroll; ++u) moved = hn::Or(moved, sum_of_squares.moved(u));
  if (!no_binade_left(moved)) return false;
  sum.give(values);
  sum_of_squares.give(squares);
  return true;
}

/// A bound as a power of two that is no smaller than `least`, so that exact sums of floats, or of their squares, have bits for it.
HWY_INLINE double without_low_bits(double bound, double least) {
  if (bound == 0) return 0;
  const double power = 2 * std::bit_cast<double>(std::bit_cast<std::uint64_t>(bound) & std::uint64_t{0x7ff} << 52);
  return power > least ? power : least;
}
/// The sum of squares of floats, which are exact as doubles and of one sign, and the sum of the floats unless `values` is null. The k-th
/// addition to a lane loses at most 2^-53 of it; no sum of n magnitudes is larger than the root of n times their squares.
bool both_f32(certified_block* values, certified_block& squares, const operands<float>& tile) {
  const d64 d;
  using V = hn::Vec<d64>;
  constexpr std::size_t unroll = 4;
  constexpr std::size_t lanes = unroll * width;
  constexpr double additions = double{largest_certified_block} / lanes + lanes;  // of a block, and of lanes
  constexpr double error = 2 * additions * 0x1p-53;                              // twice that
  V sum_of_squares[unroll];
  V sum[unroll];
  for (std::size_t u = 0; u < unroll; ++u) sum_of_squares[u] = sum[u] = hn::Zero(d);
  const auto add_all = [&](auto with_values) HWY_ATTR __attribute__((always_inline)) {
    for_each_step_in_halves<unroll>(terms<term::value, float>{tile}, [&](const auto& t, const auto& at) HWY_ATTR {
      ACCRUE_UNROLL
      for (std::size_t u = 0; u < unroll; ++u) {
        const V x = t.load(at(u));
        sum_of_squares[u] = hn::MulAdd(x, x, sum_of_squares[u]);
        if constexpr (with_values) sum[u] = sum[u] + x;
      }
    });
  };
  if (values != nullptr) {
    add_all(std::true_type{});
  } else {
    add_all(std::false_type{});
  }
  for (std::size_t u = 1; u < unroll; ++u) {
    sum_of_squares[0] = sum_of_squares[0] + sum_of_squares[u];
    sum[0] = sum[0] + sum[u];
  }
  const double total = hn::GetLane(hn::SumOfLanes(d, sum_of_squares[0]));
  squares = {0, 0, total, without_low_bits(error * total, 0x1p-288)};
  if (values != nullptr) {
    const double most = error * std::sqrt(static_cast<double>(tile.size) * total);
    *values = {0, 0, hn::GetLane(hn::SumOfLanes(d, sum[0])), without_low_bits(most, 0x1p-139)};
  }
  return total - total == 0;
}

bool has_fused_operations() { return HWY_NATIVE_FMA != 0; }

bool products_f64(certified_block& block, int top, term what, const operands<double>& tile) {
  return what == term::square ? certified(block, top, terms<term::square, double>{tile})
                              : certified(block, top, terms<term::product, double>{tile});
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(products_f64);
HWY_EXPORT(both_f64);
HWY_EXPORT(both_f32);
HWY_EXPORT(has_fused_operations);

namespace {

/// Calls `add` with the top of windows: that of the block before, or one that suits this.
template <class Add>
bool with_top(certified_block& block, int& top, term what, const operands<double>& tile, const Add& add) {
  constexpr int most = 900;  // such that neither windows nor units leave the normal range
  if (top != no_top && add(top)) return true;
  const int largest = largest_exponent(what, tile);
  if (largest == no_exponent) {  // all products are zero, or too small for a double
    block = {0, 0, 0, 0};
    const auto are_zero = [&](const double* x) { return largest_exponent(term::value, {x, nullptr, tile.size}) == no_exponent; };
    return are_zero(tile.x) || (what == term::product && are_zero(tile.y));
  }
  // As many additions as a block has, and four times more.
  const int wanted = largest + 3 + static_cast<int>(std::bit_width(largest_certified_block / 8));
  if (largest > most || largest < -most || wanted == top) return false;
  top = wanted;
  return add(top);
}

}  // namespace

bool products_can_be_certified() { return HWY_DYNAMIC_DISPATCH(has_fused_operations)(); }

bool certified_products(certified_block& block, int& top, term what, const operands<double>& tile) {
  return with_top(block, top, what, tile, [&](int t) { return HWY_DYNAMIC_DISPATCH(products_f64)(block, t, what, tile); });
}
bool certified_products(certified_block& block, int&, term, const operands<float>& tile) {
  return HWY_DYNAMIC_DISPATCH(both_f32)(nullptr, block, tile);
}
bool certified_moments(certified_block& values, certified_block& squares, int& top, const operands<double>& tile) {
  values = {0, 0, 0, 0};
  return with_top(squares, top, term::square, tile, [&](int t) { return HWY_DYNAMIC_DISPATCH(both_f64)(values, squares, t, tile); });
}
bool certified_moments(certified_block& values, certified_block& squares, int&, const operands<float>& tile) {
  return HWY_DYNAMIC_DISPATCH(both_f32)(&values, squares, tile);
}

}  // namespace accrue::kernels
#endif
