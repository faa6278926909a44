// SPDX-License-Identifier: BSD-3-Clause
// The committed bits, by the names of their cases.
#pragma once

#include <fstream>
#include <map>
#include <string>

namespace test {

inline std::map<std::string, std::string> read_golden(const std::string& file) {
  std::map<std::string, std::string> lines;
  std::ifstream in(ACCRUE_GOLDEN_FOLDER "/" + file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(" : ");
    lines[line.substr(0, colon)] = line.substr(colon + 3);
  }
  return lines;
}

}  // namespace test
