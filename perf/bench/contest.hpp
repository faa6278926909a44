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

/// A result in the stage's memory.
template <class T>
T read_back(const stage& on, const void* result) {
  T value{};
  on.copy(&value, result, sizeof(T));
  return value;
}

/// Whether the result that a contender left is what it promises: exact, or within `bound`. What lies there afterwards is no result.
template <class T>
nlohmann::ordered_json verified(const stage& on, const contender<T>& c, void* result, T expected, double bound) {
  const T got = read_back<T>(on, result);
  const T nothing = T(-12345);
  on.copy(result, &nothing, sizeof(T));
  const double ulp = error_ulp(got, expected);
  const bool right = is_exact(c.name) ? ulp == 0 : std::fabs(static_cast<double>(got) - static_cast<double>(expected)) <= bound;
  return {{"error_ulp", ulp}, {"verified", right}};
}

}  // namespace perf
