// SPDX-License-Identifier: BSD-3-Clause
// Sums of elements by keys, added as they come, against superaccumulators: many elements of every kind to few groups and to many.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <accrue/accrue.hpp>

#include "accrue/superaccumulator.hpp"
#include "golden/random.hpp"

using namespace test;

namespace {

constexpr int keyed_kinds = 7;

template <class T>
T keyed_element(int kind, std::uint64_t seed, std::uint64_t i) {
  using limits = std::numeric_limits<T>;
  const std::uint64_t r = random_bits(seed, i);
  const double z = normal(seed + 1, i);
  const auto some = static_cast<int>(r % 1021);
  switch (kind) {
    case 0: return static_cast<T>(z);
    case 1: return some % 3 == 0 ? T{0} : static_cast<T>(-std::fabs(z));
    case 2: return static_cast<T>(std::ldexp(z, some % 61 - 30));
    case 3: return some % 40 == 0 ? static_cast<T>(std::ldexp(z, some % 100 - 50)) : static_cast<T>(some % 9 - 4);
    case 4: return static_cast<T>(std::ldexp(z, i / 3000 % 2 == 0 ? 40 : -40));  // another unit suits the next ones
    case 5: return some % 90 == 0 ? (some % 180 == 0 ? limits::infinity() : limits::quiet_NaN()) : static_cast<T>(z);
    case 7: return static_cast<T>(i < 3000 ? 1.1 : 1.3 * 0x1p-16);  // lower halves of one sign, whose last bits are the unit
    case 8: return static_cast<T>(i < 3000 ? 1.1 : 31.4);  // upper ones as large as what the first elements have chosen takes
    default: return static_cast<T>(std::ldexp(z, some % 1000 * limits::max_exponent / 600 - limits::max_exponent));
  }
}

template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

/// The groups whose sums are wrong.
template <class T, class R, class Key>
std::size_t wrong_sums(int kind, std::uint64_t seed, std::size_t n, std::size_t groups, bool magnitudes, bool fast) {
  std::vector<T> x(n);
  std::vector<Key> keys(n);
  std::vector<accrue::superaccumulator<T>> wanted(groups);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = keyed_element<T>(kind, seed, i);
    const std::size_t key = random_bits(seed + 2, i) % (groups + groups / 8 + 1);  // beyond the groups, some
    keys[i] = static_cast<Key>(key);
    if (key < groups) wanted[key].add(magnitudes ? std::fabs(x[i]) : x[i]);
  }
  std::vector<R> sums(groups, R{77});
  const auto grouping = accrue::grouped(x, keys, groups, accrue::skip_other_keys);
  const accrue::openmp space(static_cast<int>(1 + seed % 3));
  if (magnitudes) {
    accrue::sum_abs<R>(space, grouping, sums);
  } else if (fast) {
    accrue::sum<R>(space, grouping, sums, accrue::fast);
  } else {
    accrue::sum<R>(space, grouping, sums);
  }
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < groups; ++k) wrong += same_bits(sums[k], wanted[k].template round<R>()) ? 0 : 1;
  return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("many elements by keys are added exactly", "[sums_by_key]", double, float) {
  for (int kind = 0; kind < keyed_kinds; ++kind) {
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t seed = 100 * static_cast<std::uint64_t>(kind) + round;
      const std::size_t n = 4096 + random_bits(seed, 1) % 20000;
      const std::size_t groups = round == 0 ? 1 + seed % 9 : round == 1 ? 100 : 1000 + random_bits(seed, 2) % (2 * n);
      CAPTURE(kind, n, groups);
      CHECK(wrong_sums<TestType, TestType, int>(kind, seed, n, groups, false, false) == 0);
      CHECK(wrong_sums<TestType, TestType, std::uint64_t>(kind, seed, n, groups, true, false) == 0);
      CHECK(wrong_sums<TestType, double, std::int64_t>(kind, seed, n, groups, false, round % 2 == 1) == 0);
      CHECK(wrong_sums<TestType, float, std::uint32_t>(kind, seed, n, groups, false, false) == 0);
      if (groups <= 100) CHECK(wrong_sums<TestType, TestType, std::uint8_t>(kind, seed, n, groups, false, false) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("sums of very many elements by few keys carry, and outgrow what is added at once", "[sums_by_key][long]", double,
                   float) {
  for (const std::size_t groups : {1u, 2u, 60u, 5000u}) {
    for (const int kind : {0, 1, 7, 8}) {
      const std::size_t n = (groups < 10 ? 900000 : 300000) + 77777 * groups % 1000;
      CAPTURE(kind, n, groups);
      CHECK(wrong_sums<TestType, TestType, int>(kind, 42, n, groups, false, false) == 0);  // by one thread
      CHECK(wrong_sums<TestType, double, std::uint16_t>(kind, 43, n, groups, true, false) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("the first of many keys that is no group's is named", "[sums_by_key]", std::int16_t, std::int32_t) {
  const std::vector<float> x(50000, 1.0F);
  std::vector<TestType> keys(x.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<TestType>(i % 7);
  std::vector<float> sums(7);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1000}, std::size_t{49999}}) {
    auto bad = keys;
    bad.back() = 7;
    bad[at] = -1;
    std::string said;
    try {
      accrue::sum(accrue::openmp(3), accrue::grouped(x, bad, 7), sums);
    } catch (const accrue::error& e) {
      said = e.what();
    }
    CAPTURE(said);
    CHECK(said.find("key " + std::to_string(at) + " is " + std::to_string(bad[at])) != std::string::npos);
  }
  accrue::sum(accrue::openmp(3), accrue::grouped(x, keys, 7), sums);
  CHECK(sums[0] == 7143.0F);
  CHECK(sums[6] == 7142.0F);
}
