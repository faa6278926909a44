// SPDX-License-Identifier: BSD-3-Clause
// What the suites of contenders share: names, and one call whose result comes to the host.
#pragma once

#include "contender.hpp"
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

/// What a contender makes of an input in the stage's memory, brought to the host.
template <class T>
T result_of(const stage& on, const contender<T>& c, int threads, const T* x, const T* y, std::size_t n) {
  const auto result = on.allocate(sizeof(T));
  const T nothing = T(-12345);
  on.copy(result.get(), &nothing, sizeof(T));
  c.run(on.place(threads), x, y, n, static_cast<T*>(result.get()));
  T value{};
  on.copy(&value, result.get(), sizeof(T));
  return value;
}

inline bool is_accrue(const std::string& contender) { return contender.starts_with("accrue"); }
/// Whether it promises the exact result.
inline bool is_exact(const std::string& contender) { return contender == "accrue exact" || contender == "accrue"; }

}  // namespace perf
