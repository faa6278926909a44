// SPDX-License-Identifier: BSD-3-Clause
// Accumulation into arrays: every strategy and team against the oracle, skewed work, several targets at once, and what is refused.
// Indices are checked in this build.
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include "conformance/suite.hpp"
#include "support/fp_state.hpp"

using namespace test;
using accrue::accumulate_options;
using accrue::strategy;
using vector3 = std::array<double, 3>;

namespace {

/// Where the contributions of the tests go.
enum class pattern { spread, one_target, neighbours, first_half };

std::size_t target_of(pattern p, std::uint64_t seed, std::size_t item, std::size_t k, std::size_t targets) {
  switch (p) {
    case pattern::spread:
      return random_bits(seed, 8 * item + k) % targets;
    case pattern::one_target:
      return targets / 2;
    case pattern::neighbours:
      return (item + k) % targets;
    case pattern::first_half:
      return random_bits(seed, 8 * item + k) % (targets / 2 + 1);
  }
  return 0;
}

double value_of(std::uint64_t seed, std::size_t item, std::size_t k) { return normal(seed + 1, 4 * item + k); }

/// Ways that take contributions to any target.
const strategy scattering[] = {strategy::automatic, strategy::critical,   strategy::triangle,
                               strategy::atomic,    strategy::replicated, strategy::fixed_point};

}  // namespace

TEST_CASE("accumulate: every strategy and team, any pattern of contributions", "[accumulate]") {
  for (const pattern p : {pattern::spread, pattern::one_target, pattern::neighbours, pattern::first_half}) {
    for (const std::size_t n : {0u, 1u, 7u, 64u, 1000u, 5000u}) {
      for (const std::size_t targets : {1u, 63u, 64u, 65u, 700u}) {
        const std::uint64_t seed = next_seed();
        std::vector<oracle> sums(targets);
        std::vector<double> magnitude(targets, 1);
        for (auto& m : magnitude) m = 0.25;
        for (std::size_t j = 0; j < targets; ++j) sums[j].add(0.25);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t j = target_of(p, seed, i, k, targets);
            sums[j].add(value_of(seed, i, k));
            magnitude[j] += std::fabs(value_of(seed, i, k));
          }
        }
        for (const strategy way : scattering) {
          for (const auto& space : hook::teams()) {
            std::vector<double> y(targets, 0.25);
            const auto report = accrue::accumulate(
                space, y, n,
                [&](std::size_t i, auto& out) {
                  for (std::size_t k = 0; k < 3; ++k) out.add(target_of(p, seed, i, k, targets), value_of(seed, i, k));
                },
                way);
            INFO(accrue::to_string(report.used) << ", " << n << " items, " << targets << " targets, seed " << seed);
            double worst = 0;
            for (std::size_t j = 0; j < targets; ++j)
              worst = std::max(worst, std::fabs(y[j] - sums[j].round<double>()) / magnitude[j]);
            CHECK(worst < 1e-12);
            for (std::size_t j = 0; way == strategy::fixed_point && j < targets; ++j) CHECK(bits(y[j]) == bits(sums[j].round<double>()));
          }
        }
      }
    }
  }
}

TEST_CASE("accumulate: gather adds to each item's own target", "[accumulate]") {
  for (const auto& space : hook::teams()) {
    std::vector<float> y(1000, 1.0f);
    const auto r = accrue::accumulate(
        space, y, y.size(), [](std::size_t i, auto& out) { out.add(i, static_cast<float>(i)); }, strategy::gather);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == 1.0f + static_cast<float>(i));
    CHECK(r.workspace_bytes == 0);
    CHECK(code_of([&] {
            accrue::accumulate(
                space, y, y.size(), [](std::size_t i, auto& out) { out.add(i / 2, 1.0f); }, strategy::gather);
          }) == accrue::errc::out_of_range);
  }
}

TEST_CASE("scatter: gather in a caller's own loop, and exact totals whatever the floating environment", "[accumulate]") {
  std::vector<double> y(100);
  auto acc = accrue::scatter(hook::make(), y, strategy::gather);
  for (std::size_t j = 0; j < y.size(); ++j) acc.add(j, 2.0);
  acc.finish();
  for (const double v : y) CHECK(v == 2);

  accrue::exact_total total;
  const fp_state before = read_fp_state();
  if (!flushing_controls.empty()) write_fp_state({flushing_controls.back(), 0});
  accrue::accumulate(hook::make(), accrue::targets(y, total), 1000, [](std::size_t, auto&, auto& t) { t.add(3e-310); });
  write_fp_state(before);
  oracle expected;
  for (int k = 0; k < 1000; ++k) expected.add(3e-310);
  CHECK(bits(total.value()) == bits(expected.round<double>()));
}

TEST_CASE("accumulate: several arrays and an exact total in one sweep, in any layout", "[accumulate]") {
  const std::size_t n = 3000;
  const std::size_t targets = 500;
  const std::uint64_t seed = next_seed();
  std::optional<std::string> total;
  for (const strategy way : scattering) {
    for (const auto& space : hook::teams()) {
      std::vector<double> padded(4 * targets, 0.0);
      std::vector<float> column[3] = {std::vector<float>(targets), std::vector<float>(targets), std::vector<float>(targets)};
      std::vector<vector3> rows(targets, vector3{});
      std::vector<double> scalars(targets);
      auto strided = accrue::array_of_structures(padded.data(), targets, 4);
      auto separate = accrue::structure_of_arrays(column[0].data(), column[1].data(), column[2].data(), targets);
      accrue::exact_total sum;
      accrue::accumulate(
          space, accrue::targets(strided, separate, rows, scalars, sum), n,
          [&](std::size_t i, auto& a, auto& b, auto& c, auto& d, auto& t) {
            const std::size_t j = target_of(pattern::spread, seed, i, 0, targets);
            const double v = value_of(seed, i, 0);
            a.add(j, v, 2 * v, -v);
            b.add(j, static_cast<float>(v), 1.0f, 0.5f);
            c.add(j, vector3{v, 2 * v, -v});
            d.add(j, v);
            t.add(v);
          },
          way);
      oracle exact;
      for (std::size_t i = 0; i < n; ++i) exact.add(value_of(seed, i, 0));
      CHECK(bits(sum.value()) == bits(exact.round<double>()));
      for (std::size_t j = 0; j < targets; ++j) {
        CHECK(std::fabs(padded[4 * j] - scalars[j]) < 1e-12);
        CHECK(std::fabs(padded[4 * j + 1] - 2 * scalars[j]) < 1e-12);
        CHECK(std::fabs(rows[j][2] + scalars[j]) < 1e-12);
        CHECK(padded[4 * j + 3] == 0);
        CHECK(std::fabs(column[0][j] - static_cast<float>(scalars[j])) < 1e-4f);
        CHECK(column[1][j] == 2 * column[2][j]);
      }
    }
  }
}

TEST_CASE("accumulate: uneven items by weights, and triangle from call to call", "[accumulate]") {
  const std::size_t n = 2000;
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = i < 100 ? 50 : 1;
  accumulate_options options = strategy::triangle;
  options.weights = weights;
  for (const auto& space : hook::teams()) {
    for (int call = 0; call < 4; ++call) {
      std::vector<double> y(100);
      const auto r = accrue::accumulate(
          space, y, n,
          [&](std::size_t i, auto& out) {
            for (int k = 0; k < static_cast<int>(weights[i]); ++k) out.add(i % 100, 1.0);
          },
          options);
      for (const double v : y) CHECK(v == 69);
      CHECK(r.merge_s > 0);
      CHECK(r.timelines.size() == static_cast<std::size_t>(r.threads));
    }
    std::vector<double> y(100);
    options.weights = std::span<const double>(weights).first(n - 1);
    CHECK(code_of([&] {
            accrue::accumulate(
                space, y, n, [](std::size_t, auto&) {}, options);
          }) == accrue::errc::size_mismatch);
    weights[7] = -1;
    options.weights = weights;
    CHECK(code_of([&] {
            accrue::accumulate(
                space, y, n, [](std::size_t, auto&) {}, options);
          }) == accrue::errc::invalid_argument);
    weights[7] = 50;
  }
}

TEST_CASE("accumulate: bad indices, infinities and NaN, and a body that throws", "[accumulate]") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& space : hook::teams()) {
    for (const strategy way : scattering) {
      std::vector<double> y(10);
      const auto add = [&](std::size_t j, double v, std::size_t times = 1) {
        return code_of([&] {
          accrue::accumulate(
              space, y, 50,
              [&](std::size_t i, auto& out) {
                for (std::size_t k = 0; k < (i == 31 ? times : 0); ++k) out.add(j, v);
              },
              way);
        });
      };
      CHECK(add(9, 1) == accrue::errc::success);
      CHECK(add(10, 1) == accrue::errc::out_of_range);
      CHECK(add(~std::size_t{0}, 1) == accrue::errc::out_of_range);
      std::fill(y.begin(), y.end(), 0.0);
      CHECK(add(3, nan) == accrue::errc::success);
      CHECK(std::isnan(y[3]));
      CHECK(add(4, inf, 3) == accrue::errc::success);
      CHECK(y[4] == inf);
      CHECK_THROWS_AS(accrue::accumulate(
                          space, y, 50,
                          [](std::size_t i, auto&) {
                            if (i == 17) throw std::runtime_error("no");
                          },
                          way),
                      std::runtime_error);
      CHECK(add(9, 1) == accrue::errc::success);  // and the next call works
    }
  }
}

TEMPLATE_TEST_CASE("histograms: integer targets", "[accumulate]", std::int32_t, std::uint8_t, std::uint64_t) {
  const std::size_t n = 5000;
  const std::uint64_t seed = next_seed();
  std::vector<TestType> expected(50, TestType(1));
  for (std::size_t i = 0; i < n; ++i) {
    auto& e = expected[random_bits(seed, i) % 50];
    e = static_cast<TestType>(e + 3);
  }
  for (const strategy way : scattering) {
    for (const auto& space : hook::teams()) {
      std::vector<TestType> y(50, TestType(1));
      accrue::accumulate(
          space, y, n, [&](std::size_t i, auto& out) { out.add(random_bits(seed, i) % 50, 3); }, way);
      CHECK(y == expected);
    }
  }
}

TEST_CASE("scatter: several targets, an exact total, and a temporary", "[accumulate]") {
  std::vector<double> xyz(300);
  std::vector<std::int64_t> counts(10);
  accrue::exact_total energy;
  for (const strategy s : {strategy::replicated, strategy::fixed_point, strategy::atomic, strategy::critical}) {
    std::fill(xyz.begin(), xyz.end(), 0.0);
    std::fill(counts.begin(), counts.end(), 0);
    energy.clear();
    auto acc = accrue::scatter(hook::make(), accrue::targets(counts, energy), s);
    auto forces = accrue::scatter(hook::make(), accrue::array_of_structures(xyz.data(), 100), s);
    for (int step = 1; step <= 2; ++step) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
          auto [count, e] = acc.local();
          for (std::size_t i = 0; i < 1000; ++i) {
            count.add(i % 10, 1);
            e.add(0x1p-60);
            forces.add(i % 100, 1.0, 2.0, 3.0);
          }
          acc.merge();
          forces.merge();
        });
      }
      for (auto& t : threads) t.join();
      acc.finish();
      forces.finish();
      CHECK(energy.value() == step * 3000 * 0x1p-60);
      CHECK(counts == std::vector<std::int64_t>(10, step * 300));
      CHECK(xyz[299] == step * 90);
    }
  }
  accrue::exact_total alone;
  auto total = accrue::scatter(hook::make(), alone);
  total.add(1e300);
  total.add(1.0);
  total.add(-1e300);
  total.finish();
  CHECK(alone.value() == 1);
}

TEST_CASE("scatter: handles that are copied, and what copies are told", "[accumulate]") {
  for (const strategy s : scattering) {
    std::vector<double> y(5);
    auto acc = accrue::scatter<true>(hook::make(), y, s);
    auto copy = acc.local();
    copy.add(1, 2.0);
    acc.add(std::size_t{1}, 3.0);
    copy.add(5, 1.0);
    CHECK(code_of([&] { acc.finish(); }) == accrue::errc::out_of_range);
    copy.add(2, 1.0);
    acc.finish();
    CHECK(y == std::vector<double>{0, 5, 1, 0, 0});
  }
  accrue::accumulate_options bounded = strategy::fixed_point;
  bounded.largest = 10;
  std::vector<float> z(5);
  auto acc = accrue::scatter<true>(hook::make(), z, bounded);
  auto copy = acc.local();
  copy.add(3, 10.5f);
  CHECK(code_of([&] { acc.finish(); }) == accrue::errc::out_of_range);
  copy.add(3, 9.0f);
  acc.finish();
}

TEST_CASE("scatter: what one of several targets is told leaves the others ready for the next step", "[accumulate]") {
  for (const std::size_t later : {1u, 2000u}) {
    std::vector<double> f(1000);
    std::vector<double> u(1000);
    accrue::exact_total e;
    auto acc = accrue::scatter<true>(hook::make(), accrue::targets(f, u, e), strategy::fixed_point);
    const auto add = [&](std::size_t j, std::size_t k) {
      auto handles = acc.local();
      std::get<0>(handles).add(j, 1.0);
      std::get<1>(handles).add(k, 1.0);
      std::get<2>(handles).add(1.0);
    };
    add(5000, 3);
    CHECK_THROWS_AS(acc.finish(), accrue::error);
    std::fill(f.begin(), f.end(), 0.0);
    std::fill(u.begin(), u.end(), 0.0);
    e.clear();
    for (std::size_t i = 0; i < later; ++i) add(5, 700);
    acc.finish();
    const auto n = static_cast<double>(later);
    CHECK((f[5] == n && u[3] == 0 && u[700] == n && e.value() == n));
  }
}

TEST_CASE("scatter: threads of the caller's, step after step", "[accumulate]") {
  const std::size_t targets = 300;
  for (const strategy s : {strategy::critical, strategy::triangle, strategy::atomic, strategy::replicated, strategy::fixed_point}) {
    std::vector<vector3> y(targets, vector3{});
    auto acc = accrue::scatter(hook::make(), y, s);
    std::size_t workspace = 0;
    for (int step = 0; step < 5; ++step) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          const auto share = acc.share(4000, t, 4);
          auto& mine = acc.local();
          for (std::size_t i = share.begin; i < share.end; ++i) {
            mine.add(i % targets, 1, 2, 3);
            acc.add((i + 1) % targets, 1.0, 2.0, 3.0);
          }
          acc.merge();
        });
      }
      for (auto& t : threads) t.join();
      acc.finish();
      if (step == 0) workspace = acc.workspace_bytes();
    }
    double sum[3] = {};
    for (const auto& v : y) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += v[k];
    }
    INFO(accrue::to_string(s));
    CHECK(sum[0] == 5 * 4000 * 2);
    CHECK(sum[1] == 2 * sum[0]);
    CHECK(sum[2] == 3 * sum[0]);
    CHECK((s == strategy::atomic) == (workspace == 0));
    acc.add(targets, 1.0, 1.0, 1.0);
    CHECK(code_of([&] { acc.finish(); }) == accrue::errc::out_of_range);
    CHECK(code_of([&] { acc.finish(); }) == accrue::errc::success);
  }
}
