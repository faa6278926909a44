// SPDX-License-Identifier: BSD-3-Clause
// Exact floating sums on the device: which terms an element gives, in which windows.
#pragma once

#include "accrue/backends/simt/code.cuh"
#include "accrue/backends/simt/short_windows.cuh"
#include "accrue/backends/simt/windows.cuh"

namespace accrue::simt {

/// One exact sum of a thread: windows, and how many terms its warp has deposited one by one.
template <class Windows, class Sum>
struct exact_part {
  using room_type = digit_room<Sum>;
  static constexpr unsigned digits_each = Windows::two_terms ? 2 : 1;
  Windows windows;
  unsigned deposits;

  ACCRUE_DEVICE void start() {
    windows.start();
    deposits = 0;
  }
  /// Folds the terms of the first `count` elements.
  template <class Terms, class Element, int n>
  ACCRUE_DEVICE void fold(room_type& room, const Element (&x)[n], unsigned count) {
    Element present[n];
#pragma unroll
    for (unsigned k = 0; k < n; ++k) present[k] = k < count ? x[k] : Element{};
    bool deposited = false;
    windows.template fold<Terms>(present, room, [&] {
      deposited = true;
      for_each_in_turn<1>(present, count, [&](unsigned, const Element& e) { Terms::deposit(room, e); });
    });
    if (any(deposited)) {
      deposits += digits_each * n;
      if (deposits > deposits_per_flush - digits_each * n) {
        room.flush();
        deposits = 0;
      }
    }
  }
  ACCRUE_DEVICE void close(room_type& room) { windows.drain(room); }
};

/// The terms x, |x|, x^2 or x*y of an element, as single doubles or as products with their rounding error.
template <class Element, term what>
struct term_of;

template <native_float T, term what>
requires(what == term::value || what == term::magnitude) struct term_of<T, what> {
  using part = exact_part<window_stack<single_term, 2, 3, 8>, superaccumulator<T>>;
  static ACCRUE_DEVICE single_term of(T x) {
    const double v = to_double(x);
    return {what == term::magnitude ? magnitude(v) : v};
  }
  static ACCRUE_DEVICE void deposit(typename part::room_type& room, T x) { room.add(of(x).value); }
};

/// 16-bit floats stay in f32.
template <small_float T, term what>
requires(what == term::value || what == term::magnitude) struct term_of<T, what> {
  using part = exact_part<short_windows<T>, superaccumulator<float>>;
  static ACCRUE_DEVICE T of(T x) {
    if (what == term::magnitude) x.bits &= 0x7fff;
    return x;
  }
  static ACCRUE_DEVICE void deposit(typename part::room_type& room, T x) { room.add(widen(to_float(of(x)))); }
};

/// Products of f32 and shorter are exact in double.
template <class T>
struct short_product {
  using part = exact_part<window_stack<single_term, 2, 3, 4>, product_superaccumulator<carrier_t<T>>>;
  static ACCRUE_DEVICE single_term of(T x, T y) { return {multiply(to_double(x), to_double(y))}; }
  static ACCRUE_DEVICE void deposit(typename part::room_type& room, T x, T y) { room.add(of(x, y).value); }
};

/// Products of doubles: the error of p = x * y is fma(x, y, -p), as long as it cannot underflow: both factors zero or at least
/// 2^-484.
struct double_product {
  using part = exact_part<window_stack<product_term, 3, 4, 4>, product_superaccumulator<double>>;
  static ACCRUE_DEVICE product_term of(double x, double y) {
    const double p = multiply(x, y);
    const unsigned a = size(x);
    const unsigned b = size(y);
    return {p, fused_multiply_add(x, y, -p), b < a ? b : a};
  }
  /// The upper half of |x|'s bits less one: the largest word for zero.
  static ACCRUE_DEVICE unsigned size(double x) {
    return static_cast<unsigned>((std::bit_cast<std::uint64_t>(x) - 1) >> 32) & 0x7fffffffu;
  }
  static ACCRUE_DEVICE void deposit(typename part::room_type& room, double x, double y) { room.add_product(x, y); }
};

template <class T>
using product_terms = std::conditional_t<std::is_same_v<T, double>, double_product, short_product<T>>;

template <class T>
struct term_of<T, term::square> {
  using terms = product_terms<T>;
  using part = typename terms::part;
  static ACCRUE_DEVICE auto of(T x) { return terms::of(x, x); }
  static ACCRUE_DEVICE void deposit(typename part::room_type& room, T x) { terms::deposit(room, x, x); }
};
template <class T>
struct term_of<pair_of<T>, term::product> {
  using terms = product_terms<T>;
  using part = typename terms::part;
  static ACCRUE_DEVICE auto of(pair_of<T> e) { return terms::of(e.x, e.y); }
  static ACCRUE_DEVICE void deposit(typename part::room_type& room, pair_of<T> e) { terms::deposit(room, e.x, e.y); }
};

template <class Element, term what>
requires(!integer_elements<Element>) struct code<exact_sum<Element, what>> {
  using form = exact_sum<Element, what>;
  using terms = term_of<Element, what>;
  using accumulator = typename terms::part;
  using room = typename terms::part::room_type;
  static constexpr std::size_t zero_bytes = room::scratch_words * sizeof(std::int64_t);
  static constexpr std::size_t partial_bytes = 0;

  static ACCRUE_DEVICE void start(const form&, accumulator& a, room& r) {
    a.start();
    r.clear();
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room& r, const Element (&x)[n], unsigned count, Index) {
    a.template fold<terms>(r, x, count);
  }
  static ACCRUE_DEVICE void close(const form&, accumulator& a, room& r, grid_memory grid) {
    a.close(r);
    r.close(reinterpret_cast<std::int64_t*>(grid.zeros));
  }
  /// The state is that of the sum, and of a mean the number of elements behind it.
  static ACCRUE_DEVICE void finish(const form& f, room& r, grid_memory grid, std::size_t n, const ending& e) {
    const auto* earlier = e.states ? static_cast<const std::int64_t*>(e.earlier) : nullptr;
    const bool counts = f.step == last_step::mean;
    r.gather(reinterpret_cast<std::int64_t*>(grid.zeros));
    if (earlier != nullptr) [[unlikely]] {
      r.add_words(earlier);
      if (counts) n += static_cast<std::size_t>(earlier[room::state_words]);
    }
    if (e.states && e.keeps_state) [[unlikely]] {
      auto* words = static_cast<std::int64_t*>(e.result);
      sync_block();
      if (thread() != 0) return;
      r.store_words(words);
      if (counts) words[room::state_words] = static_cast<std::int64_t>(n);
      return;
    }
    r.find_magnitude();
    if (thread() == 0 && !(counts && e.lacks_elements(n))) store_exact(r.value, f.step, f.result, n, e.result, e.status);
  }
};

/// Sum and sum of squares together.
template <class Element>
requires(!integer_elements<Element>) struct code<exact_moments<Element>> {
  using form = exact_moments<Element>;
  using value_terms = term_of<Element, term::value>;
  using square_terms = term_of<Element, term::square>;
  using sums = superaccumulator<carrier_t<Element>>;
  using squares = product_superaccumulator<carrier_t<Element>>;
  struct accumulator {
    typename value_terms::part sum;
    typename square_terms::part square;
  };
  struct room {
    digit_room<sums> sum;
    digit_room<squares> square;
    std::uint32_t first[detail::deviation_digits<sums, squares>];
    std::uint32_t second[detail::deviation_digits<sums, squares>];
  };
  static constexpr std::size_t zero_bytes =
      (digit_room<sums>::scratch_words + digit_room<squares>::scratch_words) * sizeof(std::int64_t);
  static constexpr std::size_t partial_bytes = 0;

  static ACCRUE_DEVICE void start(const form&, accumulator& a, room& r) {
    a.sum.start();
    a.square.start();
    r.sum.clear();
    r.square.clear();
    for (unsigned k = thread(); k < std::size(r.first); k += threads()) r.first[k] = r.second[k] = 0;
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room& r, const Element (&x)[n], unsigned count, Index) {
    a.sum.template fold<value_terms>(r.sum, x, count);
    a.square.template fold<square_terms>(r.square, x, count);
  }
  static ACCRUE_DEVICE void close(const form&, accumulator& a, room& r, grid_memory grid) {
    auto* words = reinterpret_cast<std::int64_t*>(grid.zeros);
    a.sum.close(r.sum);
    a.square.close(r.square);
    r.sum.close(words);
    r.square.close(words + digit_room<sums>::scratch_words);
  }
  /// The state: that of the sum, that of the squares, the number of elements.
  static ACCRUE_DEVICE void finish(const form& f, room& r, grid_memory grid, std::size_t n, const ending& e) {
    constexpr std::size_t square_place = sums::word_count;
    constexpr std::size_t count_place = square_place + squares::word_count;
    auto* words = reinterpret_cast<std::int64_t*>(grid.zeros);
    const auto* earlier = e.states ? static_cast<const std::int64_t*>(e.earlier) : nullptr;
    r.sum.gather(words);
    r.square.gather(words + digit_room<sums>::scratch_words);
    if (earlier != nullptr) [[unlikely]] {
      r.sum.add_words(earlier);
      r.square.add_words(earlier + square_place);
      n += static_cast<std::size_t>(earlier[count_place]);
    }
    if (e.states && e.keeps_state) [[unlikely]] {
      auto* state = static_cast<std::int64_t*>(e.result);
      sync_block();
      if (thread() != 0) return;
      r.sum.store_words(state);
      r.square.store_words(state + square_place);
      state[count_place] = static_cast<std::int64_t>(n);
      return;
    }
    r.sum.find_magnitude();
    r.square.find_magnitude();
    if (thread() != 0 || e.lacks_elements(n)) return;
    void* const result = e.result;
    detail::scaled_deviation(std::span<const std::uint32_t>(r.sum.magnitude, sums::limbs + 1),
                             std::span<const std::uint32_t>(r.square.magnitude, squares::limbs + 1), n, r.first, r.second);
    if (f.result.bytes == 8) {
      *static_cast<moments_result<double>*>(result) = moments_from<double>(r.sum.value, r.first, squares::lowest_bit, n);
    } else {
      *static_cast<moments_result<float>*>(result) = moments_from<float>(r.sum.value, r.first, squares::lowest_bit, n);
    }
  }

  template <class R>
  static ACCRUE_DEVICE_RARE moments_result<R> moments_from(const exact_total_value& sum, std::span<const std::uint32_t> deviation,
                                                           int unit, std::size_t n) {
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    moments_result<R> m{n, rounded<R>(sum, last_step::mean, n), nan, nan, nan};
    if (sum.finite()) detail::set_variances(m, deviation, unit);
    return m;
  }
};

/// Two exact sums side by side, for the parts of complex results.
template <class T, class Part>
struct exact_complex {
  struct accumulator {
    Part real;
    Part imaginary;
  };
  using part_room = typename Part::room_type;
  struct room {
    part_room real;
    part_room imaginary;
  };
  static constexpr std::size_t zero_bytes = 2 * part_room::scratch_words * sizeof(std::int64_t);
  static constexpr std::size_t partial_bytes = 0;

  template <class Form>
  static ACCRUE_DEVICE void start(const Form&, accumulator& a, room& r) {
    a.real.start();
    a.imaginary.start();
    r.real.clear();
    r.imaginary.clear();
  }
  template <class Form>
  static ACCRUE_DEVICE void close(const Form&, accumulator& a, room& r, grid_memory grid) {
    auto* words = reinterpret_cast<std::int64_t*>(grid.zeros);
    a.real.close(r.real);
    a.imaginary.close(r.imaginary);
    r.real.close(words);
    r.imaginary.close(words + part_room::scratch_words);
  }
  /// The state: that of the real part, that of the imaginary part.
  template <class Form>
  static ACCRUE_DEVICE void finish(const Form&, room& r, grid_memory grid, std::size_t n, const ending& e) {
    auto* words = reinterpret_cast<std::int64_t*>(grid.zeros);
    const auto* earlier = e.states ? static_cast<const std::int64_t*>(e.earlier) : nullptr;
    r.real.gather(words);
    r.imaginary.gather(words + part_room::scratch_words);
    if (earlier != nullptr) [[unlikely]] {
      r.real.add_words(earlier);
      r.imaginary.add_words(earlier + part_room::state_words);
    }
    if (e.states && e.keeps_state) [[unlikely]] {
      auto* state = static_cast<std::int64_t*>(e.result);
      sync_block();
      if (thread() != 0) return;
      r.real.store_words(state);
      r.imaginary.store_words(state + part_room::state_words);
      return;
    }
    r.real.find_magnitude();
    r.imaginary.find_magnitude();
    if (thread() != 0) return;
    store_exact(r.real.value, last_step::value, scalar_type::of<T>(), n, e.result, e.status);
    store_exact(r.imaginary.value, last_step::value, scalar_type::of<T>(), n, static_cast<T*>(e.result) + 1, e.status);
  }
};

template <class T>
struct code<exact_complex_sum<T>> : exact_complex<T, typename term_of<T, term::value>::part> {
  using base = exact_complex<T, typename term_of<T, term::value>::part>;
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const exact_complex_sum<T>&, typename base::accumulator& a, typename base::room& r,
                                 const std::complex<T> (&z)[n], unsigned count, Index) {
    T part[n];
#pragma unroll
    for (int k = 0; k < n; ++k) part[k] = z[k].real();
    a.real.template fold<term_of<T, term::value>>(r.real, part, count);
#pragma unroll
    for (int k = 0; k < n; ++k) part[k] = z[k].imag();
    a.imaginary.template fold<term_of<T, term::value>>(r.imaginary, part, count);
  }
};

template <class T>
struct code<exact_complex_dot<T>> : exact_complex<T, typename product_terms<T>::part> {
  using base = exact_complex<T, typename product_terms<T>::part>;
  using terms = term_of<pair_of<T>, term::product>;
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const exact_complex_dot<T>& f, typename base::accumulator& a, typename base::room& r,
                                 const pair_of<std::complex<T>> (&z)[n], unsigned count, Index) {
    pair_of<T> p[n];
    const auto fold_products = [&](auto& part, auto& room, auto x_of, auto y_of) {
#pragma unroll
      for (int k = 0; k < n; ++k) p[k] = {x_of(z[k].x), y_of(z[k].y)};
      part.template fold<terms>(room, p, count);
    };
    const auto real = [](const std::complex<T>& c) { return c.real(); };
    const auto imaginary = [](const std::complex<T>& c) { return c.imag(); };
    const auto turned = [&](const std::complex<T>& c) { return f.conjugate ? -c.imag() : c.imag(); };
    const auto turned_back = [&](const std::complex<T>& c) { return f.conjugate ? c.imag() : -c.imag(); };
    fold_products(a.real, r.real, real, real);
    fold_products(a.imaginary, r.imaginary, real, imaginary);
    fold_products(a.imaginary, r.imaginary, turned, real);
    fold_products(a.real, r.real, turned_back, imaginary);
  }
};

}  // namespace accrue::simt
