// SPDX-License-Identifier: BSD-3-Clause
// The exact accumulator's ways, each forced: the value never depends on the way.
#include <accrue/accrue.hpp>
#include <accrue/detail/exact_accumulator.hpp>
#include <accrue/instruction_set.hpp>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "exact_kernels.hpp"
#include "exception_flags.hpp"
#include "golden/bits.hpp"
#include "support/oracle.hpp"
#include "golden/random.hpp"

using namespace test;
using namespace accrue::kernels;

TEST_CASE("this machine's exception flags are taken at their word only after a trial", "[ways]") {
  CHECK(exception_flags_work());
  volatile double third = 1.0;
  double result[1];
  const exception_flags flags;
  result[0] = third / 3.0;
  CHECK(flags.rounded(result));
  const exception_flags fresh;
  result[0] = third + 1.0;
  CHECK(!fresh.rounded(result));
}

TEST_CASE("the instruction set asked for is the one that runs", "[ways]") {
  using accrue::instruction_set;
  const auto before = accrue::current_instruction_set();
  for (const auto set : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    const auto got = accrue::limit_instruction_set(set);
    CHECK(got <= set);
    CHECK(got <= accrue::best_instruction_set());
    CHECK(accrue::current_instruction_set() == got);
    // Lanes in use tell the vector's width: 1, 4 or 8 doubles.
    split_lanes lanes{};
    const std::vector<double> ones(64, 1.0);
    REQUIRE(split_fold(lanes, term::value, operands<double>{ones.data(), nullptr, ones.size()}));
    std::size_t used = 0;
    for (const double l : lanes.high) used += l != 0 ? 1 : 0;
    if (got == instruction_set::avx512) CHECK(used == 32);
    if (got == instruction_set::avx2) CHECK(used == 24);
    if (got == instruction_set::baseline) CHECK(used < 24);
  }
  accrue::limit_instruction_set(before);
}

TEST_CASE("split lanes refuse a sum that rounds, infinities and NaN, and stay as they were", "[ways]") {
  split_lanes lanes{};
  const std::vector<double> good{1, 2, 3, 4};
  REQUIRE(split_fold(lanes, term::value, operands<double>{good.data(), nullptr, good.size()}));
  const split_lanes before = lanes;
  for (const auto& bad : {std::vector<double>{1e300}, std::vector<double>{1, 0x1p-60, 1}, std::vector<double>{1e-300},
                          std::vector<double>{std::numeric_limits<double>::infinity()},
                          std::vector<double>{std::numeric_limits<double>::quiet_NaN()},
                          std::vector<double>(1000, std::numeric_limits<double>::max())}) {
    CHECK(!split_fold(lanes, term::value, operands<double>{bad.data(), nullptr, bad.size()}));
    for (std::size_t i = 0; i < split_lanes::count; ++i) {
      REQUIRE(bits(lanes.high[i]) == bits(before.high[i]));
      REQUIRE(bits(lanes.low[i]) == bits(before.low[i]));
    }
  }
}

TEST_CASE("windows of every depth: exact when they accept", "[ways][values]") {
  int accepted[deepest_windows + 1] = {};
  for (const int depth : {2, 3, 4, 6}) {
    for (std::uint64_t round = 0; round < 400; ++round) {
      const auto seed = Catch::getSeed() + round * 17 + static_cast<std::uint64_t>(depth);
      const std::size_t n = 1 + random_bits(seed, 1) % 4096;
      const int spread = static_cast<int>(random_bits(seed, 2) % 260);
      const int centre = static_cast<int>(random_bits(seed, 3) % 1600) - 800;
      std::vector<double> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        const int e = centre + static_cast<int>(random_bits(seed + 5, i) % static_cast<unsigned>(spread + 1));
        x[i] = std::ldexp(1 + random_unit(seed, i), e) * ((random_bits(seed, i) & 1) != 0 ? 1 : -1);
      }
      for (const term what : {term::value, term::square, term::product, term::magnitude}) {
        const bool product = what == term::square || what == term::product;
        const operands<double> tile{x.data(), x.data(), n};
        const int largest = largest_exponent(what, tile);
        if (largest > 1000 || (product && largest < -900)) continue;
        window_totals w{};
        w.top = largest + static_cast<int>(random_bits(seed, 4) % 14);  // sometimes too low: refused, never wrong
        w.depth = depth;
        if (w.top - (depth - 1) * 46 - 47 < -1022 || w.top > 1023) continue;
        if (!window_fold(w, what, tile)) {
          for (int j = 0; j < deepest_windows; ++j) REQUIRE((w.total[j] == 0 && w.error[j] == 0));
          continue;
        }
        ++accepted[depth];
        accrue::product_superaccumulator<double> s;
        for (int j = 0; j < depth; ++j) {
          s.add_integer(w.total[j], w.top - 46 * j - 52);
          s.add_integer(w.error[j], w.top - 46 * j - 99);
        }
        oracle t;
        for (const double v : x) product ? t.add_product(v, v) : t.add(what == term::magnitude ? std::fabs(v) : v);
        REQUIRE(bits(s.round<double>()) == bits(t.round<double>()));
      }
    }
    CHECK(accepted[depth] > 20);
  }
}

TEST_CASE("rounding errors of one sign stay in their windows", "[ways]") {
  // Products that cancel in pairs while their rounding errors all point one way; the second half is larger than what set the windows.
  for (const int scale : {0, 6, 8, 1010}) {
    std::vector<double> x, y;
    for (int i = 0; i < 4096; ++i) {
      const bool large = i >= 2048 || scale > 1000;
      const double sign = (i / 8) % 2 == 0 ? 1 : -1;
      x.push_back(large ? std::ldexp(sign * (1 + 0x1p-27), scale) : (i % 2 == 0 ? 1 : -1));
      y.push_back(large ? (sign > 0 ? 1 + 0x1p-26 : 1 + 0x1p-26 + 0x1p-52) : 1);
    }
    exact_accumulator a;
    accrue::product_superaccumulator<double> s;
    oracle t;
    for (std::size_t begin = 0; begin < x.size(); begin += 2048) {
      const operands<double> tile{x.data() + begin, y.data() + begin, 2048};
      if (!a.fold(term::product, tile)) a.refold(s.sink(), term::product, tile);
    }
    a.drain(s.sink());
    for (std::size_t i = 0; i < x.size(); ++i) t.add_product(x[i], y[i]);
    CHECK(bits(s.round<double>()) == bits(t.round<double>()));
  }
}

namespace {

/// Pairs of factors whose large products cancel, and small products that leave twice the low bits of a * b: what is lost of them shows.
template <class T>
struct cancelling_products {
  std::vector<T> x;
  std::vector<T> y;

  /// `gap` binades between the large products and the small ones. Where `zeros`, most products are zero.
  cancelling_products(std::uint64_t seed, std::size_t n, int base, int gap, bool zeros) : x(n, T{0}), y(n, T{1}) {
    constexpr int digits = std::numeric_limits<T>::digits;
    const auto number = [&](std::uint64_t k) {  // with its last bit set, in [1, 2)
      const std::uint64_t bits = random_bits(seed, k) >> (64 - digits) | 1 | std::uint64_t{1} << (digits - 1);
      return std::ldexp(static_cast<T>(bits), 1 - digits);
    };
    for (std::size_t i = 0; i < n / 2 - 2; ++i) {
      if (zeros && i % 37 != 0) continue;
      x[i] = std::ldexp(number(i), base);
      x[n - 1 - i] = -x[i];
    }
    const std::size_t k = n / 2;
    x[k - 1] = std::ldexp(number(n), (base - gap) / 2);
    y[k - 1] = std::ldexp(number(n + 1), base - gap - (base - gap) / 2);
    x[k] = -x[k - 1] * y[k - 1];  // rounded
    x[k - 2] = x[k - 1], y[k - 2] = y[k - 1];
    x[k + 1] = x[k];
  }
  [[nodiscard]] T expected() const {
    oracle sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
    return sum.template round<T>();
  }
};

}  // namespace

TEMPLATE_TEST_CASE("products keep their last bits on both sides of what two windows hold", "[ways][values]", double, float) {
  using T = TestType;
  const auto seed = Catch::getSeed();
  for (const std::size_t n : {40u, 700u, 4096u, 8000u}) {  // the last by an accumulator
    for (const int base : sizeof(T) == 8 ? std::vector<int>{0, 500, -850, -930, -960} : std::vector<int>{0, 40}) {
      for (int gap = sizeof(T) == 8 ? 26 : 38; gap < (sizeof(T) == 8 ? 60 : 58); ++gap) {
        for (const bool zeros : {false, true}) {
          const cancelling_products<T> c(seed + static_cast<std::uint64_t>(gap), n, base, gap, zeros);
          CAPTURE(n, base, gap, zeros, seed);
          REQUIRE(bits(accrue::dot(accrue::serial{}, c.x, c.y)) == bits(c.expected()));
        }
      }
    }
  }
}

TEST_CASE("products of one sign that grow from tile to tile stay in their windows", "[ways]") {
  for (int exponent = 0; exponent < 16; ++exponent) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> x(8 * 2048, 1 + 0x1p-52);
      std::vector<double> y(x.size(), sign);
      for (std::size_t i = 4096; i < x.size(); ++i) x[i] = std::ldexp(2 - 0x1p-52, exponent);
      oracle sum;
      for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
      CHECK(bits(accrue::dot(accrue::serial{}, x, y)) == bits(sum.round<double>()));
      // Squares likewise, whose rounding errors are all of one sign too.
      oracle squares;
      for (const double v : x) squares.add_product(v, v);
      CHECK(bits(accrue::sum_squares(accrue::serial{}, x)) == bits(squares.round<double>()));
    }
  }
}

TEST_CASE("products below the least double add up", "[ways]") {
  for (const std::size_t n : {30u, 700u, 4096u, 9000u}) {
    for (const double factor : {0x1.2p-538, 0x1.8p-537, 0x1p-520, 0x1.123456789abcdp-490}) {
      for (const double other : {0.0, 0x1p-510}) {
        std::vector<double> x(n, factor);
        for (std::size_t i = 0; i < n; i += 3) x[i] = other;
        oracle sum;
        for (const double v : x) sum.add_product(v, v);
        CHECK(bits(accrue::sum_squares(accrue::serial{}, x)) == bits(sum.round<double>()));
      }
    }
  }
}

TEST_CASE("errors below the least double of products that have few digits add up", "[ways]") {
  for (const std::size_t n : {30u, 700u, 4096u, 9000u}) {
    for (int exponent = -1023; exponent < -1010; ++exponent) {
      for (const double other : {0x1p-1000, 0x1p-980, 0x1p-900, 0x1p-860}) {
        // (1 + 2^-27) (1 + 2^-26) is 2^-53 more than its 28 first digits; large ones cancel.
        std::vector<double> x(n, std::ldexp(1 + 0x1p-27, exponent / 2));
        std::vector<double> y(n, std::ldexp(1 + 0x1p-26, exponent - exponent / 2));
        x[3] = other, x[n - 3] = -other;
        y[3] = y[n - 3] = 1;
        oracle sum;
        for (std::size_t i = 0; i < n; ++i) sum.add_product(x[i], y[i]);
        CAPTURE(n, exponent, other);
        REQUIRE(bits(accrue::dot(accrue::serial{}, x, y)) == bits(sum.round<double>()));
      }
    }
  }
}

TEST_CASE("a product that is no number is found among others", "[ways]") {
  for (const std::size_t n : {700u, 4096u, 9000u}) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      for (const double other : {0.0, 1.0}) {
        for (std::size_t place = 0; place < n; place += 131) {
          std::vector<double> x(n, other);
          x[place] = bad;
          const double got = accrue::sum_squares(accrue::serial{}, x);
          REQUIRE((std::isnan(bad) ? std::isnan(got) : got == bad));
        }
      }
    }
  }
}

TEST_CASE("largest exponent", "[ways]") {
  const auto of = [](std::vector<double> x, term what = term::value) {
    return largest_exponent(what, operands<double>{x.data(), x.data(), x.size()});
  };
  CHECK(of({0, -0.0, 0}) == no_exponent);
  CHECK(of({1, -3, 0.5}) == 1);
  CHECK(of({1, std::numeric_limits<double>::infinity()}) == 1024);
  CHECK(of({std::numeric_limits<double>::quiet_NaN(), 1, 2, 3, 4, 5, 6, 7, 8}) == 1024);
  CHECK(of({0x1p500, 3}, term::square) == 1000);
}
