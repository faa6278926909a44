// SPDX-License-Identifier: BSD-3-Clause
// The kernels of extrema read every element, whatever the size of a tile, and find the first of those that are alike.
#include <accrue/accrue.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

TEMPLATE_TEST_CASE("an extremum is found wherever it stands", "[extrema]", double, float, accrue::half, std::int32_t, std::int8_t) {
  const auto zero = static_cast<TestType>(0.0f);
  const auto one = static_cast<TestType>(1.0f);
  const auto minus_one = static_cast<TestType>(-1.0f);
  for (const std::size_t n : {1, 31, 127, 300, 515, 700}) {
    std::vector<TestType> x(n, zero);
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t later = i + (n - i) / 2;  // where it stands again, if that is another place
      x[later] = x[i] = one;
      const bool largest = accrue::max(accrue::serial{}, x) == one && accrue::argmax(accrue::serial{}, x).index == i;
      x[later] = x[i] = minus_one;
      const bool least = accrue::min(accrue::serial{}, x) == minus_one && accrue::argmin(accrue::serial{}, x).index == i;
      bool nan = true;
      if constexpr (!accrue::integer<TestType>) {
        for (const float sign : {-1.0f, 1.0f}) {
          x[later] = static_cast<TestType>(sign * std::numeric_limits<float>::infinity());
          x[i] = static_cast<TestType>(std::copysign(std::numeric_limits<float>::quiet_NaN(), sign));
          nan = nan && accrue::argmax(accrue::serial{}, x).index == i && accrue::argmin(accrue::serial{}, x).index == i;
          std::swap(x[later], x[i]);
          nan = nan && accrue::argmax(accrue::serial{}, x).index == later && accrue::argmin(accrue::serial{}, x).index == later;
        }
      }
      x[later] = x[i] = zero;
      found += largest && least && nan ? 1 : 0;
    }
    CAPTURE(n);
    CHECK(found == n);
  }
}
