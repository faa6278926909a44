// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of integers on the device: 64-bit partial sums where they cannot overflow, wider ones elsewhere.
#pragma once

#include "accrue/backends/simt/operations/kernel_program.cuh"
#include "accrue/backends/simt/operations/digits.cuh"

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
  /// As the words of a superaccumulator, normalised.
  template <class Sum>
  ACCRUE_DEVICE void store(std::int64_t* out) const {
    constexpr int limbs = Sum::limbs;
    static_assert(limbs == 5 || limbs == 7);
#pragma unroll
    for (int k = 0; k < limbs - 1; ++k) out[k] = static_cast<std::int64_t>(word[k / 2] >> (32 * (k % 2)) & 0xffffffff);
    out[limbs - 1] = limbs == 5 ? static_cast<std::int64_t>(word[2]) : static_cast<std::int64_t>(word[2]) >> 63;
#pragma unroll
    for (int k = limbs; k < limbs + 3; ++k) out[k] = 0;
    out[limbs + 3] = 1;
  }
  template <class Sum>
  ACCRUE_DEVICE void add_words(const std::int64_t* words) {
#pragma unroll
    for (int k = 0; k < static_cast<int>(Sum::limbs); ++k) {
      const auto sign = static_cast<std::uint64_t>(words[k] >> 63);
      const auto v = static_cast<std::uint64_t>(words[k]);
      wide_total t;
#pragma unroll
      for (int w = 0; w < 3; ++w) t.word[w] = w < k / 2 ? 0 : w == k / 2 ? v << (32 * (k % 2)) : sign;
      if (k % 2 != 0 && k / 2 + 1 < 3) t.word[k / 2 + 1] = sign << 32 | v >> 32;
      if (k < 6) add(t);  // the last limb of seven has the sign alone
    }
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

ACCRUE_DEVICE detail::exact_value value_of(std::span<const std::uint32_t> digits, bool negative) {
  return {digits, 0, negative, false, false, false};
}

template <class Element, term what>
requires(integer_elements<Element>) struct kernel_program<exact_sum<Element, what>>
    : partials<kernel_program<exact_sum<Element, what>>, exact_sum<Element, what>, wide_total> {
  using op_type = exact_sum<Element, what>;
  using base = partials<kernel_program, op_type, wide_total>;
  using of = integer_of<Element>;
  using accumulator = integer_total<typename of::type, what>;
  using sum_state = std::conditional_t<detail::is_product(what), product_superaccumulator<typename of::type>,
                                       superaccumulator<typename of::type>>;
  struct shared_storage : base::shared_storage {
    std::uint32_t digits[6];
    detail::exact_value value;
  };

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage&) { a = {}; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
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
  static ACCRUE_DEVICE wide_total partial_of(const op_type&, const accumulator& a) { return a.total(); }
  static ACCRUE_DEVICE wide_total empty(const op_type&) { return {}; }
  static ACCRUE_DEVICE void merge(const op_type&, wide_total& a, const wide_total& b) { a.add(b); }
  static ACCRUE_DEVICE bool needs_elements(const op_type& op) { return op.step == last_step::mean; }
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, wide_total& t, const void* state) {
    const auto* words = static_cast<const std::int64_t*>(state);
    t.add_words<sum_state>(words);
    return op.step == last_step::mean ? static_cast<std::size_t>(words[sum_state::word_count]) : 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type& op, const wide_total& t, std::size_t n, void* state) {
    auto* words = static_cast<std::int64_t*>(state);
    t.store<sum_state>(words);
    if (op.step == last_step::mean) words[sum_state::word_count] = static_cast<std::int64_t>(n);
  }
  static ACCRUE_DEVICE void store(const op_type& op, const wide_total& t, std::size_t n, void* result, int* status, shared_storage& r) {
    r.value = value_of(r.digits, t.magnitude(r.digits));
    store_exact(r.value, op.step, op.result, n, result, status);
  }
};

struct wide_moments {
  wide_total sum;
  wide_total squares;
};
template <class Element>
requires(integer_elements<Element>) struct kernel_program<exact_moments<Element>>
    : partials<kernel_program<exact_moments<Element>>, exact_moments<Element>, wide_moments> {
  using op_type = exact_moments<Element>;
  using base = partials<kernel_program, op_type, wide_moments>;
  using sums = superaccumulator<Element>;
  using squares = product_superaccumulator<Element>;
  struct accumulator {
    integer_total<Element, term::value> sum;
    integer_total<Element, term::square> squares;
  };
  struct shared_storage : base::shared_storage {
    std::uint32_t sum_digits[6];
    std::uint32_t square_digits[6];
    std::uint32_t first[detail::deviation_digits<sums, squares> + 2];
    std::uint32_t second[detail::deviation_digits<sums, squares> + 2];
    detail::exact_value value;
  };

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage& r) {
    a = {};
    for (unsigned k = thread(); k < std::size(r.first); k += threads()) r.first[k] = r.second[k] = 0;
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) {
        a.sum.add(x[k], x[k]);
        a.squares.add(x[k], x[k]);
      }
    }
  }
  static ACCRUE_DEVICE wide_moments partial_of(const op_type&, const accumulator& a) { return {a.sum.total(), a.squares.total()}; }
  static ACCRUE_DEVICE wide_moments empty(const op_type&) { return {}; }
  static ACCRUE_DEVICE void merge(const op_type&, wide_moments& a, const wide_moments& b) {
    a.sum.add(b.sum);
    a.squares.add(b.squares);
  }
  static constexpr std::size_t square_place = sums::word_count;
  static constexpr std::size_t count_place = square_place + squares::word_count;
  static ACCRUE_DEVICE bool needs_elements(const op_type&) { return true; }
  static ACCRUE_DEVICE std::size_t add_state(const op_type&, wide_moments& t, const void* state) {
    const auto* words = static_cast<const std::int64_t*>(state);
    t.sum.add_words<sums>(words);
    t.squares.add_words<squares>(words + square_place);
    return static_cast<std::size_t>(words[count_place]);
  }
  static ACCRUE_DEVICE void store_state(const op_type&, const wide_moments& t, std::size_t n, void* state) {
    auto* words = static_cast<std::int64_t*>(state);
    t.sum.store<sums>(words);
    t.squares.store<squares>(words + square_place);
    words[count_place] = static_cast<std::int64_t>(n);
  }
  static ACCRUE_DEVICE void store(const op_type&, const wide_moments& t, std::size_t n, void* result, int*, shared_storage& r) {
    r.value = value_of(r.sum_digits, t.sum.magnitude(r.sum_digits));
    t.squares.magnitude(r.square_digits);
    moments_result<double> m{n, rounded<double>(r.value, last_step::mean, n), 0, 0, 0};
    m.variance = m.standard_deviation = std::numeric_limits<double>::quiet_NaN();
    detail::set_variances(m, detail::scaled_deviation(detail::trim(r.sum_digits), detail::trim(r.square_digits), n, r.first, r.second), 0);
    *static_cast<moments_result<double>*>(result) = m;
  }
};

/// Products of integers, exact or an overflow.
template <class Element>
struct kernel_program<integer_product<Element>>
    : partials<kernel_program<integer_product<Element>>, integer_product<Element>, typename product_of<Element>::state> {
  using op_type = integer_product<Element>;
  using reducer = product_of<Element>;
  using accumulator = typename reducer::state;
  using base = partials<kernel_program, op_type, accumulator>;
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage&) { a = {}; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) reducer{}.fold(a, x[k]);
    }
  }
  static ACCRUE_DEVICE accumulator partial_of(const op_type&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const op_type&) { return {}; }
  static ACCRUE_DEVICE void merge(const op_type&, accumulator& a, const accumulator& b) { reducer{}.merge(a, b); }
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, accumulator& a, const void* state) {
    merge(op, a, *static_cast<const accumulator*>(state));
    return 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type&, const accumulator& a, std::size_t, void* state) {
    *static_cast<accumulator*>(state) = a;
  }
  static ACCRUE_DEVICE void store(const op_type& op, const accumulator& s, std::size_t, void* result, int* status, shared_storage&) {
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * op.result.bytes + (op.result.is_signed ? 1 : 0));
    const std::uint64_t limit = op.result.is_signed && s.negative ? largest + 1 : largest;
    const bool fits = s.zero || (!s.overflow && s.magnitude <= limit && (!s.negative || op.result.is_signed));
    if (!fits) *status = static_cast<int>(errc::integer_overflow);
    store_integer(s.zero ? 0 : s.negative ? std::uint64_t{0} - s.magnitude : s.magnitude, op.result.bytes, result);
  }
};

}  // namespace accrue::simt
