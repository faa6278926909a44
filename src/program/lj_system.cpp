// SPDX-License-Identifier: BSD-3-Clause
// The motion of Lennard-Jones particles.
#include "lj_system.hpp"

#include <bit>
#include <cmath>
#include <random>

namespace accrue::program {

namespace {

list_kind kind_for(strategy s) { return s == strategy::gather ? list_kind::full : list_kind::half; }

/// Calls `move(k)` for every coordinate, in shares of the space's threads.
template <class Move>
void for_each_coordinate(const default_host_space& space, std::size_t n, const Move& move) {
  auto member = [&](int rank, int size) {
    const auto s = detail::staircase_share(n, rank, size, 0);
    for (std::size_t k = s.begin; k < s.end; ++k) move(k);
  };
  team_of(space).run(member);
}

}  // namespace

lj_system::lj_system(const configuration& c, const lj_settings& settings)
    : lj_sweeps(c, settings, kind_for(settings.strategy)),
      space_(make_space(settings.threads)),
      positions_(c.positions),
      velocities_(c.velocities),
      force_(c.positions.size()) {}

const pair_result& lj_system::compute_forces(bool sums) {
  return sweep(space_, array_of_structures<const double>(positions_.data(), size()), array_of_structures(force_.data(), size()), sums);
}

const pair_result& lj_system::step(bool sums) {
  if (velocities_.empty()) velocities_.assign(positions_.size(), 0.0);
  if (sweeps() == 0) compute_forces(sums);
  const double dt = settings_.timestep;
  for_each_coordinate(space_, positions_.size(), [&](std::size_t k) {
    velocities_[k] += dt / 2 * force_[k];
    positions_[k] += dt * velocities_[k];
  });
  compute_forces(sums);
  for_each_coordinate(space_, positions_.size(), [&](std::size_t k) { velocities_[k] += dt / 2 * force_[k]; });
  return result();
}

std::vector<double> drawn_velocities(std::size_t particles, double temperature, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> velocities(3 * particles);
  for (double& v : velocities) v = normal(random);
  for (std::size_t k = 0; k < 3; ++k) {
    double mean = 0;
    for (std::size_t i = k; i < velocities.size(); i += 3) mean += velocities[i];
    mean /= static_cast<double>(particles);
    for (std::size_t i = k; i < velocities.size(); i += 3) velocities[i] -= mean;
  }
  const double freedom = 3.0 * static_cast<double>(particles) - 3;
  const double scale = std::sqrt(temperature * freedom / sum_squares(default_host_space{}, velocities));
  for (double& v : velocities) v *= std::isfinite(scale) ? scale : 0;
  return velocities;
}

double lj_system::kinetic_energy() const { return velocities_.empty() ? 0 : sum_squares(space_, velocities_) / 2; }

std::uint64_t checksum_of(const std::vector<double>& numbers) {
  // FNV-1a over the words, in their order
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double f : numbers) hash = (hash ^ std::bit_cast<std::uint64_t>(f)) * 0x100000001b3u;
  return hash;
}

configuration replicate(const configuration& c, int copies) {
  configuration all = c;
  all.positions.clear();
  all.velocities.clear();
  all.forces.clear();
  for (int x = 0; x < copies; ++x) {
    for (int y = 0; y < copies; ++y) {
      for (int z = 0; z < copies; ++z) {
        const double shift[3] = {x * c.length[0], y * c.length[1], z * c.length[2]};
        for (std::size_t k = 0; k < c.positions.size(); ++k) all.positions.push_back(c.positions[k] + shift[k % 3]);
        all.velocities.insert(all.velocities.end(), c.velocities.begin(), c.velocities.end());
        all.forces.insert(all.forces.end(), c.forces.begin(), c.forces.end());
      }
    }
  }
  for (double& length : all.length) length *= copies;
  return all;
}

configuration face_centred_cubic(int cells, double density) {
  const double edge = std::cbrt(4 / density);
  configuration c;
  c.format = "lattice";
  c.length = {edge * cells, edge * cells, edge * cells};
  constexpr double basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      for (int k = 0; k < cells; ++k) {
        for (const auto& b : basis) {
          c.positions.insert(c.positions.end(), {(k + b[0]) * edge, (j + b[1]) * edge, (i + b[2]) * edge});
        }
      }
    }
  }
  return c;
}

}  // namespace accrue::program
