// SPDX-License-Identifier: BSD-3-Clause
// Comparison of results bit by bit, NaNs being one.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

#include "accrue/element.hpp"

namespace test {

/// The bits of a result as text; every NaN must be the canonical quiet one.
template <class T>
std::string bits(T x) {
  char text[64];
  if constexpr (std::is_same_v<T, double>) {
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(x)));
  } else if constexpr (std::is_same_v<T, float>) {
    std::snprintf(text, sizeof text, "%08x", std::bit_cast<std::uint32_t>(x));
  } else if constexpr (accrue::small_float<T>) {
    std::snprintf(text, sizeof text, "%04x", x.bits);
  } else if constexpr (accrue::is_complex<T>) {
    return bits(x.real()) + "," + bits(x.imag());
  } else if constexpr (std::is_signed_v<T>) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(x));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(x));
  }
  return text;
}

}  // namespace test
