// SPDX-License-Identifier: BSD-3-Clause
// What processor this is.
#pragma once

#include <fstream>
#include <string>

namespace accrue::program {

inline std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace accrue::program
