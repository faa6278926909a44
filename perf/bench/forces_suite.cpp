// SPDX-License-Identifier: BSD-3-Clause
// The standard Lennard-Jones benchmark by every strategy and number of threads, beside LAMMPS where that is named.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <accrue/md/md.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lammps.hpp"
#include "lj_system.hpp"
#include "suites.hpp"

namespace perf {

namespace {

using accrue::strategy;
using accrue::program::configuration;
using accrue::program::lj_settings;
using accrue::program::lj_system;

constexpr double density = 0.8442;
constexpr double temperature = 1.44;
constexpr std::size_t steps = 100;

json labels_of(const char* what, const std::string& by, std::size_t atoms, int threads) {
  return {{"suite", "forces"}, {"where", "host"}, {"what", what}, {"by", by}, {"n", atoms}, {"threads", threads}};
}
lj_settings settings_of(int threads, strategy s) {
  lj_settings settings;
  settings.threads = threads;
  settings.strategy = s;
  return settings;
}
lj_system at_the_start(int cells, int threads, strategy s) {
  lj_system system(accrue::program::face_centred_cubic(cells, density), settings_of(threads, s));
  system.draw_velocities(temperature, 87287);
  return system;
}
/// The melted state.
configuration melted(int cells, int threads) {
  lj_system system = at_the_start(cells, threads, strategy::automatic);
  for (std::size_t k = 0; k < steps; ++k) system.step(false);
  configuration c = accrue::program::face_centred_cubic(cells, density);
  c.positions = system.positions();
  return c;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}
/// Figures of calls, of which a row has the medians.
class figures {
 public:
  void note(const std::string& name, double value) { values_[name].push_back(value); }
  [[nodiscard]] json medians() const {
    json j = json::object();
    for (const auto& [name, values] : values_) j[name] = median(values);
    return j;
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

/// A sample of something that times itself.
template <class Once>
sample mean_of(const Once& once) {
  return [once](std::size_t calls) {
    double sum = 0;
    for (std::size_t k = 0; k < calls; ++k) sum += once();
    return sum / static_cast<double>(calls);
  };
}

/// A hundred steps from the lattice, as the benchmark is defined: time in the pair phase and in neighbour building. The lattice's energy
/// an atom is known.
row melt(int cells, int threads, strategy s, bool sums) {
  json labels = labels_of("melt", "accrue", 4 * static_cast<std::size_t>(cells) * cells * cells, threads);
  labels["strategy"] = to_string(s);
  labels["sums"] = sums;
  auto seen = std::make_shared<figures>();
  const auto once = [=] {
    lj_system system = at_the_start(cells, threads, s);
    const double energy = system.compute_forces(true).energy / static_cast<double>(system.size());
    system.reset_times();
    for (std::size_t k = 0; k < steps; ++k) system.step(sums);
    seen->note("pair_s", system.pair_s());
    seen->note("neighbor_s", system.build_s());
    seen->note("builds", static_cast<double>(system.builds()));
    seen->note("lattice_energy", energy);
    return system.pair_s() + system.build_s();
  };
  return {.labels = labels,
          .time = [once](std::size_t) { return once(); },
          .check = [seen] {
            json found = seen->medians();
            found["steps"] = steps;
            found["verified"] = std::fabs(found["lattice_energy"].get<double>() + 6.7733681) < 1e-6;
            return found;
          }};
}

enum class sums_of_sweep { none, energy, energy_and_virial };

/// A sweep over one configuration; energies are exact sums, the same for all strategies and teams.
row sweep(const std::shared_ptr<configuration>& c, std::size_t atoms, int threads, strategy s, sums_of_sweep wanted,
          const std::shared_ptr<double>& energy) {
  json labels = labels_of("sweep", "accrue", atoms, threads);
  labels["strategy"] = to_string(s);
  const bool sums = wanted != sums_of_sweep::none;
  if (wanted == sums_of_sweep::energy) {
    labels["sums"] = "energy";
  } else {
    labels["sums"] = sums;
  }
  struct shared {
    std::unique_ptr<lj_system> system;
    figures seen;
  };
  auto state = std::make_shared<shared>();
  const auto once = [=] {
    if (!state->system) {
      lj_settings settings = settings_of(threads, s);
      settings.virial = wanted == sums_of_sweep::energy_and_virial;
      state->system = std::make_unique<lj_system>(*c, settings);
      for (int k = 0; k < 4; ++k) state->system->compute_forces(sums);  // the list, the copies, and the staircase
    }
    const double before = state->system->pair_s();
    const auto& report = state->system->compute_forces(sums).report;
    for (const auto p : accrue::all_phases) state->seen.note(std::string(to_string(p)) + "_s", report.total_s(p));
    state->seen.note("idle_before_merging_s", report.idle_before_merging_s());
    state->seen.note("merge_s", report.merge_s);
    return state->system->pair_s() - before;
  };
  return {.labels = labels,
          .time = mean_of(once),
          .check = [=] {
            json found = state->seen.medians();
            const auto& report = state->system->result().report;
            found["workspace_bytes"] = report.workspace_bytes;
            found["merged_bytes"] = report.merged_bytes;
            const double e = state->system->compute_forces(true).energy;
            if (*energy == 0) *energy = e;
            found["verified"] = e == *energy;
            return found;
          }};
}

/// Building the neighbour list of one configuration. A full list has each pair twice.
row build(const std::shared_ptr<configuration>& c, std::size_t atoms, int threads, accrue::list_kind kind,
          const std::shared_ptr<std::size_t>& pairs) {
  json labels = labels_of("list", "accrue", atoms, threads);
  labels["kind"] = kind == accrue::list_kind::half ? "half" : "full";
  auto list = std::make_shared<std::unique_ptr<accrue::neighbor_list>>();
  const auto once = [=] {
    const auto space = accrue::program::make_space(threads);
    if (!*list) *list = std::make_unique<accrue::neighbor_list>(accrue::orthorhombic_box{c->low, c->length, c->periodic}, 2.5, 0.3, kind);
    const accrue::detail::stopwatch watch;
    (*list)->build(space, accrue::array_of_structures<const double>(c->positions.data(), c->size()));
    return watch.now_s();
  };
  return {.labels = labels,
          .time = mean_of(once),
          .check = [=] {
            const std::size_t entries = (*list)->entries();
            const std::size_t found = kind == accrue::list_kind::half ? entries : entries / 2;
            if (*pairs == 0) *pairs = found;
            return json{{"entries", entries}, {"memory_bytes", (*list)->memory_bytes()}, {"verified", found == *pairs && found > 0}};
          }};
}

/// LAMMPS times its own phases, in a run of its own.
void lammps_rows(runner& r, const std::string& named, int cells, int threads) {
  if (!r.timed()) return;
  for (const json& found : run_lammps(named, cells / 20, threads)) {
    json labels = labels_of("melt", found["code"], found["atoms"], threads);
    labels["strategy"] = found["strategy"];
    labels["sums"] = found["sums"];
    const double seconds = found["pair_s"].get<double>() + found["neighbor_s"].get<double>();
    json about = json::object();
    for (const char* key : {"pair_s", "neighbor_s", "builds", "steps"}) about[key] = found[key];
    r.measure({{.labels = labels, .time = [seconds](std::size_t) { return seconds; }, .about = [about] { return about; }}}, [] {});
  }
}

void run(runner& r, const stage&, const extent& e, json&) {
  for (const int cells : e.cells) {
    const std::size_t atoms = 4 * static_cast<std::size_t>(cells) * cells * cells;
    for (const int threads : e.threads) {
      std::vector<row> melts;
      for (const bool sums : {true, false}) {
        for (const strategy s : {strategy::replicated, strategy::fixed_point}) melts.push_back(melt(cells, threads, s, sums));
      }
      r.measure(std::move(melts), [] {});
      for (const std::string& named : e.lammps) lammps_rows(r, named, cells, threads);
    }
    const auto c = std::make_shared<configuration>();
    const auto energy = std::make_shared<double>(0);
    const auto pairs = std::make_shared<std::size_t>(0);
    const auto prepare = [&] {
      if (c->positions.empty()) *c = melted(cells, *std::max_element(e.threads.begin(), e.threads.end()));
    };
    for (const int threads : e.threads) {
      std::vector<row> builds;
      for (const auto kind : {accrue::list_kind::half, accrue::list_kind::full}) builds.push_back(build(c, atoms, threads, kind, pairs));
      r.measure(std::move(builds), prepare);
      std::vector<row> sweeps;
      for (const strategy s : accrue::all_strategies) {
        for (const auto sums : {sums_of_sweep::energy_and_virial, sums_of_sweep::energy, sums_of_sweep::none}) {
          sweeps.push_back(sweep(c, atoms, threads, s, sums, energy));
        }
      }
      r.measure(std::move(sweeps), prepare);
    }
  }
}

const bool added = (optional_suites().push_back({"forces", run}), true);

}  // namespace

}  // namespace perf
