// SPDX-License-Identifier: BSD-3-Clause
// Exact sums inside a Kokkos kernel: values that grow in the loop's body, on the host and on devices.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "accrue/superaccumulator.hpp"

namespace accrue {

/// The exact sum of Ts: `float` or `double`. A value of a parallel_reduce, or a variable in a kernel.
///
/// Guarantee: exact, whatever the order, the number of threads or the device; NaN and infinities as everywhere (superaccumulator.hpp).
/// Integer arithmetic alone: no compiler flag and no floating environment changes it. Size: 568 bytes for double, 120 for float.
template <native_float T>
class kokkos_total {
 public:
  KOKKOS_DEFAULTED_FUNCTION kokkos_total() = default;

  KOKKOS_FUNCTION kokkos_total& operator+=(T x) {
    sum_.sink().add(static_cast<double>(x));
    return *this;
  }
  KOKKOS_FUNCTION kokkos_total& operator-=(T x) { return *this += -x; }
  KOKKOS_FUNCTION kokkos_total& operator+=(const kokkos_total& other) {
    sum_ += other.sum_;
    return *this;
  }
  /// The sum rounded once, to nearest even.
  KOKKOS_FUNCTION T value() const { return sum_.template round<T>(); }
  KOKKOS_FUNCTION void normalize() { sum_.normalize(); }
  /// To merge with sums from elsewhere: other ranks, other backends.
  KOKKOS_FUNCTION const superaccumulator<T>& state() const { return sum_; }

 private:
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
