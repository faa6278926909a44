// SPDX-License-Identifier: BSD-3-Clause
// What a work item of an accumulation adds to: the targets themselves, a block's own copies, or integers that hold every bit.
#pragma once

#include <array>
#include <type_traits>

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/detail/contributions.hpp"
#include "accrue/detail/rounding.hpp"

namespace accrue::simt {

/// An exact number: signed, its lowest bit worth 2^unit, in `count` words of 64 bits, the lowest first. Every word but the last starts at
/// 2^63, so that a total that passes zero seldom changes the word above.
struct word_format {
  int unit;
  unsigned count;

  static constexpr std::uint64_t start = std::uint64_t{1} << 63;
  [[nodiscard]] constexpr std::uint64_t initial(unsigned word) const { return word + 1 < count ? start : 0; }
};

/// What a first run of the items finds: bits and number of the contributions. Zero before.
struct contribution_range {
  unsigned below_top;  ///< most_place less the place of the lowest bit that is set in any
  unsigned top;        ///< the place behind the highest
  unsigned special;    ///< whether some are infinite or NaN
  unsigned unused;
  std::uint64_t adds;

  static constexpr unsigned most_place = 2200;  ///< place p is worth 2^(p - 1074)

  /// That of any numbers.
  static constexpr contribution_range any() { return {most_place, 2098, 1, 0, ~std::uint64_t{0}}; }

  /// Of the numbers: the place of their lowest bit, and how many bits they have from there on.
  [[nodiscard]] constexpr int lowest() const { return below_top != 0 ? static_cast<int>(most_place - below_top) : 0; }
  [[nodiscard]] constexpr int bits() const { return static_cast<int>(top) > lowest() ? static_cast<int>(top) - lowest() : 1; }
  /// Of a word of so many bits, how many hold every sum of what was found.
  [[nodiscard]] constexpr unsigned words_of(int word_bits) const {
    return static_cast<unsigned>((bits() + detail::bit_width(adds) + 2 + word_bits - 1) / word_bits);
  }
  [[nodiscard]] constexpr word_format format() const { return {lowest() - 1074, words_of(64)}; }
};
/// The words of any sum of fewer than 2^64 numbers.
template <class T>
inline constexpr unsigned most_words = sizeof(T) == 8 ? 34 : 6;

enum class adding : std::uint8_t {
  nothing,     ///< finds the range of the contributions
  plainly,     ///< each item to its own target
  atomically,  ///< to the targets
  to_copies,   ///< to a block's copies in shared memory, then atomically to the targets
  to_words,    ///< to words in device memory
  to_copied_words
};

/// A double or float as an integer times a power of two.
struct float_parts {
  std::uint64_t significand;
  unsigned place;  ///< of the significand's lowest bit, worth 2^(place - 1074)
  bool negative;
  bool special;

  explicit ACCRUE_DEVICE float_parts(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto field = static_cast<unsigned>(bits >> 52) & 2047;
    significand = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{field != 0} << 52;
    place = field - (field != 0 ? 1 : 0);
    negative = bits >> 63 != 0;
    special = field == 2047;
  }
  explicit ACCRUE_DEVICE float_parts(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const unsigned field = bits >> 23 & 255;
    significand = (bits & ((1u << 23) - 1)) | std::uint32_t{field != 0} << 23;
    place = field - (field != 0 ? 1 : 0) + 1074 - 149;
    negative = bits >> 31 != 0;
    special = field == 255;
  }
};

/// Adds a signed integer of 128 bits, shifted up by whole words, to a number of `count` words. Those above take what is carried.
ACCRUE_DEVICE void add_to_words(std::uint64_t* number, unsigned count, unsigned word, detail::int128 v) {
  const auto low = static_cast<std::uint64_t>(v);
  if (word + 1 >= count) return add_atomically(number + word, low);
  const bool carries = low != 0 && fetch_add(number + word, low) + low < low;
  const auto next = static_cast<std::int64_t>(v >> 64) + (carries ? 1 : 0);
  if (next == 0) return;
  ++word;
  if (word + 1 == count) return add_atomically(number + word, static_cast<std::uint64_t>(next));
  const std::uint64_t before = fetch_add(number + word, static_cast<std::uint64_t>(next));
  const auto added = static_cast<std::uint64_t>(next);
  int carry = next > 0 ? (before + added < before ? 1 : 0) : (before < std::uint64_t{0} - added ? -1 : 0);
  while (carry != 0 && ++word < count) {
    const std::uint64_t old = fetch_add(number + word, static_cast<std::uint64_t>(std::int64_t{carry}));
    const bool passes_on = carry > 0 ? old == ~std::uint64_t{0} : old == 0;
    if (!passes_on) carry = 0;
  }
}

/// Where the contributions of a call to one array of targets go. A kernel's argument.
template <class T, std::size_t D>
struct contribution_plan {
  using number_type = T;
  static constexpr std::size_t width = D;
  T* component[D];
  std::size_t size;
  std::size_t stride;
  adding how;
  word_format format;
  std::uint64_t* words;       ///< format.count of each number, target after target
  unsigned* specials;         ///< of each number: 1 +infinity, 2 -infinity, 4 NaN; nullptr: there are none
  contribution_range* range;  ///< what is found
  double largest;             ///< of a contribution, where the caller says it; else 0
  unsigned shared_offset;     ///< of the block's copies, bytes
  std::size_t shared_bytes;   ///< that they may have; where copied words need more, they go to device memory
  int* status;

  [[nodiscard]] ACCRUE_DEVICE T& number(std::size_t k) const { return component[k % D][k / D * stride]; }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::size_t numbers() const { return size * D; }
};

/// Remembers an infinity or a NaN for a number.
template <class T, std::size_t D>
ACCRUE_DEVICE void add_special(const contribution_plan<T, D>& plan, std::size_t k, const float_parts& x) {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
  const bool nan = (x.significand & (sizeof(T) == 8 ? fraction : fraction >> 29)) != 0;
  if (plan.specials != nullptr) {
    set_bits_atomically(plan.specials + k, nan ? 4u : x.negative ? 2u : 1u);
  } else {
    *plan.status = static_cast<int>(errc::out_of_range);  // beyond any bound
  }
}

/// One thread's way of adding: what a body gets.
template <class T, std::size_t D>
class device_contributor {
 public:
  using value = std::array<T, D>;

  explicit ACCRUE_DEVICE device_contributor(const contribution_plan<T, D>& plan) : plan_(plan) {
    const bool fits = plan_.numbers() * plan_.format.count * sizeof(std::uint64_t) <= plan_.shared_bytes;
    if (plan_.how == adding::to_copied_words && !fits) plan_.how = adding::to_words;
  }

  /// target[j] += v
  ACCRUE_DEVICE void add(std::size_t j, const value& v) {
    if (j >= plan_.size || (plan_.how == adding::plainly && j != item_)) {
      *plan_.status = static_cast<int>(errc::out_of_range);
      return;
    }
#pragma unroll
    for (std::size_t d = 0; d < D; ++d) add_number(j, d, v[d]);
  }
  ACCRUE_DEVICE void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  ACCRUE_DEVICE void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For the kernel.
  ACCRUE_DEVICE void start_item(std::size_t i) { item_ = i; }
  /// Remembers the bits of a value for the range.
  ACCRUE_DEVICE void see(T v) {
    if constexpr (native_float<T>) {
      const float_parts x(v);
      ++adds_;
      special_ = special_ || x.special;
      if (x.special || x.significand == 0) return;
      const auto bits = static_cast<std::uint64_t>(x.significand & (std::uint64_t{0} - x.significand));
      const unsigned lowest = x.place + static_cast<unsigned>(detail::bit_width(bits)) - 1;
      const unsigned behind = x.place + static_cast<unsigned>(detail::bit_width(x.significand));
      below_top_ = contribution_range::most_place - lowest > below_top_ ? contribution_range::most_place - lowest : below_top_;
      top_ = behind > top_ ? behind : top_;
    }
  }
  /// Before the items; all threads of the block.
  ACCRUE_DEVICE void start() {
    if (plan_.how == adding::to_copies) {
      for (std::size_t k = thread(); k < plan_.numbers(); k += threads()) copies()[k] = T{};
    } else if (plan_.how == adding::to_copied_words) {
      for (std::size_t k = thread(); k < plan_.numbers() * plan_.format.count; k += threads()) {
        copied_words()[k] = plan_.format.initial(static_cast<unsigned>(k % plan_.format.count));
      }
    }
  }
  /// After them; all threads of the block, behind a barrier.
  ACCRUE_DEVICE void finish() {
    if (plan_.how == adding::to_copies) {
      for (std::size_t k = thread(); k < plan_.numbers(); k += threads()) {
        if (copies()[k] != T{}) add_atomically(stored(plan_.number(k)), *stored(copies()[k]));
      }
    } else if (plan_.how == adding::to_copied_words) {
      const unsigned count = plan_.format.count;
      for (std::size_t k = thread(); k < plan_.numbers(); k += threads()) {
        for (unsigned w = 0; w < count; ++w) {
          const std::uint64_t word = copied_words()[k * count + w];
          const std::uint64_t initial = plan_.format.initial(w);
          if (word == initial) continue;
          add_to_words(plan_.words + k * count, count, w, static_cast<detail::int128>(word) - static_cast<detail::int128>(initial));
        }
      }
    } else if (plan_.how == adding::nothing) {
      tell_range();
    }
  }

 private:
  ACCRUE_DEVICE void add_number(std::size_t j, std::size_t d, T v) {
    switch (plan_.how) {
      case adding::nothing:
        return see(v);
      case adding::plainly: {
        T& target = plan_.component[d][j * plan_.stride];
        if constexpr (native_float<T>) {
          target = simt::add(target, v);
        } else {
          target = detail::sum_of_two(target, v);
        }
        return;
      }
      case adding::atomically:
        return add_atomically(stored(plan_.component[d][j * plan_.stride]), *stored(v));
      case adding::to_copies:
        return add_atomically(stored(copies()[j * D + d]), *stored(v));
      case adding::to_words:
        return add_exactly(plan_.words, j * D + d, v);
      case adding::to_copied_words:
        return add_exactly(copied_words(), j * D + d, v);
    }
  }

  ACCRUE_DEVICE void tell_range() {
    std::uint64_t adds = adds_;
    for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) adds += shuffle_xor(adds, distance);
    const unsigned below_top = largest_in_warp(below_top_);
    const unsigned top = largest_in_warp(top_);
    const bool special = any(special_);
    if (lane() != 0 || adds == 0) return;
    add_atomically(&plan_.range->adds, adds);
    raise_atomically(&plan_.range->below_top, below_top);
    raise_atomically(&plan_.range->top, top);
    if (special) raise_atomically(&plan_.range->special, 1);
  }

  ACCRUE_DEVICE void add_exactly(std::uint64_t* words, std::size_t k, T v) {
    if constexpr (native_float<T>) {
      const float_parts x(v);
      const word_format f = plan_.format;
      if (x.special) return add_special(plan_, k, x);
      if (x.significand == 0) return;
      int shift = static_cast<int>(x.place) - 1074 - f.unit;
      detail::int128 integer = static_cast<std::int64_t>(x.significand);
      if (shift < 0) {  // bits that are zero, or below what the caller's bound leaves room for
        integer = static_cast<std::int64_t>(detail::shift_right_rounded(x.significand, shift > -60 ? -shift : 60));
        const bool exact = shift > -60 && static_cast<std::uint64_t>(integer) << -shift == x.significand;
        shift = plan_.largest != 0 || exact ? 0 : 1 << 20;
      }
      const bool fits = plan_.largest != 0 ? integer != 0 && magnitude(v) <= plan_.largest
                                           : shift + std::numeric_limits<T>::digits < static_cast<int>(64 * f.count);
      if (!fits) {  // beyond the bound; or a body that adds other numbers than in the run that found their range
        *plan_.status = static_cast<int>(errc::out_of_range);
        return;
      }
      const auto word = static_cast<unsigned>(shift) / 64;
      integer <<= shift % 64;
      add_to_words(words + k * f.count, f.count, word, x.negative ? -integer : integer);
    }
  }

  /// The type that devices add: integers without sign.
  static ACCRUE_DEVICE auto* stored(T& v) {
    if constexpr (integer<T>) {
      static_assert(sizeof(T) >= 4, "accrue: on devices integers of 32 and 64 bits accumulate");
      return reinterpret_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>*>(&v);
    } else {
      return &v;
    }
  }
  [[nodiscard]] ACCRUE_DEVICE T* copies() const { return reinterpret_cast<T*>(dynamic_shared() + plan_.shared_offset); }
  [[nodiscard]] ACCRUE_DEVICE std::uint64_t* copied_words() const {
    return reinterpret_cast<std::uint64_t*>(dynamic_shared() + plan_.shared_offset);
  }

  contribution_plan<T, D> plan_;
  std::size_t item_ = 0;
  std::uint64_t adds_ = 0;
  unsigned below_top_ = 0;
  unsigned top_ = 0;
  bool special_ = false;
};

/// Where the contributions to one exact number go.
struct total_plan : contribution_plan<double, 1> {};

/// What a body gets for an exact total: a thread keeps what it adds.
class device_total_contributor {
 public:
  explicit ACCRUE_DEVICE device_total_contributor(const total_plan& plan) : plan_(plan), in_memory_(plan) {}

  ACCRUE_DEVICE void add(double v) {
    const float_parts x(v);
    if (plan_.how == adding::nothing) return in_memory_.see(v);
    if (plan_.format.count > 2 || x.special) return in_memory_.add(0, v);
    const int shift = static_cast<int>(x.place) - 1074 - plan_.format.unit;
    if (shift < 0 || shift + 53 >= static_cast<int>(64 * plan_.format.count)) return in_memory_.add(0, v);
    const detail::int128 integer = static_cast<detail::int128>(x.significand) << shift;
    sum_ += x.negative ? -integer : integer;
  }

  // For the kernel.
  ACCRUE_DEVICE void start_item(std::size_t) {}
  ACCRUE_DEVICE void start() {}
  ACCRUE_DEVICE void finish() {
    if (plan_.how == adding::nothing) return in_memory_.finish();
    if (sum_ != 0) add_to_words(plan_.words, plan_.format.count, 0, sum_);
  }

 private:
  total_plan plan_;
  device_contributor<double, 1> in_memory_;
  detail::int128 sum_ = 0;
};

/// What a body gets for a plan.
template <class T, std::size_t D>
ACCRUE_DEVICE device_contributor<T, D> contributor_of(const contribution_plan<T, D>& plan) {
  return device_contributor<T, D>(plan);
}
ACCRUE_DEVICE device_total_contributor contributor_of(const total_plan& plan) { return device_total_contributor(plan); }

}  // namespace accrue::simt
