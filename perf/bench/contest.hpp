// SPDX-License-Identifier: BSD-3-Clause
// What the suites of contenders share: names, and how a result is judged.
#pragma once

#include <cmath>

#include "contender.hpp"
#include "correctness.hpp"
#include "stage.hpp"

namespace perf {

inline const char* name_of(operation what) {
  switch (what) {
    case operation::read:
      return "read";
    case operation::sum:
      return "sum";
    case operation::dot:
      return "dot";
    case operation::sum_abs:
      return "sum of magnitudes";
    case operation::min:
      return "min";
  }
  return "";
}
template <class T>
constexpr const char* type_name = sizeof(T) == 8 ? "f64" : "f32";

inline bool is_accrue(const std::string& contender) { return contender.starts_with("accrue"); }
/// Whether it promises the exact result.
inline bool is_exact(const std::string& contender) { return contender == "accrue exact" || contender == "accrue"; }

/// What lies in the stage's memory; afterwards no result lies there.
template <class T>
T take(const stage& on, void* result) {
  T value{};
  on.copy(&value, result, sizeof(T));
  const T nothing = T(-12345);
  on.copy(result, &nothing, sizeof(T));
  return value;
}

/// Takes the result that a contender left: whether it is what it promises, exact or within `bound`.
template <class T>
nlohmann::ordered_json verified(const stage& on, const contender<T>& c, void* result, T expected, double bound) {
  const T got = take<T>(on, result);
  const double ulp = error_ulp(got, expected);
  const bool right = is_exact(c.name) ? ulp == 0 : std::fabs(static_cast<double>(got) - static_cast<double>(expected)) <= bound;
  return {{"error_ulp", ulp}, {"verified", right}};
}

}  // namespace perf
