// SPDX-License-Identifier: BSD-3-Clause
// What a space makes of a golden case: a line of text that is the same on every machine.
#pragma once

#include <accrue/accrue.hpp>
#include <cmath>
#include <string>

#include "golden/bits.hpp"
#include "golden/cases.hpp"

namespace test {

/// The results of x, memory of the space, as golden/bits.txt has them.
template <class Space, class X>
std::string results_of_case(const Space& space, const X& x) {
  const auto canonical = [](auto v) { return std::isnan(v) ? std::string("nan") : bits(v); };
  const auto m = accrue::moments(space, x);
  std::string text("sum ");
  text.append(bits(accrue::sum(space, x))).append(" squares ").append(bits(accrue::sum_squares(space, x)));
  text.append(" norm2 ").append(bits(accrue::norm2(space, x))).append(" mean ").append(bits(m.mean));
  text.append(" variance ").append(bits(m.variance));
  text.append(" ordered ").append(canonical(accrue::sum(space, x, accrue::ordered)));
  return text.append(" product ").append(canonical(accrue::product(space, x)));
}

/// Calls `visit(name, elements)` for each case.
template <class Visit>
void for_each_case(const Visit& visit) {
  const auto of_type = [&]<class T>(T, const char* type) {
    for (const golden_case& c : golden_cases()) visit(name_of(c, type), sequence<T>(c.kind, c.seed, c.n));
  };
  of_type(double{}, "f64");
  of_type(float{}, "f32");
  of_type(accrue::half{}, "f16");
  of_type(accrue::bfloat16{}, "bf16");
}

}  // namespace test
