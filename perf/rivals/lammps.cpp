// SPDX-License-Identifier: BSD-3-Clause
// Running LAMMPS and reading its log.
#include "lammps.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>

namespace perf {

namespace {

// The benchmark as it is published with LAMMPS, in its own terms.
constexpr const char* deck = R"(units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {0} 0 {0} 0 {0}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
run 100
)";

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string all;
  std::array<char, 4096> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe.get()) != nullptr) all += piece.data();
  return all;
}

/// The average seconds of a line of the timing table, "Pair    | min | avg | max |...", or of its one-rank form.
std::optional<double> seconds(const std::string& log, const std::string& line) {
  const auto at = log.find("\n" + line);
  if (at == std::string::npos) return std::nullopt;
  const auto first = log.find('|', at);
  const auto second = first == std::string::npos ? first : log.find('|', first + 1);
  if (second == std::string::npos) return std::nullopt;
  try {
    return std::stod(log.substr(second + 1));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<double> number_after(const std::string& log, const std::string& words) {
  const auto at = log.find(words);
  if (at == std::string::npos) return std::nullopt;
  return std::stod(log.substr(at + words.size()));
}

}  // namespace

std::vector<nlohmann::ordered_json> run_lammps(const std::string& named, int scale, int threads) {
  const auto equals = named.find('=');
  const std::string name = named.substr(0, equals);
  const std::string path = equals == std::string::npos ? named : named.substr(equals + 1);
  const auto file = std::filesystem::temp_directory_path() / fmt::format("accrue_lammps_{}.in", scale);
  std::ofstream(file) << fmt::format(deck, 20 * scale);

  struct style {
    const char* name;
    std::string arguments;
    bool threaded;
  };
  const style styles[] = {
      {"lj/cut", "", false}, {"lj/cut/opt", "-sf opt", false}, {"lj/cut/omp", fmt::format("-sf omp -pk omp {}", threads), true}};
  std::vector<nlohmann::ordered_json> rows;
  for (const style& s : styles) {
    if (!s.threaded && threads != 1) continue;
    const std::string log =
        output_of(fmt::format("OMP_NUM_THREADS={} '{}' -in '{}' -log none {} 2>&1", threads, path, file.string(), s.arguments));
    const auto pair = seconds(log, "Pair    |");
    const auto neighbor = seconds(log, "Neigh   |");
    const auto builds = number_after(log, "Neighbor list builds = ");
    if (!pair || !neighbor || !builds) {
      fmt::print(stderr, "{} does not run {}\n", name, s.name);
      continue;
    }
    rows.push_back({{"case", "melt"},
                    {"code", "LAMMPS " + name},
                    {"strategy", s.name},
                    {"sums", false},  // tallied at the first and the last step only
                    {"atoms", 32000 * scale * scale * scale},
                    {"threads", threads},
                    {"steps", 100},
                    {"pair_s", *pair},
                    {"neighbor_s", *neighbor},
                    {"builds", *builds}});
  }
  std::filesystem::remove(file);
  return rows;
}

}  // namespace perf
