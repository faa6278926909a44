// SPDX-License-Identifier: BSD-3-Clause
// What the ordered tree (ordered_tree.hpp) joins, for each op: lanes of a chunk, then chunks.
#pragma once

#include "accrue/backends/simt/operations/element_programs.cuh"

namespace accrue::simt {

template <class Element, class R, chunk_term what>
struct kernel_program<ordered_sum<Element, R, what>> {
  using op_type = ordered_sum<Element, R, what>;
  using lane_state = R;
  using state = R;

  static ACCRUE_DEVICE R start(const op_type&) { return arithmetic_start<what, R>; }
  static ACCRUE_DEVICE void fold(const op_type&, R& a, const Element& x) { a = arithmetic_join<what>(a, arithmetic_term<R, what>(x)); }
  static ACCRUE_DEVICE void merge_lanes(const op_type&, R& a, const R& b) { a = arithmetic_join<what>(a, b); }
  static ACCRUE_DEVICE R chunk(const op_type&, const R& a) { return a; }
  static ACCRUE_DEVICE void merge(const op_type&, R& a, const R& b) { a = arithmetic_join<what>(a, b); }
  static ACCRUE_DEVICE void store(const op_type& op, const R& total, std::size_t n, void* result, int*) {
    *static_cast<R*>(result) = canonical_nan(last_step_of(total, op.step, n));
  }
};

template <class T>
struct kernel_program<ordered_complex_sum<T>> {
  using op_type = ordered_complex_sum<T>;
  using lane_state = complex_total<T>;
  using state = complex_total<T>;

  static ACCRUE_DEVICE state start(const op_type&) { return {0, 0}; }
  static ACCRUE_DEVICE void fold(const op_type&, state& a, const std::complex<T>& z) {
    a = {add(a.real, z.real()), add(a.imaginary, z.imag())};
  }
  static ACCRUE_DEVICE void merge_lanes(const op_type&, state& a, const state& b) {
    a = {add(a.real, b.real), add(a.imaginary, b.imaginary)};
  }
  static ACCRUE_DEVICE state chunk(const op_type&, const state& a) { return a; }
  static ACCRUE_DEVICE void merge(const op_type& op, state& a, const state& b) { merge_lanes(op, a, b); }
  static ACCRUE_DEVICE void store(const op_type&, const state& s, std::size_t, void* result, int*) {
    static_cast<T*>(result)[0] = canonical_nan(s.real);
    static_cast<T*>(result)[1] = canonical_nan(s.imaginary);
  }
};

/// Four trees to a chunk: (0 + tree(re re)) + tree(-im im) and (0 + tree(re im)) + tree(im re).
template <class T>
struct kernel_program<ordered_complex_dot<T>> {
  using op_type = ordered_complex_dot<T>;
  struct lane_state {
    T sum[4];
  };
  using state = complex_total<T>;

  static ACCRUE_DEVICE lane_state start(const op_type&) { return {{0, 0, 0, 0}}; }
  static ACCRUE_DEVICE void fold(const op_type& op, lane_state& a, const pair_of<std::complex<T>>& z) {
    const T xr = z.x.real();
    const T xi = op.conjugate ? -z.x.imag() : z.x.imag();
    a.sum[0] = add(a.sum[0], multiply(xr, z.y.real()));
    a.sum[1] = add(a.sum[1], multiply(-xi, z.y.imag()));
    a.sum[2] = add(a.sum[2], multiply(xr, z.y.imag()));
    a.sum[3] = add(a.sum[3], multiply(xi, z.y.real()));
  }
  static ACCRUE_DEVICE void merge_lanes(const op_type&, lane_state& a, const lane_state& b) {
#pragma unroll
    for (int k = 0; k < 4; ++k) a.sum[k] = add(a.sum[k], b.sum[k]);
  }
  static ACCRUE_DEVICE state chunk(const op_type&, const lane_state& a) { return {add(a.sum[0], a.sum[1]), add(a.sum[2], a.sum[3])}; }
  static ACCRUE_DEVICE void merge(const op_type&, state& a, const state& b) {
    a = {add(a.real, b.real), add(a.imaginary, b.imaginary)};
  }
  static ACCRUE_DEVICE void store(const op_type&, const state& s, std::size_t, void* result, int*) {
    static_cast<T*>(result)[0] = canonical_nan(s.real);
    static_cast<T*>(result)[1] = canonical_nan(s.imaginary);
  }
};

/// x as significand * 2^exponent, 1 <= |significand| < 2; zeros, infinities and NaN as they are.
ACCRUE_DEVICE scaled_value scaled(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>(bits >> 52) & 2047;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  constexpr std::uint64_t one = std::uint64_t{1023} << 52;
  if (field == 2047 || (bits << 1) == 0) return {x, 0};
  std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  int exponent = field - 1023;
  if (field == 0) {
    const int shift = 53 - detail::bit_width(fraction);
    fraction = fraction << shift & ((std::uint64_t{1} << 52) - 1);
    exponent = -1022 - shift;
  }
  return {std::bit_cast<double>((bits & sign) | one | fraction), exponent};
}
ACCRUE_DEVICE bool ordinary(double x) { return x != 0 && magnitude(x) <= std::numeric_limits<double>::max(); }
ACCRUE_DEVICE scaled_value scaled_multiply(const scaled_value& a, const scaled_value& b) {
  scaled_value p = scaled(multiply(a.significand, b.significand));
  if (ordinary(p.significand)) p.exponent += a.exponent + b.exponent;
  return p;
}
/// x + y without overflow or underflow: large values are halved first.
ACCRUE_DEVICE scaled_value scaled_total(double x, double y) {
  const bool large = magnitude(x) > 1 || magnitude(y) > 1;
  scaled_value s = large ? scaled(add(multiply(x, 0.5), multiply(y, 0.5))) : scaled(add(x, y));
  if (large && ordinary(s.significand)) ++s.exponent;
  return s;
}

template <class Op>
struct scaled_program {
  using lane_state = scaled_value;
  using state = scaled_value;
  static ACCRUE_DEVICE state start(const Op&) { return {1, 0}; }
  static ACCRUE_DEVICE void merge_lanes(const Op&, state& a, const state& b) { a = scaled_multiply(a, b); }
  static ACCRUE_DEVICE state chunk(const Op&, const state& a) { return a; }
  static ACCRUE_DEVICE void merge(const Op&, state& a, const state& b) { a = scaled_multiply(a, b); }
  static ACCRUE_DEVICE void store(const Op&, const state& s, std::size_t, void* result, int*) {
    *static_cast<scaled_value*>(result) = {canonical_nan(s.significand), s.exponent};
  }
};
template <class Element>
struct kernel_program<scaled_product<Element>> : scaled_program<scaled_product<Element>> {
  static ACCRUE_DEVICE void fold(const scaled_product<Element>&, scaled_value& a, const Element& x) {
    if constexpr (integer<Element>) {
      a = scaled_multiply(a, scaled(static_cast<double>(x)));
    } else {
      a = scaled_multiply(a, scaled(to_double(x)));
    }
  }
};
template <class Element>
struct kernel_program<scaled_product_of_sums<Element>> : scaled_program<scaled_product_of_sums<Element>> {
  static ACCRUE_DEVICE void fold(const scaled_product_of_sums<Element>& op, scaled_value& a, const pair_of<Element>& e) {
    const auto value = [](Element x) {
      if constexpr (integer<Element>) {
        return static_cast<double>(x);
      } else {
        return to_double(x);
      }
    };
    a = scaled_multiply(a, scaled_total(value(e.x), op.subtract ? -value(e.y) : value(e.y)));
  }
};

template <class R, class Element>
struct kernel_program<of_elements<R, Element, false>> {
  using op_type = of_elements<R, Element, false>;
  using lane_state = typename R::state;
  using state = typename R::state;

  static ACCRUE_DEVICE state start(const op_type& op) { return op.reducer.start(); }
  static ACCRUE_DEVICE void fold(const op_type& op, state& a, const Element& x) { op.reducer.fold(a, x); }
  static ACCRUE_DEVICE void merge_lanes(const op_type& op, state& a, const state& b) { op.reducer.merge(a, b); }
  static ACCRUE_DEVICE state chunk(const op_type&, const state& a) { return a; }
  static ACCRUE_DEVICE void merge(const op_type& op, state& a, const state& b) { op.reducer.merge(a, b); }
  static ACCRUE_DEVICE void store(const op_type& op, const state& s, std::size_t, void* result, int*) {
    using result_type = std::remove_cvref_t<decltype(op.reducer.finish(s))>;
    *static_cast<result_type*>(result) = op.reducer.finish(s);
  }
};

}  // namespace accrue::simt
