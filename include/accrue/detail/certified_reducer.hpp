// SPDX-License-Identifier: BSD-3-Clause
// Results of long sums of products by way of sums whose errors have a bound: where both ends of what the bound allows round alike, that is
// the exact sum, rounded once. Twice as fast as exact sums in caches, which is where squares are bound by arithmetic.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/ways.hpp"
#include "accrue/detail/host_reduce.hpp"

namespace accrue::detail {

/// Sums of R's terms, whose result is R's or, where the bound does not decide it, nothing.
template <class R>
struct certified_reducer {
  struct state {
    typename R::state sum;
    double error = 0;   ///< the sum is off by no more
    bool lost = false;  ///< not even that
  };
  struct accumulator : state {
    int top = kernels::no_top;
  };
  static constexpr bool order_free = true;
  static constexpr bool any_tiles = true;
  static constexpr std::size_t wanted_tile_bytes = R::wanted_tile_bytes;

  R reducer;

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    const auto all = R::operands_of(t);
    for (std::size_t begin = 0; begin < all.size && !a.lost; begin += kernels::largest_certified_block) {
      const std::size_t left = all.size - begin;
      const kernels::operands<double> part{all.x + begin, all.y != nullptr ? all.y + begin : nullptr,
                                           left < kernels::largest_certified_block ? left : kernels::largest_certified_block};
      kernels::certified_block block;
      a.lost = !kernels::certified_products(block, a.top, R::summed, part);
      if (a.lost) break;
      a.sum.add_integer(block.count, block.unit);
      a.sum.add(block.rest);
      a.error += block.error;
    }
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  bool saturated(const accumulator& a) const { return a.lost; }
  void drain(accumulator& a, state& s) const { merge(s, a); }
  void merge(state& a, const state& b) const {
    a.sum += b.sum;
    a.error += b.error;
    a.lost = a.lost || b.lost;
  }
  std::optional<result_of<R>> finish(const state& s) const {
    if (s.lost) return std::nullopt;
    // The errors' own sum was rounded, of fewer than 2^40 of them.
    const double error = s.error * (1 + 0x1p-10);
    auto low = s.sum;
    auto high = s.sum;
    low.add(-error);
    high.add(error);
    const auto result = reducer.finish(low);
    const auto other = reducer.finish(high);
    using bits = std::conditional_t<sizeof(result) == sizeof(double), std::uint64_t, std::uint32_t>;
    if (std::bit_cast<bits>(result) != std::bit_cast<bits>(other)) return std::nullopt;
    return result;
  }
};

/// Sums of R itself, not of a class that changes it, over what can be read twice.
template <class R, class View>
concept certifiable = requires { requires View::in_place && std::is_same_v<typename R::certified_as, R>; };

/// The result of a view of more than one tile, where it can be certified. After failures, as of sums that cancel, some calls of the thread
/// do not try.
template <class R, class View, class StateOf>
  requires certifiable<R, View>
std::optional<result_of<R>> certified_result(const R& r, const View& view, const StateOf& state_of) {
  thread_local unsigned to_skip = 0;
  thread_local unsigned failures = 0;
  if (view.size() <= tile_size<R, View>() || !kernels::products_can_be_certified()) return std::nullopt;
  if (to_skip != 0) {
    --to_skip;
    return std::nullopt;
  }
  const fp_environment environment;
  const certified_reducer<R> certified{r};
  const auto result = certified.finish(state_of(certified));
  took(result ? way::certified : way::not_certified);
  failures = result ? 0 : failures < 6 ? failures + 1 : 6;
  to_skip = (1u << failures) - 1;
  return result;
}

/// The result of a view on a host. `state_of(r)`: the state of the view with reducer r.
template <class R, class View, class StateOf>
result_of<R> result_on_host(const R& r, const View& view, const StateOf& state_of) {
  if constexpr (certifiable<R, View>) {
    if (const auto result = certified_result(r, view, state_of)) return *result;
  }
  return finish_on_host(r, view, [&] { return state_of(r); });
}

}  // namespace accrue::detail
