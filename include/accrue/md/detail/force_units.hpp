// SPDX-License-Identifier: BSD-3-Clause
// The units that fixed_point counts pair forces in: they follow the size of a potential's forces, where it is known, or a bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "accrue/md/lennard_jones_mixture.hpp"

namespace accrue::detail {

/// How large the forces and energies of a potential are, as exponents of 2; nothing is known of functors of the caller's.
struct force_scale {
  bool known = false;
  int force = 0;
  int energy = 0;
};
template <class Potential>
force_scale scale_of(const Potential&) {
  return {};
}
/// Of Lennard-Jones potentials: the largest epsilon / sigma, and the largest epsilon; times what the twelfth power makes of them where a
/// potential ends before sigma.
inline force_scale scale_of(std::span<const kernels::lennard_jones_terms> pairs) {
  double force = 0;
  double energy = 0;
  for (const kernels::lennard_jones_terms& terms : pairs) {
    const double sigma = std::sqrt(terms.sigma_squared);
    const double reach = std::min(sigma, terms.cutoff);
    const double steep = sigma / reach * (sigma / reach) * (sigma / reach);
    const double size = std::fabs(terms.four_epsilon) / 4 * steep * steep * steep * steep;
    energy = std::max(energy, size);
    force = std::max(force, size / reach);
  }
  const auto exponent = [](double x) { return x > 0 ? std::clamp(std::ilogb(x), -400, 400) : 0; };  // squares and quotients are numbers
  return {true, exponent(force), exponent(energy)};
}
inline force_scale scale_of(const lennard_jones& potential) { return scale_of(std::span(&potential.terms(), 1)); }
inline force_scale scale_of(const lennard_jones_mixture& potential) { return scale_of(potential.terms()); }

/// Forces below 2^exponent are counted in units of 2^(exponent - bits), for the exponents `first`, `first + step` and so on up to `last`;
/// larger ones, where any may be, by integers of 128 bits in units of 2^two_limb_unit. Energies are counted with them, 2^-energy_shift
/// times as large.
struct force_units {
  static constexpr int step = 2;
  int first;
  int last;
  int two_limb_unit;
  int energy_shift;
  bool widens;   ///< whether larger forces than 2^first take wider units
  bool watched;  ///< whether forces may be too small for the unit, since nothing is known of them

  /// Units that the largest force, and energy, of a watched sweep must have, as an exponent: fewer would tell little of it.
  static constexpr int least_bits = 10;
};
/// `largest`: what the caller states of forces and, `energy_shift` aside, of energies; or 0.
inline force_units units_for(const force_scale& scale, double largest) {
  const int shift = scale.energy - scale.force;
  if (largest > 0) {
    const int exponent = std::ilogb(largest) + 1;
    return {exponent, exponent, 0, shift, false, !scale.known};
  }
  return {9 + scale.force, 25 + scale.force, scale.force - 64, shift, true, !scale.known};
}
/// Forces and energies of pairs nearer than the root of this, 0.7 of the cut-off, must not be lost: a functor may go to zero where it ends.
inline double watched_squared(double cutoff) { return 0.5 * cutoff * cutoff; }

/// What is said where they are too small for the unit 2^unit, or too large for any.
inline std::string too_small(bool forces, int unit) {
  return std::string("all ") + (forces ? "forces" : "energies") + " are below 2^" + std::to_string(unit + force_units::least_bits) +
         ", and counted in units of 2^" + std::to_string(unit) + ": state largest_force, as small as it may be";
}
inline constexpr const char* too_large = "a force or an energy too large for integers of 128 bits, or not a number";

}  // namespace accrue::detail
