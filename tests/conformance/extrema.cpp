// SPDX-License-Identifier: BSD-3-Clause
// Extrema and their positions, against loops written from IEEE 754's definitions.
#include "suite.hpp"

#include <algorithm>
#include <optional>

using namespace test;

namespace {

/// a < b in the order of minimum and maximum: -0 below +0. Neither is NaN.
template <class T>
bool below(T a, T b) {
  const double x = as_double(a);
  const double y = as_double(b);
  return x < y || (x == 0 && y == 0 && std::signbit(x) && !std::signbit(y));
}
template <class T>
bool is_nan(T x) {
  return std::isnan(as_double(x));
}

template <class T>
struct expected {
  std::optional<std::size_t> first_nan;
  std::size_t min = 0;
  std::size_t max = 0;
  bool any_number = false;
  explicit expected(const std::vector<T>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (is_nan(x[i])) {
        if (!first_nan) first_nan = i;
        continue;
      }
      if (!any_number || below(x[i], x[min])) min = i;
      if (!any_number || below(x[max], x[i])) max = i;
      any_number = true;
    }
  }
};

template <class T>
std::string canonical(T x) {
  return is_nan(x) ? "nan" : bits(x);
}

template <class T>
void check(const hook::space& space, const std::vector<T>& x) {
  const expected<T> e(x);
  on(space, x, [&](const auto& s, auto r) {
    const std::string nan = "nan";
    const auto lo = e.first_nan ? nan : bits(x[e.min]);
    const auto hi = e.first_nan ? nan : bits(x[e.max]);
    CHECK(canonical(accrue::min(s, r)) == lo);
    CHECK(canonical(accrue::max(s, r)) == hi);
    CHECK(canonical(accrue::min_number(s, r)) == (e.any_number ? bits(x[e.min]) : nan));
    CHECK(canonical(accrue::max_number(s, r)) == (e.any_number ? bits(x[e.max]) : nan));
    const auto [a, b] = accrue::minmax(s, r);
    CHECK(canonical(a) == lo);
    CHECK(canonical(b) == hi);
    const auto low = accrue::argmin(s, r);
    CHECK(canonical(low.value) == lo);
    CHECK(low.index == e.first_nan.value_or(e.min));
    const auto high = accrue::argmax(s, r);
    CHECK(canonical(high.value) == hi);
    CHECK(high.index == e.first_nan.value_or(e.max));
    const auto both = accrue::argminmax(s, r);
    CHECK(both.min.index == low.index);
    CHECK(both.max.index == high.index);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("extrema of floating elements", "[extrema]", double, float, accrue::half, accrue::bfloat16) {
  for (const distribution d : all_distributions) {
    for (const std::size_t n : {1u, 2u, 31u, 100u, 4099u, 20000u}) {
      const auto seed = next_seed();
      CAPTURE(to_string(d), n, seed);
      check(hook::make(), sequence<TestType>(d, seed, n));
    }
  }
  for (const std::size_t n : {1u, 65u, 5000u}) {  // NaNs of both signs, zeros of both signs, ties everywhere
    std::vector<TestType> x(n);
    const auto seed = next_seed();
    for (std::size_t i = 0; i < n; ++i) x[i] = from_double<TestType>((random_bits(seed, i) & 1) != 0 ? 0.0 : -0.0);
    check(hook::make(), x);
    const auto nan = element<TestType>(distribution::nan, seed, n / 2, n);
    std::fill(x.begin(), x.end(), nan);
    check(hook::make(), x);
  }
}

TEMPLATE_TEST_CASE("extrema of integers", "[extrema]", std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, long long, char) {
  for (const std::size_t n : sizes) {
    if (n == 0) continue;
    const auto seed = next_seed();
    CAPTURE(n, seed);
    std::vector<TestType> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<TestType>(random_bits(seed, i));
    on(x, [&](const auto& s, auto r) {
      const auto lo = std::min_element(x.begin(), x.end());
      const auto hi = std::max_element(x.begin(), x.end());
      CHECK(accrue::min(s, r) == *lo);
      CHECK(accrue::max(s, r) == *hi);
      CHECK(accrue::argmin(s, r).index == static_cast<std::size_t>(lo - x.begin()));
      CHECK(accrue::argmax(s, r).index == static_cast<std::size_t>(hi - x.begin()));
      const auto [a, b] = accrue::minmax(s, r);
      CHECK(a == *lo);
      CHECK(b == *hi);
    });
  }
}

TEST_CASE("every variant finds the lowest index", "[extrema]") {
  std::vector<float> x(20000);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(random_bits(seed, i) % 50);
  for (const auto& space : hook::variants()) check(space, x);
}

TEST_CASE("infinity norm", "[extrema]") {
  for (const distribution d : all_distributions) {
    const auto x = sequence<double>(d, next_seed(), 3001);
    double expected = 0;
    bool nan = false;
    for (const double v : x) {
      nan = nan || std::isnan(v);
      expected = std::max(expected, std::fabs(v));
    }
    const double got = on(x, [](const auto& s, auto r) { return accrue::norm_inf(s, r); });
    CHECK(bits(got) == bits(nan ? std::numeric_limits<double>::quiet_NaN() : expected));
  }
  CHECK(on(std::vector<double>{}, [](const auto& s, auto r) { return accrue::norm_inf(s, r); }) == 0);
  CHECK(on(std::vector<std::int64_t>{INT64_MIN, 5}, [](const auto& s, auto r) { return accrue::norm_inf(s, r); }) ==
        (std::uint64_t{1} << 63));
  CHECK(on(std::vector<std::complex<float>>{{3, -4}, {1, 1}}, [](const auto& s, auto r) { return accrue::norm_inf(s, r); }) == 7);
}
