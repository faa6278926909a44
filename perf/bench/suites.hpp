// SPDX-License-Identifier: BSD-3-Clause
// The suites: what is measured on a stage.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runner.hpp"
#include "stage.hpp"

namespace perf {

struct extent {
  std::size_t bytes = 0;            ///< of the large inputs
  std::size_t cache_bytes = 0;      ///< that inputs of calls in a row exceed, twice over
  int most_log2 = 0;                ///< of the sizes
  std::vector<int> threads;         ///< that `scaling`, `loops` and `forces` go through
  std::vector<int> cells;           ///< unit cells along an edge of the boxes of `forces` and `device_forces`
  std::vector<std::string> lammps;  ///< NAME=PATH of executables beside `forces`
};

/// A suite of the host that some builds have: its file adds it before main. `run` may add to the header of the results.
struct optional_suite {
  std::string name;
  std::function<void(runner&, const stage& host, const extent&, json& header)> run;
};
inline std::vector<optional_suite>& optional_suites() {
  static std::vector<optional_suite> all;
  return all;
}

/// A suite of devices that some builds have, likewise.
struct device_suite {
  std::string name;
  std::function<void(runner&, const stage& device, const extent&)> run;
};
inline std::vector<device_suite>& device_suites() {
  static std::vector<device_suite> all;
  return all;
}

/// Where the program runs on several ranks, in builds that have a suite of them: those behind the first do what it asks them to until it
/// ends, and then answer true.
inline std::function<bool()>& follow_first_rank() {
  static std::function<bool()> follow;
  return follow;
}

/// The published ladders, in builds that have them; it adds to the header of the results. Without a device they can be listed.
inline std::function<void(runner&, const stage* device, json&)>& ladder_suite() {
  static std::function<void(runner&, const stage*, json&)> suite;
  return suite;
}
/// Every contender of a stage: speed on a large input, and its errors on easy, ill-conditioned and special ones.
void rivals_suite(runner& r, const stage& on, const extent& e);
/// Every contender's sum of 2^4 elements and up; on devices on a stream, and in graphs where it may be captured.
void sizes_suite(runner& r, const stage& on, const extent& e);
/// accrue's reductions of every element type, verified against the host's results.
void types_suite(runner& r, const stage& on, const stage& host, const extent& e);
/// Reductions of groupings of every shape, verified group by group.
void groups_suite(runner& r, const stage& on, const stage& host, const extent& e);
/// The host's sums, dot products and minima on growing teams of threads.
void scaling_suite(runner& r, const stage& host, const extent& e);
/// accrue's CPU kernels beside plain vectorised loops: in caches, from memory, and in short calls.
void loops_suite(runner& r, const stage& host, const extent& e);

}  // namespace perf
