// SPDX-License-Identifier: BSD-3-Clause
// Exact floating sums on the device: which terms an element gives, in which windows.
#pragma once

#include "accrue/backends/simt/operations/kernel_program.cuh"
#include "accrue/backends/simt/operations/short_sums.cuh"
#include "accrue/backends/simt/operations/short_windows.cuh"
#include "accrue/backends/simt/operations/windows.cuh"

namespace accrue::simt {

/// Elements, and zeros from `count` on.
template <class Element, int n>
ACCRUE_DEVICE void fill_up(Element (&present)[n], const Element (&x)[n], unsigned count) {
#pragma unroll
  for (unsigned k = 0; k < n; ++k) present[k] = k < count ? x[k] : Element{};
}

/// One exact sum of a thread: windows, and how many terms its warp has deposited one by one.
template <class Windows, class Sum>
struct exact_part {
  using storage_type = digit_storage<Sum>;
  static constexpr unsigned digits_each = Windows::two_terms ? 2 : 1;
  Windows windows;
  unsigned deposits;

  ACCRUE_DEVICE void start() {
    windows.start();
    deposits = 0;
  }
  /// Folds the terms of the first `count` elements.
  template <class Terms, class Element, int n>
  ACCRUE_DEVICE void fold(storage_type& storage, const Element (&x)[n], unsigned count) {
    Element present[n];
    fill_up(present, x, count);
    fold_present<Terms>(storage, present, count);
  }
  /// The same where elements that are not there are zeros.
  template <class Terms, class Element, int n>
  ACCRUE_DEVICE void fold_present(storage_type& storage, const Element (&present)[n], unsigned count) {
    bool deposited = false;
    windows.template fold<Terms>(present, storage, [&] {
      deposited = true;
      for_each_in_turn<1>(present, count, [&](unsigned, const Element& e) { Terms::deposit(storage, e); });
    });
    if (any(deposited)) {
      deposits += digits_each * n;
      if (deposits > deposits_per_flush - digits_each * n) {
        storage.flush();
        deposits = 0;
      }
    }
  }
  ACCRUE_DEVICE void close(storage_type& storage) { windows.drain(storage); }
};

/// An exact sum of products of 16-bit floats, which is a short one where sizes allow it.
template <small_float T>
struct short_products : exact_part<window_stack<single_term, 2, 3, 4>, product_superaccumulator<float>> {
  using base = exact_part<window_stack<single_term, 2, 3, 4>, product_superaccumulator<float>>;
  using storage_type = typename base::storage_type;
  short_sums<T> sums;

  ACCRUE_DEVICE void start() {
    base::start();
    sums.start();
  }
  template <class Terms, class Element, int n>
  ACCRUE_DEVICE void fold(storage_type& storage, const Element (&x)[n], unsigned count) {
    Element present[n];
    fill_up(present, x, count);
    const size_range sizes = sizes_of(present);
    const auto drain = [&] { sums.drain(storage, static_cast<void*>(nullptr)); };
    if (sums.is_full()) drain();
    if (!sums.take(sizes, drain)) return fold_sized<Terms>(storage, present, count, sizes);
    if constexpr (std::is_same_v<Element, T>) {
      sums.template add_squares<false>(present);
    } else {
      sums.add_products(present);
    }
  }
  /// In windows.
  template <class Terms, class Element, int n>
  ACCRUE_DEVICE void fold_sized(storage_type& storage, const Element (&present)[n], unsigned count, const size_range& sizes) {
    if (any(!base::windows.hold(sizes.of_products()))) return base::template fold_present<Terms>(storage, present, count);
    base::windows.template fold_held<Terms>(present, storage);
  }
  ACCRUE_DEVICE void close(storage_type& storage) {
    sums.drain(storage, static_cast<void*>(nullptr));
    base::close(storage);
  }
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
  static ACCRUE_DEVICE void deposit(typename part::storage_type& storage, T x) { storage.add(of(x).value); }
};

/// 16-bit floats stay in f32.
template <small_float T, term what>
requires(what == term::value || what == term::magnitude) struct term_of<T, what> {
  using part = exact_part<short_windows<T>, superaccumulator<float>>;
  static ACCRUE_DEVICE T of(T x) {
    if (what == term::magnitude) x.bits &= 0x7fff;
    return x;
  }
  static ACCRUE_DEVICE void deposit(typename part::storage_type& storage, T x) { storage.add(widen(to_float(of(x)))); }
};

/// Products of f32 and shorter are exact in double.
template <class T>
struct short_product {
  using part = exact_part<window_stack<single_term, 2, 3, 4>, product_superaccumulator<carrier_t<T>>>;
  static ACCRUE_DEVICE single_term of(T x, T y) { return {multiply(to_double(x), to_double(y))}; }
  static ACCRUE_DEVICE pair_of<double> factors(T x, T y) { return {to_double(x), to_double(y)}; }
  static ACCRUE_DEVICE void deposit(typename part::storage_type& storage, T x, T y) { storage.add(of(x, y).value); }
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
  static ACCRUE_DEVICE void deposit(typename part::storage_type& storage, double x, double y) { storage.add_product(x, y); }
};

template <class T>
using product_terms = std::conditional_t<std::is_same_v<T, double>, double_product, short_product<T>>;

/// Of products of two T.
template <class T>
struct products_part {
  using type = typename product_terms<T>::part;
};
template <small_float T>
requires(folds_by_sizes) struct products_part<T> {
  using type = short_products<T>;
};

template <class T>
struct term_of<T, term::square> {
  using terms = product_terms<T>;
  using part = typename products_part<T>::type;
  static ACCRUE_DEVICE auto of(T x) { return terms::of(x, x); }
  static ACCRUE_DEVICE auto factors(T x)
    requires(sizeof(T) < 8)
  {
    return terms::factors(x, x);
  }
  static ACCRUE_DEVICE void deposit(typename part::storage_type& storage, T x) { terms::deposit(storage, x, x); }
};
template <class T>
struct term_of<pair_of<T>, term::product> {
  using terms = product_terms<T>;
  using part = typename products_part<T>::type;
  static ACCRUE_DEVICE auto of(pair_of<T> e) { return terms::of(e.x, e.y); }
  static ACCRUE_DEVICE auto factors(pair_of<T> e)
    requires(sizeof(T) < 8)
  {
    return terms::factors(e.x, e.y);
  }
  static ACCRUE_DEVICE void deposit(typename part::storage_type& storage, pair_of<T> e) { terms::deposit(storage, e.x, e.y); }
};

template <class Element, term what>
requires(!integer_elements<Element>) struct kernel_program<exact_sum<Element, what>> {
  using op_type = exact_sum<Element, what>;
  using terms = term_of<Element, what>;
  using accumulator = typename terms::part;
  using shared_storage = typename terms::part::storage_type;
  static constexpr std::size_t zero_bytes = shared_storage::scratch_words * sizeof(std::int64_t);
  static constexpr std::size_t partial_bytes = 0;

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage& r) {
    a.start();
    r.clear();
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage& r, const Element (&x)[n], unsigned count, Index) {
    a.template fold<terms>(r, x, count);
  }
  static ACCRUE_DEVICE void close(const op_type&, accumulator& a, shared_storage& r, const block_team& team) {
    a.close(r);
    r.close(reinterpret_cast<std::int64_t*>(team.zeros), team.count);
  }
  static ACCRUE_DEVICE void finish(const op_type& op, shared_storage& r, const block_team& team, std::size_t n, const ending& e) {
    if (e.states) [[unlikely]] return finish_with_states(op, r, team, n, e);
    r.gather(reinterpret_cast<std::int64_t*>(team.zeros), team.count);
    r.find_magnitude();
    if (thread() == 0) store_exact(r.value, op.step, op.result, n, e.result, e.status);
  }

 private:
  /// The state is that of the sum, and of a mean the number of elements behind it.
  static ACCRUE_DEVICE_RARE void finish_with_states(op_type op, shared_storage& r, block_team team, std::size_t n, ending e) {
    const auto* earlier = static_cast<const std::int64_t*>(e.earlier);
    const bool counts = op.step == last_step::mean;
    r.gather(reinterpret_cast<std::int64_t*>(team.zeros), team.count);
    if (earlier != nullptr) {
      r.add_words(earlier, team.count);
      if (counts) n += static_cast<std::size_t>(earlier[shared_storage::state_words]);
    }
    if (e.keeps_state) {
      auto* words = static_cast<std::int64_t*>(e.result);
      sync_block();
      if (thread() != 0) return;
      r.store_words(words);
      if (counts) words[shared_storage::state_words] = static_cast<std::int64_t>(n);
      return;
    }
    r.find_magnitude();
    if (thread() == 0 && !(counts && e.lacks_elements(n))) store_exact(r.value, op.step, op.result, n, e.result, e.status);
  }
};

/// Two exact sums side by side, of parts `First` and `Second`; the state is that of the first, that of the second and, if `counts`, the
/// number of elements.
template <class First, class Second, bool counts>
struct two_exact_sums {
  using first_storage = typename First::storage_type;
  using second_storage = typename Second::storage_type;
  struct accumulator {
    First first;
    Second second;
  };
  struct sums_storage {
    first_storage first;
    second_storage second;
  };
  static constexpr std::size_t zero_bytes = (first_storage::scratch_words + second_storage::scratch_words) * sizeof(std::int64_t);
  static constexpr std::size_t partial_bytes = 0;

  template <class Op>
  static ACCRUE_DEVICE void start(const Op&, accumulator& a, sums_storage& r) {
    a.first.start();
    a.second.start();
    r.first.clear();
    r.second.clear();
  }
  template <class Op>
  static ACCRUE_DEVICE void close(const Op&, accumulator& a, sums_storage& r, const block_team& team) {
    auto* words = reinterpret_cast<std::int64_t*>(team.zeros);
    a.first.close(r.first);
    a.second.close(r.second);
    r.first.close(words, team.count);
    r.second.close(words + first_storage::scratch_words, team.count);
  }

 protected:
  /// The totals of all blocks, and of earlier elements, whose number is added to n. Answers whether there is a result to write; where the
  /// state is the result it is written here.
  static ACCRUE_DEVICE bool find_totals(sums_storage& r, const block_team& team, std::size_t& n, const ending& e) {
    constexpr std::size_t second_place = first_storage::state_words;
    constexpr std::size_t count_place = second_place + second_storage::state_words;
    auto* words = reinterpret_cast<std::int64_t*>(team.zeros);
    const auto* earlier = e.states ? static_cast<const std::int64_t*>(e.earlier) : nullptr;
    r.first.gather(words, team.count);
    r.second.gather(words + first_storage::scratch_words, team.count);
    if (earlier != nullptr) [[unlikely]] {
      r.first.add_words(earlier, team.count);
      r.second.add_words(earlier + second_place, team.count);
      if (counts) n += static_cast<std::size_t>(earlier[count_place]);
    }
    if (e.states && e.keeps_state) [[unlikely]] {
      auto* state = static_cast<std::int64_t*>(e.result);
      sync_block();
      if (thread() != 0) return false;
      r.first.store_words(state);
      r.second.store_words(state + second_place);
      if (counts) state[count_place] = static_cast<std::int64_t>(n);
      return false;
    }
    r.first.find_magnitude();
    r.second.find_magnitude();
    return !(counts && e.lacks_elements(n));
  }
};

/// Sum and sum of squares together.
template <class Element>
requires(!integer_elements<Element>) struct kernel_program<exact_moments<Element>>
    : two_exact_sums<typename term_of<Element, term::value>::part, typename term_of<Element, term::square>::part, true> {
  using op_type = exact_moments<Element>;
  using base = two_exact_sums<typename term_of<Element, term::value>::part, typename term_of<Element, term::square>::part, true>;
  using accumulator = typename base::accumulator;
  using sums = superaccumulator<carrier_t<Element>>;
  using squares = product_superaccumulator<carrier_t<Element>>;
  struct shared_storage : base::sums_storage {
    std::uint32_t deviation[detail::deviation_digits<sums, squares>];
    std::uint32_t scratch[detail::deviation_digits<sums, squares>];
    detail::placed_digits scaled;
  };

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage& r) {
    base::start(op, a, r);
    for (unsigned k = thread(); k < std::size(r.deviation); k += threads()) r.deviation[k] = r.scratch[k] = 0;
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage& r, const Element (&x)[n], unsigned count, Index) {
    using values = term_of<Element, term::value>;
    using squares_of = term_of<Element, term::square>;
    Element present[n];
    fill_up(present, x, count);
    if constexpr (folds_by_sizes) {
      const size_range sizes = sizes_of(present);
      if constexpr (small_float<Element>) {
        const auto drain = [&] { a.second.sums.drain(r.second, &r.first); };
        if (a.second.sums.is_full()) drain();
        if (a.second.sums.take(sizes, drain)) return a.second.sums.template add_squares<true>(present);
        a.first.template fold_present<values>(r.first, present, count);
        return a.second.template fold_sized<squares_of>(r.second, present, count, sizes);
      } else {
        if constexpr (sizeof(Element) < 8) {
          if (!any(!(a.first.windows.hold_in_first(sizes) && a.second.windows.hold(sizes.of_products())))) {
            a.first.windows.template fold_held<values, true>(present, r.first);
            return a.second.windows.template fold_held<squares_of>(present, r.second);
          }
        }
        if (!any(!(a.first.windows.hold(sizes) && a.second.windows.hold(sizes.of_products())))) {
          a.first.windows.template fold_held<values>(present, r.first);
          return a.second.windows.template fold_held<squares_of>(present, r.second);
        }
      }
    }
    a.first.template fold_present<values>(r.first, present, count);
    a.second.template fold_present<squares_of>(r.second, present, count);
  }
  static ACCRUE_DEVICE void close(const op_type& op, accumulator& a, shared_storage& r, const block_team& team) {
    if constexpr (requires { a.second.sums; }) a.second.sums.drain(r.second, &r.first);
    base::close(op, a, r, team);
  }
  static ACCRUE_DEVICE void finish(const op_type& op, shared_storage& r, const block_team& team, std::size_t n, const ending& e) {
    if (!base::find_totals(r, team, n, e) || warp() != 0) return;
    if (lane() == 0) {
      r.scaled = detail::scaled_deviation(digits_of(r.first, sums::lowest_bit), digits_of(r.second, squares::lowest_bit), n, r.deviation,
                                          r.scratch);
    }
    sync_warp();
    // Quotients side by side, from three lanes: the mean, and the variances by n - 1 and by n.
    if (lane() > 2) return;
    const detail::exact_value& sum = r.first.value;
    const bool of_mean = lane() == 0;
    const detail::uint128 divisor = of_mean ? n : static_cast<detail::uint128>(n) * (lane() == 1 ? n - 1 : n);
    detail::truncated q;
    if (sum.finite() && divisor != 0) {
      q = detail::quotient(of_mean ? sum.digits : r.scaled.digits,
                           of_mean ? sum.lowest_bit : squares::lowest_bit + 32 * static_cast<int>(r.scaled.offset), divisor);
    }
    const detail::truncated root = lane() == 1 ? detail::square_root(q) : detail::truncated{};
    if (op.result.bytes == 8) {
      write(static_cast<moments_result<double>*>(e.result), n, sum, q, root, divisor != 0);
    } else {
      write(static_cast<moments_result<float>*>(e.result), n, sum, q, root, divisor != 0);
    }
  }

 private:
  template <class Storage>
  static ACCRUE_DEVICE detail::placed_digits digits_of(const Storage& s, int lowest) {
    return detail::trim(s.value.digits, static_cast<std::size_t>(s.value.lowest_bit - lowest) / 32);
  }
  /// A lane's figures.
  template <class R>
  static ACCRUE_DEVICE void write(moments_result<R>* m, std::size_t n, const detail::exact_value& sum, const detail::truncated& q,
                                  const detail::truncated& root, bool defined) {
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    constexpr R infinity = std::numeric_limits<R>::infinity();
    const bool finite = sum.finite();
    const R figure = detail::round_to<R>(q, lane() == 0 && sum.negative);
    if (lane() == 0) {
      m->count = n;
      m->mean = finite ? figure : sum.is_nan() ? nan : sum.positive_infinity ? infinity : -infinity;
    } else if (lane() == 1) {
      m->variance = finite && defined ? figure : nan;
      m->standard_deviation = finite && defined ? detail::round_to<R>(root, false) : nan;
    } else {
      m->population_variance = finite ? figure : nan;
    }
  }
};

/// Sum of the products and sum of the weights, the second of a pair.
template <class T>
struct kernel_program<exact_weighted_mean<pair_of<T>>>
    : two_exact_sums<typename term_of<pair_of<T>, term::product>::part, typename term_of<T, term::value>::part, true> {
  using op_type = exact_weighted_mean<pair_of<T>>;
  using base = two_exact_sums<typename term_of<pair_of<T>, term::product>::part, typename term_of<T, term::value>::part, true>;
  using accumulator = typename base::accumulator;
  struct shared_storage : base::sums_storage {
    std::uint32_t remainder[superaccumulator<carrier_t<T>>::limbs + 2];
  };

  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage& r, const pair_of<T> (&x)[n], unsigned count, Index) {
    T weight[n];
#pragma unroll
    for (int k = 0; k < n; ++k) weight[k] = x[k].y;
    a.first.template fold<term_of<pair_of<T>, term::product>>(r.first, x, count);
    a.second.template fold<term_of<T, term::value>>(r.second, weight, count);
  }
  static ACCRUE_DEVICE void finish(const op_type& op, shared_storage& r, const block_team& team, std::size_t n, const ending& e) {
    if (!base::find_totals(r, team, n, e) || thread() != 0) return;
    if (op.result.bytes == 8) {
      *static_cast<double*>(e.result) = ratio_of<double>(r.first.value, r.second.value, r.remainder);
    } else {
      *static_cast<float*>(e.result) = ratio_of<float>(r.first.value, r.second.value, r.remainder);
    }
  }

 private:
  template <class R>
  static ACCRUE_DEVICE_RARE R ratio_of(const detail::exact_value& a, const detail::exact_value& b, std::span<std::uint32_t> remainder) {
    return detail::round_ratio<R>(a, b, remainder);
  }
};

/// The parts of complex results.
template <class T, class Part>
struct exact_complex : two_exact_sums<Part, Part, false> {
  using base = two_exact_sums<Part, Part, false>;
  using shared_storage = typename base::sums_storage;

  template <class Op>
  static ACCRUE_DEVICE void finish(const Op&, shared_storage& r, const block_team& team, std::size_t n, const ending& e) {
    if (!base::find_totals(r, team, n, e) || thread() != 0) return;
    store_exact(r.first.value, last_step::value, scalar_type::of<T>(), n, e.result, e.status);
    store_exact(r.second.value, last_step::value, scalar_type::of<T>(), n, static_cast<T*>(e.result) + 1, e.status);
  }
};

template <class T>
struct kernel_program<exact_complex_sum<T>> : exact_complex<T, typename term_of<T, term::value>::part> {
  using base = exact_complex<T, typename term_of<T, term::value>::part>;
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const exact_complex_sum<T>&, typename base::accumulator& a, typename base::shared_storage& r,
                                 const std::complex<T> (&z)[n], unsigned count, Index) {
    T part[n];
#pragma unroll
    for (int k = 0; k < n; ++k) part[k] = z[k].real();
    a.first.template fold<term_of<T, term::value>>(r.first, part, count);
#pragma unroll
    for (int k = 0; k < n; ++k) part[k] = z[k].imag();
    a.second.template fold<term_of<T, term::value>>(r.second, part, count);
  }
};

template <class T>
struct kernel_program<exact_complex_dot<T>> : exact_complex<T, typename product_terms<T>::part> {
  using base = exact_complex<T, typename product_terms<T>::part>;
  using terms = term_of<pair_of<T>, term::product>;
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const exact_complex_dot<T>& op, typename base::accumulator& a, typename base::shared_storage& r,
                                 const pair_of<std::complex<T>> (&z)[n], unsigned count, Index) {
    pair_of<T> p[n];
    const auto fold_products = [&](auto& part, auto& storage, auto x_of, auto y_of) {
#pragma unroll
      for (int k = 0; k < n; ++k) p[k] = {x_of(z[k].x), y_of(z[k].y)};
      part.template fold<terms>(storage, p, count);
    };
    const auto real = [](const std::complex<T>& c) { return c.real(); };
    const auto imaginary = [](const std::complex<T>& c) { return c.imag(); };
    const auto turned = [&](const std::complex<T>& c) { return op.conjugate ? -c.imag() : c.imag(); };
    const auto turned_back = [&](const std::complex<T>& c) { return op.conjugate ? c.imag() : -c.imag(); };
    fold_products(a.first, r.first, real, real);
    fold_products(a.second, r.second, real, imaginary);
    fold_products(a.second, r.second, turned, real);
    fold_products(a.first, r.first, turned_back, imaginary);
  }
};

}  // namespace accrue::simt
