// SPDX-License-Identifier: BSD-3-Clause
// The kernels of extrema read every element, whatever the size of a tile.
#include <accrue/accrue.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

TEMPLATE_TEST_CASE("an extremum is found wherever it stands", "[extrema]", double, float, accrue::half, std::int32_t, std::int8_t) {
  const auto zero = static_cast<TestType>(0.0f);
  const auto one = static_cast<TestType>(1.0f);
  const auto minus_one = static_cast<TestType>(-1.0f);
  for (const std::size_t n : {1, 31, 127, 300, 515, 700}) {
    std::vector<TestType> x(n, zero);
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = one;
      const bool largest = accrue::max(accrue::serial{}, x) == one;
      x[i] = minus_one;
      const bool least = accrue::min(accrue::serial{}, x) == minus_one;
      x[i] = zero;
      found += largest && least ? 1 : 0;
    }
    CAPTURE(n);
    CHECK(found == n);
  }
}
