// SPDX-License-Identifier: BSD-3-Clause
// Exact sums as digits: what these hold is the sum, and what comes of several ranks' is rounded as a superaccumulator rounds it.
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <accrue/instruction_set.hpp>

#include "accrue/backends/mpi/sum_digits.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/superaccumulator.hpp"
#include "golden/random.hpp"

using namespace test;
using namespace accrue::kernels;

namespace {

using state = accrue::superaccumulator<double>;

/// Lengths, units and numbers of digits; pairs about the middle, both ends and outside of what they hold.
struct pairs_case {
  sums_in_digits sums;
  exact_pair pair[sums_in_digits::most];

  explicit pairs_case(std::uint64_t seed) {
    const std::uint64_t r = random_bits(seed, 0);
    sums.digits = 1 + r % most_digits;
    sums.count = 1 + (r >> 8) % sums.most;
    const int all = digit_bits * static_cast<int>(sums.digits);
    sums.unit = static_cast<int>((r >> 16) % 1900) - 950;
    if (sums.unit + all > 1000) sums.unit = 1000 - all;
    for (std::size_t k = 0; k < sums.count; ++k) pair[k] = some_pair(seed, k, all);
  }
  [[nodiscard]] exact_pair some_pair(std::uint64_t seed, std::size_t k, int all) const {
    constexpr double extremes[] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 5e-324, -1.7e308};
    const std::uint64_t r = random_bits(seed + 1, k);
    const auto some = static_cast<int>(r >> 32 & 1023);
    const double z = normal(seed, k);
    const double within = std::ldexp(z, sums.unit + 54 + some % (all + 1) - (all > 60 ? 60 : 0));
    switch (r % 8) {
      case 0: return {within, std::ldexp(normal(seed + 2, k), std::ilogb(within) - 60)};
      case 1: return {within, 0};
      case 2: return {std::ldexp(static_cast<double>(some - 512), sums.unit), std::ldexp(z < 0 ? -1.0 : 1.0, sums.unit - some % 2)};
      case 3: {
        const double end = std::ldexp(z < 0 ? -1.0 : 1.0, sums.unit + all - 2 + some % 3);
        return {end, some % 7 == 0 ? end : std::ldexp(some % 5 - 2, sums.unit)};
      }
      case 4: return {some % 2 == 0 ? 0.0 : -0.0, some % 3 == 0 ? -0.0 : 0.0};
      case 5: return {within, some % 2 == 0 ? within : -within};
      case 6: return {extremes[some % 4], 0};
      default: return {within, std::ldexp(normal(seed + 2, k), sums.unit + some % 100)};
    }
  }
  /// Whether digits hold a number of a pair.
  [[nodiscard]] bool hold(double x) const {
    if (x == 0) return true;
    const auto v = std::isfinite(x) ? accrue::detail::to_scaled_integer(x) : accrue::detail::scaled_integer{0, 0};
    return v.significand != 0 && v.exponent + std::countr_zero(static_cast<std::uint64_t>(v.significand)) >= sums.unit &&
           std::fabs(x) <= std::ldexp(1.0, sums.unit + digit_bits * static_cast<int>(sums.digits) - 1);
  }
  /// Whether the last digits of both are below 2^48 together.
  [[nodiscard]] bool has_last_digit(const exact_pair& p) const {
    const int unit = unit_of(sums.digits - 1);
    return std::fabs(std::nearbyint(std::ldexp(p.high, -unit)) + std::nearbyint(std::ldexp(p.low, -unit))) < 0x1p48;
  }
  [[nodiscard]] bool are_ordinary() const {
    return sums.unit >= -900 && sums.unit + digit_bits * static_cast<int>(sums.digits) <= 900;
  }
  [[nodiscard]] int unit_of(std::size_t digit) const { return sums.unit + digit_bits * static_cast<int>(digit); }
};

template <class R>
bool same(R a, R b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

TEST_CASE("digits hold a sum, or say that they do not", "[digits]") {
  std::size_t held = 0;
  std::size_t left_out = 0;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    pairs_case c(10 * seed);
    const std::uint64_t left = to_digits(c.pair, c.sums);
    if (c.sums.count < 64 && left >> c.sums.count != 0) ++wrong;
    for (std::size_t k = 0; k < c.sums.count; ++k) {
      const bool is_left = (left >> k & 1) != 0;
      wrong += is_left == (c.are_ordinary() && c.hold(c.pair[k].high) && c.hold(c.pair[k].low) && c.has_last_digit(c.pair[k]));
      ++(is_left ? left_out : held);
      if (is_left) continue;
      state sum;
      state of_digits;
      sum.add(c.pair[k].high);
      sum.add(c.pair[k].low);
      for (std::size_t j = 0; j < c.sums.digits; ++j) {
        const std::int64_t digit = c.sums.digit[j][k];
        const std::int64_t most = (std::int64_t{1} << digit_bits) - (j + 1 == c.sums.digits ? 1 : 0);
        wrong += digit > most || digit < -most;
        of_digits.sink().deposit(digit, c.unit_of(j));
      }
      wrong += !(sum == of_digits);
    }
  }
  CHECK(wrong == 0);
  CHECK(held > 20000);
  CHECK(left_out > 20000);
}

TEMPLATE_TEST_CASE("digits of many ranks are rounded as their exact sum", "[digits]", double, float) {
  std::size_t proven = 0;
  std::size_t left_out = 0;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    pairs_case c(10 * seed + 5);
    const std::size_t count = c.sums.count;
    std::vector<state> exact(count);
    const std::uint64_t shape = random_bits(seed, 77) % 6;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < c.sums.digits; ++j) {  // few bits, ties and all kinds of carries
        const std::uint64_t r = random_bits(seed + 3, 16 * k + j);
        auto digit = static_cast<std::int64_t>(r) >> (shape == 0 ? 1 : r % 63);
        if (shape == 1) digit = j + 1 == c.sums.digits ? 1 : j == 0 ? static_cast<std::int64_t>(r % 3) - 1 : 0;
        if (shape == 2 && j != 0) digit = 0;
        if (shape == 3) digit = (std::int64_t{1} << r % 60) * (r >> 63 != 0 ? -1 : 1);
        if (shape == 4) digit = j + 1 < c.sums.digits ? (std::int64_t{1} << 48) - 1 : -1;
        if (shape == 5 && r % 2 == 0) digit = 0;
        c.sums.digit[j][k] = digit;
        exact[k].sink().deposit(digit, c.unit_of(j));
      }
    }
    for (const ending last : {ending::value, ending::square_root}) {
      const auto wanted = [&](std::size_t k) {
        return last == ending::value ? exact[k].round<TestType>() : exact[k].round_square_root<TestType>();
      };
      TestType out[sums_in_digits::most];
      const std::uint64_t left = finish_digits(last, c.sums, out);
      if (count < 64 && left >> count != 0) ++wrong;
      for (std::size_t k = 0; k < count; ++k) {
        const bool is_left = (left >> k & 1) != 0;
        ++(is_left ? left_out : proven);
        if (!is_left) wrong += !same(out[k], wanted(k));
        std::vector<std::int64_t> digits(c.sums.digits);
        for (std::size_t j = 0; j < digits.size(); ++j) digits[j] = c.sums.digit[j][k];
        bool negative = false;
        const auto leading = accrue::ranks::leading_bits(digits, c.sums.unit, negative);
        const auto result = last == ending::value ? accrue::detail::round_to<TestType>(leading, negative)
                            : negative            ? std::numeric_limits<TestType>::quiet_NaN()
                                                  : accrue::detail::round_to<TestType>(accrue::detail::square_root(leading), false);
        wrong += !same(result, wanted(k));
      }
    }
  }
  CHECK(wrong == 0);
  if (accrue::current_instruction_set() != accrue::instruction_set::baseline) CHECK(proven > left_out);
}

TEST_CASE("numbers are added to digits as they are, or refused", "[digits]") {
  using accrue::ranks::sum_digits;
  std::size_t refused = 0;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const std::uint64_t r = random_bits(seed, 0);
    const std::size_t count = 1 + r % most_digits;
    const int all = digit_bits * static_cast<int>(count);
    sum_digits digits;
    state exact;
    bool holds = true;
    bool fits = true;
    for (std::uint64_t k = 0; k < 1 + r / 16 % 9 && holds; ++k) {
      const std::uint64_t bits = random_bits(seed, k + 1);
      const auto v = static_cast<std::int64_t>(bits) >> bits % 64 << bits / 64 % 8;
      const int bit = static_cast<int>(random_bits(seed, k + 50) % static_cast<std::uint64_t>(all + 20)) - 70;
      holds = digits.add(v, bit, count);
      const int lowest = std::countr_zero(static_cast<std::uint64_t>(v)) + bit;
      const std::uint64_t magnitude = v < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
      fits = v == 0 || (lowest >= 0 && static_cast<int>(std::bit_width(magnitude)) + bit <= all);
      wrong += holds != fits;
      if (holds && bit >= 0) exact.add_integer(v, bit);
      if (holds && bit < 0 && v != 0) exact.add_integer(v >> -bit, 0);  // zeros
    }
    if (!holds) continue;
    const bool carried = digits.carry(count);
    refused += !carried;
    if (!carried) continue;
    state sum;
    for (std::size_t j = 0; j < count; ++j) {
      wrong += digits[j] > std::int64_t{1} << 47 || digits[j] < -(std::int64_t{1} << 47);
      sum.sink().deposit(digits[j], digit_bits * static_cast<int>(j));
    }
    wrong += !(sum == exact);
  }
  CHECK(wrong == 0);
  CHECK(refused > 10);  // whose last digit is too large
  CHECK(refused < 10000);
}
