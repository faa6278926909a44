// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of integers on the device: 64-bit partial sums where they cannot overflow, wider ones elsewhere.
#pragma once

#include "accrue/backends/simt/code.cuh"
#include "accrue/backends/simt/digits.cuh"

namespace accrue::simt {

/// An integer of 192 bits, two's complement.
struct wide_total {
  std::uint64_t word[3] = {};

  ACCRUE_DEVICE void add(const wide_total& b) {
    detail::uint128 carry = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      carry += static_cast<detail::uint128>(word[k]) + b.word[k];
      word[k] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  ACCRUE_DEVICE void add(detail::int128 v) {
    const std::uint64_t sign = v < 0 ? ~std::uint64_t{0} : 0;
    add(wide_total{{static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(static_cast<detail::uint128>(v) >> 64), sign}});
  }
  /// Adds v * 2^64.
  ACCRUE_DEVICE void add_high(detail::int128 v) {
    add(wide_total{{0, static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(static_cast<detail::uint128>(v) >> 64)}});
  }
  /// The magnitude as 32-bit digits; true if negative.
  ACCRUE_DEVICE bool magnitude(std::uint32_t* digits) const {
    const bool negative = static_cast<std::int64_t>(word[2]) < 0;
    wide_total m = *this;
    if (negative) {
#pragma unroll
      for (int k = 0; k < 3; ++k) m.word[k] = ~m.word[k];
      m.add(wide_total{{1, 0, 0}});
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      digits[2 * k] = static_cast<std::uint32_t>(m.word[k]);
      digits[2 * k + 1] = static_cast<std::uint32_t>(m.word[k] >> 32);
    }
    return negative;
  }
};

/// One thread's sum of terms of T: 64 bits hold 2^31 terms of 32 bits; longer terms are added in halves of 64.
template <class T, term what>
struct integer_total {
  static constexpr bool product = detail::is_product(what);
  static constexpr unsigned term_bits = 8 * sizeof(T) * (product ? 2 : 1);
  using small = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using wide = std::conditional_t<std::is_signed_v<T>, detail::int128, detail::uint128>;
  std::conditional_t<term_bits <= 32, small, detail::int128> low = 0;
  std::conditional_t<term_bits <= 64, char, detail::int128> high = 0;

  ACCRUE_DEVICE void add(T x, T y) {
    if constexpr (what == term::value) {
      low += x;
    } else if constexpr (what == term::magnitude) {
      low += detail::magnitude(x);
    } else if constexpr (term_bits <= 32) {
      low += static_cast<small>(static_cast<small>(x) * y);
    } else if constexpr (term_bits <= 64) {
      low += static_cast<small>(static_cast<small>(x) * static_cast<small>(y));
    } else {
      const wide p = static_cast<wide>(x) * static_cast<wide>(y);
      low += static_cast<std::uint64_t>(p);
      high += static_cast<detail::int128>(p >> 64);
    }
  }
  ACCRUE_DEVICE wide_total total() const {
    wide_total t;
    t.add(static_cast<detail::int128>(low));
    if constexpr (term_bits > 64) t.add_high(high);
    return t;
  }
};

template <class Element>
struct integer_of {
  using type = Element;
  static ACCRUE_DEVICE Element x(Element e) { return e; }
  static ACCRUE_DEVICE Element y(Element e) { return e; }
};
template <class T>
struct integer_of<pair_of<T>> {
  using type = T;
  static ACCRUE_DEVICE T x(pair_of<T> e) { return e.x; }
  static ACCRUE_DEVICE T y(pair_of<T> e) { return e.y; }
};

ACCRUE_DEVICE exact_total_value value_of(std::span<const std::uint32_t> digits, bool negative) {
  return {digits, 0, negative, false, false, false};
}

template <class Element, term what>
requires(integer_elements<Element>) struct code<exact_sum<Element, what>>
    : partials<code<exact_sum<Element, what>>, exact_sum<Element, what>, wide_total> {
  using form = exact_sum<Element, what>;
  using base = partials<code, form, wide_total>;
  using of = integer_of<Element>;
  using accumulator = integer_total<typename of::type, what>;
  struct room : base::room {
    std::uint32_t digits[6];
    exact_total_value value;
  };

  static ACCRUE_DEVICE void start(const form&, accumulator& a, room&) { a = {}; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room&, const Element (&x)[n], unsigned count, Index) {
    if constexpr (sizeof(Element) == 1 && what != term::magnitude && n % 4 == 0) {
      if (count == n) return fold_bytes(a, x);
    }
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) a.add(of::x(x[k]), of::y(x[k]));
    }
  }
  /// Bytes or their squares, four at a time.
  template <int n>
  static ACCRUE_DEVICE void fold_bytes(accumulator& a, const Element (&x)[n]) {
    using word = std::conditional_t<std::is_signed_v<Element>, int, unsigned>;
    word words[n / 4];
    memcpy(words, x, n);
    word sum = 0;
#pragma unroll
    for (int k = 0; k < n / 4; ++k) sum = add_byte_products(sum, words[k], what == term::square ? words[k] : 0x01010101);
    a.low += sum;
  }
  static ACCRUE_DEVICE wide_total partial_of(const form&, const accumulator& a) { return a.total(); }
  static ACCRUE_DEVICE wide_total empty(const form&) { return {}; }
  static ACCRUE_DEVICE void merge(const form&, wide_total& a, const wide_total& b) { a.add(b); }
  static ACCRUE_DEVICE void store(const form& f, const wide_total& t, std::size_t n, void* result, int* status, room& r) {
    r.value = value_of(r.digits, t.magnitude(r.digits));
    store_exact(r.value, f.step, f.result, n, result, status);
  }
};

struct wide_moments {
  wide_total sum;
  wide_total squares;
};
template <class Element>
requires(integer_elements<Element>) struct code<exact_moments<Element>>
    : partials<code<exact_moments<Element>>, exact_moments<Element>, wide_moments> {
  using form = exact_moments<Element>;
  using base = partials<code, form, wide_moments>;
  using sums = superaccumulator<Element>;
  using squares = product_superaccumulator<Element>;
  struct accumulator {
    integer_total<Element, term::value> sum;
    integer_total<Element, term::square> squares;
  };
  struct room : base::room {
    std::uint32_t sum_digits[6];
    std::uint32_t square_digits[6];
    std::uint32_t first[detail::deviation_digits<sums, squares> + 2];
    std::uint32_t second[detail::deviation_digits<sums, squares> + 2];
    exact_total_value value;
  };

  static ACCRUE_DEVICE void start(const form&, accumulator& a, room& r) {
    a = {};
    for (unsigned k = thread(); k < std::size(r.first); k += threads()) r.first[k] = r.second[k] = 0;
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room&, const Element (&x)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) {
        a.sum.add(x[k], x[k]);
        a.squares.add(x[k], x[k]);
      }
    }
  }
  static ACCRUE_DEVICE wide_moments partial_of(const form&, const accumulator& a) { return {a.sum.total(), a.squares.total()}; }
  static ACCRUE_DEVICE wide_moments empty(const form&) { return {}; }
  static ACCRUE_DEVICE void merge(const form&, wide_moments& a, const wide_moments& b) {
    a.sum.add(b.sum);
    a.squares.add(b.squares);
  }
  static ACCRUE_DEVICE void store(const form&, const wide_moments& t, std::size_t n, void* result, int*, room& r) {
    r.value = value_of(r.sum_digits, t.sum.magnitude(r.sum_digits));
    t.squares.magnitude(r.square_digits);
    detail::scaled_deviation(r.sum_digits, r.square_digits, n, r.first, r.second);
    moments_result<double> m{n, rounded<double>(r.value, last_step::mean, n), 0, 0, 0};
    m.variance = m.standard_deviation = std::numeric_limits<double>::quiet_NaN();
    detail::set_variances(m, r.first, 0);
    *static_cast<moments_result<double>*>(result) = m;
  }
};

/// Products of integers, exact or an overflow.
template <class Element>
struct code<integer_product<Element>>
    : partials<code<integer_product<Element>>, integer_product<Element>, typename product_of<Element>::state> {
  using form = integer_product<Element>;
  using reducer = product_of<Element>;
  using accumulator = typename reducer::state;
  using base = partials<code, form, accumulator>;
  struct room : base::room {};

  static ACCRUE_DEVICE void start(const form&, accumulator& a, room&) { a = {}; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room&, const Element (&x)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) reducer{}.fold(a, x[k]);
    }
  }
  static ACCRUE_DEVICE accumulator partial_of(const form&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const form&) { return {}; }
  static ACCRUE_DEVICE void merge(const form&, accumulator& a, const accumulator& b) { reducer{}.merge(a, b); }
  static ACCRUE_DEVICE void store(const form& f, const accumulator& s, std::size_t, void* result, int* status, room&) {
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * f.result.bytes + (f.result.is_signed ? 1 : 0));
    const std::uint64_t limit = f.result.is_signed && s.negative ? largest + 1 : largest;
    const bool fits = s.zero || (!s.overflow && s.magnitude <= limit && (!s.negative || f.result.is_signed));
    if (!fits) *status = static_cast<int>(errc::integer_overflow);
    store_integer(s.zero ? 0 : s.negative ? std::uint64_t{0} - s.magnitude : s.magnitude, f.result.bytes, result);
  }
};

}  // namespace accrue::simt
