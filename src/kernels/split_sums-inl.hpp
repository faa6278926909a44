// SPDX-License-Identifier: BSD-3-Clause
// Terms cut in two, whose halves add without rounding where they are alike: as the exception flags tell, or the terms' exponents. Included
// once for each instruction set.

#if defined(ACCRUE_SPLIT_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_SPLIT_SUMS_INL
#undef ACCRUE_SPLIT_SUMS_INL
#else
#define ACCRUE_SPLIT_SUMS_INL
#endif

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

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
