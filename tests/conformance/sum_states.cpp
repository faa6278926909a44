// SPDX-License-Identifier: BSD-3-Clause
// States of exact sums, and their last step, on this backend: the words of those on a host, whatever way a device has come to them.
#include "shown.hpp"
#include "suite.hpp"

#include <cmath>
#include <limits>

using namespace test;

TEMPLATE_TEST_CASE("states of sums that two doubles hold, and of others", "[partial]", double, float) {
  using T = TestType;
  using reducer = accrue::sum_of<T>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T most = std::numeric_limits<T>::max();
  constexpr T least = std::numeric_limits<T>::denorm_min();
  const T one = 1;
  const T tiny = std::ldexp(one, std::is_same_v<T, double> ? -70 : -40);
  std::vector<std::vector<T>> inputs{{},
                                     {one},
                                     {-one},
                                     {-T(0), -T(0)},
                                     {least},
                                     {-least, least, -least},
                                     {most, most},
                                     {-most, -most, least},
                                     {one, -one},
                                     {one, -tiny},
                                     {-one, tiny, least},
                                     {most, -one, -most},
                                     {one, infinity},
                                     {infinity, -infinity},
                                     {std::numeric_limits<T>::quiet_NaN(), one}};
  for (const std::size_t n : {31u, 700u, 3000u, 20000u, 70000u}) {
    inputs.push_back(sequence<T>(distribution::normal, next_seed(), n));
    inputs.push_back(sequence<T>(distribution::uniform, next_seed(), n));
    for (T& x : inputs.back()) x = -x;
    inputs.push_back(sequence<T>(distribution::log_uniform, next_seed(), n));
  }
  const accrue::serial serial;
  for (const auto& space : two_variants()) {
    accrue::partial_result<reducer> all;
    for (const auto& x : inputs) {
      CAPTURE(x.size());
      const auto p = on(space, x, [](const auto& s, const auto& r) { return accrue::partial(s, r, reducer{}); });
      const auto expected = accrue::partial(serial, x, reducer{});
      CHECK(p.to_bytes() == expected.to_bytes());
      CHECK(shown(ended(space, p)) == shown(expected.finish()));
      const auto magnitudes =
          on(space, x, [](const auto& s, const auto& r) { return accrue::partial(s, r, accrue::sum_abs_of<T>{}); });
      CHECK(shown(ended(space, magnitudes)) == shown(accrue::sum_abs(serial, x)));
      if (!std::isfinite(expected.finish())) continue;
      for (std::size_t w = 0; w < p.words().size(); ++w) all.words()[w] += p.words()[w];  // as ranks' are
      CHECK(shown(ended(space, all)) == shown(all.finish()));
    }
  }
}

TEST_CASE("words of thousands of partial sums add, and merging goes on behind them", "[partial]") {
  using reducer = accrue::sum_of<double>;
  accrue::partial_result<reducer> all;
  oracle o;
  for (std::uint64_t k = 0; k < 5000; ++k) {
    const double v = -std::ldexp(random_unit(3, k), static_cast<int>(random_bits(4, k) % 600));
    o.add(v);
    const auto p = accrue::partial(accrue::serial{}, std::vector<double>{v}, reducer{});
    for (std::size_t w = 0; w < p.words().size(); ++w) all.words()[w] += p.words()[w];
  }
  auto twice = all;
  twice += all;
  auto large = all;  // words as large as many ranks' may be, merged with such
  for (int k = 0; k < 18; ++k) {
    for (auto& w : large.words()) w *= 2;
  }
  const double scaled = large.finish();
  const auto same = large;
  large += same;
  CHECK(bits(large.finish()) == bits(2 * scaled));
  CHECK(bits(scaled) == bits(std::ldexp(o.round<double>(), 18)));
  CHECK(bits(all.finish()) == bits(o.round<double>()));
  CHECK(bits(twice.finish()) == bits(2 * o.round<double>()));
  for (const auto& space : two_variants()) {
    CHECK(bits(ended(space, all)) == bits(o.round<double>()));
    CHECK(bits(ended(space, same)) == bits(scaled));
  }
}
