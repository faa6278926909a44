// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of few terms as a pair of doubles: a warp's terms in two windows (extraction.hpp), which are read off as integers. What two
// windows do not hold is bounded, or refused; nothing is lost unnoticed. And a lane's running sums in two or three doubles.
#pragma once

#include "accrue/backends/simt/kernel/blocks.cuh"
#include "accrue/backends/simt/kernel/limits.hpp"
#include "accrue/backends/simt/operations/operations.hpp"

namespace accrue::simt {

/// A total: high + low exactly, or to within 2^(slack - 1023) where bits were left below the windows.
struct pair_sum {
  double high;
  double low;
  unsigned slack;  ///< 0: exact
  bool fits;       ///< whether this is the total at all: terms may be too large, or not finite

  [[nodiscard]] ACCRUE_DEVICE bool exact() const { return fits && slack == 0; }
};

constexpr int log2_up(unsigned n) {
  int l = 0;
  while ((1u << l) < n) ++l;
  return l;
}

/// The high word of a window's anchor, 1.5 * 2^(field - 1023). What is added to it leaves an integer in the significand.
ACCRUE_DEVICE unsigned anchor_word(unsigned field) { return field << 20 | 0x80000u; }

/// What the lanes' windows hold together, if that is below 2^51 units. A warp's integers add up in pieces of 22 and 30 bits; so many
/// anchors are 0 modulo 2^52.
ACCRUE_DEVICE double read_window(double window, unsigned anchor) {
  static_assert(warp_width % 2 == 0);
  const auto bits = std::bit_cast<std::uint64_t>(window);
  const unsigned low = sum_in_warp(static_cast<unsigned>(bits) & 0x3fffffu);
  const std::uint64_t sum = (std::uint64_t{sum_in_warp(static_cast<unsigned>(bits >> 22))} << 22) + low;
  const unsigned high = static_cast<unsigned>(sum >> 32) & 0xfffffu;
  return subtract(from_words(high ^ anchor, static_cast<unsigned>(sum)), from_words(anchor, 0));
}

/// The sum of the lanes' terms, in all lanes. `top` is the largest exponent field of 2^spread numbers whose sum the terms are; `inexact`:
/// a term of this lane is not what it should be.
template <int spread, unsigned n>
ACCRUE_DEVICE pair_sum sum_terms(const double (&term)[n], unsigned top, bool inexact = false) {
  constexpr int items = log2_up(warp_width * n);
  const unsigned first = top + spread + 3;
  const int below = static_cast<int>(first) - 51 + items;
  const unsigned second = below > 1 ? static_cast<unsigned>(below) : 1;
  double upper = from_words(anchor_word(first), 0);
  double lower = from_words(anchor_word(second), 0);
  unsigned left = inexact ? 1 : 0;
#pragma unroll
  for (unsigned k = 0; k < n; ++k) {
    const double t = add(upper, term[k]);
    const double missing = subtract(subtract(t, upper), term[k]);  // minus what did not fit
    upper = t;
    const double u = subtract(lower, missing);
    const double rest = add(subtract(u, lower), missing);
    lower = u;
    left |= high_word(rest) | low_word(rest);  // never -0
  }
  const int slack = static_cast<int>(second) + items - 53;
  return {read_window(upper, anchor_word(first)), read_window(lower, anchor_word(second)),
          any(left != 0) ? static_cast<unsigned>(slack > 1 ? slack : 1) : 0, first <= 2046};
}
template <unsigned n>
ACCRUE_DEVICE pair_sum sum_terms(const double (&term)[n]) {
  unsigned most = 0;
#pragma unroll
  for (unsigned k = 0; k < n; ++k) {
    const unsigned word = high_word(term[k]) & 0x7fffffffu;
    most = word > most ? word : most;
  }
  return sum_terms<log2_up(warp_width * n)>(term, largest_in_warp(most) >> 20);
}

/// s + x without error: s becomes the rounded sum, the error is returned.
ACCRUE_DEVICE double two_sum(double& s, double x) {
  const double t = add(s, x);
  const double z = subtract(t, s);
  const double error = add(subtract(s, subtract(t, z)), subtract(x, z));
  s = t;
  return error;
}

template <unsigned n>
ACCRUE_DEVICE double tree_sum(const double* x) {
  if constexpr (n == 1) {
    return x[0];
  } else {
    return add(tree_sum<n / 2>(x), tree_sum<n - n / 2>(x + n / 2));
  }
}

/// A lane's floats added in double.
template <unsigned n>
struct float_sum {
  double sum;
  unsigned most;  ///< the largest magnitude's bits, doubled
  bool inexact;   ///< exponents lie too far apart for the sum to be surely exact

  ACCRUE_DEVICE explicit float_sum(const float (&x)[n]) : most(0) {
    unsigned least = ~0u;  // less one: zeros count as the largest
    double wide[n];
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      const unsigned twice = std::bit_cast<unsigned>(x[k]) << 1;
      most = twice > most ? twice : most;
      least = twice - 1 < least ? twice - 1 : least;
      wide[k] = widen(x[k]);
    }
    sum = tree_sum<n>(wide);
    inexact = most - least > static_cast<unsigned>(29 - log2_up(n)) << 24;
  }
};

/// A lane's running sum in so many doubles, each for what those before it lose. They may overlap, and overflow where they are added up.
template <unsigned parts>
struct running_sum {
  double part[parts] = {};
  unsigned lost = 0;  ///< not zero if these do not hold the sum, or a term or a step was not finite

  /// A term that is small beside the first parts may begin behind them.
  template <unsigned first = 0>
  ACCRUE_DEVICE void add_term(double x) {
#pragma unroll
    for (unsigned j = first; j < parts; ++j) x = two_sum(part[j], x);
    lost |= high_word(x) | low_word(x);
  }
  template <unsigned n>
  ACCRUE_DEVICE void add_elements(const double (&x)[n]) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) add_term(x[k]);
  }
  template <unsigned n>
  ACCRUE_DEVICE void add_elements(const float (&x)[n]) {
    const float_sum<n> lane_sum(x);
    if (lane_sum.inexact) [[unlikely]] {
      add_in_turn(x);
    } else {
      add_term(lane_sum.sum);
    }
  }
  template <unsigned n>
  ACCRUE_DEVICE void add_in_turn(const float (&x)[n]) {
    for_each_in_turn<1>(x, n, [&](unsigned, float v) { add_term(widen(v)); });
  }
  template <unsigned others>
  ACCRUE_DEVICE void add_sum(const running_sum<others>& b) {
#pragma unroll
    for (unsigned j = 0; j < others; ++j) add_term(b.part[j]);
    lost |= b.lost;
  }
};

/// What a lane of the pair kernel sums up, tile after tile.
struct pair_accumulator : running_sum<2> {
  /// The warp's total.
  [[nodiscard]] ACCRUE_DEVICE pair_sum total() const {
    pair_sum s = sum_terms(part);
    s.fits = s.fits && !any(lost != 0);
    return s;
  }
};

/// The sum of the warp's elements.
template <unsigned n>
ACCRUE_DEVICE pair_sum sum_elements(const double (&x)[n]) {
  return sum_terms(x);
}
template <unsigned n>
ACCRUE_DEVICE pair_sum sum_elements(const float (&x)[n]) {
  const float_sum<n> lane_sum(x);
  const unsigned field = largest_in_warp(lane_sum.most) >> 24;
  const double term[1] = {lane_sum.sum};
  pair_sum s = sum_terms<log2_up(warp_width * n)>(term, field + 1023 - 127, lane_sum.inexact);
  s.fits = field != 255;
  if (s.slack != 0) [[unlikely]] {
    if (any(lane_sum.inexact)) {
      pair_accumulator one_by_one;
      one_by_one.add_in_turn(x);
      return one_by_one.total();
    }
  }
  return s;
}

/// The sum of the warps' totals, in all threads; each warp has a place in `of_warp`.
ACCRUE_DEVICE pair_sum sum_in_block(const pair_sum& of_this_warp, pair_sum* of_warp) {
  if (warps() == 1) return of_this_warp;
  if (lane() == 0) of_warp[warp()] = of_this_warp;
  sync_block();
  double term[2] = {0, 0};
  unsigned slack = 0;
  bool fits = true;
  if (lane() < warps()) {
    const pair_sum s = of_warp[lane()];
    term[0] = s.high;
    term[1] = s.low;
    slack = s.slack;
    fits = s.fits;
  }
  pair_sum total = sum_terms(term);
  total.fits = total.fits && !any(!fits);
  slack = largest_in_warp(slack);
  if (slack != 0) slack += log2_up(most_warps);
  if ((slack | total.slack) != 0) total.slack = (slack > total.slack ? slack : total.slack) + 1;
  return total;
}

/// high + low rounded once.
ACCRUE_DEVICE double round_pair(double high, double low, double) { return add(high, low); }
ACCRUE_DEVICE float round_pair(double high, double low, float) {
  const double up = add_up(high, low);
  const double down = add_down(high, low);
  return narrow((low_word(down) & 1) != 0 ? down : up);  // the odd one of two has the bits that narrowing needs
}
/// What both ends of high + low +- bound round to, if that is one number; zeros of both signs are two.
ACCRUE_DEVICE bool round_bounded(double high, double low, double bound, double& result) {
  const double rest = two_sum(high, low);
  result = add(high, add_up(rest, bound));
  return std::bit_cast<std::uint64_t>(result) == std::bit_cast<std::uint64_t>(add(high, add_down(rest, -bound)));
}
ACCRUE_DEVICE bool round_bounded(double high, double low, double bound, float& result) {
  result = narrow(add_up(high, add_up(low, bound)));
  return std::bit_cast<unsigned>(result) == std::bit_cast<unsigned>(narrow(add_down(high, add_down(low, -bound))));
}
/// The total rounded once to R, if that is certain.
template <class R>
ACCRUE_DEVICE bool round_total(const pair_sum& s, R& result) {
  if (s.exact()) [[likely]] {
    result = round_pair(s.high, s.low, R{});
    return true;
  }
  return s.fits && round_bounded(s.high, s.low, from_words(s.slack << 20, 0), result);
}

}  // namespace accrue::simt
