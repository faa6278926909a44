// SPDX-License-Identifier: BSD-3-Clause
// The golden bits: results that every backend, on every machine, must reproduce.
#include "suite.hpp"

#include <fstream>
#include <map>

#include "golden/cases.hpp"

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

template <class T>
void check(const char* type) {
  static const auto golden = read_golden();
  for (const golden_case& c : golden_cases()) {
    const auto name = name_of(c, type);
    CAPTURE(name);
    REQUIRE(golden.contains(name));
    const auto x = sequence<T>(c.kind, c.seed, c.n);
    const auto got = on(x, [](const auto& s, auto r) {
      const auto canonical = [](auto v) { return std::isnan(v) ? std::string("nan") : bits(v); };
      const auto m = accrue::moments(s, r);
      return "sum " + bits(accrue::sum(s, r)) + " squares " + bits(accrue::sum_squares(s, r)) + " norm2 " + bits(accrue::norm2(s, r)) +
             " mean " + bits(m.mean) + " variance " + bits(m.variance) + " ordered " + canonical(accrue::sum(s, r, accrue::ordered)) +
             " product " + canonical(accrue::product(s, r));
    });
    CHECK(got == golden.at(name));
  }
}

}  // namespace

TEST_CASE("golden bits", "[golden]") {
  check<double>("f64");
  check<float>("f32");
  check<accrue::half>("f16");
  check<accrue::bfloat16>("bf16");
}
