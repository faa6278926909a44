// SPDX-License-Identifier: BSD-3-Clause
// When the benchmarks stop: the median, how well it is known, and the rounds it took.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sampler.hpp"

namespace {

using perf::stopping_rule;

TEST_CASE("the spread is half the order statistics' interval over the median", "[bench]") {
  std::vector<double> times;
  for (int k = 101; k > 0; --k) times.push_back(k);
  // 101/2 -+ 0.98 sqrt(101): ranks 40 and 62.
  const auto t = perf::summary(times, {.spread = 0.22});
  CHECK(t.median_s == 51);
  CHECK(t.spread == (62.0 - 40.0) / (2 * 51.0));
  CHECK(t.settled);
  CHECK(!perf::summary(times, {.spread = 0.21}).settled);
  CHECK(perf::summary({3, 3, 3, 3, 3}, {.spread = 0}).settled);
  CHECK(perf::summary({1, 2, 3}, {}).spread == (3.0 - 1.0) / (2 * 2.0));
}

TEST_CASE("the interval holds the true median as often as it says", "[bench]") {
  std::mt19937_64 bits(std::random_device{}());
  std::normal_distribution<double> normal(1, 0.1);
  constexpr int sets = 2000;
  int held = 0;
  double mean_spread = 0;
  for (int s = 0; s < sets; ++s) {
    std::vector<double> times(25);
    for (double& t : times) t = normal(bits);
    const auto t = perf::summary(times, {});
    mean_spread += t.spread / sets;
    // The interval reaches no farther than its whole width to either side of its median.
    if (std::fabs(t.median_s - 1) <= 2 * t.spread * t.median_s) ++held;
  }
  CHECK(held >= sets * 95 / 100);
  // 1.96 standard errors of a normal median, 1.2533 sigma / sqrt(n), are 0.049; ranks are whole numbers.
  CHECK(mean_spread > 0.04);
  CHECK(mean_spread < 0.07);
}

TEST_CASE("rounds end when all medians are known, or when they or the time run out", "[bench]") {
  int groups = 0;
  const perf::sample steady = [&](std::size_t) {
    ++groups;
    return 0.01;
  };
  std::mt19937_64 bits(7);
  const perf::sample wandering = [&](std::size_t) { return 0.01 * (1 + static_cast<double>(bits() % 1000) / 1000); };
  const auto calm = perf::time_in_turns({steady}, {});
  CHECK(calm[0].settled);
  CHECK(calm[0].rounds == 9);
  CHECK(groups == 11);  // two before the rounds

  const auto both = perf::time_in_turns({steady, wandering}, {.spread = 0.05, .rounds = 100000, .seconds = 1e9});
  CHECK(both[0].rounds == both[1].rounds);
  CHECK(both[1].rounds > 50);
  CHECK(both[1].settled);
  const auto cut = perf::time_in_turns({wandering}, {.spread = 1e-6, .rounds = 20});
  CHECK(cut[0].rounds == 20);
  CHECK(!cut[0].settled);
  CHECK(perf::time_in_turns({wandering}, {.spread = 1e-6, .seconds = 0})[0].rounds == 9);
}

TEST_CASE("ratios of rounds know what medians do not", "[bench]") {
  // Both slow down together by up to a hundredfold, from round to round: one is always the half of the other.
  std::mt19937_64 bits(11);
  double drift = 1;
  const perf::sample first = [&](std::size_t) { return 0.02 * (drift = 1 + static_cast<double>(bits() % 10000) / 100); };
  const perf::sample second = [&](std::size_t) { return 0.01 * drift; };
  const auto both = perf::time_in_turns({first, second}, {.spread = 0.01, .rounds = 51, .seconds = 1e9});
  CHECK(both[0].times.size() == 51);
  CHECK(both[0].spread > 0.1);
  const auto r = perf::time_over(both[0], both[1]);
  CHECK(std::fabs(r.median - 2) < 1e-12);
  CHECK(r.spread < 1e-12);
  // The medians are 2 and 3; the rounds' ratios 1/4, 2 and 3.
  CHECK(perf::time_over(perf::summary({1, 2, 9}, {}), perf::summary({4, 1, 3}, {})).median == 2);
}

TEST_CASE("short calls are timed in groups, long ones alone", "[bench]") {
  std::size_t most = 0;
  const auto timed = [&](double call_s) {
    most = 0;
    (void)perf::time_in_turns({[&, call_s](std::size_t calls) {
                                most = std::max(most, calls);
                                return call_s;
                              }},
                              {.rounds = 3});
    return most;
  };
  CHECK(timed(1e-6) == 200);
  CHECK(timed(1e-4) == 20);
  CHECK(timed(0.1) == 1);
}

}  // namespace
