// SPDX-License-Identifier: BSD-3-Clause
// Operations: what kernels compute. An operation is a small plain value; its type picks the kernel, and its members say what one kernel
// can do in several ways, so that reductions which differ in their last step share a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "accrue/detail/kernels.hpp"
#include "accrue/backends/simt/operations/sources.hpp"

namespace accrue::simt {

using detail::nan_rank;
using kernels::chunk_term;
using kernels::term;

/// The last step of a sum.
enum class last_step : std::uint8_t { value, square_root, mean };

/// A scalar type as a value.
struct scalar_type {
  std::uint8_t bytes;
  bool floating;
  bool is_signed;

  template <class R>
  static constexpr scalar_type of() {
    return {sizeof(R), !integer<R>, std::is_signed_v<R>};
  }
};

template <class Element>
inline constexpr bool integer_elements = integer<Element>;
template <class T>
inline constexpr bool integer_elements<pair_of<T>> = integer<T>;

/// The traits of an operation. `compute_bound`: there is enough arithmetic on an element to want tiles copied into shared memory, and
/// all registers.
template <bool computes = false>
struct any_order_traits {
  static constexpr bool ordered = false;
  static constexpr bool compute_bound = computes;
};
struct tree_traits {
  static constexpr bool ordered = true;
  static constexpr bool compute_bound = false;
};
template <class Element>
using exact_traits = any_order_traits<!integer_elements<Element>>;

/// Exact sums of floating terms, and of integers.
template <class Element, term what>
struct exact_sum {
  using traits = exact_traits<Element>;
  last_step step;
  scalar_type result;
};
template <class Element>
struct exact_moments {
  using traits = exact_traits<Element>;
  scalar_type result;
};
template <class Pair>
struct exact_weighted_mean {
  using traits = any_order_traits<true>;
  scalar_type result;
};
template <class T>
struct exact_complex_sum {
  using traits = any_order_traits<true>;
};
template <class T>
struct exact_complex_dot {
  using traits = any_order_traits<true>;
  bool conjugate;
};

/// Sums and products of R in any order, and over the ordered tree.
template <class Element, class R, chunk_term what>
struct fast_sum {
  using traits = any_order_traits<>;
  last_step step;
  scalar_type result;
  scalar_type state = scalar_type::of<double>();  ///< or what an ordered reducer adds in, whose caller accepts any order
};
template <class Element, class R, chunk_term what>
struct ordered_sum {
  using traits = tree_traits;
  last_step step;
};
template <class T>
struct fast_complex_sum {
  using traits = any_order_traits<>;
  scalar_type state = scalar_type::of<double>();  ///< of each part; as above
};
template <class T>
struct fast_complex_dot {
  using traits = any_order_traits<>;
  bool conjugate;
  scalar_type state = scalar_type::of<double>();
};
template <class T>
struct ordered_complex_sum {
  using traits = tree_traits;
};
template <class T>
struct ordered_complex_dot {
  using traits = tree_traits;
  bool conjugate;
};

/// Minimum or maximum; both; and their positions.
template <class Element>
struct extremum {
  using traits = any_order_traits<>;
  bool maximum;
  nan_rank rank;
};
template <class Element>
struct both_extrema {
  using traits = any_order_traits<>;
  bool norm;  ///< the larger magnitude of the two, instead of the pair
};
template <class T>
struct complex_norm_inf {
  using traits = any_order_traits<>;
};
template <class Element>
struct extremum_position {
  using traits = any_order_traits<>;
  bool maximum;
};
template <class Element>
struct both_extremum_positions {
  using traits = any_order_traits<>;
};

template <class Element>
struct integer_product {
  using traits = any_order_traits<>;
  scalar_type result;
};
template <class Element>
struct scaled_product {
  using traits = tree_traits;
};
template <class Element>
struct scaled_product_of_sums {
  using traits = tree_traits;
  bool subtract;
};

/// Reducers that say how they fold one element: bitwise reductions, counts, and users' own. Callable on the device.
template <class Reducer, class Element, bool any_order>
struct of_elements {
  using traits = std::conditional_t<any_order, any_order_traits<>, tree_traits>;
  Reducer reducer;
};

/// An operation on those elements that a mask takes, which it counts.
template <class Op>
struct on_taken {
  using traits = typename Op::traits;
  Op op;
};

/// Several operations over the same elements in one pass.
template <class... Ops>
struct fused_operations;
template <>
struct fused_operations<> {
  struct traits {
    static constexpr bool ordered = false;
    static constexpr bool compute_bound = false;
  };
};
template <class First, class... Rest>
struct fused_operations<First, Rest...> {
  struct traits {
    static constexpr bool ordered = (First::traits::ordered || ... || Rest::traits::ordered);
    static constexpr bool compute_bound = (First::traits::compute_bound || ... || Rest::traits::compute_bound);
  };
  First first;
  std::size_t offset;        ///< of the first operation's result in the tuple of results
  std::size_t state_offset;  ///< of its state in the state of all
  fused_operations<Rest...> rest;
};

}  // namespace accrue::simt
