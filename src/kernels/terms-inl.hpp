// SPDX-License-Identifier: BSD-3-Clause
// The terms of a sum as vectors of double, for the instruction set being compiled: x, |x|, x^2 or x*y with its rounding error.
// Included once for each instruction set.

#if defined(ACCRUE_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_TERMS_INL
#undef ACCRUE_TERMS_INL
#else
#define ACCRUE_TERMS_INL
#endif

#include "prefetch.hpp"
#include "target-inl.hpp"

#if defined(__clang__)
#define ACCRUE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ACCRUE_UNROLL _Pragma("GCC unroll 8")
#endif

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

HWY_INLINE hn::Vec<d64> load_wide(const double* p) { return hn::LoadU(d64(), p); }
HWY_INLINE hn::Vec<d64> load_wide(const float* p) {
  const hn::Rebind<float, d64> half_width;
  return hn::PromoteTo(d64(), hn::LoadU(half_width, p));
}
/// The first `count` elements; the lanes behind them are zero.
template <class T>
HWY_INLINE hn::Vec<d64> load_first(const T* p, std::size_t count) {
  if constexpr (masked_loads && sizeof(T) == 8) {
    return hn::MaskedLoad(hn::FirstN(d64(), count), d64(), p);
  } else if constexpr (masked_loads) {
    const hn::Rebind<float, d64> half_width;
    return hn::PromoteTo(d64(), hn::MaskedLoad(hn::FirstN(half_width, count), half_width, p));
  } else {
    T padded[width] = {};
    for (std::size_t i = 0; i < width && i < count; ++i) padded[i] = p[i];
    return load_wide(padded);
  }
}

/// `masked` terms end inside a vector: lanes behind the tile's end read as zero, which adds nothing.
template <term what, class T, bool masked = false>
struct terms {
  using V = hn::Vec<d64>;
  static constexpr bool binary = what == term::product;
  static constexpr bool never_negative = what == term::square || what == term::magnitude;
  static constexpr bool product = is_product(what);
  static constexpr bool ends_inside = masked;
  /// A double's product is two doubles, p = x*y rounded and e = x*y - p.
  static constexpr bool two_terms = sizeof(T) == 8 && (what == term::product || what == term::square);
  /// How far below its first bit a term's last one may be, that of an exact product.
  static constexpr int last_bit = (sizeof(T) == 8 ? 53 : 24) * (is_product(what) ? 2 : 1) - 1;
  /// A float fits a double with 29 bits to spare: no need to split it.
  static constexpr bool short_terms = sizeof(T) == 4 && (what == term::value || what == term::magnitude);

  operands<T> tile;

  [[nodiscard]] HWY_INLINE terms<what, T, true> tail(std::size_t begin) const { return {part(begin, tile.size - begin)}; }
  [[nodiscard]] HWY_INLINE operands<T> part(std::size_t begin, std::size_t count) const {
    return tile.part(begin, count);
  }
  HWY_INLINE void prefetch(std::size_t i, std::size_t vectors) const {
    if constexpr (!masked) {
      const std::size_t bytes = vectors * width * sizeof(T);
      prefetch_next(tile.x, i * sizeof(T), bytes, tile.next);
      if constexpr (binary) prefetch_next(tile.y, i * sizeof(T), bytes, tile.next);
    }
  }
  /// The term, rounded to a double where it is a product of doubles.
  [[nodiscard]] HWY_INLINE V load(std::size_t i) const {
    const V x = read(tile.x, i);
    if constexpr (what == term::value) return x;
    if constexpr (what == term::magnitude) return hn::Abs(x);
    if constexpr (what == term::square) return x * x;
    return x * read(tile.y, i);
  }
  /// The first factor.
  [[nodiscard]] HWY_INLINE V factor(std::size_t i) const { return read(tile.x, i); }
  /// Whether a factor is zero.
  [[nodiscard]] HWY_INLINE auto has_zero(std::size_t i) const {
    const V zero = hn::Zero(d64());
    const V x = read(tile.x, i);
    if constexpr (binary) return hn::Or(x == zero, read(tile.y, i) == zero);
    else return x == zero;
  }
  /// The rounded product and its rounding error.
  [[nodiscard]] HWY_INLINE V load(std::size_t i, V& error) const {
    const V x = read(tile.x, i);
    const V y = what == term::square ? x : read(tile.y, i);
    const V p = x * y;
    error = hn::MulSub(x, y, p);
    return p;
  }
  /// sum + product, rounded once; `left`: what that rounding lost, rounded.
  [[nodiscard]] HWY_INLINE V add_product(V sum, std::size_t i, V& left) const {
    const V x = read(tile.x, i);
    const V y = what == term::square ? x : read(tile.y, i);
    const V next = hn::MulAdd(x, y, sum);
    left = hn::MulSub(x, y, next - sum);
    return next;
  }

 private:
  [[nodiscard]] HWY_INLINE V read(const T* p, std::size_t i) const {
    if constexpr (masked) {
      return load_first(p + i, i < tile.size ? tile.size - i : 0);
    } else {
      return load_wide(p + i);
    }
  }
};

/// Where a step reads its vectors: one behind the other.
HWY_INLINE auto in_row(std::size_t i) {
  return [i](std::size_t u) HWY_ATTR { return i + u * width; };
}

/// Calls `body(terms, i)` for steps of `unroll` vectors over the tile; the last may be masked.
template <std::size_t unroll, class Terms, class Body>
HWY_INLINE void for_each_step(Terms terms, Body body) {
  constexpr std::size_t step = unroll * width;
  std::size_t i = 0;
  for (; i + step <= terms.tile.size; i += step) body(terms, i);
  if (i < terms.tile.size) body(terms.tail(i), 0);
}

/// The same for loops over many elements, from memory perhaps: `body(terms, at)` reads its vectors at at(u), 0 <= u < unroll, and the loop
/// asks for memory ahead. One array is read in two halves at once, which memory serves sooner (exact sums of doubles on two cores of a
/// Xeon: 28 GB/s against 24, of 29 for a loop that only reads).
template <std::size_t unroll, class Terms, class Body>
HWY_INLINE void for_each_step_in_halves(Terms terms, Body body) {
  static_assert(unroll % 2 == 0);
  constexpr std::size_t step = unroll * width;
  constexpr std::size_t least = 16384 / sizeof(*terms.tile.x);
  std::size_t begin = 0;
  if (!Terms::binary && terms.tile.size >= least) {
    const std::size_t half = terms.tile.size / step * (step / 2);
    for (std::size_t i = 0; i < half; i += step / 2) {
      terms.prefetch(i, unroll / 2);
      terms.prefetch(half + i, unroll / 2);
      body(terms, [=](std::size_t u) HWY_ATTR { return u % 2 * half + i + u / 2 * width; });
    }
    begin = 2 * half;
  }
  const auto rest = [&](const auto& t, std::size_t i) HWY_ATTR {
    t.prefetch(i, unroll);
    body(t, in_row(i));
  };
  for (; begin + step <= terms.tile.size; begin += step) rest(terms, begin);
  if (begin < terms.tile.size) rest(terms.tail(begin), 0);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
