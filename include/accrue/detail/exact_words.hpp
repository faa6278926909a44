// SPDX-License-Identifier: BSD-3-Clause
// Sums of one thread's copy in several words each, to the last bit whatever is added.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>

#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/zeroed_array.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::detail {

/// The numbers of an array of targets, and the groups of targets that are merged together.
struct number_groups {
  static constexpr std::size_t group = private_copies<double>::group;

  std::size_t targets;
  std::size_t width;  ///< numbers a target

  [[nodiscard]] std::size_t numbers() const { return targets * width; }
  [[nodiscard]] std::size_t size() const { return (targets + group - 1) / group; }
  [[nodiscard]] std::size_t of(std::size_t number) const {
    // By constants, as division by others takes long.
    return width == 1 ? number / group : width == 3 ? number / (3 * group) : number / (width * group);
  }
  [[nodiscard]] std::size_t begin(std::size_t g) const { return g * group * width; }
  [[nodiscard]] std::size_t end(std::size_t g) const { return std::min((g + 1) * group, targets) * width; }
};

/// A number, and what is added to it.
struct contribution {
  std::size_t number;
  double value;
};

/// Words of each number, as many for all (kernels::word_units): none at first, then two that hold given values with 6 bits to spare above,
/// later perhaps up to four. What four do not hold is added to a superaccumulator of that number: any finite value, infinities and NaN.
class exact_words {
 public:
  static constexpr std::size_t most_words = 4;
  static constexpr int digit = kernels::word_units::bits;
  static constexpr std::size_t batch = kernels::word_units::most_values;
  static constexpr int highest = 1900;  ///< where words end, so that their bits fit a superaccumulator

  /// `origin`: where all copies' words are aligned; below 0 until the first of them has chosen.
  exact_words(const number_groups& groups, std::atomic<int>& origin) : groups_(groups), origin_(&origin), touched_(groups.size()) {}

  [[nodiscard]] bool any() const { return words_.size() != 0; }
  [[nodiscard]] bool any(std::size_t g) const { return any() && touched_[g] != 0; }
  [[nodiscard]] bool touched(std::size_t g) const { return touched_[g] != 0; }
  [[nodiscard]] bool any_far() const { return !far_.empty(); }
  [[nodiscard]] const kernels::word_units& units() const { return units_; }
  [[nodiscard]] const std::int64_t* of(std::size_t number) const { return words_.data() + number * units_.count; }
  [[nodiscard]] std::size_t bytes() const {
    return words_.size() * sizeof(std::int64_t) + touched_.size() * sizeof(std::uint16_t) + far_.size() * sizeof(superaccumulator<double>);
  }

  /// Units for the largest finite one of these values, if there is any.
  void choose(std::span<const contribution> values) {
    constexpr int bits_above = 6;
    int highest_place = -1;
    for (const contribution& c : values) {
      const int place = double_parts(c.value).place;
      if (!is_zero(c.value) && place < highest) highest_place = std::max(highest_place, place);
    }
    if (highest_place < 0) return;
    const int wanted = std::max(highest_place + 54 + bits_above - 2 * digit, 0);
    int origin = origin_->load(std::memory_order_relaxed);
    if (origin < 0 && origin_->compare_exchange_strong(origin, wanted % digit, std::memory_order_relaxed)) origin = wanted % digit;
    // The lowest of the aligned ones that hold it.
    const int lowest = std::max(highest_place + 54 - 2 * digit, origin);
    units_ = {origin + (lowest - origin + digit - 1) / digit * digit, 2};
  }
  /// Makes the words that were chosen.
  void make() {
    if (units_.count != 0 && !any()) move_to(units_.first, units_.count);
  }
  /// Adds `batch` values at most. In the default environment, as what follows.
  void add(const std::size_t* numbers, const double* values, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      touched_[groups_.of(numbers[i])] |= 1;
      __builtin_prefetch(words_.data() + numbers[i] * units_.count, 1);
    }
    using kernels::words_after;
    const auto after = units_.count == 0 ? words_after::unchanged : kernels::add_to_words(units_, values, numbers, size, words_.data());
    if (after == words_after::in_range) return;
    for (std::size_t i = 0; i < size; ++i) {
      if (after == words_after::unchanged) {
        add_alone(numbers[i], values[i]);
      } else {
        carry(numbers[i]);
      }
    }
  }
  /// Adds count * 2^(place - 1074). Whether there are two words, and they hold it. In any environment.
  bool add_count(std::size_t number, std::int64_t count, int place) {
    const int shift = place - units_.first;
    if (!any() || units_.count != 2 || shift < 0 || shift > 2 * digit - 63) return false;  // else 2^51 of either word at most
    const int128 wide = static_cast<int128>(count) << shift;
    words_[2 * number] += static_cast<std::int64_t>(wide & ((std::int64_t{1} << digit) - 1));
    words_[2 * number + 1] += static_cast<std::int64_t>(wide >> digit);
    touch(groups_.of(number));
    return true;
  }
  /// Adds what is there of a number of group g to `s`.
  void add_to(superaccumulator<double>& s, std::size_t g, std::size_t number) const {
    for (std::size_t k = 0; k < units_.count && any(g); ++k) s.add_integer(of(number)[k], exponent(k));
    if (const auto found = far_.find(number); found != far_.end()) s += found->second;
  }
  /// Forgets a group's words. Returns their bytes.
  std::size_t clear(std::size_t g) {
    if (std::exchange(touched_[g], 0) == 0 || !any()) return 0;
    const std::size_t bytes = (groups_.end(g) - groups_.begin(g)) * units_.count * sizeof(std::int64_t);
    std::memset(words_.data() + groups_.begin(g) * units_.count, 0, bytes);
    return bytes;
  }
  void clear_far() { far_.clear(); }

 private:
  /// To a group until its words are carried: 2^51 each and the 2^61 that carrying leaves are below 2^63.
  static constexpr std::uint16_t most_additions = 1 << 11;

  [[nodiscard]] int exponent(std::size_t k) const { return units_.first + digit * static_cast<int>(k) - 1074; }
  /// A value that the words may not hold: there may be more of them from now on, or the superaccumulator of that number takes it.
  void add_alone(std::size_t number, double x) {
    if (is_zero(x)) return;
    if (hold(x)) {
      (void)kernels::add_to_words(units_, &x, &number, 1, words_.data());
      carry(number);
    } else {
      far_[number].add(x);
    }
  }
  /// Words that are nearly full carry into the next; where the last is, the superaccumulator of that number takes them all.
  void carry(std::size_t number) {
    std::int64_t* const w = words_.data() + number * units_.count;
    constexpr std::int64_t most = kernels::word_units::nearly_full;
    const auto full = [&](std::size_t k) { return w[k] >= most || w[k] < -most; };
    for (std::size_t k = 0; k + 1 < units_.count; ++k) {
      if (!full(k)) continue;
      const std::int64_t carried = w[k] >> digit;
      w[k] -= carried * (std::int64_t{1} << digit);
      w[k + 1] += carried;
    }
    if (!full(units_.count - 1)) return;
    const fp_environment environment;  // finding a number computes in floating point
    auto& s = far_[number];
    for (std::size_t k = 0; k < units_.count; ++k) s.add_integer(std::exchange(w[k], 0), exponent(k));
  }
  /// Once more, at most, to every number of a group.
  void touch(std::size_t g) {
    if (++touched_[g] <= most_additions) [[likely]] return;
    for (std::size_t number = groups_.begin(g); number < groups_.end(g); ++number) carry(number);
    touched_[g] = 1;
  }
  /// Whether there are words for a value, perhaps from now on.
  bool hold(double x) {
    const double_parts p(x);
    if (p.place >= highest || units_.count == 0) return false;
    const int below = p.place + std::countr_zero(p.significand);
    const int above = p.place + static_cast<int>(std::bit_width(p.significand)) + 1;
    const int origin = origin_->load(std::memory_order_relaxed);
    if (below < origin) return false;
    const int first = origin + (std::min(below, units_.first) - origin) / digit * digit;
    const int end = std::max(above, units_.first + digit * static_cast<int>(units_.count));
    const auto count = static_cast<std::size_t>((end - first + digit - 1) / digit);
    if (count > most_words) return false;
    if (count != units_.count) move_to(first, count);
    return true;
  }
  void move_to(int first, std::size_t count) {
    zeroed_array<std::int64_t> words(groups_.numbers() * count);
    const auto up = static_cast<std::size_t>((units_.first - first) / digit);
    for (std::size_t number = 0; number < groups_.numbers() && any(); ++number) {
      if (touched_[groups_.of(number)] == 0) continue;
      std::copy_n(words_.data() + number * units_.count, units_.count, words.data() + number * count + up);
    }
    words_ = std::move(words);
    units_ = {first, count};
  }

  number_groups groups_;
  std::atomic<int>* origin_;
  kernels::word_units units_;
  zeroed_array<std::int64_t> words_;
  zeroed_array<std::uint16_t> touched_;  ///< by group: 0, or how often words were added to since they were carried, and perhaps one more
  std::unordered_map<std::size_t, superaccumulator<double>> far_;
};

}  // namespace accrue::detail
