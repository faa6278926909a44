// SPDX-License-Identifier: BSD-3-Clause
// Double-double numbers with a bound for their error, in vectors: quotients, roots, and results whose rounding the bound proves.
// Included once for each instruction set.

#if defined(ACCRUE_DOUBLE_DOUBLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_DOUBLE_DOUBLE_INL
#undef ACCRUE_DOUBLE_DOUBLE_INL
#else
#define ACCRUE_DOUBLE_DOUBLE_INL
#endif

#include <algorithm>

#include "accrue/detail/kernels.hpp"
#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

using V = hn::Vec<d64>;

/// a + b, rounded, and the rounding error (Knuth).
HWY_INLINE V two_sum(const V a, const V b, V& error) {
  const V sum = a + b;
  const V of_b = sum - a;
  error = fused_add(a - fused_subtract(sum, of_b), fused_subtract(b, of_b));
  return sum;
}

/// A number in each lane: upper + lower, off by at most `bound`.
struct bounded {
  V upper;
  V lower;
  V bound;

  HWY_INLINE bounded(V a, V b, V c) : upper(a), lower(b), bound(c) {}  // implicit ones are compiled without the instruction set
};

/// A little more, so that the roundings of a bound do not matter, of a sum of 2^40 magnitudes either.
HWY_INLINE V raised(V bound) { return bound * hn::Set(d64(), 1 + 0x1p-10); }

/// The quotient of a sum, or the first two terms of its root with twice the root as divisor: `remainder` is what the first part leaves of
/// s.upper, exactly.
HWY_INLINE bounded divided(V quotient, V divisor, V remainder, const bounded& s) {
  const d64 d;
  V rest;
  const V whole = two_sum(remainder, s.lower, rest);
  const V lower = whole / divisor;
  const V off = hn::Abs(hn::NegMulAdd(lower, divisor, whole)) + hn::Abs(rest) + s.bound;
  const V underflow = hn::IfThenZeroElse(off == hn::Zero(d), hn::Set(d, 0x1p-1000));
  return {quotient, lower, raised(off / divisor) + underflow};
}
HWY_INLINE bounded divided(const bounded& s, V n) {
  const V quotient = s.upper / n;
  return divided(quotient, n, hn::NegMulAdd(quotient, n, s.upper), s);
}
HWY_INLINE bounded square_root(const bounded& s) {
  const d64 d;
  const V root = hn::Sqrt(s.upper);
  const V one_for_zero = hn::IfThenElse(root == hn::Zero(d), hn::Set(d, 1.0), root);
  bounded b = divided(root, one_for_zero + one_for_zero, hn::NegMulAdd(root, root, s.upper), s);
  const V second = hn::Abs(b.lower) + b.bound;  // the third term is below second^2 / (2 root), and the others alternate
  b.bound = b.bound + second * (second / one_for_zero);
  return b;
}

/// Whether a number is zero or large enough for the rounding errors of a last step.
HWY_INLINE auto settled(const bounded& s) {
  const d64 d;
  const auto zero = hn::And(s.upper == hn::Zero(d), hn::And(s.lower == hn::Zero(d), s.bound == hn::Zero(d)));
  return hn::Or(hn::Abs(s.upper) >= hn::Set(d, 0x1p-900), zero);
}

/// Writes numbers, rounded, and answers which of them are proven.
template <class R>
HWY_INLINE auto round_to(const bounded& b, R* out) {
  const d64 d;
  const hn::Rebind<R, d64> narrow;
  const V zero = hn::Zero(d);
  V margin = b.bound;
  V middle = b.lower;
  if constexpr (sizeof(R) == 4) {
    middle = b.upper + b.lower;
    const auto exact = hn::And(b.bound == zero, hn::And(middle - b.upper == b.lower, middle - b.lower == b.upper));
    margin = margin + hn::IfThenZeroElse(exact, hn::Abs(middle) * hn::Set(d, 0x1p-52));
  } else {
    margin = margin + hn::IfThenZeroElse(b.bound == zero, hn::Abs(middle) * hn::Set(d, 0x1p-52));
  }
  // The result lies between these, whose own rounding the margin covers; where they are rounded alike, so is the result.
  if constexpr (sizeof(R) == 4) {
    const auto least = hn::DemoteTo(narrow, middle - margin);
    const auto most = hn::DemoteTo(narrow, middle + margin);
    hn::StoreU(least, narrow, out);
    const V result = hn::PromoteTo(d, least);
    const auto signed_zero = hn::AndNot(margin == zero, result == zero);  // of either sign
    return hn::AndNot(signed_zero, result == hn::PromoteTo(d, most));
  } else {
    const auto least = b.upper + (middle - margin);
    hn::StoreU(least, narrow, out);
    return least == b.upper + (middle + margin);
  }
}

template <class Mask>
HWY_INLINE unsigned bits_of(Mask mask, std::size_t lanes) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d64(), mask, bits);
  return bits[0] & ((1u << lanes) - 1);
}

/// Writes the results of `lanes` sums, of n elements each, and answers in bits which of them are proven.
template <class R>
HWY_INLINE unsigned finish(bounded b, ending last, V n, std::size_t lanes, R* out) {
  auto proven = n == n;
  if (last != ending::value) {
    proven = settled(b);
    b = last == ending::mean ? divided(b, n) : square_root(b);  // 0 / 0 proves nothing
  }
  R results[width];
  R* const to = lanes == width ? out : results;
  proven = hn::And(proven, round_to(b, to));
  if (lanes != width) std::copy_n(results, lanes, out);
  return bits_of(proven, lanes);
}

/// Whether there is a vector unit to do it, and one operation for the rounding errors of products and quotients where they are needed.
constexpr bool can_prove(term what, std::size_t element, ending last) {
  return has_vectors && (HWY_NATIVE_FMA || (last == ending::value && !(element == 8 && is_product(what))));
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
