// SPDX-License-Identifier: BSD-3-Clause
// accrue info: the devices of a backend, their bandwidths, and the library's kernels on them.
#pragma once

#include <fmt/format.h>

#include <accrue/accrue.hpp>
#include <string>

#include "info_sections.hpp"

namespace accrue::program {

template <class Space>
nlohmann::ordered_json collect_devices() {
  nlohmann::ordered_json j;
  std::string why;
  j["devices"] = nlohmann::ordered_json::array();
  for (const auto& d : simt::devices<Space>(why)) {
    const auto b = simt::measure_bandwidths<Space>(d.facts.device);
    nlohmann::ordered_json one{{"name", d.name},
                               {"target", d.target},
                               {"warp_width", d.facts.warp_width},
                               {"multiprocessors", d.facts.multiprocessors},
                               {"memory_bytes", d.memory_bytes},
                               {"l2_bytes", d.l2_bytes},
                               {"shared_bytes_per_block", d.facts.shared_bytes},
                               {"clock_khz", d.clock_khz},
                               {"memory_clock_khz", d.memory_clock_khz},
                               {"memory_bus_bits", d.memory_bus_bits},
                               {"driver", d.driver},
                               {"runtime", d.runtime},
                               {"pageable_to_device_bytes_per_s", b.pageable_to_device},
                               {"device_to_pageable_bytes_per_s", b.device_to_pageable},
                               {"pinned_to_device_bytes_per_s", b.pinned_to_device},
                               {"device_to_pinned_bytes_per_s", b.device_to_pinned},
                               {"device_to_device_bytes_per_s", b.device_to_device},
                               {"read_bytes_per_s", b.read}};
    one["kernels"] = nlohmann::ordered_json::array();
    for (const auto& k : simt::kernels<Space>(d.facts.device)) {
      const double resident = k.blocks_per_multiprocessor * static_cast<double>(k.threads);
      one["kernels"].push_back({{"name", k.name},
                                {"registers", k.registers},
                                {"static_shared_bytes", k.static_shared_bytes},
                                {"dynamic_shared_bytes", k.dynamic_shared_bytes},
                                {"local_bytes", k.local_bytes},
                                {"threads", k.threads},
                                {"blocks_per_multiprocessor", k.blocks_per_multiprocessor},
                                {"occupancy", resident / d.threads_per_multiprocessor}});
    }
    j["devices"].push_back(std::move(one));
  }
  if (j["devices"].empty()) j["none"] = "no device (" + why + ")";
  return j;
}

inline void print_devices(const char* backend, const nlohmann::ordered_json& j) {
  if (j.contains("none")) return print_line(backend, j["none"]);
  for (const auto& d : j["devices"]) {
    const auto number = [&](const char* key) { return d[key].get<double>(); };
    const auto rate = [&](const char* key) { return fmt::format("{:.1f} GB/s", number(key) * 1e-9); };
    print_line(backend, fmt::format("{}, {}, {} multiprocessors, warps of {}", d["name"].get<std::string>(),
                                    d["target"].get<std::string>(), d["multiprocessors"].get<int>(), d["warp_width"].get<int>()));
    print_line("  clocks", fmt::format("{:.0f} MHz, memory {:.0f} MHz, {} bits", number("clock_khz") * 1e-3,
                                       number("memory_clock_khz") * 1e-3, d["memory_bus_bits"].get<int>()));
    print_line("  memory, L2, shared a block",
               fmt::format("{:.1f} GiB, {:.0f} MiB, {:.0f} KiB", number("memory_bytes") / 1073741824.0,
                           number("l2_bytes") / 1048576.0, number("shared_bytes_per_block") / 1024.0));
    print_line("  driver, runtime", fmt::format("{}, {}", d["driver"].get<int>(), d["runtime"].get<int>()));
    print_line("  host to device", rate("pageable_to_device_bytes_per_s") + ", pinned " + rate("pinned_to_device_bytes_per_s"));
    print_line("  device to host", rate("device_to_pageable_bytes_per_s") + ", pinned " + rate("device_to_pinned_bytes_per_s"));
    print_line("  device to device", rate("device_to_device_bytes_per_s") + " read and written");
    print_line("  read only", rate("read_bytes_per_s"));
    fmt::print("\n  {:<62}{:>9}{:>8}{:>9}{:>7}{:>8}{:>7}{:>11}\n", "kernel", "registers", "static", "dynamic", "local", "threads",
               "blocks", "occupancy");
    for (const auto& k : d["kernels"]) {
      fmt::print("  {:<62}{:>9}{:>8}{:>9}{:>7}{:>8}{:>7}{:>10.0f}%\n", k["name"].get<std::string>().substr(0, 61),
                 k["registers"].get<int>(), k["static_shared_bytes"].get<int>(), k["dynamic_shared_bytes"].get<int>(),
                 k["local_bytes"].get<int>(), k["threads"].get<int>(), k["blocks_per_multiprocessor"].get<int>(),
                 100 * k["occupancy"].get<double>());
    }
  }
}

}  // namespace accrue::program
