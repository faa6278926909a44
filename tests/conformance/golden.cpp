// SPDX-License-Identifier: BSD-3-Clause
// The golden bits: results that every backend, on every machine, must reproduce.
#include "suite.hpp"

#include <fstream>
#include <map>

#include "golden/results.hpp"

using namespace test;

namespace {

std::map<std::string, std::string> read_golden() {
  std::map<std::string, std::string> lines;
  std::ifstream in(ACCRUE_GOLDEN_FILE);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(" : ");
    lines[line.substr(0, colon)] = line.substr(colon + 3);
  }
  return lines;
}

}  // namespace

TEST_CASE("golden bits", "[golden]") {
  const auto golden = read_golden();
  for_each_case([&](const std::string& name, const auto& x) {
    CAPTURE(name);
    REQUIRE(golden.contains(name));
    CHECK(on(x, [](const auto& s, auto r) { return results_of_case(s, r); }) == golden.at(name));
  });
}
