// SPDX-License-Identifier: BSD-3-Clause
// Extrema and their positions on the device: integer comparisons of ordered keys.
#pragma once

#include "accrue/backends/simt/code.cuh"

namespace accrue::simt {

/// Keys of elements: those of their carrier.
template <class Element>
struct keys {
  using carrier = carrier_t<Element>;
  using key = detail::ordered_key<carrier>;
  using type = typename key::type;
  static constexpr type largest = std::numeric_limits<type>::max();
  static constexpr type smallest = std::numeric_limits<type>::min();

  static ACCRUE_DEVICE type of(Element x, nan_rank rank) {
    if constexpr (small_float<Element>) {
      return key::encode(to_float(x), rank);
    } else {
      return key::encode(x, rank);
    }
  }
  /// One key for all NaNs.
  static ACCRUE_DEVICE type canonical(type k, nan_rank rank) {
    return !key::is_nan(k, rank) ? k : rank == nan_rank::lowest ? smallest : largest;
  }
  static ACCRUE_DEVICE Element element(type k, nan_rank rank) {
    const carrier x = key::decode(k, rank);
    if constexpr (small_float<Element>) {
      return Element(x);
    } else {
      return x;
    }
  }
};

/// Folds elements into the smallest turned key. Keys of 64 bits are compared in full only where their upper halves say that the
/// tile may hold a smaller one, which soon is rare: `turned` gives an element's key, and its upper half decides.
template <class Element, int n, class Turned>
ACCRUE_DEVICE void fold_lowest(typename keys<Element>::type& lowest, const Element (&x)[n], unsigned count, const Turned& turned) {
  using key = typename keys<Element>::type;
  const auto fold = [&](Element e) {
    const key v = turned(e);
    lowest = v < lowest ? v : lowest;
  };
  if constexpr (sizeof(key) == 8) {
    using half_key = std::conditional_t<std::is_signed_v<key>, std::int32_t, std::uint32_t>;
    const auto upper = [](key v) { return static_cast<half_key>(v >> 32); };
    half_key smallest = std::numeric_limits<half_key>::max();
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (i < count) {
        const half_key h = upper(turned(x[i]));
        smallest = h < smallest ? h : smallest;
      }
    }
    if (smallest > upper(lowest)) return;
  }
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (i < count) fold(x[i]);
  }
}

/// Minimum or maximum: the maximum is the minimum of complemented keys.
template <class Element>
struct code<extremum<Element>> : partials<code<extremum<Element>>, extremum<Element>, typename keys<Element>::type> {
  using form = extremum<Element>;
  using k = keys<Element>;
  using key = typename k::type;
  using base = partials<code, form, key>;
  struct accumulator {
    key lowest;
  };
  struct room : base::room {};

  static ACCRUE_DEVICE key turned(const form& f, key v) { return static_cast<key>(v ^ (f.maximum ? ~key{0} : key{0})); }
  static ACCRUE_DEVICE void start(const form&, accumulator& a, room&) { a.lowest = k::largest; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form& f, accumulator& a, room&, const Element (&x)[n], unsigned count, Index) {
    fold_lowest<Element, n>(a.lowest, x, count, [&](Element e) { return turned(f, k::of(e, f.rank)); });
  }
  static ACCRUE_DEVICE key partial_of(const form&, const accumulator& a) { return a.lowest; }
  static ACCRUE_DEVICE key empty(const form&) { return k::largest; }
  static ACCRUE_DEVICE void merge(const form&, key& a, const key& b) { a = b < a ? b : a; }
  static ACCRUE_DEVICE void store(const form& f, const key& v, std::size_t, void* result, int*, room&) {
    *static_cast<Element*>(result) = k::element(turned(f, v), f.rank);
  }
};

template <class Key>
struct key_pair {
  Key lowest;
  Key highest;
};

/// Minimum and maximum together, NaN ranking lowest.
template <class Element>
struct code<extrema<Element>> : partials<code<extrema<Element>>, extrema<Element>, key_pair<typename keys<Element>::type>> {
  using form = extrema<Element>;
  using k = keys<Element>;
  using accumulator = key_pair<typename k::type>;
  using base = partials<code, form, accumulator>;
  static constexpr nan_rank rank = nan_rank::lowest;
  struct room : base::room {};

  static ACCRUE_DEVICE void start(const form& f, accumulator& a, room&) { a = empty(f); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room&, const Element (&x)[n], unsigned count, Index) {
    using key = typename k::type;
    key lowest_turned = static_cast<key>(~a.highest);
    fold_lowest<Element, n>(a.lowest, x, count, [](Element e) { return k::of(e, rank); });
    fold_lowest<Element, n>(lowest_turned, x, count, [](Element e) { return static_cast<key>(~k::of(e, rank)); });
    a.highest = static_cast<key>(~lowest_turned);
  }
  static ACCRUE_DEVICE accumulator partial_of(const form&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const form&) { return {k::largest, k::smallest}; }
  static ACCRUE_DEVICE void merge(const form&, accumulator& a, const accumulator& b) {
    a.lowest = b.lowest < a.lowest ? b.lowest : a.lowest;
    a.highest = b.highest > a.highest ? b.highest : a.highest;
  }
  static ACCRUE_DEVICE void store(const form& f, const accumulator& a, std::size_t n, void* result, int*, room&) {
    if (n == 0) return store_norm(Element(0), Element(0), result);  // the pair does not exist then
    const Element low = k::element(a.lowest, rank);
    const Element high = k::key::is_nan(a.lowest, rank) ? low : k::element(a.highest, rank);
    if (f.norm) {
      store_norm(low, high, result);
    } else {
      *static_cast<minmax_result<Element>*>(result) = {low, high};
    }
  }

 private:
  /// The larger magnitude: uint64_t for integers, the total's type for floats, NaN being the canonical one already.
  static ACCRUE_DEVICE void store_norm(Element low, Element high, void* result) {
    if constexpr (integer<Element>) {
      const auto magnitude_of = [](Element x) {
        return x < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
      };
      const std::uint64_t a = magnitude_of(low);
      const std::uint64_t b = magnitude_of(high);
      *static_cast<std::uint64_t*>(result) = a > b ? a : b;
    } else {
      using R = total_t<Element>;
      const R a = magnitude(to_arithmetic<R>(low));
      const R b = magnitude(to_arithmetic<R>(high));
      *static_cast<R*>(result) = b > a ? b : a;
    }
  }
};

/// A key and the lowest index that has it.
template <class Key>
struct key_at {
  Key value;
  std::size_t index;
};
inline constexpr std::size_t nowhere = ~std::size_t{0};

/// The better of two positions by `turned` keys: the smaller key, then the lower index.
template <class Key>
ACCRUE_DEVICE void take_lower(key_at<Key>& a, const key_at<Key>& b) {
  if (b.value < a.value || (b.value == a.value && b.index < a.index)) a = b;
}

/// Folds elements into a position: the smallest key among them first, and its place only if it beats what was found before.
template <bool maximum, class Element, int n, class Index>
ACCRUE_DEVICE void fold_position(key_at<typename keys<Element>::type>& best, const Element (&x)[n], unsigned count,
                                 const Index& index_of) {
  using k = keys<Element>;
  using key = typename k::type;
  constexpr nan_rank rank = maximum ? nan_rank::highest : nan_rank::lowest;
  const auto raw = [](Element e) { return static_cast<key>(maximum ? ~k::of(e, rank) : k::of(e, rank)); };
  const auto canonical = [](key v) {
    return static_cast<key>(maximum ? ~k::canonical(static_cast<key>(~v), rank) : k::canonical(v, rank));
  };
  const auto turned = [&](Element e) { return canonical(raw(e)); };
  key lowest = k::largest;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (i < count) {
      const key v = raw(x[i]);
      lowest = v < lowest ? v : lowest;
    }
  }
  lowest = canonical(lowest);
  // Ties compare indices: a thread meets the loose elements last, wherever they are.
  if (count == 0 || lowest > best.value || (lowest == best.value && index_of(0) > best.index)) return;
#pragma unroll
  for (int i = n - 1; i >= 0; --i) {
    if (i < count && turned(x[i]) == lowest) take_lower(best, {lowest, index_of(i)});
  }
}

template <class Element>
struct code<extremum_position<Element>>
    : partials<code<extremum_position<Element>>, extremum_position<Element>, key_at<typename keys<Element>::type>> {
  using form = extremum_position<Element>;
  using k = keys<Element>;
  using accumulator = key_at<typename k::type>;
  using base = partials<code, form, accumulator>;
  struct room : base::room {};

  static ACCRUE_DEVICE void start(const form& f, accumulator& a, room&) { a = empty(f); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form& f, accumulator& a, room&, const Element (&x)[n], unsigned count, Index index_of) {
    if (f.maximum) {
      fold_position<true>(a, x, count, index_of);
    } else {
      fold_position<false>(a, x, count, index_of);
    }
  }
  static ACCRUE_DEVICE accumulator partial_of(const form&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const form&) { return {k::largest, nowhere}; }
  static ACCRUE_DEVICE void merge(const form&, accumulator& a, const accumulator& b) { take_lower(a, b); }
  static ACCRUE_DEVICE void store(const form& f, const accumulator& a, std::size_t, void* result, int*, room&) {
    using key = typename k::type;
    const Element x = f.maximum ? k::element(static_cast<key>(~a.value), nan_rank::highest) : k::element(a.value, nan_rank::lowest);
    *static_cast<position<Element>*>(result) = {x, a.index};
  }
};

template <class Key>
struct both_positions {
  key_at<Key> lowest;
  key_at<Key> highest;
};
template <class Element>
struct code<extrema_positions<Element>>
    : partials<code<extrema_positions<Element>>, extrema_positions<Element>, both_positions<typename keys<Element>::type>> {
  using form = extrema_positions<Element>;
  using k = keys<Element>;
  using accumulator = both_positions<typename k::type>;
  using base = partials<code, form, accumulator>;
  struct room : base::room {};

  static ACCRUE_DEVICE void start(const form& f, accumulator& a, room&) { a = empty(f); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room&, const Element (&x)[n], unsigned count, Index index_of) {
    fold_position<false>(a.lowest, x, count, index_of);
    fold_position<true>(a.highest, x, count, index_of);
  }
  static ACCRUE_DEVICE accumulator partial_of(const form&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const form&) { return {{k::largest, nowhere}, {k::largest, nowhere}}; }
  static ACCRUE_DEVICE void merge(const form&, accumulator& a, const accumulator& b) {
    take_lower(a.lowest, b.lowest);
    take_lower(a.highest, b.highest);
  }
  static ACCRUE_DEVICE void store(const form&, const accumulator& a, std::size_t, void* result, int*, room&) {
    using key = typename k::type;
    *static_cast<minmax_positions<Element>*>(result) = {
        {k::element(a.lowest.value, nan_rank::lowest), a.lowest.index},
        {k::element(static_cast<key>(~a.highest.value), nan_rank::highest), a.highest.index}};
  }
};

/// The largest |re| + |im|: non-negative floats and NaN compare as their bits do.
template <class T>
struct code<complex_norm_inf<T>> : partials<code<complex_norm_inf<T>>, complex_norm_inf<T>, detail::ordered_key_t<T>> {
  using form = complex_norm_inf<T>;
  using bits = detail::ordered_key_t<T>;
  using base = partials<code, form, bits>;
  struct accumulator {
    bits highest;
  };
  struct room : base::room {};

  static ACCRUE_DEVICE void start(const form&, accumulator& a, room&) { a.highest = 0; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const form&, accumulator& a, room&, const std::complex<T> (&z)[n], unsigned count, Index) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (i < count) {
        const auto v = std::bit_cast<bits>(magnitude(add(magnitude(z[i].real()), magnitude(z[i].imag()))));
        a.highest = v > a.highest ? v : a.highest;
      }
    }
  }
  static ACCRUE_DEVICE bits partial_of(const form&, const accumulator& a) { return a.highest; }
  static ACCRUE_DEVICE bits empty(const form&) { return 0; }
  static ACCRUE_DEVICE void merge(const form&, bits& a, const bits& b) { a = b > a ? b : a; }
  static ACCRUE_DEVICE void store(const form&, const bits& v, std::size_t, void* result, int*, room&) {
    using key = detail::ordered_key<T>;
    constexpr auto rank = nan_rank::highest;
    *static_cast<T*>(result) = key::decode(key::encode(std::bit_cast<T>(v), rank), rank);
  }
};

}  // namespace accrue::simt
