// SPDX-License-Identifier: BSD-3-Clause
// The thread-private accumulator of an exact floating sum on a CPU, and the compiled kernels that fill it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "accrue/detail/look_ahead.hpp"
#include "accrue/detail/narrow_accumulator.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::kernels {

/// What is summed for each element: x, |x|, x^2 or x*y.
enum class term : std::uint8_t { value, magnitude, square, product };
constexpr bool is_product(term what) { return what == term::square || what == term::product; }

/// One or two input arrays of equal length; `y` is read for products only.
template <class T>
struct operands {
  const T* x;
  const T* y;
  std::size_t size;
  look_ahead next = {};  ///< asked for meanwhile

  [[nodiscard]] constexpr operands part(std::size_t begin, std::size_t count) const {
    return {x + begin, y != nullptr ? y + begin : nullptr, count, next.behind(begin * sizeof(T))};
  }
};

/// Sums in lanes that are exact while the inexact flag stays down: the upper 26 bits of each element in `high`, the rest in `low`.
struct split_lanes {
  static constexpr std::size_t count = 32;
  alignas(64) double high[count];
  alignas(64) double low[count];
};

/// The deepest stack of windows; data spread wider goes to exponent bins.
inline constexpr int deepest_windows = 6;

/// Windows (see extraction.hpp) read off into integers: total[j] counts units of window j, error[j] those of the stack that
/// takes the rounding errors of products.
struct window_totals {
  int top;    ///< exponent of the top window's anchor
  int depth;  ///< windows in use; 0 when none are set
  int folds;  ///< tiles added since the totals were zero
  std::int64_t total[deepest_windows];
  std::int64_t error[deepest_windows];
};

struct exponent_bins;
struct bins_deleter {
  void operator()(exponent_bins* bins) const noexcept;
};

/// How an accumulator takes its tiles. It starts at the cheapest way and moves on when data refuse it; the value never depends
/// on the way taken.
///  - split: 4 operations a vector; elements of a thread within about 20 binades of each other;
///  - windows: 10 operations and more; tiles within 35 to 220 binades;
///  - bins: one addition into a table by exponent for each element; anything finite.
class exact_accumulator {
 public:
  enum class way : std::uint8_t { split, windows, bins };

  exact_accumulator();

  /// Adds the terms of a tile of any size, or leaves everything as it was and answers false. The dearer ways take at most
  /// `largest_tile` elements at a time; `refold` cuts longer tiles.
  template <native_float T>
  [[nodiscard]] bool fold(term what, operands<T> tile);
  /// Adds the terms of a tile that `fold` refused, with `sink` for what the accumulator has no room for.
  template <native_float T>
  void refold(detail::limb_sink sink, term what, operands<T> tile);
  /// Moves everything into `sink` and leaves the accumulator empty.
  void drain(detail::limb_sink sink);

  static constexpr std::size_t largest_tile = 4096;

  /// What adds tiles of 16-bit floats, apart from those that were widened.
  narrow_accumulator narrow;

 private:
  template <native_float T>
  bool fold_windows(term what, operands<T> tile);
  template <native_float T>
  bool fold_bins(term what, operands<T> tile);
  void move_to(way dearer);
  void drain_split(detail::limb_sink sink);
  void drain_windows(detail::limb_sink sink);

  split_lanes lanes_;
  window_totals windows_;
  way way_;
  std::uint8_t refusals_;       ///< tiles in a row that the present way refused
  std::uint16_t backoff_;       ///< tiles until a cheaper way is tried again
  std::uint16_t next_backoff_;  ///< what the backoff will be at the next move
  std::uint32_t split_folds_;    ///< tiles in the split lanes
  std::uint32_t split_limit_;    ///< tiles after which they are drained
  std::unique_ptr<exponent_bins, bins_deleter> bins_;
};

/// Windows of a short tile, at most.
inline constexpr int most_short_windows = 3;

/// The total of a tile: high + low, or where part_count is above zero the sum of so many parts.
struct short_total {
  double high = 0;
  double low = 0;
  std::size_t part_count = 0;
  detail::scaled_integer part[2 * most_short_windows];

  /// Calls `use` with what adds up to the total.
  template <class Use>
  auto with_parts(const Use& use) const {
    if (part_count != 0) return use(std::span(part, part_count));
    const detail::scaled_integer pair[2] = {detail::to_scaled_integer(high), detail::to_scaled_integer(low)};
    return use(std::span<const detail::scaled_integer>(pair));
  }
};
/// The short way for short inputs; false where a tile does not allow it.
bool tile_total(term what, const operands<float>& tile, short_total& total);
bool tile_total(term what, const operands<double>& tile, short_total& total);

/// Elements of a block of `certified_products`, at most.
inline constexpr std::size_t largest_certified_block = 4096;
inline constexpr int no_top = -5000;
/// The sum of a block's products: count * 2^unit + rest, off by at most `error`.
struct certified_block {
  std::int64_t count;
  int unit;
  double rest;
  double error;
};
/// Whether this processor has the fused operations for it.
bool products_can_be_certified();
/// Adds up squares, or products, of a block of doubles to within 2^-62 of the largest of them, or of the blocks before. `top`: from block
/// to block, at first `no_top`. False, and nothing of use in `block`, where an element is no number, products are too large or too small,
/// or the processor has no fused operations.
bool certified_products(certified_block& block, int& top, term what, const operands<double>& tile);
/// Squares of floats, to within 2^-40 of their sum or 2^-288. False where they are not finite.
bool certified_products(certified_block& block, int& top, term what, const operands<float>& tile);
/// The same, and the elements themselves: doubles to within 2^-62 of the root of the largest square, n floats to within 2^-40 of the root
/// of n times their squares, or 2^-139.
bool certified_moments(certified_block& values, certified_block& squares, int& top, const operands<double>& tile);
bool certified_moments(certified_block& values, certified_block& squares, int& top, const operands<float>& tile);

}  // namespace accrue::kernels
