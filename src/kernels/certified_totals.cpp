// SPDX-License-Identifier: BSD-3-Clause
// Sums of short arrays to within a bound, which decides most of their roundings: less work than a proof that no bit is lost.
#include <algorithm>
#include <bit>
#include <cmath>

#include "accrue/detail/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certified_totals.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "terms-inl.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

inline constexpr std::size_t unroll = 4;
inline constexpr double lanes = unroll * width;

/// Vectors of lanes that are added together at last.
struct lane_sums {
  hn::Vec<d64> lane[unroll];

  HWY_INLINE explicit lane_sums(double start) {
    for (auto& l : lane) l = hn::Set(d64(), start);
  }
  [[nodiscard]] HWY_INLINE double total() const {
    static_assert(unroll == 4);
    return hn::GetLane(hn::SumOfLanes(d64(), (lane[0] + lane[1]) + (lane[2] + lane[3])));
  }
};

/// upper + lower, off by at most `error`.
struct bounded_total {
  double upper;
  double lower;
  double error;
};
HWY_INLINE double power(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }
/// x + y and its rounding error.
HWY_INLINE void add_exactly(double x, double y, double& sum, double& rest) {
  sum = x + y;
  const double of_y = sum - x;
  rest = (x - (sum - of_y)) + (y - of_y);
}

/// More than the root of x, which is not zero: 2^result.
HWY_INLINE int exponent_of_root(double x) {
  return (static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023) / 2 + 1;
}

// Lanes start at 1.5 * 2^k and add terms up. If n terms' magnitudes together are below 2^(k-1), as their squares show, every sum stays in
// that binade and so does what it takes of a term, which is exact; the rest of the term is exact too, below 2^(k-53), and only the sum of
// these rests is rounded: n / lanes times in each lane, to within 2^-53 of at most n * 2^(k-53). 5 operations a vector.
template <class Terms>
HWY_INLINE bool add_in_binade(const Terms& terms, int k, double& upper, double& lower, double& squares) {
  const double start = 1.5 * power(k);
  lane_sums sum(start);
  lane_sums rest(0);
  lane_sums square(0);
  for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      const auto x = t.load(i + u * width);
      const auto next = sum.lane[u] + x;
      rest.lane[u] = rest.lane[u] + (x - (next - sum.lane[u]));
      sum.lane[u] = next;
      square.lane[u] = hn::MulAdd(x, x, square.lane[u]);
    }
  });
  for (auto& l : sum.lane) l = l - hn::Set(d64(), start);
  upper = sum.total();
  lower = rest.total();
  squares = square.total() * static_cast<double>(terms.tile.size);
  return squares <= 0.99 * power(2 * k - 2);
}

template <class Terms>
HWY_INLINE bool bounded(const Terms& terms, bounded_total& total) {
  const auto n = static_cast<double>(terms.tile.size);
  if constexpr (Terms::short_terms) {  // 2 operations: plain sums, each lane's to within n / lanes * 2^-53 of all magnitudes
    lane_sums sum(0);
    lane_sums square(0);
    for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
      ACCRUE_UNROLL
      for (std::size_t u = 0; u < unroll; ++u) {
        const auto x = t.load(i + u * width);
        sum.lane[u] = sum.lane[u] + x;
        square.lane[u] = hn::MulAdd(x, x, square.lane[u]);
      }
    });
    const double squares = square.total() * n;
    if (!(squares < 0x1p1000) || squares == 0) return false;
    total = {sum.total(), 0, (n / lanes + 16) * power(exponent_of_root(squares) - 52)};
    return true;
  } else {
    constexpr int most = 480;  // whose squares are doubles
    // A guess by some terms, and if it is too small, what their squares say.
    std::uint64_t largest = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      largest = std::max(largest, std::bit_cast<std::uint64_t>(terms.tile.x[terms.tile.size / 8 * j]) << 1);
    }
    int k = static_cast<int>(largest >> 53) - 1023 + static_cast<int>(std::bit_width(terms.tile.size)) + 3;
    for (int tries = 0; tries < 2; ++tries) {
      k = std::max(k, -most);
      if (k > most) return false;
      double squares = 0;
      if (add_in_binade(terms, k, total.upper, total.lower, squares)) {
        total.error = n * (n / lanes + 8) * power(k - 104);
        return true;
      }
      k = exponent_of_root(squares) + 2;  // above `most` where they are no number
    }
    return false;
  }
}

/// Rounds what lies within `margin` of upper + lower; false where its ends round differently.
HWY_INLINE bool round_alike(double upper, double lower, double margin, double& result) {
  result = upper + (lower - margin);
  return result == upper + (lower + margin);
}
HWY_INLINE bool round_alike(double upper, double lower, double margin, float& result) {
  const double middle = upper + lower;
  margin = margin + std::fabs(middle) * 0x1p-51;  // for the roundings to double
  result = static_cast<float>(middle - margin);
  return result == static_cast<float>(middle + margin) && result != 0;
}

template <class Terms, class R>
HWY_INLINE bool certified(const Terms& terms, ending last, R& result) {
  if (!has_vectors || (last == ending::mean && !HWY_NATIVE_FMA)) return false;
  bounded_total total;
  if (!bounded(terms, total)) return false;
  double upper = 0;
  double lower = 0;
  add_exactly(total.upper, total.lower, upper, lower);
  // The roundings of what follows, by 2^-53 of `lower`, are below a quarter of it: 2^-48 of the sum, of doubles 2^-94.
  double margin = 1.25 * total.error;
  if (last == ending::mean) {  // the quotient, and that of what it leaves
    const auto n = static_cast<double>(terms.tile.size);
    const double quotient = upper / n;
    lower = (std::fma(-quotient, n, upper) + lower) / n;
    upper = quotient;
    margin = margin / n;
  }
  return round_alike(upper, lower, margin, result);
}
template <class T, class R>
HWY_INLINE bool certified_any(term what, ending last, const operands<T>& tile, R& result) {
  if (what == term::value) return certified(terms<term::value, T>{tile}, last, result);
  return certified(terms<term::magnitude, T>{tile}, last, result);
}

bool f32_to_f32(term what, ending last, const operands<float>& t, float& r) { return certified_any(what, last, t, r); }
bool f64_to_f32(term what, ending last, const operands<double>& t, float& r) { return certified_any(what, last, t, r); }
bool f64_to_f64(term what, ending last, const operands<double>& t, double& r) { return certified_any(what, last, t, r); }

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(f32_to_f32);
HWY_EXPORT(f64_to_f32);
HWY_EXPORT(f64_to_f64);

bool certified_total(term what, ending last, const operands<float>& tile, float& result) {
  return HWY_DYNAMIC_DISPATCH(f32_to_f32)(what, last, tile, result);
}
bool certified_total(term what, ending last, const operands<double>& tile, float& result) {
  return HWY_DYNAMIC_DISPATCH(f64_to_f32)(what, last, tile, result);
}
bool certified_total(term what, ending last, const operands<double>& tile, double& result) {
  return HWY_DYNAMIC_DISPATCH(f64_to_f64)(what, last, tile, result);
}

}  // namespace accrue::kernels
#endif
