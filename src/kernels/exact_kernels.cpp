// SPDX-License-Identifier: BSD-3-Clause
// The vector kernels of exact sums: splitting proven by the exception flags, and windows proven by their own remainders.
#include "exact_kernels.hpp"

#include <bit>

#include "accrue/detail/extraction.hpp"
#include "accrue/detail/ways.hpp"
#include "exception_flags.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exact_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "terms-inl.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

#define ACCRUE_EXTRACTION HWY_INLINE
#include "accrue/detail/extraction.inl"
#undef ACCRUE_EXTRACTION

/// Calls `body(terms, i)` for steps of `unroll` vectors over the tile; the last may be masked.
template <std::size_t unroll, class Terms, class Body>
HWY_INLINE void for_each_step(Terms terms, Body body) {
  constexpr std::size_t step = unroll * width;
  std::size_t i = 0;
  for (; i + step <= terms.tile.size; i += step) body(terms, i);
  if (i < terms.tile.size) body(terms.tail(i), 0);
}

/// True if every lane of every vector is finite.
template <std::size_t count>
HWY_INLINE bool all_finite(const hn::Vec<d64> (&v)[count]) {
  const d64 d;
  auto sum = hn::Zero(d);
  for (std::size_t u = 0; u < count; ++u) sum = sum + (v[u] - v[u]);  // 0 for a finite value, NaN otherwise
  return hn::AllTrue(d, sum == sum);
}

/// Vectors of each half of the split lanes that a kernel keeps in registers.
inline constexpr std::size_t split_unroll = width == 4 ? 6 : 4;
static_assert(split_unroll * width <= split_lanes::count);

// A term is cut by a bit mask into its upper 26 bits and the rest, both exact, and the parts are added in separate lanes. In
// doubles of 53 bits that leaves about 27 for the spread of exponents and the count. Nothing is checked on the way: had any
// addition rounded, the flag would be up. 4 operations a vector.
template <class Terms, std::size_t unroll>
HWY_INLINE void split_step(const Terms& terms, std::size_t i, hn::Vec<d64> (&high)[unroll], hn::Vec<d64> (&low)[unroll]) {
  const auto mask = hn::BitCast(d64(), hn::Set(u64(), ~((std::uint64_t{1} << 27) - 1)));
  terms.prefetch(i, unroll);
  ACCRUE_UNROLL
  for (std::size_t u = 0; u < unroll; ++u) {
    const auto x = terms.load(i + u * width);
    if constexpr (Terms::short_terms) {
      high[u] = high[u] + x;
    } else {
      const auto head = hn::And(x, mask);
      const auto tail = x - head;
      high[u] = high[u] + head;
      low[u] = low[u] + tail;
    }
  }
}

template <class Terms>
HWY_INLINE bool split(split_lanes& lanes, Terms terms) {
  const d64 d;
  split_lanes out;
  const exception_flags flags;
  hn::Vec<d64> high[split_unroll];
  hn::Vec<d64> low[split_unroll];
  for (std::size_t u = 0; u < split_unroll; ++u) {
    high[u] = hn::Load(d, lanes.high + u * width);
    low[u] = hn::Load(d, lanes.low + u * width);
  }
  for_each_step<split_unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR { split_step(t, i, high, low); });
  for (std::size_t u = 0; u < split_unroll; ++u) {
    hn::Store(high[u], d, out.high + u * width);
    hn::Store(low[u], d, out.low + u * width);
  }
  if (flags.rounded(&out) || !all_finite(high) || !all_finite(low)) return false;
  for (std::size_t u = 0; u < split_unroll; ++u) {
    hn::Store(high[u], d, lanes.high + u * width);
    hn::Store(low[u], d, lanes.low + u * width);
  }
  return true;
}

/// Whether the lanes' sums and their own are finite.
HWY_INLINE bool finite(double high, double low) { return high - high == 0 && low - low == 0; }

// The exponents of the smallest and the largest term may prove that no addition rounds: n terms below 2^(E + 1), all multiples of the
// last bit of the smallest, stay below 2^53 such units in either half. That takes twice the operations of a proof by flags, which costs
// more for few terms: processors are slow to raise again a flag that was lowered.
template <std::size_t unroll, class Terms>
HWY_INLINE bool total_by_exponents(Terms terms, double& upper, double& lower) {
  const d64 d;
  using V = hn::Vec<d64>;
  V high[unroll];
  V low[unroll];
  for (std::size_t u = 0; u < unroll; ++u) high[u] = low[u] = hn::Zero(d);
  V largest = hn::Zero(d);
  V smallest = hn::Inf(d);
  for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    split_step(t, i, high, low);
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      const V x = hn::Abs(t.load(i + u * width));
      largest = hn::Max(largest, x);
      smallest = hn::Min(smallest, hn::IfThenElse(x == hn::Zero(d), hn::Inf(d), x));
    }
  });
  for (std::size_t u = 1; u < unroll; ++u) {
    high[0] = high[0] + high[u];
    low[0] = low[0] + low[u];
  }
  const auto field = [](double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52); };
  const int least = field(hn::GetLane(hn::MinOfLanes(d, smallest)));
  const int spread = field(hn::GetLane(hn::MaxOfLanes(d, largest))) - (least != 0 ? least : 1);
  upper = hn::GetLane(hn::SumOfLanes(d, high[0]));
  lower = hn::GetLane(hn::SumOfLanes(d, low[0]));
  // The halves have units 27 bits apart; a float's double has 29 zeros at its end, and no lower half.
  return spread + static_cast<int>(std::bit_width(terms.tile.size)) <= (Terms::short_terms ? 29 : 26) && finite(upper, lower);
}

template <class Terms>
HWY_INLINE bool total_by_flags(Terms terms, double& upper, double& lower) {
  const d64 d;
  double out[2];
  const exception_flags flags;
  hn::Vec<d64> high[split_unroll];
  hn::Vec<d64> low[split_unroll];
  for (std::size_t u = 0; u < split_unroll; ++u) high[u] = low[u] = hn::Zero(d);
  for_each_step<split_unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR { split_step(t, i, high, low); });
  for (std::size_t u = 1; u < split_unroll; ++u) {
    high[0] = high[0] + high[u];
    low[0] = low[0] + low[u];
  }
  out[0] = hn::GetLane(hn::SumOfLanes(d, high[0]));
  out[1] = hn::GetLane(hn::SumOfLanes(d, low[0]));
  if (flags.rounded(out) || !finite(out[0], out[1])) return false;
  upper = out[0];
  lower = out[1];
  return true;
}
template <class Terms>
HWY_INLINE bool total(Terms terms, double& upper, double& lower) {
  const std::size_t size = terms.tile.size;
  if (size <= 2 * width) {
    if (total_by_exponents<1>(terms, upper, lower)) return true;
  } else if (size <= most_terms_by_exponents) {
    if (total_by_exponents<split_unroll>(terms, upper, lower)) return true;
  }
  return exception_flags_work() && total_by_flags(terms, upper, lower);
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

/// Calls `visit` with the terms of a tile that are single doubles; answers false where they are not.
template <class T, class Visit>
HWY_INLINE bool visit_single(term what, operands<T> tile, Visit visit) {
  switch (what) {
    case term::value: return visit(terms<term::value, T>{tile});
    case term::magnitude: return visit(terms<term::magnitude, T>{tile});
    case term::square:
      if constexpr (sizeof(T) == 4) return visit(terms<term::square, T>{tile});
      break;
    case term::product:
      if constexpr (sizeof(T) == 4) return visit(terms<term::product, T>{tile});
      break;
  }
  return false;
}

template <class T>
HWY_INLINE bool split_any(split_lanes& lanes, term what, operands<T> tile) {
  return visit_single(what, tile, [&](auto terms) HWY_ATTR { return split(lanes, terms); });
}

template <class T>
HWY_INLINE bool total_any(term what, operands<T> tile, double& high, double& low) {
  return visit_single(what, tile, [&](auto terms) HWY_ATTR { return total(terms, high, low); });
}

template <class Terms>
bool windows_any_depth(window_totals& state, Terms terms) {
  switch (state.depth) {
    case 2: return windows<2>(state, terms);
    case 3: return windows<3>(state, terms);
    case 4: return windows<4>(state, terms);
    default: return windows<deepest_windows>(state, terms);
  }
}

template <class T>
bool windows_any(window_totals& state, term what, operands<T> tile) {
  switch (what) {
    case term::value: return windows_any_depth(state, terms<term::value, T>{tile});
    case term::magnitude: return windows_any_depth(state, terms<term::magnitude, T>{tile});
    case term::square: return windows_any_depth(state, terms<term::square, T>{tile});
    case term::product: return windows_any_depth(state, terms<term::product, T>{tile});
  }
  return false;
}

template <class Terms>
int exponent_of(Terms terms) {
  const d64 d;
  auto largest = hn::Zero(u64());
  auto nan = hn::Zero(d);
  for_each_step<1>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    const auto x = hn::Abs(t.load(i));
    nan = nan + (x - x);
    const auto bits = hn::BitCast(u64(), x);
    largest = hn::Max(largest, bits);
  });
  if (!hn::AllTrue(d, nan == nan)) return 1024;
  const std::uint64_t bits = hn::GetLane(hn::MaxOfLanes(u64(), largest));
  return bits == 0 ? no_exponent : static_cast<int>(bits >> 52) - 1023;
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
template <class T>
bool short_any(window_totals& state, term what, operands<T> tile) {
  switch (what) {
    case term::value: return short_terms(state, terms<term::value, T>{tile});
    case term::magnitude: return short_terms(state, terms<term::magnitude, T>{tile});
    case term::square: return short_terms(state, terms<term::square, T>{tile});
    case term::product: return short_terms(state, terms<term::product, T>{tile});
  }
  return false;
}

template <class T>
int exponent_any(term what, operands<T> tile) {
  switch (what) {
    case term::value:
    case term::magnitude: return exponent_of(terms<term::value, T>{tile});
    case term::square: return exponent_of(terms<term::square, T>{tile});
    case term::product: return exponent_of(terms<term::product, T>{tile});
  }
  return 1024;
}

void bins_f64(exponent_bins& bins, const double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(x[i]);
    exponent_bins::pair& bin = bins.bin[bits >> 52];
    constexpr std::uint64_t low_mask = (std::uint64_t{1} << exponent_bins::low_bits) - 1;
    constexpr std::uint64_t one = std::uint64_t{1} << exponent_bins::count_shift;
#if HWY_MAX_BYTES == 8
    bin.low += (bits & low_mask) + one;
    bin.high += (bits >> exponent_bins::low_bits) & 0xffffffffu;
#else
    const hn::Full128<std::uint64_t> d;
    alignas(16) static constexpr std::uint64_t shifts[2] = {0, exponent_bins::low_bits};
    alignas(16) static constexpr std::uint64_t masks[2] = {low_mask, 0xffffffffu};
    alignas(16) static constexpr std::uint64_t counts[2] = {one, 0};
    const auto parts = hn::Or(hn::And(hn::Shr(hn::Set(d, bits), hn::Load(d, shifts)), hn::Load(d, masks)), hn::Load(d, counts));
    auto* p = reinterpret_cast<std::uint64_t*>(&bin);
    hn::Store(hn::Load(d, p) + parts, d, p);
#endif
  }
}

bool split_f32(split_lanes& lanes, term what, operands<float> tile) { return split_any(lanes, what, tile); }
bool split_f64(split_lanes& lanes, term what, operands<double> tile) { return split_any(lanes, what, tile); }
bool total_f32(term what, operands<float> tile, double& high, double& low) { return total_any(what, tile, high, low); }
bool total_f64(term what, operands<double> tile, double& high, double& low) { return total_any(what, tile, high, low); }
bool windows_f32(window_totals& state, term what, operands<float> tile) { return windows_any(state, what, tile); }
bool windows_f64(window_totals& state, term what, operands<double> tile) { return windows_any(state, what, tile); }
bool short_f32(window_totals& state, term what, operands<float> tile) { return short_any(state, what, tile); }
bool short_f64(window_totals& state, term what, operands<double> tile) { return short_any(state, what, tile); }
int exponent_f32(term what, operands<float> tile) { return exponent_any(what, tile); }
int exponent_f64(term what, operands<double> tile) { return exponent_any(what, tile); }

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(bins_f64);
HWY_EXPORT(split_f32);
HWY_EXPORT(split_f64);
HWY_EXPORT(total_f32);
HWY_EXPORT(total_f64);
HWY_EXPORT(windows_f32);
HWY_EXPORT(windows_f64);
HWY_EXPORT(short_f32);
HWY_EXPORT(short_f64);
HWY_EXPORT(exponent_f32);
HWY_EXPORT(exponent_f64);

void add_to_bins(exponent_bins& bins, const double* x, std::size_t count) { HWY_DYNAMIC_DISPATCH(bins_f64)(bins, x, count); }
bool split_fold(split_lanes& lanes, term what, operands<float> tile) {
  return HWY_DYNAMIC_DISPATCH(split_f32)(lanes, what, tile);
}
bool split_fold(split_lanes& lanes, term what, operands<double> tile) {
  return HWY_DYNAMIC_DISPATCH(split_f64)(lanes, what, tile);
}
namespace {

/// The total of a tile that `into_windows` takes.
template <class T, class IntoWindows>
bool window_total(term what, operands<T> tile, short_total& total, IntoWindows into_windows) {
  window_totals windows;
  if (tile.size > exact_accumulator::largest_tile || !into_windows(windows, what, tile)) return false;
  total.high = total.low = 0;
  for (int j = 0; j < windows.depth; ++j) {
    const int unit = windows.top - j * detail::window_step - 52;
    total.part[total.part_count++] = {windows.total[j], unit};
    if (sizeof(T) == 8 && is_product(what)) total.part[total.part_count++] = {windows.error[j], unit - detail::error_offset};
  }
  return true;
}

}  // namespace

// Squares of many floats seldom lie close enough together for a pair.
bool tile_total(term what, operands<float> tile, short_total& total) {
  total.part_count = 0;
  const bool may_be_pair = what != term::square || tile.size <= most_terms_by_exponents;
  if (may_be_pair && HWY_DYNAMIC_DISPATCH(total_f32)(what, tile, total.high, total.low)) return true;
  return window_total(what, tile, total, HWY_DYNAMIC_DISPATCH(short_f32));
}
bool tile_total(term what, operands<double> tile, short_total& total) {
  total.part_count = 0;
  if (!is_product(what) && HWY_DYNAMIC_DISPATCH(total_f64)(what, tile, total.high, total.low)) return true;
  return window_total(what, tile, total, HWY_DYNAMIC_DISPATCH(short_f64));
}
bool window_fold(window_totals& windows, term what, operands<float> tile) {
  return HWY_DYNAMIC_DISPATCH(windows_f32)(windows, what, tile);
}
bool window_fold(window_totals& windows, term what, operands<double> tile) {
  return HWY_DYNAMIC_DISPATCH(windows_f64)(windows, what, tile);
}
int largest_exponent(term what, operands<float> tile) { return HWY_DYNAMIC_DISPATCH(exponent_f32)(what, tile); }
int largest_exponent(term what, operands<double> tile) { return HWY_DYNAMIC_DISPATCH(exponent_f64)(what, tile); }

}  // namespace accrue::kernels
#endif
