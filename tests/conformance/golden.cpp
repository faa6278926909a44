// SPDX-License-Identifier: BSD-3-Clause
// The golden bits: results that every backend, on every machine, must reproduce.
#include "suite.hpp"

#include "golden/results.hpp"
#include "support/golden_file.hpp"

using namespace test;

TEST_CASE("golden bits", "[golden]") {
  const auto golden = read_golden("bits.txt");
  for_each_case([&](const std::string& name, const auto& x) {
    CAPTURE(name);
    REQUIRE(golden.contains(name));
    CHECK(on(x, [](const auto& s, auto r) { return results_of_case(s, r); }) == golden.at(name));
  });
}
