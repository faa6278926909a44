// SPDX-License-Identifier: BSD-3-Clause
// Inputs to time: values that depend on their index alone.
#pragma once

#include <accrue/element.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace perf {

/// Uniform over [0, 1) or, for integers, over all values (28 bits of 64, whose totals must fit); normal; random signs with
/// exponents uniform over -30 to 30 or -40 to 40; random signs and finite exponents over the type's whole range.
enum class input { uniform, normal, within_30, within_40, whole_range };

inline const char* name_of(input k) {
  switch (k) {
    case input::uniform:
      return "uniform";
    case input::normal:
      return "normal";
    case input::within_30:
      return "exponents +-30";
    case input::within_40:
      return "exponents +-40";
    case input::whole_range:
      return "whole range";
  }
  return "";
}

inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
T input_at(std::uint64_t i, input kind) {
  const std::uint64_t r = mix(i * 0x9e3779b97f4a7c15u + 12345);
  const std::uint64_t s = mix(r + 0x632be59bd9b4e019u);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(sizeof(T) == 8 ? r >> 36 : r);
  } else {
    if constexpr (sizeof(T) >= 4) {
      if (kind == input::whole_range) {
        constexpr int digits = sizeof(T) == 8 ? 52 : 23;
        constexpr std::uint64_t exponents = sizeof(T) == 8 ? 2047 : 255;
        const std::uint64_t bits = (s & 1) << (8 * sizeof(T) - 1) | (s >> 8) % exponents << digits | r >> (64 - digits);
        T x{};
        std::memcpy(&x, &bits, sizeof x);  // little-endian, as every machine accrue runs on
        return x;
      }
    }
    const double u = static_cast<double>(r >> 11) * 0x1p-53;
    const double v = static_cast<double>(s >> 11) * 0x1p-53;
    double x = u;
    if (kind == input::normal) x = std::sqrt(-2 * std::log(u + 1e-300)) * std::cos(6.283185307179586 * v);
    if (kind == input::within_30 || kind == input::within_40) {
      const int bits = kind == input::within_30 ? 30 : 40;
      x = (v < 0.5 ? -1 : 1) * std::exp2(2 * bits * u - bits);
    }
    return static_cast<T>(static_cast<std::conditional_t<sizeof(T) == 2, float, double>>(x));
  }
}

template <class T>
void fill(T* p, std::size_t n, input kind) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) p[i] = input_at<T>(i, kind);
}

}  // namespace perf
