// SPDX-License-Identifier: BSD-3-Clause
// What the suite's files on groupings share: where they run, results by groups, an array of rank 3.
#pragma once

#include <cstring>

#include "shown.hpp"
#include "suite.hpp"

namespace test {

template <class Space>
inline constexpr bool over_ranks = requires(const Space& s) { s.ranks; };
inline constexpr std::size_t most_groups = played ? 12 : 100000;

/// The results that `call(out)` writes for so many groups, and what stands behind them is left alone.
template <class Result, class Call>
std::vector<std::string> results_of(const hook::space& space, std::size_t groups, const Call& call) {
  std::vector<unsigned char> before((groups + 1) * sizeof(Result), 0x5a);
  const hook::array<unsigned char> memory(space, before);
  auto* out = reinterpret_cast<Result*>(const_cast<unsigned char*>(memory.get().data()));
  call(std::span(out, groups));
  const std::vector<unsigned char> after = memory.host();
  for (std::size_t k = groups * sizeof(Result); k < after.size(); ++k) REQUIRE(after[k] == 0x5a);
  std::vector<std::string> text;
  for (std::size_t k = 0; k < groups; ++k) {
    Result r;
    std::memcpy(static_cast<void*>(&r), after.data() + k * sizeof(Result), sizeof(Result));
    text.push_back(shown(r));
  }
  return text;
}

struct positive_element {
  constexpr bool operator()(double v) const { return v > 0; }
};

/// As an mdspan of rank 3.
struct tensor3 {
  const double* p;
  std::size_t extents[3];
  std::ptrdiff_t strides[3];
  static constexpr std::size_t rank() { return 3; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t d) const { return strides[d]; }
  [[nodiscard]] const double* data_handle() const { return p; }
};

}  // namespace test
