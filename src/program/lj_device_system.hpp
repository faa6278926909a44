// SPDX-License-Identifier: BSD-3-Clause
// lj_system on a device: positions, velocities and forces stay there, and each number is rounded as on the host. For device compilers.
#pragma once

#include <accrue/md/devices.hpp>
#include <vector>

#include "device_numbers.hpp"
#include "forces_run.hpp"

namespace accrue::program {

template <class Space>
class lj_device_system : public lj_sweeps {
 public:
  lj_device_system(const configuration& c, const lj_settings& settings)
      : lj_sweeps(c, settings, settings.strategy == strategy::atomic ? list_kind::half : list_kind::full),
        positions_(space_, c.positions),
        velocities_(space_, c.velocities.empty() ? std::vector<double>(c.positions.size()) : c.velocities),
        force_(space_, std::vector<double>(c.positions.size())) {}

  void draw_velocities(double temperature, std::uint64_t seed) { velocities_.put(drawn_velocities(size(), temperature, seed)); }

  const pair_result& compute_forces(bool sums) {
    space_.synchronize();  // what moved the particles is no part of a sweep's time
    return sweep(space_, positions_.vectors(), force_.vectors(), sums);
  }
  const pair_result& step(bool sums) {
    if (sweeps() == 0) compute_forces(sums);
    const double dt = settings_.timestep;
    add(velocities_, dt / 2, force_);
    add(positions_, dt, velocities_);
    compute_forces(sums);
    add(velocities_, dt / 2, force_);
    return result();
  }

  [[nodiscard]] std::size_t size() const { return positions_.size() / 3; }
  [[nodiscard]] std::vector<double> forces() const { return force_.host(); }
  [[nodiscard]] double kinetic_energy() const { return sum_squares(space_, velocities_.data(), velocities_.size()) / 2; }
  [[nodiscard]] std::uint64_t force_checksum() const { return checksum_of(forces()); }

 private:
  void add(const device_numbers<Space>& to, double factor, const device_numbers<Space>& of) const {
    add_scaled(space_, to, factor, of);
  }

  Space space_;
  device_numbers<Space> positions_;
  device_numbers<Space> velocities_;
  device_numbers<Space> force_;
};

}  // namespace accrue::program
