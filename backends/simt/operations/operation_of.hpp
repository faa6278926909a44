// SPDX-License-Identifier: BSD-3-Clause
// What a reducer is to the kernels: its operation, found by the reducer's exact type, and the source that its view is.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "accrue/fuse.hpp"
#include "accrue/reducers/extrema.hpp"
#include "accrue/reducers/logical.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/reducers/weighted_mean.hpp"
#include "accrue/backends/simt/operations/operations.hpp"

namespace accrue::simt {

/// Doubles are added as doubles whatever the result is.
template <class Element, class R>
using arithmetic_of = std::conditional_t<std::is_same_v<Element, double> || std::is_same_v<Element, pair_of<double>>, double, R>;

template <class T>
using no_elements = detail::contiguous_view<T>;
template <class T>
using no_pairs = detail::zipped_view<no_elements<T>, no_elements<T>>;

/// What a reducer is to the kernels, found by its exact type: a type that derives from a named reducer is not that reducer.
///
///   none                       an empty view of what it reads, for kernels that only end a state
///   of<Element>(reducer)       its operation on elements as they lie in memory
///   over_parts                 whether it sees complex numbers as twice as many parts
template <class R>
struct operation;
struct over_elements {
  static constexpr bool over_parts = false;
};
template <class R, class View>
concept has_operation = requires(const R& r) {
  operation<R>::template of<typename View::element>(r);
};
template <class Element, class R>
auto operation_of(const R& r) {
  return operation<R>::template of<Element>(r);
}

template <class T, class R, term what, guarantee G, bool root>
struct operation<detail::sum_reducer<T, R, what, G, root>> : over_elements {
  using none = std::conditional_t<what == term::product, no_pairs<T>, no_elements<T>>;
  static constexpr last_step step = root ? last_step::square_root : last_step::value;

  template <class Element>
  static auto of(const detail::sum_reducer<T, R, what, G, root>&) {
    constexpr scalar_type result = scalar_type::of<R>();
    if constexpr (integer<T> || std::is_same_v<G, exact_t>) {
      return exact_sum<Element, what>{step, result};
    } else if constexpr (std::is_same_v<G, fast_t>) {
      return fast_sum<Element, arithmetic_of<Element, R>, kernels::to_chunk_term(what)>{step, result};
    } else {
      return ordered_sum<Element, R, kernels::to_chunk_term(what)>{step};
    }
  }
};
template <class T, class R, guarantee G>
struct operation<mean_of<T, R, G>> : over_elements {
  using none = no_elements<carrier_t<T>>;
  template <class Element>
  static auto of(const mean_of<T, R, G>&) {
    auto op = operation_of<Element>(typename mean_of<T, R, G>::terms{});
    op.step = last_step::mean;
    return op;
  }
};
template <class T>
struct operation<moments_of<T>> : over_elements {
  using none = no_elements<carrier_t<T>>;
  template <class Element>
  static auto of(const moments_of<T>&) {
    return exact_moments<Element>{scalar_type::of<fraction_t<T>>()};
  }
};

template <class T, class R>
struct operation<weighted_mean_of<T, R>> : over_elements {
  using none = no_pairs<carrier_t<T>>;
  template <class Element>
  static auto of(const weighted_mean_of<T, R>&) {
    return exact_weighted_mean<Element>{scalar_type::of<R>()};
  }
};

template <class T, guarantee G>
struct operation<detail::complex_sum<T, G>> : over_elements {
  using none = no_elements<std::complex<T>>;
  template <class Element>
  static auto of(const detail::complex_sum<T, G>&) {
    if constexpr (std::is_same_v<G, exact_t>) {
      return exact_complex_sum<T>{};
    } else if constexpr (std::is_same_v<G, fast_t>) {
      return fast_complex_sum<T>{};
    } else {
      return ordered_complex_sum<T>{};
    }
  }
};
template <class T, guarantee G, bool conjugate>
struct operation<detail::complex_dot<T, G, conjugate>> : over_elements {
  using none = no_pairs<std::complex<T>>;
  template <class Element>
  static auto of(const detail::complex_dot<T, G, conjugate>&) {
    if constexpr (std::is_same_v<G, exact_t>) {
      return exact_complex_dot<T>{conjugate};
    } else if constexpr (std::is_same_v<G, fast_t>) {
      return fast_complex_dot<T>{conjugate};
    } else {
      return ordered_complex_dot<T>{conjugate};
    }
  }
};
template <class T, class R, term what, guarantee G, bool root>
struct operation<detail::complex_norm<T, R, what, G, root>> {
  using none = no_elements<std::complex<T>>;
  static constexpr bool over_parts = true;
  template <class Element>
  static auto of(const detail::complex_norm<T, R, what, G, root>&) {
    return operation_of<Element>(detail::sum_reducer<T, R, what, G, root>{});
  }
};

template <class T, nan_rank rank>
struct operation<detail::minimum_of<T, rank>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const detail::minimum_of<T, rank>&) {
    return extremum<Element>{false, rank};
  }
};
template <class T, nan_rank rank>
struct operation<detail::maximum_of<T, rank>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const detail::maximum_of<T, rank>&) {
    return extremum<Element>{true, rank};
  }
};
template <class T>
struct operation<minmax_of<T>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const minmax_of<T>&) {
    return both_extrema<Element>{false};
  }
};
template <class T>
struct operation<norm_inf_of<T>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const norm_inf_of<T>&) {
    if constexpr (complex_number<T>) {
      return complex_norm_inf<typename T::value_type>{};
    } else {
      return both_extrema<Element>{true};
    }
  }
};
template <class T>
struct operation<argmin_of<T>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const argmin_of<T>&) {
    return extremum_position<Element>{false};
  }
};
template <class T>
struct operation<argmax_of<T>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const argmax_of<T>&) {
    return extremum_position<Element>{true};
  }
};
template <class T>
struct operation<argminmax_of<T>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const argminmax_of<T>&) {
    return both_extremum_positions<Element>{};
  }
};

template <class T, class R>
requires(!integer<T>) struct operation<product_of<T, R>> : over_elements {
  using none = no_elements<carrier_t<T>>;
  template <class Element>
  static auto of(const product_of<T, R>&) {
    return ordered_sum<Element, R, chunk_term::factor>{last_step::value};
  }
};
template <class T, class R>
struct operation<detail::tiled<product_of<T, R>>> : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const detail::tiled<product_of<T, R>>&) {
    return integer_product<Element>{scalar_type::of<R>()};
  }
};
template <>
struct operation<detail::tiled<scaled_product_of>> : over_elements {
  using none = no_elements<double>;
  template <class Element>
  static auto of(const detail::tiled<scaled_product_of>&) {
    return scaled_product<Element>{};
  }
};
/// Bitwise reductions are those of the fixed-width type.
template <template <integer> class Reducer, integer T>
struct bitwise_operation : over_elements {
  using none = no_elements<T>;
  template <class Element>
  static auto of(const detail::tiled<Reducer<T>>&) {
    return of_elements<Reducer<Element>, Element, true>{};
  }
};
template <integer T>
struct operation<detail::tiled<bit_and_of<T>>> : bitwise_operation<bit_and_of, T> {};
template <integer T>
struct operation<detail::tiled<bit_or_of<T>>> : bitwise_operation<bit_or_of, T> {};
template <integer T>
struct operation<detail::tiled<bit_xor_of<T>>> : bitwise_operation<bit_xor_of, T> {};

/// A reducer of elements ends a state without elements, of whatever type they would be.
template <class R>
struct ending_reducer {
  using state = typename R::state;
  static constexpr bool order_free = true;
  R reducer;
  constexpr state start() const { return reducer.start(); }
  constexpr void fold(state&, char) const {}
  constexpr void merge(state& a, const state& b) const { reducer.merge(a, b); }
  constexpr auto finish(const state& s) const { return reducer.finish(s); }
};
struct no_element {};
/// The users' own.
template <class R>
struct operation<detail::tiled<R>> : over_elements {
  using none = no_elements<no_element>;
  template <class Element>
  static auto of(const detail::tiled<R>& r) {
    if constexpr (std::is_same_v<Element, no_element>) {
      return of_elements<ending_reducer<R>, char, true>{{r.reducer}};
    } else {
      return of_elements<R, Element, detail::is_order_free<R>()>{r.reducer};
    }
  }
};

/// The operation in any order.
template <class E, class R, chunk_term what>
auto unordered(const ordered_sum<E, R, what>& op) {
  return fast_sum<E, arithmetic_of<E, R>, what>{op.step, scalar_type::of<R>(), scalar_type::of<R>()};
}
template <class T>
auto unordered(const ordered_complex_sum<T>&) {
  return fast_complex_sum<T>{scalar_type::of<T>()};
}
template <class T>
auto unordered(const ordered_complex_dot<T>& op) {
  return fast_complex_dot<T>{op.conjugate, scalar_type::of<T>()};
}
template <class R, class E>
auto unordered(const of_elements<R, E, false>& op) {
  return of_elements<R, E, true>{op.reducer};
}
template <class Op>
auto unordered(const Op& op) {
  return op;
}
template <class Op>
auto unordered(const on_taken<Op>& taken) {
  const auto op = unordered(taken.op);
  return on_taken<std::remove_const_t<decltype(op)>>{op};
}
template <class First, class... Rest>
auto unordered(const fused_operations<First, Rest...>& op) {
  const auto join = [&]<class F, class... R>(const F& first, const fused_operations<R...>& rest) {
    return fused_operations<F, R...>{first, op.offset, op.state_offset, rest};
  };
  return join(unordered(op.first), unordered(op.rest));
}
template <class R>
struct operation<detail::any_order<R>> : operation<R> {
  template <class Element>
  static auto of(const detail::any_order<R>& r) {
    return unordered(operation_of<Element>(static_cast<const R&>(r)));
  }
};

template <class R>
struct operation<detail::masked_reducer<R>> : operation<R> {
  template <class Element>
  static auto of(const detail::masked_reducer<R>& r) {
    const auto op = operation_of<Element>(r.reducer);
    return on_taken<std::remove_const_t<decltype(op)>>{op};
  }
};

template <class Whole, class Part>
std::size_t offset_in(const Whole& whole, const Part& part) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&part) - reinterpret_cast<const char*>(&whole));
}
template <class... Reducers>
struct operation<fused<Reducers...>> : over_elements {
  /// What the first of the named reducers reads, if there is one.
  using none = std::tuple_element_t<0, decltype(std::tuple_cat(
      std::conditional_t<std::is_same_v<typename operation<Reducers>::none, no_elements<no_element>>, std::tuple<>,
                         std::tuple<typename operation<Reducers>::none>>{}..., std::tuple<no_elements<no_element>>{}))>;
  template <class Element>
  static auto of(const fused<Reducers...>& r) {
    const decltype(r.finish(r.empty())) results{};
    return join<Element, 0>(r, results, r.empty());
  }

 private:
  template <class Element, std::size_t k, class Results, class States>
  static auto join(const fused<Reducers...>& r, const Results& results, const States& states) {
    if constexpr (k == sizeof...(Reducers)) {
      return fused_operations<>{};
    } else {
      const std::size_t offset = offset_in(results, std::get<k>(results));
      const std::size_t state_offset = offset_in(states, detail::part_of<k>(states));
      const auto with = [&]<class F, class... R>(const F& first, const fused_operations<R...>& rest) {
        return fused_operations<F, R...>{first, offset, state_offset, rest};
      };
      return with(operation_of<Element>(std::get<k>(r.reducers)), join<Element, k + 1>(r, results, states));
    }
  }
};

/// Scaled products of sums and differences, which reductions.hpp phrases as a transform.
template <class X, class Y>
using scaled_sums_view = detail::zip_transformed_view<X, Y, detail::scaled_sum>;

/// Calls `run(op, source)` with what a reducer over a view is to a kernel.
template <class R, class View, class Run>
auto with_operation(const R& reducer, const View& view, Run run) {
  static_assert(has_operation<R, View>,
                "accrue: this reducer has no kernel on devices. A type that derives from a named reducer is not that reducer; write one of "
                "elements (accrue/reducer.hpp), which runs on devices as it stands");
  if constexpr (operation<R>::over_parts) {
    const auto source = parts_of(source_of(view));
    return run(operation_of<typename decltype(source)::element>(reducer), source);
  } else {
    const auto source = source_of(view);
    using element = typename decltype(source)::element;
    return run(operation_of<element>(reducer), source);
  }
}
template <class X, class Y, class Run>
auto with_operation(const detail::tiled<scaled_product_of>&, const scaled_sums_view<X, Y>& view, Run run) {
  const auto x = source_of(view.x);
  using element = typename decltype(x)::element;
  return run(scaled_product_of_sums<element>{view.f.subtract}, array_pair<element>{x, source_of(view.y)});
}
/// The same with no elements.
template <class R, class Run>
auto with_operation(const R& reducer, Run run) {
  using view = typename operation<R>::none;
  if constexpr (std::is_same_v<view, no_elements<no_element>>) {
    return run(operation_of<no_element>(reducer), array<char>{});
  } else {
    return with_operation(reducer, view{}, run);
  }
}

}  // namespace accrue::simt
