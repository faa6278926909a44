// SPDX-License-Identifier: BSD-3-Clause
// The weighted mean against the oracle.
#include "suite.hpp"

#include <limits>

using namespace test;

namespace {

/// weighted_mean as every type of result against the oracle's.
template <class T>
void check(const hook::space& space, const std::vector<T>& x, const std::vector<T>& w) {
  oracle products;
  oracle weights;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products.add_product(as_double(x[i]), as_double(w[i]));
    weights.add(as_double(w[i]));
  }
  REQUIRE(products.exact());
  REQUIRE(weights.exact());
  const hook::array<T> there(space, x);
  const hook::array<T> weights_there(space, w);
  const auto r = there.get();
  const auto v = weights_there.get();
  using R = accrue::total_t<T>;
  CHECK(bits(accrue::weighted_mean(space, r, v)) == bits(products.template ratio<R>(weights)));
  CHECK(bits(accrue::weighted_mean<double>(space, r, v)) == bits(products.template ratio<double>(weights)));
  CHECK(bits(accrue::weighted_mean<float>(space, r, v)) == bits(products.template ratio<float>(weights)));
}

}  // namespace

TEMPLATE_TEST_CASE("weighted means equal the oracle", "[weighted]", double, float, accrue::half, accrue::bfloat16) {
  const auto spaces = hook::variants();
  std::size_t turn = 0;
  for (const distribution of_x : all_distributions) {
    for (const distribution of_w : all_distributions) {
      const std::size_t n = sizes[1 + random_bits(next_seed(), 0) % 30];
      const auto seed = next_seed();
      CAPTURE(to_string(of_x), to_string(of_w), n, seed);
      check(spaces[turn++ % spaces.size()], sequence<TestType>(of_x, seed, n), sequence<TestType>(of_w, seed + 1, n));
    }
  }
  for (const std::size_t n : {4097u, 100003u}) {
    const auto seed = next_seed();
    CAPTURE(n, seed);
    for (const auto& space : spaces) {
      check(space, sequence<TestType>(distribution::normal, seed, n), sequence<TestType>(distribution::uniform, seed + 1, n));
    }
  }
}

TEMPLATE_TEST_CASE("weighted means at ties, zeros and specials", "[weighted]", double, float) {
  using T = TestType;
  const auto space = hook::make();
  using limits = std::numeric_limits<T>;
  const T e = limits::epsilon();
  const T infinity = limits::infinity();
  const T nan = limits::quiet_NaN();
  const T least = limits::denorm_min();
  const std::vector<std::pair<std::vector<T>, std::vector<T>>> cases{
      {{1, 1 + e}, {1, 1}},                                     // a tie, down to even
      {{1 + e, 1 + 2 * e}, {1, 1}},                             // and up
      {{1, 1 + e, least}, {1, 1, least}},                       // just above one: the smallest products, as weights just below
      {{1, 1 + e, -least}, {1, 1, least}},
      {{1, 1 + e, 0}, {1, 1, least}},
      {{1, 1 + e, 0}, {1, 1, -least}},
      {{least, 3 * least}, {1, 1}},                             // in the subnormals
      {{least, 2 * least}, {1, 1}},
      {{least, 0}, {1, 1}},
      {{limits::max(), limits::max()}, {limits::max(), limits::max()}},
      {{limits::max(), limits::max()}, {1, T(-0.5)}},
      {{limits::max(), least}, {least, limits::max()}},
      {{1, 1}, {1, -1}},                                        // 0 / 0
      {{2, 1}, {1, -1}},
      {{-2, 1}, {1, -1}},
      {{1, -1}, {1, 1}},
      {{-1, 1}, {-1, -1}},
      {{0, 0}, {-1, -1}},
      {{1, infinity}, {1, 1}},
      {{1, infinity}, {1, -2}},
      {{1, infinity}, {1, 0}},
      {{1, infinity, -infinity}, {1, 1, 1}},
      {{1, 2}, {1, infinity}},
      {{0, 1}, {infinity, 1}},
      {{1, nan}, {1, 1}},
      {{1, 1}, {1, nan}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.first, c.second);
    check(space, c.first, c.second);
  }
  CHECK(code_of([&] { on(space, std::vector<T>{}, [&](const auto& s, auto r) { return accrue::weighted_mean(s, r, r); }); }) ==
        accrue::errc::empty_range);
}
