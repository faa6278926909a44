// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS as a rival: the standard Lennard-Jones benchmark by its executable, with the times that it reports.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace perf {

/// Runs lj/cut, lj/cut/opt and lj/cut/omp as far as the executable has them, on `threads` threads, a system of `scale`^3 times
/// 32000 atoms; one row for each that ran. `named` is NAME=PATH. Styles without threads run for one thread only.
std::vector<nlohmann::ordered_json> run_lammps(const std::string& named, int scale, int threads);

}  // namespace perf
