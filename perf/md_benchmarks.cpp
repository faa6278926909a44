// SPDX-License-Identifier: BSD-3-Clause
// accrue_md_perf: the standard Lennard-Jones benchmark by every strategy and number of threads, beside LAMMPS where that is found.
// Writes its results as JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <accrue/accrue.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lammps.hpp"
#include "lj_system.hpp"
#include "machine.hpp"

namespace {

using accrue::strategy;
using accrue::program::configuration;
using accrue::program::lj_settings;
using accrue::program::lj_system;
using json = nlohmann::ordered_json;

constexpr double density = 0.8442;
constexpr double temperature = 1.44;
constexpr std::size_t steps = 100;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

/// A hundred steps from the lattice, as the benchmark is defined: time in the pair phase and in neighbour building.
json melt(int cells, int threads, strategy s, bool sums) {
  lj_settings settings;
  settings.threads = threads;
  settings.strategy = s;
  lj_system system(accrue::program::face_centred_cubic(cells, density), settings);
  system.draw_velocities(temperature, 87287);
  system.compute_forces(sums);
  system.reset_times();
  for (std::size_t k = 0; k < steps; ++k) system.step(sums);
  return {{"case", "melt"},
          {"code", "accrue"},
          {"strategy", to_string(s)},
          {"sums", sums},
          {"atoms", system.size()},
          {"threads", threads},
          {"steps", steps},
          {"pair_s", system.pair_s()},
          {"neighbor_s", system.build_s()},
          {"builds", system.builds()},
          {"potential_energy", sums ? json(system.result().energy / static_cast<double>(system.size())) : json()}};
}

/// The melted state.
configuration melted(int cells, int threads) {
  lj_settings settings;
  settings.threads = threads;
  lj_system system(accrue::program::face_centred_cubic(cells, density), settings);
  system.draw_velocities(temperature, 87287);
  for (std::size_t k = 0; k < steps; ++k) system.step(false);
  configuration c = accrue::program::face_centred_cubic(cells, density);
  c.positions = system.positions();
  return c;
}

/// Sweeps over one configuration by one strategy and team: medians of times and of phases.
class sweeper {
 public:
  sweeper(const configuration& c, int threads, strategy s, bool sums) : sums_(sums) {
    lj_settings settings;
    settings.threads = threads;
    settings.strategy = s;
    system_ = std::make_unique<lj_system>(c, settings);
    threads_ = threads;
    strategy_ = s;
    for (int k = 0; k < 5; ++k) system_->compute_forces(sums_);  // the list, the copies, and the staircase
  }
  void run() {
    const double before = system_->pair_s();
    const auto& r = system_->compute_forces(sums_).report;
    seconds_.push_back(system_->pair_s() - before);
    for (std::size_t p = 0; p < 4; ++p) phases_[p].push_back(r.total_s(accrue::all_phases[p]));
    idle_.push_back(r.idle_before_merging_s());
    merge_.push_back(r.merge_s);
  }
  [[nodiscard]] json row() const {
    json j{{"case", "sweep"},          {"code", "accrue"},    {"strategy", to_string(strategy_)}, {"sums", sums_},
           {"atoms", system_->size()}, {"threads", threads_}, {"sweeps", seconds_.size()},        {"sweep_s", median(seconds_)}};
    for (std::size_t p = 0; p < 4; ++p) j[std::string(to_string(accrue::all_phases[p])) + "_s"] = median(phases_[p]);
    j["idle_before_merging_s"] = median(idle_);
    j["merge_s"] = median(merge_);
    j["workspace_bytes"] = system_->result().report.workspace_bytes;
    j["merged_bytes"] = system_->result().report.merged_bytes;
    return j;
  }

 private:
  std::unique_ptr<lj_system> system_;
  int threads_ = 0;
  strategy strategy_ = strategy::automatic;
  bool sums_;
  std::vector<double> seconds_;
  std::vector<double> phases_[4];
  std::vector<double> idle_;
  std::vector<double> merge_;
};

/// Neighbour lists of one configuration.
json build_row(const configuration& c, int threads, accrue::list_kind kind, int repeats) {
  const auto space = accrue::program::make_space(threads);
  accrue::neighbor_list list({c.low, c.length, c.periodic}, 2.5, 0.3, kind);
  const auto x = accrue::array_of_structures<const double>(c.positions.data(), c.size());
  std::vector<double> seconds;
  for (int k = 0; k <= repeats; ++k) {
    const accrue::detail::stopwatch watch;
    list.build(space, x);
    if (k != 0) seconds.push_back(watch.now_s());
  }
  return {{"case", "build"},
          {"code", "accrue"},
          {"kind", kind == accrue::list_kind::half ? "half" : "full"},
          {"atoms", c.size()},
          {"threads", threads},
          {"build_s", median(seconds)},
          {"entries", list.entries()},
          {"memory_bytes", list.memory_bytes()}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The standard Lennard-Jones benchmark: accrue by every strategy, and LAMMPS where found"};
  std::string out;
  std::vector<int> teams{1, 2};
  std::vector<int> cells{20, 40};
  std::vector<std::string> lammps;
  int rounds = 3;
  int sweeps = 41;
  app.add_option("-o,--out", out, "Write the results to this file")->required();
  app.add_option("-j,--threads", teams, "Numbers of threads")->delimiter(',')->capture_default_str();
  app.add_option("--cells", cells, "Unit cells along each edge: 20 for 32000 atoms, 40 for 256000")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--lammps", lammps, "LAMMPS executables, as NAME=PATH")->delimiter(',');
  app.add_option("--rounds", rounds, "Times that each run is done, interleaved")->capture_default_str();
  app.add_option("--sweeps", sweeps, "Sweeps that a median is taken of")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  json j;
  j["context"] = perf::machine();
  j["context"]["program"] = "accrue_md_perf";
  j["rows"] = json::array();
  const auto note = [&](json row) {
    fmt::print(stderr, "{}\n", row.dump());
    j["rows"].push_back(std::move(row));
  };
  if (lammps.empty()) fmt::print(stderr, "no LAMMPS named: its rows are left out\n");

  for (const int n : cells) {
    for (int round = 0; round < rounds; ++round) {
      for (const int threads : teams) {
        for (const bool sums : {true, false}) {
          for (const strategy s : {strategy::replicated, strategy::fixed_point}) note(melt(n, threads, s, sums));
        }
        for (const auto& named : lammps) {
          for (json& row : perf::run_lammps(named, n / 20, threads)) note(std::move(row));
        }
      }
    }
    const configuration c = melted(n, *std::max_element(teams.begin(), teams.end()));
    for (const int threads : teams) {
      for (const auto kind : {accrue::list_kind::half, accrue::list_kind::full}) note(build_row(c, threads, kind, n > 30 ? 5 : 15));
      std::vector<sweeper> all;
      for (const strategy s : accrue::all_strategies) {
        for (const bool sums : {true, false}) all.emplace_back(c, threads, s, sums);
      }
      for (int k = 0; k < sweeps / (n > 30 ? 4 : 1) + 1; ++k) {
        for (sweeper& s : all) s.run();
      }
      for (const sweeper& s : all) note(s.row());
    }
  }
  std::ofstream file(out);
  file << j.dump(1) << '\n';
  file.close();
  if (!file) {
    fmt::print(stderr, "{} cannot be written\n", out);
    return 1;
  }
  return 0;
}
