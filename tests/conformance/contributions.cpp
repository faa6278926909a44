// SPDX-License-Identifier: BSD-3-Clause
// Contributions to targets in the space's memory: exact ones against the oracle, the others nearby, and what is refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "shown.hpp"
#include "suite.hpp"

using namespace test;
using accrue::strategy;

namespace {

template <class T>
struct adds_one {
  const int* at;
  const T* value;
  template <class Out>
  constexpr void operator()(std::size_t i, Out& out) const {
    out.add(static_cast<std::size_t>(at[i]), value[i]);
  }
};
struct adds_vectors_and_totals {
  const int* at;
  const double* value;
  template <class Vectors, class Total>
  constexpr void operator()(std::size_t i, Vectors& vectors, Total& total) const {
    const double v = value[i];
    vectors.add(static_cast<std::size_t>(at[i]), v, -v, v * 0.25);
    total.add(v);
  }
};
template <class T>
struct adds_to_own {
  const T* value;
  std::size_t shift;
  template <class Out>
  constexpr void operator()(std::size_t i, Out& out) const {
    out.add(i + shift, value[i]);
  }
};

template <class T>
std::span<T> writable(const hook::array<T>& a) {
  return {const_cast<T*>(a.get().data()), a.get().size()};
}

struct example {
  std::size_t n;
  std::size_t targets;
  double binades;   ///< of the contributions
  bool special;     ///< some are infinite or NaN
  double scale = 1;
};
constexpr example examples[] = {{0, 3, 10, false},        {1, 1, 0, false},         {700, 5, 0, false},           {3000, 1, 40, false},
                                {2000, 300, 20, false},   {900, 40, 200, false},    {600, 7, 1900, false},        {2000, 90, 60, true},
                                {500, 9, 30, false, 0x1p1000}, {500, 9, 30, false, 0x1p-1040}, {40000, 5000, 30, false},
                                {300000, 10, 30, false}};

/// Contributions of an example, half of them to a third of the targets, some of which have none.
template <class T>
std::vector<T> values_of(const example& e, std::uint64_t seed) {
  std::vector<T> v(e.n);
  const double most = std::is_same_v<T, float> ? 100 : 2000;
  for (std::size_t i = 0; i < e.n; ++i) {
    const double binades = std::min(e.binades, most);
    v[i] = static_cast<T>(std::ldexp(normal(seed, i), static_cast<int>((random_unit(seed + 1, i) - 0.5) * binades)) *
                          (std::is_same_v<T, double> ? e.scale : 1.0));
    if (!std::isfinite(v[i])) v[i] = T{1};
    if (e.special && random_bits(seed + 2, i) % 50 == 0) {
      const T all[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()};
      v[i] = all[random_bits(seed + 3, i) % 3];
    }
  }
  return v;
}
std::vector<int> places_of(const example& e, std::uint64_t seed) {
  std::vector<int> at(e.n);
  for (std::size_t i = 0; i < e.n; ++i) {
    const std::uint64_t r = random_bits(seed + 5, i);
    at[i] = static_cast<int>((r & 1) != 0 ? (r >> 1) % (e.targets / 3 + 1) : (r >> 1) % (e.targets - e.targets / 5));
  }
  return at;
}

}  // namespace

TEMPLATE_TEST_CASE("contributions of fixed_point are exact", "[accumulate]", double, float) {
  using T = TestType;
  for (const example& e : examples) {
    if (played && e.n > 10000) continue;
    const std::uint64_t seed = next_seed();
    const auto v = values_of<T>(e, seed);
    const auto at = places_of(e, seed);
    std::vector<T> before(e.targets);
    for (std::size_t j = 0; j < e.targets; ++j) before[j] = static_cast<T>(j % 3 == 0 ? 0.0 : normal(seed + 9, j));
    std::vector<oracle> sums(e.targets);
    for (std::size_t j = 0; j < e.targets; ++j) sums[j].add(before[j]);
    for (std::size_t i = 0; i < e.n; ++i) sums[static_cast<std::size_t>(at[i])].add(v[i]);
    CAPTURE(e.n, e.targets, e.binades, seed);
    const auto space = hook::make();
    const hook::array<T> values(space, v), y(space, before);
    const hook::array<int> places(space, at);
    accrue::accumulate(space, writable(y), e.n, adds_one<T>{places.get().data(), values.get().data()}, strategy::fixed_point);
    const auto after = y.host();
    for (std::size_t j = 0; j < e.targets; ++j) {
      const T expected = sums[j].template round<T>();
      if (bits(after[j]) != bits(expected) && !(std::isnan(after[j]) && std::isnan(expected))) {
        FAIL("target " << j << " is " << shown(after[j]) << ", not " << shown(expected));
      }
    }
  }
}

TEST_CASE("contributions of every strategy, of vectors beside an exact total", "[accumulate]") {
  const example e{5000, 60, 12, false};
  const std::uint64_t seed = next_seed();
  const auto v = values_of<double>(e, seed);
  const auto at = places_of(e, seed);
  std::vector<double> expected(3 * e.targets);
  double most = 0;
  for (std::size_t i = 0; i < e.n; ++i) {
    const auto j = static_cast<std::size_t>(at[i]);
    const double parts[] = {v[i], -v[i], v[i] * 0.25};
    for (std::size_t d = 0; d < 3; ++d) expected[3 * j + d] += parts[d];
    most = std::max(most, std::abs(v[i]));
  }
  const auto space = hook::make();
  const hook::array<double> values(space, v);
  const hook::array<int> places(space, at);
  for (const strategy how : {strategy::automatic, strategy::atomic, strategy::replicated, strategy::fixed_point}) {
    const hook::array<double> y(space, std::vector<double>(3 * e.targets));
    accrue::exact_total total;
    total.add(0.5);
    const auto vectors = accrue::array_of_structures(writable(y).data(), e.targets);
    accrue::accumulate(space, accrue::targets(vectors, total), e.n, adds_vectors_and_totals{places.get().data(), values.get().data()}, how);
    const auto after = y.host();
    for (std::size_t k = 0; k < after.size(); ++k) CHECK(std::abs(after[k] - expected[k]) <= 1e-12 * most * static_cast<double>(e.n));
    oracle sum;
    sum.add(0.5);
    for (const double x : v) sum.add(x);
    CHECK(bits(total.value()) == bits(sum.round<double>()));
  }
}

TEST_CASE("contributions of the largest numbers to an exact total", "[accumulate]") {
  for (const std::vector<double>& v : {std::vector<double>{0x1p1010, 0x1p941}, {0x1p1023, 0x1p950, 3.0},
                                       std::vector<double>(100, std::numeric_limits<double>::max()), {0x1p1023, 5e-324, -0x1p1023}}) {
    const auto space = hook::make();
    const std::vector<int> at(v.size(), 0);
    const hook::array<double> values(space, v), y(space, std::vector<double>(3));
    const hook::array<int> places(space, at);
    accrue::exact_total total;
    const auto vectors = accrue::array_of_structures(writable(y).data(), 1);
    accrue::accumulate(space, accrue::targets(vectors, total), v.size(),
                       adds_vectors_and_totals{places.get().data(), values.get().data()}, strategy::fixed_point);
    oracle sum;
    for (const double x : v) sum.add(x);
    CHECK(bits(total.value()) == bits(sum.round<double>()));
    CHECK(bits(y.host()[0]) == bits(sum.round<double>()));
  }
}

TEMPLATE_TEST_CASE("contributions of integers wrap around", "[accumulate]", std::int32_t, std::uint64_t) {
  using T = TestType;
  const example e{4000, 33, 0, false};
  const std::uint64_t seed = next_seed();
  std::vector<T> v(e.n);
  for (std::size_t i = 0; i < e.n; ++i) v[i] = static_cast<T>(random_bits(seed, i));
  const auto at = places_of(e, seed);
  std::vector<std::uint64_t> sums(e.targets, 7);
  for (std::size_t i = 0; i < e.n; ++i) sums[static_cast<std::size_t>(at[i])] += static_cast<std::uint64_t>(v[i]);
  const auto space = hook::make();
  const hook::array<T> values(space, v);
  const hook::array<int> places(space, at);
  for (const strategy how : {strategy::automatic, strategy::atomic, strategy::replicated, strategy::fixed_point}) {
    const hook::array<T> y(space, std::vector<T>(e.targets, T{7}));
    accrue::accumulate(space, writable(y), e.n, adds_one<T>{places.get().data(), values.get().data()}, how);
    const auto after = y.host();
    for (std::size_t j = 0; j < e.targets; ++j) CHECK(after[j] == static_cast<T>(sums[j]));
  }
}

TEST_CASE("contributions with a bound: one set of bits, a stated error, and what does not fit is told", "[accumulate]") {
  const example e{6000, 25, 0, false};
  const std::uint64_t seed = next_seed();
  auto v = values_of<double>(e, seed);
  const auto at = places_of(e, seed);
  const double largest = 8;
  std::vector<oracle> sums(e.targets);
  std::vector<std::size_t> count(e.targets);
  for (std::size_t i = 0; i < e.n; ++i) {
    sums[static_cast<std::size_t>(at[i])].add(v[i]);
    ++count[static_cast<std::size_t>(at[i])];
  }
  accrue::accumulate_options options = strategy::fixed_point;
  options.largest = largest;
  const int unit = accrue::detail::wide_fixed_unit(largest);
  std::vector<accrue::superaccumulator<double>> rounded(e.targets);
  for (std::size_t i = 0; i < e.n; ++i) {
    accrue::detail::int128 units = 0;
    REQUIRE(accrue::detail::to_fixed(v[i], unit, units));
    rounded[static_cast<std::size_t>(at[i])].add_integer(units, unit);
  }
  for (const bool turned : {false, true}) {
    auto turned_at = at;
    auto turned_v = v;
    if (turned) {
      std::reverse(turned_at.begin(), turned_at.end());
      std::reverse(turned_v.begin(), turned_v.end());
    }
    const auto space = turned ? hook::variants().back() : hook::make();
    const hook::array<double> values(space, turned_v), y(space, std::vector<double>(e.targets, 1.5));
    const hook::array<int> places(space, turned_at);
    accrue::accumulate(space, writable(y), e.n, adds_one<double>{places.get().data(), values.get().data()}, options);
    const auto after = y.host();
    for (std::size_t j = 0; j < e.targets; ++j) {
      CHECK(bits(after[j]) == bits(1.5 + rounded[j].round<double>()));
      const double exact = 1.5 + sums[j].round<double>();
      CHECK(std::abs(after[j] - exact) <= static_cast<double>(count[j]) * largest * 0x1p-62 + std::abs(exact) * 0x1p-52);
    }
  }
  for (const double bad : {8.5, 0x1p-80, -0x1p-1074, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    v[e.n / 2] = bad;
    const auto space = hook::make();
    const hook::array<double> values(space, v), y(space, std::vector<double>(e.targets));
    const hook::array<int> places(space, at);
    CHECK(code_of([&] {
            accrue::accumulate(space, writable(y), e.n, adds_one<double>{places.get().data(), values.get().data()}, options);
            if constexpr (!on_host) space.synchronize();
          }) == accrue::errc::out_of_range);
  }
}

TEST_CASE("contributions of each item to its own target, and indices that are none", "[accumulate]") {
  const std::size_t n = 300;
  const auto v = sequence<double>(distribution::normal, next_seed(), n);
  const auto space = hook::make();
  const hook::array<double> values(space, v), y(space, std::vector<double>(n, 1.0));
  accrue::accumulate(space, writable(y), n, adds_to_own<double>{values.get().data(), 0}, strategy::gather);
  const auto after = y.host();
  for (std::size_t i = 0; i < n; ++i) CHECK(bits(after[i]) == bits(1.0 + v[i]));
  const auto fails = [&](strategy how) {
    return code_of([&] {
      accrue::accumulate(space, writable(y), n, adds_to_own<double>{values.get().data(), 1}, how);
      space.synchronize();
    });
  };
  for (const strategy how : {strategy::gather, strategy::atomic, strategy::fixed_point}) CHECK(fails(how) == accrue::errc::out_of_range);
  if constexpr (!on_host) {
    for (const strategy how : {strategy::critical, strategy::triangle}) CHECK(fails(how) == accrue::errc::invalid_argument);
  }
}
