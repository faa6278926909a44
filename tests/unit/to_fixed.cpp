// SPDX-License-Identifier: BSD-3-Clause
// Rounding to a fixed unit.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "accrue/detail/to_fixed.hpp"
#include "golden/random.hpp"

using namespace test;

TEST_CASE("fixed point counts units by integer arithmetic", "[fixed_point]") {
  using accrue::detail::int128;
  using accrue::detail::to_fixed;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double x = element<double>(i % 2 == 0 ? distribution::normal : distribution::log_uniform, 5, i, 20000);
    for (const int exponent : {-64, -40, -1, 0, 3}) {
      int128 units = 0;
      const bool fits = to_fixed(x, exponent, units);
      const long double scaled = std::ldexp(static_cast<long double>(x), -exponent);
      if (std::fabs(scaled) >= 0x1p126L) {
        CHECK(!fits);
      } else if (fits) {
        CHECK(static_cast<long double>(units) == std::nearbyint(scaled));
      } else {
        CHECK(std::fabs(scaled) >= 0x1p125L);
      }
    }
  }
  int128 units = 0;
  CHECK((to_fixed(0.5, 0, units) && units == 0));
  CHECK((to_fixed(1.5, 0, units) && units == 2));
  CHECK((to_fixed(-2.5, 0, units) && units == -2));
  CHECK((to_fixed(std::nextafter(0.5, 1.0), 0, units) && units == 1));
  CHECK((to_fixed(-0.0, -64, units) && units == 0));
  CHECK((to_fixed(5e-324, -64, units) && units == 0));
}
