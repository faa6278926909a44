// SPDX-License-Identifier: BSD-3-Clause
// accrue_bench, which `accrue bench` starts: suites of verified, timed rows. Rows go to standard output and, with all that was
// measured on, to a JSON file; progress to standard error.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <accrue/instruction_set.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "machine.hpp"
#include "suites.hpp"

namespace {

using perf::json;

/// Those of every build, and those that this one has.
std::vector<std::string> names_of_suites() {
  std::vector<std::string> names{"ladder", "rivals", "sizes", "types", "groups", "scaling", "loops"};
  for (const auto& suite : perf::optional_suites()) names.push_back(suite.name);
  for (const auto& suite : perf::device_suites()) names.push_back(suite.name);
  return names;
}

/// 1, 2, 3, 4, 6, 8, 12, ... and the most.
std::vector<int> steps_to(int most) {
  std::vector<int> steps;
  for (const int t : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}) {
    if (t < most) steps.push_back(t);
  }
  steps.push_back(most);
  return steps;
}

/// Has accrue's kernels use no more than a set of instructions.
void limit_to(const std::string& name) {
  using accrue::instruction_set;
  for (const auto set : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (name == accrue::to_string(set) && accrue::limit_instruction_set(set) == set) return;
  }
  throw std::runtime_error("this processor has no " + name);
}

/// What a results file holds of suites that are not run now. It must be of the same machine, compilers and commit.
json kept_rows(const std::string& path, const std::vector<std::string>& suites, const json& now) {
  json rows = json::array();
  std::ifstream file(path);
  if (!file) return rows;
  const json before = json::parse(file);
  for (const char* what : {"commit", "compiler", "device_compiler", "processor", "processors", "device", "driver"}) {
    if (before.contains(what) && now.contains(what) && before[what] != now[what]) {
      throw std::runtime_error(fmt::format("{} was made with another {}: {}", path, what, before[what].dump()));
    }
  }
  for (const json& r : before["rows"]) {
    if (std::find(suites.begin(), suites.end(), r["suite"].get<std::string>()) == suites.end()) rows.push_back(r);
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"accrue beside its limits and its rivals: every row verified, then timed until its median is known"};
  app.option_defaults()->always_capture_default();
  perf::choices choices;
  perf::extent extent;
  std::vector<std::string> suites;
  std::string where = "all";
  std::string out;
  bool keep = false;
  std::size_t mib = 0;
  std::size_t cache_mib = 0;
  std::string instruction_set;
  const std::vector<std::string> all_suites = names_of_suites();
  app.add_flag("--list", choices.list, "Name the rows and end");
  app.add_option("--suite", suites, "Which suites; all unless some are named")->check(CLI::IsMember(all_suites));
  app.add_option("--filter", choices.filter, "Only rows whose name holds all these words");
  app.add_option("--where", where, "host, device, or all that this build and machine have")
      ->check(CLI::IsMember({"host", "device", "all"}));
  app.add_option("--mib", mib, "Size of the large inputs (0: 2048 on a device, else four times the last-level cache)");
  app.add_option("--cache-mib", cache_mib,
                 "The last-level cache, which the inputs of calls in a row exceed (0: as the system says)");
  app.add_option("--most", extent.most_log2, "Largest log2 of the sizes (0: 30 on a device, else 26)");
  app.add_option("--threads", extent.threads, "Threads that scaling goes through (default: 1 to all of them)");
  app.add_option("--cells", extent.cells,
                 "Unit cells along the edge of each box of forces and device_forces (default: 20, for 32000 atoms)");
  app.add_option("--lammps", extent.lammps, "LAMMPS executables beside the suite forces, as NAME=PATH");
  app.add_option("--instruction-set", instruction_set, "Limit the host's kernels to SSE2, AVX2 or AVX-512")->capture_default_str();
  app.add_option("--spread", choices.stop.spread, "Repeat until the median is known to within this part of it");
  app.add_option("--rounds", choices.stop.rounds, "... or for so many rounds");
  app.add_option("--seconds", choices.stop.seconds, "... or for so long a row");
  app.add_flag("--once", choices.once, "Verify the rows and time nothing: for profilers and race checkers");
  app.add_option("--json", out, "Write the results to this file");
  app.add_flag("--keep", keep, "Leave the rows of other suites that the file holds, if they are of this machine and commit");
  CLI11_PARSE(app, argc, argv);
  if (suites.empty()) suites = all_suites;
  const auto wants = [&](const char* suite) { return std::find(suites.begin(), suites.end(), suite) != suites.end(); };
  if (extent.cells.empty()) extent.cells = {20};
  try {
    if (!instruction_set.empty()) limit_to(instruction_set);
    if (wants("ranks") && perf::follow_first_rank() && perf::follow_first_rank()()) return 0;
    const auto host = perf::make_host_stage();
    std::unique_ptr<perf::stage> device;
    try {
      if (where != "host") device = perf::make_device_stage();
    } catch (const std::exception& e) {
      if (where == "device") throw;
      fmt::print(stderr, "no rows on a device: {}\n", e.what());
    }
    if (where == "device" && !device) throw std::runtime_error("this build has no device's backend (ACCRUE_BACKENDS)");
    json results = perf::machine();
    if (device) results.update(device->facts());
    if (!choices.list) fmt::print("{}\n", results.dump());

    const json kept = keep ? kept_rows(out, suites, results) : json::array();
    const auto save = [&](const json& rows) {
      if (out.empty()) return;
      results["rows"] = kept;
      results["rows"].insert(results["rows"].end(), rows.begin(), rows.end());
      // A run that is killed while it writes leaves the file as it was. Links and devices are written through.
      const auto kind = std::filesystem::symlink_status(out);
      const bool in_place = std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind);
      const std::string part = in_place ? out : out + ".part";
      std::ofstream file(part);
      file << results.dump(1) << '\n';
      file.close();
      if (!file) throw std::runtime_error("cannot write " + part);
      if (!in_place) std::filesystem::rename(part, out);
    };
    choices.save = save;  // a run that is cut short leaves what it has measured
    perf::runner runner(choices);
    if (wants("ladder")) {
      if (perf::ladder_suite() && (device || choices.list)) {
        perf::ladder_suite()(runner, device.get(), results);
      } else if (suites.size() == 1) {
        throw std::runtime_error("the ladder needs the cuda backend (ACCRUE_BACKENDS) and a device");
      } else {
        fmt::print(stderr, "no ladder: it needs the cuda backend and a device\n");
      }
    }
    const auto on = [&](const perf::stage& stage) {
      perf::extent e = extent;
      const bool is_device = stage.threads() == 0;
      e.cache_bytes = cache_mib > 0 ? cache_mib << 20 : stage.cache_bytes();
      e.bytes = mib << 20;
      if (mib == 0) e.bytes = is_device ? std::size_t{2} << 30 : 4 * e.cache_bytes;
      if (e.most_log2 == 0) e.most_log2 = is_device ? 30 : 26;
      if (e.threads.empty()) e.threads = steps_to(host->threads());
      if (wants("rivals")) perf::rivals_suite(runner, stage, e);
      if (wants("types")) perf::types_suite(runner, stage, *host, e);
      if (wants("groups")) perf::groups_suite(runner, stage, *host, e);
      if (wants("sizes")) perf::sizes_suite(runner, stage, e);
      for (const auto& suite : perf::device_suites()) {
        if (is_device && wants(suite.name.c_str())) suite.run(runner, stage, e);
      }
      if (is_device) return;
      if (wants("scaling")) perf::scaling_suite(runner, stage, e);
      if (wants("loops")) perf::loops_suite(runner, stage, e);
      for (const auto& suite : perf::optional_suites()) {
        if (wants(suite.name.c_str())) suite.run(runner, stage, e, results);
      }
    };
    if (device) on(*device);
    if (where != "device") on(*host);

    for (const auto& end : perf::at_the_end()) end();
    if (device) results["at_the_end"] = device->facts()["clocks_temperature_power_now"];
    save(runner.rows());
    if (!runner.all_right()) throw std::runtime_error("some results are wrong");
  } catch (const std::exception& e) {
    fmt::print(stderr, "accrue_bench: {}\n", e.what());
    return 1;
  }
  return 0;
}
