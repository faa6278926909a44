// SPDX-License-Identifier: BSD-3-Clause
// The independent oracle: sums in MPFR numbers wide enough to be exact, rounded once by MPFR.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "accrue/element.hpp"

namespace test {

/// An exact sum of doubles and of products of two doubles: 4400 bits hold every bit of any of them.
class oracle {
 public:
  explicit oracle(mpfr_prec_t bits = 4400) {
    mpfr_init2(sum_, bits);
    mpfr_set_zero(sum_, 1);
    mpfr_init2(term_, 53);
    mpfr_init2(product_, 128);
  }
  oracle(const oracle&) = delete;
  oracle& operator=(const oracle&) = delete;
  ~oracle() {
    mpfr_clear(sum_);
    mpfr_clear(term_);
    mpfr_clear(product_);
  }

  void add(double x) { add_product(x, 1.0); }
  void add_product(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      const double p = x * y;
      if (std::isnan(p)) {
        ++nans_;
      } else {
        ++(p > 0 ? positive_ : negative_);
      }
      return;
    }
    mpfr_set_d(term_, x, MPFR_RNDN);
    mpfr_mul_d(product_, term_, y, MPFR_RNDN);
    if (mpfr_add(sum_, sum_, product_, MPFR_RNDN) != 0) inexact_ = true;
  }

  template <class R>
  R round() const {
    return special() ? static_cast<R>(special_value()) : to<R>(sum_);
  }
  template <class R>
  R root() const {
    if (special()) return static_cast<R>(special_value() < 0 ? std::numeric_limits<double>::quiet_NaN() : special_value());
    number r(9000);
    mpfr_sqrt(r.value, sum_, MPFR_RNDN);
    return to<R>(r.value);
  }
  template <class R>
  R quotient(std::uint64_t n) const {
    if (special()) return static_cast<R>(special_value());
    number r(9000);
    mpfr_div_ui(r.value, sum_, n, MPFR_RNDN);
    return to<R>(r.value);
  }
  /// this / other, with IEEE 754's results for zero, infinities and NaN; an exact zero is +0.
  template <class R>
  R ratio(const oracle& other) const {
    const auto plain = [](const oracle& o) { return o.special() ? o.special_value() : mpfr_zero_p(o.sum_) ? 0.0 : mpfr_sgn(o.sum_) * 1.0; };
    if (special() || other.special() || mpfr_zero_p(other.sum_)) {
      const double r = plain(*this) / plain(other);
      return static_cast<R>(std::isnan(r) ? std::numeric_limits<double>::quiet_NaN() : r);
    }
    number r(9000);
    mpfr_div(r.value, sum_, other.sum_, MPFR_RNDN);
    return to<R>(r.value);
  }
  /// (n * this - other^2) / (n * m), and its square root, where `this` holds the squares and `other` the sum.
  template <class R>
  R variance(const oracle& other, std::uint64_t n, std::uint64_t m, bool root) const {
    if (special() || other.special() || m == 0) return std::numeric_limits<R>::quiet_NaN();
    number r(9500);
    number s(9500);
    mpfr_mul_ui(r.value, sum_, n, MPFR_RNDN);
    mpfr_sqr(s.value, other.sum_, MPFR_RNDN);
    mpfr_sub(r.value, r.value, s.value, MPFR_RNDN);
    mpfr_div_ui(r.value, r.value, n, MPFR_RNDN);
    mpfr_div_ui(r.value, r.value, m, MPFR_RNDN);
    if (root) mpfr_sqrt(r.value, r.value, MPFR_RNDN);
    return to<R>(r.value);
  }
  /// True as long as no addition here had to round: the oracle's own precondition.
  bool exact() const { return !inexact_; }

 private:
  struct number {
    explicit number(mpfr_prec_t bits) { mpfr_init2(value, bits); }
    number(const number&) = delete;
    number& operator=(const number&) = delete;
    ~number() { mpfr_clear(value); }
    mpfr_t value;
  };
  bool special() const { return nans_ + positive_ + negative_ != 0; }
  double special_value() const {
    if (nans_ != 0 || (positive_ != 0 && negative_ != 0)) return std::numeric_limits<double>::quiet_NaN();
    return positive_ != 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  template <class R>
  static R to(const mpfr_t x) {
    if (mpfr_zero_p(x)) return R(0);
    if constexpr (sizeof(R) == 8) {
      return mpfr_get_d(x, MPFR_RNDN);
    } else {
      return mpfr_get_flt(x, MPFR_RNDN);
    }
  }

  mpfr_t sum_;
  mpfr_t term_;
  mpfr_t product_;
  int nans_ = 0;
  int positive_ = 0;
  int negative_ = 0;
  bool inexact_ = false;
};

/// A test element as the double it is.
template <class T>
double as_double(T x) {
  if constexpr (accrue::small_float<T>) {
    return static_cast<float>(x);
  } else {
    return static_cast<double>(x);
  }
}

}  // namespace test
