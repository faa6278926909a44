// SPDX-License-Identifier: BSD-3-Clause
// Terms cut in two, whose halves add without rounding where they are alike: as the exception flags tell, or the terms' exponents. Included
// once for each instruction set.

#if defined(ACCRUE_SPLIT_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_SPLIT_SUMS_INL
#undef ACCRUE_SPLIT_SUMS_INL
#else
#define ACCRUE_SPLIT_SUMS_INL
#endif

#include <algorithm>
#include <cstddef>

#include "terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

// A term is cut by a bit mask into its upper 26 bits and the rest, both exact, and the parts are added in separate lanes. In
// doubles of 53 bits that leaves about 27 for the spread of exponents and the count. Nothing is checked on the way: had any
// addition rounded, the flag would be up. 4 operations a vector.
template <class Terms, class At, std::size_t unroll>
HWY_INLINE void split_step(const Terms& terms, const At& at, hn::Vec<d64> (&high)[unroll], hn::Vec<d64> (&low)[unroll]) {
  const auto mask = hn::BitCast(d64(), hn::Set(u64(), ~((std::uint64_t{1} << 27) - 1)));
  ACCRUE_UNROLL
  for (std::size_t u = 0; u < unroll; ++u) {
    const auto x = terms.load(at(u));
    if constexpr (Terms::short_terms) {
      high[u] = high[u] + x;
    } else {
      const auto head = hn::And(x, mask);
      const auto tail = u % 2 == 0 ? x - head : fused_subtract(x, head);
      high[u] = fused_add(high[u], head);
      low[u] = low[u] + tail;
    }
  }
}

/// The sums of terms in two halves, exact unless an addition rounds.
struct sum_of_halves {
  using V = hn::Vec<d64>;
  V high[2] = {hn::Zero(d64()), hn::Zero(d64())};  ///< additions that do not wait for one another
  V low[2] = {hn::Zero(d64()), hn::Zero(d64())};

  HWY_INLINE sum_of_halves() {}

  template <class Terms>
  HWY_INLINE void add_two(const Terms& terms, std::size_t i) {
    terms.prefetch(i, 2);
    split_step(terms, in_row(i), high, low);
  }
  /// The elements from i on.
  template <class Terms>
  HWY_INLINE void add_rest(const Terms& terms, std::size_t i) {
    for (; i + 2 * width <= terms.tile.size; i += 2 * width) add_two(terms, i);
    V first[1] = {high[0]};
    V of_first[1] = {low[0]};
    if (i + width <= terms.tile.size) {
      split_step(terms, in_row(i), first, of_first);
      i += width;
    }
    if (i < terms.tile.size) split_step(terms.tail(i), in_row(0), first, of_first);
    high[0] = first[0] + high[1];
    low[0] = of_first[0] + low[1];
  }
};
/// Those of two arrays, or of two parts of one, read side by side: memory serves that sooner.
template <class Terms>
HWY_INLINE void add_side_by_side(const Terms& x, sum_of_halves& of_x, const Terms& y, sum_of_halves& of_y) {
  const std::size_t both = std::min(x.tile.size, y.tile.size) / (2 * width) * (2 * width);
  for (std::size_t i = 0; i < both; i += 2 * width) {
    of_x.add_two(x, i);
    of_y.add_two(y, i);
  }
  of_x.add_rest(x, both);
  of_y.add_rest(y, both);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
