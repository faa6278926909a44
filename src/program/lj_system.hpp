// SPDX-License-Identifier: BSD-3-Clause
// A system of Lennard-Jones particles of unit mass: forces by any strategy, and its motion by velocity Verlet.
#pragma once

#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <accrue/md/md.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "readers/configuration.hpp"

namespace accrue::program {

/// The default host space with that many threads; 0: as many as there are.
inline default_host_space make_space(int threads) {
  default_host_space space;
  const auto set = [&](auto& s) {
    if constexpr (requires { s.threads; }) s.threads = threads;
  };
  set(space);
  return space;
}

struct lj_settings {
  double cutoff = 2.5;
  double skin = 0.3;
  truncation end = truncation::plain;
  accrue::strategy strategy = accrue::strategy::automatic;
  double timestep = 0.005;
  int threads = 0;
  bool virial = true;  ///< where sums are wanted, beside the energy
};

/// The box of a configuration, as lists take it.
inline orthorhombic_box box_of(const configuration& c) { return {c.low, c.length, c.periodic}; }
/// Velocities drawn from a normal distribution, without a net momentum, scaled to the temperature (3N - 3 degrees of freedom).
std::vector<double> drawn_velocities(std::size_t particles, double temperature, std::uint64_t seed);
/// A function of every bit of every number.
std::uint64_t checksum_of(const std::vector<double>& numbers);

/// The list, the forces and their times, wherever the particles are.
class lj_sweeps {
 public:
  [[nodiscard]] const pair_result& result() const { return result_; }
  [[nodiscard]] const neighbor_list& list() const { return list_; }
  [[nodiscard]] const lennard_jones& potential() const { return forces_.potential(); }

  [[nodiscard]] std::size_t builds() const { return builds_; }
  [[nodiscard]] double build_s() const { return build_s_; }  ///< in all
  [[nodiscard]] double pair_s() const { return pair_s_; }    ///< in all
  [[nodiscard]] std::size_t sweeps() const { return sweeps_; }
  void reset_times() { build_s_ = pair_s_ = 0, builds_ = sweeps_ = 0; }

 protected:
  lj_sweeps(const configuration& c, const lj_settings& settings, list_kind kind)
      : settings_(settings),
        list_(box_of(c), settings.cutoff, settings.skin, kind),
        forces_(lennard_jones(settings.cutoff, settings.end)) {}

  /// Forces of these positions; the list is built again where needed.
  template <class Space, class Positions, class Forces>
  const pair_result& sweep(const Space& space, const Positions& x, const Forces& f, bool sums) {
    const detail::stopwatch watch;
    if (list_.needs_rebuild(space, x)) {
      list_.build(space, x);
      ++builds_;
    }
    const double built = watch.now_s();
    pair_options options;
    options.strategy = settings_.strategy;
    options.energy = sums;
    options.virial = sums && settings_.virial;
    result_ = forces_.compute(space, list_, x, f, options);
    space.synchronize();
    build_s_ += built;
    pair_s_ += watch.now_s() - built;
    ++sweeps_;
    return result_;
  }

  lj_settings settings_;

 private:
  neighbor_list list_;
  pair_forces<lennard_jones> forces_;
  pair_result result_;
  std::size_t builds_ = 0;
  std::size_t sweeps_ = 0;
  double build_s_ = 0;
  double pair_s_ = 0;
};

class lj_system : public lj_sweeps {
 public:
  lj_system(const configuration& c, const lj_settings& settings);

  /// Forces of the present positions; the neighbour list is built again where needed.
  const pair_result& compute_forces(bool sums);
  /// A step of velocity Verlet. Energy and virial are summed on request.
  const pair_result& step(bool sums);
  void draw_velocities(double temperature, std::uint64_t seed) { velocities_ = drawn_velocities(size(), temperature, seed); }

  [[nodiscard]] std::size_t size() const { return positions_.size() / 3; }
  [[nodiscard]] const std::vector<double>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<double>& forces() const { return force_; }
  [[nodiscard]] bool moving() const { return !velocities_.empty(); }
  /// Exact sum of squares of the velocities, halved.
  [[nodiscard]] double kinetic_energy() const;
  [[nodiscard]] std::uint64_t force_checksum() const { return checksum_of(force_); }

 private:
  default_host_space space_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<double> force_;
};

/// `copies` times as many particles in each direction, in a box as much larger.
configuration replicate(const configuration& c, int copies);

/// cells^3 unit cells of a face-centred cubic lattice.
configuration face_centred_cubic(int cells, double density);

}  // namespace accrue::program
