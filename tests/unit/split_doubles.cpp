// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles in two halves, at the ends of what they hold.
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "accrue/accrue.hpp"
#include "accrue/accumulate.hpp"
#include "accrue/detail/split_doubles.hpp"
#include "accrue/superaccumulator.hpp"
#include "golden/random.hpp"
#include "support/fp_state.hpp"

using namespace test;
using accrue::superaccumulator;
using accrue::detail::split_doubles;

namespace {

constexpr int place = 1000;

/// What lies at the ends of the binades that are held, and between.
double held_value(std::uint64_t i) {
  const double least = std::ldexp(1.0, place - 1022);
  const double largest = std::ldexp(2 - 0x1p-52, place - 1022 + split_doubles::binades - 1);
  const std::uint64_t r = random_bits(4, i);
  const double last_bit = std::ldexp(1.0, place - 1074);
  const double any = std::ldexp(1 + static_cast<double>(r >> 12) * 0x1p-52, place - 1022 + static_cast<int>(r % split_doubles::binades));
  const double values[] = {least, least + last_bit, largest, any};
  return values[r / 32 % 4];
}
superaccumulator<double> sum_of(const split_doubles::sum& s) {
  superaccumulator<double> all;
  all.add(s.upper);
  all.add(s.lower);
  return all;
}

/// Adds so many values to three numbers, carries and compares, twice.
void check_sums(bool one_sign, const std::vector<double>& values) {
  const split_doubles units(place);
  constexpr std::uint32_t most = split_doubles::most_additions + split_doubles::spare_additions;
  alignas(16) std::array<double, 6> sums{};
  std::array<superaccumulator<double>, 3> expected;
  for (int again = 0; again < 2; ++again) {
    for (std::uint32_t i = 0; i < most; ++i) {
      std::array<double, 3> x;
      for (std::size_t d = 0; d < 3; ++d) {
        const double v = values[(i * 7 + d) % values.size()];
        x[d] = one_sign || (i + d) % 2 == 0 ? v : -v;
        if (i % 1000 == 999) x[d] = 0;
        expected[d].add(x[d]);
      }
      units.add(x, sums.data());
    }
    const bool room = units.carry(sums.data(), 3);
    for (std::size_t d = 0; d < 3; ++d) {
      double* const upper = sums.data() + split_doubles::upper_of(d);
      double* const lower = upper + split_doubles::to_lower(d, 3);
      CHECK(sum_of({*upper, *lower}) == expected[d]);
      superaccumulator<double> in_units;
      const accrue::detail::int128 units_of_it = units.in_units({*upper, *lower});
      in_units.add_integer(static_cast<std::int64_t>(units_of_it >> 62), place - 1074 + 62);
      in_units.add_integer(static_cast<std::int64_t>(units_of_it & ((std::int64_t{1} << 62) - 1)), place - 1074);
      CHECK(in_units == expected[d]);
      if (!units.has_room(*upper)) {
        CHECK_FALSE(room);
        *upper = 0;
        expected[d] = sum_of({0.0, *lower});
      }
    }
  }
}

/// Pairs that carry together do as each alone.
void check_carries(const std::vector<double>& values) {
  const split_doubles units(place);
  for (const std::size_t pairs : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 19u}) {
    for (const std::size_t full : {std::size_t{0}, pairs - 1, std::size_t{99}}) {  // which has no room
      std::vector<double> each(2 * pairs);
      for (std::size_t i = 0; i < 300; ++i) units.add(values[i % values.size()], &each[2 * (i % pairs)], 1);
      if (full < pairs) each[2 * full] = std::ldexp(1.25, place + 37 + 45 - 1074);
      auto together = each;
      bool room = true;
      for (std::size_t k = 0; k < pairs; ++k) room = units.carry(&each[2 * k], 1) && room;
      CHECK(units.carry_all(together.data(), pairs) == room);
      CHECK(room == (full >= pairs));
      CHECK(together == each);
    }
  }
}

}  // namespace

TEST_CASE("sums in halves keep every bit of as many additions as they take, in any environment", "[fixed_point]") {
  std::vector<double> any;
  for (std::uint64_t i = 0; i < 5000; ++i) any.push_back(held_value(i));
  const double largest = std::ldexp(2 - 0x1p-52, place - 1022 + split_doubles::binades - 1);
  const split_doubles units(place);
  for (const double v : any) REQUIRE(units.held().hold(v));
  CHECK_FALSE(units.held().hold(std::nextafter(largest, INFINITY)));
  CHECK_FALSE(units.held().hold(std::ldexp(1 - 0x1p-53, place - 1022)));

  const fp_state before = read_fp_state();
  std::vector<fp_state> states = unusual_fp_states();
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(rounding);
    states.push_back(read_fp_state());
  }
  for (const fp_state& state : states) {
    write_fp_state(state);
    check_sums(false, any);
    check_sums(true, any);
    check_carries(any);
    check_sums(true, {largest});
    check_sums(true, {-largest, -largest * (1 - 0x1p-40)});
    // Nearly half an upper unit is left, or more.
    check_sums(true, {std::ldexp(1 + 0x1p-16 - 0x1p-52, place - 1022), std::ldexp(1 + 0x1p-16 + 0x1p-52, place - 1022)});
    write_fp_state(before);
  }
}

TEST_CASE("halves of targets of any width lie in their own room", "[fixed_point]") {
  for (std::size_t width = 1; width <= 9; ++width) {
    std::vector<int> taken(2 * width);
    for (std::size_t d = 0; d < width; ++d) {
      ++taken[split_doubles::upper_of(d)];
      ++taken[split_doubles::upper_of(d) + split_doubles::to_lower(d, width)];
    }
    CHECK(taken == std::vector<int>(2 * width, 1));
  }
}

TEST_CASE("a handle that is copied for each contribution adds no more than halves hold", "[fixed_point]") {
  for (const bool own : {false, true}) {  // handles that have none of the binades yet, or have
    std::vector<double> y(3);
    superaccumulator<double> expected;
    auto acc = accrue::scatter(accrue::serial{}, y, accrue::strategy::fixed_point);
    const auto add = [&](auto& handle, int i) {
      const double x = i % 16 == 0 ? 1.0 : 0x1p-16 + 0x1p-32 - 0x1p-68;  // whose lower half is nearly half an upper unit
      handle.add(1, x);
      expected.add(x);
    };
    for (int i = 0; i < 1000 && own; ++i) add(acc.local(), i);
    for (int i = 0; i < 300000; ++i) {
      auto copy = acc.local();
      add(copy, i);
    }
    const double before = expected.round<double>();
    acc.add(std::size_t{1}, -before);
    expected.add(-before);
    acc.finish();
    CHECK(y[1] == expected.round<double>());
  }
}

TEST_CASE("handles that are copied add by the units of the moment", "[fixed_point]") {
  for (const std::size_t targets : {3u, 20000u, 300000u}) {  // in halves, counted, and delayed too
    for (const bool again : {false, true}) {  // a copy for all contributions, or one for each
      CAPTURE(targets, again);
      std::vector<double> y(targets);
      auto acc = accrue::scatter(accrue::serial{}, y, accrue::strategy::fixed_point);
      for (int i = 0; i < 1000; ++i) acc.local().add(static_cast<std::size_t>(i) % 3, 1.0);
      auto one = acc.local();
      const auto add = [&](std::size_t target, double x) {
        auto copy = acc.local();
        (again ? copy : one).add(target, x);
      };
      for (std::size_t i = 0; i < 100000; ++i) add(2 + i % (targets - 2), 0x1p40);  // for which others are chosen
      for (int i = 0; i < 17; ++i) add(0, 1.0);
      acc.local().add(1, 0x1p40);
      acc.local().add(1, 1.0);
      acc.finish();
      CHECK(y[0] == 334 + 17);
      CHECK(y[1] == 333 + 0x1p40 + 1);
      one = acc.local();
      add(0, 0x1p-40);
      acc.finish();
      CHECK(y[0] == 334 + 17 + 0x1p-40);
    }
  }
}

TEST_CASE("copies of many threads carry after their last additions", "[fixed_point]") {
  using space = accrue::default_host_space;
  constexpr int threads = 200;
  const auto team = [] {
    if constexpr (std::is_constructible_v<space, int>) {
      return space(threads);
    } else {
      return space();
    }
  };
  constexpr std::size_t first = 192;
  for (const double not_for_words : {std::numeric_limits<double>::infinity(), 0x1p880}) {
    const auto value = [](std::size_t k) { return k % 16 == 0 ? 1.0 : 0x1p-16 + 0x1p-32 - 0x1p-68; };
    superaccumulator<double> expected;
    for (std::size_t k = 0; k < 1000; ++k) expected.add(value(k));
    superaccumulator<double> all;
    for (int t = 0; t < threads; ++t) all += expected;
    std::vector<double> y(16384);
    y[0] = -all.round<double>();
    all.add(y[0]);
    accrue::accumulate(
        team(), y, std::size_t{threads},
        [&](std::size_t, auto& out) {
          for (std::size_t k = 0; k < first; ++k) out.add(5, not_for_words);
          for (std::size_t k = 0; k < 1000; ++k) out.add(0, value(k));
        },
        accrue::strategy::fixed_point);
    CHECK(y[0] == all.round<double>());
  }
}
