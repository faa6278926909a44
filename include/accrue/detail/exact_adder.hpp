// SPDX-License-Identifier: BSD-3-Clause
// How a thread adds contributions to its copy of the targets as exact sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "accrue/detail/exact_copy.hpp"

namespace accrue::detail {

/// What the thread adds to, as a value which a compiler keeps in registers. Copies of an adder add by their copy's units of the moment; one
/// for a loop in the one way of its copy, by units that only it changes.
template <std::size_t D, exact_copy::added_to what = exact_copy::added_to::any>
class exact_adder {
  using added_to = exact_copy::added_to;

 public:
  exact_adder() = default;
  explicit exact_adder(exact_copy& copy)
      : counts_(copy.counts_.data()),
        halves_(copy.halves_.data()),
        added_(copy.added_.data()),
        delayed_(copy.waiting_for_memory_ ? &*copy.waiting_for_memory_ : nullptr),
        copy_(&copy) {
    look_again();
  }

  [[nodiscard]] exact_copy& copy() const { return *copy_; }

  [[gnu::always_inline]] void add(std::size_t target, const std::array<double, D>& x) {
    if (what == added_to::any ? delayed_ == nullptr : what != added_to::delayed_counts) [[likely]] return add_now(target, x);
    __builtin_prefetch(counts_ + D * target, 1);
    __builtin_prefetch(counts_ + D * target + D - 1, 1);
    const auto [before, of_before] = delayed_->exchange(target, x);
    add_now(before, of_before);
  }
  /// Whether sums are halves.
  [[nodiscard]] bool has_halves() const { return halves_ != nullptr; }
  /// The halves, for so many additions, at most `exact_copy::additions_noted`; none where nothing is added at once. For what comes before
  /// the next single contribution.
  [[nodiscard]] kernels::keyed_pairs halves_for(std::size_t additions) const
    requires(D == 1)
  {
    if (!copy_->now_.at_once.any()) return {};
    copy_->note_additions(static_cast<std::uint32_t>(additions));
    copy_->note_all_groups();
    return {copy_->now_.split.range(), halves_, copy_->groups_.targets};
  }
  /// The unit of counts. It stays until single contributions are added.
  [[nodiscard]] kernels::counted_range unit() const {
    return copy_->now_.at_once.any() ? copy_->now_.unit.range() : kernels::counted_range{};
  }
  /// counts[k], in the unit, to target keys[k]; where there is no such target, none. Whether all have one.
  bool add_counts(const std::uint32_t* keys, const std::int64_t* counts, std::size_t size) const
    requires(D == 1)
  {
    std::int64_t* const to = counts_;
    bool* const added = added_;
    const std::size_t targets = copy_->groups_.targets;
    bool known = true;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t key = keys[k];
      if (key >= targets) [[unlikely]] {
        known = false;
        continue;
      }
      added[key / exact_copy::group] = true;
      if (__builtin_add_overflow(to[key], counts[k], to + key)) [[unlikely]] copy_->start_again(key, counts[k]);
    }
    return known;
  }
  /// When the thread has added everything: makes ready for merging.
  void flush() {
    if (copy_ == nullptr) return;
    for (std::size_t k = 0; delayed_ != nullptr && k < delay_line<double>::length; ++k) add(0, {});
    copy_->flush();
  }

 private:
  /// Of halves, which the copy knows of before they are made. A copy of an adder has none: callers may copy handles.
  struct noted {
    std::int32_t additions = 0;
    noted() = default;
    noted(const noted&) {}
    noted& operator=(const noted&) {
      additions = 0;
      return *this;
    }
  };
  struct of_the_moment {};
  struct of_a_loop {  // no copy of which would know of changes: bodies take handles by reference
    exact_copy::units now;
    of_a_loop() = default;
    of_a_loop(const of_a_loop&) = delete;
    of_a_loop& operator=(const of_a_loop&) = delete;
  };

  [[gnu::always_inline]] void add_now(std::size_t target, const std::array<double, D>& x) {
    if (!now().at_once.surely_hold(x)) [[unlikely]] return add_some(target, x, std::make_index_sequence<D>());
    if (what != added_to::halves) added_[target / exact_copy::group] = true;
    if (what == added_to::any ? halves_ != nullptr : what == added_to::halves) [[likely]] {
      if (--noted_.additions < 0) [[unlikely]] {
        copy_->note_additions(exact_copy::additions_noted);
        if (what == added_to::halves) copy_->note_all_groups();
        noted_.additions = exact_copy::additions_noted - 1;
      }
      now().split.add(x, opaque(halves_ + 2 * D * target));
    } else {
      const counted_unit& unit = now().unit;
      std::int64_t* const at = opaque(counts_ + D * target);
      if constexpr (D == 3) {  // compilers leave a loop at -O2
        copy_->count(unit, D * target, at, x[0]);
        copy_->count(unit, D * target + 1, at + 1, x[1]);
        copy_->count(unit, D * target + 2, at + 2, x[2]);
      } else {
        for (std::size_t d = 0; d < D; ++d) copy_->count(unit, D * target + d, at + d, x[d]);
      }
    }
  }
  /// One by one: an array would have to be in memory, before the branch too.
  template <std::size_t... d>
  [[gnu::always_inline]] void add_some(std::size_t target, const std::array<double, D>& x, std::index_sequence<d...>) {
    copy_->add_some(target, x[d]...);
    look_again();
  }
  [[gnu::always_inline]] const exact_copy::units& now() const {
    if constexpr (what == added_to::any) {
      return copy_->now_;
    } else {
      return own_.now;
    }
  }
  [[gnu::always_inline]] void look_again() {
    if constexpr (what != added_to::any) own_.now = copy_->now_;
  }

  std::int64_t* counts_ = nullptr;
  double* halves_ = nullptr;
  noted noted_;
  bool* added_ = nullptr;
  delay_line<double>* delayed_ = nullptr;  ///< what is given is added some contributions later
  exact_copy* copy_ = nullptr;
  std::conditional_t<what == added_to::any, of_the_moment, of_a_loop> own_;
};

}  // namespace accrue::detail
