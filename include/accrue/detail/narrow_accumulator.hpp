// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of 16-bit floats on a CPU where they lie close together: as integers of one unit, without widening them first.
#pragma once

#include "accrue/detail/rounding.hpp"
#include "accrue/element.hpp"

namespace accrue::detail {
struct limb_sink;
}
namespace accrue::kernels {

enum class term : std::uint8_t;
template <class T>
struct operands;

/// Before the first tile.
inline constexpr int no_unit = 1 << 20;

/// A sum of integers that count a power of two.
class narrow_accumulator {
 public:
  /// Elements of a tile, at most.
  static constexpr std::size_t largest_tile = 4096;

  /// Adds the terms of a tile, or leaves everything as it was and answers false: for tiles whose elements are not multiples of some 2^u
  /// below 2^(u + 27), and where the processor has no vectors for them.
  template <small_float T>
  [[nodiscard]] bool fold(term what, operands<T> tile);
  /// The same for a tile's elements and their squares.
  template <small_float T>
  [[nodiscard]] static bool fold_both(narrow_accumulator& values, narrow_accumulator& squares, operands<T> tile);
  /// Moves everything into `sink`.
  void drain(const detail::limb_sink& sink);

 private:
  [[nodiscard]] bool has_room(detail::int128 sum, int unit) const;
  void add(detail::int128 sum, int unit);
  /// Whether a tile should be tried, after others in vain.
  [[nodiscard]] bool tries();
  bool tried(bool held);

  detail::int128 total_ = 0;
  int unit_ = 0;                ///< the exponent of what `total_` counts
  int tile_unit_[2] = {no_unit, no_unit};  ///< that of the last tile's elements, of x and of y
  std::uint16_t pause_ = 0;     ///< tiles until one is tried again
  std::uint16_t next_pause_ = 0;
};

}  // namespace accrue::kernels
