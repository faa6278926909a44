// SPDX-License-Identifier: BSD-3-Clause
// Results of long sums of products by way of sums whose errors have a bound: where both ends of what the bound allows round alike, that is
// the exact sum, rounded once. Twice as fast as exact sums in caches, which is where squares are bound by arithmetic.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/ways.hpp"
#include "accrue/reducers/moments.hpp"

namespace accrue::detail {

/// A sum of products to within a bound.
template <class Sum>
struct bounded_sum {
  Sum sum;
  double error = 0;   ///< the sum is off by no more
  bool lost = false;  ///< not even that

  /// `top`: from call to call, at first kernels::no_top.
  void add(kernels::term what, const kernels::operands<double>& all, int& top) {
    constexpr std::size_t most = kernels::largest_certified_block;
    for (std::size_t begin = 0; begin < all.size && !lost; begin += most) {
      const std::size_t left = all.size - begin;
      const kernels::operands<double> part{all.x + begin, all.y != nullptr ? all.y + begin : nullptr, left < most ? left : most, all.ahead};
      kernels::certified_block block;
      lost = !kernels::certified_products(block, top, what, part);
      if (lost) break;
      sum.add_integer(block.count, block.unit);
      sum.add(block.rest);
      error += block.error;
    }
  }
  void add(const bounded_sum& b) {
    sum += b.sum;
    error += b.error;
    lost = lost || b.lost;
  }
  /// No less than all errors, whose own sum was rounded, of fewer than 2^40 of them.
  [[nodiscard]] double bound() const { return error * (1 + 0x1p-10); }
  [[nodiscard]] Sum moved_by(double x) const {
    Sum moved = sum;
    moved.add(x);
    return moved;
  }
};

/// Whether results have the same bits.
template <class T>
bool same_bits(const T& a, const T& b) {
  using bytes = std::array<unsigned char, sizeof(T)>;
  return std::bit_cast<bytes>(a) == std::bit_cast<bytes>(b);
}

/// Sums of R's terms, whose result is R's or, where the bound does not decide it, nothing.
template <class R>
struct certified_reducer {
  using state = bounded_sum<typename R::state>;
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
    a.add(R::summed, to_operands(t), a.top);
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  bool saturated(const accumulator& a) const { return a.lost; }
  void drain(accumulator& a, state& s) const { s.add(a); }
  void merge(state& a, const state& b) const { a.add(b); }
  std::optional<result_of<R>> finish(const state& s) const {
    if (s.lost) return std::nullopt;
    const auto result = reducer.finish(s.moved_by(-s.bound()));
    if (!same_bits(result, reducer.finish(s.moved_by(s.bound())))) return std::nullopt;
    return result;
  }
};

/// Moments: an exact sum, and one of squares to within a bound.
template <real_number T>
struct certified_reducer<moments_of<T>> {
  using exact = moments_of<T>;
  using sums = exact_terms<double, term::value>;
  struct state {
    sums::state sum;
    bounded_sum<product_superaccumulator<double>> squares;
    std::int64_t count = 0;
  };
  struct accumulator {
    sums::accumulator sum;
    bounded_sum<product_superaccumulator<double>> squares;
    std::int64_t count = 0;
    int top = kernels::no_top;
  };
  static constexpr bool order_free = true;
  static constexpr bool any_tiles = true;

  exact reducer;

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    const bool held = sums{}.fold(a.sum, t);
    auto squared = to_operands(t);
    squared.ahead = t.size * sizeof(*t.data);  // the second look at a tile asks for the next
    a.squares.add(term::square, squared, a.top);
    a.count += static_cast<std::int64_t>(t.size);
    return held;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    sums{}.refold(a.sum, s.sum, t);
  }
  bool saturated(const accumulator& a) const { return a.squares.lost; }
  void drain(accumulator& a, state& s) const {
    sums{}.drain(a.sum, s.sum);
    s.squares.add(a.squares);
    s.count += a.count;
  }
  void merge(state& a, const state& b) const {
    a.sum += b.sum;
    a.squares.add(b.squares);
    a.count += b.count;
  }
  std::optional<typename exact::result> finish(const state& s) const {
    if (s.squares.lost) return std::nullopt;
    const double bound = s.squares.bound();
    const auto result = reducer.finish({s.sum, s.squares.moved_by(bound), s.count});
    // The squares of the lower end must not be too small for the sum.
    if (!(result.population_variance * static_cast<double>(s.count) > 4 * bound)) return std::nullopt;
    if (!same_bits(result, reducer.finish({s.sum, s.squares.moved_by(-bound), s.count}))) return std::nullopt;
    return result;
  }
};

/// Sums of R itself, not of a class that changes it, over what can be read twice.
template <class R, class View>
concept certifiable = requires { requires View::in_place && std::is_same_v<typename R::certified_as, R>; };

/// The result of a view of many elements, where it can be certified. After failures, as of sums that cancel, some calls of the thread do not
/// try.
template <class R, class View, class StateOf>
  requires certifiable<R, View>
std::optional<result_of<R>> certified_result(const R& r, const View& view, const StateOf& state_of) {
  thread_local unsigned to_skip = 0;
  thread_local unsigned failures = 0;
  constexpr std::size_t too_few = 2048;  // which are added exactly as soon
  if (view.size() <= too_few || !kernels::products_can_be_certified()) return std::nullopt;
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
