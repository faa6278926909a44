// SPDX-License-Identifier: BSD-3-Clause
// Rounding to a fixed unit.
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <cmath>

#include "accrue/detail/bounded_copies.hpp"
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

TEST_CASE("counts of units up to a bound: ties to even, in every rounding mode", "[fixed_point]") {
  using accrue::detail::int128;
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr bool known = true;  // how to round to nearest by one instruction
#else
  constexpr bool known = false;
#endif
  for (const double largest : {8.0, 0x1.8p-3, 0x1p900, 0x1p-900, 0x1.fffffffffffffp0}) {
    const accrue::detail::bounded_units units(largest);
    const int unit = accrue::detail::wide_fixed_unit(largest);
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::size_t wrong = 0;
      std::size_t ties = 0;
      for (std::uint64_t i = 0; i < 20000; ++i) {
        // up to 62 bits, half of them with few below the unit, so that there are ties
        const std::uint64_t r = random_bits(3, i);
        const auto place = static_cast<int>(r % 64) - 2;
        const double few = static_cast<double>(r >> 58 | 1) * 0x1p-6;
        const double many = static_cast<double>(r >> 11) * 0x1p-53;
        const double x = std::ldexp(i % 2 == 0 ? few : many, unit + place) * ((r >> 20 & 1) != 0 ? -1.0 : 1.0);
        int128 wanted = 0;
        const bool whole = accrue::detail::to_fixed(x, unit, wanted);
        std::int64_t count = 0;
        std::fesetround(mode);
        const bool counted = units.count(x, count);
        const bool directly = accrue::detail::converts_to_nearest();
        const bool held = units.allowed().hold(x);
        const std::int64_t direct_count = held && directly ? units.count_directly(x) : count;
        std::fesetround(FE_TONEAREST);
        if (counted != (held || x == 0) || (counted && direct_count != count) || (mode == FE_TONEAREST && !directly && known)) ++wrong;
        const bool allowed = whole && std::fabs(x) <= largest && (wanted != 0 || x == 0);
        if (counted != allowed || (counted && count != wanted)) ++wrong;
        const double halves = std::ldexp(x, 1 - unit);
        if (halves == std::nearbyint(halves) && std::fmod(halves, 2) != 0) ++ties;
      }
      CHECK(wrong == 0);
      CHECK(ties > 100);
    }
  }
}
