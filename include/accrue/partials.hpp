// SPDX-License-Identifier: BSD-3-Clause
// Reductions before their last step: partial, partial_into, finish_into and transform_partial. Inputs and errors as in reductions.hpp.
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "accrue/detail/run.hpp"
#include "accrue/partial_results.hpp"
#include "accrue/transform_reduce.hpp"

namespace accrue {

namespace detail {

/// The state of a view, as a partial result of the reducer that the caller knows.
template <execution_space S, class R, class View>
auto run_partial(const S& space, const R& reducer, const View& input) {
  const auto v = view_in_any_order_for<R>(input);
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
    const auto v = view_in_any_order_for<R>(input);
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
    (void)place_of_results<typename R::state>(Groups::call, states, groups.count());
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

}  // namespace accrue
