// SPDX-License-Identifier: BSD-3-Clause
// The reducer concept: what an operation must provide so that every backend can run it.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "accrue/detail/masked_reducer.hpp"
#include "accrue/detail/state_fields.hpp"
#include "accrue/ordered_tree.hpp"
#include "accrue/view.hpp"

namespace accrue {

/// A reducer a user writes: a commutative monoid over elements, but for rounding.
///
/// | part                      | what it says                                      |
/// | `state`                   | a partial result; default constructible, copyable |
/// | `start()`                 | the state before any element                      |
/// | `fold(state&, element)`   | folds one element in                              |
/// | `merge(state&, state)`    | joins a partial result into another               |
/// | `finish(state)`           | the result                                        |
///
/// `merge` must be associative and commutative up to rounding: the states it joins are not of neighbouring elements (the tree's lanes take
/// every 256th). Counts of sign changes, the last element or concatenation are no reducers. `static constexpr bool order_free = true`
/// declares that any order gives the same bits; without it the reducer runs over the tree of ordered_tree.hpp, the same order every time,
/// unless the caller asks for `fast`. Called concurrently through const members. It reads one input; f(x_i, y_i) of two goes through
/// `transform_reduce` and `transform_partial`.
///
///     struct log_mean {                                  // the geometric mean, exact but for the logarithms
///       using logs = accrue::sum_of<double>;
///       struct state { logs::state sum; std::int64_t count = 0; };
///       static constexpr bool order_free = true;
///       state start() const { return {}; }
///       void fold(state& s, double x) const { s.sum.add(std::log(x)); ++s.count; }
///       void merge(state& a, const state& b) const { a.sum += b.sum; a.count += b.count; }
///       double finish(const state& s) const { return std::exp(s.sum.round_quotient<double>(static_cast<std::uint64_t>(s.count))); }
///       std::string kind() const { return "log_mean"; }  // from here on for bytes alone
///       void normalize(state& s) const { s.sum.normalize(); }
///       template <class State, class Visit>
///       void fields(State& s, const Visit& visit) const { logs{}.fields(s.sum, visit); visit(s.count); }
///     };
///
/// What partial results (partial_result.hpp) ask for beyond this, where they are used. `additive`: the state is made of `int64_t`
/// alone, and merging adds them element-wise, so that atomics, MPI and NCCL can. For bytes: `kind()`, the name of what the reducer
/// computes, at most 31 characters; `fields(state, visit)`, a template that calls `visit(scalar)` for each number of the state, one by
/// one, to read a const state or to write another, where the state is no number itself; and `normalize(state&)`, if one value has several
/// states: it leaves the one that all share.
template <class R, class Element>
concept element_reducer = std::copy_constructible<R> &&
                          requires(const R r, typename R::state s, const typename R::state other, const Element& x) {
                            { r.start() } -> std::convertible_to<typename R::state>;
                            r.fold(s, x);
                            r.merge(s, other);
                            r.finish(other);
                          };

/// A reducer that takes whole tiles, as the named reductions do.
///
/// | part                               | what it says                                                  | who calls it         |
/// | `empty()`                          | the state of no elements                                      | once a thread        |
/// | `start()`                          | a fresh thread-private accumulator                            | once a thread        |
/// | `fold(accumulator&, tile)`         | folds a tile in, or changes nothing and answers false         | each tile, hot       |
/// | `refold(accumulator&, state&, tile)` | folds a tile that was refused; the state takes what does not fit | rare              |
/// | `drain(accumulator&, state&)`      | hands the accumulator to the state                            | once a thread        |
/// | `merge(state&, state)`             | joins partial results, left with right                        | the backend          |
/// | `finish(state)`                    | the result                                                    | once                 |
///
/// `order_free`, `additive`, `kind`, `fields`, `normalize`: as above. `move_positions(state, count)`, for the elements of a state to come
/// behind so many others, must be there where a reducer looks at `tile.first`: without it, and with `order_free`, arrays may be read in the
/// order of their memory. Optional: `finish_tile(tile)`, the result of a single tile in
/// one go or nothing, `add_up_short(total, tile)`, likewise its total for a state, and `finish_groups(groups, out)`, the results of several
/// short groups, in bits of which it says which it left; all with `using self = R`, without which they stay unused: a class that derives
/// from R may fold or finish otherwise;
/// `reads`, the one type of tile that `fold` takes, for the sake of messages; `saturated(accumulator)`, that further elements cannot
/// change the result; `chunk(tile)`, the state of one chunk of the ordered tree; `ignores_repeats`, that an element behind its equal
/// changes nothing; `any_tiles`, that no bit depends on where tiles begin, as it is for additive reducers: the first tile of an array may
/// be shorter then; `wanted_tile_bytes`, the tile to read in place, where 16 KiB is not best.
template <class R, class Tile>
concept tile_reducer = std::copy_constructible<R> && requires(const R r, typename R::state s, const typename R::state other,
                                                              typename R::accumulator a, const Tile& t) {
  { r.empty() } -> std::convertible_to<typename R::state>;
  { r.start() } -> std::convertible_to<typename R::accumulator>;
  { r.fold(a, t) } -> std::convertible_to<bool>;
  r.refold(a, s, t);
  r.drain(a, s);
  r.merge(s, other);
  r.finish(other);
};

namespace detail {

template <class R>
using result_of = decltype(std::declval<const R&>().finish(std::declval<const typename R::state&>()));

template <class R>
constexpr bool is_order_free() {
  if constexpr (requires { R::order_free; }) {
    return R::order_free;
  } else {
    return false;
  }
}
/// Whether the reducer's state has positions that can be moved on.
template <class R>
concept has_positions = requires(const R& r, typename R::state& s) { r.move_positions(s, std::size_t{}); };
template <class R>
constexpr bool is_additive() {
  if constexpr (requires { R::additive; }) {
    return R::additive;
  } else {
    return false;
  }
}
/// Whether no bit of a result depends on where tiles begin: exact sums, and reducers that say `static constexpr bool any_tiles = true`.
template <class R>
constexpr bool takes_any_tiles() {
  if constexpr (requires { R::any_tiles; }) {
    return R::any_tiles;
  } else {
    return is_additive<R>();
  }
}

/// An element reducer as a tile reducer: accumulator and state are one.
template <class R>
struct tiled {
  using state = typename R::state;
  using accumulator = state;
  static constexpr bool order_free = is_order_free<R>();
  static constexpr bool additive = is_additive<R>();
  R reducer;

  state empty() const { return reducer.start(); }
  accumulator start() const { return reducer.start(); }
  template <class T>
  bool fold(accumulator& a, const tile<T>& t) const {
    for (std::size_t i = 0; i < t.size; ++i) reducer.fold(a, t.data[i]);
    return true;
  }
  template <class T>
  void refold(accumulator&, state&, const tile<T>&) const {}
  void drain(accumulator& a, state& s) const { reducer.merge(s, a); }
  void merge(state& a, const state& b) const { reducer.merge(a, b); }
  auto finish(const state& s) const { return reducer.finish(s); }
  std::string kind() const
    requires requires(const R& r) { r.kind(); }
  {
    return reducer.kind();
  }
  void normalize(state& s) const { normalize_state(reducer, s); }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    visit_fields(reducer, s, visit);
  }
  bool saturated(const accumulator& a) const {
    if constexpr (requires { reducer.saturated(a); }) {
      return reducer.saturated(a);
    } else {
      (void)a;
      return false;
    }
  }
  /// One chunk of the ordered tree, lane by lane.
  template <class T>
  state chunk(const tile<T>& t) const {
    const std::size_t present = t.size < ordered_tree::lanes ? t.size : ordered_tree::lanes;
    state lane[ordered_tree::lanes];
    for (std::size_t l = 0; l < present; ++l) {
      lane[l] = reducer.start();
      for (std::size_t i = l; i < t.size; i += ordered_tree::lanes) reducer.fold(lane[l], t.data[i]);
    }
    for (std::size_t half = ordered_tree::lanes / 2; half != 0; half /= 2) {
      for (std::size_t l = 0; l < half && l + half < present; ++l) reducer.merge(lane[l], lane[l + half]);
    }
    return lane[0];
  }
};

template <class R>
concept takes_tiles = requires { typename R::accumulator; };
template <class R>
using tiled_t = std::conditional_t<takes_tiles<R>, R, tiled<R>>;

/// In the place of a reducer that is none, so that the sentence about it is the only error.
struct no_reducer {
  using state = char;
  using accumulator = char;
  static constexpr bool order_free = true;
  state empty() const { return 0; }
  accumulator start() const { return 0; }
  template <class Tile>
  bool fold(accumulator&, const Tile&) const {
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator&, state&) const {}
  void merge(state&, const state&) const {}
  int finish(const state&) const { return 0; }
};

/// What tiles a reducer reads, where it says so: `using reads = tile<double>`.
template <class R, class Tile>
constexpr bool reads_others() {
  if constexpr (requires { typename R::reads; }) {
    return !std::is_same_v<typename R::reads, Tile>;
  } else {
    return false;
  }
}
/// The reducer in the form the backends run.
template <class R, class Tile>
auto as_tile_reducer(const R& r) {
  if constexpr (reads_others<R, Tile>()) {
    static_assert(!reads_others<R, Tile>(),
                  "accrue: the reducer's element type is not that of the range, or it reads two ranges (a dot product) and was given one: "
                  "sum_of<float> reads floats, and 16-bit floats, which arrive as float");
    return no_reducer{};
  } else if constexpr (tile_reducer<R, Tile>) {
    return r;
  } else if constexpr (element_reducer<R, typename element_of_tile<Tile>::type>) {
    return tiled<R>{r};
  } else {
    static_assert(!std::is_same_v<R, R>,
                  "accrue: not a reducer for this element type: a reducer is a struct with start, fold, merge and finish "
                  "(accrue/reducer.hpp shows one), or one of accrue's, as sum_of<double>{}; lambdas and std::plus are none");
    return no_reducer{};
  }
}

template <class R, class Elements, class Mask>
auto as_masked_reducer(const R& r, std::type_identity<masked_tile<Elements, Mask>>) {
  const auto reducer = as_tile_reducer<R, Elements>(r);
  using tile_reducer_type = std::remove_const_t<decltype(reducer)>;
  static_assert(is_order_free<tile_reducer_type>(),
                "accrue::where: the ordered tree has no masks; ask for accrue::fast, or give the others the operation's identity by "
                "transform_reduce");
  if constexpr (!is_order_free<tile_reducer_type>()) {
    return masked_reducer<no_reducer>{};
  } else if constexpr (requires { reducer.over_masked_tiles(); }) {
    return reducer.over_masked_tiles();
  } else {
    return masked_reducer<tile_reducer_type>{reducer};
  }
}

/// A reducer whose caller accepts any order.
template <class R>
struct any_order : R {
  explicit any_order(const R& r) : R(r) {}
  static constexpr bool order_free = true;
  auto over_masked_tiles() const
    requires requires(const R& r) { r.over_masked_tiles(); }
  {
    const auto masked = R::over_masked_tiles();
    return any_order<std::remove_const_t<decltype(masked)>>(masked);
  }
};

/// A reducer in the form that backends run (reducer_over), whose result is its state.
template <class R>
struct gives_state : R {
  static constexpr bool in_final_form = true;
  explicit gives_state(const R& r) : R(r) {}
  typename R::state finish(const typename R::state& s) const { return s; }
};

/// The reducer behind the forms above.
template <class R>
struct reducer_behind {
  using type = R;
};
template <class R>
struct reducer_behind<any_order<R>> : reducer_behind<R> {};
template <class R>
struct reducer_behind<gives_state<R>> : reducer_behind<R> {};
/// Whether a reducer takes tiles of 16-bit floats that have not been widened: by its own function, not by that of a class that it changes.
template <class R, class Tile>
concept folds_narrow = std::is_same_v<typename reducer_behind<R>::type::self, typename reducer_behind<R>::type> &&
                       requires(const R& r, typename R::accumulator& a, const Tile& t) { r.fold_narrow(a, t); };

/// Whether a reducer adds up a short tile without an accumulator: by its own function, likewise.
template <class R, class Tile>
concept adds_up_short_tiles = std::is_same_v<typename reducer_behind<R>::type::self, typename reducer_behind<R>::type> &&
                              requires(const R& r, kernels::short_total& total, const Tile& t) { r.add_up_short(total, t); };

/// Whether it does so with short groups.
template <class R, class T>
concept adds_up_short_groups =
    std::is_same_v<typename reducer_behind<R>::type::self, typename reducer_behind<R>::type> &&
    requires(const R& r, kernels::short_groups<T>& groups, kernels::exact_pair* totals) { r.add_up_groups(groups, totals); };

/// Whether a user's reducer folds elements of this very type.
template <class R, class Element>
inline constexpr bool folds_elements = element_reducer<R, Element> && !takes_tiles<R>;
template <class R, class Element>
inline constexpr bool folds_elements<tiled<R>, Element> = element_reducer<R, Element>;
template <class R, class Element>
inline constexpr bool folds_elements<any_order<R>, Element> = folds_elements<R, Element>;
template <class R, class Element>
inline constexpr bool folds_elements<gives_state<R>, Element> = folds_elements<R, Element>;

/// Reads 16-bit floats as float unless the reducer wants them as they are.
template <class R, class View>
auto view_for(const View& v) {
  if constexpr (folds_elements<R, typename View::element>) {
    return v;
  } else {
    return carried(v);
  }
}

/// The reducer in the form that backends run over tiles of a view.
template <class View, class R>
auto reducer_over(const R& reducer) {
  using scratch = typename View::scratch;
  using tile_type = decltype(std::declval<const View&>().read(0, 0, std::declval<scratch&>()));
  if constexpr (requires { R::in_final_form; }) {
    return reducer;
  } else if constexpr (is_masked_tile<tile_type>) {
    return as_masked_reducer(reducer, std::type_identity<tile_type>{});
  } else {
    return as_tile_reducer<R, tile_type>(reducer);
  }
}

/// The state of one tile.
template <class R, class Tile>
typename R::state tile_state(const R& r, const Tile& t) {
  auto a = r.start();
  auto s = r.empty();
  if (!r.fold(a, t)) r.refold(a, s, t);
  r.drain(a, s);
  return s;
}
/// The state of one chunk of the ordered tree.
template <class R, class Tile>
typename R::state chunk_state(const R& r, const Tile& t) {
  if constexpr (requires { r.chunk(t); }) {
    return r.chunk(t);
  } else {
    return tile_state(r, t);
  }
}

}  // namespace detail
}  // namespace accrue
