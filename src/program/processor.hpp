// SPDX-License-Identifier: BSD-3-Clause
// What processor this is.
#pragma once

#include <fstream>
#include <string>

namespace accrue::program {

/// The name that the kernel gives the first processor; of ARM's, which have none there, the numbers of implementer and part.
inline std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  std::string numbers;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name") || line.starts_with("cpu\t")) return value;
    if (line.starts_with("CPU implementer")) numbers = "ARM implementer " + value;
    if (line.starts_with("CPU part")) numbers += " part " + value;
  }
  return numbers.empty() ? "unknown" : numbers;
}

}  // namespace accrue::program
