// SPDX-License-Identifier: BSD-3-Clause
// Several reductions in one pass over memory.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "accrue/reducer.hpp"

namespace accrue {

namespace detail {

/// Values side by side, trivially copyable if they are, which std::tuple is not.
template <class... T>
struct pack {};
template <class First, class... Rest>
struct pack<First, Rest...> {
  First first;
  pack<Rest...> rest;
};
template <class Last>
struct pack<Last> {
  Last first;
};
template <class First, class... Rest>
pack<First, Rest...> make_pack(const First& first, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return {first};
  } else {
    return {first, make_pack<Rest...>(rest...)};
  }
}
template <std::size_t k, class Pack>
auto& part_of(Pack& p) {
  if constexpr (k == 0) {
    return p.first;
  } else {
    return part_of<k - 1>(p.rest);
  }
}

/// Whether a reducer may refuse some tiles of 16-bit floats that have not been widened.
template <class R>
inline constexpr bool may_refuse_narrow = !requires { requires R::takes_all_narrow; };

}  // namespace detail

/// Reducers side by side over the same elements; the result is the tuple of theirs, each with the bits it has alone.
template <class... Reducers>
struct fused {
  using state = detail::pack<typename Reducers::state...>;
  struct accumulator {
    std::tuple<typename Reducers::accumulator...> parts;
    std::array<bool, sizeof...(Reducers)> refused{};
  };
  static constexpr bool order_free = (detail::is_order_free<Reducers>() && ...);
  static constexpr bool additive = (detail::is_additive<Reducers>() && ...);
  static constexpr bool any_tiles = (detail::takes_any_tiles<Reducers>() && ...);
  using self = fused;

  std::tuple<Reducers...> reducers;

  state empty() const {
    return std::apply([](const auto&... r) { return detail::make_pack<typename Reducers::state...>(r.empty()...); }, reducers);
  }
  accumulator start() const {
    return std::apply([](const auto&... r) { return accumulator{{r.start()...}, {}}; }, reducers);
  }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    bool all = true;
    each([&]<std::size_t k>() {
      a.refused[k] = !fold_one(std::get<k>(reducers), std::get<k>(a.parts), t, k);
      all = all && !a.refused[k];
    });
    return all;
  }
  /// Of 16-bit floats as they are, where all take them, and one at most may refuse some: it goes first.
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires((... && detail::folds_narrow<Reducers, Tile>) && (0 + ... + (detail::may_refuse_narrow<Reducers> ? 1 : 0)) <= 1)
  {
    bool held = true;
    const auto fold_those = [&](auto that_may_refuse) {
      each([&]<std::size_t k>() {
        using reducer = std::tuple_element_t<k, std::tuple<Reducers...>>;
        if constexpr (detail::may_refuse_narrow<reducer> == that_may_refuse) {
          held = std::get<k>(reducers).fold_narrow(std::get<k>(a.parts), t) && held;
        }
      });
    };
    fold_those(std::true_type{});
    if (held) fold_those(std::false_type{});
    return held;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    each([&]<std::size_t k>() {
      if (a.refused[k]) std::get<k>(reducers).refold(std::get<k>(a.parts), detail::part_of<k>(s), t);
    });
  }
  void drain(accumulator& a, state& s) const {
    each([&]<std::size_t k>() { std::get<k>(reducers).drain(std::get<k>(a.parts), detail::part_of<k>(s)); });
  }
  void merge(state& a, const state& b) const {
    each([&]<std::size_t k>() { std::get<k>(reducers).merge(detail::part_of<k>(a), detail::part_of<k>(b)); });
  }
  template <class Tile>
  state chunk(const Tile& t) const {
    return std::apply([&](const auto&... r) { return detail::make_pack<typename Reducers::state...>(detail::chunk_state(r, t)...); },
                      reducers);
  }
  auto finish(const state& s) const {
    return finish_each(s, std::index_sequence_for<Reducers...>());
  }
  /// Each of the reducers over tiles with a mask.
  auto over_masked_tiles() const {
    return std::apply([](const auto&... r) { return fused<detail::masked_reducer<Reducers>...>{{{r}...}}; }, reducers);
  }
  std::string kind() const { return detail::kind_text("fused", std::to_string(sizeof...(Reducers))); }
  void normalize(state& s) const {
    each([&]<std::size_t k>() { detail::normalize_state(std::get<k>(reducers), detail::part_of<k>(s)); });
  }
  /// Each reducer's kind, then its state.
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    each([&]<std::size_t k>() {
      visit.kind(detail::kind_of(std::get<k>(reducers)));
      detail::visit_fields(std::get<k>(reducers), detail::part_of<k>(s), visit);
    });
  }
  void move_positions(state& s, std::size_t first) const
    requires(detail::has_positions<Reducers> || ...)
  {
    each([&]<std::size_t k>() {
      const auto& r = std::get<k>(reducers);
      if constexpr (detail::has_positions<std::remove_cvref_t<decltype(r)>>) r.move_positions(detail::part_of<k>(s), first);
    });
  }

 private:
  /// Look number k at a tile.
  template <class R, class Part, class Tile>
  static bool fold_one(const R& r, Part& part, const Tile& t, std::size_t k) {
    constexpr std::size_t looks = sizeof...(Reducers);
    if constexpr (looks > 1 && requires { r.fold(part, t, kernels::look_ahead::at_next(sizeof(*t.data), k, looks)); }) {
      return r.fold(part, t, kernels::look_ahead::at_next(t.size * sizeof(*t.data), k, looks));
    } else {
      return r.fold(part, t);
    }
  }
  template <std::size_t... k>
  auto finish_each(const state& s, std::index_sequence<k...>) const {
    return std::make_tuple(std::get<k>(reducers).finish(detail::part_of<k>(s))...);
  }
  template <class Visit>
  static void each(Visit visit) {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (visit.template operator()<k>(), ...);
    }(std::index_sequence_for<Reducers...>());
  }
};

/// `reduce(space, x, fuse(sum_of<double>{}, min_of<double>{}))` returns std::tuple(sum, min) from one pass.
template <class... Reducers>
fused<detail::tiled_t<Reducers>...> fuse(const Reducers&... reducers) {
  return {{detail::tiled_t<Reducers>{reducers}...}};
}

}  // namespace accrue
