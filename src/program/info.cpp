// SPDX-License-Identifier: BSD-3-Clause
// accrue info: the build, the processor, the rate at which it reads memory, and what backends add.
#include <fmt/format.h>
#include <unistd.h>

#include <accrue/accrue.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "info_sections.hpp"
#include "processor.hpp"

namespace accrue::program {

namespace {

/// Bytes a second at which `space` reads 512 MiB: the median of five fast sums.
template <class Space>
double read_bandwidth(const Space& space) {
  const std::vector<double> x(std::size_t{1} << 26, 1.0);
  std::vector<double> seconds;
  double total = 0;
  for (int k = 0; k < 5; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    total += sum(space, x, fast);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  if (total != 5.0 * static_cast<double>(x.size())) throw error(errc::internal, "info: the bandwidth loop summed wrongly");
  std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
  return static_cast<double>(x.size() * sizeof(double)) / seconds[2];
}

nlohmann::ordered_json collect() {
  nlohmann::ordered_json j;
  j["version"] = ACCRUE_VERSION;
  j["backends"] = backend_names;
  j["default_backend"] = default_space::name;
  j["processor"] = processor_name();
  j["processors_online"] = std::thread::hardware_concurrency();
  j["instruction_set"] = to_string(current_instruction_set());
  j["l1d_bytes"] = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  j["l2_bytes"] = sysconf(_SC_LEVEL2_CACHE_SIZE);
  j["l3_bytes"] = sysconf(_SC_LEVEL3_CACHE_SIZE);
  j["read_bandwidth_one_thread_bytes_per_s"] = read_bandwidth(serial{});
  j["read_bandwidth_all_threads_bytes_per_s"] = read_bandwidth(default_host_space{});
  for (const info_section& s : info_sections()) j[s.key] = s.collect();
  return j;
}

void print(const nlohmann::ordered_json& j) {
  const auto kib = [&](const char* key) {  // the C library does not know it of every processor
    const auto bytes = j[key].get<std::int64_t>();
    return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : std::string("unknown");
  };
  const auto rate = [&](const char* key) { return fmt::format("{:.1f} GB/s", j[key].get<double>() * 1e-9); };
  print_line("accrue", j["version"]);
  print_line("backends", j["backends"].get<std::string>() + " (default " + j["default_backend"].get<std::string>() + ")");
  print_line("processor", j["processor"]);
  print_line("processors online", std::to_string(j["processors_online"].get<unsigned>()));
  print_line("instruction set", j["instruction_set"]);
  print_line("caches L1d, L2, L3", kib("l1d_bytes") + ", " + kib("l2_bytes") + ", " + kib("l3_bytes"));
  print_line("read bandwidth, one thread", rate("read_bandwidth_one_thread_bytes_per_s"));
  print_line("read bandwidth, all threads", rate("read_bandwidth_all_threads_bytes_per_s"));
  for (const info_section& s : info_sections()) s.print(j[s.key]);
}

}  // namespace

void print_line(const char* name, const std::string& value) { fmt::print("{:<28}{}\n", name, value); }

void add_info(CLI::App& app) {
  auto* command = app.add_subcommand("info", "Show the build, the processor, the devices and their bandwidths");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json] {
    const auto j = collect();
    if (*json) {
      fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
      print(j);
    }
  });
}

}  // namespace accrue::program
