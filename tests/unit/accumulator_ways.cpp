// SPDX-License-Identifier: BSD-3-Clause
// The exact accumulator's ways, each forced: the value never depends on the way.
#include <accrue/detail/exact_accumulator.hpp>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>

#include "exact_kernels.hpp"
#include "exception_flags.hpp"
#include "support/bits.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace test;
using namespace accrue::kernels;

TEST_CASE("this machine's exception flags are taken at their word only after a trial", "[ways]") {
  CHECK(exception_flags_work());
  volatile double third = 1.0;
  double result[1];
  const exception_flags flags;
  result[0] = third / 3.0;
  CHECK(flags.rounded(result));
  const exception_flags fresh;
  result[0] = third + 1.0;
  CHECK(!fresh.rounded(result));
}

TEST_CASE("split lanes refuse a sum that rounds, infinities and NaN, and stay as they were", "[ways]") {
  split_lanes lanes{};
  const std::vector<double> good{1, 2, 3, 4};
  REQUIRE(split_fold(lanes, term::value, operands<double>{good.data(), nullptr, good.size()}));
  const split_lanes before = lanes;
  for (const auto& bad : {std::vector<double>{1e300}, std::vector<double>{1, 0x1p-60, 1}, std::vector<double>{1e-300},
                          std::vector<double>{std::numeric_limits<double>::infinity()},
                          std::vector<double>{std::numeric_limits<double>::quiet_NaN()},
                          std::vector<double>(1000, std::numeric_limits<double>::max())}) {
    CHECK(!split_fold(lanes, term::value, operands<double>{bad.data(), nullptr, bad.size()}));
    for (std::size_t i = 0; i < split_lanes::count; ++i) {
      REQUIRE(bits(lanes.high[i]) == bits(before.high[i]));
      REQUIRE(bits(lanes.low[i]) == bits(before.low[i]));
    }
  }
}

TEST_CASE("windows of every depth: exact when they accept", "[ways]") {
  int accepted[deepest_windows + 1] = {};
  for (const int depth : {2, 3, 4, 6}) {
    for (std::uint64_t round = 0; round < 400; ++round) {
      const auto seed = Catch::getSeed() + round * 17 + static_cast<std::uint64_t>(depth);
      const std::size_t n = 1 + random_bits(seed, 1) % 4096;
      const int spread = static_cast<int>(random_bits(seed, 2) % 260);
      const int centre = static_cast<int>(random_bits(seed, 3) % 1600) - 800;
      std::vector<double> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        const int e = centre + static_cast<int>(random_bits(seed + 5, i) % static_cast<unsigned>(spread + 1));
        x[i] = std::ldexp(1 + random_unit(seed, i), e) * ((random_bits(seed, i) & 1) != 0 ? 1 : -1);
      }
      for (const term what : {term::value, term::square, term::product, term::magnitude}) {
        const bool product = what == term::square || what == term::product;
        const operands<double> tile{x.data(), x.data(), n};
        const int largest = largest_exponent(what, tile);
        if (largest > 1000 || (product && largest < -900)) continue;
        window_totals w{};
        w.top = largest + static_cast<int>(random_bits(seed, 4) % 14);  // sometimes too low: refused, never wrong
        w.depth = depth;
        if (w.top - (depth - 1) * 46 - 53 < -1022 || w.top > 1023) continue;
        if (!window_fold(w, what, tile)) {
          for (int j = 0; j < deepest_windows; ++j) REQUIRE((w.total[j] == 0 && w.error[j] == 0));
          continue;
        }
        ++accepted[depth];
        accrue::product_superaccumulator<double> s;
        for (int j = 0; j < depth; ++j) {
          s.add_integer(w.total[j], w.top - 46 * j - 52);
          s.add_integer(w.error[j], w.top - 46 * j - 105);
        }
        oracle t;
        for (const double v : x) product ? t.add_product(v, v) : t.add(what == term::magnitude ? std::fabs(v) : v);
        REQUIRE(bits(s.round<double>()) == bits(t.round<double>()));
      }
    }
    CHECK(accepted[depth] > 20);
  }
}

TEST_CASE("largest exponent", "[ways]") {
  const auto of = [](std::vector<double> x, term what = term::value) {
    return largest_exponent(what, operands<double>{x.data(), x.data(), x.size()});
  };
  CHECK(of({0, -0.0, 0}) == no_exponent);
  CHECK(of({1, -3, 0.5}) == 1);
  CHECK(of({1, std::numeric_limits<double>::infinity()}) == 1024);
  CHECK(of({std::numeric_limits<double>::quiet_NaN(), 1, 2, 3, 4, 5, 6, 7, 8}) == 1024);
  CHECK(of({0x1p500, 3}, term::square) == 1000);
}
