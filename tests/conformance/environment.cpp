// SPDX-License-Identifier: BSD-3-Clause
// The caller's floating environment changes no bit and comes back as it was.
#include "suite.hpp"

#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace test;

namespace {

struct results {
  std::string sum, dot, ordered, variance, product, scaled, norm;
  bool operator==(const results&) const = default;
};

results all_of(const hook::space& space, const std::vector<double>& x) {
  return on(space, x, [](const auto& s, auto r) {
    const auto scaled = accrue::scaled_product(s, r);
    return results{bits(accrue::sum(s, r)),
                   bits(accrue::dot(s, r, r)),
                   bits(accrue::sum(s, r, accrue::ordered)),
                   bits(accrue::moments(s, r).variance),
                   bits(accrue::product(s, std::span(r).first(300))),
                   bits(scaled.significand) + "/" + std::to_string(scaled.exponent),
                   bits(accrue::norm2(s, r, accrue::ordered))};
  });
}

}  // namespace

TEST_CASE("rounding mode, flush-to-zero and sticky flags", "[environment]") {
  for (const distribution d : {distribution::normal, distribution::subnormal, distribution::log_uniform}) {
    const auto x = sequence<double>(d, next_seed(), 6001);
    for (const auto& space : hook::variants()) {
      const results expected = all_of(space, x);
      for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const results got = all_of(space, x);
        const int left = std::fegetround();
        std::fesetround(FE_TONEAREST);
        CHECK(left == mode);
        CHECK(got == expected);
      }
#if defined(__x86_64__)
      for (const unsigned control : {0x8040u, 0x8000u, 0x0040u}) {  // flush-to-zero, denormals-are-zero
        for (const unsigned flags : {0x00u, 0x20u, 0x3fu}) {
          const unsigned before = _mm_getcsr();
          const unsigned wanted = 0x1f80u | control | flags;
          _mm_setcsr(wanted);
          const std::string got = on(space, x, [](const auto& s, auto r) { return bits(accrue::sum(s, r)) + bits(accrue::dot(s, r, r)); });
          const unsigned left = _mm_getcsr();
          _mm_setcsr(before);
          CHECK(left == wanted);
          CHECK(got == expected.sum + expected.dot);
        }
      }
#endif
    }
  }
}

TEST_CASE("a caller that traps on inexact results", "[environment]") {
#if defined(__x86_64__) && defined(__GLIBC__)
  const auto x = sequence<double>(distribution::wide, next_seed(), 5000);
  const auto space = hook::make();
  const auto expected = on(space, x, [](const auto& s, auto r) { return bits(accrue::sum(s, r)); });
  const hook::array<double> device(space, x);
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INEXACT | FE_UNDERFLOW | FE_INVALID);
  const double got = accrue::sum(space, device.get());
  fedisableexcept(FE_ALL_EXCEPT);
  CHECK(bits(got) == expected);
#else
  SKIP("traps are tested on x86-64 with glibc");
#endif
}
