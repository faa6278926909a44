// SPDX-License-Identifier: BSD-3-Clause
// Accumulation in a file that is compiled with -ffast-math: what headers add is exact all the same.
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "accrue/accrue.hpp"
#include "accrue/accumulate.hpp"
#include "accrue/superaccumulator.hpp"

#if !defined(__FAST_MATH__)
#error "this file is to be compiled with -ffast-math"
#endif

TEST_CASE("fixed_point is exact under -ffast-math") {
  std::vector<double> y(5);
  std::vector<std::int64_t> units(5);
  accrue::accumulate(
      accrue::serial{}, y, 20000,
      [&](std::size_t i, auto& out) {
        const auto v = static_cast<std::int64_t>(i * 2654435761 % 1099511627689) - 549755813844;
        units[i % 5] += v;
        out.add(i % 5, static_cast<double>(v) * 0x1p-30);
      },
      accrue::strategy::fixed_point);
  for (std::size_t j = 0; j < 5; ++j) CHECK(y[j] == static_cast<double>(units[j]) * 0x1p-30);

  // Ones that cancel: their last bits remain.
  std::vector<double> z(1);
  accrue::accumulate(
      accrue::serial{}, z, 1000, [](std::size_t i, auto& out) { out.add(0, i % 2 == 0 ? 1.0 + 0x1p-52 : -1.0); },
      accrue::strategy::fixed_point);
  CHECK(z[0] == 500 * 0x1p-52);
}

namespace {

/// Sums of targets of D numbers against those of each number alone.
template <std::size_t D>
void check_targets_of() {
  constexpr std::size_t targets = 7;
  std::vector<std::array<double, D>> y(targets);
  std::vector<accrue::superaccumulator<double>> expected(targets * D);
  std::uint64_t state = D;
  accrue::accumulate(
      accrue::serial{}, y, 50000,
      [&](std::size_t i, auto& out) {
        std::array<double, D> x;
        for (std::size_t d = 0; d < D; ++d) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          x[d] = std::bit_cast<double>((state >> 12) | (std::uint64_t{1016} + state % 8) << 52 | (state << 63));
          expected[i % targets * D + d].add(x[d]);
        }
        out.add(i % targets, x);
      },
      accrue::strategy::fixed_point);
  for (std::size_t k = 0; k < expected.size(); ++k) CHECK(y[k / D][k % D] == expected[k].template round<double>());
}

}  // namespace

TEST_CASE("fixed_point is exact under -ffast-math for targets of several numbers") {
  check_targets_of<1>();
  check_targets_of<2>();
  check_targets_of<3>();
  check_targets_of<4>();
  check_targets_of<7>();
}

TEST_CASE("fixed_point sees NaN and subnormal numbers under -ffast-math") {
  const auto bits_of = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  const auto nan = std::bit_cast<double>(std::uint64_t{0x7ff8} << 48);
  for (const std::size_t other : {10u, 9000u, 19999u}) {  // before there are words, and after
    std::vector<double> y(4);
    accrue::accumulate(
        accrue::serial{}, y, 20000,
        [&](std::size_t i, auto& out) {
          out.add(0, i == other ? nan : 1.0);
          out.add(1, i % 2 == 0 ? 0x1p200 : -0x1p200);
          out.add(2, std::bit_cast<double>(std::uint64_t{1}));
        },
        accrue::strategy::fixed_point);
    CHECK((bits_of(y[0]) & ~(std::uint64_t{1} << 63)) == bits_of(nan));
    CHECK(bits_of(y[1]) == 0);
    CHECK(bits_of(y[2]) == 20000);
  }
}
