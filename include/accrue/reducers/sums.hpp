// SPDX-License-Identifier: BSD-3-Clause
// Sums, dot products and norms as reducers, for reduce(), fuse() and the named functions.
#pragma once

#include <complex>
#include <limits>
#include <optional>

#include "accrue/guarantee.hpp"
#include "accrue/reducer.hpp"
#include "accrue/reducers/exact_terms.hpp"

namespace accrue {

namespace detail {

/// Sum of terms of T under a guarantee, rounded to R; `root` takes the square root.
template <class T, class R, term what, guarantee G, bool root = false>
struct sum_reducer;
template <bool root>
inline constexpr ending last_step = root ? ending::square_root : ending::value;

template <class T, class R, term what, bool root>
struct sum_reducer<T, R, what, exact_t, root> : exact_terms<T, what>, sums_of_short_groups<T, R, what, last_step<root>, exact_t> {
  using result = R;
  using state = typename exact_terms<T, what>::state;
  R finish(const state& s) const {
    if constexpr (root) {
      return s.template round_square_root<R>();
    } else {
      return s.template round<R>();
    }
  }
  /// The same of a finite sum whose leading bits are known.
  R finish_leading(const truncated& sum, bool negative) const
    requires native_float<R>
  {
    if constexpr (root) {
      return negative ? std::numeric_limits<R>::quiet_NaN() : round_to<R>(square_root(sum), false);
    } else {
      return round_to<R>(sum, negative);
    }
  }
  using self = sum_reducer;
  /// certified_reducer.hpp
  using certified_as = std::conditional_t<(std::is_same_v<T, double> && native_float<R> && is_product(what)) ||
                                              (std::is_same_v<T, float> && std::is_same_v<R, float> && what == term::square),
                                          sum_reducer, void>;
  static constexpr term summed = what;
  template <class Tile>
  [[gnu::always_inline]] std::optional<R> finish_tile(const Tile& t) const
    requires((native_float<T> && native_float<R>) || (integer<T> && integer<R> && !root))
  {
    return short_sum<R, what, last_step<root>>(t);
  }
  template <class Tile>
  std::optional<R> certify_tile(const Tile& t) const
    requires(native_float<T> && native_float<R> && sizeof(R) <= sizeof(T))
  {
    return certified_sum<R, what, last_step<root>>(t);
  }
};

template <native_float T, class R, term what, bool root>
struct sum_reducer<T, R, what, ordered_t, root> : ordered_terms<T, R, what> {
  using result = R;
  R finish(const R& s) const { return canonical_nan(root ? kernels::square_root(s) : s); }
};

template <native_float T, class R, term what, bool root>
struct sum_reducer<T, R, what, fast_t, root> : fast_terms<T, R, what>, sums_of_short_groups<T, R, what, last_step<root>, fast_t> {
  using result = R;
  using self = sum_reducer;
  R finish(const double& s) const {
    const double total = canonical_nan(root ? kernels::square_root(s) : s);
    if constexpr (sizeof(R) == 4) {
      return kernels::narrow(total);
    } else {
      return total;
    }
  }
};

/// Integer sums are exact whatever is asked for.
template <integer T, class R, term what, bool root>
struct sum_reducer<T, R, what, ordered_t, root> : sum_reducer<T, R, what, exact_t, root> {
  using self = sum_reducer;
};
template <integer T, class R, term what, bool root>
struct sum_reducer<T, R, what, fast_t, root> : sum_reducer<T, R, what, exact_t, root> {
  using self = sum_reducer;
};

/// Real and imaginary parts of a tile of complex numbers.
template <class T>
struct parts {
  tile_buffer<T> real;
  tile_buffer<T> imaginary;

  void split(const std::complex<T>* z, std::size_t n) {
    const T* p = reinterpret_cast<const T*>(z);
    for (std::size_t i = 0; i < n; ++i) {
      real.data()[i] = p[2 * i];
      imaginary.data()[i] = p[2 * i + 1];
    }
  }
  void negate_imaginary(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) imaginary.data()[i] = -imaginary.data()[i];
  }
};

/// Two inner reducers side by side: the accumulator, state and bookkeeping of a complex result.
template <class Inner>
struct two_sums {
  using inner_state = typename Inner::state;
  struct state {
    inner_state real;
    inner_state imaginary;
  };
  struct accumulator {
    typename Inner::accumulator real;
    typename Inner::accumulator imaginary;
  };
  static constexpr bool order_free = Inner::order_free;
  static constexpr bool additive = is_additive<Inner>();

  state empty() const { return {Inner{}.empty(), Inner{}.empty()}; }
  accumulator start() const { return {Inner{}.start(), Inner{}.start()}; }
  void drain(accumulator& a, state& s) const {
    Inner{}.drain(a.real, s.real);
    Inner{}.drain(a.imaginary, s.imaginary);
  }
  void merge(state& a, const state& b) const {
    Inner{}.merge(a.real, b.real);
    Inner{}.merge(a.imaginary, b.imaginary);
  }
  auto finish(const state& s) const {
    using R = typename Inner::result;
    return std::complex<R>(Inner{}.finish(s.real), Inner{}.finish(s.imaginary));
  }
  std::string kind() const { return kind_text("complex", Inner{}.kind()); }
  void normalize(state& s) const {
    normalize_state(Inner{}, s.real);
    normalize_state(Inner{}, s.imaginary);
  }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    visit_fields(Inner{}, s.real, visit);
    visit_fields(Inner{}, s.imaginary, visit);
  }

 protected:
  /// Folds into one of the two, refolding on the spot: `fold` of a complex tile never refuses, so it needs the state at hand.
  template <class Tile>
  static void put(typename Inner::accumulator& a, inner_state& s, const Tile& t) {
    if (!Inner{}.fold(a, t)) Inner{}.refold(a, s, t);
  }
};

/// Sum of complex numbers: the two parts apart, each under the guarantee.
template <class T, guarantee G>
struct complex_sum : two_sums<sum_reducer<T, T, term::value, G>> {
  using base = two_sums<sum_reducer<T, T, term::value, G>>;
  using reads = tile<std::complex<T>>;
  template <class Tile>
  bool fold(typename base::accumulator&, const Tile&) const {
    return false;
  }
  template <class Tile>
  void refold(typename base::accumulator& a, typename base::state& s, const Tile& t) const {
    parts<T> z;
    z.split(t.data, t.size);
    base::put(a.real, s.real, tile<T>{z.real.data(), t.size, t.first});
    base::put(a.imaginary, s.imaginary, tile<T>{z.imaginary.data(), t.size, t.first});
  }
};

/// Dot product of complex numbers, each part one exact sum of two kinds of products; x conjugated if `conjugate`.
template <class T, guarantee G, bool conjugate>
struct complex_dot : two_sums<sum_reducer<T, T, term::product, G>> {
  using base = two_sums<sum_reducer<T, T, term::product, G>>;
  using reads = pair_tile<std::complex<T>>;
  template <class Tile>
  bool fold(typename base::accumulator&, const Tile&) const {
    return false;
  }
  template <class Tile>
  void refold(typename base::accumulator& a, typename base::state& s, const Tile& t) const {
    parts<T> x;
    parts<T> y;
    x.split(t.x, t.size);
    y.split(t.y, t.size);
    if (conjugate) x.negate_imaginary(t.size);
    const auto pair = [&](auto& p, auto& q) { return pair_tile<T>{p.data(), q.data(), t.size, t.first}; };
    base::put(a.real, s.real, pair(x.real, y.real));
    base::put(a.imaginary, s.imaginary, pair(x.real, y.imaginary));
    base::put(a.imaginary, s.imaginary, pair(x.imaginary, y.real));
    x.negate_imaginary(t.size);
    base::put(a.real, s.real, pair(x.imaginary, y.imaginary));
  }
  std::string kind() const { return conjugate ? kind_text("conjugated", base::kind()) : base::kind(); }
};

/// Sums over the two parts of complex numbers that give a real result: |re| + |im|, re^2 + im^2.
template <class T, class R, term what, guarantee G, bool root = false>
struct complex_norm : sum_reducer<T, R, what, G, root> {
  using base = sum_reducer<T, R, what, G, root>;
  using reads = tile<std::complex<T>>;
  template <class Tile>
  bool fold(typename base::accumulator& a, const Tile& t) const {
    static_assert(std::is_same_v<Tile, tile<std::complex<T>>>);
    return base::fold(a, as_parts(t));
  }
  template <class Tile>
  void refold(typename base::accumulator& a, typename base::state& s, const Tile& t) const {
    base::refold(a, s, as_parts(t));
  }
  template <class Tile>
  auto chunk(const Tile& t) const
    requires(!base::order_free)
  {
    return base::chunk(as_parts(t));
  }
 private:
  static tile<T> as_parts(const tile<std::complex<T>>& t) {
    return {reinterpret_cast<const T*>(t.data), 2 * t.size, 2 * t.first};
  }
};

template <class T, class R, term what, guarantee G, bool root = false>
struct pick_sum {
  using type = sum_reducer<carrier_t<T>, R, what, G, root>;
};
template <class T, class R, term what, guarantee G, bool root>
struct pick_sum<std::complex<T>, R, what, G, root> {
  using type = complex_norm<T, R, what, G, root>;
};
template <class T, class R, guarantee G>
struct pick_sum<std::complex<T>, R, term::value, G, false> {
  using type = complex_sum<T, G>;
};
template <class T, class R, guarantee G>
struct pick_sum<std::complex<T>, R, term::product, G, false> {
  using type = complex_dot<T, G, false>;
};

/// What norms and sums of squares of T return: complex numbers give their real type.
template <class T>
struct real_total {
  using type = total_t<T>;
};
template <class T>
struct real_total<std::complex<T>> {
  using type = T;
};
template <class T>
using real_total_t = typename real_total<T>::type;
template <class T>
using root_t = std::conditional_t<integer<T>, double, real_total_t<T>>;

}  // namespace detail

/// sum of x_i, rounded once to R.
template <number T, class R = total_t<T>, guarantee G = exact_t>
using sum_of = typename detail::pick_sum<T, R, detail::term::value, G>::type;
/// sum of |x_i|; of |re| + |im| for complex numbers, as BLAS's asum has it.
template <number T, class R = detail::real_total_t<T>, guarantee G = exact_t>
using sum_abs_of = typename detail::pick_sum<T, R, detail::term::magnitude, G>::type;
/// sum of |x_i|^2.
template <number T, class R = detail::real_total_t<T>, guarantee G = exact_t>
using sum_squares_of = typename detail::pick_sum<T, R, detail::term::square, G>::type;
/// sqrt(sum of |x_i|^2), rounded once: nothing overflows or underflows on the way.
template <number T, class R = detail::root_t<T>, guarantee G = exact_t>
using norm2_of = typename detail::pick_sum<T, R, detail::term::square, G, true>::type;
/// sum of x_i * y_i, over pairs.
template <number T, class R = total_t<T>, guarantee G = exact_t>
using dot_of = typename detail::pick_sum<T, R, detail::term::product, G>::type;
/// sum of conj(x_i) * y_i, over pairs of complex numbers.
template <complex_number T, guarantee G = exact_t>
using dot_conjugated_of = detail::complex_dot<typename T::value_type, G, true>;

}  // namespace accrue
