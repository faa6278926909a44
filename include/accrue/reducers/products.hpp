// SPDX-License-Identifier: BSD-3-Clause
// Products: plain over the ordered tree, of integers exactly, and with the exponent apart so that nothing overflows.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "accrue/detail/kernels.hpp"
#include "accrue/error.hpp"
#include "accrue/reducers/exact_terms.hpp"

namespace accrue {

template <real_number T, class R = total_t<T>>
struct product_of;

/// Product of floating elements in type R; one rounding a factor, in the order of the tree. 1 for no elements.
template <real_number T, class R>
  requires(!integer<T>)
struct product_of<T, R> {
  using state = R;
  using accumulator = R;
  static constexpr bool order_free = false;

  state empty() const { return 1; }
  accumulator start() const { return 1; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    a = kernels::multiply(a, chunk(t));
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator& a, state& s) const { s = kernels::multiply(s, a); }
  void merge(state& a, const state& b) const { a = kernels::multiply(a, b); }
  template <class Tile>
  state chunk(const Tile& t) const {
    detail::require_tile_of<carrier_t<T>, Tile>();
    return kernels::ordered_chunk<R>(kernels::chunk_term::factor, detail::to_operands(t));
  }
  R finish(const state& s) const { return detail::canonical_nan(s); }
};

/// Product of integers. Throws `overflow_error` if the exact product does not fit; a zero factor makes it zero whatever the rest.
template <integer T, class R>
struct product_of<T, R> {
  static_assert(integer<R>, "accrue::product: integers have an integer product");
  struct state {
    std::uint64_t magnitude = 1;  ///< of the factors that are not zero
    bool negative = false;
    bool zero = false;
    bool overflow = false;
  };
  static constexpr bool order_free = true;

  constexpr state start() const { return {}; }
  constexpr void fold(state& s, T x) const {
    bool negative = false;
    if constexpr (std::is_signed_v<T>) negative = x < 0;
    const auto bits = static_cast<std::uint64_t>(x);
    merge(s, {x == 0 ? 1 : negative ? std::uint64_t{0} - bits : bits, negative, x == 0, false});
  }
  constexpr void merge(state& a, const state& b) const {
    const auto product = static_cast<detail::uint128>(a.magnitude) * b.magnitude;
    a.overflow = (product >> 64) != 0 || a.overflow || b.overflow;
    a.magnitude = static_cast<std::uint64_t>(product);
    a.negative = a.negative != b.negative;
    a.zero = a.zero || b.zero;
  }
  R finish(const state& s) const {
    if (s.zero) return 0;
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<R>::max());
    const std::uint64_t limit = std::is_signed_v<R> && s.negative ? largest + 1 : largest;
    if (s.overflow || s.magnitude > limit || (s.negative && !std::is_signed_v<R>)) {
      throw overflow_error("accrue::product: an integer product does not fit its result type");
    }
    return static_cast<R>(s.negative ? std::uint64_t{0} - s.magnitude : s.magnitude);
  }
  std::string kind() const { return detail::kind_text("product", detail::type_name<T>()); }
  void normalize(state& s) const {
    if (s.zero) s = {0, false, true, false};
    if (s.overflow) s.magnitude = 0;
  }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    visit(s.magnitude);
    visit(s.negative);
    visit(s.zero);
    visit(s.overflow);
  }
};

/// significand * 2^exponent with 1 <= |significand| < 2; or the significand alone when it is 0, infinite or NaN.
using scaled_value = kernels::scaled;

/// IEEE 754-2019 scaledProd: the product with its exponent apart, over the ordered tree. {1, 0} for no elements.
struct scaled_product_of {
  using state = scaled_value;
  state start() const { return {}; }
  void fold(state& s, double x) const { s = kernels::multiply(s, kernels::to_scaled(x)); }
  template <integer T>
  void fold(state& s, T x) const {
    fold(s, static_cast<double>(x));  // rounds integers beyond 2^53
  }
  void fold(state& s, const scaled_value& x) const { s = kernels::multiply(s, x); }
  void merge(state& a, const state& b) const { a = kernels::multiply(a, b); }
  scaled_value finish(const state& s) const { return {detail::canonical_nan(s.significand), s.exponent}; }
};

namespace detail {

template <class T>
double to_double(T x) {
  if constexpr (small_float<T>) {
    return static_cast<float>(x);
  } else {
    return static_cast<double>(x);
  }
}

/// x + y or x - y as a scaled value.
struct scaled_sum {
  bool subtract;
  template <class T>
  scaled_value operator()(T a, T b) const {
    return kernels::scaled_sum(to_double(a), subtract ? -to_double(b) : to_double(b));
  }
};

}  // namespace detail

}  // namespace accrue
