// SPDX-License-Identifier: BSD-3-Clause
// Sums of terms of which each lane has its own: with a bound for what they lose. Included once for each instruction set.

#if defined(ACCRUE_SUMS_IN_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_SUMS_IN_LANES_INL
#undef ACCRUE_SUMS_IN_LANES_INL
#else
#define ACCRUE_SUMS_IN_LANES_INL
#endif

#include <bit>
#include <type_traits>

#include "double_double-inl.hpp"
#include "terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Sums of any terms: the sum, the sum of its rounding errors, and the magnitudes of what that lost. For results that are floats the sum
/// alone, whose errors are what is lost.
template <bool to_float>
struct lane_sums {
  V sum = hn::Zero(d64());
  V error = hn::Zero(d64());
  V lost = hn::Zero(d64());
  V tiny = hn::Set(d64(), 1.0);  ///< the least product, whose own error may underflow

  HWY_INLINE lane_sums() {}

  HWY_INLINE void add_error(V x) {
    if constexpr (!to_float) error = two_sum(error, x, x);
    lost = lost + hn::Abs(x);
  }
  HWY_INLINE void add(V x) {
    V rest;
    sum = two_sum(sum, x, rest);
    add_error(rest);
  }
  /// Infinitely far off where a product was too small.
  [[nodiscard]] HWY_INLINE bounded total() const {
    const d64 d;
    return {sum, error, hn::IfThenElse(tiny >= hn::Set(d, 0x1p-900), raised(lost), hn::Inf(d))};
  }
  template <term what, class T>
  HWY_INLINE void add_term(V x, V y) {
    if constexpr (what == term::value) return add(x);
    if constexpr (what == term::magnitude) return add(hn::Abs(x));
    if constexpr (what == term::square) y = x;
    const V p = x * y;
    add(p);
    if constexpr (sizeof(T) == 8) {
      add_error(hn::MulSub(x, y, p));
      const auto zero = what == term::square ? x == hn::Zero(d64()) : hn::Or(x == hn::Zero(d64()), y == hn::Zero(d64()));
      tiny = hn::Min(tiny, hn::IfThenElse(zero, hn::Set(d64(), 1.0), hn::Abs(p)));
    }
  }
};

/// Such sums of one kind of term.
template <term what, class T, bool to_float>
struct sums_of_any : lane_sums<to_float> {
  HWY_INLINE sums_of_any() {}
  HWY_INLINE void start(const V*, const V*, std::size_t) {}
  template <std::size_t>
  HWY_INLINE void add(V x, V y) {
    this->template add_term<what, T>(x, y);
  }
  [[nodiscard]] HWY_INLINE bounded total(V) const { return lane_sums<to_float>::total(); }
};

/// The same of terms that are alike, in half of the operations or less. A lane's sum starts at 1.5 * 2^k. While it stays in that binade,
/// what it takes of a term is exact, and so is the rest of the term but for products, whose rest is rounded; it is at most 2^(k-53). The
/// rests add up in the same way from 1.5 * 2^(k-41) on, so that what they lose, 2^(k-94) each, mostly is nothing. That of products,
/// rounded, is just added, each time to within 2^-53 of n * 2^(k-53). The largest of the first terms says k, with room for larger ones.
template <term what>
class binade_sums {
  static constexpr bool product = is_product(what);
  static constexpr bool never_negative = what == term::square || what == term::magnitude;
  static constexpr std::size_t chains = 2;  ///< of additions that wait for one another

 public:
  static constexpr std::size_t least = product ? 5 : 9;  ///< terms that pay
  HWY_INLINE binade_sums() {}

  /// `n` terms at most, below 2^10; these are the first, or zeros.
  HWY_INLINE void start(const V* x, const V* y, std::size_t n) {
    const d64 d;
    constexpr int room = 8;
    V largest = hn::Zero(d);
    ACCRUE_UNROLL
    for (std::size_t j = 0; j < width; ++j) largest = hn::Max(largest, hn::Abs(product ? x[j] * factor(x[j], y[j]) : x[j]));
    const V binade = hn::And(largest, hn::BitCast(d, hn::Set(u64(), std::uint64_t{0x7ff} << 52)));
    anchor_ = hn::IfThenElse(largest == hn::Zero(d), hn::Set(d, 1.0), binade) *
              hn::Set(d, 1.5 * static_cast<double>(std::size_t{1} << (std::bit_width(n) + room)));
    for (V& s : sum_) s = anchor_;
    if constexpr (!product) {
      for (V& r : rest_) r = anchor_ * hn::Set(d, 0x1p-41);
    }
  }
  template <std::size_t chain>
  HWY_INLINE void add(V x, V y) {
    static_assert(chain < chains);
    const V before = sum_[chain];
    const V rest_before = rest_[chain];
    if constexpr (product) {
      y = factor(x, y);
      sum_[chain] = hn::MulAdd(x, y, before);
      rest_[chain] = rest_before + hn::MulSub(x, y, sum_[chain] - before);
    } else {
      if constexpr (what == term::magnitude) x = hn::Abs(x);
      sum_[chain] = before + x;
      const V rest = fused_subtract(x, sum_[chain] - before);
      rest_[chain] = fused_add(rest_before, rest);
      lost_ = hn::Or(lost_, fused_subtract(rest, rest_[chain] - rest_before));
    }
    if constexpr (!never_negative) moved_ = hn::Or(moved_, hn::Xor(sum_[chain], anchor_));
  }
  /// Of n terms; infinitely far off where the bound does not hold.
  [[nodiscard]] HWY_INLINE bounded total(V n) const {
    const d64 d;
    const V zero = hn::Zero(d);
    const V moved = hn::Or(moved_, hn::Or(hn::Xor(sum_[0], anchor_), hn::Xor(sum_[1], anchor_)));
    const auto binade = hn::Set(u64(), std::uint64_t{0xfff} << 52);
    auto good = hn::RebindMask(d, hn::And(hn::BitCast(u64(), moved), binade) == hn::Zero(u64()));
    good = hn::And(good, anchor_ >= hn::Set(d, 0x1p-800));
    const V sum = (sum_[0] - anchor_) + (sum_[1] - anchor_);
    V rest = rest_[0] + rest_[1];
    V bound = n * (n + hn::Set(d, 8.0)) * (anchor_ * hn::Set(d, 0x1p-106));
    if constexpr (!product) {
      const V start = anchor_ * hn::Set(d, 0x1p-41);
      rest = (rest_[0] - start) + (rest_[1] - start);
      bound = hn::IfThenZeroElse(hn::Abs(lost_) == zero, n * (anchor_ * hn::Set(d, 0x1p-93)));
    }
    V lower;
    const V upper = two_sum(sum, rest, lower);
    return {upper, lower, hn::IfThenElse(good, bound, hn::Inf(d))};
  }

 private:
  static HWY_INLINE V factor(V x, V y) { return what == term::square ? x : y; }

  V anchor_ = hn::Zero(d64());
  V sum_[chains] = {hn::Zero(d64()), hn::Zero(d64())};
  V rest_[chains] = {hn::Zero(d64()), hn::Zero(d64())};
  V lost_ = hn::Zero(d64());   ///< bits that rests lost, of any of them
  V moved_ = hn::Zero(d64());  ///< bits that ever changed
};

/// Plain sums of floats' terms as doubles, for results that are floats: to within 2^-53 of all magnitudes with each term.
template <term what>
class plain_sums {
  static constexpr bool never_negative = what == term::square || what == term::magnitude;

 public:
  /// Terms that pay: sums of a few floats often lie in the middle of two, which no bound decides.
  static constexpr std::size_t least = is_product(what) ? 5 : 32;
  HWY_INLINE plain_sums() {}

  HWY_INLINE void start(const V*, const V*, std::size_t) {}
  template <std::size_t chain>
  HWY_INLINE void add(V x, V y) {
    if constexpr (what == term::square) {
      sum_[chain] = hn::MulAdd(x, x, sum_[chain]);
    } else {
      const V t = what == term::product ? x * y : what == term::magnitude ? hn::Abs(x) : x;
      sum_[chain] = sum_[chain] + t;
      if constexpr (!never_negative) magnitudes_[chain] = magnitudes_[chain] + hn::Abs(t);
    }
  }
  [[nodiscard]] HWY_INLINE bounded total(V n) const {
    const d64 d;
    const V sum = sum_[0] + sum_[1];
    const V magnitudes = never_negative ? sum : magnitudes_[0] + magnitudes_[1];
    return {sum, hn::Zero(d), (n + hn::Set(d, 8.0)) * magnitudes * hn::Set(d, 0x1p-53)};
  }

 private:
  V sum_[2] = {hn::Zero(d64()), hn::Zero(d64())};
  V magnitudes_[2] = {hn::Zero(d64()), hn::Zero(d64())};
};

/// Of terms that are alike, for results of type R.
template <term what, class R>
using sums_of_alike = std::conditional_t<sizeof(R) == 4, plain_sums<what>, binade_sums<what>>;

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
