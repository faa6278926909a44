// SPDX-License-Identifier: BSD-3-Clause
// One thread's copy of an array of targets as exact sums: what it adds to a number is kept to the last bit, in one signed word where the
// contributions' exponents allow it, or in several.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/zeroed_array.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::detail {

/// What the copies of a team agree on, so that merging is easy: below 0 until a copy has set it.
struct shared_places {
  std::atomic<int> origin{-1};  ///< where their words are aligned
  std::atomic<int> unit{-1};    ///< what they count, but for copies whose contributions differ much
};

/// One thread's copy. Most contributions are counted at once: a number has a count of one unit, which takes those of some binades
/// (counted_unit). Others wait until there are some. They, and counts that outgrow 64 bits, are collected. Where that is many, they are
/// added to words (kernels::word_units), as many for each number: two that hold the first contributions with 6 bits to spare above, later
/// perhaps up to four. What four do not hold is added to a superaccumulator of that number: any finite value, infinities and NaN. Two words
/// that lie in the second-level cache are added to at once. The first contributions say what unit and words there are; where many are not
/// counted, the next say whether another unit suits them more.
class alignas(64) exact_copy {
 public:
  static constexpr std::size_t group = private_copies<double>::group;
  static constexpr std::size_t most_words = 4;
  static constexpr int digit = kernels::word_units::bits;

  struct contribution {
    std::size_t number;
    double value;
  };

  exact_copy(std::size_t targets, std::size_t width, shared_places& shared)
      : waiting_numbers_(std::max(most_waiting, width)),
        waiting_values_(waiting_numbers_.size()),
        targets_(targets),
        width_(width),
        shared_(&shared),
        counts_(targets * width),
        counted_((targets + group - 1) / group),
        touched_(counted_.size()),
        most_collected_(std::max(targets * width / 8, batch)),
        patience_(std::max<std::size_t>(targets * width / 8, 1024)) {}

  /// What the thread adds to, as a value which a compiler keeps in registers.
  template <std::size_t D>
  class adder {
   public:
    adder() = default;
    explicit adder(exact_copy& copy)
        : counts_(copy.counts_.data()),
          counted_(copy.counted_.data()),
          copy_(&copy) {
      follow();
    }

    [[gnu::always_inline]] void add(std::size_t target, const std::array<double, D>& x) {
      std::int64_t* const at = opaque(counts_ + D * target);
      if (unit_.held().surely_hold(x)) [[likely]] {
        counted_[target / group] = 1;
        if constexpr (D == 3) {  // compilers leave a loop at -O2
          copy_->count(unit_, D * target, at, x[0]);
          copy_->count(unit_, D * target + 1, at + 1, x[1]);
          copy_->count(unit_, D * target + 2, at + 2, x[2]);
        } else {
          for (std::size_t d = 0; d < D; ++d) copy_->count(unit_, D * target + d, at + d, x[d]);
        }
        return;
      }
      add_some(target, x, std::make_index_sequence<D>());
    }
    /// The same of what is counted already, in the unit that this is of. It stays until others than counts are added.
    [[nodiscard]] kernels::counted_range unit() const { return unit_.range(); }
    /// counts[k] to target keys[k]; where there is no such target, none. Whether all have one.
    bool add_counts(const std::uint32_t* keys, const std::int64_t* counts, std::size_t size) const
      requires(D == 1)
    {
      std::int64_t* const to = counts_;
      std::uint8_t* const counted = counted_;
      const std::size_t targets = copy_->targets_;
      bool known = true;
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t key = keys[k];
        if (key >= targets) [[unlikely]] {
          known = false;
          continue;
        }
        counted[key / group] = 1;
        if (__builtin_add_overflow(to[key], counts[k], to + key)) [[unlikely]] copy_->start_again(key, counts[k]);
      }
      return known;
    }
    /// When the thread has added everything: makes ready for merging.
    void flush() {
      if (copy_ == nullptr) return;
      copy_->flush();
      follow();
    }

   private:
    /// One by one: an array would have to be in memory, before the branch too.
    template <std::size_t... d>
    [[gnu::always_inline]] void add_some(std::size_t target, const std::array<double, D>& x, std::index_sequence<d...>) {
      if (!copy_->add_some(target, x[d]...)) follow();
    }
    void follow() { unit_ = copy_->unit_at_once(); }

    counted_unit unit_;  ///< of what is counted at once
    std::int64_t* counts_ = nullptr;
    std::uint8_t* counted_ = nullptr;
    exact_copy* copy_ = nullptr;
  };

  [[nodiscard]] std::size_t bytes() const {
    return (counts_.size() + words_.size()) * sizeof(std::int64_t) + touched_.size() * (sizeof(std::uint16_t) + 1) +
           collected_.capacity() * sizeof(contribution) + far_.size() * sizeof(superaccumulator<double>);
  }
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }

  // For merging, after `flush`.
  [[nodiscard]] bool counted(std::size_t g) const { return counted_[g] != 0; }
  [[nodiscard]] bool has_words(std::size_t g) const { return words_.size() != 0 && touched_[g] != 0; }
  [[nodiscard]] bool touched(std::size_t g) const { return counted(g) || touched_[g] != 0 || !collected(g).empty(); }
  [[nodiscard]] bool has_far() const { return !far_.empty(); }
  [[nodiscard]] const std::int64_t* counts() const { return counts_.data(); }
  [[nodiscard]] const counted_unit& unit() const { return unit_; }
  [[nodiscard]] const kernels::word_units& units() const { return units_; }
  [[nodiscard]] const std::int64_t* words(std::size_t number) const { return words_.data() + number * units_.count; }
  /// What is collected for numbers of a group, in their order.
  [[nodiscard]] std::span<const contribution> collected(std::size_t g) const {
    if (ends_.empty()) return {};
    const std::size_t begin = g == 0 ? 0 : ends_[g - 1];
    return {collected_.data() + begin, ends_[g] - begin};
  }
  /// And for some of them.
  [[nodiscard]] std::span<const contribution> collected(std::size_t g, std::size_t first, std::size_t end) const {
    const auto all = collected(g);
    const auto from = std::lower_bound(all.begin(), all.end(), contribution{first, 0}, in_order);
    return {from, std::lower_bound(from, all.end(), contribution{end, 0}, in_order)};
  }
  /// Adds what is there of a number of group g.
  void add_to(superaccumulator<double>& s, std::size_t g, std::size_t number) const {
    if (counted(g)) s.add_integer(counts()[number], unit_.place() - 1074);
    for (std::size_t k = 0; k < units_.count && has_words(g); ++k) s.add_integer(words(number)[k], exponent(k));
    for (const contribution& c : collected(g, number, number + 1)) s.add(c.value);
    if (const auto found = far_.find(number); found != far_.end()) s += found->second;
  }
  /// Forgets a group's counts and words. Returns their bytes.
  std::size_t clear(std::size_t g) {
    const auto clear = [&](auto& touched, std::int64_t* numbers, std::size_t words) -> std::size_t {
      if (touched[g] == 0) return 0;
      touched[g] = 0;
      const std::size_t bytes = (end_of(g) - begin_of(g)) * words * sizeof(std::int64_t);
      if (bytes != 0) std::memset(numbers + begin_of(g) * words, 0, bytes);
      return bytes;
    };
    return clear(counted_, counts_.data(), 1) + clear(touched_, words_.data(), words_.size() != 0 ? units_.count : 0);
  }
  /// Forgets the rest, when all groups are cleared.
  void clear_rest() {
    collected_.clear();
    chosen_from_ = 0;
    ends_.clear();
    far_.clear();
    out_of_memory_ = false;
  }

 private:
  static constexpr std::size_t most_waiting = 96;  ///< numbers, or those of one contribution: few enough to stay in the first-level cache
  static constexpr std::size_t batch = kernels::word_units::most_values;
  static constexpr int lowest_unit = 53;  ///< whose value is a normal double
  static constexpr int highest = 1900;    ///< where words end, so that their bits fit a superaccumulator
  /// To a group until its words are carried: 2^51 each and the 2^61 that carrying leaves are below 2^63.
  static constexpr std::uint16_t most_additions = 1 << 11;
  static constexpr std::size_t cached_bytes = std::size_t{1} << 18;  ///< of words that take contributions at once

  static bool in_order(const contribution& a, const contribution& b) { return a.number < b.number; }
  [[nodiscard]] int exponent(std::size_t k) const { return units_.first + digit * static_cast<int>(k) - 1074; }
  [[nodiscard]] std::size_t group_of(std::size_t number) const {
    // By constants, as division by others takes long.
    return width_ == 1 ? number / group : width_ == 3 ? number / (3 * group) : number / (width_ * group);
  }
  [[nodiscard]] std::size_t begin_of(std::size_t g) const { return g * group * width_; }
  [[nodiscard]] std::size_t end_of(std::size_t g) const { return std::min((g + 1) * group, targets_) * width_; }

  /// A contribution of which not all is counted at once. False where all that waited is added, and the unit may be another.
  template <class... X>
  [[gnu::noinline]] bool add_some(std::size_t target, X... numbers_of_target) {
    const double x[] = {numbers_of_target...};
    constexpr std::size_t width = sizeof...(X);
    const counted_unit unit = unit_;
    const bool counting = !choosing_ && unit.any();
    std::size_t* const numbers = waiting_numbers_.data();
    double* const values = waiting_values_.data();
    std::int64_t* const at = counts_.data() + target * width;
    std::size_t waiting = waiting_;
    for (std::size_t d = 0; d < width; ++d) {  // without branches that would be taken at random
      bool counted = false;
      if (counting) {
        counted = unit.held().hold(x[d]);
        count(unit, target * width + d, at + d, counted ? x[d] : 0);
      }
      numbers[waiting] = target * width + d;
      values[waiting] = x[d];
      waiting += (counted | is_zero(x[d])) ? 0 : 1;
    }
    if (counting) counted_[target / group] = 1;
    waiting_ = waiting;
    if (waiting + width <= waiting_numbers_.size()) [[likely]] return true;
    add_waiting();
    return false;
  }
  void add_waiting() {
    const std::size_t size = std::exchange(waiting_, 0);
    if (words_.size() != 0 && !pairs_.any() && !choosing_ && !unit_.any()) {
      add_to_words(size);
    } else {
      for (std::size_t k = 0; k < size; ++k) add_number(waiting_numbers_[k], waiting_values_[k]);
    }
    if (choosing_) {
      if (collected_.size() - chosen_from_ >= batch) choose();
    } else {
      note_others(size);
    }
  }
  void flush() {
    if (waiting_ != 0) add_waiting();
    if (collected_.empty()) return;
    const fp_environment environment;
    try {
      if (units_.count == 0) choose();
      if (words_.size() != 0) {
        add_collected();
      } else {
        sort_collected();
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }

  // Counts.

  /// Of what is counted at once.
  [[nodiscard]] counted_unit unit_at_once() const { return choosing_ ? counted_unit() : unit_; }
  /// Adds what the unit holds, or zero.
  [[gnu::always_inline]] void count(const counted_unit& unit, std::size_t number, std::int64_t* at, double x) {
    const std::int64_t more = unit.count(x);
    if (__builtin_add_overflow(*at, more, at)) [[unlikely]] start_again(number, more);
  }
  /// A count that has outgrown 64 bits by this: what it was before goes to words, or is collected.
  [[gnu::noinline]] void start_again(std::size_t number, std::int64_t more) {
    const auto before = static_cast<std::int64_t>(static_cast<std::uint64_t>(counts_[number]) - static_cast<std::uint64_t>(more));
    counts_[number] = more;
    move_count(number, before);
  }
  void move_count(std::size_t number, std::int64_t count) {
    const int shift = unit_.place() - units_.first;
    if (words_.size() != 0 && units_.count == 2 && shift >= 0 && shift <= 2 * digit - 63) {  // 2^51 of either at most
      const int128 wide = static_cast<int128>(count) << shift;
      words_[2 * number] += static_cast<std::int64_t>(wide & ((std::int64_t{1} << digit) - 1));
      words_[2 * number + 1] += static_cast<std::int64_t>(wide >> digit);
      return touch_words(group_of(number));
    }
    constexpr int low_bits = 64 - 53;
    const std::int64_t high = count >> low_bits;
    const std::int64_t low = count - high * (1 << low_bits);
    collect(number, static_cast<double>(high) * unit_.value() * (1 << low_bits));
    collect(number, static_cast<double>(low) * unit_.value());
  }

  // What is not counted.

  /// To words at once, or collected.
  void add_number(std::size_t number, double x) {
    if (!pairs_.held().hold(x) || choosing_) return collect(number, x);
    add_pair(number, x);
    touch_words(group_of(number));
  }
  void add_pair(std::size_t number, double x) {
    std::int64_t* const at = words_.data() + 2 * number;
    word_pairs::words sum{at[0], at[1]};
    pairs_.add(x, sum);
    at[0] = sum.low;
    at[1] = sum.high;
  }
  /// From time to time, whether the unit still suits: the next contributions say it.
  void note_others(std::size_t count) {
    others_ += count;
    if (others_ < patience_) return;
    choosing_ = true;
    chosen_from_ = collected_.size();
    others_ = 0;
    patience_ *= 2;
  }
  void collect(std::size_t number, double x) {
    if (is_zero(x)) return;
    try {
      collected_.push_back({number, x});
      if (choosing_ || collected_.size() < most_collected_) [[likely]] return;
      const fp_environment environment;
      add_collected();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;  // what follows is wrong, which is told
    }
  }

  // Units.

  void choose() {
    const fp_environment environment;
    choosing_ = false;
    try {
      if (units_.count == 0) choose_words();
      choose_unit();
      count_collected();
      if (collected_.size() >= most_collected_) add_collected();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }
  /// Two words for the largest finite value of those that are collected.
  void choose_words() {
    constexpr int bits_above = 6;
    int highest_place = -1;
    for (const contribution& c : collected_) {
      const int place = double_parts(c.value).place;
      if (!is_zero(c.value) && place < highest) highest_place = std::max(highest_place, place);
    }
    if (highest_place < 0) return;
    const int wanted = std::max(highest_place + 54 + bits_above - 2 * digit, 0);
    int origin = shared_->origin.load(std::memory_order_relaxed);
    if (origin < 0 && shared_->origin.compare_exchange_strong(origin, wanted % digit, std::memory_order_relaxed)) origin = wanted % digit;
    // The lowest of the aligned ones that hold it.
    const int lowest = std::max(highest_place + 54 - 2 * digit, origin);
    units_ = {origin + (lowest - origin + digit - 1) / digit * digit, 2};
  }
  /// A unit for most of the last values that were collected, unless the unit that there is holds half of them: with 2 bits to spare above
  /// their largest, or 5 where nearly all have one sign, and with more where 3 binades remain below their smallest. None where they lie too
  /// far apart.
  void choose_unit() {
    constexpr int binades_below = 3;
    std::array<int, batch> places;
    std::size_t values = 0;
    std::size_t negative = 0;
    std::size_t held = 0;
    for (std::size_t i = collected_.size() - std::min(collected_.size(), batch); i < collected_.size(); ++i) {
      const double_parts p(collected_[i].value);
      if (p.significand == 0) continue;
      places[values++] = p.place;
      negative += p.negative ? 1 : 0;
      held += unit_.held().hold(collected_[i].value) ? 1 : 0;
    }
    if (2 * held > values) return;
    const int bits_above = std::min(negative, values - negative) * 8 < values ? 5 : 2;
    std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(values));
    std::size_t most = 0;
    int lowest_place = 0;
    int highest_place = 0;
    for (std::size_t first = 0, i = 0; i < values; ++i) {
      while (places[i] - places[first] >= counted_unit::binades - 2) ++first;
      if (i - first + 1 < most) continue;
      most = i - first + 1;
      lowest_place = places[first];
      highest_place = places[i];
    }
    int place = std::max(lowest_place - binades_below, highest_place + bits_above + 1 - counted_unit::binades);
    int agreed = shared_->unit.load(std::memory_order_relaxed);
    if (agreed < 0) shared_->unit.compare_exchange_strong(agreed, place, std::memory_order_relaxed);
    if (agreed >= 0 && agreed <= place + 1 && agreed + counted_unit::binades > highest_place + 1) place = agreed;

    const bool good = 4 * most > 3 * values && place >= lowest_unit && place < highest;
    const counted_unit next = good ? counted_unit(place) : counted_unit();
    for (std::size_t g = 0; unit_.any() && next.place() != unit_.place() && g < counted_.size(); ++g) {
      if (counted_[g] == 0) continue;
      for (std::size_t number = begin_of(g); number < end_of(g); ++number) move_count(number, std::exchange(counts_[number], 0));
      counted_[g] = 0;
    }
    unit_ = next;
  }
  /// What was collected to choose the unit by, as far as the unit holds it: numbers that have but a count are merged fastest.
  void count_collected() {
    if (!unit_.any()) return;
    const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(chosen_from_);
    const std::vector<contribution> last(first, collected_.end());
    collected_.erase(first, collected_.end());
    for (const contribution& c : last) {
      if (!unit_.held().hold(c.value)) {
        collected_.push_back(c);
        continue;
      }
      counted_[group_of(c.number)] = 1;
      count(unit_, c.number, counts_.data() + c.number, c.value);
    }
  }

  // Words.

  void add_collected() {
    if (units_.count == 0) choose_words();
    if (units_.count != 0 && words_.size() == 0) move_to(units_.first, units_.count);
    std::array<std::size_t, batch> numbers;
    alignas(64) std::array<double, batch> values;
    for (std::size_t first = 0; first < collected_.size(); first += batch) {
      const std::size_t size = std::min(batch, collected_.size() - first);
      for (std::size_t i = 0; i < size; ++i) {
        numbers[i] = collected_[first + i].number;
        values[i] = collected_[first + i].value;
        touched_[group_of(numbers[i])] |= 1;
        __builtin_prefetch(words_.data() + numbers[i] * units_.count, 1);
      }
      add_batch(numbers.data(), values.data(), size);
    }
    collected_.clear();
    chosen_from_ = 0;
    ends_.clear();
  }
  /// What waits, so many, to words alone.
  void add_to_words(std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) {
      touched_[group_of(waiting_numbers_[k])] |= 1;
      __builtin_prefetch(words_.data() + waiting_numbers_[k] * units_.count, 1);
    }
    const fp_environment environment;
    try {
      for (std::size_t first = 0; first < size; first += batch) {
        add_batch(waiting_numbers_.data() + first, waiting_values_.data() + first, std::min(batch, size - first));
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }
  void add_batch(const std::size_t* numbers, const double* values, std::size_t size) {
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
  void touch_words(std::size_t g) {
    if (++touched_[g] <= most_additions) [[likely]] return;
    try {
      for (std::size_t number = begin_of(g); number < end_of(g); ++number) carry(number);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;  // what follows is wrong, which is told
    }
    touched_[g] = 1;
  }

  /// Whether there are words for a value, perhaps from now on.
  bool hold(double x) {
    const double_parts p(x);
    if (p.place >= highest || units_.count == 0) return false;
    const int below = p.place + std::countr_zero(p.significand);
    const int above = p.place + static_cast<int>(std::bit_width(p.significand)) + 1;
    const int origin = shared_->origin.load(std::memory_order_relaxed);
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
    const auto up = static_cast<std::size_t>((units_.first - first) / digit);
    for (std::size_t number = 0; number < targets_ * width_ && words_.size() != 0; ++number) {
      if (touched_[group_of(number)] == 0) continue;
      std::copy_n(words_.data() + number * units_.count, units_.count, words.data() + number * count + up);
    }
    words_ = std::move(words);
    units_ = {first, count};
    pairs_ = count == 2 && words_.size() * sizeof(std::int64_t) <= cached_bytes ? word_pairs(first) : word_pairs();
  }

  /// Orders what is collected by groups, and their numbers.
  void sort_collected() {
    std::vector<contribution> sorted(collected_.size());  // first: without memory for it, nothing has an order
    ends_.assign(counted_.size() + 1, 0);
    for (const contribution& c : collected_) ++ends_[group_of(c.number) + 1];
    for (std::size_t g = 1; g < ends_.size(); ++g) ends_[g] += ends_[g - 1];
    for (const contribution& c : collected_) sorted[ends_[group_of(c.number)]++] = c;
    collected_ = std::move(sorted);
    auto first = collected_.begin();
    for (std::size_t g = 0; first != collected_.end(); ++g) {
      const auto end = collected_.begin() + static_cast<std::ptrdiff_t>(ends_[g]);
      std::sort(first, end, in_order);
      first = end;
    }
  }

  zeroed_array<std::size_t> waiting_numbers_;
  zeroed_array<double> waiting_values_;  ///< of these, at the same places
  std::size_t waiting_ = 0;
  std::size_t targets_;
  std::size_t width_;
  shared_places* shared_;
  counted_unit unit_;
  zeroed_array<std::int64_t> counts_;
  kernels::word_units units_;
  word_pairs pairs_;  ///< where two words are in cache
  zeroed_array<std::int64_t> words_;
  zeroed_array<std::uint8_t> counted_;   ///< by group: whether there are counts
  zeroed_array<std::uint16_t> touched_;  ///< by group: 0, or how often words were added to since they were carried, and perhaps one more
  std::vector<contribution> collected_;
  std::vector<std::size_t> ends_;        ///< of groups in what is collected, once it is sorted
  std::size_t most_collected_;           ///< before it is added to words
  std::size_t others_ = 0;               ///< that were not counted since the unit was looked at
  std::size_t patience_;                 ///< so many before it is again
  bool choosing_ = true;                 ///< by the next that are collected
  std::size_t chosen_from_ = 0;          ///< in what is collected
  std::unordered_map<std::size_t, superaccumulator<double>> far_;
  bool out_of_memory_ = false;
};

}  // namespace accrue::detail
