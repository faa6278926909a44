// SPDX-License-Identifier: BSD-3-Clause
// Scalar arithmetic that must round as written.
#include "accrue/detail/kernels.hpp"

#include <cmath>

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

namespace accrue::kernels {

extern const double unseen_one;  // target-inl.hpp
const double unseen_one = 1;

scaled to_scaled(double x) {
  if (x == 0 || !std::isfinite(x)) return {x, 0};
  int exponent = 0;
  const double significand = std::frexp(x, &exponent);
  return {2 * significand, exponent - 1};
}

scaled multiply(scaled a, scaled b) {
  scaled p = to_scaled(a.significand * b.significand);
  if (p.significand != 0 && std::isfinite(p.significand)) p.exponent += a.exponent + b.exponent;
  return p;
}

scaled scaled_sum(double x, double y) {
  // Halving is exact for normal values, so the sum of two large halves cannot overflow; small sums are exact as they are.
  const bool large = std::fabs(x) > 1 || std::fabs(y) > 1;
  scaled s = large ? to_scaled(x / 2 + y / 2) : to_scaled(x + y);
  if (large && s.significand != 0 && std::isfinite(s.significand)) ++s.exponent;
  return s;
}

float add(float a, float b) { return a + b; }
double add(double a, double b) { return a + b; }
float multiply(float a, float b) { return a * b; }
double multiply(double a, double b) { return a * b; }
float divide(float a, float b) { return a / b; }
double divide(double a, double b) { return a / b; }
float square_root(float x) { return std::sqrt(x); }
double square_root(double x) { return std::sqrt(x); }
float narrow(double x) { return static_cast<float>(x); }

float manhattan(std::complex<float> z) { return std::fabs(z.real()) + std::fabs(z.imag()); }
double manhattan(std::complex<double> z) { return std::fabs(z.real()) + std::fabs(z.imag()); }

}  // namespace accrue::kernels
