// SPDX-License-Identifier: BSD-3-Clause
// Results of long sums of products, and moments, by way of sums whose errors have a bound: where both ends of what the bound allows round
// alike, that is the exact result, rounded once. Up to three times as fast as exact sums, which are bound by arithmetic.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/ways.hpp"
#include "accrue/reducers/moments.hpp"

namespace accrue::detail {

/// A sum to within a bound.
template <class Sum>
struct bounded_sum {
  Sum sum;
  double error = 0;   ///< the sum is off by no more
  bool lost = false;  ///< not even that

  void add(const kernels::certified_block& block) {
    sum.add_integer(block.count, block.unit);
    sum.add(block.rest);
    error += block.error;
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

/// Calls `add` with blocks of a tile until it answers false.
template <class T, class Add>
bool add_blocks(const kernels::operands<T>& all, const Add& add) {
  constexpr std::size_t most = kernels::largest_certified_block;
  for (std::size_t begin = 0; begin < all.size; begin += most) {
    const std::size_t left = all.size - begin;
    if (!add(all.part(begin, left < most ? left : most))) return false;
  }
  return true;
}

/// Whether results have the same bits.
template <class T>
bool same_bits(const T& a, const T& b) {
  using bytes = std::array<unsigned char, sizeof(T)>;
  return std::bit_cast<bytes>(a) == std::bit_cast<bytes>(b);
}

/// Whether processors can do it: products of doubles take fused operations.
template <class T>
bool can_be_certified() {
  return sizeof(T) == 4 || kernels::products_can_be_certified();
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
    a.lost = a.lost || !add_blocks(to_operands(t), [&](const auto& part) {
      kernels::certified_block block;
      const bool held = kernels::certified_products(block, a.top, R::summed, part);
      if (held) a.add(block);
      return held;
    });
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

template <native_float T>
struct certified_reducer<moments_of<T>> {
  using exact = moments_of<T>;
  struct state {
    bounded_sum<superaccumulator<T>> sum;
    bounded_sum<product_superaccumulator<T>> squares;
    std::int64_t count = 0;
  };
  struct accumulator : state {
    int top = kernels::no_top;
  };
  static constexpr bool order_free = true;
  static constexpr bool any_tiles = true;
  static constexpr std::size_t wanted_tile_bytes = 65536;

  exact reducer;

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    a.count += static_cast<std::int64_t>(t.size);
    a.squares.lost = a.squares.lost || !add_blocks(to_operands(t), [&](const auto& part) {
      kernels::certified_block values;
      kernels::certified_block squares;
      const bool held = kernels::certified_moments(values, squares, a.top, part);
      if (held) {
        a.sum.add(values);
        a.squares.add(squares);
      }
      return held;
    });
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  bool saturated(const accumulator& a) const { return a.squares.lost; }
  void drain(accumulator& a, state& s) const { merge(s, a); }
  void merge(state& a, const state& b) const {
    a.sum.add(b.sum);
    a.squares.add(b.squares);
    a.count += b.count;
  }
  std::optional<typename exact::result> finish(const state& s) const {
    if (s.squares.lost) return std::nullopt;
    // The variance is largest where the squares are and the sum is nearest zero.
    const double sum = s.sum.sum.template round<double>();
    const double off = s.sum.bound();
    const double squares_off = s.squares.bound();
    if (off != 0 && !(std::fabs(sum) > 2 * off)) return std::nullopt;
    const double outwards = std::copysign(off, sum);
    const auto result = reducer.finish({s.sum.moved_by(-outwards), s.squares.moved_by(squares_off), s.count});
    // At the other end, squares must not be too small for their sum.
    const auto n = static_cast<double>(s.count);
    const double deviations = static_cast<double>(result.population_variance) * n;
    if (!std::isfinite(deviations) || !(deviations > 4 * squares_off + 8 * std::fabs(sum) * off / n)) return std::nullopt;
    const auto other = reducer.finish({s.sum.moved_by(outwards), s.squares.moved_by(-squares_off), s.count});
    if (!same_bits(result, other)) return std::nullopt;
    return result;
  }
};

/// Sums of R itself, not of a class that changes it, over what can be read twice.
template <class R, class View>
concept certifiable = requires { requires View::in_place && std::is_same_v<typename R::certified_as, R>; };

/// The result of a view of many elements, where it can be certified. After failures, as of sums that cancel, some calls of the thread do
/// not try.
template <class R, class View, class StateOf>
  requires certifiable<R, View>
std::optional<result_of<R>> certified_result(const R& r, const View& view, const StateOf& state_of) {
  thread_local unsigned to_skip = 0;
  thread_local unsigned failures = 0;
  // A tile alone has its own way; or they are added exactly as soon.
  constexpr std::size_t too_few = certifies_tiles<R, tile_of<View>> ? tile_size<R, View>() : 2048;
  if (view.size() <= too_few || !can_be_certified<typename View::element>()) return std::nullopt;
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
