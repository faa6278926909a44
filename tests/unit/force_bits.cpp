// SPDX-License-Identifier: BSD-3-Clause
// Fixed-point forces, energies and virial have the same bits from every instruction set.
#include <accrue/accrue.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>

#include "golden/forces.hpp"

using namespace test;

TEST_CASE("fixed-point forces have the same bits from every instruction set", "[forces]") {
  const auto before = accrue::current_instruction_set();
  for (const auto end : {accrue::truncation::plain, accrue::truncation::shifted_force}) {
    for (const double gap : {1.1, 0.1}) {  // the narrow gap takes integers of 128 bits
      particles p = fcc(6, 0.8442, 0.15, 3);
      p.x[10] = {p.x[11][0] + gap, p.x[11][1], p.x[11][2]};
      std::optional<std::string> expected;
      for (const auto set : {accrue::instruction_set::baseline, accrue::instruction_set::avx2, accrue::instruction_set::avx512}) {
        accrue::limit_instruction_set(set);
        const auto r = compute_in_fixed_point(p, accrue::lennard_jones(2.5, end));
        std::string all = bits(r.sums.energy);
        for (const double w : r.sums.virial) all += bits(w);
        for (const auto& v : r.forces) all += bits(v[0]) + bits(v[1]) + bits(v[2]);
        for (const double e : r.energies) all += bits(e);
        if (!expected) expected = all;
        CHECK(all == *expected);
      }
    }
  }
  accrue::limit_instruction_set(before);
}

TEST_CASE("golden forces", "[forces][golden]") {
  std::ifstream in(ACCRUE_GOLDEN_FORCES);
  std::vector<std::string> golden;
  for (std::string line; std::getline(in, line);) golden.push_back(line);
  const auto before = accrue::current_instruction_set();
  for (const auto set : {accrue::instruction_set::baseline, accrue::instruction_set::avx2, accrue::instruction_set::avx512}) {
    accrue::limit_instruction_set(set);
    std::vector<std::string> got;
    for (const golden_forces& g : compute_golden_forces()) got.push_back(g.name + " : " + g.bits);
    CHECK(got == golden);
  }
  accrue::limit_instruction_set(before);
}
