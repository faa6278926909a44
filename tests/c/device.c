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

  /* Half of it here, half there. */
  accrue_partial *part = NULL;
  WORKS(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &part));
  const accrue_array first = accrue_vector(ACCRUE_F64, dx, n / 2), second = accrue_vector(ACCRUE_F64, x + n / 2, n - n / 2);
  WORKS(accrue_partial_add(part, device, &first, NULL, NULL));
  WORKS(accrue_partial_add(part, host, &second, NULL, NULL));
  WORKS(accrue_partial_finish(part, &a));
  WORKS(accrue_sum_f64(host, x, n, &b));
  SAME(a, b);
  accrue_partial_destroy(part);

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
