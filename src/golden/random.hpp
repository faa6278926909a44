// SPDX-License-Identifier: BSD-3-Clause
// A counter-based generator and the input distributions of the tests: element i of a sequence is a function of (seed, i).
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "accrue/element.hpp"

namespace test {

/// Mixes a seed and a counter into 64 random bits (two rounds of a multiply-xorshift finaliser).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + counter * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
  for (int round = 0; round < 2; ++round) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
  }
  return z;
}

/// Uniform on [0, 1), a multiple of 2^-53.
constexpr double random_unit(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<double>(random_bits(seed, counter) >> 11) * 0x1p-53;
}

enum class distribution {
  uniform,          ///< [0, 1)
  normal,           ///< mean 0, deviation 1
  wide,             ///< exponents over +-30 bits
  log_uniform,      ///< every finite exponent alike
  subnormal,        ///< below the normal range
  ill_conditioned,  ///< large values that cancel, hiding small ones
  cancelling,       ///< pairs x, -x: the sum is zero
  zeros,
  negative_zeros,
  constant,
  infinity,    ///< normal, with one +inf
  infinities,  ///< normal, with both
  nan,         ///< normal, with one NaN
  overflowing  ///< the largest values of both signs: partial sums overflow
};

inline constexpr distribution all_distributions[] = {
    distribution::uniform,     distribution::normal,     distribution::wide,
    distribution::log_uniform, distribution::subnormal,  distribution::ill_conditioned,
    distribution::cancelling,  distribution::zeros,      distribution::negative_zeros,
    distribution::constant,    distribution::infinity,   distribution::infinities,
    distribution::nan,         distribution::overflowing};

inline const char* to_string(distribution d) {
  constexpr const char* names[] = {"uniform",         "normal",     "wide",  "log_uniform",    "subnormal",
                                   "ill_conditioned", "cancelling", "zeros", "negative_zeros", "constant",
                                   "infinity",        "infinities", "nan",   "overflowing"};
  return names[static_cast<int>(d)];
}

/// What a floating format looks like, for building values from bits.
template <class T>
struct format {
  using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  static constexpr int significand_bits = std::is_same_v<T, double>         ? 52
                                          : std::is_same_v<T, float>        ? 23
                                          : std::is_same_v<T, accrue::half> ? 10
                                                                            : 7;
  static constexpr int exponent_bits = static_cast<int>(sizeof(T)) * 8 - 1 - significand_bits;
  static constexpr std::uint64_t largest_field = (std::uint64_t{1} << exponent_bits) - 2;  // of a finite value

  static T make(bool negative, std::uint64_t field, std::uint64_t significand) {
    const std::uint64_t bits = (static_cast<std::uint64_t>(negative) << (sizeof(T) * 8 - 1)) | (field << significand_bits) |
                               (significand & ((std::uint64_t{1} << significand_bits) - 1));
    return std::bit_cast<T>(static_cast<word>(bits));
  }
};

template <class T>
T from_double(double x) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return static_cast<T>(x);
  } else {
    return static_cast<T>(static_cast<float>(x));
  }
}

/// Close to normal with mean 0 and deviation 1: twelve uniforms less six. No library function, so the same bits everywhere.
inline double normal(std::uint64_t seed, std::uint64_t i) {
  double sum = -6;
  for (std::uint64_t k = 0; k < 12; ++k) sum += random_unit(seed, 12 * i + k);
  return sum;
}

/// Element i of n of a distribution.
template <class T>
T element(distribution d, std::uint64_t seed, std::size_t i, std::size_t n) {
  using f = format<T>;
  const std::uint64_t r = random_bits(seed, i);
  const std::uint64_t s = random_bits(seed + 1, i);
  const bool negative = (s & 1) != 0;
  switch (d) {
    case distribution::uniform:
      return from_double<T>(random_unit(seed, i));
    case distribution::wide: {
      const std::uint64_t bias = f::largest_field / 2;
      const std::uint64_t spread = bias < 30 ? bias - 1 : 30;
      return f::make(negative, bias - spread + (s >> 8) % (2 * spread + 1), r);
    }
    case distribution::log_uniform:
      return f::make(negative, (s >> 8) % (f::largest_field + 1), r);
    case distribution::subnormal:
      return f::make(negative, 0, r);
    case distribution::ill_conditioned: {
      // Element 2k+1 takes back element 2k; every 64th pair leaves something small instead.
      const std::uint64_t pair = i / 2;
      const std::uint64_t p = random_bits(seed, pair);
      if (pair % 64 == 63) return f::make(negative, f::largest_field / 8, r);
      if (i + 1 == n && i % 2 == 0) return f::make(negative, f::largest_field / 8, r);
      const std::uint64_t field = f::largest_field / 4 + (p >> 40) % (f::largest_field / 2);
      return f::make(i % 2 != 0, field, p);
    }
    case distribution::cancelling: {
      if (i + 1 == n && i % 2 == 0) return from_double<T>(0);
      return f::make(i % 2 != 0, f::largest_field / 4 + random_bits(seed, i / 2) % (f::largest_field / 2),
                     random_bits(seed + 1, i / 2));
    }
    case distribution::zeros:
      return from_double<T>(0);
    case distribution::negative_zeros:
      return from_double<T>(-0.0);
    case distribution::constant:
      return from_double<T>(1.1);
    case distribution::overflowing:
      return f::make(i % 3 == 2, f::largest_field, ~std::uint64_t{0});
    case distribution::infinity:
    case distribution::infinities:
    case distribution::nan:
    case distribution::normal:
      break;
  }
  const T inf = f::make(false, f::largest_field + 1, 0);
  if (d == distribution::infinity && i == n / 3) return inf;
  if (d == distribution::infinities && i == n / 3) return inf;
  if (d == distribution::infinities && i == n / 2) return f::make(true, f::largest_field + 1, 0);
  if (d == distribution::nan && i == n / 2) return f::make(negative, f::largest_field + 1, r | 1);
  return from_double<T>(normal(seed, i));
}

template <class T>
std::vector<T> sequence(distribution d, std::uint64_t seed, std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = element<T>(d, seed, i, n);
  return x;
}

/// The same values in another order.
template <class T>
void shuffle(std::vector<T>& x, std::uint64_t seed) {
  for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random_bits(seed, i) % i]);
}

}  // namespace test
