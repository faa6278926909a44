/* SPDX-License-Identifier: BSD-3-Clause
 * Correctly rounded reductions by MPFR, for the Fortran tests: of n doubles, to `bits` of a significand. Terms are below 2^600 and multiples of
 * 2^-600, so that 4096 bits hold every sum and product. */
#include <mpfr.h>

enum { exact_bits = 4096 };

static double rounded(mpfr_t value, int bits) {
  mpfr_t narrow;
  mpfr_init2(narrow, bits);
  mpfr_set(narrow, value, MPFR_RNDN);
  const double result = mpfr_get_d(narrow, MPFR_RNDN);
  mpfr_clear(narrow);
  return result;
}
/* sum of x_i, of |x_i|, or of x_i y_i where y is not NULL */
static void add_all(mpfr_t sum, const double *x, const double *y, int n, int absolute) {
  mpfr_t term;
  mpfr_init2(term, exact_bits);
  mpfr_set_zero(sum, 1);
  for (int i = 0; i < n; ++i) {
    mpfr_set_d(term, x[i], MPFR_RNDN);
    if (y != NULL) mpfr_mul_d(term, term, y[i], MPFR_RNDN);
    if (absolute) mpfr_abs(term, term, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_clear(term);
}

double oracle_sum(const double *x, int n, int absolute, int bits) {
  mpfr_t sum;
  mpfr_init2(sum, exact_bits);
  add_all(sum, x, NULL, n, absolute);
  const double result = rounded(sum, bits);
  mpfr_clear(sum);
  return result;
}
double oracle_mean(const double *x, int n, int bits) {
  mpfr_t sum;
  mpfr_init2(sum, exact_bits);
  add_all(sum, x, NULL, n, 0);
  mpfr_div_si(sum, sum, n, MPFR_RNDN);
  const double result = rounded(sum, bits);
  mpfr_clear(sum);
  return result;
}
/* sum of x_i y_i, or its square root */
double oracle_dot(const double *x, const double *y, int n, int root, int bits) {
  mpfr_t sum;
  mpfr_init2(sum, exact_bits);
  add_all(sum, x, y, n, 0);
  if (root) mpfr_sqrt(sum, sum, MPFR_RNDN);
  const double result = rounded(sum, bits);
  mpfr_clear(sum);
  return result;
}
/* (sum of x_i^2 - (sum of x_i)^2 / n) / (n - 1) */
double oracle_variance(const double *x, int n, int bits) {
  mpfr_t squares, sum;
  mpfr_inits2(exact_bits, squares, sum, (mpfr_ptr)0);
  add_all(squares, x, x, n, 0);
  add_all(sum, x, NULL, n, 0);
  mpfr_sqr(sum, sum, MPFR_RNDN);
  mpfr_div_si(sum, sum, n, MPFR_RNDN);
  mpfr_sub(squares, squares, sum, MPFR_RNDN);
  mpfr_div_si(squares, squares, n - 1, MPFR_RNDN);
  const double result = rounded(squares, bits);
  mpfr_clears(squares, sum, (mpfr_ptr)0);
  return result;
}
