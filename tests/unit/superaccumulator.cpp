// SPDX-License-Identifier: BSD-3-Clause
// The public superaccumulator: merging, words, rounding, and what it refuses.
#include <accrue/superaccumulator.hpp>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "golden/bits.hpp"
#include "support/oracle.hpp"
#include "golden/random.hpp"

using namespace test;

TEMPLATE_TEST_CASE("values and products, against the oracle", "[superaccumulator]", double, float) {
  for (const distribution d : all_distributions) {
    const auto x = sequence<TestType>(d, Catch::getSeed(), 999);
    accrue::superaccumulator<TestType> s;
    accrue::product_superaccumulator<TestType> p;
    oracle t, q;
    for (std::size_t i = 0; i < x.size(); ++i) {
      s.add(x[i]);
      t.add(x[i]);
      p.add_product(x[i], x[x.size() - 1 - i]);
      q.add_product(x[i], x[x.size() - 1 - i]);
      if (i % 100 == 0) {
        CHECK(bits(s.template round<double>()) == bits(t.round<double>()));
        CHECK(bits(s.template round<float>()) == bits(t.round<float>()));
      }
    }
    CHECK(bits(p.template round<double>()) == bits(q.round<double>()));
    CHECK(bits(p.template round<float>()) == bits(q.round<float>()));
    for (const std::uint64_t n : {1ull, 3ull, 10ull, 1ull << 40, ~0ull}) {
      CHECK(bits(s.template round_quotient<double>(n)) == bits(t.quotient<double>(n)));
      CHECK(bits(s.template round_quotient<float>(n)) == bits(t.quotient<float>(n)));
    }
  }
}

TEST_CASE("words add element-wise, normalised or not, and come back", "[superaccumulator]") {
  const auto x = sequence<double>(distribution::log_uniform, 3, 2000);
  accrue::superaccumulator<double> whole, left, right;
  for (std::size_t i = 0; i < x.size(); ++i) {
    whole.add(x[i]);
    (i % 3 == 0 ? left : right).add(x[i]);
  }
  left.normalize();
  auto words = decltype(whole)::from_words(right.words());
  for (std::size_t k = 0; k < words.word_count; ++k) words.words()[k] += left.words()[k];
  CHECK(words == whole);
  CHECK(!(left == right));
  words.normalize();
  whole.normalize();
  for (std::size_t k = 0; k < whole.limbs; ++k) {
    CHECK(words.words()[k] == whole.words()[k]);
    if (k + 1 < whole.limbs) CHECK((whole.words()[k] >= 0 && whole.words()[k] < (std::int64_t{1} << 32)));
  }
  static_assert(std::is_trivially_copyable_v<accrue::superaccumulator<double>>);
}

TEST_CASE("merging itself many times keeps within its limbs", "[superaccumulator]") {
  accrue::superaccumulator<double> s;
  s.add(-1.7976931348623157e308);
  s.add(0x1p-1074);
  for (int k = 0; k < 62; ++k) s += accrue::superaccumulator<double>(s);
  CHECK(s.round<double>() == -std::numeric_limits<double>::infinity());
  accrue::superaccumulator<double> back = s;
  accrue::superaccumulator<double> huge;
  huge.add(1.7976931348623157e308);
  for (int k = 0; k < 62; ++k) huge += accrue::superaccumulator<double>(huge);
  back += huge;  // what is left is 2^62 times the smallest subnormal
  CHECK(back.round<double>() == 0x1p-1012);
}

TEST_CASE("rounding at the edges", "[superaccumulator]") {
  const auto sum = [](std::initializer_list<double> values) {
    accrue::superaccumulator<double> s;
    for (const double v : values) s.add(v);
    return s;
  };
  const double largest = std::numeric_limits<double>::max();
  CHECK(sum({largest, 0x1p969}).round<double>() == largest);
  CHECK(sum({largest, 0x1p970}).round<double>() == std::numeric_limits<double>::infinity());
  CHECK(sum({largest, 0x1p970, -0x1p-1074}).round<double>() == largest);
  CHECK(sum({1, 0x1p-53}).round<double>() == 1);
  CHECK(sum({1, 0x1p-53, 0x1p-1074}).round<double>() == 1 + 0x1p-52);
  CHECK(sum({1 + 0x1p-52, 0x1p-53}).round<double>() == 1 + 0x1p-51);
  CHECK(sum({0x1p-1022, -0x1p-1074}).round<double>() == 0x1.ffffffffffffep-1023);
  CHECK(sum({0x1p-150}).round<float>() == 0);
  CHECK(sum({0x1p-150, 0x1p-1074}).round<float>() == 0x1p-149f);
  CHECK(sum({0x1.8p-149}).round<float>() == 0x1p-148f);
  CHECK(sum({0x1.fffffep127, 0x1p103}).round<float>() == std::numeric_limits<float>::infinity());
  CHECK(std::signbit(sum({0.0, -0.0}).round<double>()) == false);
  CHECK(std::signbit(sum({-1.0, 1.0}).round<double>()) == false);
  CHECK(bits(sum({-1e-300}).round<float>()) == bits(-0.0f));
  CHECK(sum({2}).round_square_root<double>() == std::sqrt(2.0));
  CHECK(std::isnan(sum({-2}).round_square_root<double>()));
  CHECK(sum({0x1p-1074}).round_square_root<double>() == 0x1p-537);
}

TEST_CASE("values outside the format are refused", "[superaccumulator]") {
  accrue::superaccumulator<float> s;
  CHECK_THROWS_AS(s.add(1e300), accrue::error);
  CHECK_THROWS_AS(s.add(1e-60), accrue::error);
  CHECK_THROWS_AS(s.add(0x1.00000001p-140), accrue::error);
  CHECK_NOTHROW(s.add(0.1));  // more bits than a float has, yet within the format
  CHECK_NOTHROW(s.add(std::numeric_limits<double>::infinity()));
  accrue::product_superaccumulator<float> p;
  CHECK_THROWS_AS(p.add_product(1e300, 1), accrue::error);
  CHECK_NOTHROW(p.add_product(std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()));
}
