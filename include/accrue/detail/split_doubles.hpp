// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles that are split in two, of which each is added to a double of its own without rounding, in any rounding mode and with any
// compiler flag of a consumer's.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/rounding.hpp"

namespace accrue::detail {

/// How doubles of some binades are split: into a multiple of an upper unit and the rest, at most that unit and a multiple of the lower one.
/// Sums of up to 2^16 of either are doubles too; before that the lower ones carry.
///
/// A target's numbers lie beside each other by twos: two upper sums, then their lower ones. The last of an odd count has its two alone.
class split_doubles {
 public:
  static constexpr int binades = 21;
  static constexpr std::uint32_t most_additions = std::uint32_t{1} << 15;  ///< after which sums carry
  static constexpr std::uint32_t spare_additions = most_additions - 1;  ///< for which there is room beyond those

  struct sum {
    double upper;
    double lower;
  };

  split_doubles() = default;  ///< none
  /// Doubles in the binades from where their last bit is 2^(place - 1074) on, a normal double as its reciprocal is.
  explicit split_doubles(int place)
      : place_(place),
        rounder_{rounder(place), rounder(place)},
        held_(magnitudes::of_binades(place, binades)) {}

  [[nodiscard]] bool any() const { return place_ >= 0; }
  [[nodiscard]] int place() const { return place_; }  ///< of the lower unit
  [[nodiscard]] const magnitudes& held() const { return held_; }

  /// Where number d of a target has its upper sum, and behind that its lower one, of `width` numbers.
  static constexpr std::size_t upper_of(std::size_t d) { return d + d / 2 * 2; }
  static constexpr std::size_t to_lower(std::size_t d, std::size_t width) { return d + 1 == width && d % 2 == 0 ? 1 : 2; }

  /// Adds to a target's numbers what is held, or zero.
  template <std::size_t D>
  [[gnu::always_inline]] void add(const std::array<double, D>& x, double* target) const {
#if defined(__x86_64__)
    const __m128d rounder = _mm_load_pd(rounder_);
    const auto two = [&](std::size_t d) __attribute__((always_inline)) {
      const __m128d v = _mm_set_pd(x[d + 1], x[d]);
      const __m128d upper = opaque(_mm_sub_pd(opaque(_mm_add_pd(v, rounder)), rounder));
      const __m128d lower = opaque(_mm_sub_pd(v, upper));
      double* const at = target + 2 * d;
      _mm_store_pd(at, _mm_add_pd(_mm_load_pd(at), upper));
      _mm_store_pd(at + 2, _mm_add_pd(_mm_load_pd(at + 2), lower));
    };
    if constexpr (D == 3) {  // compilers leave a loop at -O2
      two(0);
    } else {
      for (std::size_t d = 0; d + 2 <= D; d += 2) two(d);
    }
    if constexpr (D % 2 == 1) {
      const __m128d v = lowest_of_vector(x[D - 1]);
      const __m128d upper = opaque(_mm_sub_sd(opaque(_mm_add_sd(v, rounder)), rounder));
      const __m128d lower = opaque(_mm_sub_sd(v, upper));
      double* const at = target + 2 * (D - 1);
      _mm_store_pd(at, _mm_add_pd(_mm_load_pd(at), _mm_unpacklo_pd(upper, lower)));
    }
#else
    for (std::size_t d = 0; d < D; ++d) add(x[d], target + upper_of(d), to_lower(d, D));
#endif
  }
  /// The same for one number.
  void add(double x, double* upper, std::size_t to_lower) const {
    const sum s = split(x);
    upper[0] += s.upper;
    upper[to_lower] += s.lower;
  }
  /// As kernels::add_elements takes it.
  [[nodiscard]] kernels::split_range range() const { return {rounder_[0], held_.least(), held_.range()}; }
  /// Moves upper units from the lower sums of so many targets of one number to the upper ones. Whether these have room for as many
  /// additions again.
  [[nodiscard]] bool carry_all(double* target, std::size_t targets) const {
    return kernels::carry_pairs(rounder_[0], counted_unit::power(place_ + spread + carried_bits - 1074), target, targets);
  }
  /// The same of one target.
  [[nodiscard]] bool carry(double* target, std::size_t width) const {
    const std::size_t twos = width / 2 * 4;
    bool room = true;
    for (std::size_t k = 0; k < twos; k += 4) {
      for (const std::size_t upper : {k, k + 1}) room = carry_one(target + upper, 2) && room;
    }
    return (width % 2 == 0 || carry_one(target + twos, 1)) && room;
  }
  [[nodiscard]] bool has_room(double upper) const {
    return magnitude_bits(upper) < magnitude_bits(counted_unit::power(place_ + spread + carried_bits - 1074));
  }
  /// A sum, or that of 2^8 which have all carried, in lower units: below 2^91.
  [[nodiscard]] int128 in_units(const sum& s) const {
    const auto upper = static_cast<std::int64_t>(opaque(s.upper * counted_unit::power(1074 - place_ - spread)));
    const auto lower = static_cast<std::int64_t>(opaque(s.lower * counted_unit::power(1074 - place_)));
    return static_cast<int128>(upper) * (int128{1} << spread) + lower;
  }

 private:
  bool carry_one(double* upper, std::size_t to_lower) const {
    const sum s = split(upper[to_lower]);
    upper[0] += s.upper;
    upper[to_lower] = s.lower;
    return has_room(upper[0]);
  }

  static constexpr int spread = 37;  ///< 2^spread lower units are an upper one
  static constexpr int carried_bits = 45;  ///< of an upper sum's units, when it has room for more additions
  // Lower sums stay doubles: they begin with an upper unit at most, and each addition is one at most. Upper ones, too.
  static constexpr std::uint64_t additions = most_additions + spare_additions;
  static constexpr int upper_bits = 52 + binades - spread;  ///< of a double's upper units
  static_assert((additions + 1) << spread <= std::uint64_t{1} << 53);
  static_assert((std::uint64_t{1} << carried_bits) + additions * ((std::uint64_t{1} << upper_bits) + 1) <= std::uint64_t{1} << 53);

  static double rounder(int place) { return 1.5 * 0x1p52 * counted_unit::power(place + spread - 1074); }
  static std::uint64_t magnitude_bits(double x) { return std::bit_cast<std::uint64_t>(x) << 1; }
  [[nodiscard]] sum split(double x) const {
    const double upper = opaque(opaque(x + rounder_[0]) - rounder_[0]);
    return {upper, opaque(x - upper)};
  }
#if defined(__x86_64__)
  static __m128d opaque(__m128d x) {
    asm("" : "+x"(x));
    return x;
  }
#endif
  static double opaque(double x) { return detail::opaque(x); }

  int place_ = -1;
  alignas(16) double rounder_[2] = {};  ///< both 1.5 * 2^52 upper units: what is added to them is rounded to a multiple of one
  magnitudes held_;
};

}  // namespace accrue::detail
