// SPDX-License-Identifier: BSD-3-Clause
// What exact sums by keys are held in: numbers with room for the elements that were looked at and for what lies near them, and words for
// all others.
#pragma once

#include "accrue/backends/simt/kernel/accumulate_kernel.cuh"

namespace accrue::simt {

/// The field of a float's exponent: its lowest bit lies by this less 1 above the type's lowest place, but for zeros and subnormal numbers.
ACCRUE_DEVICE unsigned exponent_field(double x) { return high_word(x) >> 20 & 2047; }
ACCRUE_DEVICE unsigned exponent_field(float x) { return std::bit_cast<unsigned>(x) >> 23 & 255; }

/// The fields of exponents that were seen, of finite elements that are not zero. Zero before.
struct exponents_seen {
  unsigned below_end;  ///< `end` less the lowest
  unsigned highest;

  static constexpr unsigned end = 4096;
};

/// Places of a type's lowest bits, worth 2^(place - 1074): of its smallest numbers and of its largest.
template <class T>
inline constexpr int lowest_place = sizeof(T) == 8 ? 0 : 1074 - 149;
template <class T>
inline constexpr int highest_place = lowest_place<T> + (sizeof(T) == 8 ? 2045 : 253);

/// Which bits numbers hold: those of elements that were seen, and of some that lie near them.
struct held_bits {
  int lowest = 0;           ///< place of the first
  unsigned most_above = 0;  ///< of an element's lowest bit
  unsigned count = 0;       ///< words or limbs of a number; 0: too many are needed, nothing is held

  [[nodiscard]] ACCRUE_DEVICE bool hold(const float_parts& x) const {
    return count != 0 && x.place - static_cast<unsigned>(lowest) <= most_above;
  }
  /// Whether an element is still to be added, or where nothing is held, its key to be looked at.
  [[nodiscard]] ACCRUE_DEVICE bool leave(const float_parts& x) const {
    return !hold(x) && (count == 0 || x.significand != 0 || x.special);
  }
};

/// The bits of elements that were seen.
template <class T>
struct seen_bits {
  int first;  ///< place
  int count;

  explicit ACCRUE_DEVICE seen_bits(const exponents_seen& seen) {
    constexpr int one = sizeof(T) == 8 ? 1023 : 127;  // where all are zeros
    const bool any = seen.below_end != 0;
    const int lowest = any ? static_cast<int>(exponents_seen::end - seen.below_end) : one;
    const int highest = any ? static_cast<int>(seen.highest) : one;
    first = lowest_place<T> + (lowest != 0 ? lowest - 1 : 0);
    count = highest - lowest + std::numeric_limits<T>::digits;
  }
  /// In numbers of so many words that hold `bits` >= `count` of elements. Smaller elements than those seen are more than larger ones.
  [[nodiscard]] ACCRUE_DEVICE held_bits in(unsigned words, int bits) const {
    const int below = (bits - count) * 3 / 4;
    const int lowest = first - below > lowest_place<T> ? first - below : lowest_place<T>;
    const int room = bits - std::numeric_limits<T>::digits;
    return {lowest, static_cast<unsigned>(lowest + room < highest_place<T> ? room : highest_place<T> - lowest), words};
  }
};

/// Where the sums of elements that lie near those seen are held.
enum class held_in : std::uint8_t { nothing, shared_words, limbs };

/// Sums by keys. A kernel's argument.
template <class Source, class Key>
struct key_sums {
  using number = typename Source::element;
  static_assert(sizeof(Key) <= sizeof(std::uint64_t));
  Source source;
  const Key* keys;
  bool skips_others;
  contribution_plan<number, 1> plan;  ///< the results are its targets, its words of what is held
  std::uint64_t* all_words;           ///< most_words<number> of each group, the first bit worth that of lowest_place<number>
  exponents_seen* seen;
  unsigned* others;                   ///< whether there are elements that are not held: 0 before
  held_in where;
  unsigned margin;                    ///< bits to spare beyond those that were seen, where there is room
  unsigned most_copies;               ///< of a group, in shared memory: a power of two
  std::size_t shared_bytes;
  const unsigned* wanted;  ///< zero there: the kernels do nothing; nullptr: they run

  [[nodiscard]] ACCRUE_DEVICE bool idle() const { return wanted != nullptr && *wanted == 0; }
  [[nodiscard]] ACCRUE_DEVICE number element(std::size_t i) const { return reader<Source>::near(source, i); }
  /// The group of an element; `plan.size` where it has none, which is an error unless such are skipped.
  [[nodiscard]] ACCRUE_DEVICE std::size_t group(std::size_t i) const {
    const auto key = static_cast<std::uint64_t>(keys[i]);
    if (key < plan.size) return key;
    if (!skips_others) *plan.status = static_cast<int>(errc::out_of_range);
    return plan.size;
  }

  /// Of a limb of 64 bits: so many that no sum overflows. What is added to one carries nothing into the next: as many lanes add to a sum's
  /// limbs at once, and wait for no answer.
  [[nodiscard]] ACCRUE_DEVICE int bits_of_limb() const { return 63 - detail::bit_width(std::uint64_t{size_of(source)}); }
  /// What is held: in 2 or 4 limbs, or in words of 32 bits, of which there is room for some.
  [[nodiscard]] ACCRUE_DEVICE held_bits held() const {
    const seen_bits<number> bits(*seen);
    const int wanted_bits = bits.count + static_cast<int>(margin);
    if (where == held_in::limbs) {
      const int each = bits_of_limb();
      if (wanted_bits <= 2 * each) return bits.in(2, 2 * each);
      return bits.count <= 4 * each ? bits.in(4, 4 * each) : held_bits{};
    }
    if (where == held_in::shared_words) {
      const int carried = detail::bit_width(std::uint64_t{size_of(source)}) + 2;
      const auto most = static_cast<int>((shared_bytes / sizeof(std::uint32_t) - warp_width) / plan.size);
      const int words = (wanted_bits + carried + 31) / 32 < most ? (wanted_bits + carried + 31) / 32 : most;
      const int room = 32 * words - carried;
      return bits.count <= room ? bits.in(static_cast<unsigned>(words), room) : held_bits{};
    }
    return {};
  }
  /// The numbers of what is held, in device memory.
  [[nodiscard]] ACCRUE_DEVICE word_format format_of(const held_bits& held) const {
    return {held.lowest - 1074, where == held_in::limbs ? held.count : (held.count + 1) / 2};
  }
};

}  // namespace accrue::simt
