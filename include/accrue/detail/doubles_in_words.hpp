// SPDX-License-Identifier: BSD-3-Clause
// Doubles as sums of integers: in one word, or in two, by operations that no rounding mode and no compiler flag of a consumer's changes.
#pragma once

#include <bit>
#include <cstdint>

#include "accrue/detail/kernels.hpp"

namespace accrue::detail {

/// Whether x is zero, which subnormal numbers and NaN are not, whatever the caller's environment and compiler take them for.
inline bool is_zero(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  asm("" : "+r"(bits));  // or clang 19 compares doubles after all
  return bits * 2 == 0;
}

/// A double as significand * 2^(place - 1074); infinities and NaN have place 2046.
struct double_parts {
  std::uint64_t significand;
  int place;
  bool negative;

  explicit double_parts(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const unsigned field = static_cast<unsigned>(bits >> 52) & 2047;
    significand = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{field != 0} << 52;
    place = static_cast<int>(field - (field != 0 ? 1 : 0));
    negative = bits >> 63 != 0;
  }
};

/// The same value as a double, subnormal ones too where the caller's environment takes those for zero.
inline double widened(double x) { return x; }
inline double widened(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint64_t significand = bits & ((std::uint32_t{1} << 23) - 1);
  if (significand == 0 || (bits >> 23 & 255) != 0) [[likely]] return x;
  const auto top = static_cast<unsigned>(std::bit_width(significand)) - 1;  // it is significand * 2^-149
  return std::bit_cast<double>(std::uint64_t{bits >> 31} << 63 | std::uint64_t{top + 1023 - 149} << 52 |
                               (significand << (52 - top) & ((std::uint64_t{1} << 52) - 1)));
}

/// A double that the compiler cannot see through: sums of these stay as they are written with -ffast-math too.
inline double opaque(double x) {
#if defined(__x86_64__)
  asm("" : "+x"(x));
#elif defined(__aarch64__)
  asm("" : "+w"(x));
#else
  asm("" : "+m"(x));
#endif
  return x;
}

/// Splits doubles into two words, for values of which these hold every bit, in any rounding mode and with subnormal numbers taken for zero:
/// those of least <= |x| < bound, none by default.
class word_pairs {
 public:
  struct words {  ///< of one number
    std::int64_t low;
    std::int64_t high;
  };

  word_pairs() = default;
  explicit word_pairs(int first) : high_(unit(first + kernels::word_units::bits)), low_(unit(first)) {
    constexpr int binades = 2 * kernels::word_units::bits - 53;
    if (first < 53) return;  // the low word would be of subnormal numbers
    least_ = static_cast<std::uint64_t>(first + 1) << 53;
    range_ = std::uint64_t{binades} << 53;
  }

  [[nodiscard]] bool any() const { return range_ != 0; }
  [[nodiscard]] bool hold(double x) const { return std::bit_cast<std::uint64_t>(x) * 2 - least_ < range_; }
  /// Where they hold x, adds it: the nearest multiple of the high word's unit, as the last bits of its sum with 1.5 * 2^52 units, and the
  /// rest.
  void add(double x, words& sum) const {
    const double high = opaque(x + high_);
    const double rest = opaque(x - opaque(high - high_));
    const double low = opaque(rest + low_);
    sum.low += std::bit_cast<std::int64_t>(low) - std::bit_cast<std::int64_t>(low_);
    sum.high += std::bit_cast<std::int64_t>(high) - std::bit_cast<std::int64_t>(high_);
  }

 private:
  /// 1.5 * 2^52 times 2^(place - 1074).
  static double unit(int place) { return std::bit_cast<double>(static_cast<std::uint64_t>(place + 1) << 52 | std::uint64_t{1} << 51); }

  double high_ = 0;
  double low_ = 0;
  std::uint64_t least_ = 0;  ///< bits of the least without their sign
  std::uint64_t range_ = 0;  ///< and how many follow
};

/// The unit of doubles as whole numbers in a word, as kernels::whole_numbers makes them: of those in one of the binades from where their
/// last bit is the unit.
class counted_unit {
 public:
  static constexpr int binades = kernels::whole_number_binades;

  counted_unit() = default;  ///< none
  /// 2^(place - 1074), a normal double, and its reciprocal too.
  explicit counted_unit(int place)
      : place_(place),
        scale_(power(1074 - place)),
        least_(static_cast<std::uint64_t>(place + 1) << 53),
        range_(std::uint64_t{binades} << 53) {}

  /// 2^exponent.
  static double power(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

  [[nodiscard]] bool any() const { return place_ >= 0; }
  [[nodiscard]] int place() const { return place_; }
  [[nodiscard]] double value() const { return power(place_ - 1074); }
  [[nodiscard]] bool hold(double x) const { return std::bit_cast<std::uint64_t>(x) * 2 - least_ < range_; }
  /// Whether x is 0, not -0, or any multiple of the unit within 63 bits. Not where a caller's environment rules.
  [[nodiscard]] bool divides(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t below = std::uint64_t{52} << 53;  // as many binades
    if (bits * 2 - least_ + below >= range_ + below) return bits == 0;
    const double units = opaque(x * scale_);
    return static_cast<double>(static_cast<std::int64_t>(units)) == units;
  }
  /// x, which is held, or divided, in units: exactly, in any rounding mode.
  [[nodiscard]] std::int64_t count(double x) const { return static_cast<std::int64_t>(opaque(x * scale_)); }

 private:
  int place_ = -1;
  double scale_ = 0;         ///< units a one
  std::uint64_t least_ = 0;  ///< twice the bits of the least, without its sign
  std::uint64_t range_ = 0;  ///< and how many follow
};

}  // namespace accrue::detail
