// SPDX-License-Identifier: BSD-3-Clause
// Sums, products and means of short arrays by a bound: what it decides is right, also next to a tie, and that is most.
#include <accrue/accrue.hpp>
#include <bit>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "golden/random.hpp"

using namespace test;
using accrue::kernels::certified_total;
using accrue::kernels::ending;
using accrue::kernels::term;

namespace {

std::uint64_t seed_of_test() {
  static std::uint64_t called = 0;
  return Catch::getSeed() + (++called << 32);
}

/// Elements, the last of them such that the sum is n times what lies between two numbers of type R, and 2^-below more or less.
template <class T, class R>
std::vector<T> next_to_a_tie(std::size_t n, bool of_mean, int below, std::uint64_t seed) {
  std::vector<T> x(n);
  const std::uint64_t r = random_bits(seed, n);
  const int wide = static_cast<int>(r % 12);
  for (std::size_t i = 0; i < n; ++i) {
    const int exponent = wide == 0 ? 0 : static_cast<int>(random_bits(seed + 1, i) % static_cast<unsigned>(wide));
    x[i] = static_cast<T>(std::ldexp(normal(seed, i), exponent));
  }
  if (r >> 8 & 1) x[r % n] *= T(0x1p25);  // seldom where the sum's size is guessed
  accrue::superaccumulator<T> sum;
  for (const T v : x) sum.add(v);
  for (T rest = sum.template round<T>(); rest != 0; rest = sum.template round<T>()) {
    x.push_back(-rest);
    sum.add(-rest);
  }
  const auto count = static_cast<T>(of_mean ? x.size() + 3 : 1);
  x.push_back(count);
  x.push_back(std::ldexp(count, -std::numeric_limits<R>::digits));
  x.push_back(std::ldexp((r >> 9 & 1) != 0 ? T(1) : T(-1), -below));
  for (std::size_t i = n; i < x.size(); ++i) std::swap(x[i], x[random_bits(seed + 2, i) % x.size()]);
  return x;
}

/// The exact sum of terms after its last step, rounded once.
template <class T, class R>
R exactly(const std::vector<T>& x, const std::vector<T>& y, term what, ending last) {
  if (accrue::kernels::is_product(what)) {
    accrue::product_superaccumulator<T> sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], what == term::square ? x[i] : y[i]);
    return last == ending::square_root ? sum.template round_square_root<R>() : sum.template round<R>();
  }
  accrue::superaccumulator<T> sum;
  for (const T v : x) sum.add(what == term::magnitude ? std::fabs(v) : v);
  return last == ending::mean ? sum.template round_quotient<R>(x.size()) : sum.template round<R>();
}
/// 1 if it is decided, 0 if not; -1 where it is wrong.
template <class T, class R>
int outcome(const std::vector<T>& x, const std::vector<T>& y, term what, ending last) {
  R result;
  if (!certified_total(what, last, accrue::kernels::operands<T>{x.data(), y.data(), x.size()}, result)) return 0;
  return accrue::detail::same_bits(result, exactly<T, R>(x, y, what, last)) ? 1 : -1;
}
constexpr std::pair<term, ending> all_sums[] = {{term::value, ending::value},  {term::value, ending::mean},
                                                {term::magnitude, ending::value}, {term::magnitude, ending::mean},
                                                {term::square, ending::value}, {term::square, ending::square_root},
                                                {term::product, ending::value}};

struct counts {
  int decided = 0;
  int wrong = 0;
  void note(int outcome) {
    decided += outcome != 0 ? 1 : 0;
    wrong += outcome < 0 ? 1 : 0;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("sums by a bound are right, and mostly decided", "[certified]", (std::pair<double, double>), (std::pair<double, float>),
                   (std::pair<float, float>)) {
  using T = typename TestType::first_type;
  using R = typename TestType::second_type;
  const std::uint64_t seed = seed_of_test();
  CAPTURE(seed);
  if (!accrue::kernels::products_can_be_certified()) SKIP("no fused operations");
  counts usual;
  counts near_ties;
  counts all;
  for (std::uint64_t i = 0; i < 600; ++i) {
    const std::uint64_t r = random_bits(seed, i);
    const std::size_t n = 64 + r % (i % 4 == 0 ? 2400 : 300);
    std::vector<T> x(n);
    for (std::size_t j = 0; j < n; ++j) x[j] = static_cast<T>(normal(seed + i, j));
    std::vector<T> y(x.rbegin(), x.rend());
    for (const auto& [what, last] : all_sums) usual.note(outcome<T, R>(x, y, what, last));
    for (const int below : {60, 80, 90, 100, 110}) {
      const bool of_mean = (r >> 20 & 1) != 0;
      const int by = sizeof(R) == 4 ? below - 32 : below;
      std::vector<T> tie = next_to_a_tie<T, R>(n, of_mean, by, seed + i);
      near_ties.note(outcome<T, R>(tie, y, term::value, of_mean ? ending::mean : ending::value));
      if (of_mean) continue;
      std::vector<T> ones(tie.size(), T(1));  // and as a product, whose factors have exponents of their own
      for (std::size_t j = 0; j < tie.size(); ++j) {
        const T power = std::ldexp(T(1), static_cast<int>(random_bits(seed + 4, j) % 9) - 4);
        tie[j] *= power;
        ones[j] /= power;
      }
      near_ties.note(outcome<T, R>(tie, ones, term::product, ending::value));
    }
    // Other sizes, with what a guess by some elements misses, and what no sum is exact of.
    const int scale = static_cast<int>(r >> 32 & 1023) - 512;
    for (T& v : x) v = static_cast<T>(std::ldexp(static_cast<double>(v), sizeof(T) == 4 ? scale / 5 : scale * 2));
    constexpr T special[] = {std::numeric_limits<T>::max(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                             std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min(), T(0x1p100), T(1)};
    for (std::uint64_t k = 0; k < r % 3; ++k) x[random_bits(seed + 3, 3 * i + k) % n] = special[(r >> (3 * k + 4)) % std::size(special)];
    if (r % 5 == 0) {  // of one sign, and smaller where sizes are guessed from
      for (std::size_t j = 0; j < n; ++j) x[j] = static_cast<T>(1 + random_unit(seed + i, j));
      for (std::size_t j = 0; j < 8; ++j) x[n / 8 * j] = static_cast<T>(std::ldexp(1.0, -static_cast<int>(r >> 20 & 15)));
    }
    if (r % 5 == 1) {  // the squares overflow
      const int below = 4 + static_cast<int>(std::bit_width(n)) - static_cast<int>(r >> 20 & 7);
      const int exponent = std::numeric_limits<T>::max_exponent / 2 - below;
      for (std::size_t j = 0; j < n; ++j) x[j] = static_cast<T>(std::ldexp(1 + random_unit(seed + i, j), exponent));
      x[1] = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 20);
      x[2] = -x[1];
    }
    for (std::size_t j = 0; j < n; ++j) y[j] = static_cast<T>(std::ldexp(normal(seed + 5, j), sizeof(T) == 4 ? 0 : -scale));
    for (const auto& [what, last] : all_sums) all.note(outcome<T, R>(x, y, what, last));
  }
  CHECK(usual.wrong == 0);
  CHECK(usual.decided > 3900);  // of 4200: sums of few bits are ties now and then
  CHECK(near_ties.wrong == 0);
  CHECK(near_ties.decided > 100);  // of some 4500
  CHECK(all.wrong == 0);
  CHECK(all.decided > 1000);  // of 4200
}

TEST_CASE("sums that the bound does not decide are exact", "[certified]") {
  const accrue::serial space;
  for (const std::size_t n : {64, 100, 1000}) {
    std::vector<double> x(n, 1.0);
    for (std::size_t i = 1; i < n; i += 2) x[i] = -1;
    CHECK(accrue::sum(space, x) == 0);
    x[7] += 0x1p-53;
    CHECK(accrue::sum(space, x) == 0x1p-53);
    CHECK(accrue::mean(space, x) == 0x1p-53 / static_cast<double>(n));
    const std::vector<float> y(x.begin(), x.end());
    CHECK(accrue::sum(space, y) == 0);
    const std::vector<double> ones(n, 1.0);
    CHECK(accrue::dot(space, x, ones) == 0x1p-53);
    x[9] = std::numeric_limits<double>::infinity();
    CHECK(accrue::norm2(space, x) == std::numeric_limits<double>::infinity());
    CHECK(accrue::sum(space, x) == std::numeric_limits<double>::infinity());
    CHECK(accrue::mean(space, std::vector<double>(n, 0x1p1020)) == 0x1p1020);
    CHECK(accrue::sum(space, std::vector<double>(n, -0.0)) == 0);
    CHECK(accrue::norm2(space, std::vector<double>(n, 0x1p-600)) == std::sqrt(static_cast<double>(n)) * 0x1p-600);
    CHECK(accrue::norm2(space, std::vector<float>(n, 0.0F)) == 0);
    // The root of the first three squares is half-way between two doubles, and of the first four between two floats.
    std::vector<double> root(n, 0.0);
    root[3] = 1, root[n / 2] = 0x1p-26, root[7] = 0x1p-53;
    CHECK(accrue::norm2(space, root) == 1);
    root[n - 1] = 0x1p-58;
    CHECK(accrue::norm2(space, root) == 1 + 0x1p-52);
    std::vector<float> float_root(n, 0.0F);
    float_root[3] = 1, float_root[n / 2] = float_root[9] = 0x1p-12F, float_root[7] = 0x1p-24F;
    CHECK(accrue::norm2(space, float_root) == 1);
    float_root[n - 1] = 0x1p-40F;
    CHECK(accrue::norm2(space, float_root) == 1 + 0x1p-23F);
  }
}
