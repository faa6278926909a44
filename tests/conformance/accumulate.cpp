// SPDX-License-Identifier: BSD-3-Clause
// Accumulation into arrays: every strategy and team against the oracle, skewed work, several targets at once, and what is refused.
// Indices are checked in this build.
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
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

namespace {

/// What data the exact sums of contributions meet: one window of words, several, none; full words; specials.
enum class range { normal, near_window, wide, whole, subnormal, one_sign, large, specials };

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
    for (const std::size_t targets : {1u, 3u, 130u}) {
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
        for (std::size_t j = 0; j < targets; ++j) CHECK(bits(y[j]) == bits(sums[j].round<double>()));
        for (std::size_t j = 0; j < targets; ++j) {
          oracle single;
          for (std::size_t i = j; i < n; i += targets) single.add(static_cast<float>(value_in(r, seed, i)));
          CHECK(bits(z[j][0]) == bits(single.round<float>()));
          CHECK(z[j][1] == static_cast<float>((n - j + targets - 1) / targets));
        }
      }
    }
  }
}

TEST_CASE("fixed_point rounds sums of any length, and zero whatever the threads", "[accumulate]") {
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
        hook::make(), accrue::targets(y, z), 400,
        [&](std::size_t i, auto& floats, auto& doubles) {
          floats.add(i % 4, small[i % 4]);
          doubles.add(i % 4, std::bit_cast<double>(std::uint64_t{i % 4 + 1}));
        },
        strategy::fixed_point);
    write_fp_state(before);
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(bits(y[j]) == bits(100 * small[j]));
      CHECK(std::bit_cast<std::uint64_t>(z[j]) == 100 * (j + 1));
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
    for (const fp_state& state : states) {
      INFO("state " << state.control << ", 2^" << exponent << ", seed " << seed);
      std::vector<double> y(3);
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
  std::vector<double> y(240);
  const int before = std::fegetround();
  for (const double significand : {1 + 0x1p-52, 0x1.7fffffffffff1p0, -0x1.fffffffffffffp0}) {
    for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fill(y.begin(), y.end(), 0.0);
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      std::fesetround(rounding);
      for (std::size_t i = 0; i < 128; ++i) acc.add(0, 1.0);
      for (std::size_t j = 1; j < y.size(); ++j) acc.add(j, std::ldexp(significand, static_cast<int>(j) + least));
      std::fesetround(before);
      acc.finish();
      for (std::size_t j = 1; j < y.size(); ++j) CHECK(bits(y[j]) == bits(std::ldexp(significand, static_cast<int>(j) + least)));
    }
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

TEMPLATE_TEST_CASE("fixed_point follows contributions whose size changes on the way", "[accumulate]", float, double) {
  using T = TestType;
  const std::uint64_t seed = next_seed();
  for (const std::size_t targets : {3u, 200u, 70000u}) {  // of which the last are too many for words from the start
    for (int kind = 0; kind < 9; ++kind) {
      CAPTURE(targets, kind, seed);
      const auto contribution = [&](std::size_t i) -> double {
        const double uniform = static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
        const auto part = static_cast<int>(i / 4000);
        switch (kind) {
          case 0: return uniform;                                                       // counts outgrow their words
          case 1: return uniform - 0.5;
          case 2: return std::ldexp(uniform, part * (i % 3 == 0 ? 9 : 7));              // units are left behind
          case 3: return std::ldexp(uniform - 0.5, -part * 11);
          case 4: return std::ldexp(uniform, static_cast<int>(random_bits(seed, ~i) % 40));
          case 5: return i % 5 == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(i % 11));  // all binades of a unit
          case 6: return i < 200 ? 0x1p-40 : i % 2 == 0 ? 0x1.fffffffffffffp10 : -0x1.fffffffffffffp10;
          case 7: return std::ldexp(uniform, std::numeric_limits<T>::min_exponent + 22);  // units are subnormal
          default: return i % 1000 == 7 ? std::ldexp(uniform, i % 2 == 0 ? 120 : -120) : uniform * 3;
        }
      };
      constexpr std::size_t n = 30000;
      std::vector<T> y(targets, T(0.75));
      std::map<std::size_t, oracle> expected;
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      for (int step = 0; step < 2; ++step) {
        if (kind == 7) std::fill(y.begin(), y.end(), T(0));
        expected.clear();
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t j = i % 3 == 0 ? i % 7 % targets : random_bits(seed ^ 1, i) % targets;
          const T x = static_cast<T>(contribution(i));
          acc.add(j, x);
          const auto [at, first] = expected.try_emplace(j);
          if (first) at->second.add(y[j]);
          at->second.add(x);
        }
        acc.finish();
        std::size_t wrong = 0;
        for (auto& [j, sum] : expected) wrong += bits(y[j]) != bits(sum.template round<T>()) ? 1 : 0;
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("fixed_point joins threads whose units and words lie at any distance", "[accumulate]") {
  const std::uint64_t seed = next_seed();
  for (const std::size_t targets : {3u, 3000u}) {  // with words, and with nothing but counts and what is collected
    for (int distance = -70; distance <= 70; ++distance) {
      CAPTURE(targets, distance, seed);
      std::vector<double> y(targets, 1.0);
      std::map<std::size_t, oracle> sums;
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      for (const int exponent : {0, distance}) {
        const auto target = [&](std::uint64_t i) { return i < 200 ? 0 : i % std::min<std::size_t>(targets, 20); };
        const auto contribution = [&](std::uint64_t i) {
          const int lower = i % 100 == 99 ? 30 : static_cast<int>(i % 5);
          return std::ldexp(static_cast<double>(random_bits(seed, i) >> 11 | std::uint64_t{1} << 52), exponent - 53 - lower);
        };
        const auto add_all = [&] {
          for (std::uint64_t i = 0; i < 600; ++i) acc.add(target(i), contribution(i));
        };
        if (exponent == 0) {
          add_all();
        } else {
          std::thread(add_all).join();
        }
        for (std::uint64_t i = 0; i < 600; ++i) {
          const auto [at, first] = sums.try_emplace(target(i));
          if (first) at->second.add(1.0);
          at->second.add(contribution(i));
        }
      }
      acc.finish();
      for (auto& [j, sum] : sums) CHECK(bits(y[j]) == bits(sum.round<double>()));
    }
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
