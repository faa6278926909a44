// SPDX-License-Identifier: BSD-3-Clause
// The inputs behind golden/bits.txt: every backend must reproduce the results, now and later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "golden/random.hpp"

namespace test {

struct golden_case {
  distribution kind;
  std::uint64_t seed;
  std::size_t n;
};

/// A list that only ever grows at its end.
inline std::vector<golden_case> golden_cases() {
  std::vector<golden_case> cases;
  std::uint64_t seed = 20260;
  for (const distribution d : all_distributions) {
    for (const std::size_t n : {1u, 100u, 4096u, 4097u, 30000u}) cases.push_back({d, ++seed, n});
  }
  return cases;
}

inline std::string name_of(const golden_case& c, const char* type) {
  return std::string(type) + " " + to_string(c.kind) + " " + std::to_string(c.seed) + " " + std::to_string(c.n);
}

}  // namespace test
