// SPDX-License-Identifier: BSD-3-Clause
// The front door: reduce, transform_reduce and the named reductions, for any space.
//
// Every function takes a space and then its input: `x` is a contiguous range, a std::span, a view, a slice or a masked input (`where`) as
// view.hpp has them, an mdspan or Kokkos::View of rank 1 or 2 (the last index runs fastest), on hosts of any rank, and there any random-
// access range; named reductions also take a pointer followed by a count, or a grouping followed by where its results go (groupings.hpp).
// Reducers are in accrue/reducers/. Two inputs have equal lengths. The data must be readable by the space and stay unchanged during the
// call; inputs may alias. A guarantee may follow the input where the comment on a call says which; where the bits are the same under all,
// as for extrema, it changes nothing. All calls block until the result is there, may run concurrently from any threads, and throw
// accrue::error: `null_data`, `size_mismatch`, `size_overflow`, `empty_range` where there is no identity, `overflow_error` for integer
// totals that do not fit. Cost: one pass over memory.
#pragma once

#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "accrue/detail/call_arguments.hpp"
#include "accrue/detail/group_reduce.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/sort_by_key.hpp"
#include "accrue/detail/whole_positions.hpp"
#include "accrue/fuse.hpp"
#include "accrue/groupings.hpp"
#include "accrue/guarantee.hpp"
#include "accrue/partial_results.hpp"
#include "accrue/reducers/extrema.hpp"
#include "accrue/reducers/logical.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/reducers/weighted_mean.hpp"
#include "accrue/space.hpp"

namespace accrue {

namespace detail {

template <class S, class R, class View>
auto run(const S& space, const R& reducer, const View& input) {
  const auto v = view_for<R>(input);
  const auto r = reducer_over<decltype(v)>(reducer);
  if constexpr (!execution_space<S>) {
    return r.finish(r.empty());  // parse_one has said it
  } else if constexpr (requires { begin_range(space, r, v); }) {
    return begin_range(space, r, v);
  } else if constexpr (require_backend<S>(); has_reduce_range<S>) {
    return reduce_range(space, r, v);
  } else {
    return finish_on_host(r, v, [&] { return reduce_state(space, r, v); });
  }
}

/// Whether there are results to write, or keys, of which any is wrong where there is no group.
template <class Groups>
bool has_work(const Groups& groups) {
  constexpr bool by_keys = requires { groups.keys; };
  return groups.count() != 0 || (by_keys && groups.size() != 0);
}

/// The results of all groups.
template <class S, class R, class Groups, class Out>
void run(const S& space, const R& reducer, const grouped_input<Groups, Out>& input) {
  using view = decltype(view_for<R>(input.groups.group(0)));
  const auto r = reducer_over<view>(reducer);
  using result = result_of<std::remove_const_t<decltype(r)>>;
  result* const out = with_waiting_peers(space, [&] { return input.template results_in<result>(space); });
  require_backend<S>();
  if (!has_work(input.groups) && !has_peers<S>) return;
  if constexpr (has_team<S> && requires { input.groups.keys; }) {
    const sorted_groups sorted(team_of(space), input.groups);
    reduce_groups_on_host(team_of(space), reducer, sorted.segments(), out, [&](const auto& v) { return run(space, reducer, v); });
  } else if constexpr (has_team<S>) {
    reduce_groups_on_host(team_of(space), reducer, input.groups, out, [&](const auto& v) { return run(space, reducer, v); });
  } else {
    reduce_groups_into(space, r, input.groups, out);
  }
}
/// The same with positions that count in the whole.
template <class S, class R, class Groups, class Out>
void run(const S& space, const R& reducer, const grouped_input<whole_groups<Groups>, Out>& input) {
  using view = decltype(view_for<R>(input.groups.group(0)));
  const auto r = reducer_over<view>(reducer);
  using result = result_of<std::remove_const_t<decltype(r)>>;
  require_positions<S, result>();
  result* const out = input.template results<result>();
  if constexpr (has_team<S>) {
    run(space, reducer, with_output(input.groups.within, out));
    move_to_whole(input.groups.within, out);
  } else if (has_work(input.groups.within)) {
    require_backend<S>();
    reduce_groups_into(space, r, input.groups, out);
  }
}

/// The state of a view, as a partial result of the reducer that the caller knows.
template <execution_space S, class R, class View>
auto run_partial(const S& space, const R& reducer, const View& input) {
  const auto v = view_for<R>(input);
  const auto r = reducer_over<decltype(v)>(reducer);
  if constexpr (requires { typename R::state; }) {
    require_backend<S>();
    return partial_result<R>(reducer, reduce_state(space, r, v));
  } else {
    return partial_result<no_reducer>();  // reducer_over has said it
  }
}

/// The same, written to the space's memory.
template <execution_space S, class R, class View>
void run_partial_into(const S& space, const R& reducer, const View& input, typename R::state* state) {
  with_waiting_peers(space, [&] {
    if (state == nullptr) throw error(errc::null_data, "accrue::partial_into: null state");
  });
  require_backend<S>();
  if constexpr (asynchronous_space<S>) {
    const auto v = view_for<R>(input);
    reduce_state_into(space, reducer_over<decltype(v)>(reducer), v, state);
  } else {
    *state = run_partial(space, reducer, input).state();
  }
}

/// The states of all groups, written to the space's memory.
template <execution_space S, class R, class Groups>
void run_partial_groups_into(const S& space, const R& reducer, const Groups& groups, typename R::state* states) {
  static_assert(!counts_in_whole<Groups>, "accrue::whole_positions: partial results count within their groups");
  using view = decltype(view_for<R>(groups.group(0)));
  const auto r = reducer_over<view>(reducer);
  using form = std::remove_const_t<decltype(r)>;
  if constexpr (requires { reduce_group_states_into(space, r, groups, states); }) {
    (void)place_of_results<typename R::state>(states, groups.count());
    require_backend<S>();
    if (has_work(groups)) reduce_group_states_into(space, r, groups, states);
  } else {
    run(space, gives_state<form>(r), with_output(groups, states));
  }
}
/// The same as partial results, by way of the space's memory.
template <execution_space S, class R, class Groups>
partial_results<R> run_partial_groups(const S& space, const R& reducer, const Groups& groups) {
  using state = typename R::state;
  auto states = with_waiting_peers(space, [&] { return std::make_unique_for_overwrite<state[]>(groups.count()); });
  if constexpr (asynchronous_space<S>) {
    const std::size_t bytes = groups.count() * sizeof(state);
    struct memory {
      const S& space;
      void* data;
      ~memory() {
        try {
          space.deallocate(data);
        } catch (...) {  // after a failure of the device, which is thrown already
        }
      }
    } const there{space, space.allocate(bytes)};
    run_partial_groups_into(space, reducer, groups, static_cast<state*>(there.data));
    space.copy(static_cast<void*>(states.get()), there.data, bytes);
    space.synchronize();
  } else {
    run_partial_groups_into(space, reducer, groups, states.get());
  }
  return {reducer, std::span<const state>(states.get(), groups.count())};
}

}  // namespace detail

/// The reduction of x by any reducer (reducer.hpp). Guarantee: the reducer's own; `fast` lets one that is not order-free run in any
/// order.
template <execution_space S, class X, class R, guarantee G = ordered_t>
auto reduce(const S& space, const X& x, const R& reducer, G = {}) {
  const auto v = detail::with_peers(space, [&] { return detail::as_view(x, "reduce"); });
  static_assert(!std::is_same_v<G, exact_t> || detail::is_order_free<R>(), "accrue::reduce: this reducer is ordered or fast, not exact");
  if constexpr (std::is_same_v<G, fast_t> && !detail::is_order_free<R>()) {
    if constexpr (detail::takes_tiles<R>) {
      return detail::run(space, detail::any_order<R>(reducer), v);
    } else {
      return detail::run(space, detail::any_order<detail::tiled<R>>(detail::tiled<R>{reducer}), v);
    }
  } else {
    return detail::run(space, reducer, v);
  }
}

/// The same for each group of a grouping (groupings.hpp), written to `out`.
template <execution_space S, detail::grouping Groups, class R, class Out, guarantee G = ordered_t>
  requires(!guarantee<std::remove_cvref_t<Out>>)
void reduce(const S& space, const Groups& groups, const R& reducer, Out&& out, G g = {}) {
  reduce(space, detail::with_output(groups, out), reducer, g);
}

/// As `reduce`, with the result written to `*result`, memory the space can write. Asynchronous on spaces with streams; done on
/// return on the others.
template <execution_space S, class X, class R, class Result>
void reduce_into(const S& space, const X& x, const R& reducer, Result* result) {
  detail::with_waiting_peers(space, [&] {
    if (result == nullptr) throw error(errc::null_data, "accrue::reduce_into: null result");
  });
  if constexpr (asynchronous_space<S>) {
    const auto v = detail::view_for<R>(detail::as_view(x, "reduce_into"));
    reduce_range_into(space, detail::reducer_over<decltype(v)>(reducer), v, result);
  } else {
    *result = reduce(space, x, reducer);
  }
}

/// Operations for transform_reduce: each stands for the named reduction of the transformed elements.
struct plus {
  template <class T>
  using reducer = sum_of<T>;
};
struct multiplies {
  template <class T>
  using reducer = product_of<T>;
};
struct minimum {
  template <class T>
  using reducer = min_of<T>;
};
struct maximum {
  template <class T>
  using reducer = max_of<T>;
};

namespace detail {

/// The views of f(x_i), and of f(x_i, y_i).
template <class F, class X>
auto transform(const char* call, const F& f, const X& x) {
  const auto v = as_view(x, call);
  return transformed_view<std::remove_const_t<decltype(v)>, F>{v, f};
}
template <class F, class X, class Y>
auto transform(const char* call, const F& f, const X& x, const Y& y) {
  return with_pairs(call, as_view(x, call), as_view(y, call),
                    [&]<class A, class B>(const A& a, const B& b) { return zip_transformed_view<A, B, F>{a, b, f}; });
}

/// Elements of several arrays with one index, the last apart.
template <class Earlier, class Last>
struct joined_elements {
  Earlier earlier;
  Last last;
};
struct join_elements {
  template <class Earlier, class Last>
  constexpr joined_elements<Earlier, Last> operator()(const Earlier& a, const Last& b) const {
    return {a, b};
  }
};
/// f of joined elements, one by one.
template <class F>
struct apply_to_joined {
  F f;
  template <class Earlier, class Last, class... Later>
  constexpr auto operator()(const joined_elements<Earlier, Last>& joined, const Later&... later) const {
    return (*this)(joined.earlier, joined.last, later...);
  }
  template <class First, class... Later>
  constexpr auto operator()(const First& first, const Later&... later) const {
    return f(first, later...);
  }
};
/// The view of f(x_i, y_i, w_i, ...).
template <class F, class View, class W>
auto transform_joined(const char* call, const F& f, const View& earlier, const W& w) {
  return transform(call, apply_to_joined<F>{f}, earlier, w);
}
template <class F, class View, class W, class... More>
auto transform_joined(const char* call, const F& f, const View& earlier, const W& w, const More&... more) {
  return transform_joined(call, f, transform(call, join_elements{}, earlier, w), more...);
}

template <class Op, class T>
auto reducer_for(const Op& op) {
  if constexpr (requires { typename Op::template reducer<T>; }) {
    return typename Op::template reducer<T>{};
  } else {
    return op;
  }
}

}  // namespace detail

/// The reduction by `op` (accrue::plus, multiplies, minimum, maximum, or a reducer) of f(x_i). `plus` is exact: the exact sum of the
/// values that f returned. f is called concurrently, once for each element.
template <execution_space S, class X, class Op, class F>
auto transform_reduce(const S& space, const X& x, const Op& op, const F& f) {
  const auto transformed = detail::with_peers(space, [&] { return detail::transform("transform_reduce", f, x); });
  return detail::run(space, detail::reducer_for<Op, typename decltype(transformed)::element>(op), transformed);
}
/// The same of f(x_i, y_i).
template <execution_space S, class X, class Y, class Op, class F>
auto transform_reduce(const S& space, const X& x, const Y& y, const Op& op, const F& f) {
  const auto transformed = detail::with_peers(space, [&] { return detail::transform("transform_reduce", f, x, y); });
  return detail::run(space, detail::reducer_for<Op, typename decltype(transformed)::element>(op), transformed);
}

/// The same of f(x_i, y_i, w_i, ...), three arrays or more, which come last.
template <execution_space S, class Op, class F, class X, class Y, class W, class... More>
auto transform_reduce(const S& space, const Op& op, const F& f, const X& x, const Y& y, const W& w, const More&... more) {
  const auto transformed = detail::with_peers(space, [&] { return detail::transform_joined("transform_reduce", f, x, y, w, more...); });
  return detail::run(space, detail::reducer_for<Op, typename decltype(transformed)::element>(op), transformed);
}

/// What an order-free reducer R knows of x, before its last step, a partial_result<R>: partial_result.hpp says how such results merge,
/// travel and finish. `reduce(space, x, reducer)` is `partial(space, x, reducer).finish()`, and takes as long.
template <execution_space S, class X, class R>
auto partial(const S& space, const X& x, const R& reducer) {
  return detail::run_partial(space, reducer, detail::with_peers(space, [&] { return detail::as_view(x, "partial"); }));
}
/// What it knows of each group of a grouping, a partial_results<R>: partial_results.hpp.
template <execution_space S, detail::grouping Groups, class R>
partial_results<R> partial(const S& space, const Groups& groups, const R& reducer) {
  return detail::run_partial_groups(space, reducer, groups);
}
/// The partial result of x as its state alone, written to `*state` in memory that the space can write: one object of
/// `partial_result<R>::state_type`, as `space.allocate(sizeof(...))` has room for. Asynchronous on spaces with streams, where it may be
/// captured into a graph; done on return on the others. `partial_result(reducer, state)` takes a state back.
template <execution_space S, class X, class R>
void partial_into(const S& space, const X& x, const R& reducer, typename R::state* state) {
  detail::run_partial_into(space, reducer, detail::with_waiting_peers(space, [&] { return detail::as_view(x, "partial_into"); }), state);
}
/// The states of a grouping's groups, one behind the other.
template <execution_space S, detail::grouping Groups, class R>
void partial_into(const S& space, const Groups& groups, const R& reducer, typename R::state* states) {
  detail::run_partial_groups_into(space, reducer, groups, states);
}
/// The same of pairs (x_i, y_i), for reducers of pairs.
template <execution_space S, class X, class Y, class R>
void partial_into(const S& space, const X& x, const Y& y, const R& reducer, typename R::state* state) {
  const auto pairs = detail::with_waiting_peers(space, [&] { return detail::pair_view("partial_into", x, y); });
  detail::run_partial_into(space, reducer, pairs, state);
}
/// Ends a state that `partial_into` left, in the space's memory: `*result` is what `partial_result::finish` returns. Asynchronous as
/// `partial_into`; what `finish` would throw is then reported by `synchronize()` or the next call, and the result is undefined.
template <execution_space S, class R, class Result>
void finish_into(const S& space, const R& reducer, const typename R::state* state, Result* result) {
  if (state == nullptr || result == nullptr) throw error(errc::null_data, "accrue::finish_into: a null pointer");
  if constexpr (asynchronous_space<S>) {
    require_backend<S>();
    finish_state_into(space, detail::tiled_t<R>{reducer}, state, result);
  } else {
    static_assert(std::is_same_v<Result, detail::result_of<R>>, "accrue::finish_into: the reducer's result has another type");
    *result = partial_result<R>(reducer, *state).finish();
  }
}
/// The same for `count` states, those of a grouping's groups, and as many results.
template <execution_space S, class R, class Result>
void finish_into(const S& space, const R& reducer, const typename R::state* states, std::size_t count, Result* results) {
  if (count != 0 && (states == nullptr || results == nullptr)) throw error(errc::null_data, "accrue::finish_into: a null pointer");
  if constexpr (asynchronous_space<S>) {
    require_backend<S>();
    finish_states_into(space, detail::tiled_t<R>{reducer}, states, count, results);
  } else {
    for (std::size_t k = 0; k < count; ++k) finish_into(space, reducer, states + k, results + k);
  }
}

/// `partial` of pairs (x_i, y_i), for reducers of pairs: `partial(space, x, y, dot_of<double>{})`.
template <execution_space S, class X, class Y, class R>
auto partial(const S& space, const X& x, const Y& y, const R& reducer) {
  return detail::run_partial(space, reducer, detail::with_peers(space, [&] { return detail::pair_view("partial", x, y); }));
}
/// `partial` of two groupings, for reducers of pairs: `partial(space, rows(a), rows(b), dot_of<double>{})`.
template <execution_space S, detail::grouping X, detail::grouping Y, class R>
partial_results<R> partial(const S& space, const X& x, const Y& y, const R& reducer) {
  const auto groups = detail::with_waiting_peers(space, [&] { return detail::zip_checked("partial", x, y); });
  return detail::run_partial_groups(space, reducer, groups);
}
template <execution_space S, detail::grouping X, detail::grouping Y, class R>
void partial_into(const S& space, const X& x, const Y& y, const R& reducer, typename R::state* states) {
  const auto groups = detail::with_waiting_peers(space, [&] { return detail::zip_checked("partial_into", x, y); });
  detail::run_partial_groups_into(space, reducer, groups, states);
}
/// `partial` of the elements f(x_i): the partial result of transform_reduce. With `count_true` it is that of count_if.
template <execution_space S, class X, class Op, class F>
auto transform_partial(const S& space, const X& x, const Op& op, const F& f) {
  const auto transformed = detail::with_peers(space, [&] { return detail::transform("transform_partial", f, x); });
  return detail::run_partial(space, detail::reducer_for<Op, typename decltype(transformed)::element>(op), transformed);
}
/// `partial` of the elements f(x_i, y_i).
template <execution_space S, class X, class Y, class Op, class F>
auto transform_partial(const S& space, const X& x, const Y& y, const Op& op, const F& f) {
  const auto transformed = detail::with_peers(space, [&] { return detail::transform("transform_partial", f, x, y); });
  return detail::run_partial(space, detail::reducer_for<Op, typename decltype(transformed)::element>(op), transformed);
}
/// `partial` of the elements f(x_i, y_i, w_i, ...).
template <execution_space S, class Op, class F, class X, class Y, class W, class... More>
auto transform_partial(const S& space, const Op& op, const F& f, const X& x, const Y& y, const W& w, const More&... more) {
  const auto transformed = detail::with_peers(space, [&] { return detail::transform_joined("transform_partial", f, x, y, w, more...); });
  return detail::run_partial(space, detail::reducer_for<Op, typename decltype(transformed)::element>(op), transformed);
}

// Sums. Guarantees: exact (default), ordered, fast. Result: the element type (float for 16-bit floats; int64_t or uint64_t for
// integers, which throw overflow_error rather than wrap), or the R asked for, as in sum<double>(space, floats). NaN, or infinities of
// both signs, give NaN; infinities of one sign give that infinity; an exact zero is +0; no elements give 0. In the forms p and q are
// pointers, n is a count, R the result's type; what is in brackets may be left out.

/// sum of x_i.
/// Forms: sum[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto sum(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("sum", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(space, sum_of<T, detail::result_or<R, total_t<T>>, typename decltype(in)::guarantee_type>{}, in.view);
}

/// sum of |x_i|; for complex numbers of |re| + |im|, as BLAS's asum.
/// Forms: sum_abs[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto sum_abs(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("sum_abs", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(
      space, sum_abs_of<T, detail::result_or<R, detail::real_total_t<T>>, typename decltype(in)::guarantee_type>{}, in.view);
}

/// sum of |x_i|^2.
/// Forms: sum_squares[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto sum_squares(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("sum_squares", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(
      space, sum_squares_of<T, detail::result_or<R, detail::real_total_t<T>>, typename decltype(in)::guarantee_type>{}, in.view);
}

/// sum of x_i * y_i (for complex numbers not conjugated).
/// Forms: dot[<R>](space, x, y [, guarantee]), (space, p, q, n [, guarantee]), (space, grouping, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto dot(const S& space, Args&&... args) {
  const auto in = detail::parse_two<exact_t>("dot", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(space, dot_of<T, detail::result_or<R, total_t<T>>, typename decltype(in)::guarantee_type>{}, in.view);
}

/// sum of conj(x_i) * y_i, for complex numbers.
/// Forms: dot_conjugated(space, x, y [, guarantee]), (space, p, q, n [, guarantee]), (space, grouping, grouping, out [, guarantee]).
template <detail::first_argument S, class... Args>
auto dot_conjugated(const S& space, Args&&... args) {
  const auto in = detail::parse_two<exact_t>("dot_conjugated", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(space, dot_conjugated_of<T, typename decltype(in)::guarantee_type>{}, in.view);
}

/// The 1-norm: sum_abs under its other name.
/// Forms: norm1[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto norm1(const S& space, Args&&... args) {
  return sum_abs<R>(space, args...);
}

/// The 2-norm sqrt(sum of |x_i|^2), rounded once: no overflow or underflow on the way. Integers give double.
/// Forms: norm2[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto norm2(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("norm2", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(space, norm2_of<T, detail::result_or<R, detail::root_t<T>>, typename decltype(in)::guarantee_type>{}, in.view);
}

/// The largest |x_i| (for complex numbers |re| + |im|); 0 for no elements; NaN propagates. Integers give uint64_t. Any order.
/// Forms: norm_inf(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto norm_inf(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("norm_inf", space, args...);
  return detail::run(space, norm_inf_of<typename decltype(in)::element>{}, in.view);
}

/// (sum of x_i) / n, rounded once. Integers give double. Throws `empty_range` for no elements.
/// Forms: mean[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto mean(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("mean", space, args...);
  using T = typename decltype(in)::element;
  return detail::run(space, mean_of<T, detail::result_or<R, fraction_t<T>>, typename decltype(in)::guarantee_type>{}, in.view);
}

/// (sum of w_i x_i) / (sum of w_i), rounded once; exact alone. Floating elements. Weights
/// that add up to zero give an infinity with the sign of the sum of products, or NaN where that is zero too; infinite sums divide as
/// IEEE 754 has it. Throws `empty_range` for no elements.
/// Forms: weighted_mean[<R>](space, x, w), (space, p, q, n), (space, grouping, grouping, out).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto weighted_mean(const S& space, Args&&... args) {
  const auto in = detail::parse_two<exact_t>("weighted_mean", space, args...);
  using T = typename decltype(in)::element;
  static_assert(native_float<T> || small_float<T>, "accrue::weighted_mean: elements and weights are floating");
  static_assert(std::is_same_v<typename decltype(in)::guarantee_type, exact_t>, "accrue::weighted_mean is exact");
  return detail::run(space, weighted_mean_of<T, detail::result_or<R, total_t<T>>>{}, in.view);
}

/// Count, mean, variance and standard deviation, each correctly rounded from exact sums: moments_result has `count`, `mean`, `variance`
/// (over n - 1; NaN for one element), `population_variance` (over n) and `standard_deviation`. Throws `empty_range`.
/// Forms: moments(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto moments(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("moments", space, args...);
  return detail::run(space, moments_of<typename decltype(in)::element>{}, in.view);
}

/// Product of x_i. Guarantees: ordered (default), fast. Integers are exact and throw overflow_error. 1 for no elements.
/// Forms: product[<R>](space, x [, guarantee]), (space, p, n [, guarantee]), (space, grouping, out [, guarantee]).
template <class R = detail::automatic, detail::first_argument S, class... Args>
auto product(const S& space, Args&&... args) {
  const auto in = detail::parse_one<ordered_t>("product", space, args...);
  using T = typename decltype(in)::element;
  using G = typename decltype(in)::guarantee_type;
  static_assert(integer<T> || !std::is_same_v<G, exact_t>, "accrue::product rounds at each factor: ordered or fast");
  return reduce(space, in.view, product_of<T, detail::result_or<R, total_t<T>>>{}, G{});
}

/// Product with its exponent apart: significand * 2^exponent, so that nothing overflows or underflows. Ordered.
/// Forms: scaled_product(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto scaled_product(const S& space, Args&&... args) {
  const auto in = detail::parse_one<ordered_t>("scaled_product", space, args...);
  if constexpr (requires { in.view.groups; }) {
    detail::run(space, detail::tiled<scaled_product_of>{}, in.view);
  } else {
    return detail::run(space, detail::tiled<scaled_product_of>{}, detail::carried(in.view));
  }
}
/// IEEE 754-2019 scaledProdSum: the scaled product of x_i + y_i.
template <execution_space S, class X, class Y>
scaled_value scaled_product_sum(const S& space, const X& x, const Y& y) {
  return transform_reduce(space, x, y, scaled_product_of{}, detail::scaled_sum{false});
}
/// IEEE 754-2019 scaledProdDiff: the scaled product of x_i - y_i.
template <execution_space S, class X, class Y>
scaled_value scaled_product_difference(const S& space, const X& x, const Y& y) {
  return transform_reduce(space, x, y, scaled_product_of{}, detail::scaled_sum{true});
}

// Extrema. Any order gives the same bits. Results have the element type. They throw `empty_range` for no elements.

/// IEEE 754-2019 minimum: NaN if any element is NaN; -0 is below +0.
/// Forms: min(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto min(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("min", space, args...);
  return detail::run(space, min_of<typename decltype(in)::element>{}, in.view);
}
/// IEEE 754-2019 maximum.
/// Forms: max(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto max(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("max", space, args...);
  return detail::run(space, max_of<typename decltype(in)::element>{}, in.view);
}
/// IEEE 754-2019 minimumNumber: NaN only if all elements are.
/// Forms: min_number(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto min_number(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("min_number", space, args...);
  return detail::run(space, min_number_of<typename decltype(in)::element>{}, in.view);
}
/// IEEE 754-2019 maximumNumber.
/// Forms: max_number(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto max_number(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("max_number", space, args...);
  return detail::run(space, max_number_of<typename decltype(in)::element>{}, in.view);
}
/// Both: {min, max}.
/// Forms: minmax(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto minmax(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("minmax", space, args...);
  return detail::run(space, minmax_of<typename decltype(in)::element>{}, in.view);
}
/// {value, index} of the minimum: the lowest index that has it, or the first NaN.
/// Forms: argmin(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto argmin(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("argmin", space, args...);
  return detail::run(space, argmin_of<typename decltype(in)::element>{}, in.view);
}
/// {value, index} of the maximum: the lowest index that has it, or the first NaN.
/// Forms: argmax(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto argmax(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("argmax", space, args...);
  return detail::run(space, argmax_of<typename decltype(in)::element>{}, in.view);
}
/// Both: {{value, index} of the minimum, {value, index} of the maximum}.
/// Forms: argminmax(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto argminmax(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("argminmax", space, args...);
  return detail::run(space, argminmax_of<typename decltype(in)::element>{}, in.view);
}

// Predicates. `predicate` is called concurrently, at most once for each element.

/// The number of elements for which the predicate holds.
template <execution_space S, class X, class Predicate>
std::uint64_t count_if(const S& space, const X& x, const Predicate& predicate) {
  return transform_reduce(space, x, count_true{}, detail::predicate_of<Predicate, true>{predicate});
}
/// Whether the predicate holds for some element; false for none. Stops soon after the first.
template <execution_space S, class X, class Predicate>
bool any_of(const S& space, const X& x, const Predicate& predicate) {
  return transform_reduce(space, x, any_true{}, detail::predicate_of<Predicate, true>{predicate});
}
/// Whether it holds for all; true for none.
template <execution_space S, class X, class Predicate>
bool all_of(const S& space, const X& x, const Predicate& predicate) {
  return !transform_reduce(space, x, any_true{}, detail::predicate_of<Predicate, false>{predicate});
}
/// Whether it holds for no element; true for none.
template <execution_space S, class X, class Predicate>
bool none_of(const S& space, const X& x, const Predicate& predicate) {
  return !any_of(space, x, predicate);
}

// Bitwise reductions of integers; the result has the element type.

/// x_0 & x_1 & ...; all bits for no elements.
/// Forms: bit_and(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto bit_and(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("bit_and", space, args...);
  return detail::run(space, bit_and_of<typename decltype(in)::element>{}, in.view);
}
/// x_0 | x_1 | ...; zero for no elements.
/// Forms: bit_or(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto bit_or(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("bit_or", space, args...);
  return detail::run(space, bit_or_of<typename decltype(in)::element>{}, in.view);
}
/// x_0 ^ x_1 ^ ...; zero for no elements.
/// Forms: bit_xor(space, x), (space, p, n), (space, grouping, out).
template <detail::first_argument S, class... Args>
auto bit_xor(const S& space, Args&&... args) {
  const auto in = detail::parse_one<exact_t>("bit_xor", space, args...);
  return detail::run(space, bit_xor_of<typename decltype(in)::element>{}, in.view);
}

}  // namespace accrue
