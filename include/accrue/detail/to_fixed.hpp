// SPDX-License-Identifier: BSD-3-Clause
// From floating point to fixed point by integer arithmetic alone, which no compiler flag of a consumer's can change.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "accrue/detail/rounding.hpp"
#include "accrue/element.hpp"
#include "accrue/error.hpp"

namespace accrue::detail {

/// The exponent of the unit for contributions up to `largest`: room for 2^11 of them as large as that, and a sign, in 64 bits; for
/// `largest` 0, the unit of integers of 128 bits. Throws `invalid_argument` for a bound outside 2^-900 to 2^900.
inline int fixed_unit(double largest) {
  if (largest == 0) return -64;
  if (!(largest >= 0x1p-900 && largest <= 0x1p900)) {
    throw error(errc::invalid_argument, "accrue: the bound of fixed_point must be 0 or between 2^-900 and 2^900");
  }
  return std::ilogb(largest) + 1 - 51;
}

/// The exponent of the unit where a contribution up to `largest` has 62 bits and sums have 128. Throws as `fixed_unit`.
inline int wide_fixed_unit(double largest) { return fixed_unit(largest) + 51 - 62; }

/// The multiple of 2^exponent nearest to x, ties to even, as a count of units. False, and no count, for NaN, infinities, and counts
/// of 2^126 or more.
constexpr bool to_fixed(double x, int exponent, int128& count) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  if (field == 0x7ff) return false;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t significand = field != 0 ? fraction | (std::uint64_t{1} << 52) : fraction;
  const int shift = (field != 0 ? field : 1) - 1075 - exponent;  // x = significand * 2^shift units
  uint128 magnitude = significand;
  if (shift >= 0) {
    if (significand != 0 && shift > 126 - 53) return false;
    magnitude = significand != 0 ? magnitude << shift : 0;
  } else if (shift < -54) {
    magnitude = 0;
  } else {
    const int drop = -shift;
    const std::uint64_t kept = drop < 64 ? significand >> drop : 0;
    const std::uint64_t lost = significand & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (drop - 1);
    magnitude = kept + (lost > tie || (lost == tie && (kept & 1) != 0) ? 1 : 0);
  }
  count = bits >> 63 != 0 ? -static_cast<int128>(magnitude) : static_cast<int128>(magnitude);
  return true;
}

/// The same in 64 bits, for |x| below 2^(exponent + 52), where the shift is to the right. False for anything larger, and NaN.
constexpr bool to_short_fixed(double x, int exponent, std::int64_t& count) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t significand = field != 0 ? fraction | (std::uint64_t{1} << 52) : fraction;
  const int drop = 1075 + exponent - (field != 0 ? field : 1);
  if (drop < 1) {
    count = 0;
    return significand == 0;
  }
  const std::uint64_t magnitude = drop < 55 ? shift_right_rounded(significand, drop) : 0;
  const std::uint64_t minus = bits >> 63;
  count = static_cast<std::int64_t>((magnitude ^ (std::uint64_t{0} - minus)) + minus);
  return true;
}

}  // namespace accrue::detail
