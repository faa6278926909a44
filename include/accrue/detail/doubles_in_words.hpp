// SPDX-License-Identifier: BSD-3-Clause
// Doubles as sums of integers, by operations that no rounding mode and no compiler flag of a consumer's changes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

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

#if defined(__x86_64__)
/// A vector whose first number is x, and the other anything.
inline __m128d lowest_of_vector(double x) {
#if defined(__clang__)
  return _mm_set_sd(x);
#else
  __m128d v;
  asm("" : "=x"(v) : "0"(x));  // g++ would clear the other
  return v;
#endif
}
#endif

/// A pointer to a target's numbers, which compilers then keep: else they work out the address of each from an index.
template <class T>
T* opaque(T* p) {
  asm("" : "+r"(p));
  return p;
}

/// The doubles whose magnitudes lie in a range, as their bits tell; none by default.
class magnitudes {
 public:
  magnitudes() = default;
  /// Those of least <= |x| <= largest, both finite and normal.
  magnitudes(double least, double largest) : magnitudes(twice_bits(least), twice_bits(largest) + 2 - twice_bits(least)) {}
  /// Those that lie in so many binades from that of 2^(place - 1022) on.
  static magnitudes of_binades(int place, int binades) {
    return {static_cast<std::uint64_t>(place + 1) << 53, static_cast<std::uint64_t>(binades) << 53};
  }

  [[nodiscard]] bool any() const { return range_ != 0; }
  [[nodiscard]] std::uint64_t least() const { return least_; }  ///< twice its bits, without its sign
  [[nodiscard]] std::uint64_t range() const { return range_; }  ///< and how many follow
  [[nodiscard]] bool hold(double x) const { return twice_bits(x) - least_ < range_; }
  /// Whether all of these are held, or false if one is next to an end of the range.
  template <std::size_t D>
  [[nodiscard]] bool surely_hold(const std::array<double, D>& x) const {
#if defined(__x86_64__)
    if constexpr (D == 3) {  // at once, by the upper halves of their bits
      const __m128 two = _mm_castpd_ps(_mm_set_pd(x[1], x[0]));
      const __m128i upper = _mm_castps_si128(_mm_shuffle_ps(two, _mm_castpd_ps(lowest_of_vector(x[2])), _MM_SHUFFLE(1, 1, 3, 1)));
      const __m128i above = _mm_sub_epi32(_mm_add_epi32(upper, upper), vector(upper_least_));
      return _mm_movemask_ps(_mm_castsi128_ps(_mm_cmplt_epi32(above, vector(upper_range_)))) == 15;
    }
#endif
    bool all = true;
    for (const double v : x) all = all && hold(v);
    return all;
  }

 private:
  magnitudes(std::uint64_t least, std::uint64_t range) : least_(least), range_(range) {
    const std::uint32_t first = upper(least + upper_unit - 1);
    const std::uint32_t end = std::max(upper(least + range), first);
    for (std::uint32_t& u : upper_least_) u = first + sign;
    for (std::uint32_t& u : upper_range_) u = end - first + sign;
  }
  static std::uint64_t twice_bits(double x) { return std::bit_cast<std::uint64_t>(x) << 1; }
  /// Of twice the bits, what twice the upper half tells.
  static constexpr std::uint64_t upper_unit = std::uint64_t{1} << 33;
  static constexpr std::uint32_t sign = std::uint32_t{1} << 31;  ///< by which both ends move, as signed numbers are compared
  static std::uint32_t upper(std::uint64_t twice) { return static_cast<std::uint32_t>(twice / upper_unit) * 2; }
#if defined(__x86_64__)
  static __m128i vector(const std::uint32_t (&v)[4]) { return _mm_load_si128(reinterpret_cast<const __m128i*>(v)); }
#endif

  // Apart, or compilers keep both in a vector, from which they take them for each number.
  std::uint64_t least_ = 0;
  alignas(16) std::uint32_t upper_least_[4] = {};
  std::uint64_t range_ = 0;
  alignas(16) std::uint32_t upper_range_[4] = {sign, sign, sign, sign};
};

/// The unit of doubles as whole numbers in a word: of those in one of the binades from where their last bit is the unit.
class counted_unit {
 public:
  static constexpr int binades = 11;  ///< so that a count has 63 bits and a sign at most

  counted_unit() = default;  ///< none
  /// 2^(place - 1074), a normal double, and its reciprocal too.
  explicit counted_unit(int place)
      : place_(place),
        scale_(power(1074 - place)),
        held_(magnitudes::of_binades(place, binades)) {}

  /// 2^exponent.
  static double power(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

  [[nodiscard]] bool any() const { return place_ >= 0; }
  [[nodiscard]] int place() const { return place_; }
  [[nodiscard]] double value() const { return power(place_ - 1074); }
  [[nodiscard]] const magnitudes& held() const { return held_; }
  [[nodiscard]] kernels::counted_range range() const { return {scale_, held_.least(), held_.range()}; }
  /// x, which is held, in units: exactly, in any rounding mode.
  [[nodiscard]] std::int64_t count(double x) const { return static_cast<std::int64_t>(opaque(x * scale_)); }

 private:
  int place_ = -1;
  double scale_ = 0;  ///< units a one
  magnitudes held_;
};

}  // namespace accrue::detail
