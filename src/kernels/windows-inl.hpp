// SPDX-License-Identifier: BSD-3-Clause
// Sums of a tile's terms in windows, for the instruction set being compiled: proven by their own remainders, or by the sizes of the terms.
// Included once for each instruction set.

#if defined(ACCRUE_WINDOWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_WINDOWS_INL
#undef ACCRUE_WINDOWS_INL
#else
#define ACCRUE_WINDOWS_INL
#endif

#include <bit>

#include "accrue/detail/extraction.hpp"
#include "accrue/detail/ways.hpp"
#include "exact_kernels.hpp"
#include "exception_flags.hpp"
#include "terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Adds `x` to window `s` and returns what did not fit the window's unit.
HWY_INLINE hn::Vec<d64> extract(hn::Vec<d64>& s, hn::Vec<d64> x) {
  const auto before = s;
  s = s + x;
  return fused_subtract(x, s - before);
}

/// A stack of windows for one lane vector.
template <int depth>
struct window_stack {
  using V = hn::Vec<d64>;
  V window[depth];

  HWY_INLINE window_stack() {}  // an implicit constructor would be compiled without the instruction set

  /// Adds `x` and returns what is left of it below the last window.
  HWY_INLINE V add(V x) {
    ACCRUE_UNROLL
    for (int j = 0; j < depth; ++j) x = extract(window[j], x);
    return x;
  }
};

/// The anchors of a stack whose top window is at exponent `top`.
template <int depth>
HWY_INLINE window_stack<depth> anchors(int top) {
  window_stack<depth> stack;
  for (int j = 0; j < depth; ++j) {
    const auto field = static_cast<std::uint64_t>(top - j * detail::window_step + 1023);
    stack.window[j] = hn::BitCast(d64(), hn::Set(u64(), (field << 52) | (std::uint64_t{1} << 51)));
  }
  return stack;
}

/// Integer counts of units that a thread's stacks have taken.
template <int depth>
struct stack_totals {
  hn::Vec<i64> total[depth];

  HWY_INLINE stack_totals() {
    for (int j = 0; j < depth; ++j) total[j] = hn::Zero(i64());
  }
  /// Those of a stack of as many windows or fewer.
  template <int used>
  HWY_INLINE void read_off(const window_stack<used>& stack, const window_stack<depth>& anchor) {
    ACCRUE_UNROLL
    for (int j = 0; j < used; ++j) {
      total[j] = total[j] + (hn::BitCast(i64(), stack.window[j]) - hn::BitCast(i64(), anchor.window[j]));
    }
  }
  HWY_INLINE void add_to(std::int64_t (&sums)[deepest_windows]) const {
    for (int j = 0; j < depth; ++j) sums[j] += hn::GetLane(hn::SumOfLanes(i64(), total[j]));
  }
};

/// The sizes of terms: of products, rounded.
struct term_sizes {
  hn::Vec<d64> smallest;
  hn::Vec<d64> largest;

  HWY_INLINE term_sizes() : smallest(hn::Inf(d64())), largest(hn::Zero(d64())) {}
  HWY_INLINE void see(hn::Vec<d64> size) {
    largest = hn::Max(largest, size);
    smallest = hn::Min(smallest, size);
  }
  /// The terms whose factors are not zero, as those behind the end of a tile are.
  template <class Terms>
  HWY_INLINE void see_but_zeros(const Terms& t, std::size_t i) {
    const auto p = hn::Abs(t.load(i));
    largest = hn::Max(largest, p);
    smallest = hn::Min(smallest, hn::IfThenElse(t.has_zero(i), hn::Inf(d64()), p));
  }
};
/// What two windows hold whatever its bits are, the upper one at exponent `top`: sizes in [least, bound), and zero. 32 of them stay below
/// half of the upper window. The last bit of a term must not be below the second window's, of a product's error not below the errors'
/// second window's, nor below any double.
template <class Terms>
struct term_bounds {
  hn::Vec<d64> least;
  hn::Vec<d64> bound;

  HWY_INLINE explicit term_bounds(int top) {
    constexpr int bits = Terms::last_bit - (Terms::two_terms ? detail::error_offset : 0);
    const int lowest = top - detail::window_step - 52 + bits;
    least = at(Terms::two_terms && lowest < 105 - 1074 ? 105 - 1074 : lowest);
    bound = at(top - 6);
  }
  [[nodiscard]] HWY_INLINE bool hold(const term_sizes& sizes) const {
    return hn::AllTrue(d64(), hn::And(sizes.smallest >= least, sizes.largest < bound));
  }

 private:
  static HWY_INLINE hn::Vec<d64> at(int exponent) {
    return hn::BitCast(d64(), hn::Set(u64(), static_cast<std::uint64_t>((exponent < -1022 ? -1022 : exponent) + 1023) << 52));
  }
};

/// Two windows for terms and two for the errors of products, nothing looked at.
template <class Terms>
struct two_windows {
  window_stack<2> terms;
  window_stack<2> errors;

  HWY_INLINE two_windows() {}
  template <int depth>
  HWY_INLINE two_windows(const window_stack<depth>& anchor, const window_stack<depth>& error_anchor) {
    for (int j = 0; j < 2; ++j) {
      terms.window[j] = anchor.window[j];
      errors.window[j] = error_anchor.window[j];
    }
  }
  /// Returns the size of the term.
  template <class Part>
  HWY_INLINE hn::Vec<d64> add(const Part& t, std::size_t i) {
    hn::Vec<d64> p;
    if constexpr (Terms::two_terms) {
      hn::Vec<d64> error;
      p = t.load(i, error);
      errors.window[1] = errors.window[1] + extract(errors.window[0], error);
    } else {
      p = t.load(i);
    }
    terms.window[1] = terms.window[1] + extract(terms.window[0], p);
    return Terms::never_negative ? p : hn::Abs(p);
  }
};

template <class Terms>
HWY_INLINE term_sizes sizes_without_zeros(const Terms& terms) {
  term_sizes sizes;
  for_each_step<1>(terms, [&](const auto& t, std::size_t i) HWY_ATTR { sizes.see_but_zeros(t, i); });
  return sizes;
}

/// Terms in a stack of windows; the rounding errors of products go through a stack of their own.
template <int depth, class Terms>
struct windowed_sum {
  using V = hn::Vec<d64>;
  static constexpr std::size_t unroll = 2;
  static constexpr std::size_t bounded_unroll = width == 8 ? 4 : 2;  // there are registers
  static constexpr std::size_t bounded_block = std::size_t{detail::adds_per_window} * bounded_unroll * width;

  window_stack<depth> anchor;
  window_stack<depth> error_anchor;
  stack_totals<depth> total;
  stack_totals<depth> error_total;
  V above;  ///< bits of the top window's sign and exponent that ever changed, which tell that a term was too large
  V below;  ///< bits of any remainder below the last window

  explicit HWY_INLINE windowed_sum(int top)
      : anchor(anchors<depth>(top)),
        error_anchor(anchors<depth>(Terms::two_terms ? top - detail::error_offset : top)),
        above(hn::Zero(d64())),
        below(hn::Zero(d64())) {}

  /// Any terms: 18 operations a vector of products of doubles and two windows.
  HWY_INLINE void add(Terms terms) {
    constexpr std::size_t block = std::size_t{detail::adds_per_window} * unroll * width;
    for (std::size_t begin = 0; begin < terms.tile.size; begin += block) {
      const std::size_t left = terms.tile.size - begin;
      window_stack<depth> stack[unroll];
      window_stack<depth> error_stack[unroll];
      for (std::size_t u = 0; u < unroll; ++u) {
        stack[u] = anchor;
        error_stack[u] = error_anchor;
      }
      for_each_step<unroll>(Terms{terms.part(begin, left < block ? left : block)}, [&](const auto& t, std::size_t i) HWY_ATTR {
        t.prefetch(i, unroll);
        ACCRUE_UNROLL
        for (std::size_t u = 0; u < unroll; ++u) {
          const V before = stack[u].window[0];
          if constexpr (Terms::two_terms) {
            V error;
            below = hn::Or(below, stack[u].add(t.load(i + u * width, error)));
            below = hn::Or(below, error_stack[u].add(error));
          } else {
            below = hn::Or(below, stack[u].add(t.load(i + u * width)));
          }
          above = hn::Or(above, hn::Xor(before, stack[u].window[0]));
        }
      });
      for (std::size_t u = 0; u < unroll; ++u) {
        total.read_off(stack[u], anchor);
        if constexpr (Terms::two_terms) error_total.read_off(error_stack[u], error_anchor);
      }
    }
  }
  /// A block of products, by the upper two windows alone, at 12 operations; false, and nothing added, where their sizes do not show that
  /// no bit is lost.
  HWY_INLINE bool add_bounded(Terms block, const term_bounds<Terms>& bounds) {
    two_windows<Terms> lanes[bounded_unroll];
    for (auto& l : lanes) l = two_windows<Terms>(anchor, error_anchor);
    term_sizes sizes;
    for (std::size_t i = 0; i < bounded_block; i += bounded_unroll * width) {
      block.prefetch(i, bounded_unroll);
      ACCRUE_UNROLL
      for (std::size_t u = 0; u < bounded_unroll; ++u) sizes.see(lanes[u].add(block, i + u * width));
    }
    using detail::way;
    const bool numbers = have_numbers(lanes);
    const bool fit = numbers && bounds.hold(sizes);
    const bool fit_but_zeros = !fit && numbers && bounds.hold(sizes_without_zeros(block));
    detail::took(fit ? way::bounded_block : fit_but_zeros ? way::block_with_zeros : way::unbounded_block);
    if (fit || fit_but_zeros) read_off(lanes);
    return fit || fit_but_zeros;
  }
  /// Terms that are known to fit the bounds, if they are numbers: false, and nothing of use in the totals, if not.
  [[nodiscard]] HWY_INLINE bool add_known(Terms terms) {
    bool numbers = true;
    for (std::size_t begin = 0; begin < terms.tile.size; begin += bounded_block) {
      const std::size_t left = terms.tile.size - begin;
      two_windows<Terms> lanes[bounded_unroll];
      for (auto& l : lanes) l = two_windows<Terms>(anchor, error_anchor);
      for_each_step<bounded_unroll>(Terms{terms.part(begin, left < bounded_block ? left : bounded_block)},
                                    [&](const auto& t, std::size_t i) HWY_ATTR {
                                      ACCRUE_UNROLL
                                      for (std::size_t u = 0; u < bounded_unroll; ++u) lanes[u].add(t, i + u * width);
                                    });
      numbers = numbers && have_numbers(lanes);
      read_off(lanes);
    }
    return numbers;
  }
  /// The products of a tile. Blocks are tried in vain for some time only.
  HWY_INLINE void add_products(Terms terms, const term_bounds<Terms>& bounds) {
    std::size_t in_vain = 0;
    std::size_t begin = 0;
    for (; begin + bounded_block <= terms.tile.size; begin += bounded_block) {
      const Terms block{terms.part(begin, bounded_block)};
      if (in_vain > 2 + begin / (8 * bounded_block)) break;
      if (add_bounded(block, bounds)) continue;
      ++in_vain;
      add(block);
    }
    add(Terms{terms.part(begin, terms.tile.size - begin)});
  }
  /// Whether nothing was lost.
  [[nodiscard]] HWY_INLINE bool exact() const {
    const auto binade_mask = hn::Set(u64(), std::uint64_t{0xfff} << 52);  // the sign too: 1.5 - 3 has the exponent of 1.5
    const auto lost = hn::Or(hn::And(hn::BitCast(u64(), above), binade_mask), hn::ShiftLeft<1>(hn::BitCast(u64(), below)));
    return hn::AllTrue(u64(), lost == hn::Zero(u64()));
  }
  HWY_INLINE void give(window_totals& state) const {
    total.add_to(state.total);
    if constexpr (Terms::two_terms) error_total.add_to(state.error);
    ++state.folds;
  }

 private:
  /// Whether no product was NaN, which the largest of some may not show.
  static HWY_INLINE bool have_numbers(const two_windows<Terms> (&lanes)[bounded_unroll]) {
    V sum = lanes[0].terms.window[0];
    for (std::size_t u = 1; u < bounded_unroll; ++u) sum = sum + lanes[u].terms.window[0];
    return hn::AllTrue(d64(), sum == sum);
  }
  HWY_INLINE void read_off(const two_windows<Terms> (&lanes)[bounded_unroll]) {
    for (const auto& l : lanes) {
      total.read_off(l.terms, anchor);
      if constexpr (Terms::two_terms) error_total.read_off(l.errors, error_anchor);
    }
  }
};

// An error of a product that underflowed raises the flag.
template <int depth, bool by_flags = true, class Terms>
HWY_INLINE bool windows(window_totals& state, Terms terms) {
  if constexpr (Terms::two_terms && !HWY_NATIVE_FMA) return false;  // without FMA a product's error is not at hand
  windowed_sum<depth, Terms> sum(state.top);
  [[maybe_unused]] const std::conditional_t<by_flags, exception_flags, bool> flags{};
  if constexpr (Terms::product && by_flags) {
    sum.add_products(terms, term_bounds<Terms>(state.top));
  } else {
    sum.add(terms);
  }
  double out[width];
  hn::StoreU(sum.below, d64(), out);
  if constexpr (Terms::two_terms && by_flags) {
    if (flags.underflowed(out)) return false;
  }
  if (!sum.exact()) return false;
  sum.give(state);
  return true;
}

/// The terms of a short tile in two windows, or three, where nothing underflows: as their sizes show.
template <class Terms>
HWY_INLINE bool short_terms(window_totals& state, Terms terms) {
  if constexpr (Terms::two_terms && !HWY_NATIVE_FMA) return false;
  const d64 d;
  // Of terms whose errors, and units of last windows, are doubles; products of floats are no smaller than 2^-298.
  constexpr double least = Terms::last_bit > 50 ? 0x1p-850 : 0x1p-300;
  term_sizes sizes;
  for_each_step<1>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    if constexpr (std::remove_cvref_t<decltype(t)>::ends_inside) {
      sizes.see_but_zeros(t, i);
    } else {
      sizes.see(hn::Abs(t.load(i)));
    }
  });
  const double most = hn::GetLane(hn::MaxOfLanes(d, sizes.largest));
  if (!(most < 0x1p1000)) return false;
  if (!hn::AllTrue(d, sizes.smallest >= hn::Set(d, least))) sizes = sizes_without_zeros(terms);
  if (!hn::AllTrue(d, sizes.smallest >= hn::Set(d, least))) return false;
  state = {};
  state.top = most == 0 ? 0 : static_cast<int>(std::bit_cast<std::uint64_t>(most) >> 52) - 1023 + 7;
  if (term_bounds<Terms>(state.top).hold(sizes)) {
    state.depth = 2;
    windowed_sum<2, Terms> sum(state.top);
    if (!sum.add_known(terms)) return false;
    detail::took(detail::way::bounded_tile);
    sum.give(state);
    return true;
  }
  state.depth = most_short_windows;
  if (!windows<most_short_windows, false>(state, terms)) return false;
  detail::took(detail::way::unbounded_tile);
  return true;
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
