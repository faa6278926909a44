// SPDX-License-Identifier: BSD-3-Clause
// Inputs that tell right from wrong: easy, ill-conditioned and special ones, with the exactly rounded results by the tests' oracle.
#pragma once

#include <string>
#include <vector>

#include "contender.hpp"

namespace perf {

template <class T>
struct correctness_case {
  std::string name;
  std::vector<T> x;
  std::vector<T> y;
  T sum, dot, sum_abs, min;

  [[nodiscard]] T result_of(operation what) const;
};

template <class T>
const std::vector<correctness_case<T>>& correctness_cases();

/// The exact sum, dot product (y null: none) or sum of magnitudes of long arrays.
template <class T>
T exact_result(operation what, const T* x, const T* y, std::size_t n);
/// How far a sum in any order may be from the exact one: sqrt(n) roundings of the sum of magnitudes, twice (Higham and Mary 2019).
template <class T>
double likely_error(operation what, const T* x, const T* y, std::size_t n);

/// |got - expected| in units of expected's last place; negative if that says nothing: one of them is not finite, or zero is
/// expected.
template <class T>
double error_ulp(T got, T expected);

}  // namespace perf
