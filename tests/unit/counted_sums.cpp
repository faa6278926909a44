// SPDX-License-Identifier: BSD-3-Clause
// What was counted for targets, added to them.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/superaccumulator.hpp"
#include "golden/random.hpp"

using namespace test;

namespace {

template <class T>
bool same_bits(T a, T b) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

/// Targets and counts whose sums are ties, cancel, take many bits, or neither.
template <class T>
struct counted_targets {
  std::vector<T> targets;
  std::vector<std::int64_t> counts;

  counted_targets(std::uint64_t seed, std::size_t size, int exponent) {
    constexpr int digits = std::numeric_limits<T>::digits;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t r = random_bits(seed, i);
      std::int64_t count = static_cast<std::int64_t>(random_bits(seed + 1, i)) >> (r % 64);
      double target = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random_bits(seed + 2, i)) >> (r / 64 % 64)), exponent);
      switch (r / 4096 % 8) {
        case 0: target = std::ldexp(-static_cast<double>(count) + static_cast<double>(r >> 60), exponent); break;
        case 1: target = std::ldexp(target, -static_cast<int>(r / 32768 % 80)); break;
        case 2: target = std::ldexp(target, static_cast<int>(r / 32768 % 80)); break;
        case 3: {  // half a last bit of the target, and one unit more or less, or nothing
          target = std::ldexp(static_cast<double>((r >> 11 | std::uint64_t{1} << 52) >> (53 - digits)), exponent + 8);
          count = 128 + static_cast<std::int64_t>(r % 3) - 1;
          break;
        }
        case 4: target = r % 2 == 0 ? 0.0 : -0.0; break;
        case 5: count = r % 2 == 0 ? 0 : count; break;
        case 6: {
          constexpr double specials[] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()};
          target = specials[r / 32768 % 4];
          break;
        }
        default: break;
      }
      targets.push_back(static_cast<T>(target));
      counts.push_back(count);
    }
  }
};

}  // namespace

TEST_CASE("the sum of copies of counts, and how often it passes 64 bits", "[fixed_point]") {
  using accrue::detail::int128;
  constexpr std::size_t size = 100;
  for (const int shift : {5, 0}) {  // without carries, and with
    std::vector<std::vector<std::int64_t>> copies(17);
    std::vector<const std::int64_t*> each;
    for (std::size_t c = 0; c < copies.size(); ++c) {
      for (std::size_t k = 0; k < size; ++k) {
        const auto number = static_cast<std::int64_t>(random_bits(c, k));
        const std::int64_t sign = std::int64_t{1} << 63;
        copies[c].push_back((k % 3 == 0 ? number : k % 3 == 1 ? number | sign : number & ~sign) >> shift);
      }
      each.push_back(copies[c].data());
    }
    for (const std::size_t count : {0u, 1u, 2u, 17u}) {
      for (std::size_t numbers = 1; numbers <= 64; ++numbers) {
        const std::size_t first = numbers % 30;
        std::vector<std::int64_t> sums(numbers, 7);
        std::vector<std::int64_t> carries(numbers, 1);
        const bool fit = accrue::kernels::sum_copies(each.data(), count, first, numbers, sums.data(), carries.data());
        bool all_fit = true;
        for (std::size_t k = 0; k < numbers; ++k) {
          int128 expected = 7;
          for (std::size_t c = 0; c < count; ++c) expected += copies[c][first + k];
          CHECK(sums[k] + static_cast<int128>(carries[k]) * (int128{1} << 64) == expected);
          all_fit = all_fit && expected == static_cast<std::int64_t>(expected);
        }
        CHECK(fit == all_fit);
      }
    }
  }
}

TEMPLATE_TEST_CASE("targets plus what was counted for them, rounded once", "[fixed_point]", float, double) {
  using T = TestType;
  constexpr std::size_t most = 1000;
  for (const int exponent : {-60, -20, 5}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{13}, most}) {
      counted_targets<T> given(size, size, exponent);
      std::vector<T> result = given.targets;
      std::vector<std::uint16_t> left(size);
      left.resize(accrue::kernels::add_counts(std::ldexp(1.0, exponent), given.counts.data(), size, result.data(), left.data()));
      CHECK(left.size() <= size / 2);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const bool is_left = std::find(left.begin(), left.end(), i) != left.end();
        T expected = given.targets[i];
        if (!is_left && given.counts[i] != 0) {
          accrue::superaccumulator<double> sum;
          sum.add(static_cast<double>(expected));
          sum.add_integer(given.counts[i], exponent);
          expected = sum.round<T>();
        }
        if (!same_bits(result[i], expected) || (is_left && given.counts[i] == 0)) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
  // What takes more bits than two doubles, or may overflow, is left.
  std::vector<T> targets{T(0x1.000002p70), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(), T(1), T(-1)};
  const std::vector<std::int64_t> counts{(std::int64_t{1} << 62) + 1, 1, 1, 0, 1};
  std::vector<std::uint16_t> left(targets.size());
  const std::size_t found = accrue::kernels::add_counts(1, counts.data(), targets.size(), targets.data(), left.data());
  CHECK(found >= 2);
  CHECK(std::isinf(targets[1]));
  CHECK(std::isnan(targets[2]));
  CHECK((targets[3] == 1 && same_bits(targets[4], T(0))));
}

TEMPLATE_TEST_CASE("targets plus two doubles each, rounded once", "[fixed_point]", float, double) {
  using T = TestType;
  constexpr std::size_t size = 1003;
  for (const int exponent : {-60, 5}) {
    const counted_targets<T> given(size, size, exponent);
    std::vector<double> upper;
    std::vector<double> lower;
    for (std::size_t i = 0; i < size; ++i) {  // the bits of a count, or its upper ones with others far below
      const std::int64_t high = given.counts[i] >> 20;
      const auto low = static_cast<double>(given.counts[i] - (high << 20));
      upper.push_back(std::ldexp(static_cast<double>(high), exponent + 20));
      lower.push_back(std::ldexp(i % 5 == 0 ? low * 0x1p-30 : i % 5 == 1 ? -low : low, exponent));
    }
    std::vector<T> result = given.targets;
    std::vector<std::uint16_t> left(size);
    left.resize(accrue::kernels::add_halves(upper.data(), lower.data(), size, result.data(), left.data()));
    CHECK(left.size() <= size / 2);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_left = std::find(left.begin(), left.end(), i) != left.end();
      T expected = given.targets[i];
      accrue::superaccumulator<double> sum;
      sum.add(upper[i]);
      sum.add(lower[i]);
      const bool zero = sum == accrue::superaccumulator<double>();
      if (!is_left && !zero) {
        sum.add(static_cast<double>(expected));
        expected = sum.round<T>();
      }
      if (!same_bits(result[i], expected) || (is_left && zero)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("targets plus counts that are rounded first", "[fixed_point]", float, double) {
  using T = TestType;
  for (const int exponent : {-60, -20, 5}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{13}, std::size_t{1000}}) {
      counted_targets<T> given(size + 5, size, exponent);
      std::vector<T> result = given.targets;
      accrue::kernels::add_rounded_counts(std::ldexp(1.0, exponent), given.counts.data(), size, result.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const T before = given.targets[i];
        const T expected = given.counts[i] == 0 ? before : before + std::ldexp(static_cast<T>(given.counts[i]), exponent);
        if (!same_bits(result[i], expected)) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
  T nan = std::numeric_limits<T>::quiet_NaN();
  const T other_nan = std::copysign(nan, T(-1));
  std::vector<T> targets{other_nan, other_nan};
  const std::int64_t counts[] = {1, 0};
  accrue::kernels::add_rounded_counts(1, counts, 2, targets.data());
  CHECK(same_bits(targets[0], nan));
  CHECK(same_bits(targets[1], other_nan));
}

TEST_CASE("targets of many numbers, of which the last group has a part, are added to alone", "[fixed_point]") {
  using wide = std::array<double, 9>;
  constexpr std::size_t items = 20000;
  // Added in halves, and counted. The last group's numbers are more than eight times 64, and some.
  const auto targets = GENERATE(std::size_t{1340}, std::size_t{2364});
  std::vector<wide> y(targets + 8);
  for (wide& t : y) t.fill(1);
  const auto contribution = [](std::size_t i) { return 1.25 + static_cast<double>(i % 7) * 0x1p-40; };
  accrue::accumulate(accrue::serial{}, std::span(y.data(), targets), items, [&](std::size_t i, auto& out) {
    wide x;
    x.fill(contribution(i));
    out.add((targets - 60 + i) % targets, x);
  }, accrue::strategy::fixed_point);
  std::vector<accrue::superaccumulator<double>> expected(targets + 8);
  for (auto& e : expected) e.add(1.0);
  for (std::size_t i = 0; i < items; ++i) expected[(targets - 60 + i) % targets].add(contribution(i));
  std::size_t wrong = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (const double v : y[j]) wrong += v == expected[j].round<double>() ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("magnitudes of three doubles are looked at together", "[fixed_point]") {
  using accrue::detail::magnitudes;
  const double largest = 3 * (1 + 0x1p-40);
  const double least = 0x1p-61 * (1 + 0x1p-35);
  const magnitudes range(least, largest);
  const magnitudes binades = magnitudes::of_binades(1015, 11);
  const auto near = [](double x, std::uint64_t steps) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + steps); };
  std::size_t sure = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t r = random_bits(8, i);
    const double ends[] = {least, largest, 0x1p-7, 0x1p4, 0.0, std::numeric_limits<double>::infinity()};
    const double inside = std::ldexp(1 + static_cast<double>(r >> 12) * 0x1p-52, static_cast<int>(r % 9) - 4);
    const double x = (i % 2 == 0 ? near(ends[r % 6], (r >> 8 & 3) - 1) : inside) * (i % 5 == 0 ? -1 : 1);
    CHECK(range.hold(x) == (std::fabs(x) >= least && std::fabs(x) <= largest));
    CHECK(binades.hold(x) == (std::fabs(x) >= 0x1p-7 && std::fabs(x) < 0x1p4));
    CHECK_FALSE(magnitudes().hold(x));
    for (std::size_t d = 0; d < 3; ++d) {
      std::array<double, 3> three{1, -1, 1.5};
      three[d] = x;
      CHECK(binades.surely_hold(three) == binades.hold(x));
      const bool held = range.surely_hold(three);
      CHECK((!held || range.hold(x)));
      sure += held ? 1 : 0;
      CHECK_FALSE(magnitudes().surely_hold(three));
    }
  }
  CHECK(sure > 10000);
  CHECK_FALSE(magnitudes().surely_hold(std::array<double, 3>{4, -4, 8}));  // whose upper halves are negative, twice
}
