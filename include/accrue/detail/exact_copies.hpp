// SPDX-License-Identifier: BSD-3-Clause
// Private copies of an array of targets as exact sums: what a thread adds to a number is kept to the last bit, in two signed words where
// the contributions' exponents allow it. The result is therefore the same for any number of threads and any order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <new>
#include <unordered_map>
#include <utility>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/rounding.hpp"
#include "accrue/detail/zeroed_array.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::detail {

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

/// One thread's copy. A number has `count` words (kernels::word_units), the same for all. The first contributions are collected and added
/// as a batch, which says which words there are: two where they hold it, with 6 bits to spare above; later ones may make them four. What
/// four do not hold is added to a superaccumulator of that number: any finite value, infinities and NaN.
/// From then on a contribution is added at once where there are two words and these lie in the second-level cache; others by batches, which
/// fetch the words from memory meanwhile.
class exact_copy {
 public:
  static constexpr std::size_t group = private_copies<double>::group;
  static constexpr std::size_t most_words = 4;
  static constexpr int digit = kernels::word_units::bits;

  /// `origin` is where the words of all copies are aligned, below 0 until a contribution has set it.
  exact_copy(std::size_t targets, std::size_t width, std::atomic<int>& origin)
      : targets_(targets), width_(width), origin_(&origin), touched_((targets + group - 1) / group) {}

  /// Adds to the numbers of a target, as many as the width.
  template <std::size_t width>
  void add(std::size_t target, const std::array<double, width>& x) {
    bool held = true;
    for (const double component : x) held = held & pairs_.hold(component);
    if (!held) [[unlikely]] return collect(target, x);
    std::int64_t* const at = words_.data() + 2 * width * target;
    std::array<word_pairs::words, width> sum;
    std::memcpy(sum.data(), at, sizeof sum);
    for (std::size_t d = 0; d < width; ++d) pairs_.add(x[d], sum[d]);
    std::memcpy(at, sum.data(), sizeof sum);
    if (++touched_[target / group] > most_additions) [[unlikely]] carry_group(target / group);
  }
  /// Adds what is collected.
  void flush() {
    if (size_ == 0) return;
    const fp_environment environment;
    try {
      add_batch();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
    size_ = 0;
  }

  [[nodiscard]] std::size_t bytes() const {
    return words_.size() * sizeof(std::int64_t) + touched_.size() * sizeof(std::uint16_t) + far_.size() * sizeof(superaccumulator<double>);
  }
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }

  // For merging, when nothing is left to flush.
  [[nodiscard]] bool touched(std::size_t g) const { return touched_[g] != 0; }
  [[nodiscard]] bool has_far() const { return !far_.empty(); }
  [[nodiscard]] const kernels::word_units& units() const { return units_; }
  [[nodiscard]] const std::int64_t* words(std::size_t number) const { return words_.data() + number * units_.count; }
  /// Adds what is there of a number.
  void add_to(superaccumulator<double>& s, std::size_t number) const {
    for (std::size_t k = 0; k < units_.count; ++k) s.add_integer(words(number)[k], exponent(k));
    if (const auto found = far_.find(number); found != far_.end()) s += found->second;
  }
  /// Forgets a group's words.
  void clear(std::size_t g) {
    if (touched_[g] == 0) return;
    const std::size_t begin = g * group * width_ * units_.count;
    const std::size_t end = std::min((g + 1) * group, targets_) * width_ * units_.count;
    if (end != begin) std::memset(words_.data() + begin, 0, (end - begin) * sizeof(std::int64_t));
    touched_[g] = 0;
  }
  /// Forgets the rest, when all groups are cleared.
  void clear_far() {
    far_.clear();
    out_of_memory_ = false;
  }

 private:
  static constexpr std::size_t batch = kernels::word_units::most_values;
  static constexpr int highest = 1900;  ///< where words end, so that their bits fit a superaccumulator
  /// To a group until its words are carried: 2^51 each and the 2^61 that carrying leaves are below 2^63.
  static constexpr std::uint16_t most_additions = 1 << 11;
  static constexpr std::size_t cached_bytes = std::size_t{1} << 18;  ///< of words that take contributions at once

  [[nodiscard]] int exponent(std::size_t k) const { return units_.first + digit * static_cast<int>(k) - 1074; }

  template <std::size_t width>
  void collect(std::size_t target, const std::array<double, width>& x) {
    touched_[target / group] |= 1;
    for (std::size_t d = 0; d < width; ++d) {
      const std::size_t at = size_;
      numbers_[at] = target * width + d;
      values_[at] = x[d];
      size_ = at + 1;
      __builtin_prefetch(words_.data() + numbers_[at] * units_.count, 1);
      if (at + 1 == batch) [[unlikely]] flush();
    }
  }
  void add_batch() {
    using kernels::words_after;
    if (units_.count == 0) make_words();
    const auto after = units_.count == 0 ? words_after::unchanged
                                         : kernels::add_to_words(units_, values_.data(), numbers_.data(), size_, words_.data());
    if (after == words_after::in_range) return;
    for (std::size_t i = 0; i < size_; ++i) {
      if (after == words_after::unchanged) {
        add_alone(numbers_[i], values_[i]);
      } else {
        carry(numbers_[i]);
      }
    }
  }
  /// A value that the words may not hold: there may be more of them from now on, or the superaccumulator of that number takes it.
  void add_alone(std::size_t number, double x) {
    if (x == 0) return;
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
    auto& s = far_[number];
    for (std::size_t k = 0; k < units_.count; ++k) s.add_integer(std::exchange(w[k], 0), exponent(k));
  }

  void carry_group(std::size_t g) {
    const fp_environment environment;
    try {
      for (std::size_t number = g * group * width_; number < std::min((g + 1) * group, targets_) * width_; ++number) carry(number);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;  // what follows is wrong, which is told
    }
    touched_[g] = 1;
  }

  /// Words for the first batch: for its largest finite value.
  void make_words() {
    constexpr int bits_above = 6;
    int highest_place = -1;
    for (std::size_t i = 0; i < size_; ++i) {
      const int place = double_parts(values_[i]).place;
      if (values_[i] != 0 && place < highest) highest_place = std::max(highest_place, place);
    }
    if (highest_place < 0) return;
    const int wanted = std::max(highest_place + 54 + bits_above - 2 * digit, 0);
    int origin = origin_->load(std::memory_order_relaxed);
    if (origin < 0 && origin_->compare_exchange_strong(origin, wanted % digit, std::memory_order_relaxed)) origin = wanted % digit;
    // The lowest of the aligned ones that hold it.
    const int lowest = std::max(highest_place + 54 - 2 * digit, origin);
    move_to(origin + (lowest - origin + digit - 1) / digit * digit, 2);
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
    zeroed_array<std::int64_t> words(targets_ * width_ * count);
    const std::size_t up = units_.count == 0 ? 0 : static_cast<std::size_t>((units_.first - first) / digit);
    for (std::size_t number = 0; number < targets_ * width_ && units_.count != 0; ++number) {
      if (touched_[number / width_ / group] == 0) continue;
      std::copy_n(words_.data() + number * units_.count, units_.count, words.data() + number * count + up);
    }
    words_ = std::move(words);
    units_ = {first, count};
    pairs_ = count == 2 && words_.size() * sizeof(std::int64_t) <= cached_bytes ? word_pairs(first) : word_pairs();
  }

  kernels::word_units units_;
  word_pairs pairs_;
  zeroed_array<std::int64_t> words_;
  std::size_t targets_;
  std::size_t width_;
  std::atomic<int>* origin_;
  zeroed_array<std::uint16_t> touched_;  ///< by group: 0, or how often words were added to since they were carried, and perhaps one more
  std::size_t size_ = 0;
  std::array<std::size_t, batch> numbers_;
  alignas(64) std::array<double, batch> values_;
  std::unordered_map<std::size_t, superaccumulator<double>> far_;
  bool out_of_memory_ = false;
};

/// The copies of a team.
class exact_copies {
 public:
  exact_copy& of(std::size_t thread, std::size_t targets, std::size_t width) {
    while (copies_.size() <= thread) copies_.emplace_back(targets, width, origin_);
    return copies_[thread];
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const exact_copy& c : copies_) sum += c.bytes();
    return sum;
  }

  /// Hands the targets of a group, whose component d of target j is `target(j, d)`, what was added to them, rounded once, and forgets it.
  /// Returns the bytes read.
  template <class Target>
  std::size_t merge_group(std::size_t g, std::size_t targets, std::size_t width, const Target& target) {
    const span words = span_of(g);
    if (words.copies == 0) return 0;
    const std::size_t end = std::min((g + 1) * exact_copy::group, targets);
    for (std::size_t j = g * exact_copy::group; j < end; ++j) {
      for (std::size_t d = 0; d < width; ++d) {
        auto& t = target(j, d);
        const std::size_t number = j * width + d;
        if (words.alike && words.units.count == 2 && add_pairs(g, number, words.units, t)) continue;
        if (!words.hold_all || !add_words(g, number, words.units, t)) add_exactly(g, number, t);
      }
    }
    std::size_t read = 0;
    for (exact_copy& c : copies_) {
      if (c.touched(g)) read += (end - g * exact_copy::group) * width * c.units().count * sizeof(std::int64_t);
      c.clear(g);
    }
    return read;
  }
  /// When all groups are merged. Whether there was memory for all contributions.
  bool finish() {
    bool good = true;
    for (exact_copy& c : copies_) {
      good = good && !c.out_of_memory();
      c.clear_far();
    }
    return good;
  }

 private:
  /// The words of a group's copies together: they are aligned, but may begin and end at different ones.
  struct span {
    std::size_t copies = 0;
    bool alike = true;
    bool hold_all = true;  ///< as few as one copy may have, and nothing lies beyond them
    kernels::word_units units{};
  };
  [[nodiscard]] span span_of(std::size_t g) const {
    span all;
    for (const exact_copy& c : copies_) {
      if (!c.touched(g)) continue;
      ++all.copies;
      all.hold_all = all.hold_all && !c.has_far();
      all.alike = all.alike && c.units().count != 0;
      if (c.units().count == 0) continue;
      if (all.units.count == 0) all.units = c.units();
      const auto end = [](const kernels::word_units& u) { return u.first + exact_copy::digit * static_cast<int>(u.count); };
      all.alike = all.alike && c.units().count == all.units.count && c.units().first == all.units.first;
      const int behind = std::max(end(all.units), end(c.units()));
      all.units.first = std::min(all.units.first, c.units().first);
      all.units.count = static_cast<std::size_t>((behind - all.units.first) / exact_copy::digit);
    }
    all.hold_all = all.hold_all && all.units.count <= exact_copy::most_words;
    all.alike = all.alike && all.hold_all;
    return all;
  }
  /// target += the words of all copies, two each and alike, where 128 bits hold the target too. A target to which they add zero stays as
  /// it is.
  template <class T>
  bool add_pairs(std::size_t g, std::size_t number, const kernels::word_units& units, T& target) const {
    constexpr std::size_t most_copies = 1024;
    if (copies_.size() > most_copies) return false;
    int128 sum = 0;
    for (const exact_copy& c : copies_) {
      if (c.touched(g)) sum += c.words(number)[0] + (static_cast<int128>(c.words(number)[1]) * (std::int64_t{1} << exact_copy::digit));
    }
    if (sum == 0) return true;
    const double_parts t(static_cast<double>(target));
    if (t.significand != 0) {
      const int shift = t.place - units.first;
      if (shift < 0 || shift > 127 - 53 - 2) return false;
      const int128 own = static_cast<int128>(t.significand) << shift;
      sum += t.negative ? -own : own;
    }
    const auto bits = static_cast<uint128>(sum < 0 ? -sum : sum);
    target = round_to<T>(truncated{bits, units.first - 1074, false}, sum < 0);
    return true;
  }
  /// The same with any number of words, which may begin and end at different ones.
  template <class T>
  bool add_words(std::size_t g, std::size_t number, const kernels::word_units& units, T& target) const {
    constexpr int digit = exact_copy::digit;
    constexpr std::size_t digits = exact_copy::most_words + 2;
    constexpr std::int64_t mask = (std::int64_t{1} << digit) - 1;
    std::array<int128, digits> sum{};
    const auto carry = [&] {
      for (std::size_t k = 0; k + 1 < digits; ++k) {
        sum[k + 1] += sum[k] >> digit;
        sum[k] &= mask;
      }
    };
    for (const exact_copy& c : copies_) {
      if (!c.touched(g) || c.units().count == 0) continue;
      const auto up = static_cast<std::size_t>((c.units().first - units.first) / digit);
      for (std::size_t k = 0; k < c.units().count; ++k) sum[up + k] += c.words(number)[k];
    }
    carry();
    if (sum == std::array<int128, digits>{}) return true;
    const double_parts t(static_cast<double>(target));
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
      if (c.touched(g)) c.add_to(s, number);
    }
    if (s == superaccumulator<double>()) return;
    s.add(static_cast<double>(target));
    target = s.round<T>();
  }

  std::atomic<int> origin_{-1};
  std::deque<exact_copy> copies_;
};

}  // namespace accrue::detail
