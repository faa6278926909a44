// SPDX-License-Identifier: BSD-3-Clause
// The Lennard-Jones potential with parameters for each pair of types.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "accrue/md/lennard_jones.hpp"

namespace accrue {

/// Of a type, or of a pair of types; energies and lengths in the caller's units.
struct lennard_jones_parameters {
  double epsilon = 1;
  double sigma = 1;
};

/// U(r) = 4 epsilon_ab ((sigma_ab/r)^12 - (sigma_ab/r)^6) for r < cutoff_ab, between particles of the types a and b (`with_types`).
///
/// Unlike pairs have epsilon_ab = sqrt(epsilon_a epsilon_b) and sigma_ab = (sigma_a + sigma_b) / 2 (D. Berthelot 1898, H. A. Lorentz 1881)
/// until they are set. Kob and Andersen's binary mixture (Physical Review E 51, 4626, 1995), A being 0 and B 1:
///
///     accrue::lennard_jones_mixture mixture({{1, 1}, {0.5, 0.88}}, 2.5, accrue::truncation::shifted);
///     mixture.set(0, 1, {1.5, 0.8}, 2.5 * 0.8).set(1, 1, {0.5, 0.88}, 2.5 * 0.88);
///
/// Errors: `invalid_argument` for no types or more than 256, a type that is not there, and what `lennard_jones` refuses.
class lennard_jones_mixture {
 public:
  lennard_jones_mixture(std::span<const lennard_jones_parameters> types, double cutoff, truncation end = truncation::plain)
      : types_(checked(types.size())), end_(end), terms_(types_ * types_) {
    for (std::size_t a = 0; a < types_; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const lennard_jones_parameters mixed{std::sqrt(types[a].epsilon * types[b].epsilon), (types[a].sigma + types[b].sigma) / 2};
        set(a, b, a == b ? types[a] : mixed, cutoff);
      }
    }
  }
  lennard_jones_mixture(std::initializer_list<lennard_jones_parameters> types, double cutoff, truncation end = truncation::plain)
      : lennard_jones_mixture(std::span(types.begin(), types.size()), cutoff, end) {}

  /// Sets the parameters of pairs of the types a and b, in either order, and up to where they interact.
  lennard_jones_mixture& set(std::size_t a, std::size_t b, const lennard_jones_parameters& of_pair, double cutoff) {
    check(a, b);
    terms_[a * types_ + b] = terms_[b * types_ + a] = lennard_jones(cutoff, end_, of_pair.epsilon, of_pair.sigma).terms();
    return *this;
  }
  lennard_jones_mixture& set(std::size_t a, std::size_t b, const lennard_jones_parameters& of_pair) {
    check(a, b);
    return set(a, b, of_pair, terms_[a * types_ + b].cutoff);
  }

  /// The largest cut-off of all pairs of types.
  [[nodiscard]] double cutoff() const {
    return std::ranges::max_element(terms_, {}, &kernels::lennard_jones_terms::cutoff)->cutoff;
  }
  [[nodiscard]] std::size_t types() const { return types_; }
  /// Of a and b at [a * types() + b].
  [[nodiscard]] std::span<const kernels::lennard_jones_terms> terms() const { return terms_; }

  void operator()(double r_squared, unsigned a, unsigned b, double& energy, double& force_over_r) const {
    check(a, b);
    double batch[3][kernels::row_multiple]{};
    kernels::type_pair types[kernels::row_multiple];
    std::fill(batch[0], batch[0] + kernels::row_multiple, r_squared);
    std::fill(types, types + kernels::row_multiple, kernels::type_pair{static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)});
    evaluate(batch[0], types, kernels::row_multiple, batch[1], batch[2]);
    energy = batch[1][0];
    force_over_r = batch[2][0];
  }
  /// The same for many pairs; arrays have room up to the next multiple of 8.
  void evaluate(const double* r_squared, const kernels::type_pair* types, std::size_t size, double* energy, double* force_over_r) const {
    const kernels::lennard_jones_table table{terms_.data(), types_, end_ == truncation::shifted_force};
    kernels::evaluate_lennard_jones(table, r_squared, types, size, energy, force_over_r);
  }

 private:
  static constexpr std::size_t most_types = kernels::most_particle_types;
  [[noreturn]] static void refuse(const std::string& why) {
    throw error(errc::invalid_argument, "accrue::lennard_jones_mixture: " + why);
  }
  static std::size_t checked(std::size_t types) {
    if (types == 0 || types > most_types) refuse(std::to_string(types) + " types, where 1 to 256 may be");
    return types;
  }
  void check(std::size_t a, std::size_t b) const {
    if (a >= types_ || b >= types_) {
      refuse("the types " + std::to_string(a) + " and " + std::to_string(b) + " of a mixture of " + std::to_string(types_));
    }
  }

  std::size_t types_;
  truncation end_;
  std::vector<kernels::lennard_jones_terms> terms_;
};

}  // namespace accrue
