// SPDX-License-Identifier: BSD-3-Clause
// transform_reduce: the reduction of what a function makes of each element, or of the elements of several arrays with one index. Inputs and
// errors as in reductions.hpp.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "accrue/detail/run.hpp"
#include "accrue/reducers/extrema.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"

namespace accrue {

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
/// values that f returned, whose own rounding errors stay. No guarantee is named: another `op` is another reduction. f is called
/// concurrently, once for each element, or as often as `fuse` has reducers.
/// Forms: transform_reduce(space, x, op, f), (space, x, y, op, f), and of three arrays and more (space, op, f, x, y, w, ...).
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

}  // namespace accrue
