// SPDX-License-Identifier: BSD-3-Clause
// Accumulation by fixed_point: exact whatever is added, in whatever order, by whichever threads, and in any floating environment.
#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/suite.hpp"
#include "support/fp_state.hpp"

using namespace test;
using accrue::strategy;

namespace {

/// What data the exact sums of contributions meet: one window of words, several, none; full words; specials.
enum class range { normal, near_window, wide, whole, subnormal, one_sign, large, specials };

/// Numbers of so many targets are counted; of fewer, added in halves.
constexpr std::size_t many_targets = 17000;

double value_in(range r, std::uint64_t seed, std::size_t i) {
  const double v = normal(seed, i);
  const std::uint64_t more = random_bits(seed + 2, i);
  switch (r) {
    case range::normal:
      return v;
    case range::near_window:
      return std::ldexp(v, static_cast<int>(more % 60) - 30);
    case range::wide:
      return std::ldexp(v, static_cast<int>(more % 300) - 150);
    case range::whole:
      return element<double>(distribution::log_uniform, seed, i, 4096);
    case range::subnormal:
      return v * 0x1p-1060;
    case range::one_sign:
      return 0x1p12 - 0x1p-40 * static_cast<double>(more % 7);
    case range::large:
      return v * 0x1p1021;
    case range::specials:
      return more % 500 == 0 ? std::numeric_limits<double>::infinity()
                             : more % 701 == 0 ? std::numeric_limits<double>::quiet_NaN() : more % 3 == 0 ? -0.0 : v;
  }
  return 0;
}

}  // namespace

TEST_CASE("fixed_point is exact whatever is added", "[accumulate]") {
  const std::size_t n = 6000;
  for (const range r : {range::normal, range::near_window, range::wide, range::whole, range::subnormal, range::one_sign, range::large,
                        range::specials}) {
    for (const std::size_t targets : {std::size_t{1}, std::size_t{3}, std::size_t{130}, many_targets}) {
      const std::uint64_t seed = next_seed();
      std::vector<oracle> sums(targets);
      std::vector<oracle> products(targets);
      std::vector<double> before(targets);
      for (std::size_t j = 0; j < targets; ++j) {
        before[j] = j % 3 == 0 ? 0.0 : value_in(r, seed + 9, j) + 0.0;  // not -0, which stays when nothing is added
        sums[j].add(before[j]);
      }
      for (std::size_t i = 0; i < n; ++i) sums[i % 7 % targets].add(value_in(r, seed, i));
      for (const auto& space : hook::teams()) {
        std::vector<double> y = before;
        std::vector<std::array<float, 2>> z(targets, std::array<float, 2>{});
        accrue::accumulate(
            space, accrue::targets(y, z), n,
            [&](std::size_t i, auto& out, auto& floats) {
              const double v = value_in(r, seed, i);
              out.add(i % 7 % targets, v);
              floats.add(i % targets, {static_cast<float>(v), 1.0f});
            },
            strategy::fixed_point);
        INFO("range " << static_cast<int>(r) << ", " << targets << " targets, seed " << seed);
        for (std::size_t j = 0; j < std::min<std::size_t>(targets, 130); ++j) {
          CHECK(bits(y[j]) == bits(sums[j].round<double>()));
          oracle single;
          for (std::size_t i = j; i < n; i += targets) single.add(static_cast<float>(value_in(r, seed, i)));
          CHECK(bits(z[j][0]) == bits(single.round<float>()));
          CHECK(z[j][1] == static_cast<float>((n - j + targets - 1) / targets));
        }
      }
    }
  }
}

TEST_CASE("fixed_point rounds sums of any length, and zero whatever the threads", "[accumulate][long]") {
  const auto sum = [](const auto& space, double start, const std::vector<double>& x) {
    std::vector<double> y{start};
    accrue::accumulate(
        space, y, x.size(), [&](std::size_t i, auto& out) { out.add(0, x[i]); }, strategy::fixed_point);
    return y[0];
  };
  const auto expected = [](double start, const std::vector<double>& x) {
    oracle all;
    all.add(start);
    for (const double v : x) all.add(v);
    return all.round<double>();
  };
  const std::uint64_t seed = next_seed();
  for (const auto& space : hook::teams()) {
    CHECK(sum(space, 255, {1, 0x1.8p-45}) == 0x1.0000000000001p8);
    for (const double unit : {1e-3, 1.0, 1e5}) {
      std::vector<double> x;
      for (std::size_t n = 1; n < 700; ++n) {
        x.push_back(unit * (0.1 + 0.9 * static_cast<double>(random_bits(seed, n) >> 11) * 0x1p-53));
        if (n < 200 || n % 7 == 0) CHECK(bits(sum(space, 0, x)) == bits(expected(0, x)));
        if (n % 50 == 0) CHECK(bits(sum(space, -unit, x)) == bits(expected(-unit, x)));
      }
    }
    for (const double start : {0.0, -0.0}) {
      CHECK(bits(sum(space, start, {1, -1})) == bits(start));
      CHECK(bits(sum(space, start, {1e300, -1e300, 1, 2, -3})) == bits(start));
    }
    CHECK(bits(sum(space, 1.0, {-1, 2, -2})) == bits(0.0));
  }
}

TEST_CASE("fixed_point takes subnormal floats and doubles in any floating environment", "[accumulate]") {
  const float small[] = {0x1p-149f, -0x1.8p-130f, 0x1.fffffcp-127f, 0x1p-126f};
  std::vector<float> y(4);
  std::vector<double> z(4);
  const fp_state before = read_fp_state();
  for (const fp_state& state : unusual_fp_states()) {
    std::fill(y.begin(), y.end(), 0.0f);
    std::fill(z.begin(), z.end(), 0.0);
    write_fp_state(state);
    accrue::accumulate(
        hook::make(), accrue::targets(y, z), 40000,
        [&](std::size_t i, auto& floats, auto& doubles) {
          floats.add(i % 4, small[i % 4]);
          doubles.add(i % 4, std::bit_cast<double>(std::uint64_t{i % 4 + 1}));
        },
        strategy::fixed_point);
    write_fp_state(before);
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(bits(y[j]) == bits(10000 * small[j]));
      CHECK(std::bit_cast<std::uint64_t>(z[j]) == 10000 * (j + 1));
    }
  }
}

TEST_CASE("fixed_point adds exactly in any rounding mode and floating environment of the body", "[accumulate]") {
  std::vector<fp_state> states = unusual_fp_states();
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(rounding);
    states.push_back(read_fp_state());
  }
  for (const int exponent : {0, -900, -960, -1000, 960}) {
    const std::uint64_t seed = next_seed();
    const std::size_t n = 2000;
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::ldexp(value_in(range::near_window, seed, i), exponent);
    std::vector<oracle> sums(3);
    for (std::size_t i = 0; i < n; ++i) sums[i % 3].add(x[i]);
    for (std::size_t k = 0; k < 2 * states.size(); ++k) {
      const fp_state& state = states[k / 2];
      INFO("state " << state.control << ", 2^" << exponent << ", seed " << seed);
      std::vector<double> y(k % 2 == 0 ? 3 : many_targets);
      accrue::accumulate(
          hook::make(), y, n,
          [&](std::size_t i, auto& out) {
            const fp_state outside = read_fp_state();
            write_fp_state(state);
            out.add(i % 3, x[i]);
            write_fp_state(outside);
          },
          strategy::fixed_point);
      for (std::size_t j = 0; j < 3; ++j) CHECK(bits(y[j]) == bits(sums[j].round<double>()));
    }
  }
}

TEST_CASE("fixed_point keeps every bit of values of any size beside ones", "[accumulate]") {
  constexpr int least = -120;
  constexpr std::size_t values = 240;
  const int before = std::fegetround();
  for (const double significand : {1 + 0x1p-52, 0x1.7fffffffffff1p0, -0x1.fffffffffffffp0}) {
    for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::vector<double> y(significand < 0 || rounding == FE_UPWARD ? many_targets : values);
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      std::fesetround(rounding);
      for (std::size_t i = 0; i < 128; ++i) acc.add(0, 1.0);
      for (std::size_t j = 1; j < values; ++j) acc.add(j, std::ldexp(significand, static_cast<int>(j) + least));
      std::fesetround(before);
      acc.finish();
      for (std::size_t j = 1; j < values; ++j) CHECK(bits(y[j]) == bits(std::ldexp(significand, static_cast<int>(j) + least)));
    }
  }
}

TEMPLATE_TEST_CASE("fixed_point adds to targets of any size, and leaves those alone to which it adds zero", "[accumulate]", float, double) {
  std::vector<TestType> before{0, -TestType{0}};
  for (const double significand : {1.0, 1.75, -1.9375, 1 + std::ldexp(1.0, 1 - std::numeric_limits<TestType>::digits)}) {
    for (int e = -120; e <= 120; ++e) before.push_back(static_cast<TestType>(std::ldexp(significand, e)));
    if (sizeof(TestType) == sizeof(double)) before.push_back(static_cast<TestType>(significand * 0x1p-1030));
    before.push_back(std::numeric_limits<TestType>::denorm_min());
  }
  const std::size_t values = before.size();
  for (const std::size_t targets : {values, many_targets}) {
    for (const double more : {0.0, 0.75, -1.0}) {
      std::vector<TestType> y = before;
      y.resize(targets);
      std::vector<oracle> sums(values);
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      for (std::size_t k = 0; k < 128; ++k) {
        acc.add(1, TestType{1});  // by which the unit is chosen
        acc.add(1, TestType{-1});
      }
      for (std::size_t j = 0; j < values; ++j) {
        for (const double x : {1.0, more - 1}) acc.add(j, static_cast<TestType>(x));
        for (const double x : {static_cast<double>(before[j]), more}) sums[j].add(x);
      }
      acc.finish();
      for (std::size_t j = 0; j < values; ++j) {
        CAPTURE(j, more, before[j], targets);
        CHECK(bits(y[j]) == bits(more == 0 ? before[j] : sums[j].template round<TestType>()));
      }
    }
  }
}

TEST_CASE("fixed_point decides ties of targets far above what is added", "[accumulate]") {
  for (const auto& [others, more_targets] : {std::pair{1, 0}, std::pair{1, 50000}, std::pair{2000, 50000}}) {  // then small ones in words
    std::vector<double> before{0, -0.0};
    std::vector<std::array<double, 3>> added{{0, 0, 0}, {0x1p-40, -0x1p-40, 0}};
    for (int e = 20; e < 70; ++e) {
      for (const double significand : {1.0, 1 + 0x1p-52, -1 - 0x1p-52, -1.5}) {
        for (const double least : {0x1p-92, -0x1p-92, 0.0, 0x1p-60, -0x1p-130}) {  // the first two as differences
          const double far = std::fabs(least) == 0x1p-92 ? 0x1p-40 : 0;
          before.push_back(std::ldexp(significand, e));
          added.push_back({std::ldexp(e % 2 == 0 ? 1.0 : -1.0, e - 53), far + least, -far});
        }
      }
    }
    before.resize(before.size() + static_cast<std::size_t>(more_targets), 1.0);
    std::vector<double> y = before;
    auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
    for (int k = 0; k < 128 * others; ++k) {
      acc.add(0, 1.0);  // by which the unit is chosen
      acc.add(0, others > 1 && k % 8 == 7 ? -0x1p-40 : -1.0);
    }
    std::vector<oracle> sums(added.size());
    for (std::size_t j = 1; j < added.size(); ++j) {
      sums[j].add(before[j]);
      for (const double x : added[j]) {
        acc.add(j, x);
        sums[j].add(x);
      }
    }
    acc.finish();
    std::size_t wrong = 0;
    for (std::size_t j = 2; j < added.size(); ++j) wrong += bits(y[j]) == bits(sums[j].round<double>()) ? 0 : 1;
    CHECK(wrong == 0);
    CHECK(bits(y[1]) == bits(-0.0));
  }
}

TEST_CASE("fixed_point leaves infinite targets and NaN as they are", "[accumulate]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (int e = 700; e < 960; ++e) {
    std::vector<double> y{infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 0};
    auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
    for (std::size_t i = 0; i < 400; ++i) acc.add(i % 4, std::ldexp(1 + 0.25 * static_cast<double>(i % 3), e));
    for (std::size_t j = 0; j < 4; ++j) acc.add(j, std::ldexp(1.0, e - 30));
    acc.finish();
    CHECK(y[0] == infinity);
    CHECK(y[1] == -infinity);
    CHECK(std::isnan(y[2]));
    CHECK(std::isfinite(y[3]));
  }
}

TEST_CASE("fixed_point keeps words that many additions fill", "[accumulate]") {
  const double largest = 0x1.fffffffffffffp5;  // that words for 1.0 hold
  for (const double sign : {1.0, -1.0}) {
    for (const std::size_t n : {5000u, 100000u}) {
      std::vector<std::array<double, 3>> y(70);
      oracle sum;
      for (std::size_t i = 0; i < 128; ++i) sum.add(1.0);
      for (std::size_t i = 128; i < n; ++i) sum.add(sign * largest);
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      for (std::size_t i = 0; i < 128; ++i) acc.add(65, 1.0, 1.0, 1.0);
      for (std::size_t i = 128; i < n; ++i) acc.add(65, sign * largest, 1.0, -sign * largest);
      acc.add(65, 0.0, 0.0, -256.0);
      acc.finish();
      CHECK(bits(y[65][0]) == bits(sum.round<double>()));
      CHECK(y[65][1] == static_cast<double>(n));
      CHECK(bits(y[65][2]) == bits(-(sum.round<double>())));
    }
  }
}

namespace {

/// Contributions of ten kinds to so many targets, against the oracle.
template <class T>
void check_following(std::size_t targets) {
  const std::uint64_t seed = next_seed();
  for (int kind = 0; kind < 10; ++kind) {
    CAPTURE(targets, kind, seed);
    // Of kind 9, for each part: a power of two and a sign. What is large cancels in the end, so that bits of the rest are seen.
    constexpr std::pair<int, double> part_of_9[] = {{0, 1}, {40, 1}, {0, 1}, {40, -1}, {-40, 1}, {20, 1}, {-40, 1}, {20, -1}};
    const auto contribution = [&](std::size_t item) -> double {
      const std::size_t i = kind == 9 ? item % 4000 : item;
      const double uniform = static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
      const auto part = static_cast<int>(item / 4000);
      switch (kind) {
        case 0: return uniform;                                                       // counts outgrow their words
        case 1: return uniform - 0.5;
        case 2: return std::ldexp(uniform, part * (i % 3 == 0 ? 9 : 7));              // units are left behind
        case 3: return std::ldexp(uniform - 0.5, -part * 11);
        case 4: return std::ldexp(uniform, static_cast<int>(random_bits(seed, ~i) % 40));
        case 5: return i % 5 == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(i % 11));  // all binades of a unit
        case 6: return i < 200 ? 0x1p-40 : i % 2 == 0 ? 0x1.fffffffffffffp10 : -0x1.fffffffffffffp10;
        case 7: return std::ldexp(uniform, std::numeric_limits<T>::min_exponent + 22);  // units are subnormal
        case 9: return part_of_9[part].second * std::ldexp(uniform, part_of_9[part].first);
        default: return i % 1000 == 7 ? std::ldexp(uniform, i % 2 == 0 ? 120 : -120) : uniform * 3;
      }
    };
    const auto target = [&](std::size_t item) {
      const std::size_t i = kind == 9 ? item % 4000 : item;
      if (kind == 9) {  // units change before some targets have contributions of the next size
        const std::size_t first = targets / 2;
        return i < 3000 ? random_bits(seed ^ 1, i) % first : first + random_bits(seed ^ 1, i) % (targets - first);
      }
      return i % 3 == 0 ? i % 7 % targets : random_bits(seed ^ 1, i) % targets;
    };
    constexpr std::size_t n = 32000;
    std::vector<std::size_t> where(n);
    std::vector<T> x(n);
    std::map<std::size_t, oracle> totals;
    for (std::size_t i = 0; i < n; ++i) {
      where[i] = target(i);
      x[i] = static_cast<T>(contribution(i));
      totals[where[i]].add(x[i]);
    }
    std::vector<T> y(targets, T(0.75));
    auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
    for (int step = 0; step < 3; ++step) {
      if (kind == 7) std::fill(y.begin(), y.end(), T(0));
      std::map<std::size_t, T> expected;
      for (auto& [j, sum] : totals) {
        sum.add(y[j]);
        expected[j] = sum.template round<T>();
        sum.add(-y[j]);
      }
      const auto add = [&](std::size_t i, auto& out) { out.add(where[i], x[i]); };
      if (step == 2) {
        accrue::accumulate(hook::teams().front(), y, n, add, strategy::fixed_point);  // whose threads are few: each meets all sizes
      } else {
        for (std::size_t i = 0; i < n; ++i) add(i, acc);
        acc.finish();
      }
      std::size_t wrong = 0;
      for (const auto& [j, sum] : expected) wrong += bits(y[j]) != bits(sum) ? 1 : 0;
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("fixed_point follows contributions whose size changes on the way", "[accumulate]", float, double) {
  check_following<TestType>(200);
}
TEMPLATE_TEST_CASE("fixed_point follows contributions to few targets, and to too many for words from the start, or for a cache",
                   "[accumulate][long]", float, double) {
  for (const std::size_t targets : {3u, 70000u, 270000u}) check_following<TestType>(targets);
}

TEST_CASE("fixed_point adds what waits for memory, and leaves other targets of a large array alone", "[accumulate]") {
  const std::uint64_t seed = next_seed();
  constexpr std::size_t targets = 90000;
  constexpr std::size_t n = 12000;
  const auto target = [&](std::size_t i) { return 1000 + random_bits(seed + 1, i) % (targets - 1000); };
  const auto value = [&](std::size_t i) {
    return std::array<double, 3>{normal(seed, 3 * i), value_in(range::wide, seed, 3 * i + 1), i % 5 == 0 ? 0.0 : normal(seed, 3 * i + 2)};
  };
  std::map<std::size_t, std::array<oracle, 3>> sums;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < 3; ++d) sums[target(i)][d].add(value(i)[d]);
  }
  std::vector<std::array<double, 3>> expected(targets);
  for (const auto& [j, sum] : sums) {
    for (std::size_t d = 0; d < 3; ++d) expected[j][d] = sum[d].round<double>();
  }
  for (const auto& space : hook::teams()) {
    std::vector<std::array<double, 3>> y(targets, {-0.0, -0.0, -0.0});
    accrue::accumulate(space, y, n, [&](std::size_t i, auto& out) { out.add(target(i), value(i)); }, strategy::fixed_point);
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < targets; ++j) {
      for (std::size_t d = 0; d < 3; ++d) wrong += y[j][d] == expected[j][d] ? 0 : 1;
      for (std::size_t d = 0; d < 3 && j < 1000; ++d) wrong += bits(y[j][d]) == bits(-0.0) ? 0 : 1;  // no contributions
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("fixed_point collects millions of contributions to one number of a large array", "[accumulate][large]") {
  std::vector<float> y(std::size_t{1} << 26);
  auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
  oracle sum;
  const auto add = [&](float v) {
    acc.add(7, v);
    sum.add(v);
  };
  for (int i = 0; i < 192; ++i) add(std::ldexp(1.0f, -(i % 9)));
  for (int i = 0; i < 8000000; ++i) add(0x1.fffffep10f);  // beyond the unit of these
  acc.finish();
  CHECK(bits(y[7]) == bits(sum.round<float>()));
}

TEST_CASE("fixed_point joins threads whose contributions lie elsewhere", "[accumulate]") {
  // of one binade each: copies that begin and end at different words, some of them with more, some with none but zeros
  const std::vector<std::vector<int>> binades{{0, 0}, {0, 60}, {60, 0}, {0, 40, 90}, {100, 0, 50}, {0, 400}, {-1, 30}, {-1, -1}};
  for (const auto& of_threads : binades) {
    std::vector<double> y(200, 0x1p-30);
    std::vector<oracle> sums(y.size());
    for (oracle& s : sums) s.add(0x1p-30);
    auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
    for (std::size_t t = 0; t < of_threads.size(); ++t) {
      std::vector<double> values(3000);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = of_threads[t] < 0 ? 0 : std::ldexp(element<double>(distribution::uniform, 11 + t, i, values.size()), of_threads[t]);
        sums[i % y.size()].add(values[i]);
      }
      std::thread([&] {
        for (std::size_t i = 0; i < values.size(); ++i) acc.add(i % y.size(), values[i]);
      }).join();
    }
    acc.finish();
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < y.size(); ++j) wrong += bits(y[j]) == bits(sums[j].round<double>()) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("fixed_point in a caller's own loop: ranges that change from step to step", "[accumulate]") {
  std::vector<double> y(100);
  auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
  for (const range r : {range::normal, range::subnormal, range::whole, range::normal, range::large}) {
    const std::uint64_t seed = next_seed();
    std::vector<oracle> sums(y.size());
    std::fill(y.begin(), y.end(), 0.0);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 3000; ++i) sums[i % 100].add(value_in(r, seed, i));
    for (std::size_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < 3000; i += 3) acc.add(i % 100, value_in(r, seed, i));
      });
    }
    for (auto& t : threads) t.join();
    acc.finish();
    for (std::size_t j = 0; j < y.size(); ++j) CHECK(bits(y[j]) == bits(sums[j].round<double>()));
  }
}
