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

template <class R>
concept takes_tiles = requires { typename R::accumulator; };

template <class R>
using tiled_t = std::conditional_t<takes_tiles<R>, R, tiled<R>>;

}  // namespace detail

/// Reducers side by side over the same elements; the result is the tuple of theirs, each with the bits it has alone.
template <class... Reducers>
struct fused {
  using state = std::tuple<typename Reducers::state...>;
  struct accumulator {
    std::tuple<typename Reducers::accumulator...> parts;
    std::array<bool, sizeof...(Reducers)> refused{};
  };
  static constexpr bool order_free = (detail::is_order_free<Reducers>() && ...);

  std::tuple<Reducers...> reducers;

  state empty() const {
    return std::apply([](const auto&... r) { return state{r.empty()...}; }, reducers);
  }
  accumulator start() const {
    return std::apply([](const auto&... r) { return accumulator{{r.start()...}, {}}; }, reducers);
  }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    bool all = true;
    each([&]<std::size_t k>() {
      a.refused[k] = !std::get<k>(reducers).fold(std::get<k>(a.parts), t);
      all = all && !a.refused[k];
    });
    return all;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    each([&]<std::size_t k>() {
      if (a.refused[k]) std::get<k>(reducers).refold(std::get<k>(a.parts), std::get<k>(s), t);
    });
  }
  void drain(accumulator& a, state& s) const {
    each([&]<std::size_t k>() { std::get<k>(reducers).drain(std::get<k>(a.parts), std::get<k>(s)); });
  }
  void merge(state& a, const state& b) const {
    each([&]<std::size_t k>() { std::get<k>(reducers).merge(std::get<k>(a), std::get<k>(b)); });
  }
  template <class Tile>
  state chunk(const Tile& t) const {
    return std::apply([&](const auto&... r) { return state{detail::chunk_state(r, t)...}; }, reducers);
  }
  auto finish(const state& s) const {
    return finish_each(s, std::index_sequence_for<Reducers...>());
  }

 private:
  template <std::size_t... k>
  auto finish_each(const state& s, std::index_sequence<k...>) const {
    return std::make_tuple(std::get<k>(reducers).finish(std::get<k>(s))...);
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
