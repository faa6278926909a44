// SPDX-License-Identifier: BSD-3-Clause
// Operations on groups of elements that take no block: lanes hold partial results in registers, and one of them ends the group.
//
//   lane_program<Op>   exists; marks; takes(op): whether this way of the operation is among them; accumulator, partial; start, fold by
//                      all lanes of a warp together, partial_of, merge; store, which is false where the result is not certain and then
//                      leaves a mark in its place, which `marked` knows again: a block has to reduce the group
#pragma once

#include "accrue/backends/simt/operations/double_pairs.cuh"
#include "accrue/backends/simt/operations/element_programs.cuh"
#include "accrue/backends/simt/operations/exact_programs.cuh"
#include "accrue/backends/simt/operations/extrema_programs.cuh"
#include "accrue/backends/simt/operations/integer_programs.cuh"

namespace accrue::simt {

template <class Op>
struct lane_program {
  static constexpr bool exists = false;
};

/// Operations whose partial result is a value and whose end needs no memory: their blocks share nothing but what joins threads.
template <class Op>
concept ends_in_a_lane = requires { typename kernel_program<Op>::partial; } &&
                         sizeof(typename kernel_program<Op>::shared_storage) == sizeof(typename kernel_program<Op>::base::shared_storage);

template <ends_in_a_lane Op>
struct lane_program<Op> {
  using program = kernel_program<Op>;
  using accumulator = typename program::accumulator;
  using partial = typename program::partial;
  static constexpr bool exists = true;
  static constexpr bool marks = false;

  static bool takes(const Op&) { return true; }
  static ACCRUE_DEVICE void start(const Op& op, accumulator& a) { program::start(op, a, unused()); }
  template <class Element, unsigned n, class Index>
  static ACCRUE_DEVICE void fold(const Op& op, accumulator& a, const Element (&x)[n], unsigned count, const Index& index_of) {
    program::fold(op, a, unused(), x, count, index_of);
  }
  static ACCRUE_DEVICE partial partial_of(const Op& op, accumulator& a) { return program::partial_of(op, a); }
  static ACCRUE_DEVICE void merge(const Op& op, partial& a, const partial& b) { program::merge(op, a, b); }
  static ACCRUE_DEVICE bool store(const Op& op, const partial& p, std::size_t n, void* result, int* status) {
    if (n == 0 && program::needs_elements(op)) {
      *status = static_cast<int>(errc::empty_range);
    } else {
      program::store(op, p, n, result, status, unused());
    }
    return true;
  }
  static ACCRUE_DEVICE bool marked(const Op&, const void*) { return false; }

 private:
  /// What the program's blocks share; its lanes do not touch it.
  static ACCRUE_DEVICE typename program::shared_storage& unused() {
    return *reinterpret_cast<typename program::shared_storage*>(dynamic_shared());
  }
};

/// Exact sums of integers that are integers.
template <class Element, term what>
  requires integer_elements<Element>
struct lane_program<exact_sum<Element, what>> {
  using op_type = exact_sum<Element, what>;
  using program = kernel_program<op_type>;
  using accumulator = typename program::accumulator;
  using partial = wide_total;
  static constexpr bool exists = true;
  static constexpr bool marks = false;

  static bool takes(const op_type& op) { return op.step == last_step::value && !op.result.floating; }
  static ACCRUE_DEVICE void start(const op_type&, accumulator& a) { a = {}; }
  template <unsigned n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, const Element (&x)[n], unsigned count, const Index&) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) a.add(program::of::x(x[k]), program::of::y(x[k]));
    }
  }
  static ACCRUE_DEVICE partial partial_of(const op_type&, const accumulator& a) { return a.total(); }
  static ACCRUE_DEVICE void merge(const op_type&, partial& a, const partial& b) { a.add(b); }
  static ACCRUE_DEVICE bool store(const op_type& op, const partial& p, std::size_t, void* result, int* status) {
    const unsigned bits = 8 * op.result.bytes - (op.result.is_signed ? 1 : 0);
    const std::uint64_t sign = op.result.is_signed ? std::uint64_t{0} - (p.word[2] >> 63) : 0;
    const std::uint64_t above = bits == 64 ? 0 : (p.word[0] ^ sign) >> bits;  // what a narrower type does not hold
    if (above != 0 || p.word[1] != sign || p.word[2] != sign) *status = static_cast<int>(errc::integer_overflow);
    store_integer(p.word[0], op.result.bytes, result);
    return true;
  }
  static ACCRUE_DEVICE bool marked(const op_type&, const void*) { return false; }
};

/// Exact sums of floating numbers while pairs of doubles hold them.
template <class Element, term what>
  requires(!integer_elements<Element>)
struct lane_program<exact_sum<Element, what>> {
  using op_type = exact_sum<Element, what>;
  using terms = term_of<Element, what>;
  using accumulator = pair_accumulator;
  using partial = pair_accumulator;
  static constexpr bool exists = true;
  static constexpr bool marks = true;

  static bool takes(const op_type&) { return true; }
  static ACCRUE_DEVICE void start(const op_type&, accumulator& a) { a = {}; }
  template <unsigned n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, const Element (&x)[n], unsigned count, const Index&) {
    if constexpr (detail::is_product(what) || sizeof(Element) == 8) {
#pragma unroll
      for (unsigned k = 0; k < n; ++k) {
        if (k < count) add_term(a, terms::of(x[k]));
      }
    } else {
      float v[n];
#pragma unroll
      for (unsigned k = 0; k < n; ++k) {
        v[k] = k < count ? to_float(x[k]) : 0.0f;
        if constexpr (what == term::magnitude) v[k] = magnitude(v[k]);
      }
      a.add_elements(v);
    }
  }
  static ACCRUE_DEVICE partial partial_of(const op_type&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE void merge(const op_type&, partial& a, const partial& b) {
    a.add_term(b.high);
    a.add_term(b.low);
    a.lost |= b.lost;
  }
  static ACCRUE_DEVICE bool store(const op_type& op, const partial& p, std::size_t n, void* result, int* status) {
    if (n == 0 && op.step == last_step::mean) {
      *status = static_cast<int>(errc::empty_range);
      return true;
    }
    if (op.result.bytes == 8) return store_as<double>(op, p, n, result, mark_of_doubles);
    return store_as<float>(op, p, n, result, mark_of_floats);
  }
  static ACCRUE_DEVICE bool marked(const op_type& op, const void* result) {
    if (op.result.bytes == 8) return *static_cast<const std::uint64_t*>(result) == mark_of_doubles;
    return *static_cast<const unsigned*>(result) == mark_of_floats;
  }

 private:
  // NaNs that no reduction gives: all have one.
  static constexpr std::uint64_t mark_of_doubles = 0x7ff8000000acc00e;
  static constexpr unsigned mark_of_floats = 0x7fcacc0e;

  static ACCRUE_DEVICE void add_term(accumulator& a, const single_term& t) { a.add_term(t.value); }
  static ACCRUE_DEVICE void add_term(accumulator& a, const product_term& t) {
    a.add_term(t.value);
    a.add_term(t.error);
    if (t.smallest_factor < smallest_safe_factor) a.lost = 1;
  }
  template <class R, class Bits>
  static ACCRUE_DEVICE bool store_as(const op_type& op, const partial& p, std::size_t n, void* result, Bits mark) {
    R r{};
    const bool certain = p.lost == 0 && ended(p, op.step, n, r);
    *static_cast<R*>(result) = certain ? r : std::bit_cast<R>(mark);
    return certain;
  }
  static ACCRUE_DEVICE bool within(double x, int least, int most) {
    const int exponent = static_cast<int>(high_word(x) >> 20 & 2047) - 1023;
    return least <= exponent && exponent <= most;
  }
  /// The last step of a sum, if it is certain how it rounds.
  template <class R>
  static ACCRUE_DEVICE bool ended(const partial& p, last_step step, std::size_t n, R& result) {
    double sum = p.high;
    const double rest = two_sum(sum, p.low);
    if (step == last_step::value || sum == 0) {
      result = round_pair(sum, rest, R{});
      return true;
    }
    if (!within(sum, -700, 900) || (rest != 0 && !within(rest, -860, 900))) return false;  // no step under- or overflows
    if (step == last_step::mean) {
      const auto count = static_cast<double>(n);
      const double quotient = divide(sum, count);
      const double more = divide(add(fused_multiply_add(-quotient, count, sum), rest), count);
      return round_bounded(quotient, more, multiply(magnitude(more), 0x1p-50), result);
    }
    const double root = square_root(sum);
    const double more = divide(add(fused_multiply_add(-root, root, sum), rest), multiply(2, root));
    return round_bounded(root, more, add(multiply(magnitude(more), 0x1p-50), multiply(root, 0x1p-100)), result);
  }
};

}  // namespace accrue::simt
