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
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "accrue/detail/delay_line.hpp"
#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/exact_words.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/split_doubles.hpp"
#include "accrue/detail/zeroed_array.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::detail {

/// What the copies of a team agree on, so that merging is easy: below 0 until a copy has set it.
struct shared_places {
  std::atomic<int> origin{-1};  ///< where their words are aligned
  std::atomic<int> unit{-1};    ///< the lowest that they add at once, but for copies whose contributions differ much
  std::size_t copies = 0;       ///< that there are
};

/// One thread's copy. Most contributions, those of some binades, are added at once: to two doubles for each number (split_doubles), where
/// these stay in cache, else to a count of a unit in one word (counted_unit), of fewer binades. Where counts are too many for a cache, all
/// are delayed (delay_line) until what they add to has come from memory. Others wait until there are some. They, and sums that outgrow
/// these, are collected, and where that is many, added to words (exact_words). The first contributions say which binades and words there
/// are; where many lie in others, the next say whether others suit them more.
class alignas(64) exact_copy {
 public:
  static constexpr std::size_t group = number_groups::group;

  exact_copy(std::size_t targets, std::size_t width, shared_places& shared)
      : waiting_numbers_(std::max(most_waiting, width)),
        waiting_values_(waiting_numbers_.size()),
        groups_{targets, width},
        shared_(&shared),
        in_halves_(2 * targets * width * sizeof(double) <= cached_bytes),
        counts_(in_halves_ ? zeroed_array<std::int64_t>() : zeroed_array<std::int64_t>(targets * width)),
        halves_(in_halves_ ? zeroed_array<double>(2 * targets * width) : zeroed_array<double>()),
        added_(groups_.size()),
        words_(groups_, shared.origin),
        most_collected_(std::max(targets * width / 8, batch)),
        patience_(std::max<std::size_t>(targets * width / 8, 1024)) {
    if (counts_.size() * sizeof(std::int64_t) > delay_line<double>::cached_bytes) waiting_for_memory_.emplace(width);
  }

  /// What is added at once, none while binades are chosen, and in what units.
  struct units {
    magnitudes at_once;
    counted_unit unit;
    split_doubles split;
  };
  /// What contributions are added to: `any` that a copy has, which is asked for each of them.
  enum class added_to : std::uint8_t { any, halves, counts, delayed_counts };
  [[nodiscard]] added_to what() const {
    return in_halves_ ? added_to::halves : waiting_for_memory_ ? added_to::delayed_counts : added_to::counts;
  }

  [[nodiscard]] std::size_t bytes() const {
    return (counts_.size() + halves_.size()) * sizeof(std::int64_t) + added_.size() + words_.bytes() +
           collected_.capacity() * sizeof(contribution);
  }
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }

  // For merging, after `flush`.
  [[nodiscard]] bool counted(std::size_t g) const { return added_[g] && !in_halves_; }
  [[nodiscard]] bool has_halves(std::size_t g) const { return added_[g] && in_halves_; }
  [[nodiscard]] bool touched(std::size_t g) const { return added_[g] || words_.touched(g) || !collected(g).empty(); }
  [[nodiscard]] const std::int64_t* counts() const { return counts_.data(); }
  [[nodiscard]] const counted_unit& unit() const { return now_.unit; }
  /// Of number d of a target.
  [[nodiscard]] split_doubles::sum halves(std::size_t target, std::size_t d) const {
    const double* const upper = halves_of(target, d);
    return {upper[0], upper[split_doubles::to_lower(d, groups_.width)]};
  }
  [[nodiscard]] const split_doubles& split() const { return now_.split; }
  [[nodiscard]] const exact_words& words() const { return words_; }
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
    if (counted(g)) s.add_integer(counts()[number], now_.unit.place() - 1074);
    if (has_halves(g)) {
      const auto sum = halves(number / groups_.width, number % groups_.width);
      s.add(sum.upper);
      s.add(sum.lower);
    }
    for (const contribution& c : collected(g, number, number + 1)) s.add(c.value);
    words_.add_to(s, g, number);
  }
  /// Forgets a group's counts, halves and words. Returns their bytes.
  std::size_t clear(std::size_t g) {
    if (!std::exchange(added_[g], false)) return words_.clear(g);
    const std::size_t first = groups_.begin(g);
    const std::size_t size = groups_.end(g) - first;
    if (in_halves_) {
      std::memset(halves_.data() + 2 * first, 0, 2 * size * sizeof(double));
    } else {
      std::memset(counts_.data() + first, 0, size * sizeof(std::int64_t));
    }
    return (in_halves_ ? 2 : 1) * size * sizeof(double) + words_.clear(g);
  }
  /// Forgets the rest, when all groups are cleared.
  void clear_rest() {
    collected_.clear();
    chosen_from_ = 0;
    ends_.clear();
    words_.clear_far();
    additions_left_ = split_doubles::most_additions;
    chosen_additions_ = 0;
    all_added_ = false;
    out_of_memory_ = false;
  }

 private:
  template <std::size_t, added_to>
  friend class exact_adder;

  static constexpr std::size_t most_waiting = 96;  ///< numbers, or those of one contribution: few enough to stay in the first-level cache
  static constexpr std::size_t batch = exact_words::batch;
  static constexpr int lowest_unit = 53;  ///< whose value is a normal double
  static constexpr std::size_t cached_bytes = std::size_t{1} << 18;  ///< of halves
  /// Together: there is room for those of hundreds of adders beyond the most.
  static constexpr std::uint32_t additions_noted = kernels::count_block;

  static bool in_order(const contribution& a, const contribution& b) { return a.number < b.number; }

  /// A contribution of which not all is added at once.
  template <class... X>
  [[gnu::noinline]] void add_some(std::size_t target, X... numbers_of_target) {
    const double x[] = {numbers_of_target...};
    constexpr std::size_t width = sizeof...(X);
    const bool adding = !choosing_ && held_.any();
    std::size_t* const numbers = waiting_numbers_.data();
    double* const values = waiting_values_.data();
    std::size_t waiting = waiting_;
    for (std::size_t d = 0; d < width; ++d) {  // without branches that would be taken at random
      bool added = false;
      if (adding) {
        added = held_.hold(x[d]);
        add_at_once(target, d, width, added ? x[d] : 0);
      }
      numbers[waiting] = target * width + d;
      values[waiting] = x[d];
      waiting += (added | is_zero(x[d])) ? 0 : 1;
    }
    if (adding) added_[target / group] = true;
    if (adding && in_halves_) note_additions(1);
    waiting_ = waiting;
    if (waiting + width > waiting_numbers_.size()) [[unlikely]] add_waiting();
  }
  void add_waiting() {
    const std::size_t size = std::exchange(waiting_, 0);
    if (words_.any() && !choosing_ && !held_.any()) {
      add_to_words(size);
    } else {
      for (std::size_t k = 0; k < size; ++k) collect(waiting_numbers_[k], waiting_values_[k]);
    }
    if (choosing_) {
      if (collected_.size() - chosen_from_ >= batch) choose();
    } else {
      note_others(size);
    }
  }
  void flush() {
    if (waiting_ != 0) add_waiting();
    const fp_environment environment;
    try {
      if (!collected_.empty() && words_.units().count == 0) choose();
      if (all_added_) note_which_groups();
      if (in_halves_ && shared_->copies > 1) carry_halves();  // so that they can be summed: after the last additions
      if (collected_.empty()) return;
      if (words_.any()) {
        add_collected();
      } else {
        sort_collected();
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }

  // Sums at once.

  /// Adds number d of a target of `width`, which is held, or zero.
  void add_at_once(std::size_t target, std::size_t d, std::size_t width, double x) {
    if (in_halves_) {
      now_.split.add(x, halves_.data() + 2 * width * target + split_doubles::upper_of(d), split_doubles::to_lower(d, width));
    } else {
      count(now_.unit, target * width + d, counts_.data() + target * width + d, x);
    }
  }
  [[nodiscard]] double* halves_of(std::size_t target, std::size_t d) const {
    return halves_.data() + 2 * groups_.width * target + split_doubles::upper_of(d);
  }
  /// f(number, upper sum, where behind that its lower one is) for the numbers of a group.
  template <class F>
  void for_halves(std::size_t g, const F& f) {
    for (std::size_t number = groups_.begin(g), target = g * group; number < groups_.end(g); ++target) {
      for (std::size_t d = 0; d < groups_.width; ++d, ++number) f(number, halves_of(target, d), split_doubles::to_lower(d, groups_.width));
    }
  }
  /// So many to a target, or a part of it, are to come.
  void note_additions(std::uint32_t count) {
    if (additions_left_ < count) carry_halves();
    additions_left_ -= count;
  }
  /// All groups have sums, or will have: sooner told than for each addition. Of halves.
  void note_all_groups() {
    if (all_added_) [[likely]] return;
    std::fill_n(added_.data(), added_.size(), true);
    all_added_ = true;
  }
  /// Which of them have sums in the end: others then cost nothing when copies are merged.
  void note_which_groups() {
    all_added_ = false;
    for (std::size_t g = 0; g < added_.size(); ++g) {
      const double* const first = halves_.data() + 2 * groups_.begin(g);
      const double* const end = halves_.data() + 2 * groups_.end(g);
      added_[g] = std::any_of(first, end, [](double x) { return !is_zero(x); });
    }
  }
  /// When they have no room for more additions: where that is not enough, upper sums are collected.
  [[gnu::noinline]] void carry_halves() {
    additions_left_ = split_doubles::most_additions;
    chosen_additions_ = 0;
    if (!now_.split.any()) return;
    for (std::size_t g = 0; g < added_.size(); ++g) {
      if (!added_[g]) continue;
      bool room = true;
      if (groups_.width == 1) {
        room = now_.split.carry_all(halves_.data() + 2 * groups_.begin(g), groups_.end(g) - groups_.begin(g));
      } else {
        for (std::size_t target = g * group; target * groups_.width < groups_.end(g); ++target) {
          room = now_.split.carry(halves_.data() + 2 * groups_.width * target, groups_.width) && room;
        }
      }
      if (room) [[likely]] continue;
      for_halves(g, [&](std::size_t number, double* upper, std::size_t) {
        if (!now_.split.has_room(*upper)) collect(number, std::exchange(*upper, 0));
      });
    }
  }
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
    try {
      if (words_.add_count(number, count, now_.unit.place())) return;
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;  // what follows is wrong, which is told
    }
    constexpr int low_bits = 64 - 53;
    const std::int64_t high = count >> low_bits;
    const std::int64_t low = count - high * (1 << low_bits);
    collect(number, static_cast<double>(high) * now_.unit.value() * (1 << low_bits));
    collect(number, static_cast<double>(low) * now_.unit.value());
  }

  // What is not added at once.

  /// From time to time, whether their binades still suit: the next contributions say it.
  void note_others(std::size_t count) {
    others_ += count;
    if (others_ < patience_) return;
    choosing_ = true;
    now_.at_once = magnitudes();
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
      if (words_.units().count == 0) words_.choose(collected_);
      choose_binades();
      add_chosen_from();
      if (collected_.size() >= most_collected_) add_collected();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
    now_.at_once = held_;
  }
  /// Binades for most of the last values that were collected, unless those that there are hold half of them; none where they lie too far
  /// apart. Those of halves have 4 to spare above the largest. Counts have 2 bits to spare above it, or 5 where nearly all have one sign,
  /// and more where 3 binades remain below the smallest.
  void choose_binades() {
    const int binades = in_halves_ ? split_doubles::binades : counted_unit::binades;
    std::array<int, batch> places;
    std::size_t values = 0;
    std::size_t negative = 0;
    std::size_t held = 0;
    for (std::size_t i = collected_.size() - std::min(collected_.size(), batch); i < collected_.size(); ++i) {
      const double_parts p(collected_[i].value);
      if (p.significand == 0) continue;
      places[values++] = p.place;
      negative += p.negative ? 1 : 0;
      held += held_.hold(collected_[i].value) ? 1 : 0;
    }
    if (2 * held > values) return;
    const int bits_above = in_halves_ ? 4 : std::min(negative, values - negative) * 8 < values ? 5 : 2;
    std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(values));
    std::size_t most = 0;
    int lowest_place = 0;
    int highest_place = 0;
    for (std::size_t first = 0, i = 0; i < values; ++i) {
      while (places[i] - places[first] >= binades - (in_halves_ ? 4 : 2)) ++first;
      if (i - first + 1 < most) continue;
      most = i - first + 1;
      lowest_place = places[first];
      highest_place = places[i];
    }
    const int lowest_wanted = in_halves_ ? std::min(lowest_place, lowest_unit) : lowest_place - 3;
    int place = std::max(lowest_wanted, highest_place + bits_above + 1 - binades);
    int agreed = shared_->unit.load(std::memory_order_relaxed);
    if (agreed < 0) shared_->unit.compare_exchange_strong(agreed, place, std::memory_order_relaxed);
    const int highest_agreed = in_halves_ ? lowest_place - 2 : place + 1;
    if (agreed >= 0 && agreed <= highest_agreed && agreed + binades > highest_place + 1) place = agreed;

    const bool good = 4 * most > 3 * values && place >= lowest_unit && place < exact_words::highest;
    if (good && (in_halves_ ? now_.split.place() : now_.unit.place()) == place) return;
    if (held_.any()) move_sums();
    if (in_halves_) {
      now_.split = good ? split_doubles(place) : split_doubles();
      held_ = now_.split.held();
    } else {
      now_.unit = good ? counted_unit(place) : counted_unit();
      held_ = now_.unit.held();
    }
  }
  /// What was added at once, as others are.
  void move_sums() {
    for (std::size_t g = 0; g < added_.size(); ++g) {
      if (!std::exchange(added_[g], all_added_)) continue;
      if (in_halves_) {
        for_halves(g, [&](std::size_t number, double* upper, std::size_t to_lower) {
          collect(number, std::exchange(upper[0], 0));
          collect(number, std::exchange(upper[to_lower], 0));
        });
      } else {
        for (std::size_t k = groups_.begin(g); k < groups_.end(g); ++k) move_count(k, std::exchange(counts_[k], 0));
      }
    }
  }
  /// What was collected to choose binades by, as far as these hold it: numbers that have no others are merged fastest.
  void add_chosen_from() {
    if (!held_.any()) return;
    const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(chosen_from_);
    const std::vector<contribution> last(first, collected_.end());
    collected_.erase(first, collected_.end());
    for (const contribution& c : last) {
      if (!held_.hold(c.value)) {
        collected_.push_back(c);
        continue;
      }
      added_[groups_.of(c.number)] = true;
      add_at_once(c.number / groups_.width, c.number % groups_.width, groups_.width, c.value);
    }
    chosen_additions_ += last.size();
    if (chosen_additions_ > split_doubles::spare_additions / 16) carry_halves();
  }

  // Words.

  void add_collected() {
    if (words_.units().count == 0) words_.choose(collected_);
    words_.make();
    std::array<std::size_t, batch> numbers;
    alignas(64) std::array<double, batch> values;
    for (std::size_t first = 0; first < collected_.size(); first += batch) {
      const std::size_t size = std::min(batch, collected_.size() - first);
      for (std::size_t i = 0; i < size; ++i) {
        numbers[i] = collected_[first + i].number;
        values[i] = collected_[first + i].value;
      }
      words_.add(numbers.data(), values.data(), size);
    }
    collected_.clear();
    chosen_from_ = 0;
    ends_.clear();
  }
  /// What waits, so many, to words alone.
  void add_to_words(std::size_t size) {
    const fp_environment environment;
    try {
      for (std::size_t first = 0; first < size; first += batch) {
        words_.add(waiting_numbers_.data() + first, waiting_values_.data() + first, std::min(batch, size - first));
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }
  /// Orders what is collected by groups, and their numbers.
  void sort_collected() {
    std::vector<contribution> sorted(collected_.size());  // first: without memory for it, nothing has an order
    ends_.assign(added_.size() + 1, 0);
    for (const contribution& c : collected_) ++ends_[groups_.of(c.number) + 1];
    for (std::size_t g = 1; g < ends_.size(); ++g) ends_[g] += ends_[g - 1];
    for (const contribution& c : collected_) sorted[ends_[groups_.of(c.number)]++] = c;
    collected_ = std::move(sorted);
    auto first = collected_.begin();
    for (std::size_t g = 0; first != collected_.end(); ++g) {
      const auto end = collected_.begin() + static_cast<std::ptrdiff_t>(ends_[g]);
      std::sort(first, end, in_order);
      first = end;
    }
  }

  std::optional<delay_line<double>> waiting_for_memory_;  ///< where targets are many
  zeroed_array<std::size_t> waiting_numbers_;
  zeroed_array<double> waiting_values_;  ///< of these, at the same places
  std::size_t waiting_ = 0;
  number_groups groups_;
  shared_places* shared_;
  bool in_halves_;   ///< what is added at once, or counted
  magnitudes held_;  ///< by the one or the other,
  units now_;        ///< and what adders add so
  zeroed_array<std::int64_t> counts_;
  zeroed_array<double> halves_;
  zeroed_array<bool> added_;  ///< by group: whether there are counts or halves
  bool all_added_ = false;    ///< that of all
  exact_words words_;
  std::vector<contribution> collected_;
  std::vector<std::size_t> ends_;        ///< of groups in what is collected, once it is sorted
  std::size_t most_collected_;           ///< before it is added to words
  std::size_t others_ = 0;               ///< that were not counted since the unit was looked at
  std::size_t patience_;                 ///< so many before it is again
  bool choosing_ = true;                 ///< by the next that are collected
  std::size_t chosen_from_ = 0;          ///< in what is collected
  std::uint32_t additions_left_ = split_doubles::most_additions;  ///< to halves, until they carry,
  std::size_t chosen_additions_ = 0;                              ///< and those by choosing since they did
  bool out_of_memory_ = false;
};

}  // namespace accrue::detail
