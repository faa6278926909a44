// SPDX-License-Identifier: BSD-3-Clause
// Operations on groups of elements that take no block: lanes hold partial results in registers, and one of them ends the group.
//
//   lane_program<Op>   exists; takes(op): whether this way of the operation is among them; accumulator, and `wider` where another one
//                      may hold what it loses; start, fold by all lanes of a warp together, partial_of, empty, merge; store, which is false
//                      where the result is not certain, and leaves a mark then, which `marked` knows again: a block has to reduce the
//                      group; marks: whether that may be
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
  static ACCRUE_DEVICE partial empty(const Op& op) { return program::empty(op); }
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
  static ACCRUE_DEVICE partial empty(const op_type&) { return {}; }
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

/// Exact sums of floating numbers while a few doubles hold them: three for products, two and then three for others.
template <class Element, term what>
  requires(!integer_elements<Element>)
struct lane_program<exact_sum<Element, what>> {
  using op_type = exact_sum<Element, what>;
  using terms = term_of<Element, what>;
  static constexpr bool long_terms = detail::is_product(what) && sizeof(Element) >= 8 && !std::is_same_v<Element, pair_of<float>>;
  using accumulator = running_sum<long_terms ? 3 : 2>;
  using wider = running_sum<3>;
  static constexpr bool exists = true;
  static constexpr bool marks = true;

  static bool takes(const op_type&) { return true; }
  template <unsigned parts>
  static ACCRUE_DEVICE void start(const op_type&, running_sum<parts>& a) {
    a = {};
  }
  static ACCRUE_DEVICE wider empty(const op_type&) { return {}; }
  template <unsigned parts, unsigned n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, running_sum<parts>& a, const Element (&x)[n], unsigned count, const Index&) {
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
  template <unsigned parts>
  static ACCRUE_DEVICE running_sum<parts> partial_of(const op_type&, const running_sum<parts>& a) {
    return a;
  }
  template <unsigned parts>
  static ACCRUE_DEVICE void merge(const op_type&, running_sum<parts>& a, const running_sum<parts>& b) {
    a.add_sum(b);
  }
  /// Whether the device's own addition rounds as it should where there are two elements at most, which `store_two` adds.
  static ACCRUE_DEVICE bool adds_two(const op_type& op) {
    return native_float<Element> && !detail::is_product(what) && op.step == last_step::value && op.result.bytes == sizeof(Element);
  }
  static ACCRUE_DEVICE void store_two(const op_type&, Element x, Element y, void* result) {
    if constexpr (native_float<Element> && !detail::is_product(what)) {
      const bool plain = what == term::value;
      const Element sum = add(plain ? x : magnitude(x), plain ? y : magnitude(y));
      *static_cast<Element*>(result) = canonical_nan(add(sum, Element(0)));  // never -0
    }
  }
  template <unsigned parts>
  static ACCRUE_DEVICE bool store(const op_type& op, const running_sum<parts>& p, std::size_t n, void* result, int* status) {
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

  template <unsigned parts>
  static ACCRUE_DEVICE void add_term(running_sum<parts>& a, const single_term& t) {
    a.add_term(t.value);
  }
  template <unsigned parts>
  static ACCRUE_DEVICE void add_term(running_sum<parts>& a, const product_term& t) {
    a.add_term(t.value);
    a.template add_term<1>(t.error);
    if (t.smallest_factor < smallest_safe_factor) a.lost = 1;
  }
  template <class R, unsigned parts, class Bits>
  static ACCRUE_DEVICE bool store_as(const op_type& op, const running_sum<parts>& p, std::size_t n, void* result, Bits mark) {
    settled_sum s;
    R r{};
    const bool certain = p.lost == 0 && settle(p, s) && ended(s, op.step, n, r);
    *static_cast<R*>(result) = certain ? r : std::bit_cast<R>(mark);
    return certain;
  }

  /// A sum as the nearest double and what that leaves, of which the last bit may stand for others behind it.
  struct settled_sum {
    double high;
    double rest;
    bool cut;
  };
  static ACCRUE_DEVICE bool settle(const running_sum<2>& p, settled_sum& s) {
    s.high = p.part[0];
    s.rest = two_sum(s.high, p.part[1]);
    s.cut = false;
    return add(s.high, s.rest) == s.high;  // not where the parts overflow together
  }
  static ACCRUE_DEVICE bool settle(const running_sum<3>& p, settled_sum& s) {
    s.high = p.part[0];
    double rest = p.part[1];
    double last = two_sum(rest, p.part[2]);
    rest = two_sum(s.high, rest);
    last = two_sum(rest, last);
    rest = two_sum(s.high, rest);
    last = two_sum(rest, last);
    s.cut = last != 0;
    const double up = add_up(rest, last);
    const double down = add_down(rest, last);
    s.rest = (low_word(down) & 1) != 0 ? down : up;  // odd: enough to round by
    return add(s.high, rest) == s.high && add(rest, last) == rest;
  }

  static ACCRUE_DEVICE bool within(double x, int least, int most) {
    const int exponent = static_cast<int>(high_word(x) >> 20 & 2047) - 1023;
    return least <= exponent && exponent <= most;
  }
  /// The last step of a sum, if it is certain how it rounds.
  template <class R>
  static ACCRUE_DEVICE bool ended(const settled_sum& s, last_step step, std::size_t n, R& result) {
    if (step == last_step::value || s.high == 0) {
      result = round_pair(s.high, s.rest, R{});
      return true;
    }
    if (!within(s.high, -700, 900) || (s.rest != 0 && !within(s.rest, -860, 900))) return false;  // no step under- or overflows
    double first;
    double more;
    bool exact = false;
    if (step == last_step::mean) {
      // Quotients by a reciprocal and their remainders, which are exact: each once more, so that those of few bits are exact too.
      const auto count = static_cast<double>(n);
      const double share = divide(1.0, count);
      const auto remainder = [&](double of, double quotient) { return fused_multiply_add(-quotient, count, of); };
      const auto quotient = [&](double of) {
        const double q = multiply(of, share);
        return fused_multiply_add(remainder(of, q), share, q);
      };
      first = quotient(s.high);
      double left = remainder(s.high, first);
      const double lost = two_sum(left, s.rest);
      more = quotient(left);
      exact = !s.cut && lost == 0 && remainder(left, more) == 0;  // so that it may be a tie
    } else {
      first = square_root(s.high);
      more = divide(add(fused_multiply_add(-first, first, s.high), s.rest), multiply(2, first));
    }
    // What was cut, and the square of `more` behind a root, are far smaller than this.
    const double bound = exact ? 0.0 : add(multiply(magnitude(more), 0x1p-50), multiply(magnitude(first), 0x1p-100));
    return round_bounded(first, more, bound, result);
  }
};

}  // namespace accrue::simt
