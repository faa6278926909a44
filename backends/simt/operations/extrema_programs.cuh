// SPDX-License-Identifier: BSD-3-Clause
// Extrema and their positions on the device: integer comparisons of ordered keys.
#pragma once

#include "accrue/backends/simt/operations/kernel_program.cuh"

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

/// The maximum is the minimum of complemented keys.
template <class Key>
ACCRUE_DEVICE Key turned(Key v, bool maximum) {
  return static_cast<Key>(v ^ static_cast<Key>(maximum ? ~Key{0} : Key{0}));
}

/// The largest or smallest of elements carried by f32; at least one.
template <bool maximum, bool nan_wins, class Element, int n>
ACCRUE_DEVICE float extreme_of(const Element (&x)[n], unsigned count) {
  float v = to_float(x[0]);
#pragma unroll
  for (unsigned i = 1; i < n; ++i) {
    if (i < count) v = extreme<maximum, nan_wins>(v, to_float(x[i]));
  }
  return v;
}

/// The smallest of words of small integers, each word complemented by `flip`. Bytes are compared as the upper halves of 16 bits, in
/// which what stands below them decides nothing.
template <class Integer, unsigned words>
ACCRUE_DEVICE Integer smallest_in_words(const unsigned (&word)[words], unsigned flip) {
  using half_word = std::conditional_t<std::is_signed_v<Integer>, std::int16_t, std::uint16_t>;
  constexpr half_word most = std::numeric_limits<half_word>::max();
  unsigned least = most * 0x10001u;
  if constexpr (sizeof(Integer) == 1) {
#pragma unroll
    for (unsigned k = 0; k < words; ++k) {
      const unsigned w = word[k] ^ flip;
      least = smallest_halves(half_word{}, least, w, w << 8);
    }
  } else {
    static_assert(words % 2 == 0);
#pragma unroll
    for (unsigned k = 0; k < words; k += 2) least = smallest_halves(half_word{}, least, word[k] ^ flip, word[k + 1] ^ flip);
  }
  constexpr int unused = 16 - 8 * sizeof(Integer);
  const auto low = static_cast<Integer>(static_cast<half_word>(least) >> unused);
  const auto high = static_cast<Integer>(static_cast<half_word>(least >> 16) >> unused);
  return high < low ? high : low;
}

/// The smallest turned key of elements; the largest key if there are none.
template <class Element, int n>
ACCRUE_DEVICE typename keys<Element>::type lowest_of(const Element (&x)[n], unsigned count, nan_rank rank, bool maximum) {
  using k = keys<Element>;
  using key = typename k::type;
  if constexpr (std::is_same_v<typename k::carrier, float>) {
    if (count == 0) return k::largest;
    const bool nan_wins = (rank == nan_rank::lowest) != maximum;
    const float v = maximum    ? nan_wins ? extreme_of<true, true>(x, count) : extreme_of<true, false>(x, count)
                       : nan_wins ? extreme_of<false, true>(x, count)
                               : extreme_of<false, false>(x, count);
    return turned(k::key::encode(v, rank), maximum);
  }
  if constexpr (sizeof(Element) <= 2 && integer<Element> && n * sizeof(Element) % 8 == 0) {
    if (count == n) {
      unsigned word[n * sizeof(Element) / 4];
      memcpy(word, x, sizeof(word));
      return smallest_in_words<Element>(word, maximum ? ~0u : 0u);
    }
  }
  key lowest = k::largest;
#pragma unroll
  for (unsigned i = 0; i < n; ++i) {
    if (i < count) {
      const key v = turned(k::of(x[i], rank), maximum);
      lowest = v < lowest ? v : lowest;
    }
  }
  return lowest;
}

/// Folds elements into the smallest turned key. Keys of 64 bits are compared in full only where their upper halves say that the
/// tile may hold a smaller one, which soon is rare.
template <class Element, int n>
ACCRUE_DEVICE void fold_lowest(typename keys<Element>::type& lowest, const Element (&x)[n], unsigned count, nan_rank rank,
                               bool maximum) {
  using k = keys<Element>;
  using key = typename k::type;
  if constexpr (sizeof(key) == 8) {
    using half_key = std::conditional_t<std::is_signed_v<key>, std::int32_t, std::uint32_t>;
    const auto upper = [](key v) { return static_cast<half_key>(v >> 32); };
    half_key smallest = std::numeric_limits<half_key>::max();
#pragma unroll
    for (unsigned i = 0; i < n; ++i) {
      if (i < count) {
        const half_key h = upper(turned(k::of(x[i], rank), maximum));
        smallest = h < smallest ? h : smallest;
      }
    }
    if (smallest > upper(lowest)) return;
  }
  const key v = lowest_of(x, count, rank, maximum);
  lowest = v < lowest ? v : lowest;
}

/// The smallest key of a warp, in all lanes: a key of 64 bits by its upper half, then by the lower.
template <class Key>
ACCRUE_DEVICE Key smallest_key(Key v) {
  if constexpr (sizeof(Key) == 8) {
    using upper_half = std::conditional_t<std::is_signed_v<Key>, std::int32_t, std::uint32_t>;
    const auto upper = static_cast<upper_half>(v >> 32);
    const upper_half least = smallest_in_warp(upper);
    const std::uint32_t lower = smallest_in_warp(upper == least ? static_cast<std::uint32_t>(v) : ~std::uint32_t{0});
    return static_cast<Key>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(least)) << 32 | lower);
  } else {
    using word = std::conditional_t<std::is_signed_v<Key>, std::int32_t, std::uint32_t>;
    return static_cast<Key>(smallest_in_warp(static_cast<word>(v)));
  }
}

/// Minimum or maximum.
template <class Element>
struct kernel_program<extremum<Element>> : partials<kernel_program<extremum<Element>>, extremum<Element>, typename keys<Element>::type> {
  using op_type = extremum<Element>;
  using k = keys<Element>;
  using key = typename k::type;
  using base = partials<kernel_program, op_type, key>;
  struct accumulator {
    key lowest;
  };
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage&) { a.lowest = k::largest; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type& op, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
    fold_lowest(a.lowest, x, count, op.rank, op.maximum);
  }
  static ACCRUE_DEVICE key partial_of(const op_type&, const accumulator& a) { return a.lowest; }
  static ACCRUE_DEVICE key empty(const op_type&) { return k::largest; }
  static ACCRUE_DEVICE void merge(const op_type&, key& a, const key& b) { a = b < a ? b : a; }
  static ACCRUE_DEVICE key join(const op_type&, key v) { return smallest_key(v); }
  static ACCRUE_DEVICE bool needs_elements(const op_type&) { return true; }
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, key& a, const void* state) {
    const auto& s = *static_cast<const detail::key_range<typename k::carrier>*>(state);
    if (!s.any) return 0;
    merge(op, a, turned(op.maximum ? s.highest : s.lowest, op.maximum));
    return 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type& op, const key& v, std::size_t n, void* state) {
    auto& s = *static_cast<detail::key_range<typename k::carrier>*>(state);
    s = {k::largest, k::smallest, n != 0};
    if (n != 0) (op.maximum ? s.highest : s.lowest) = turned(v, op.maximum);
  }
  static ACCRUE_DEVICE void store(const op_type& op, const key& v, std::size_t, void* result, int*, shared_storage&) {
    *static_cast<Element*>(result) = k::element(turned(v, op.maximum), op.rank);
  }
};

template <class Key>
struct key_pair {
  Key lowest;
  Key highest;
};

/// Minimum and maximum together, NaN ranking lowest.
template <class Element>
struct kernel_program<both_extrema<Element>>
    : partials<kernel_program<both_extrema<Element>>, both_extrema<Element>, key_pair<typename keys<Element>::type>> {
  using op_type = both_extrema<Element>;
  using k = keys<Element>;
  using accumulator = key_pair<typename k::type>;
  using base = partials<kernel_program, op_type, accumulator>;
  static constexpr nan_rank rank = nan_rank::lowest;
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage&) { a = empty(op); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
    using key = typename k::type;
    key lowest_turned = static_cast<key>(~a.highest);
    fold_lowest(a.lowest, x, count, rank, false);
    fold_lowest(lowest_turned, x, count, rank, true);
    a.highest = static_cast<key>(~lowest_turned);
  }
  static ACCRUE_DEVICE accumulator partial_of(const op_type&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const op_type&) { return {k::largest, k::smallest}; }
  static ACCRUE_DEVICE void merge(const op_type&, accumulator& a, const accumulator& b) {
    a.lowest = b.lowest < a.lowest ? b.lowest : a.lowest;
    a.highest = b.highest > a.highest ? b.highest : a.highest;
  }
  static ACCRUE_DEVICE accumulator join(const op_type&, const accumulator& a) {
    using key = typename k::type;
    return {smallest_key(a.lowest), static_cast<key>(~smallest_key(static_cast<key>(~a.highest)))};
  }
  static ACCRUE_DEVICE bool needs_elements(const op_type& op) { return !op.norm; }
  /// The state of a norm is the norm: as a key it is a number of that magnitude.
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, accumulator& a, const void* state) {
    using key = typename k::type;
    if (op.norm) {
      key v;
      if constexpr (integer<Element>) {
        const std::uint64_t m = *static_cast<const std::uint64_t*>(state);
        v = static_cast<key>(std::is_signed_v<Element> ? std::uint64_t{0} - m : m);
      } else {
        v = k::key::encode(*static_cast<const typename k::carrier*>(state), rank);
      }
      merge(op, a, {v, v});
      return 1;
    }
    const auto& s = *static_cast<const detail::key_range<typename k::carrier>*>(state);
    if (!s.any) return 0;
    merge(op, a, {s.lowest, s.highest});
    return 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type& op, const accumulator& a, std::size_t n, void* state) {
    if (!op.norm) {
      auto& s = *static_cast<detail::key_range<typename k::carrier>*>(state);
      s = {k::largest, k::smallest, n != 0};
      if (n != 0) s = {a.lowest, a.highest, true};
    } else if (n == 0) {
      store_norm(Element(0), Element(0), state);
    } else {
      store_norm(k::element(a.lowest, rank), k::key::is_nan(a.lowest, rank) ? k::element(a.lowest, rank) : k::element(a.highest, rank),
                 state);
    }
  }
  static ACCRUE_DEVICE void store(const op_type& op, const accumulator& a, std::size_t n, void* result, int*, shared_storage&) {
    if (n == 0) return store_norm(Element(0), Element(0), result);  // the pair does not exist then
    const Element low = k::element(a.lowest, rank);
    const Element high = k::key::is_nan(a.lowest, rank) ? low : k::element(a.highest, rank);
    if (op.norm) {
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
        const auto v = static_cast<std::uint64_t>(x);
        return std::is_signed_v<Element> && static_cast<std::int64_t>(v) < 0 ? std::uint64_t{0} - v : v;
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

/// A key, of a word at least, and the lowest index that has it.
template <class Key>
struct key_at {
  std::conditional_t<sizeof(Key) < 4, std::int32_t, Key> value;
  std::size_t index;
};

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
  const auto canonical = [](key v) { return turned(k::canonical(turned(v, maximum), rank), maximum); };
  const key lowest = canonical(lowest_of(x, count, rank, maximum));
  // Ties compare indices: a thread meets the loose elements last, wherever they are.
  if (count == 0 || lowest > best.value || (lowest == best.value && index_of(0) > best.index)) return;
#pragma unroll
  for (int i = n - 1; i >= 0; --i) {
    if (static_cast<unsigned>(i) >= count) continue;
    if (canonical(turned(k::of(x[i], rank), maximum)) == lowest) take_lower(best, {lowest, index_of(i)});
  }
}

/// The host's state of positions.
template <class Element>
using position_state = typename detail::extremum_positions<Element, detail::which_extrema::both>::state;
template <class Element>
ACCRUE_DEVICE detail::key_position<carrier_t<Element>> position_of(const key_at<typename keys<Element>::type>& a, bool maximum) {
  using key = typename keys<Element>::type;
  return {turned(static_cast<key>(a.value), maximum), a.index, true};
}
/// Takes in one of the state's positions; 0 if it has none.
template <class Element>
ACCRUE_DEVICE std::size_t add_position(key_at<typename keys<Element>::type>& a, const detail::key_position<carrier_t<Element>>& p,
                                       bool maximum) {
  if (!p.any) return 0;
  take_lower(a, {turned(p.value, maximum), p.index});
  return 1;
}

template <class Element>
struct kernel_program<extremum_position<Element>>
    : partials<kernel_program<extremum_position<Element>>, extremum_position<Element>, key_at<typename keys<Element>::type>> {
  using op_type = extremum_position<Element>;
  using k = keys<Element>;
  using accumulator = key_at<typename k::type>;
  using base = partials<kernel_program, op_type, accumulator>;
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage&) { a = empty(op); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type& op, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count,
                                 Index index_of) {
    if (op.maximum) {
      fold_position<true>(a, x, count, index_of);
    } else {
      fold_position<false>(a, x, count, index_of);
    }
  }
  static ACCRUE_DEVICE accumulator partial_of(const op_type&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const op_type&) { return {k::largest, nowhere}; }
  static ACCRUE_DEVICE void merge(const op_type&, accumulator& a, const accumulator& b) { take_lower(a, b); }
  static ACCRUE_DEVICE bool needs_elements(const op_type&) { return true; }
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, accumulator& a, const void* state) {
    const auto& s = *static_cast<const position_state<Element>*>(state);
    return add_position<Element>(a, op.maximum ? s.highest : s.lowest, op.maximum);
  }
  static ACCRUE_DEVICE void store_state(const op_type& op, const accumulator& a, std::size_t n, void* state) {
    auto& s = *static_cast<position_state<Element>*>(state);
    s = {};
    if (n != 0) (op.maximum ? s.highest : s.lowest) = position_of<Element>(a, op.maximum);
  }
  static ACCRUE_DEVICE void store(const op_type& op, const accumulator& a, std::size_t, void* result, int*, shared_storage&) {
    using key = typename k::type;
    const Element x = op.maximum ? k::element(static_cast<key>(~a.value), nan_rank::highest) : k::element(a.value, nan_rank::lowest);
    *static_cast<position<Element>*>(result) = {x, a.index};
  }
};

template <class Key>
struct both_positions {
  key_at<Key> lowest;
  key_at<Key> highest;
};
template <class Element>
struct kernel_program<both_extremum_positions<Element>>
    : partials<kernel_program<both_extremum_positions<Element>>, both_extremum_positions<Element>,
               both_positions<typename keys<Element>::type>> {
  using op_type = both_extremum_positions<Element>;
  using k = keys<Element>;
  using accumulator = both_positions<typename k::type>;
  using base = partials<kernel_program, op_type, accumulator>;
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage&) { a = empty(op); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index index_of) {
    fold_position<false>(a.lowest, x, count, index_of);
    fold_position<true>(a.highest, x, count, index_of);
  }
  static ACCRUE_DEVICE accumulator partial_of(const op_type&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const op_type&) { return {{k::largest, nowhere}, {k::largest, nowhere}}; }
  static ACCRUE_DEVICE void merge(const op_type&, accumulator& a, const accumulator& b) {
    take_lower(a.lowest, b.lowest);
    take_lower(a.highest, b.highest);
  }
  static ACCRUE_DEVICE bool needs_elements(const op_type&) { return true; }
  static ACCRUE_DEVICE std::size_t add_state(const op_type&, accumulator& a, const void* state) {
    const auto& s = *static_cast<const position_state<Element>*>(state);
    add_position<Element>(a.highest, s.highest, true);
    return add_position<Element>(a.lowest, s.lowest, false);
  }
  static ACCRUE_DEVICE void store_state(const op_type&, const accumulator& a, std::size_t n, void* state) {
    auto& s = *static_cast<position_state<Element>*>(state);
    s = {};
    if (n != 0) s = {position_of<Element>(a.lowest, false), position_of<Element>(a.highest, true)};
  }
  static ACCRUE_DEVICE void store(const op_type&, const accumulator& a, std::size_t, void* result, int*, shared_storage&) {
    using key = typename k::type;
    *static_cast<minmax_positions<Element>*>(result) = {
        {k::element(a.lowest.value, nan_rank::lowest), a.lowest.index},
        {k::element(static_cast<key>(~a.highest.value), nan_rank::highest), a.highest.index}};
  }
};

/// The largest |re| + |im|: non-negative floats and NaN compare as their bits do.
template <class T>
struct kernel_program<complex_norm_inf<T>> : partials<kernel_program<complex_norm_inf<T>>, complex_norm_inf<T>, detail::ordered_key_t<T>> {
  using op_type = complex_norm_inf<T>;
  using bits = detail::ordered_key_t<T>;
  using base = partials<kernel_program, op_type, bits>;
  struct accumulator {
    bits highest;
  };
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage&) { a.highest = 0; }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const std::complex<T> (&z)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned i = 0; i < n; ++i) {
      if (i < count) {
        const auto v = std::bit_cast<bits>(magnitude(add(magnitude(z[i].real()), magnitude(z[i].imag()))));
        a.highest = v > a.highest ? v : a.highest;
      }
    }
  }
  static ACCRUE_DEVICE bits partial_of(const op_type&, const accumulator& a) { return a.highest; }
  static ACCRUE_DEVICE bits empty(const op_type&) { return 0; }
  static ACCRUE_DEVICE void merge(const op_type&, bits& a, const bits& b) { a = b > a ? b : a; }
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, bits& a, const void* state) {
    merge(op, a, *static_cast<const bits*>(state));
    return 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type&, const bits& a, std::size_t, void* state) { *static_cast<bits*>(state) = a; }
  static ACCRUE_DEVICE void store(const op_type&, const bits& v, std::size_t, void* result, int*, shared_storage&) {
    using key = detail::ordered_key<T>;
    constexpr auto rank = nan_rank::highest;
    *static_cast<T*>(result) = key::decode(key::encode(std::bit_cast<T>(v), rank), rank);
  }
};

}  // namespace accrue::simt
