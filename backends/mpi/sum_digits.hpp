// SPDX-License-Identifier: BSD-3-Clause
// The form in which exact sums travel: a few digits of 48 bits, with signs, so that small sums of either sign have zeros above, and those
// of many ranks add as integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "accrue/detail/kernels.hpp"
#include "accrue/detail/rounding.hpp"

namespace accrue::ranks {

using kernels::digit_bits;
/// Digits of a sum that travel, at most: 64 bytes.
using kernels::most_digits;

/// Bits of a format, counted from its lowest: none where they end before they begin.
struct bit_range {
  std::uint16_t first = 0xffff;
  std::uint16_t end = 0;

  [[nodiscard]] bool empty() const { return end <= first; }
  [[nodiscard]] std::size_t size() const { return empty() ? 0 : static_cast<std::size_t>(end - first); }
  [[nodiscard]] bit_range with(const bit_range& other) const { return {std::min(first, other.first), std::max(end, other.end)}; }
};
/// Digits that lie in a row, the first from a bit of the format on.
struct digit_window {
  std::uint16_t bit = 0;
  std::uint16_t digits = 0;

  [[nodiscard]] int bit_of(std::size_t digit) const { return bit + digit_bits * static_cast<int>(digit); }
  bool operator==(const digit_window&) const = default;
};

/// A sum as digits, all of which a window holds.
class sum_digits {
 public:
  /// Adds v * 2^bit, in units of the first of `count` digits; false where these do not hold it. Of at most 2^14 such numbers.
  bool add(std::int64_t v, int bit, std::size_t count) {
    if (v == 0) return true;
    const bool negative = v < 0;
    std::uint64_t magnitude = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    const int zeros = std::countr_zero(magnitude);
    magnitude >>= zeros;
    bit += zeros;
    if (bit < 0) return false;
    auto k = static_cast<std::size_t>(bit / digit_bits);
    for (detail::uint128 rest = detail::uint128{magnitude} << bit % digit_bits; rest != 0; rest >>= digit_bits, ++k) {
      if (k >= count) return false;
      const auto digit = static_cast<std::int64_t>(static_cast<std::uint64_t>(rest) & mask);
      value_[k] += negative ? -digit : digit;
    }
    return true;
  }
  /// Makes all digits at most 2^47; false where the last one is not.
  bool carry(std::size_t count) {
    std::int64_t above = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t v = value_[k] + above;
      above = (v + half) >> digit_bits;
      value_[k] = v - above * (half * 2);
    }
    return above == 0;
  }
  [[nodiscard]] const std::int64_t& operator[](std::size_t k) const { return value_[k]; }
  [[nodiscard]] std::int64_t& operator[](std::size_t k) { return value_[k]; }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
  static constexpr std::int64_t half = std::int64_t{1} << (digit_bits - 1);
  std::int64_t value_[most_digits] = {};
};

/// The magnitude of digits that may have grown to 2^63, in units of 2^lowest, and whether they are negative.
inline detail::truncated leading_bits(std::span<const std::int64_t> digits, int lowest, bool& negative) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
  std::uint64_t digit[most_digits] = {};
  std::int64_t above = 0;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const detail::int128 v = detail::int128{digits[k]} + above;
    digit[k] = static_cast<std::uint64_t>(v) & mask;
    above = static_cast<std::int64_t>(v >> digit_bits);
  }
  negative = above < 0;
  if (negative) {  // two's complement
    std::uint64_t one = 1;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      digit[k] = (~digit[k] & mask) + one;
      one = digit[k] >> digit_bits;
      digit[k] &= mask;
    }
    above = ~above + static_cast<std::int64_t>(one);
  }
  detail::truncated r{static_cast<detail::uint128>(above), lowest + digit_bits * static_cast<int>(digits.size()), false};
  std::size_t k = digits.size();
  for (; k != 0 && detail::bit_width(r.bits) <= 128 - digit_bits; --k) {
    r.bits = r.bits << digit_bits | digit[k - 1];
    r.exponent -= digit_bits;
  }
  if (k == 0) return r;
  const int shift = 128 - detail::bit_width(r.bits);  // below 48; 128 bits, so that nothing below them is shifted up later
  const detail::uint128 next = detail::uint128{digit[k - 1]} << shift;
  r.bits = r.bits << shift | next >> digit_bits;
  r.exponent -= shift;
  r.sticky = (next & mask) != 0;
  while (--k != 0) r.sticky = r.sticky || digit[k - 1] != 0;
  return r;
}

}  // namespace accrue::ranks
