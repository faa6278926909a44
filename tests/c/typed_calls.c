/* SPDX-License-Identifier: BSD-3-Clause
 * accrue.h from C99: every family of typed calls, partial results, accumulation and forces, and what is said of mistakes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Of -1, 3, 2, where the type has a sign, and of 1, 3, 2 else. */
#define REAL_CALLS(name, type, total, fraction, first)                                                                    \
  static void calls_of_##name(const accrue_space *space) {                                                                \
    const type x[3] = {(type)(first), 3, 2};                                                                              \
    const type y[3] = {2, 1, 4};                                                                                          \
    const double f = first;                                                                                               \
    total t, sum_of_magnitudes;                                                                                           \
    fraction r;                                                                                                           \
    type v;                                                                                                               \
    accrue_position_##name p;                                                                                             \
    accrue_minmax_result_##name m;                                                                                        \
    accrue_argminmax_result_##name a;                                                                                     \
    accrue_scaled s;                                                                                                      \
    WORKS(accrue_sum_##name(space, x, 3, &t));                                                                            \
    CHECK((double)t == f + 5);                                                                                            \
    WORKS(accrue_sum_abs_##name(space, x, 3, &sum_of_magnitudes));                                                        \
    CHECK(sum_of_magnitudes == 6);                                                                                        \
    WORKS(accrue_sum_squares_##name(space, x, 3, &t));                                                                    \
    CHECK(t == 14);                                                                                                       \
    WORKS(accrue_dot_##name(space, x, y, 3, &t));                                                                         \
    CHECK((double)t == 2 * f + 11);                                                                                       \
    WORKS(accrue_norm2_##name(space, x, 3, &r));                                                                          \
    CHECK(r == (fraction)sqrt(14.0));                                                                                     \
    WORKS(accrue_mean_##name(space, x, 3, &r));                                                                           \
    CHECK(r == (fraction)((f + 5) / 3));                                                                                  \
    WORKS(accrue_product_##name(space, x, 3, &t));                                                                        \
    CHECK((double)t == 6 * f);                                                                                            \
    WORKS(accrue_scaled_product_##name(space, x, 3, &s));                                                                 \
    CHECK(s.significand == 1.5 * f && s.exponent == 2);                                                                   \
    WORKS(accrue_scaled_product_sum_##name(space, y, y, 3, &s));                                                          \
    CHECK(s.significand == 1 && s.exponent == 6);                                                                         \
    WORKS(accrue_min_##name(space, x, 3, &v));                                                                            \
    CHECK(v == (type)(first));                                                                                            \
    WORKS(accrue_max_##name(space, x, 3, &v));                                                                            \
    CHECK(v == 3);                                                                                                        \
    WORKS(accrue_min_number_##name(space, x, 3, &v));                                                                     \
    CHECK(v == (type)(first));                                                                                            \
    WORKS(accrue_argmin_##name(space, y, 3, &p));                                                                         \
    CHECK(p.value == 1 && p.index == 1);                                                                                  \
    WORKS(accrue_argmax_##name(space, y, 3, &p));                                                                         \
    CHECK(p.value == 4 && p.index == 2);                                                                                  \
    WORKS(accrue_minmax_##name(space, x, 3, &m));                                                                         \
    CHECK(m.min == (type)(first) && m.max == 3);                                                                          \
    WORKS(accrue_argminmax_##name(space, y, 3, &a));                                                                      \
    CHECK(a.min.index == 1 && a.max.index == 2 && a.max.value == 4);                                                      \
  }
REAL_CALLS(f64, double, double, double, -1)
REAL_CALLS(f32, float, float, float, -1)
REAL_CALLS(i8, int8_t, int64_t, double, -1)
REAL_CALLS(i16, int16_t, int64_t, double, -1)
REAL_CALLS(i32, int32_t, int64_t, double, -1)
REAL_CALLS(i64, int64_t, int64_t, double, -1)
REAL_CALLS(u8, uint8_t, uint64_t, double, 1)
REAL_CALLS(u16, uint16_t, uint64_t, double, 1)
REAL_CALLS(u32, uint32_t, uint64_t, double, 1)
REAL_CALLS(u64, uint64_t, uint64_t, double, 1)

static void other_types(const accrue_space *space) {
  const accrue_f16 h[3] = {0x3c00, 0x4200, 0xc000}; /* 1, 3, -2 */
  const accrue_bf16 b[3] = {0x3f80, 0x4040, 0xc000};
  float total;
  accrue_moments_result_f32 m;
  accrue_moments_result_f64 wide;
  accrue_position_f16 p;
  WORKS(accrue_sum_f16(space, h, 3, &total));
  CHECK(total == 2);
  WORKS(accrue_dot_bf16(space, b, b, 3, &total));
  CHECK(total == 14);
  WORKS(accrue_argmin_f16(space, h, 3, &p));
  CHECK(p.value == 0xc000 && p.index == 2);
  WORKS(accrue_moments_f16(space, h, 3, &m));
  CHECK(m.count == 3 && m.mean == 2.0f / 3);
  const int32_t i[4] = {1, 2, 3, 4};
  WORKS(accrue_moments_i32(space, i, 4, &wide));
  CHECK(wide.count == 4 && wide.mean == 2.5 && wide.population_variance == 1.25);
  uint32_t bits;
  const uint32_t u[2] = {12, 10};
  WORKS(accrue_bit_and_u32(space, u, 2, &bits));
  CHECK(bits == 8);
  WORKS(accrue_bit_or_u32(space, u, 2, &bits));
  CHECK(bits == 14);
  WORKS(accrue_bit_xor_u32(space, u, 2, &bits));
  CHECK(bits == 6);
  const double parts[4] = {1, 2, 3, -4}; /* 1 + 2i, 3 - 4i */
  const accrue_c128 *z = (const accrue_c128 *)parts;
  double result[2];
  WORKS(accrue_sum_c128(space, z, 2, (accrue_c128 *)result));
  CHECK(result[0] == 4 && result[1] == -2);
  WORKS(accrue_dot_c128(space, z, z, 2, (accrue_c128 *)result));
  CHECK(result[0] == -10 && result[1] == -20);
  WORKS(accrue_dot_conjugated_c128(space, z, z, 2, (accrue_c128 *)result));
  CHECK(result[0] == 30 && result[1] == 0);
  WORKS(accrue_norm_inf_c128(space, z, 2, result));
  CHECK(result[0] == 7);
  const double ill[3] = {1e100, 1, -1e100};
  double exact, fast, ordered;
  WORKS(accrue_sum_f64(space, ill, 3, &exact));
  WORKS(accrue_fast_sum_f64(space, ill, 3, &fast));
  WORKS(accrue_ordered_sum_f64(space, ill, 3, &ordered));
  CHECK(exact == 1);
  const double w[3] = {1, 1, 2};
  WORKS(accrue_weighted_mean_f64(space, w, w, 3, &exact));
  CHECK(exact == 1.5);
}

static void partials(const accrue_space *space) {
  double x[1000];
  for (int k = 0; k < 1000; ++k) x[k] = (k % 7 - 3) * pow(2, k % 90);
  double expected, total;
  WORKS(accrue_sum_f64(space, x, 1000, &expected));
  accrue_partial *p, *q, *r;
  WORKS(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &p));
  WORKS(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &q));
  const accrue_array left = accrue_vector(ACCRUE_F64, x, 400), right = accrue_vector(ACCRUE_F64, x + 400, 600);
  WORKS(accrue_partial_add(p, space, &left, NULL, NULL));
  WORKS(accrue_partial_add(q, space, &right, NULL, NULL));
  int64_t *words, *others;
  size_t count, bytes;
  WORKS(accrue_partial_byte_count(q, &bytes));
  unsigned char *buffer = malloc(bytes);
  WORKS(accrue_partial_to_bytes(q, buffer, bytes));
  CHECK(accrue_partial_to_bytes(q, buffer, bytes - 1) == ACCRUE_INVALID_ARGUMENT);
  WORKS(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &r));
  WORKS(accrue_partial_from_bytes(r, buffer, bytes));
  WORKS(accrue_partial_merge(r, p));
  WORKS(accrue_partial_finish(r, &total));
  CHECK(total == expected);
  WORKS(accrue_partial_words(p, &words, &count));
  WORKS(accrue_partial_words(q, &others, &count));
  for (size_t k = 0; k < count; ++k) words[k] += others[k];
  WORKS(accrue_partial_finish(p, &total));
  CHECK(total == expected);
  buffer[bytes / 2] ^= 1;
  CHECK(accrue_partial_from_bytes(r, buffer, bytes) == ACCRUE_BAD_INPUT);
  free(buffer);
  accrue_partial_destroy(r);
  WORKS(accrue_partial_create(ACCRUE_ARGMIN, ACCRUE_F64, NULL, &r));
  CHECK(accrue_partial_merge(r, p) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_partial_words(r, &words, &count) == ACCRUE_INVALID_ARGUMENT);
  accrue_position_f64 at, where;
  CHECK(accrue_partial_finish(r, &at) == ACCRUE_EMPTY_RANGE);
  WORKS(accrue_partial_add(r, space, &left, NULL, NULL));
  WORKS(accrue_partial_add(r, space, &right, NULL, NULL));
  WORKS(accrue_partial_finish(r, &at));
  WORKS(accrue_argmin_f64(space, x, 1000, &where));
  CHECK(at.value == where.value && at.index == where.index);
  accrue_partial_destroy(r);
  CHECK(accrue_partial_create(ACCRUE_PRODUCT, ACCRUE_F64, NULL, &r) == ACCRUE_INVALID_ARGUMENT && r == NULL);
  accrue_partial_destroy(r);
  accrue_partial_destroy(q);
  accrue_partial_destroy(p);
}

static void contribute(size_t i, accrue_adder *adder, void *context) {
  accrue_add(adder, i % 3, 0.1);
  accrue_add(adder, (i + 1) % 3, ((const double *)context)[i % 2]);
}

static void accumulation(const accrue_space *space) {
  double target[3] = {1, 0, -1};
  const double values[2] = {1e20, -1e20};
  WORKS(accrue_accumulate_f64(space, target, 3, 6000, contribute, (void *)values, ACCRUE_FIXED_POINT));
  double expected; /* 2000 times the double next to 0.1, and 1 */
  double tenths[2001];
  tenths[0] = 1;
  for (int k = 1; k <= 2000; ++k) tenths[k] = 0.1;
  WORKS(accrue_sum_f64(space, tenths, 2001, &expected));
  CHECK(target[0] == expected);
  const int64_t index[5] = {0, 2, 2, 1, 0};
  const int32_t ones[5] = {1, 1, 1, 1, 1};
  int32_t counts[3] = {0, 0, 0};
  WORKS(accrue_scatter_add(space, ACCRUE_I32, counts, 3, index, ones, 5, ACCRUE_AUTOMATIC));
  CHECK(counts[0] == 2 && counts[1] == 1 && counts[2] == 2);
  CHECK(accrue_scatter_add(space, ACCRUE_I32, counts, 2, index, ones, 5, ACCRUE_AUTOMATIC) == ACCRUE_OUT_OF_RANGE);
}

static void spring(double r_squared, double *energy, double *force_over_r, void *context) {
  const double k = *(const double *)context;
  *energy = 0.5 * k * r_squared;
  *force_over_r = -k;
}

static void pair_forces(const accrue_space *space) {
  const double box[3] = {10, 10, 10};
  const double x[9] = {1, 1, 1, 2, 1, 1, 1, 3, 1};
  double f[9];
  const double stiffness = 2;
  accrue_forces *forces;
  accrue_pair_result sums;
  WORKS(accrue_forces_create(box, 2.1, 0.3, ACCRUE_FIXED_POINT, spring, (void *)&stiffness, &forces));
  WORKS(accrue_forces_compute(forces, space, x, 3, f, &sums));
  CHECK(sums.energy == 5 && f[0] == 2 && f[1] == 4 && f[3] == -2 && f[7] == -4); /* pairs 1 and 2 apart */
  CHECK(sums.virial[0] == -2 && sums.virial[1] == -8);
  WORKS(accrue_forces_set_largest(forces, 0.5)); /* its power of two is 1 */
  CHECK(accrue_forces_compute(forces, space, x, 3, f, &sums) == ACCRUE_OUT_OF_RANGE);
  WORKS(accrue_forces_set_largest(forces, 0));
  WORKS(accrue_forces_compute(forces, space, x, 3, f, &sums));
  CHECK(accrue_forces_set_largest(NULL, 1) == ACCRUE_INVALID_ARGUMENT);
  accrue_forces_destroy(forces);
  WORKS(accrue_forces_create_lennard_jones(box, 2.5, 0.3, ACCRUE_GATHER, 1, 1, &forces));
  WORKS(accrue_forces_compute(forces, space, x, 2, f, &sums));
  CHECK(sums.energy == 0 && f[0] == -24);
  accrue_forces_destroy(forces);
  CHECK(accrue_forces_create(box, -1, 0.3, ACCRUE_AUTOMATIC, spring, NULL, &forces) == ACCRUE_INVALID_ARGUMENT && forces == NULL);
}

static void mistakes(const accrue_space *space) {
  double r;
  const double x[2] = {1, 2};
  accrue_space *none;
  CHECK(accrue_space_create("abacus", &none) == ACCRUE_INVALID_ARGUMENT && none == NULL);
  CHECK(strstr(accrue_last_error(), "abacus") != NULL && strstr(accrue_last_error(), "serial") != NULL);
  CHECK(accrue_space_create_threads("serial", 3, &none) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_sum_f64(NULL, x, 2, &r) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_sum_f64(space, NULL, 2, &r) == ACCRUE_NULL_DATA);
  CHECK(accrue_sum_f64(space, x, 2, NULL) == ACCRUE_INVALID_ARGUMENT);
  WORKS(accrue_sum_f64(space, NULL, 0, &r));
  CHECK(r == 0 && !signbit(r));
  CHECK(accrue_mean_f64(space, x, 0, &r) == ACCRUE_EMPTY_RANGE);
  CHECK(accrue_sum_f64(space, x, SIZE_MAX, &r) != ACCRUE_OK);
  const uint64_t large[2] = {UINT64_MAX, 1};
  uint64_t total;
  CHECK(accrue_sum_u64(space, large, 2, &total) == ACCRUE_INTEGER_OVERFLOW);
  accrue_array a = accrue_vector(ACCRUE_F64, x, 2);
  CHECK(accrue_reduce(space, (accrue_operation)99, &a, NULL, NULL, &r) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_reduce(space, ACCRUE_DOT, &a, NULL, NULL, &r) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_reduce(space, ACCRUE_SUM, &a, &a, NULL, &r) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_reduce(space, ACCRUE_BIT_AND, &a, NULL, NULL, &r) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_reduce_along(space, ACCRUE_SUM, &a, NULL, 1, NULL, &r) == ACCRUE_INVALID_ARGUMENT);
  const accrue_array one = accrue_vector(ACCRUE_F64, x, 1);
  CHECK(accrue_reduce(space, ACCRUE_DOT, &a, &one, NULL, &r) == ACCRUE_SIZE_MISMATCH);
  a.extents[0] = -1;
  CHECK(accrue_reduce(space, ACCRUE_SUM, &a, NULL, NULL, &r) == ACCRUE_INVALID_ARGUMENT);
}

int main(void) {
  const char *names[] = {"serial", NULL, "openmp"};
  for (int k = 0; k < 3; ++k) {
    accrue_space *space;
    const accrue_status status = accrue_space_create(names[k], &space);
    if (k == 2 && status == ACCRUE_INVALID_ARGUMENT) continue; /* a library without it */
    if (status != ACCRUE_OK) {
      fprintf(stderr, "%s\n", accrue_last_error());
      return 1;
    }
    calls_of_f64(space);
    calls_of_f32(space);
    calls_of_i8(space);
    calls_of_i16(space);
    calls_of_i32(space);
    calls_of_i64(space);
    calls_of_u8(space);
    calls_of_u16(space);
    calls_of_u32(space);
    calls_of_u64(space);
    other_types(space);
    partials(space);
    accumulation(space);
    pair_forces(space);
    mistakes(space);
    accrue_space_destroy(space);
  }
  accrue_space_destroy(NULL);
  if (failures == 0) printf("accrue %s: all calls from C work\n", accrue_version());
  return failures != 0;
}
