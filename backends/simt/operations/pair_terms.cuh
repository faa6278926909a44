// SPDX-License-Identifier: BSD-3-Clause
// What a pair adds: its force by a potential, in integers that count units or in doubles, and its terms of the exact sums.
#pragma once

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/backends/simt/operations/contributors.cuh"
#include "accrue/md/lennard_jones_mixture.hpp"
#include "accrue/md/pair_forces.hpp"

namespace accrue::simt {

/// A potential as a device calls it: a functor of the caller's, of which nothing is known.
template <class Potential>
struct device_potential {
  static constexpr bool is_tame = false;
  static constexpr bool has_types = typed_pair_potential<Potential>;
  Potential potential;
  ACCRUE_DEVICE void operator()(double r_squared, double& energy, double& force_over_r) const
    requires(!has_types)
  {
    if constexpr (detail::takes_inverse<Potential>) {
      potential(r_squared, reciprocal_of_normal(r_squared), energy, force_over_r);
    } else {
      potential(r_squared, energy, force_over_r);
    }
  }
  ACCRUE_DEVICE void operator()(double r_squared, unsigned a, unsigned b, double& energy, double& force_over_r) const
    requires has_types
  {
    potential(r_squared, a, b, energy, force_over_r);
  }
};

/// Every product and sum rounded by itself, as the host's kernel does: the same bits. With a slope where the force is shifted.
template <bool has_slope>
ACCRUE_DEVICE void evaluate_lennard_jones(const kernels::lennard_jones_terms& terms, double r_squared, double& energy,
                                          double& force_over_r) {
  const double inverse = reciprocal_of_normal(r_squared);
  const double s2 = multiply(terms.sigma_squared, inverse);
  const double s6 = multiply(multiply(s2, s2), s2);
  const double a = multiply(terms.four_epsilon, s6);
  const double b = subtract(s6, 1.0);
  energy = subtract(multiply(a, b), terms.shift);
  force_over_r = multiply(multiply(multiply(6.0, inverse), a), add(s6, b));
  if constexpr (has_slope) {
    const double r = square_root(r_squared);
    energy = subtract(energy, multiply(terms.slope, subtract(r, terms.cutoff)));
    force_over_r = add(force_over_r, multiply(terms.slope, multiply(r, inverse)));
  }
}
/// The force alone, with fused products and sums: the same bits on every device.
template <bool has_slope>
ACCRUE_DEVICE double fused_lennard_jones(const kernels::lennard_jones_terms& terms, double r_squared) {
  const double inverse = reciprocal_of_normal(r_squared);
  const double s2 = multiply(terms.sigma_squared, inverse);
  const double s6 = multiply(multiply(s2, s2), s2);
  const double slope_of_s6 = fused_multiply_add(multiply(12.0, terms.four_epsilon), s6, multiply(-6.0, terms.four_epsilon));
  const double force_over_r = multiply(multiply(s6, inverse), slope_of_s6);
  if constexpr (!has_slope) return force_over_r;
  return fused_multiply_add(terms.slope, multiply(square_root(r_squared), inverse), force_over_r);
}
/// The square of a distance from which on, up to the cut-off, forces stay below one bound, and energies and the products of force and
/// distance below another, whatever is rounded; infinity where there is none.
inline double calm_from(const kernels::lennard_jones_terms& terms, double force, double energy) {
  const double sigma = std::sqrt(terms.sigma_squared);
  const double epsilon = terms.four_epsilon / 4;
  const double slope = std::fabs(terms.slope);
  const double end = slope * terms.cutoff + std::fabs(terms.shift);
  const auto below = [&](double f, double e) { return (1 + 0x1p-20) * (f + slope) < force && (1 + 0x1p-20) * (e + end) < energy; };
  // Beyond the minimum the force is at most 2.4 epsilon / sigma, its product with the distance 3 epsilon, the energy epsilon.
  if (!(epsilon >= 0) || !below(2.5 * epsilon / sigma, 3.1 * epsilon)) return std::numeric_limits<double>::infinity();
  // Nearer than that all of them grow as the distance falls, and stay below 48 epsilon (sigma / r)^12 and that over r.
  double r_squared = 1.26 * terms.sigma_squared;  // 2^(1/3) and a little
  for (double next = r_squared; next >= 0x1p-60 * terms.sigma_squared; next *= 0.95) {
    const double s2 = terms.sigma_squared / next;
    const double s12 = s2 * s2 * s2 * s2 * s2 * s2;
    if (!below(48 * epsilon * s12 / std::sqrt(next), 48 * epsilon * s12)) return r_squared;
    r_squared = next;
  }
  return r_squared;
}
/// Tame: it may be asked beyond its cut-off, and is large near its particle alone (`calm_from`).
template <bool has_slope>
struct device_lennard_jones {
  static constexpr bool is_tame = true;
  static constexpr bool has_types = false;
  kernels::lennard_jones_terms terms;

  ACCRUE_DEVICE void operator()(double r_squared, double& energy, double& force_over_r) const {
    evaluate_lennard_jones<has_slope>(terms, r_squared, energy, force_over_r);
  }
  [[nodiscard]] ACCRUE_DEVICE double fused_force(double r_squared) const { return fused_lennard_jones<has_slope>(terms, r_squared); }
};
template <bool has_slope>
double calm_from(const device_lennard_jones<has_slope>& of, double force, double energy) { return calm_from(of.terms, force, energy); }

/// Of types: terms in device memory, all sigma_squared, then all four_epsilon, and so on, a and b's at [a * types + b] of each: what a warp
/// reads lies in few lines.
template <bool has_slope>
struct device_lennard_jones_mixture {
  static constexpr bool is_tame = true;
  static constexpr bool has_types = true;
  const double* table;
  unsigned types;
  bool same_cutoffs;
  const lennard_jones_mixture* on_host;  ///< for `calm_from`

  ACCRUE_DEVICE void operator()(double r_squared, unsigned a, unsigned b, double& energy, double& force_over_r) const {
    const double* const of_pair = table + a * types + b;
    evaluate_lennard_jones<has_slope>(terms(of_pair), r_squared, energy, force_over_r);
    if (same_cutoffs) return;
    const bool inside = r_squared < cutoff_squared(of_pair);
    energy = inside ? energy : 0;
    force_over_r = inside ? force_over_r : 0;
  }
  [[nodiscard]] ACCRUE_DEVICE double fused_force(double r_squared, unsigned a, unsigned b) const {
    const double* const of_pair = table + a * types + b;
    const double force_over_r = fused_lennard_jones<has_slope>(terms(of_pair), r_squared);
    return same_cutoffs || r_squared < cutoff_squared(of_pair) ? force_over_r : 0;
  }

 private:
  [[nodiscard]] ACCRUE_DEVICE double number(const double* of_pair, unsigned k) const { return of_pair[k * types * types]; }
  [[nodiscard]] ACCRUE_DEVICE kernels::lennard_jones_terms terms(const double* of_pair) const {
    return {number(of_pair, 0), number(of_pair, 1), number(of_pair, 2), has_slope ? number(of_pair, 3) : 0,
            has_slope ? number(of_pair, 4) : 0};
  }
  [[nodiscard]] ACCRUE_DEVICE double cutoff_squared(const double* of_pair) const {
    const double cutoff = number(of_pair, 4);
    return multiply(cutoff, cutoff);
  }
};
template <bool has_slope>
double calm_from(const device_lennard_jones_mixture<has_slope>& of, double force, double energy) {
  double most = 0;
  for (const kernels::lennard_jones_terms& terms : of.on_host->terms()) most = std::max(most, calm_from(terms, force, energy));
  return most;
}

/// The sums of a sweep: the energy, then the virial's xx, yy, zz, xy, xz, yz.
inline constexpr unsigned pair_sum_count = 7;

/// Exact sums in device memory. Zero before. Terms of ordinary size are counted in units of two sizes, in words for their upper and lower
/// halves, of which there are copies so that blocks seldom meet; others, bit by bit in digits of 32.
struct pair_totals {
  static constexpr unsigned copies = 64;
  static constexpr int high_unit = -35;
  static constexpr int low_unit = -80;
  static constexpr unsigned digits = 67;  ///< digit k is worth 2^(32 k - 1074)
  std::uint64_t units[copies][pair_sum_count][4];
  std::uint64_t far[pair_sum_count][digits];
  unsigned special[pair_sum_count];  ///< 1 +infinity, 2 -infinity, 4 NaN
};

/// Adds a double to digits.
ACCRUE_DEVICE_RARE void add_far(pair_totals* totals, unsigned sum, double x) {
  const float_parts p(x);
  if (p.special) return set_bits_atomically(totals->special + sum, (p.significand << 12) != 0 ? 4u : p.negative ? 2u : 1u);
  if (p.significand == 0) return;
  const unsigned digit = p.place / 32;
  detail::uint128 bits = static_cast<detail::uint128>(p.significand) << p.place % 32;
  for (unsigned k = 0; k < 3; ++k, bits >>= 32) {
    const auto part = static_cast<std::uint64_t>(bits & 0xffffffffu);
    if (part != 0) add_atomically(&totals->far[sum][digit + k], p.negative ? std::uint64_t{0} - part : part);
  }
}

/// One thread's exact sums of pairs' terms.
class pair_term_sums {
 public:
  /// Terms between two drains.
  static constexpr unsigned most_terms = 112;

  ACCRUE_DEVICE pair_term_sums() { start(); }

  /// No term as large as this is added fast.
  static constexpr double beyond = 0x1p9;  ///< 2^7 of them stay below 2^16

  /// Adds a pair's terms. `small`: none is as large as `beyond`.
  template <bool small_is_known>
  ACCRUE_DEVICE void add_pair(bool small, const double (&term)[pair_sum_count], pair_totals* totals) {
    // Upper words as floats, which order magnitudes as the doubles do; a NaN among them is beyond.
    float smallest = upper_float(term[0]);
    [[maybe_unused]] unsigned largest = 0;
#pragma unroll
    for (unsigned k = 0; k < pair_sum_count; ++k) {
      smallest = extreme<false, false>(smallest, upper_float(term[k]));
      if constexpr (!small_is_known) largest = upper_word(term[k]) > largest ? upper_word(term[k]) : largest;
    }
    if constexpr (!small_is_known) small = largest < first_beyond;
    if (small && smallest >= std::bit_cast<float>(least_upper_word)) {
#pragma unroll
      for (unsigned k = 0; k < pair_sum_count; ++k) add_near(k, term[k]);
    } else {  // seldom
#pragma unroll
      for (unsigned k = 0; k < pair_sum_count; ++k) {
        const unsigned upper = upper_word(term[k]);
        if (upper >= least_upper_word && upper < first_beyond) {
          add_near(k, term[k]);
        } else if ((upper | low_word(term[k])) != 0) {
          add_far(totals, k, term[k]);
        }
      }
    }
  }
  /// Hands the sums of a warp over to the totals, and starts afresh.
  ACCRUE_DEVICE void drain(pair_totals* totals) {
    std::uint64_t(*const to)[4] = totals->units[(block() * warps() + warp()) % pair_totals::copies];
    for (unsigned k = 0; k < pair_sum_count; ++k) {
      const std::int64_t counts[2] = {bits_of(high_[k]) - bits_of(high_anchor), bits_of(low_[k]) - bits_of(low_anchor)};
      for (unsigned u = 0; u < 2; ++u) {
        std::int64_t sum = counts[u];
        for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) sum += shuffle_xor(sum, distance);
        if (lane() != 0 || sum == 0) continue;
        add_atomically(&to[k][2 * u], static_cast<std::uint64_t>(sum >> 32));
        add_atomically(&to[k][2 * u + 1], static_cast<std::uint64_t>(sum) & 0xffffffffu);
      }
    }
    start();
  }

 private:
  // Anchors 1.5 * 2^k count units of 2^(k - 52) in their last bits as long as they stay in their binade.
  static constexpr double high_anchor = 0x1.8p17;
  static constexpr double low_anchor = 0x1.8p-28;
  static constexpr unsigned first_beyond = (9 + 1023) << 20;      ///< the upper word of `beyond`
  static constexpr unsigned least_upper_word = (1023 - 28) << 20;  ///< of 2^-28, whose last bit is 2^-80

  static ACCRUE_DEVICE unsigned upper_word(double x) { return high_word(x) & 0x7fffffff; }
  static ACCRUE_DEVICE float upper_float(double x) { return fabsf(std::bit_cast<float>(high_word(x))); }

  ACCRUE_DEVICE void add_near(unsigned k, double t) {
    const double h = add(high_[k], t);
    const double rest = subtract(t, subtract(h, high_[k]));
    high_[k] = h;
    low_[k] = add(low_[k], rest);
  }
  static ACCRUE_DEVICE std::int64_t bits_of(double x) { return std::bit_cast<std::int64_t>(x); }
  ACCRUE_DEVICE void start() {
    for (unsigned k = 0; k < pair_sum_count; ++k) {
      high_[k] = high_anchor;
      low_[k] = low_anchor;
    }
  }

  double high_[pair_sum_count];
  double low_[pair_sum_count];
};

}  // namespace accrue::simt
