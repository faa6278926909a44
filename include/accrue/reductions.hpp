// SPDX-License-Identifier: BSD-3-Clause
// The front door: reduce and the named reductions, for any space; with transform_reduce.hpp and partials.hpp.
//
// Every function takes a space and then its input: `x` is a contiguous range, a std::span, a view, a slice or a masked input (`where`) as
// view.hpp has them, an mdspan or Kokkos::View (the last index runs fastest), on hosts any random-access range; named reductions also take
// a pointer followed by a count, or a grouping followed by where its results go (groupings.hpp).
// Reducers are in accrue/reducers/. Two inputs have equal lengths. The data must be readable by the space and stay unchanged during the
// call; inputs may alias. A guarantee may follow the input where the comment on a call says which; where the bits are the same under all,
// as for extrema, it changes nothing. All calls block until the result is there, may run concurrently from any threads, and throw
// accrue::error: `null_data`, `size_mismatch`, `size_overflow`, `empty_range` where there is no identity, `overflow_error` for integer
// totals that do not fit. Cost: one pass over memory.
#pragma once

#include <type_traits>
#include <utility>

#include "accrue/detail/run.hpp"
#include "accrue/fuse.hpp"
#include "accrue/groupings.hpp"
#include "accrue/guarantee.hpp"
#include "accrue/partials.hpp"
#include "accrue/reducers/extrema.hpp"
#include "accrue/reducers/logical.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/reducers/weighted_mean.hpp"
#include "accrue/space.hpp"
#include "accrue/transform_reduce.hpp"

namespace accrue {

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
    const auto v = detail::view_in_any_order_for<R>(detail::as_view(x, "reduce_into"));
    reduce_range_into(space, detail::reducer_over<decltype(v)>(reducer), v, result);
  } else {
    *result = reduce(space, x, reducer);
  }
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
