// SPDX-License-Identifier: BSD-3-Clause
// Conversions of the 16-bit floats: every value there and back, and rounding to nearest even against MPFR.
#include <accrue/detail/kernels.hpp>
#include <catch2/catch_test_macros.hpp>
#include <mpfr.h>

#include <cmath>
#include <vector>

#include "golden/random.hpp"

namespace {

/// The nearest value with `precision` bits and exponents as MPFR counts them, by MPFR.
float nearest(float x, int precision, long emin, long emax) {
  if (std::isnan(x) || std::isinf(x) || x == 0) return x;
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  mpfr_t v;
  mpfr_init2(v, precision);
  int inexact = mpfr_set_flt(v, x, MPFR_RNDN);
  inexact = mpfr_check_range(v, inexact, MPFR_RNDN);
  mpfr_subnormalize(v, inexact, MPFR_RNDN);
  const float r = mpfr_get_flt(v, MPFR_RNDN);
  mpfr_clear(v);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return r;
}

template <class T>
void round_trip() {
  std::vector<T> all(65536);
  std::vector<float> wide(65536);
  for (std::size_t b = 0; b < 65536; ++b) all[b] = T::from_bits(static_cast<std::uint16_t>(b));
  accrue::kernels::widen(all.data(), wide.data(), all.size());
  for (std::size_t b = 0; b < 65536; ++b) {
    const float f = static_cast<float>(all[b]);
    if (std::isnan(f)) {
      CHECK(std::isnan(wide[b]));
      CHECK(std::isnan(static_cast<float>(T(f))));
      continue;
    }
    REQUIRE(std::bit_cast<std::uint32_t>(f) == std::bit_cast<std::uint32_t>(wide[b]));
    REQUIRE(T(f).bits == b);
  }
}

}  // namespace

TEST_CASE("every 16-bit value converts to float and back", "[element]") {
  round_trip<accrue::half>();
  round_trip<accrue::bfloat16>();
}

TEST_CASE("rounding to 16 bits is to nearest, ties to even", "[element]") {
  for (std::uint64_t i = 0; i < 200000; ++i) {
    auto b = static_cast<std::uint32_t>(test::random_bits(5, i));
    if (i % 4 == 0) b &= 0xfffff000u;  // ties and near ties
    if (i % 4 == 1) b = (b & 0x8fffffffu) | 0x30000000u;  // half's subnormals and small normals
    const float x = std::bit_cast<float>(b);
    if (std::isnan(x)) continue;
    REQUIRE(static_cast<float>(accrue::half(x)) == nearest(x, 11, -23, 16));
    REQUIRE(static_cast<float>(accrue::bfloat16(x)) == nearest(x, 8, -132, 128));
  }
  CHECK(accrue::half(65520.0f).bits == 0x7c00);
  CHECK(accrue::half(65519.0f).bits == 0x7bff);
}
