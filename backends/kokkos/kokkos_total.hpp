// SPDX-License-Identifier: BSD-3-Clause
// Exact sums inside a Kokkos kernel: values that grow in the loop's body, on the host and on devices.
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "accrue/superaccumulator.hpp"

namespace accrue {

/// The exact sum of Ts: `float` or `double`. A value of a parallel_reduce, or a variable in a kernel.
///
/// Guarantee: exact, whatever the order, the number of threads or the device; NaN and infinities as everywhere
/// (superaccumulator.hpp). Integer arithmetic alone: no compiler flag and no floating environment changes it. Size: 600 bytes for
/// double, 152 for float.
///
/// Terms are added to a window of 128 bits, which the first of them places; what lies outside goes to the superaccumulator, as the
/// window does when it is full.
template <native_float T>
class kokkos_total {
 public:
  KOKKOS_DEFAULTED_FUNCTION kokkos_total() = default;

  KOKKOS_FORCEINLINE_FUNCTION kokkos_total& operator+=(T x) {
    const auto bits = std::bit_cast<bits_type>(x);
    const auto field = static_cast<int>(bits >> fraction_bits & special_field);
    const bool negative = bits >> (8 * sizeof(T) - 1) != 0;
    std::uint64_t significand = bits & ((bits_type{1} << fraction_bits) - 1);
    if (field == special_field) {
      count_special(significand != 0, negative);
      return *this;
    }
    if (field != 0) significand |= std::uint64_t{1} << fraction_bits;
    const int exponent = (field != 0 ? field : 1) - bias;
    const auto shift = static_cast<unsigned>(exponent - exponent_);
    if (shift < window_shifts && count_ < most_terms) {
      add_to_window(significand, negative, shift);
    } else {
      add_outside(significand, negative, exponent);
    }
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION kokkos_total& operator-=(T x) { return *this += -x; }
  KOKKOS_FUNCTION kokkos_total& operator+=(const kokkos_total& other) {
    sum_ += other.sum_;
    sum_.sink().deposit(other.window(), other.exponent_);
    return *this;
  }
  /// The sum rounded once, to nearest even.
  KOKKOS_FUNCTION T value() const { return state().template round<T>(); }
  KOKKOS_FUNCTION void normalize() {
    flush();
    sum_.normalize();
  }
  /// To merge with sums from elsewhere: other ranks, other backends.
  KOKKOS_FUNCTION superaccumulator<T> state() const {
    auto all = sum_;
    all.sink().deposit(window(), exponent_);
    return all;
  }

 private:
  using bits_type = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
  static constexpr int special_field = 2 * std::numeric_limits<T>::max_exponent - 1;
  static constexpr int bias = std::numeric_limits<T>::max_exponent - 2 + std::numeric_limits<T>::digits;
  static constexpr unsigned window_shifts = 64;
  static constexpr int below_first = 32;  ///< binades of the window below its first term
  static constexpr std::uint32_t most_terms = std::uint32_t{1} << (sizeof(T) == 8 ? 10 : 30);

  [[nodiscard]] KOKKOS_FUNCTION detail::int128 window() const {
    return static_cast<detail::int128>(static_cast<detail::uint128>(high_) << 64 | low_);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_to_window(std::uint64_t significand, bool negative, unsigned shift) {
    // In words and without branches: signs are hard to predict, and compilers keep integers of 128 bits in memory.
    const std::uint64_t minus = negative ? 1 : 0;
    const std::uint64_t flip = std::uint64_t{0} - minus;
    const std::uint64_t low = (significand << shift) ^ flip;
    const std::uint64_t high = (significand >> 1 >> (63 - shift)) ^ flip;
    const std::uint64_t sum = low_ + low;
    low_ = sum + minus;
    high_ += high + (sum < low ? 1 : 0) + (low_ < minus ? 1 : 0);
    ++count_;
  }
  KOKKOS_FUNCTION void add_outside(std::uint64_t significand, bool negative, int exponent) {
    if (significand == 0) return;
    flush();
    if (placed_ != 0 && exponent < exponent_) {
      sum_.sink().deposit(significand, negative, exponent);
      return;
    }
    if (placed_ == 0 || exponent >= exponent_ + static_cast<int>(window_shifts)) {
      const int wanted = exponent - below_first;
      exponent_ = wanted > superaccumulator<T>::lowest_bit ? wanted : superaccumulator<T>::lowest_bit;
      placed_ = 1;
    }
    add_to_window(significand, negative, static_cast<unsigned>(exponent - exponent_));
  }
  KOKKOS_FUNCTION void flush() {
    sum_.sink().deposit(window(), exponent_);
    low_ = 0;
    high_ = 0;
    count_ = 0;
  }
  KOKKOS_FUNCTION void count_special(bool nan, bool negative) {
    ++sum_.sink().special(nan ? detail::nans : negative ? detail::negative_infinities : detail::positive_infinities);
  }

  std::uint64_t low_ = 0;  // two words, since Kokkos aligns values to 8 bytes
  std::int32_t exponent_ = 0;
  std::uint32_t count_ = most_terms;  // the first term places the window
  std::uint64_t high_ = 0;
  std::uint64_t placed_ = 0;
  superaccumulator<T> sum_;
};

/// The exact sum of products of two Ts, such as a dot product or a sum of squares. Otherwise as kokkos_total; 1096 and 184 bytes.
template <native_float T>
class kokkos_product_total {
 public:
  KOKKOS_DEFAULTED_FUNCTION kokkos_product_total() = default;

  /// Adds x * y.
  KOKKOS_FUNCTION void add(T x, T y) { sum_.sink().add_product(static_cast<double>(x), static_cast<double>(y)); }
  KOKKOS_FUNCTION kokkos_product_total& operator+=(const kokkos_product_total& other) {
    sum_ += other.sum_;
    return *this;
  }
  KOKKOS_FUNCTION T value() const { return sum_.template round<T>(); }
  KOKKOS_FUNCTION void normalize() { sum_.normalize(); }
  KOKKOS_FUNCTION const product_superaccumulator<T>& state() const { return sum_; }

 private:
  product_superaccumulator<T> sum_;
};

/// Several exact sums as one value: energy and virial, for one.
template <native_float T, std::size_t N>
class kokkos_totals {
 public:
  KOKKOS_DEFAULTED_FUNCTION kokkos_totals() = default;

  KOKKOS_FUNCTION kokkos_total<T>& operator[](std::size_t k) { return totals_[k]; }
  KOKKOS_FUNCTION const kokkos_total<T>& operator[](std::size_t k) const { return totals_[k]; }
  KOKKOS_FUNCTION kokkos_totals& operator+=(const kokkos_totals& other) {
    for (std::size_t k = 0; k < N; ++k) totals_[k] += other.totals_[k];
    return *this;
  }
  KOKKOS_FUNCTION void normalize() {
    for (std::size_t k = 0; k < N; ++k) totals_[k].normalize();
  }

 private:
  kokkos_total<T> totals_[N];
};

}  // namespace accrue
