// SPDX-License-Identifier: BSD-3-Clause
// Division of big integers, on digits for which estimates of quotient digits go wrong, against GMP.
#include <gmp.h>

#include <array>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

#include "accrue/detail/rounding.hpp"

namespace {

class big {
 public:
  big() { mpz_init(value); }
  explicit big(const std::vector<std::uint32_t>& digits) : big() { mpz_import(value, digits.size(), -1, 4, 0, 0, digits.data()); }
  big(const big&) = delete;
  big& operator=(const big&) = delete;
  ~big() { mpz_clear(value); }
  mpz_t value;
};

std::vector<std::uint32_t> random_digits(std::mt19937_64& random, std::size_t most) {
  constexpr std::array<std::uint32_t, 8> awkward{0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  std::vector<std::uint32_t> digits(1 + random() % most);
  for (auto& d : digits) d = random() % 4 != 0 ? awkward[random() % awkward.size()] : static_cast<std::uint32_t>(random());
  return digits;
}

}  // namespace

TEST_CASE("quotients of big integers are truncated where they say") {
  std::mt19937_64 random(Catch::getSeed());
  for (int round = 0; round < 200000; ++round) {
    const auto numerator = random_digits(random, 9);
    const auto denominator = random_digits(random, 7);
    const big n(numerator);
    const big d(denominator);
    if (mpz_sgn(d.value) == 0) continue;
    std::vector<std::uint32_t> remainder(denominator.size() + 1, 0xdeadbeef);
    const accrue::detail::truncated q = accrue::detail::quotient(numerator, -7, denominator, 5, remainder);
    if (mpz_sgn(n.value) == 0) {
      REQUIRE((q.bits == 0 && !q.sticky));
      continue;
    }
    const int exponent = q.exponent + 12;
    big bits(std::vector{static_cast<std::uint32_t>(q.bits), static_cast<std::uint32_t>(q.bits >> 32),
                         static_cast<std::uint32_t>(q.bits >> 64), static_cast<std::uint32_t>(q.bits >> 96)});
    big left;   // n and bits * d, as integers of one scale
    big right;
    mpz_mul(right.value, bits.value, d.value);
    mpz_set(left.value, n.value);
    exponent >= 0 ? mpz_mul_2exp(right.value, right.value, static_cast<unsigned long>(exponent))
                  : mpz_mul_2exp(left.value, left.value, static_cast<unsigned long>(-exponent));
    big rest;
    mpz_sub(rest.value, left.value, right.value);
    big unit;
    mpz_set(unit.value, d.value);
    if (exponent > 0) mpz_mul_2exp(unit.value, unit.value, static_cast<unsigned long>(exponent));
    REQUIRE(mpz_sgn(rest.value) >= 0);
    REQUIRE(mpz_cmp(rest.value, unit.value) < 0);
    REQUIRE(q.sticky == (mpz_sgn(rest.value) != 0));
    REQUIRE((q.bits >> 96) != 0);
  }
}

TEST_CASE("quotients by integers of up to 126 bits are truncated to 120 bits or more") {
  std::mt19937_64 random(Catch::getSeed());
  for (int round = 0; round < 400000; ++round) {
    auto numerator = random_digits(random, 9);
    auto divisor = random_digits(random, 4);
    if (divisor.size() == 4) divisor[3] &= 0x3fffffff;
    if (round % 3 == 0) {  // multiples of the divisor, and what lies beside them
      big product;
      mpz_mul(product.value, big(numerator).value, big(divisor).value);
      round % 2 == 0 ? mpz_add_ui(product.value, product.value, 1) : mpz_sub_ui(product.value, product.value, random() % 2);
      if (mpz_sgn(product.value) < 0) continue;
      std::vector<std::uint32_t> digits(13);
      mpz_export(digits.data(), nullptr, -1, 4, 0, 0, product.value);
      numerator = digits;
    }
    const big n(numerator);
    const big d(divisor);
    if (mpz_sgn(d.value) == 0) continue;
    accrue::detail::uint128 by = 0;
    for (std::size_t k = divisor.size(); k-- != 0;) by = by << 32 | divisor[k];
    const accrue::detail::truncated q = accrue::detail::quotient(numerator, -7, by);
    if (mpz_sgn(n.value) == 0) {
      REQUIRE((q.bits == 0 && !q.sticky));
      continue;
    }
    REQUIRE(accrue::detail::bit_width(q.bits) >= 120);
    big scaled;
    big unit;
    REQUIRE(q.exponent + 7 + 300 >= 0);
    mpz_mul_2exp(scaled.value, n.value, 300);
    mpz_mul_2exp(unit.value, d.value, static_cast<unsigned long>(q.exponent + 7 + 300));
    big floor;
    big rest;
    mpz_fdiv_qr(floor.value, rest.value, scaled.value, unit.value);
    const big bits(std::vector{static_cast<std::uint32_t>(q.bits), static_cast<std::uint32_t>(q.bits >> 32),
                               static_cast<std::uint32_t>(q.bits >> 64), static_cast<std::uint32_t>(q.bits >> 96)});
    REQUIRE(mpz_cmp(floor.value, bits.value) == 0);
    REQUIRE(q.sticky == (mpz_sgn(rest.value) != 0));
  }
}

TEST_CASE("a few parts at any distance add up exactly, and their sum is divided with what is left over") {
  std::mt19937_64 random(Catch::getSeed());
  int near = 0;
  for (int round = 0; round < 200000; ++round) {
    accrue::detail::scaled_integer parts[4];
    const std::size_t count = 1 + random() % 4;
    big sum;
    const int spread = random() % 2 == 0 ? 60 : 250;
    for (std::size_t k = 0; k < count; ++k) {
      const auto bits = static_cast<std::int64_t>(random()) >> random() % 64;
      parts[k] = {random() % 5 == 0 ? 0 : bits, static_cast<int>(random() % static_cast<unsigned>(spread)) - 100};
      big part;
      mpz_set_si(part.value, parts[k].significand);
      mpz_mul_2exp(part.value, part.value, static_cast<unsigned long>(parts[k].exponent + 100));
      mpz_add(sum.value, sum.value, part.value);
    }
    accrue::detail::truncated total;
    bool negative = false;
    if (!accrue::detail::sum_parts(std::span(parts, count), total, negative)) continue;
    ++near;
    if (mpz_sgn(sum.value) == 0) {
      REQUIRE((total.bits == 0 && !total.sticky));
      continue;
    }
    REQUIRE(negative == (mpz_sgn(sum.value) < 0));
    mpz_abs(sum.value, sum.value);
    // What `v` stands for is floor(n / (2^exponent d)), and whether anything is left.
    const auto check = [&](const accrue::detail::truncated& v, std::uint64_t divisor) {
      big scaled;
      big unit;
      mpz_mul_2exp(scaled.value, sum.value, 300);
      mpz_set_ui(unit.value, divisor);
      REQUIRE(v.exponent + 400 >= 0);
      mpz_mul_2exp(unit.value, unit.value, static_cast<unsigned long>(v.exponent + 400));
      big floor;
      big rest;
      mpz_fdiv_qr(floor.value, rest.value, scaled.value, unit.value);
      big bits(std::vector{static_cast<std::uint32_t>(v.bits), static_cast<std::uint32_t>(v.bits >> 32),
                           static_cast<std::uint32_t>(v.bits >> 64), static_cast<std::uint32_t>(v.bits >> 96)});
      REQUIRE(mpz_cmp(floor.value, bits.value) == 0);
      REQUIRE(v.sticky == (mpz_sgn(rest.value) != 0));
    };
    check(total, 1);
    const std::uint64_t divisor = 1 + (random() >> random() % 64);
    const auto divided = accrue::detail::quotient(total, divisor == 0 ? 1 : divisor);
    REQUIRE(accrue::detail::bit_width(divided.bits) >= 64);
    check(divided, divisor == 0 ? 1 : divisor);
  }
  CHECK(near > 100000);
}
