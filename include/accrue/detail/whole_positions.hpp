// SPDX-License-Identifier: BSD-3-Clause
// Positions of groups' results that count in the whole: found within the groups, then moved.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <vector>

#include "accrue/groupings.hpp"
#include "accrue/reducers/extrema.hpp"
#include "accrue/space.hpp"

namespace accrue::detail {

template <class Result>
inline constexpr bool results_have_positions = false;
template <class T>
inline constexpr bool results_have_positions<position<T>> = true;
template <class T>
inline constexpr bool results_have_positions<minmax_positions<T>> = true;
template <class... Results>
inline constexpr bool results_have_positions<std::tuple<Results...>> = (results_have_positions<Results> || ...);

/// Throws a readable message at whoever asks where results without positions stand.
template <class Space, class Result>
constexpr void require_positions() {
  static_assert(!has_peers<Space>, "accrue::whole_positions: not over ranks");
  static_assert(results_have_positions<Result>, "accrue::whole_positions is for argmin, argmax, argminmax and fusions with them");
}

/// Group k's result with its positions moved to `place(k, i)`.
template <class T, class Place>
constexpr void move_positions(position<T>& r, std::size_t k, const Place& place) {
  r.index = place(k, r.index);
}
template <class T, class Place>
constexpr void move_positions(minmax_positions<T>& r, std::size_t k, const Place& place) {
  move_positions(r.min, k, place);
  move_positions(r.max, k, place);
}
template <class Result, class Place>
constexpr void move_positions(Result&, std::size_t, const Place&) {}
template <class... Results, class Place>
constexpr void move_positions(std::tuple<Results...>& r, std::size_t k, const Place& place) {
  [&]<std::size_t... j>(std::index_sequence<j...>) {
    (move_positions(std::get<j>(r), k, place), ...);
  }(std::index_sequence_for<Results...>{});
}

/// Where the elements of groups by keys stand: order[offsets[k] + i] for element i of group k.
template <class Index, class Offset>
struct ordered_places {
  const Index* order;
  const Offset* offsets;
  [[nodiscard]] constexpr std::size_t operator()(std::size_t k, std::size_t i) const {
    const auto at = static_cast<std::size_t>(offsets[k]) + i;
    return at < static_cast<std::size_t>(offsets[k + 1]) ? static_cast<std::size_t>(order[at]) : i;  // i: no result, and an error told
  }
};
template <class Index, class Offset>
ordered_places(const Index*, const Offset*) -> ordered_places<Index, Offset>;

/// Where the elements of a grouping stand in the whole; what devices know too.
template <class Groups>
auto places_of(const Groups& g) {
  return g.places;
}
template <class View, class Offset>
segment_places<Offset> places_of(const segment_groups<View, Offset>& g) {
  return {g.offsets};
}

/// Moves the positions of all results, on the host.
template <class Groups, class Result>
void move_to_whole(const Groups& groups, Result* results) {
  const auto place = places_of(groups);
  for (std::size_t k = 0; k < groups.count(); ++k) move_positions(results[k], k, place);
}
template <class Range, class Result>
void move_to_whole(const batch_groups<Range>& groups, Result* results) {
  std::size_t before = 0;
  for (std::size_t k = 0; k < groups.count(); ++k) {
    move_positions(results[k], k, [before](std::size_t, std::size_t i) { return before + i; });
    before += groups.group(k).size();
  }
}
template <class View, class Key, class Result>
void move_to_whole(const key_groups<View, Key>& groups, Result* results) {
  std::vector<std::size_t> offsets(groups.count() + 1);
  const auto for_each_taken = [&](const auto& take) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (const auto key = static_cast<std::uint64_t>(groups.keys[i]); key < groups.count()) take(static_cast<std::size_t>(key), i);
    }
  };
  for_each_taken([&](std::size_t key, std::size_t) { ++offsets[key + 1]; });
  for (std::size_t k = 0; k < groups.count(); ++k) offsets[k + 1] += offsets[k];
  std::vector<std::size_t> next(offsets);
  std::vector<std::size_t> order(groups.size());
  for_each_taken([&](std::size_t key, std::size_t i) { order[next[key]++] = i; });
  const ordered_places<std::size_t, std::size_t> place{order.data(), offsets.data()};
  for (std::size_t k = 0; k < groups.count(); ++k) move_positions(results[k], k, place);
}

}  // namespace accrue::detail
