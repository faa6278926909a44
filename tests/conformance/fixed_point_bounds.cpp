// SPDX-License-Identifier: BSD-3-Clause
// Accumulation by fixed_point where the caller states a bound: multiples of one unit, whatever the environment, the threads and the order.
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
#include <thread>
#include <type_traits>
#include <vector>

#include "conformance/suite.hpp"
#include "support/fp_state.hpp"

using namespace test;
using accrue::strategy;

TEMPLATE_TEST_CASE("fixed_point with a bound: one set of bits in any environment, however often counts pass 63 bits", "[accumulate]",
                   double, float) {
  using T = TestType;
  std::vector<fp_state> states = unusual_fp_states();
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(rounding);
    states.push_back(read_fp_state());
  }
  constexpr std::size_t n = 3000;
  constexpr std::size_t targets = 170;  // in three groups
  const auto bounds = std::is_same_v<T, double> ? std::array{8.0, 0x1.fffffffffffffp-3, 0x1p900, 0x1.8p-900}
                                                : std::array{8.0, 0x1.fffffep-3, 0x1p127, 0x1.8p-100};
  for (const double largest : bounds) {
    accrue::accumulate_options options = strategy::fixed_point;
    options.largest = largest;
    const int unit = accrue::detail::wide_fixed_unit(largest);
    // The last targets get large contributions of one sign, of either, and zeros; others what is rounded, ties among them, and middling
    // ones, whose counts fit.
    const std::uint64_t seed = next_seed();
    const auto at = [](std::size_t i) { return i * i % targets; };
    std::vector<std::array<T, 3>> x(n);
    std::vector<std::array<accrue::superaccumulator<double>, 3>> sums(targets);
    for (std::size_t i = 0; i < n; ++i) {
      const auto close = static_cast<T>(largest * (1 - 0.25 * random_unit(seed, i)));
      const auto few = static_cast<T>(std::ldexp(static_cast<double>(random_bits(seed + 1, i) % 64 + 2), unit - static_cast<int>(i % 2)));
      x[i] = at(i) > 100 ? std::array<T, 3>{i % 5 != 0 ? close : T{0}, i % 3 == 0 ? close : -close, -close}
                        : std::array<T, 3>{few, i % 3 == 0 ? few : -few, static_cast<T>(0x1p-20 * close)};
      for (std::size_t d = 0; d < 3; ++d) {
        accrue::detail::int128 units = 0;
        REQUIRE(accrue::detail::to_fixed(static_cast<double>(x[i][d]), unit, units));
        sums[at(i)][d].add_integer(units, unit);
      }
    }
    for (const fp_state& state : states) {
      for (const auto& space : two_variants()) {
        INFO("state " << state.control << ", largest " << largest << ", seed " << seed);
        std::vector<std::array<T, 3>> y(targets);
        accrue::accumulate(
            space, y, n,
            [&](std::size_t i, auto& out) {
              const fp_state outside = read_fp_state();
              write_fp_state(state);
              out.add(at(i), x[i]);
              write_fp_state(outside);
            },
            options);
        std::size_t wrong = 0;
        for (std::size_t j = 0; j < targets; ++j) {
          for (std::size_t d = 0; d < 3; ++d) wrong += bits(y[j][d]) == bits(sums[j][d].template round<T>()) ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("fixed_point with a bound tells what has no place in any environment, and raises no flag for it", "[accumulate]") {
  std::vector<fp_state> states = unusual_fp_states();
  accrue::accumulate_options options = strategy::fixed_point;
  options.largest = 1;
  bool invalid_raised = false;
  const auto add = [&](const fp_state& state, double x) {
    std::vector<double> y(1);
    accrue::accumulate(
        accrue::serial{}, y, 200,
        [&](std::size_t, auto& out) {
          const fp_state outside = read_fp_state();
          write_fp_state(state);
          out.add(0, x);
          if ((state.flags & FE_INVALID) == 0 && (read_fp_state().flags & FE_INVALID) != 0) invalid_raised = true;
          write_fp_state(outside);
        },
        options);
    return y[0];
  };
  for (const fp_state& state : states) {
    for (const double bad : {1.5, 1e300, 0x1p-62, 0x1p-1060, -0x1p-1074, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
      CAPTURE(bad, state.control);
      CHECK(code_of([&] { add(state, bad); }) == accrue::errc::out_of_range);
    }
    CHECK(add(state, -0.0) == 0);
    CHECK(add(state, std::nextafter(0x1p-62, 1.0)) == 200 * 0x1p-61);
  }
  CHECK(!invalid_raised);
  // What is added is rounded before it is added, also where that overflows.
  std::vector<float> f{-3e38f};
  options.largest = 3e38;
  accrue::accumulate(accrue::serial{}, f, 2, [](std::size_t, auto& out) { out.add(0, 2e38f); }, options);
  CHECK(f[0] == std::numeric_limits<float>::infinity());
}

TEST_CASE("fixed_point with a bound in a caller's own loop: counts of one thread pass 63 bits, and then none", "[accumulate]") {
  accrue::accumulate_options options = strategy::fixed_point;
  options.largest = 1;
  std::vector<double> y(200);
  auto acc = accrue::scatter(hook::make(), y, options);
  const auto add = [&](double x, std::size_t times) {
    for (std::size_t i = 0; i < times * y.size(); ++i) acc.add(i % y.size(), x);
  };
  for (const std::size_t times : {20, 1, 30}) {
    std::fill(y.begin(), y.end(), 0.0);
    std::thread(add, 0x1p-30, 1).join();
    add(-1, times);
    acc.finish();
    CHECK(std::ranges::all_of(y, [&](double v) { return v == 0x1p-30 - static_cast<double>(times); }));
  }
}

TEST_CASE("fixed_point with a bound adds what waits for memory, step after step", "[accumulate]") {
  const std::uint64_t seed = next_seed();
  constexpr std::size_t targets = 90000;
  constexpr std::size_t n = 3000;
  accrue::accumulate_options options = strategy::fixed_point;
  options.largest = 0x1p10;
  const int unit = accrue::detail::wide_fixed_unit(options.largest);
  const auto target = [&](std::size_t i) { return 1000 + random_bits(seed + 1, i) % 500 * 170; };
  const auto number = [&](std::size_t i, std::size_t d) { return i % 5 == d ? 0.0 : normal(seed, 3 * i + d); };
  std::map<std::size_t, std::array<accrue::superaccumulator<double>, 3>> expected;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      accrue::detail::int128 units = 0;
      REQUIRE(accrue::detail::to_fixed(number(i, d), unit, units));
      expected[target(i)][d].add_integer(units, unit);
    }
  }
  const std::vector<std::array<double, 3>> zeros(targets, {-0.0, -0.0, -0.0});
  std::vector<std::array<double, 3>> y;
  const auto check = [&] {
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < targets; ++j) {
      const auto own = expected.find(j);
      for (std::size_t d = 0; d < 3; ++d) {
        wrong += own == expected.end() ? bits(y[j][d]) != bits(-0.0) : y[j][d] != own->second[d].round<double>();
      }
    }
    CHECK(wrong == 0);
  };
  for (const auto& space : hook::teams()) {
    y = zeros;
    accrue::accumulate(
        space, y, n, [&](std::size_t i, auto& out) { out.add(target(i), number(i, 0), number(i, 1), number(i, 2)); }, options);
    check();
  }
  y = zeros;
  auto own_loop = accrue::scatter(hook::make(), y, options);
  for (int step = 0; step < 2; ++step) {
    std::ranges::copy(zeros, y.begin());
    auto mine = own_loop.local();
    for (std::size_t i = 0; i < n; ++i) {
      const std::array<double, 3> x{number(i, 0), number(i, 1), number(i, 2)};
      if (i % 7 == 0) std::fesetround(FE_UPWARD);
      mine.add(target(i), x);
      std::fesetround(FE_TONEAREST);
    }
    own_loop.finish();
    check();
  }
}
