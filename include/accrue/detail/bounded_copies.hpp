// SPDX-License-Identifier: BSD-3-Clause
// Private copies of an array of targets as integers of 128 bits, whose unit follows from the largest contribution that the caller states.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "accrue/detail/exact_copies.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/rounding.hpp"
#include "accrue/detail/to_fixed.hpp"
#include "accrue/reducers/exact_terms.hpp"

namespace accrue::detail {

/// Counts of units for doubles up to a bound: in any rounding mode, and with subnormal numbers taken for zero.
class bounded_units {
 public:
  bounded_units() = default;
  explicit bounded_units(double largest)
      : unit_(wide_fixed_unit(largest)), scale_(std::ldexp(1.0, -unit_)), most_(std::bit_cast<std::uint64_t>(largest) * 2) {}

  /// The multiple of the unit nearest to x, ties to even. False for what is beyond the bound, no number, or would vanish.
  [[nodiscard]] bool count(double x, std::int64_t& units) const {
    const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(x) * 2;
    if (magnitude > most_) [[unlikely]] return false;
    // A whole part below 2^62 and twice the rest, which no rounding mode changes, and whose whole part is -1, 0 or 1.
    const double scaled = opaque(x * scale_);
    const auto whole = static_cast<std::int64_t>(scaled);
    const double rest = opaque(scaled - static_cast<double>(whole));
    const double twice = opaque(rest + rest);
    const auto up = static_cast<std::int64_t>(twice);
    const bool tie = static_cast<double>(up) == twice;
    units = whole + (up & -static_cast<std::int64_t>((whole & 1) != 0 || !tie));
    return units != 0 || magnitude == 0;
  }
  /// target + units, each rounded once. A target to which they add zero stays as it is.
  template <class T>
  void add_to(T& target, int128 units) const {
    if (units == 0) return;
    const auto magnitude = static_cast<uint128>(units < 0 ? -units : units);
    target = canonical_nan(target + round_to<T>(truncated{magnitude, unit_, false}, units < 0));
  }

 private:
  int unit_ = 0;
  double scale_ = 0;
  std::uint64_t most_ = 0;
};

using bounded_copies = private_copies<int128>;

}  // namespace accrue::detail
