// SPDX-License-Identifier: BSD-3-Clause
// Private copies of an array of targets as exact sums, and how they are merged: each target is rounded once, so that its bits are the same
// for any number of threads and any order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <type_traits>

#include "accrue/detail/exact_copy.hpp"
#include "accrue/detail/rounding.hpp"

namespace accrue::detail {

/// The copies of a team.
class exact_copies {
 public:
  exact_copy& of(std::size_t thread, std::size_t targets, std::size_t width) {
    while (copies_.size() <= thread) copies_.emplace_back(targets, width, shared_);
    shared_.copies = copies_.size();
    return copies_[thread];
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const exact_copy& c : copies_) sum += c.bytes();
    return sum;
  }

  /// Adds to the targets of a group what was added to them, rounded once, and forgets it. `with_numbers(first, size, f)` calls f with an
  /// array of so many numbers from `first` on. Returns the bytes read.
  template <class WithNumbers>
  std::size_t merge_group(std::size_t g, std::size_t targets, std::size_t width, const WithNumbers& with_numbers) {
    const span all = span_of(g);
    if (all.copies == 0) return 0;
    const std::size_t end = std::min((g + 1) * exact_copy::group, targets) * width;
    for (std::size_t first = g * exact_copy::group * width; first < end; first += chunk) {
      const std::size_t size = std::min(chunk, end - first);
      with_numbers(first, size, [&](auto* numbers) { add_chunk(all, g, first, size, width, numbers); });
    }
    std::size_t read = 0;
    for (exact_copy& c : copies_) read += c.collected(g).size_bytes() + c.clear(g);
    return read;
  }
  /// When all groups are merged. Whether there was memory for all contributions.
  bool finish() {
    bool good = true;
    for (exact_copy& c : copies_) {
      good = good && !c.out_of_memory();
      c.clear_rest();
    }
    return good;
  }

 private:
  static constexpr std::size_t chunk = 64;         ///< numbers
  static constexpr std::size_t most_copies = 256;  ///< whose integers are summed at once
  static_assert(exact_copy::group % chunk == 0);

  /// Integers of a group's copies that have any: their counts, or words.
  struct integers {
    std::array<const std::int64_t*, most_copies> first;  // so many
    std::size_t copies = 0;

    /// Whether there is room for them.
    bool add(const std::int64_t* more) {
      if (copies == most_copies) return false;
      first[copies++] = more;
      return true;
    }
    /// sums[k] + 2^64 * carries[k] = number from + k of all together, or zero. False, and no carries, where these are zero.
    bool sum(std::size_t from, std::size_t size, std::int64_t* sums, std::int64_t* carries) const {
      if (copies == 0) {
        std::fill_n(sums, size, 0);
      } else {
        std::copy_n(first[0] + from, size, sums);
      }
      return copies > 1 && !kernels::sum_copies(first.data() + 1, copies - 1, from, size, sums, carries);
    }
  };
  /// Numbers of a group. Large groups have more than these are: others may then seem to be among them.
  class some_numbers {
   public:
    void add(std::size_t number) { bits_[of(number)] |= std::uint64_t{1} << number % chunk; }
    [[nodiscard]] bool has(std::size_t number) const { return (bits_[of(number)] >> number % chunk & 1) != 0; }
    /// Bit k: number first + k, of which `first` is a multiple of a chunk.
    [[nodiscard]] std::uint64_t chunk_of(std::size_t first) const { return bits_[of(first)]; }

   private:
    static std::size_t of(std::size_t number) { return number / chunk % 8; }
    std::array<std::uint64_t, 8> bits_{};
  };
  /// Copies of a group that have halves.
  struct halves_of_copies {
    std::array<const exact_copy*, most_copies> first;  // so many
    std::size_t copies = 0;
    split_doubles units;  ///< of the first of them
    bool alike = true;    ///< all have those, and are here

    void add(const exact_copy& more) {
      if (copies == 0) units = more.split();
      alike = alike && copies < most_copies && more.split().place() == units.place();
      if (copies < most_copies) first[copies++] = &more;
    }
    [[nodiscard]] bool any() const { return copies != 0; }
    /// uppers[k], lowers[k] = the sums of number from + k of all, of targets of `width`: exactly.
    void sum(std::size_t from, std::size_t size, std::size_t width, double* uppers, double* lowers) const {
      for (std::size_t c = 0; c < copies; ++c) {
        std::size_t target = from / width;
        std::size_t d = from % width;
        for (std::size_t k = 0; k < size; ++k) {
          const auto more = first[c]->halves(target, d);
          uppers[k] = c == 0 ? more.upper : uppers[k] + more.upper;
          lowers[k] = c == 0 ? more.lower : lowers[k] + more.lower;
          if (++d == width) {
            d = 0;
            ++target;
          }
        }
      }
    }
  };
  /// What a group's copies have, together. Their words are aligned, but may begin and end at different ones.
  struct span {
    std::size_t copies = 0;
    integers counts;
    counted_unit unit;       ///< of the first of them
    bool counted = true;     ///< all have that unit, and nothing is beyond words
    halves_of_copies halves;
    integers words;
    bool has_words = false;  ///< there are
    some_numbers collected;  ///< for which something is collected
    bool hold_all = true;  ///< as few as one copy may have, and nothing lies beyond them
    kernels::word_units units{};
    bool pairs = false;  ///< all that have words have the same two, which are all there
  };
  [[nodiscard]] span span_of(std::size_t g) const {
    span all;
    bool alike = true;  // their words
    bool words_fit = true;
    for (const exact_copy& c : copies_) {
      if (!c.touched(g)) continue;
      ++all.copies;
      for (const contribution& x : c.collected(g)) all.collected.add(x.number);
      if (c.counted(g)) {
        if (all.counts.copies == 0) all.unit = c.unit();
        all.counted = all.counted && c.unit().place() == all.unit.place() && all.counts.add(c.counts());
      }
      if (c.has_halves(g)) all.halves.add(c);
      all.counted = all.counted && !c.words().any_far();
      all.has_words = all.has_words || c.words().any(g);
      all.hold_all = all.hold_all && !c.words().any_far();
      words_fit = words_fit && (!c.words().any(g) || all.words.add(c.words().of(0)));
      alike = alike && c.words().units().count != 0;
      if (c.words().units().count == 0) continue;
      if (all.units.count == 0) all.units = c.words().units();
      const auto end = [](const kernels::word_units& u) { return u.first + exact_words::digit * static_cast<int>(u.count); };
      alike = alike && c.words().units().count == all.units.count && c.words().units().first == all.units.first;
      const int behind = std::max(end(all.units), end(c.words().units()));
      all.units.first = std::min(all.units.first, c.words().units().first);
      all.units.count = static_cast<std::size_t>((behind - all.units.first) / exact_words::digit);
    }
    all.hold_all = all.hold_all && all.units.count <= exact_words::most_words;
    all.pairs = alike && all.hold_all && all.units.count == 2 && words_fit;
    return all;
  }
  [[nodiscard]] bool any_words(std::size_t g, std::size_t number) const {
    std::int64_t bits = 0;
    for (const exact_copy& c : copies_) {
      for (std::size_t k = 0; k < c.words().units().count && c.words().any(g); ++k) bits |= c.words().of(number)[k];
    }
    return bits != 0;
  }
  /// Everything of the numbers of a chunk, as far as 128 bits hold it: in units of the lower word, where all copies have the same two.
  class chunk_sums {
   public:
    chunk_sums(const exact_copies& copies, const span& all, std::size_t g, std::size_t first, std::size_t size, std::size_t width)
        : copies_(&copies),
          all_(&all),
          group_(g),
          first_(first),
          width_(width),
          collected_(all.collected.chunk_of(first)),
          others_(collected_) {
      if (all.halves.any()) {
        if (all.halves.alike) all.halves.sum(first, size, width, uppers_.data(), lowers_.data());
      } else if (all.counted) {
        wide_counts_ = all.counts.sum(first, size, counts_.data(), carries_of_counts_.data());
      }
      for (std::size_t k = 0; k < size && wide_counts_; ++k) others_ |= std::uint64_t{carries_of_counts_[k] != 0} << k;
      if (all.has_words && all.pairs) {
        wide_words_ = all.words.sum(2 * first, 2 * size, words_.data(), carries_of_words_.data());
        for (std::size_t k = 0; k < size; ++k) others_ |= std::uint64_t{(words_[2 * k] | words_[2 * k + 1]) != 0 || wide_words_} << k;
      }
      for (std::size_t k = 0; k < size && all.has_words && !all.pairs; ++k) {
        others_ |= std::uint64_t{copies.any_words(g, first + k)} << k;
      }
      if (!all.counted || !all.halves.alike) others_ = ~std::uint64_t{0};
      held_ = all.pairs && copies.copies_.size() <= most_copies;
      for (const exact_copy& c : copies.copies_) {
        held_ = held_ && (!c.counted(g) || (shift_of(c.unit()) >= 0 && shift_of(c.unit()) <= most_shift_of_counts)) &&
                (!c.has_halves(g) || (shift_of(c.split()) >= 0 && shift_of(c.split()) <= most_shift_of_halves));
      }
      if (held_ && collected_ != 0) add_collected(copies, g, first, size);
    }

    /// Bit k: number first + k has counts alone, if any, which 64 bits hold; or halves alone.
    [[nodiscard]] std::uint64_t alone() const { return ~others_; }
    [[nodiscard]] const std::array<std::int64_t, chunk>& counts() const { return counts_; }
    [[nodiscard]] const std::array<double, chunk>& uppers() const { return uppers_; }
    [[nodiscard]] const std::array<double, chunk>& lowers() const { return lowers_; }
    /// The sum of what is alone, in its unit.
    [[nodiscard]] int128 alone_total(std::size_t k) const {
      return all_->halves.any() ? all_->halves.units.in_units({uppers_[k], lowers_[k]}) : counts_[k];
    }
    /// Everything of number first + k, of less than 2^126 - 2^123. Whether that is known.
    bool total(std::size_t k, int128& sum) const {
      if (!held_ || (beyond_ >> k & 1) != 0) return false;
      sum = (collected_ >> k & 1) != 0 ? collected_sums_[k] : 0;
      if (all_->counted && all_->counts.copies != 0) {
        sum += with_carry(counts_[k], wide_counts_ ? carries_of_counts_[k] : 0) << shift_of(all_->unit);
      }
      for (auto c = copies_->copies_.begin(); c != copies_->copies_.end() && !all_->counted; ++c) {
        if (c->counted(group_)) sum += static_cast<int128>(c->counts()[first_ + k]) << shift_of(c->unit());
      }
      const auto add = [&](const split_doubles& units, const split_doubles::sum& own) {
        sum += units.in_units(own) * (int128{1} << shift_of(units));
      };
      if (all_->halves.any() && all_->halves.alike) add(all_->halves.units, {uppers_[k], lowers_[k]});
      for (std::size_t c = 0; c < all_->halves.copies && !all_->halves.alike; ++c) {
        const exact_copy& one = *all_->halves.first[c];
        add(one.split(), one.halves((first_ + k) / width_, (first_ + k) % width_));
      }
      if (!all_->has_words) return true;
      for (const std::size_t w : {2 * k + 1, 2 * k}) {
        sum += with_carry(words_[w], wide_words_ ? carries_of_words_[w] : 0) << (w == 2 * k ? 0 : exact_words::digit);
      }
      return true;
    }

   private:
    // Counts or halves and what is collected are within 2^124 each, words within 2^121.
    static constexpr int most_shift_of_halves = 124 - 91;
    static constexpr int most_shift_of_counts = 124 - 63 - 8;  ///< of so many copies
    static_assert(most_copies == 1 << 8);
    static constexpr int most_shift_of_parts = 52;
    static constexpr std::size_t most_parts = std::size_t{1} << (124 - 53 - most_shift_of_parts);

    [[nodiscard]] int shift_of(const auto& unit) const { return unit.place() - all_->units.first; }
    void add_collected(const exact_copies& copies, std::size_t g, std::size_t first, std::size_t size) {
      for (std::uint64_t k = collected_; k != 0; k &= k - 1) collected_sums_[static_cast<std::size_t>(std::countr_zero(k))] = 0;
      std::size_t parts = 0;
      for (const exact_copy& c : copies.copies_) {
        for (const contribution& x : c.collected(g, first, first + size)) {
          const std::size_t k = x.number - first;
          const bool held = ++parts <= most_parts && add_to(collected_sums_[k], x.value, all_->units.first);
          beyond_ |= std::uint64_t{!held} << k;
        }
      }
    }
    /// sum += x, in units of 2^(first - 1074), if it is less than 2^53 * 2^most_shift_of_parts of them, and none of its bits lies below.
    static bool add_to(int128& sum, double x, int first) {
      const double_parts p(x);
      if (p.significand == 0) return true;
      const int shift = p.place - first;
      if (shift < 0 || shift > most_shift_of_parts) return false;
      const int128 own = static_cast<int128>(p.significand) << shift;
      sum += p.negative ? -own : own;
      return true;
    }

    static int128 with_carry(std::int64_t sum, std::int64_t carry) {
      return sum + static_cast<int128>(carry) * (static_cast<int128>(1) << 64);
    }

    const exact_copies* copies_;
    const span* all_;
    std::size_t group_;
    std::size_t first_;
    std::size_t width_;
    bool held_;                ///< 128 bits hold everything but what is `beyond_`
    std::uint64_t collected_;  ///< bit k: something is collected for number first + k
    std::uint64_t others_;     ///< that, or words, or carries
    std::uint64_t beyond_ = 0;
    bool wide_counts_ = false;  ///< there are carries
    bool wide_words_ = false;
    std::array<std::int64_t, chunk> counts_;
    std::array<std::int64_t, chunk> carries_of_counts_;
    std::array<double, chunk> uppers_;
    std::array<double, chunk> lowers_;
    std::array<std::int64_t, 2 * chunk> words_;
    std::array<std::int64_t, 2 * chunk> carries_of_words_;
    std::array<int128, chunk> collected_sums_;
  };
  /// targets[k] += everything of number first + k.
  template <class T>
  void add_chunk(const span& all, std::size_t g, std::size_t first, std::size_t size, std::size_t width, T* targets) const {
    const chunk_sums sums(*this, all, g, first, size, width);
    const bool in_halves = all.halves.any();
    const int place = in_halves ? all.halves.units.place() : all.unit.place();
    const std::uint64_t alone = in_halves || holds_counts<T>(place) ? sums.alone() : 0;
    for (std::uint64_t left = add_alone(all, sums, alone, size, targets); left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      T& target = targets[k];
      int128 sum = 0;
      if ((alone >> k & 1) != 0 && add_sum(sums.alone_total(k), place, target)) continue;
      if (sums.total(k, sum) && add_sum(sum, all.units.first, target)) continue;
      const bool in_words = all.hold_all && !all.collected.has(first + k) && !in_halves;
      if (!in_words || !add_words(g, first + k, all.units, target)) add_exactly(g, first + k, target);
    }
  }
  /// targets[k] += counts or halves[k], for bits k of `which`. Bits of those that are left: of others, and where a sum takes more than two
  /// doubles.
  template <class T>
  static std::uint64_t add_alone(const span& all, const chunk_sums& sums, std::uint64_t which, std::size_t size, T* targets) {
    std::uint64_t left = ~which & ~std::uint64_t{0} >> (chunk - size);
    if (which == 0) return left;
    std::array<std::uint16_t, chunk> more;
    const auto chosen = [others = left](auto numbers) {
      for (std::uint64_t k = others; k != 0; k &= k - 1) numbers[static_cast<std::size_t>(std::countr_zero(k))] = 0;
      return numbers;
    };
    const std::size_t undecided =
        all.halves.any()
            ? (left == 0 ? kernels::add_halves(sums.uppers().data(), sums.lowers().data(), size, targets, more.data())
                         : kernels::add_halves(chosen(sums.uppers()).data(), chosen(sums.lowers()).data(), size, targets, more.data()))
            : kernels::add_counts(all.unit.value(), left == 0 ? sums.counts().data() : chosen(sums.counts()).data(), size, targets,
                                  more.data());
    for (std::size_t i = 0; i < undecided; ++i) left |= std::uint64_t{1} << more[i];
    return left;
  }
  /// target += sum * 2^(place - 1074), rounded once, for |sum| < 2^126 - 2^123, and left alone where that is zero. False, and left alone
  /// too, where it may take more bits.
  template <class T>
  static bool add_sum(int128 sum, int place, T& target) {
    constexpr int most_shift = 70;  // of a target: 2^123
    if (sum == 0) return true;
    const double_parts own(widened(target));
    if (own.significand != 0) {
      int shift = own.place - place;
      if (shift < 0 || shift > most_shift + 120 || own.place > 2045) return false;
      bool cut = false;
      if (shift > most_shift) {  // far above: the last bit stands for all that lies below
        const int below = shift - most_shift;
        cut = (sum & ((int128{1} << below) - 1)) != 0;
        sum = sum >> below | int128{cut};
        place += below;
        shift = most_shift;
      }
      const int128 all = static_cast<int128>(own.significand) << shift;
      sum += own.negative ? -all : all;
      if (cut && (sum < 0 ? -sum : sum) >> 60 == 0) return false;
    }
    if (holds_counts<T>(place)) {
      target = rounded<T>(sum, place - 1074);
    } else {
      target = round_to<T>(truncated{static_cast<uint128>(sum < 0 ? -sum : sum), place - 1074, false}, sum < 0);
    }
    return true;
  }
  /// wide * 2^exponent, for |wide| < 2^126. In 2^exponents of a T's normal numbers.
  template <class T>
  static T rounded(int128 wide, int exponent) {
    // The first 63 bits, the last of them set where any beyond is, round as all do. Without branches, which would be taken at random.
    const auto high = static_cast<std::int64_t>(wide >> 64);
    const auto low = static_cast<std::uint64_t>(wide);
    const auto sign = static_cast<std::uint64_t>(high >> 63);
    const std::uint64_t above = (static_cast<std::uint64_t>(high) ^ sign) << 1 | (low ^ sign) >> 63;
    const int more = bit_width(above << 1 | 1) - 1;
    const std::uint64_t rest = low & ((std::uint64_t{1} << more) - 1);
    const std::uint64_t bits = low >> more | static_cast<std::uint64_t>(high) << 1 << (63 - more);
    const auto first = static_cast<std::int64_t>(bits | std::uint64_t{rest != 0});
    return static_cast<T>(first) * static_cast<T>(counted_unit::power(exponent + more));
  }
  /// Whether the unit is a normal T, so that such results are rounded once.
  template <class T>
  static bool holds_counts(int place) {
    return place - 1074 >= std::numeric_limits<T>::min_exponent - 1;
  }
  /// target += everything of a number, with any number of words, which may begin and end at different ones.
  template <class T>
  bool add_words(std::size_t g, std::size_t number, const kernels::word_units& units, T& target) const {
    constexpr int digit = exact_words::digit;
    constexpr std::size_t digits = exact_words::most_words + 2;
    constexpr std::int64_t mask = (std::int64_t{1} << digit) - 1;
    std::array<int128, digits> sum{};
    const auto carry = [&] {
      for (std::size_t k = 0; k + 1 < digits; ++k) {
        sum[k + 1] += sum[k] >> digit;
        sum[k] &= mask;
      }
    };
    for (const exact_copy& c : copies_) {
      if (!c.touched(g) || c.words().units().count == 0) continue;
      const auto up = static_cast<std::size_t>((c.words().units().first - units.first) / digit);
      for (std::size_t k = 0; k < c.words().units().count && c.words().any(g); ++k) sum[up + k] += c.words().of(number)[k];
      if (!c.counted(g)) continue;
      const int place = c.unit().place() - c.words().units().first;
      if (place < 0 || place + 63 >= digit * static_cast<int>(c.words().units().count + 1)) return false;
      sum[up + static_cast<std::size_t>(place / digit)] += static_cast<int128>(c.counts()[number]) << place % digit;
    }
    carry();
    if (sum == std::array<int128, digits>{}) return true;
    const double_parts t(widened(target));
    if (t.significand != 0) {
      const int shift = t.place - units.first;
      if (shift < 0 || shift >= digit * static_cast<int>(units.count) || t.place > 2045) return false;
      const int128 own = static_cast<int128>(t.significand) << shift % digit;
      sum[static_cast<std::size_t>(shift / digit)] += t.negative ? -own : own;
      carry();
    }
    const bool negative = sum.back() < 0;
    if (negative) {
      for (int128& s : sum) s = -s;
      carry();
    }
    std::size_t top = digits - 1;
    while (top > 1 && sum[top] == 0) --top;
    const auto part = [&](std::size_t k) { return static_cast<uint128>(sum[k]); };
    const auto exponent = [&](std::size_t k) { return units.first + digit * static_cast<int>(k) - 1074; };
    truncated v{part(top) << digit | part(top - 1), exponent(top - 1), false};
    if (top > 1) {  // the leading digit may be a single bit: so much of the third that there are bits to round by
      constexpr int third = 24;
      v.bits = v.bits << third | part(top - 2) >> (digit - third);
      v.exponent -= third;
      v.sticky = (part(top - 2) & ((uint128{1} << (digit - third)) - 1)) != 0;
      for (std::size_t k = 0; k + 2 < top; ++k) v.sticky = v.sticky || sum[k] != 0;
    }
    target = round_to<T>(v, negative);
    return true;
  }
  /// The same for any words and values.
  template <class T>
  void add_exactly(std::size_t g, std::size_t number, T& target) const {
    superaccumulator<double> s;
    for (const exact_copy& c : copies_) {
      if (c.touched(g)) c.add_to(s, g, number);
    }
    if (s == superaccumulator<double>()) return;
    s.add(widened(target));
    target = s.round<T>();
  }

  shared_places shared_;
  std::deque<exact_copy> copies_;
};

}  // namespace accrue::detail
