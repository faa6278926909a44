// SPDX-License-Identifier: BSD-3-Clause
// The caller's floating environment changes no bit and comes back as it was.
#include "suite.hpp"

#include <cfenv>

#include "support/fp_state.hpp"

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

TEST_CASE("rounding mode, flush-to-zero and sticky flags", "[environment][values]") {
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
      for (const fp_state& wanted : unusual_fp_states()) {
        const fp_state before = read_fp_state();
        write_fp_state(wanted);
        const std::string got = on(space, x, [](const auto& s, auto r) { return bits(accrue::sum(s, r)) + bits(accrue::dot(s, r, r)); });
        const fp_state left = read_fp_state();
        write_fp_state(before);
        CHECK(left == wanted);
        CHECK(got == expected.sum + expected.dot);
      }
    }
  }
}

TEST_CASE("a caller that traps on inexact results", "[environment]") {
#if defined(__GLIBC__)
  const auto x = sequence<double>(distribution::wide, next_seed(), 5000);
  const auto space = hook::make();
  const auto expected = on(space, x, [](const auto& s, auto r) { return bits(accrue::sum(s, r)); });
  const hook::array<double> device(space, x);
  std::feclearexcept(FE_ALL_EXCEPT);
  if (feenableexcept(FE_INEXACT | FE_UNDERFLOW | FE_INVALID) == -1) {
    SKIP("this processor does not trap");
  }
  const double got = accrue::sum(space, device.get());
  fedisableexcept(FE_ALL_EXCEPT);
  CHECK(bits(got) == expected);
#else
  SKIP("traps are tested with glibc");
#endif
}
