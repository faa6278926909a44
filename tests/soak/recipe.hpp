// SPDX-License-Identifier: BSD-3-Clause
// Recipes of adversarial sums: small integers that say how long the input is, where its exponents lie, what cancels, and what else is
// in it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "golden/random.hpp"

namespace soak {

enum class operation : unsigned { sum, sum_abs, sum_squares, dot, norm2, mean, moments };
inline constexpr unsigned operations = 7;
enum class element_type : unsigned { f64, f32, f16, bf16 };
enum class pattern : unsigned { random, cancelling, tie, giant, zeros, rising, falling, blocks, rounding_errors, stretching };
inline constexpr unsigned patterns = 10;

/// What a case is made from. Every number is taken modulo what it may be, so that any change gives another valid recipe.
struct recipe {
  enum field : unsigned {
    what,         ///< operation
    type,         ///< element_type
    how,          ///< pattern
    length,       ///< its logarithm, in 1024ths of the longest's
    shift,        ///< elements behind an aligned place
    centre,       ///< of the exponents, in 256ths of the type's range
    spread,       ///< binades around it: 2^(spread / 32) - 1
    digits,       ///< bits of the significands
    period,       ///< of blocks and of rare elements
    specials,     ///< 0 for most: which special values there are
    set,          ///< instruction set, or launch shape
    seed,
    fields
  };
  std::array<std::uint32_t, fields> n{};

  [[nodiscard]] std::uint32_t below(field f, std::uint32_t bound) const { return n[f] % bound; }

  static recipe random(std::uint64_t seed) {
    recipe r;
    for (unsigned k = 0; k < fields; ++k) r.n[k] = static_cast<std::uint32_t>(test::random_bits(seed, k));
    return r;
  }
  /// The same with a field or two changed: a little, or altogether.
  [[nodiscard]] recipe changed(std::uint64_t seed) const {
    recipe r = *this;
    for (std::uint64_t k = 0; k <= test::random_bits(seed, 0) % 2; ++k) {
      const std::uint64_t bits = test::random_bits(seed, k + 1);
      std::uint32_t& number = r.n[bits % fields];
      const auto by = static_cast<std::uint32_t>(bits >> 32);
      number = (bits & 256) != 0 ? by : number + by % 9 - 4;
    }
    return r;
  }
};

/// The size of the input: up to `longest`, all orders of magnitude alike, and 0 too.
inline std::size_t size_of(const recipe& r, std::size_t longest) {
  const double share = r.below(recipe::length, 1025) / 1024.0;
  return static_cast<std::size_t>(std::exp2(share * std::log2(static_cast<double>(longest) + 1))) - 1;
}

/// Element i of n, before what its pattern adds.
template <class T>
T plain_element(const recipe& r, std::uint64_t seed, std::size_t i, std::size_t n) {
  using f = test::format<T>;
  const std::uint64_t bits = test::random_bits(seed, i);
  const int largest = static_cast<int>(f::largest_field);
  const auto spread = static_cast<int>(std::exp2(r.below(recipe::spread, 360) / 32.0)) - 1;
  int field = static_cast<int>(std::int64_t{largest} * r.below(recipe::centre, 257) / 256);
  const auto how = static_cast<pattern>(r.below(recipe::how, patterns));
  if (how == pattern::rising || how == pattern::falling) {
    const std::size_t place = how == pattern::rising ? i : n - 1 - i;
    field += static_cast<int>(static_cast<double>(place) / static_cast<double>(n) * spread);
  } else if (how == pattern::blocks || how == pattern::stretching) {  // the latter as large as sums get in a few binades
    const std::size_t block = i / (1 + r.below(recipe::period, 10000));
    field += static_cast<int>(test::random_bits(seed + 1, block) % static_cast<unsigned>(how == pattern::blocks ? spread + 1 : 12));
  } else if (how == pattern::giant) {
    field += i == seed % n ? spread : static_cast<int>(bits >> 56) % 3;
  } else {
    field += static_cast<int>((bits >> 53) * static_cast<unsigned>(spread + 1) >> 11);
  }
  const int digits = static_cast<int>(r.below(recipe::digits, 64));
  std::uint64_t significand = how == pattern::stretching ? ~std::uint64_t{0} : bits;
  if (digits < f::significand_bits) significand &= ~std::uint64_t{0} << (f::significand_bits - digits);
  const bool minus = (bits >> 52 & 1) != 0 && how != pattern::stretching;
  return f::make(minus, static_cast<std::uint64_t>(std::clamp(field, 0, largest)), significand);
}

/// The input. `other` is for the second one of a dot product.
template <class T>
std::vector<T> elements_of(const recipe& r, std::size_t n, bool other) {
  using f = test::format<T>;
  const std::uint64_t seed = std::uint64_t{r.n[recipe::seed]} * 2 + (other ? 1 : 0);
  const auto how = static_cast<pattern>(r.below(recipe::how, patterns));
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = plain_element<T>(r, seed, i, n);
  const auto minus = [](T v) { return std::bit_cast<T>(static_cast<typename f::word>(
                                   std::bit_cast<typename f::word>(v) ^ (typename f::word{1} << (sizeof(T) * 8 - 1)))); };
  if (how == pattern::cancelling || how == pattern::tie) {
    // The second half takes the first back, in the other order, but for one in so many; in a product of two both signs would change.
    const std::uint32_t kept = 1 + r.below(recipe::period, 3000);
    for (std::size_t i = 0; i < n / 2; ++i) {
      if (test::random_bits(seed + 2, i) % kept != 0 || kept == 3000) x[n - 1 - i] = other ? x[i] : minus(x[i]);
    }
    if (n % 2 != 0) x[n / 2] = f::make(false, 0, 0);
  }
  if (how == pattern::tie && n >= 4 && !other) {
    // Half a unit of the last place of some number, and perhaps something tiny.
    const std::uint64_t bits = test::random_bits(seed + 3, 0);
    const std::uint64_t field = f::significand_bits + 2 + (bits >> 8) % (f::largest_field - f::significand_bits - 2);
    x[0] = f::make((bits & 1) != 0, field, bits >> 12);
    x[n - 1] = f::make((bits & 2) != 0, field - f::significand_bits - 1, 0);
    x[n / 2] = f::make((bits & 4) != 0, 0, (bits & 24) == 0 ? 0 : 1 + (bits >> 60));
  }
  if (how == pattern::rounding_errors && n >= 6) {
    // Pairs of products that cancel, and a * b less itself as it is rounded, twice: what is lost of its last bits shows in a dot product.
    const std::uint32_t kept = 1 + r.below(recipe::period, 4);
    const std::size_t k = n / 2;
    const auto number = [&](std::uint64_t i, std::int64_t field) {  // its last bit is set
      return f::make((test::random_bits(seed, i) & 1) != 0,
                     static_cast<std::uint64_t>(std::clamp<std::int64_t>(field, 1, static_cast<std::int64_t>(f::largest_field))),
                     test::random_bits(seed, i) | 1);
    };
    constexpr auto bias = static_cast<std::int64_t>(f::largest_field / 2);
    const std::int64_t large = std::int64_t{static_cast<std::int64_t>(f::largest_field)} * r.below(recipe::centre, 257) / 256;
    const auto gap = static_cast<std::int64_t>(20 + r.below(recipe::spread, 50));
    const T one = f::make(false, f::largest_field / 2, 0);
    for (std::size_t i = 0; i < k - 1; ++i) {
      x[i] = other ? one : i % kept == 0 ? number(i, large) : f::make(false, 0, 0);
      x[n - 1 - i] = other ? one : minus(x[i]);
    }
    const std::uint64_t mate = std::uint64_t{r.n[recipe::seed]} * 2;
    const auto factor = [&](bool second) {
      const std::int64_t field = second ? bias + (large - bias - gap) - (large - bias - gap) / 2 : bias + (large - bias - gap) / 2;
      return f::make(false, static_cast<std::uint64_t>(std::clamp<std::int64_t>(field, 1, static_cast<std::int64_t>(f::largest_field))),
                     test::random_bits(mate, second ? n + 1 : n) | 1);
    };
    const T a = factor(false);
    const T b = factor(true);
    if constexpr (std::is_floating_point_v<T>) {
      x[k - 2] = x[k - 1] = other ? b : a;
      x[k] = x[k + 1] = other ? one : minus(static_cast<T>(a * b));
    }
  }
  if (how == pattern::zeros) {
    const std::uint32_t kept = 1 + r.below(recipe::period, 5000);
    for (std::size_t i = 0; i < n; ++i) {
      if (test::random_bits(seed + 4, i) % kept != 0) x[i] = f::make((test::random_bits(seed + 5, i) & 1) != 0, 0, 0);
    }
  }
  const std::uint32_t special = r.below(recipe::specials, 24);  // of 8 and more: none
  for (unsigned k = 0; special < 8 && k < 3 && n != 0; ++k) {
    const std::uint64_t bits = test::random_bits(seed + 6, k);
    const std::uint64_t fraction = special >= 4 && (special & 1) != 0 && k == 0 ? 1 : 0;
    if ((special >> 1 & 1) != 0 && k != 0) break;
    x[bits % n] = f::make((special & 4) != 0 ? (bits >> 40 & 1) != 0 : (special & 1) != 0, f::largest_field + 1, fraction);
  }
  return x;
}

}  // namespace soak
