/* SPDX-License-Identifier: BSD-3-Clause
 * The code that docs/c.md shows, compiled and run. */
#include <accrue/accrue.h>
#include <stdio.h>
#undef NDEBUG
#include <assert.h>

/* ! [body] */
static void contribute(size_t i, accrue_adder *adder, void *context) {
  const double *charge = context;
  accrue_add(adder, i % 3, charge[i]);
}
/* ! [body] */

int main(void) {
  const double x[6] = {3, -1, 2, 5, -4, 0.5}, y[6] = {1, 2, 3, 4, 5, 6};
  const size_t n = 6;
  const unsigned char ocean[6] = {1, 1, 0, 0, 1, 1};
  double target[3] = {0, 0, 0};
  /* ! [first] */
  accrue_space *space;
  if (accrue_space_create("openmp", &space) != ACCRUE_OK) {
    fprintf(stderr, "%s\n", accrue_last_error());
    return 1;
  }
  double total, e;
  accrue_position_f64 least;
  accrue_sum_f64(space, x, n, &total);
  accrue_dot_f64(space, x, y, n, &e);
  accrue_argmin_f64(space, x, n, &least); /* least.value, least.index */
  /* ! [first] */
  assert(total == 5.5 && e == 10 && least.index == 4);
  double mean, rows[2];
  /* ! [arrays] */
  accrue_array matrix = accrue_matrix(ACCRUE_F64, x, 2, 3, 3);
  accrue_array mask = accrue_matrix(ACCRUE_U8, ocean, 2, 3, 3);
  accrue_options where_ocean = {.mask = &mask};
  accrue_reduce(space, ACCRUE_MEAN, &matrix, NULL, &where_ocean, &mean);
  accrue_reduce_along(space, ACCRUE_SUM, &matrix, NULL, 1, NULL, rows); /* one sum for each row */
  accrue_array odd = accrue_strided_vector(ACCRUE_F64, x, 3, 2);        /* x[0], x[2], x[4] */
  accrue_reduce(space, ACCRUE_SUM, &odd, NULL, NULL, &total);
  /* ! [arrays] */
  assert(mean == -0.375 && rows[0] == 4 && rows[1] == 1.5 && total == 1);
  /* ! [partials] */
  accrue_partial *sum;
  accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &sum);
  accrue_partial_add(sum, space, &matrix, NULL, NULL);
  int64_t *words;
  size_t count;
  accrue_partial_words(sum, &words, &count); /* MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_INT64_T, MPI_SUM, comm) */
  accrue_partial_finish(sum, &total);
  accrue_partial_destroy(sum);
  /* ! [partials] */
  assert(total == 5.5);
  /* ! [accumulate] */
  accrue_accumulate_f64(space, target, 3, n, contribute, (void *)y, ACCRUE_FIXED_POINT);
  /* ! [accumulate] */
  assert(target[0] == 5 && target[1] == 7 && target[2] == 9);
  accrue_space_destroy(space);
  return 0;
}
