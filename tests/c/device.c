/* SPDX-License-Identifier: BSD-3-Clause
 * accrue.h on a device: its memory, a stream of the caller's, results there, and the bits of the host's.
 * Ends with 4 where there is none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define SAME(a, b) CHECK(memcmp(&(a), &(b), sizeof(a)) == 0)

enum { rows = 211, columns = 489, n = rows * columns };

/* Of both signs, over some thirty binades. */
static void fill(double *x, uint64_t seed) {
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(int64_t)(seed | 1) / (double)((uint64_t)1 << (30 + (seed >> 59)));
  }
}
static void *on_device(const accrue_space *device, const void *from, size_t bytes) {
  void *memory = NULL;
  WORKS(accrue_allocate(device, bytes, &memory));
  if (from != NULL) WORKS(accrue_copy(device, memory, from, bytes));
  return memory;
}
static void from_device(const accrue_space *device, void *to, const void *from, size_t bytes) {
  WORKS(accrue_copy(device, to, from, bytes));
  WORKS(accrue_synchronize(device));
}

int main(void) {
  accrue_space *device = NULL, *host = NULL;
  void *first_memory = NULL;
  WORKS(accrue_space_create_on_stream(ACCRUE_TEST_SPACE, NULL, &device));
  if (accrue_allocate(device, 1, &first_memory) == ACCRUE_NO_DEVICE) {
    printf("%s\n", accrue_last_error());
    return 4;
  }
  WORKS(accrue_deallocate(device, first_memory));
  WORKS(accrue_space_create("serial", &host));
  double *const x = malloc(n * sizeof(double)), *const y = malloc(n * sizeof(double));
  fill(x, 1);
  fill(y, 2);
  double *const dx = on_device(device, x, n * sizeof(double)), *const dy = on_device(device, y, n * sizeof(double));

  double a, b;
  WORKS(accrue_sum_f64(device, dx, n, &a));
  WORKS(accrue_sum_f64(host, x, n, &b));
  SAME(a, b);
  WORKS(accrue_dot_f64(device, dx, dy, n, &a));
  WORKS(accrue_dot_f64(host, x, y, n, &b));
  SAME(a, b);
  WORKS(accrue_ordered_sum_f64(device, dx, n, &a));
  WORKS(accrue_ordered_sum_f64(host, x, n, &b));
  SAME(a, b);
  accrue_position_f64 p, q;
  WORKS(accrue_argmin_f64(device, dx, n, &p));
  WORKS(accrue_argmin_f64(host, x, n, &q));
  SAME(p, q);
  accrue_moments_result_f64 m, k;
  WORKS(accrue_moments_f64(device, dx, n, &m));
  WORKS(accrue_moments_f64(host, x, n, &k));
  SAME(m, k);

  /* Results on the device, every third element, lines. */
  double *const result = on_device(device, NULL, columns * sizeof(double));
  const accrue_array of_dx = accrue_strided_vector(ACCRUE_F64, dx, n / 3, 3), of_dy = accrue_strided_vector(ACCRUE_F64, dy, n / 3, 3);
  const accrue_array of_x = accrue_strided_vector(ACCRUE_F64, x, n / 3, 3), of_y = accrue_strided_vector(ACCRUE_F64, y, n / 3, 3);
  WORKS(accrue_reduce_into(device, ACCRUE_DOT, &of_dx, &of_dy, NULL, result));
  from_device(device, &a, result, sizeof(a));
  WORKS(accrue_reduce(host, ACCRUE_DOT, &of_x, &of_y, NULL, &b));
  SAME(a, b);
  const accrue_array device_matrix = accrue_matrix(ACCRUE_F64, dx, rows, columns, columns);
  const accrue_array host_matrix = accrue_matrix(ACCRUE_F64, x, rows, columns, columns);
  for (int dimension = 0; dimension < 2; ++dimension) {
    double got[columns], wanted[columns];
    const size_t bytes = (dimension == 0 ? columns : rows) * sizeof(double);
    WORKS(accrue_reduce_along(device, ACCRUE_SUM, &device_matrix, NULL, dimension, NULL, result));
    from_device(device, got, result, bytes);
    WORKS(accrue_reduce_along(host, ACCRUE_SUM, &host_matrix, NULL, dimension, NULL, wanted));
    CHECK(memcmp(got, wanted, bytes) == 0);
  }

  /* Masks, of all and of lines; one of another type is refused. */
  unsigned char *const flags = malloc(n);
  for (size_t i = 0; i < n; ++i) flags[i] = i % 5 < 2 ? 3 : 0;
  unsigned char *const device_flags = on_device(device, flags, n);
  const accrue_array all_x = accrue_vector(ACCRUE_F64, x, n), all_dx = accrue_vector(ACCRUE_F64, dx, n);
  const accrue_array mask = accrue_vector(ACCRUE_U8, flags, n), device_mask = accrue_vector(ACCRUE_U8, device_flags, n);
  const accrue_options under = {.mask = &mask}, under_there = {.mask = &device_mask};
  WORKS(accrue_reduce(device, ACCRUE_MEAN, &all_dx, NULL, &under_there, &a));
  WORKS(accrue_reduce(host, ACCRUE_MEAN, &all_x, NULL, &under, &b));
  SAME(a, b);
  const accrue_array lines = accrue_matrix(ACCRUE_U8, flags, rows, columns, columns);
  const accrue_array device_lines = accrue_matrix(ACCRUE_U8, device_flags, rows, columns, columns);
  const accrue_options by_line = {.mask = &lines}, by_line_there = {.mask = &device_lines};
  double got_masked[rows], wanted_masked[rows];
  double *const masked_result = on_device(device, NULL, sizeof(got_masked));
  WORKS(accrue_reduce_along(device, ACCRUE_SUM, &device_matrix, NULL, 1, &by_line_there, masked_result));
  from_device(device, got_masked, masked_result, sizeof(got_masked));
  WORKS(accrue_reduce_along(host, ACCRUE_SUM, &host_matrix, NULL, 1, &by_line, wanted_masked));
  CHECK(memcmp(got_masked, wanted_masked, sizeof(got_masked)) == 0);
  const accrue_array wide = accrue_vector(ACCRUE_I64, device_flags, n / 8), some_dx = accrue_vector(ACCRUE_F64, dx, n / 8);
  const accrue_options under_wide = {.mask = &wide};
  CHECK(accrue_reduce(device, ACCRUE_SUM, &some_dx, NULL, &under_wide, &a) == ACCRUE_INVALID_ARGUMENT);
  WORKS(accrue_deallocate(device, masked_result));

  /* Half of it here, half there. */
  accrue_partial *part = NULL, *other = NULL;
  WORKS(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &part));
  WORKS(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &other));
  const accrue_array first = accrue_vector(ACCRUE_F64, dx, n / 2), second = accrue_vector(ACCRUE_F64, x + n / 2, n - n / 2);
  WORKS(accrue_partial_add(part, device, &first, NULL, NULL));
  WORKS(accrue_partial_add(part, host, &second, NULL, NULL));
  WORKS(accrue_partial_finish(part, &a));
  WORKS(accrue_sum_f64(host, x, n, &b));
  SAME(a, b);
  WORKS(accrue_partial_add(part, device, &all_dx, NULL, &under_there));
  WORKS(accrue_partial_add(other, host, &all_x, NULL, NULL));
  WORKS(accrue_partial_add(other, host, &all_x, NULL, &under));
  WORKS(accrue_partial_finish(part, &a));
  WORKS(accrue_partial_finish(other, &b));
  SAME(a, b);
  accrue_partial_destroy(other);
  accrue_partial_destroy(part);
  WORKS(accrue_deallocate(device, device_flags));
  free(flags);

  CHECK(accrue_sum_f64(device, x, n, &a) == ACCRUE_WRONG_SPACE);
  CHECK(accrue_last_error()[0] != 0);
  WORKS(accrue_deallocate(device, result));
  WORKS(accrue_deallocate(device, dy));
  WORKS(accrue_deallocate(device, dx));
  accrue_space_destroy(device);
  accrue_space_destroy(host);
  free(y);
  free(x);
  printf("%s: %d failures\n", ACCRUE_TEST_SPACE, failures);
  return failures == 0 ? 0 : 1;
}
