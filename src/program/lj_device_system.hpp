// SPDX-License-Identifier: BSD-3-Clause
// lj_system on a device: positions, velocities and forces stay there, and each number is rounded as on the host. For device compilers.
#pragma once

#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <accrue/md/devices.hpp>
#include <span>
#include <vector>

#include "forces_run.hpp"

namespace accrue::program {

/// Numbers in the memory of a space.
template <class Space>
class device_numbers {
 public:
  device_numbers(const Space& space, const std::vector<double>& host)
      : space_(space), size_(host.size()), data_(static_cast<double*>(space.allocate(size_ * sizeof(double) + 1))) {
    put(host);
  }
  device_numbers(const device_numbers&) = delete;
  device_numbers& operator=(const device_numbers&) = delete;
  ~device_numbers() { space_.deallocate(data_); }

  void put(const std::vector<double>& host) {
    space_.copy(data_, host.data(), size_ * sizeof(double));
    space_.synchronize();
  }
  [[nodiscard]] std::vector<double> host() const {
    std::vector<double> copy(size_);
    space_.copy(copy.data(), data_, size_ * sizeof(double));
    space_.synchronize();
    return copy;
  }
  [[nodiscard]] double* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<double> span() const { return {data_, size_}; }
  [[nodiscard]] auto vectors() const { return array_of_structures(data_, size_ / 3); }

 private:
  Space space_;
  std::size_t size_;
  double* data_;
};

/// to[k] += factor * of[k], the product and the sum rounded one by one.
struct scaled_addition {
  double factor;
  const double* of;
  template <class To>
  ACCRUE_DEVICE void operator()(std::size_t k, To& to) const {
    to.add(k, simt::multiply(factor, of[k]));
  }
};

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
    accumulate(space_, to.span(), to.size(), scaled_addition{factor, of.data()}, strategy::gather);
  }

  Space space_;
  device_numbers<Space> positions_;
  device_numbers<Space> velocities_;
  device_numbers<Space> force_;
};

}  // namespace accrue::program
