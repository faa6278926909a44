// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <unistd.h>

#include <accrue/instruction_set.hpp>
#include <accrue/version.hpp>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "commit.hpp"
#include "processor.hpp"

namespace perf {

namespace {

/// The clock of the first processor at this moment, or 0 where the system does not say.
double clock_mhz() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("cpu MHz")) return std::stod(line.substr(line.find(':') + 2));
  }
  return 0;
}

}  // namespace

std::size_t last_level_cache_bytes() {
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{32} << 20;
}

nlohmann::ordered_json machine() {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  nlohmann::ordered_json j{{"date", date},
                           {"accrue", ACCRUE_VERSION},
                           {"commit", ACCRUE_COMMIT},
                           {"compiler", ACCRUE_COMPILER},
                           {"processor", accrue::program::processor_name()},
                           {"processors", std::thread::hardware_concurrency()},
                           {"processor_mhz", clock_mhz()},
                           {"last_level_cache_bytes", last_level_cache_bytes()},
                           {"instruction_set", accrue::to_string(accrue::current_instruction_set())}};
  for (const char* name : {"OMP_PLACES", "OMP_PROC_BIND", "OMP_WAIT_POLICY"}) {
    if (const char* value = std::getenv(name)) j[name] = value;
  }
  if (const std::string compiler = ACCRUE_DEVICE_COMPILER; !compiler.empty()) j["device_compiler"] = compiler;
  return j;
}

}  // namespace perf
