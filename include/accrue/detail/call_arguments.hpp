// SPDX-License-Identifier: BSD-3-Clause
// What callers of a named reduction write behind its space: ranges, pointers and counts, groupings and outputs, a guarantee; and what they
// are told where it is none of these.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "accrue/element.hpp"
#include "accrue/groupings.hpp"
#include "accrue/guarantee.hpp"
#include "accrue/space.hpp"
#include "accrue/view.hpp"

namespace accrue::detail {

struct automatic {};
template <class R, class Default>
using result_or = std::conditional_t<std::is_same_v<R, automatic>, Default, R>;

/// One input and the guarantee asked for.
template <class View, class G>
struct one_input {
  using guarantee_type = G;
  using element = typename View::element;
  View view;
};

/// In the place of an input that is none, so that the sentence about it is the only error.
using no_input = contiguous_view<double>;
/// The input of a named reduction: numbers.
template <class G, class View>
auto numbers(const View& v) {
  constexpr bool are_numbers = number<typename View::element>;
  static_assert(are_numbers, "accrue: named reductions take float, double, 16-bit floats, integers of up to 64 bits and complex numbers of "
                             "float and double (long double is none of them); for other elements write a reducer (accrue/reducer.hpp)");
  if constexpr (are_numbers) {
    return one_input<View, G>{v};
  } else {
    return one_input<no_input, G>{};
  }
}

template <guarantee Default, class X>
  requires(!grouping<X>)
auto take_one(const char* call, const X& x) {
  return numbers<Default>(as_view(x, call));
}
template <guarantee Default, class X, guarantee G>
auto take_one(const char* call, const X& x, G) {
  return numbers<G>(as_view(x, call));
}
template <guarantee Default, class T, std::integral N, guarantee... G>
auto take_one(const char* call, const T* data, N n, G... g) {
  const std::size_t count = count_of(n, call);
  check_memory(data, count, call);
  return take_one<Default>(call, contiguous_view<typename element_alias<T>::type>{as_elements(data), count}, g...);
}
/// Arrays decay to pointers in the overload above; with no count they are ranges.
template <guarantee Default, class T, std::size_t N, guarantee... G>
auto take_one(const char* call, const T (&array)[N], G... g) {
  return take_one<Default>(call, contiguous_view<T>{array, N}, g...);
}

/// A grouping, and where its results go.
template <guarantee Default, grouping G, class Out, guarantee... Asked>
  requires(!guarantee<Out>)
auto take_one(const char* call, const G& groups, Out& out, Asked... g) {
  return take_one<Default>(call, with_output(groups, out), g...);
}
/// Pairs of elements of two groupings of as many groups.
template <grouping X, grouping Y>
auto zip_checked(const char* call, const X& x, const Y& y) {
  static_assert(std::is_same_v<carrier_t<typename X::element>, carrier_t<typename Y::element>>,
                "accrue: the two inputs have different element types");
  if (x.count() != y.count()) throw_group_mismatch(call, x.count(), y.count());
  return zip_groups(x, y);
}
template <guarantee Default, grouping X, grouping Y, class Out, guarantee... Asked>
auto take_two(const char* call, const X& x, const Y& y, Out& out, Asked... g) {
  return take_one<Default>(call, with_output(zip_checked(call, x, y), out), g...);
}

/// Pairs of elements of two inputs.
template <class X, class Y>
auto pair_view(const char* call, const X& x, const Y& y) {
  const auto a = carried(as_view(x, call));
  const auto b = carried(as_view(y, call));
  static_assert(std::is_same_v<typename decltype(a)::element, typename decltype(b)::element>,
                "accrue: the two inputs have different element types");
  return zip(a, b, call);
}

template <guarantee Default, class X, class Y, guarantee... G>
  requires(!std::is_pointer_v<X>)
auto take_two(const char* call, const X& x, const Y& y, G... g) {
  return take_one<Default>(call, pair_view(call, x, y), g...);
}
template <guarantee Default, class T, std::integral N, guarantee... G>
auto take_two(const char* call, const T* x, const T* y, N n, G... g) {
  const std::size_t count = count_of(n, call);
  check_memory(x, count, call);
  check_memory(y, count, call);
  using E = typename element_alias<T>::type;
  return take_two<Default>(call, contiguous_view<E>{as_elements(x), count}, contiguous_view<E>{as_elements(y), count}, g...);
}

/// What a named call takes first: a space, or something else that callers who forgot the space begin with, so that they are told.
template <class S>
concept first_argument = execution_space<S> || is_view<S> || grouping<S> || array_like<S> || std::is_pointer_v<S> || std::is_array_v<S> ||
                         requires(const S& s) { s.data(); };

/// The input of a named call, from what its caller wrote.
template <guarantee Default, class S, class... Args>
auto parse_one(const char* call, const S& space, Args&... args) {
  if constexpr (!execution_space<S>) {
    static_assert(!std::is_same_v<S, S>, "accrue: the first argument is a space, where to run: accrue::sum(accrue::openmp{}, x)");
    return one_input<no_input, Default>{};
  } else if constexpr (requires { take_one<Default>(call, args...); }) {
    const auto take = [&] { return take_one<Default>(call, args...); };
    if constexpr ((grouping<Args> || ...)) {
      return with_waiting_peers(space, take);
    } else {
      return with_peers(space, take);
    }
  } else {
    static_assert(sizeof...(Args) == ~std::size_t{0},
                  "accrue: this call takes (space, x) or (space, pointer, count), a grouping with an output behind it, a mask as "
                  "accrue::where(x, mask), and where its comment says so a guarantee at the end: accrue::exact, ordered or fast");
    return one_input<no_input, Default>{};
  }
}
template <guarantee Default, class S, class... Args>
auto parse_two(const char* call, const S& space, Args&... args) {
  if constexpr (!execution_space<S>) {
    static_assert(!std::is_same_v<S, S>, "accrue: the first argument is a space, where to run: accrue::dot(accrue::openmp{}, x, y)");
    return one_input<zipped_view<no_input, no_input>, Default>{};
  } else if constexpr (requires { take_two<Default>(call, args...); }) {
    const auto take = [&] { return take_two<Default>(call, args...); };
    if constexpr ((grouping<Args> || ...)) {
      return with_waiting_peers(space, take);
    } else {
      return with_peers(space, take);
    }
  } else {
    static_assert(sizeof...(Args) == ~std::size_t{0},
                  "accrue: this call takes (space, x, y) or (space, pointer, pointer, count) with elements of one type, and where its "
                  "comment says so a guarantee at the end: accrue::exact, ordered or fast");
    return one_input<zipped_view<no_input, no_input>, Default>{};
  }
}

}  // namespace accrue::detail
