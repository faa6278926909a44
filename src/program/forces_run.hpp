// SPDX-License-Identifier: BSD-3-Clause
// accrue forces: one configuration by one strategy, on the host or on a device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lj_system.hpp"
#include "progress.hpp"

namespace accrue::program {

struct forces_options {
  std::vector<std::string> files;
  std::string format;
  std::string where = "host";
  std::string strategy = "automatic";
  std::string end = "plain";
  bool all = false;
  lj_settings settings;
  double skin = -1;
  int copies = 1;
  int repeats = 1;
  std::size_t steps = 0;
  double temperature = -1;
  std::uint64_t seed = 1;
  bool json = false;
  std::string timeline;
};

/// Energies at one step of a trajectory.
struct sample {
  std::size_t step;
  double potential;
  double kinetic;
};

struct run_report {
  std::string file;
  std::size_t particles;
  double volume;  ///< 0 for boxes that are open somewhere
  strategy used;
  pair_result result;
  double energy_correction = 0;
  double pressure = 0;
  double pressure_correction = 0;
  std::uint64_t checksum = 0;
  std::optional<double> worst_force_error;  ///< against forces in the file, relative to each particle's
  std::size_t entries = 0;
  std::size_t list_bytes = 0;
  double build_s = 0;  ///< mean of a build
  double pair_s = 0;   ///< median of a sweep
  double steps_s = 0;  ///< all steps of the trajectory, lists and samples included
  std::vector<sample> trajectory;
};

inline truncation truncation_named(const std::string& name) {
  return name == "shifted" ? truncation::shifted : name == "shifted-force" ? truncation::shifted_force : truncation::plain;
}

/// The skin asked for, or 0.3 as far as the box allows.
inline double skin_for(const forces_options& o, const configuration& c) {
  if (o.skin >= 0) return o.skin;
  double skin = 0.3;
  for (std::size_t k = 0; k < 3; ++k) {
    if (c.periodic[k]) skin = std::min(skin, c.length[k] / 2 - o.settings.cutoff);
  }
  return std::max(skin, 0.0);  // a cut-off beyond half the box is the list's to refuse
}

inline double worst_error(const std::vector<double>& forces, const std::vector<double>& reference) {
  double worst = 0;
  for (std::size_t i = 0; i + 2 < forces.size(); i += 3) {
    const double size = std::hypot(reference[i], reference[i + 1], reference[i + 2]);
    for (std::size_t k = i; k < i + 3; ++k) worst = std::max(worst, std::fabs(forces[k] - reference[k]) / size);
  }
  return worst;
}

/// What `System`, lj_system or one like it, makes of a configuration.
template <class System>
run_report run_one(const forces_options& o, const std::string& name, const configuration& c, strategy s) {
  lj_settings settings = o.settings;
  settings.strategy = s;
  settings.end = truncation_named(o.end);
  settings.skin = skin_for(o, c);
  System system(c, settings);
  if (o.temperature >= 0) system.draw_velocities(o.temperature, o.seed);

  run_report r{};
  r.file = name;
  r.particles = system.size();
  std::vector<double> seconds;
  for (int k = 0; k < o.repeats; ++k) {
    const double before = system.pair_s();
    system.compute_forces(true);
    seconds.push_back(system.pair_s() - before);
  }
  if (o.steps != 0) {
    progress shown(name + " " + std::string(to_string(s)), o.steps);
    const std::size_t between = std::max<std::size_t>(o.steps / 10, 1);
    r.trajectory.push_back({0, system.result().energy, system.kinetic_energy()});
    const detail::stopwatch watch;
    for (std::size_t k = 1; k <= o.steps; ++k) {
      const bool sampled = k % between == 0 || k == o.steps;
      const double before = system.pair_s();
      system.step(sampled);
      seconds.push_back(system.pair_s() - before);
      if (sampled) r.trajectory.push_back({k, system.result().energy, system.kinetic_energy()});
      shown.at(k);
    }
    r.steps_s = watch.now_s();
  }
  r.used = system.result().report.used;
  r.result = system.result();
  r.checksum = system.force_checksum();
  if (!c.forces.empty() && o.steps == 0) r.worst_force_error = worst_error(system.forces(), c.forces);
  r.entries = system.list().entries();
  r.list_bytes = system.list().memory_bytes();
  r.build_s = system.builds() != 0 ? system.build_s() / static_cast<double>(system.builds()) : 0;
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  r.pair_s = seconds[seconds.size() / 2];
  if (c.periodic[0] && c.periodic[1] && c.periodic[2]) {
    r.volume = system.list().box().volume();
    r.pressure = (2 * system.kinetic_energy() + r.result.virial_trace()) / (3 * r.volume);
    if (settings.end == truncation::plain) {
      r.energy_correction = system.potential().energy_correction(r.particles, r.volume);
      r.pressure_correction = system.potential().pressure_correction(r.particles, r.volume);
    }
  }
  return r;
}

/// Strategies of devices: of lists that hold pairs once, and twice.
inline constexpr strategy device_strategies[] = {strategy::atomic, strategy::gather, strategy::fixed_point};

/// What runs a configuration on a device; the source of a backend with devices sets it.
using run_function = run_report (*)(const forces_options&, const std::string& name, const configuration&, strategy);
inline run_function run_on_device = nullptr;
struct set_run_on_device {
  explicit set_run_on_device(run_function run) { run_on_device = run; }
};

}  // namespace accrue::program
