// SPDX-License-Identifier: BSD-3-Clause
// The Lennard-Jones potential: plain, shifted and shifted-force cut-offs, and the corrections for what lies beyond.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "accrue/md/detail/pair_kernels.hpp"
#include "accrue/error.hpp"

namespace accrue {

/// How a potential ends at the cut-off.
enum class truncation : std::uint8_t {
  plain,         ///< U(r) up to the cut-off, 0 from there on
  shifted,       ///< U(r) - U(rc): the energy is continuous
  shifted_force  ///< U(r) - U(rc) - (r - rc) U'(rc): energy and force are continuous
};

/// U(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) for r < cutoff. Energies are in units of epsilon's, lengths of sigma's.
///
/// A pair potential is a functor of r^2: it sets the energy U and the force divided by the distance, -U'(r)/r, and names its
/// cut-off. Truncations and corrections: M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 1987, chapters 2 and 5.
class lennard_jones {
 public:
  explicit lennard_jones(double cutoff, truncation end = truncation::plain, double epsilon = 1, double sigma = 1)
      : epsilon_(epsilon), sigma_(sigma), terms_{sigma * sigma, 4 * epsilon, 0, 0, cutoff} {
    if (!(cutoff > 0) || !(sigma > 0) || !std::isfinite(cutoff) || !std::isfinite(sigma) || !std::isfinite(epsilon)) {
      throw error(errc::invalid_argument, "accrue::lennard_jones: cut-off and sigma must be positive, and all finite, epsilon too");
    }
    if (end == truncation::plain) return;
    double energy = 0;
    double force_over_r = 0;
    (*this)(cutoff * cutoff, energy, force_over_r);
    terms_.shift = energy;
    if (end == truncation::shifted_force) terms_.slope = -force_over_r * cutoff;
  }

  [[nodiscard]] double cutoff() const { return terms_.cutoff; }
  [[nodiscard]] double epsilon() const { return epsilon_; }
  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] const kernels::lennard_jones_terms& terms() const { return terms_; }

  void operator()(double r_squared, double& energy, double& force_over_r) const {
    double batch[3][kernels::row_multiple];
    std::fill(batch[0], batch[0] + kernels::row_multiple, r_squared);
    evaluate(batch[0], kernels::row_multiple, batch[1], batch[2]);
    energy = batch[1][0];
    force_over_r = batch[2][0];
  }
  /// The same for many pairs; arrays have room up to the next multiple of 8.
  void evaluate(const double* r_squared, std::size_t size, double* energy, double* force_over_r) const {
    kernels::evaluate_lennard_jones(terms_, r_squared, size, energy, force_over_r);
  }

  /// The energy of N particles in volume V that the plain cut-off leaves out, were the density uniform beyond it:
  /// 8/3 pi N rho epsilon sigma^3 ((sigma/rc)^9 / 3 - (sigma/rc)^3).
  [[nodiscard]] double energy_correction(std::size_t particles, double volume) const {
    const double s3 = cubed(sigma_ / cutoff());
    const auto n = static_cast<double>(particles);
    return 8.0 / 3.0 * std::numbers::pi * n * (n / volume) * epsilon_ * cubed(sigma_) * (s3 * s3 * s3 / 3 - s3);
  }
  /// The same for the pressure: 16/3 pi rho^2 epsilon sigma^3 (2/3 (sigma/rc)^9 - (sigma/rc)^3).
  [[nodiscard]] double pressure_correction(std::size_t particles, double volume) const {
    const double s3 = cubed(sigma_ / cutoff());
    const double density = static_cast<double>(particles) / volume;
    return 16.0 / 3.0 * std::numbers::pi * density * density * epsilon_ * cubed(sigma_) * (2 * s3 * s3 * s3 / 3 - s3);
  }

 private:
  static double cubed(double x) { return x * x * x; }

  double epsilon_;
  double sigma_;
  kernels::lennard_jones_terms terms_;
};

}  // namespace accrue
