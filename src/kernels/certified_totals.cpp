// SPDX-License-Identifier: BSD-3-Clause
// Sums of short arrays to within a bound, which decides most of their roundings: less work than a proof that no bit is lost. Memory is
// asked for ahead, beyond the array too: rows and segments lie one behind the other.
#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

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

/// n times the sum of the terms' squares, whose root is at least the sum of their magnitudes.
template <class Terms>
HWY_INLINE double scaled_squares(const Terms& terms) {
  lane_sums square(0);
  for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    t.prefetch(i, unroll);
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      const auto x = t.load(i + u * width);
      square.lane[u] = hn::MulAdd(x, x, square.lane[u]);
    }
  });
  return square.total() * static_cast<double>(terms.tile.size);
}

// Lanes start at 1.5 * 2^k and add terms up. While every sum stays in that binade, what it takes of a term is exact, and so is the rest of
// the term but for products, whose rest is rounded; it is below 2^(k-53). The sum of these rests is rounded too: n / lanes times in each
// lane, to within 2^-53 of at most n * 2^(k-53). That single doubles stay there is shown by their squares, and of products looked at. The
// sums' own total is exact too, up to 2^k. 5 operations a vector; of squares, which only grow, 4.
template <class Terms>
HWY_INLINE bool add_in_binade(const Terms& terms, int k, double& upper, double& lower, double& squares) {
  const double start = 1.5 * power(k);
  const auto anchor = hn::Set(d64(), start);
  lane_sums sum(start);
  lane_sums rest(0);
  lane_sums square(0);
  auto moved = hn::Zero(d64());  // bits that ever changed
  for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
    t.prefetch(i, unroll);
    ACCRUE_UNROLL
    for (std::size_t u = 0; u < unroll; ++u) {
      if constexpr (Terms::product) {
        hn::Vec<d64> left;
        sum.lane[u] = t.add_product(sum.lane[u], i + u * width, left);
        rest.lane[u] = rest.lane[u] + left;
        if constexpr (!Terms::never_negative) moved = hn::Or(moved, hn::Xor(sum.lane[u], anchor));
      } else {
        const auto x = t.load(i + u * width);
        const auto next = sum.lane[u] + x;
        const auto left = fused_subtract(x, next - sum.lane[u]);
        rest.lane[u] = u % 2 == 0 ? rest.lane[u] + left : fused_add(rest.lane[u], left);
        sum.lane[u] = next;
        square.lane[u] = hn::MulAdd(x, x, square.lane[u]);
      }
    }
  });
  lane_sums sizes(0);
  for (std::size_t u = 0; u < unroll; ++u) {
    moved = hn::Or(moved, hn::Xor(sum.lane[u], anchor));
    sum.lane[u] = sum.lane[u] - anchor;
    sizes.lane[u] = hn::Abs(sum.lane[u]);
  }
  upper = sum.total();
  lower = rest.total();
  if constexpr (Terms::product) {
    const auto binade = hn::Set(u64(), std::uint64_t{0xfff} << 52);
    const bool kept = hn::AllTrue(u64(), hn::And(hn::BitCast(u64(), moved), binade) == hn::Zero(u64()));
    return kept && sizes.total() <= power(k);
  } else {
    squares = square.total() * static_cast<double>(terms.tile.size);
    return squares <= 0.99 * power(2 * k - 2);
  }
}

/// The exponent of the largest of some terms, or more.
template <class Terms>
HWY_INLINE int exponent_of_some(const operands<double>& tile) {
  const auto field = [](double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 2047) - 1023; };
  int largest = -2000;
  for (std::size_t j = 0; j < 8; ++j) {
    const std::size_t i = tile.size / 8 * j;
    int exponent = field(tile.x[i]);
    if constexpr (Terms::product) exponent += field(Terms::binary ? tile.y[i] : tile.x[i]) + 1;
    largest = std::max(largest, exponent);
  }
  return largest;
}

template <class Terms>
HWY_INLINE bool bounded(const Terms& terms, bounded_total& total) {
  const auto n = static_cast<double>(terms.tile.size);
  if constexpr (sizeof(*terms.tile.x) == 4) {
    // Terms of floats are doubles. Plain sums, each lane's to within n / lanes * 2^-53 of all magnitudes: 2 operations, 3 for products, 1
    // for squares, which are magnitudes themselves.
    lane_sums sum(0);
    lane_sums square(0);
    for_each_step<unroll>(terms, [&](const auto& t, std::size_t i) HWY_ATTR {
      t.prefetch(i, unroll);
      ACCRUE_UNROLL
      for (std::size_t u = 0; u < unroll; ++u) {
        if constexpr (Terms::never_negative && Terms::product) {
          const auto x = t.factor(i + u * width);
          sum.lane[u] = hn::MulAdd(x, x, sum.lane[u]);
        } else {
          const auto x = t.load(i + u * width);
          sum.lane[u] = sum.lane[u] + x;
          if constexpr (!Terms::never_negative) square.lane[u] = hn::MulAdd(x, x, square.lane[u]);
        }
      }
    });
    total = {sum.total(), 0, 0};
    double magnitudes = total.upper;
    if constexpr (!Terms::never_negative) magnitudes = std::sqrt(square.total() * n);
    total.error = (n / lanes + 16) * 0x1p-52 * magnitudes;
    return magnitudes > 0 && magnitudes < 0x1p1000;
  } else {
    constexpr int most = 480;  // whose squares are doubles
    // A guess by some terms, and if it is too small, what the squares of all say.
    int k = exponent_of_some<Terms>(terms.tile) + static_cast<int>(std::bit_width(terms.tile.size)) + 3;
    for (int tries = 0; tries < 2; ++tries) {
      k = std::max(k, -most);
      if (k > most) return false;
      double squares = 0;
      if (add_in_binade(terms, k, total.upper, total.lower, squares)) {
        total.error = n * (n / lanes + 8) * power(k - 104);
        return true;
      }
      if constexpr (Terms::product) squares = scaled_squares(terms);
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

/// Of values and magnitudes, more than these are added as soon with flags.
template <class T>
inline constexpr std::size_t most_values = sizeof(T) == 4 ? 2560 : width == 8 ? ~std::size_t{0} : 4096;

template <class Terms, class R>
HWY_INLINE bool certified(const Terms& terms, ending last, R& result) {
  if (!Terms::product && terms.tile.size > most_values<std::remove_cvref_t<decltype(*terms.tile.x)>>) return false;
  if (!has_vectors || ((last != ending::value || Terms::two_terms) && !HWY_NATIVE_FMA)) return false;
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
  } else if (last == ending::square_root) {
    const double root = std::sqrt(upper);  // of zero, what follows is no number, and not decided
    lower = (std::fma(-root, root, upper) + lower) / (2 * root);  // less its square by 2 * root, which is much less than the margin
    upper = root;
    margin = margin / root;
  }
  return round_alike(upper, lower, margin, result);
}
template <class T, class R>
HWY_INLINE bool certified_any(term what, ending last, const operands<T>& tile, R& result) {
  switch (what) {
    case term::value: return certified(terms<term::value, T>{tile}, last, result);
    case term::magnitude: return certified(terms<term::magnitude, T>{tile}, last, result);
    case term::square: return certified(terms<term::square, T>{tile}, last, result);
    case term::product: return certified(terms<term::product, T>{tile}, last, result);
  }
  return false;
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
