/* SPDX-License-Identifier: BSD-3-Clause
 * accrue.h over ranks: the results of one process that has all elements, on every rank; and mistakes of one of them. */
#include <accrue/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../c/check.h"

enum { elements = 9001, levels = 7, columns = 60 };

/* Of any size and sign, the same on every rank. */
static double value(int i) { return ldexp((double)((i * 2654435761u) % 1000003u) - 500001.0, (int)((unsigned)i * 40503u % 61u) - 30); }

static int first_of(int n, int rank, int size) { return rank == size ? n : n / size * rank + (rank % 2 != 0 ? n / (3 * size) : 0); }

int main(int argc, char **argv) {
  accrue_space *here, *ranks;
  accrue_partial *partial;
  double *x, mine, all, sums[levels], expected[levels], total;
  accrue_position_f64 place, place_of_all;
  accrue_moments_result_f64 m, m_of_all;
  int rank, size, first, end, i, k;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  x = malloc(elements * sizeof(double));
  for (i = 0; i < elements; ++i) x[i] = value(i);
  first = first_of(elements, rank, size);
  end = first_of(elements, rank + 1, size);

  CHECK(accrue_space_create("serial", &here) == ACCRUE_OK);
  CHECK(accrue_space_create_over_ranks(MPI_COMM_WORLD, rank % 2 != 0 ? "serial" : NULL, 0, &ranks) == ACCRUE_OK);
  CHECK(accrue_space_ranks(ranks) == size && accrue_space_ranks(here) == 1);

  CHECK(accrue_sum_f64(here, x, elements, &all) == ACCRUE_OK);
  CHECK(accrue_sum_f64(ranks, x + first, (size_t)(end - first), &mine) == ACCRUE_OK);
  CHECK(memcmp(&mine, &all, sizeof(all)) == 0);
  CHECK(accrue_fast_sum_f64(ranks, x + first, (size_t)(end - first), &mine) == ACCRUE_OK); /* exact over ranks */
  CHECK(memcmp(&mine, &all, sizeof(all)) == 0);
  if (size > 1) CHECK((rank == 0 ? accrue_sum_f64 : accrue_fast_sum_f64)(ranks, x, 5, &mine) == ACCRUE_OK);
  CHECK(accrue_norm2_f64(here, x, elements, &all) == ACCRUE_OK);
  CHECK(accrue_norm2_f64(ranks, x + first, (size_t)(end - first), &mine) == ACCRUE_OK);
  CHECK(memcmp(&mine, &all, sizeof(all)) == 0);
  CHECK(accrue_dot_f64(here, x, x, elements, &all) == ACCRUE_OK);
  CHECK(accrue_dot_f64(ranks, x + first, x + first, (size_t)(end - first), &mine) == ACCRUE_OK);
  CHECK(memcmp(&mine, &all, sizeof(all)) == 0);
  CHECK(accrue_argmax_f64(here, x, elements, &place_of_all) == ACCRUE_OK);
  CHECK(accrue_argmax_f64(ranks, x + first, (size_t)(end - first), &place) == ACCRUE_OK);
  CHECK(place.index == place_of_all.index && place.value == place_of_all.value);
  CHECK(accrue_moments_f64(here, x, elements, &m_of_all) == ACCRUE_OK);
  CHECK(accrue_moments_f64(ranks, x + first, (size_t)(end - first), &m) == ACCRUE_OK);
  CHECK(m.count == m_of_all.count && m.variance == m_of_all.variance);

  /* A field of levels, whose columns the ranks share: by slices, and by lines, with extrema, which do not add. */
  {
    const accrue_array field = accrue_matrix(ACCRUE_F64, x, levels, columns, columns);
    const int from = first_of(columns, rank, size);
    const accrue_array part = accrue_matrix(ACCRUE_F64, x + from, levels, first_of(columns, rank + 1, size) - from, columns);
    CHECK(accrue_reduce_along(here, ACCRUE_SUM, &field, NULL, 1, NULL, expected) == ACCRUE_OK);
    CHECK(accrue_reduce_slices(here, ACCRUE_SUM, &field, NULL, 0, NULL, sums) == ACCRUE_OK);
    CHECK(memcmp(sums, expected, sizeof(sums)) == 0);
    CHECK(accrue_reduce_slices(ranks, ACCRUE_SUM, &part, NULL, 0, NULL, sums) == ACCRUE_OK);
    CHECK(memcmp(sums, expected, sizeof(sums)) == 0);
    memset(sums, 0, sizeof(sums));
    CHECK(accrue_sum_slices_and_total(ranks, &part, 0, sums, &total) == ACCRUE_OK);
    CHECK(memcmp(sums, expected, sizeof(sums)) == 0);
    CHECK(accrue_sum_f64(here, x, levels * columns, &all) == ACCRUE_OK);
    CHECK(memcmp(&total, &all, sizeof(all)) == 0);
    CHECK(accrue_reduce_along(here, ACCRUE_MIN, &field, NULL, 1, NULL, expected) == ACCRUE_OK);
    for (k = 0; k < 3; ++k) {
      const accrue_status status = accrue_reduce_along(ranks, ACCRUE_MIN, &part, NULL, 1, NULL, sums);
      CHECK(status == ACCRUE_OK && memcmp(sums, expected, sizeof(sums)) == 0);
    }
  }

  /* Floats, with results in double. */
  {
    static float f[elements];
    const accrue_options wide = {.wide_result = 1};
    const accrue_operation operations[] = {ACCRUE_SUM, ACCRUE_MEAN, ACCRUE_NORM2};
    const accrue_array whole = accrue_vector(ACCRUE_F32, f, elements), part = accrue_vector(ACCRUE_F32, f + first, end - first);
    for (k = 0; k < elements; ++k) f[k] = (float)(x[k] / 3);
    for (k = 0; k < 3; ++k) {
      CHECK(accrue_reduce(ranks, operations[k], &part, NULL, &wide, &mine) == ACCRUE_OK);
      CHECK(accrue_reduce(here, operations[k], &whole, NULL, &wide, &all) == ACCRUE_OK);
      CHECK(memcmp(&mine, &all, sizeof(all)) == 0 && mine != (double)(float)mine);
    }
  }

  /* What docs/ranks.md shows. */
  {
    const double *const mine_of_x = x + first;
    const size_t n = (size_t)(end - first);
    /* ! [ranks] */
    accrue_space *all_ranks;
    accrue_space_create_over_ranks(MPI_COMM_WORLD, "openmp", 4, &all_ranks); /* accrue/mpi.h; the space on this rank and its threads */
    double sum_of_all;
    accrue_sum_f64(all_ranks, mine_of_x, n, &sum_of_all); /* of all ranks' elements, the same bits on every rank */
    /* ! [ranks] */
    accrue_space_destroy(all_ranks);
    CHECK(accrue_sum_f64(here, x, elements, &all) == ACCRUE_OK);
    CHECK(memcmp(&sum_of_all, &all, sizeof(all)) == 0);
  }

  /* Partial results of each rank, joined in one call: sums, which add, and positions, moved by the caller. */
  {
    accrue_partial *parts[3], *places[1];
    const accrue_array v = accrue_vector(ACCRUE_F64, x + first, end - first);
    for (k = 0; k < 3; ++k) {
      const accrue_array tail = accrue_vector(ACCRUE_F64, x + first, k == 0 ? end - first : k == 1 ? 0 : rank == 0);
      CHECK(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &parts[k]) == ACCRUE_OK);
      CHECK(accrue_partial_add(parts[k], here, &tail, NULL, NULL) == ACCRUE_OK);
    }
    CHECK(accrue_partial_join(here, parts, 3) == ACCRUE_OK);
    CHECK(accrue_partial_join(ranks, parts, 3) == ACCRUE_OK);
    CHECK(accrue_sum_f64(here, x, elements, &all) == ACCRUE_OK);
    CHECK(accrue_partial_finish(parts[0], &mine) == ACCRUE_OK && memcmp(&mine, &all, sizeof(all)) == 0);
    CHECK(accrue_partial_finish(parts[1], &mine) == ACCRUE_OK && mine == 0);
    CHECK(accrue_partial_finish(parts[2], &mine) == ACCRUE_OK && mine == x[0]);
    CHECK(accrue_partial_create(ACCRUE_ARGMAX, ACCRUE_F64, NULL, &places[0]) == ACCRUE_OK);
    CHECK(accrue_partial_add(places[0], here, &v, NULL, NULL) == ACCRUE_OK);
    CHECK(accrue_partial_move_positions(places[0], (size_t)first) == ACCRUE_OK);
    CHECK(accrue_partial_join(ranks, places, 1) == ACCRUE_OK);
    CHECK(accrue_argmax_f64(here, x, elements, &place_of_all) == ACCRUE_OK);
    CHECK(accrue_partial_finish(places[0], &place) == ACCRUE_OK && place.index == place_of_all.index && place.value == place_of_all.value);
    CHECK(accrue_partial_join(ranks, NULL, 0) == ACCRUE_OK);
    CHECK(accrue_partial_join(ranks, rank == 0 ? NULL : parts, 3) == ACCRUE_INVALID_ARGUMENT);
    if (size > 1) CHECK(accrue_partial_join(ranks, rank == 0 ? places : parts, 1) == ACCRUE_SIZE_MISMATCH);
    if (size > 1) CHECK(accrue_partial_join(ranks, parts, rank == 0 ? 1 : 2) == ACCRUE_SIZE_MISMATCH);
    for (k = 0; k < 3; ++k) accrue_partial_destroy(parts[k]);
    accrue_partial_destroy(places[0]);
  }

  /* What is wrong on one rank, all are told; and what ranks do not have. */
  CHECK(accrue_sum_f64(ranks, rank == size - 1 ? NULL : x, 5, &mine) == ACCRUE_NULL_DATA);
  CHECK(accrue_sum_f64(ranks, x, rank == size - 1 ? (size_t)-1 : 5, &mine) == ACCRUE_INVALID_ARGUMENT);
  CHECK(accrue_ordered_sum_f64(ranks, x, 5, &mine) == ACCRUE_INVALID_ARGUMENT);
  {
    accrue_space *none = ranks;
    const accrue_array part = accrue_matrix(ACCRUE_F64, x, 2, 3, 3);
    CHECK(accrue_space_create_over_ranks(MPI_COMM_WORLD, rank == size - 1 ? "abacus" : NULL, 0, &none) == ACCRUE_INVALID_ARGUMENT);
    CHECK(none == NULL);
    CHECK(accrue_space_create_over_ranks(MPI_COMM_WORLD, NULL, rank == size - 1 ? -1 : 0, &none) == ACCRUE_INVALID_ARGUMENT);
    CHECK(accrue_reduce_along(ranks, ACCRUE_SUM, &part, NULL, rank == size - 1 ? 2 : 1, NULL, sums) == ACCRUE_INVALID_ARGUMENT);
  }
  CHECK(accrue_min_f64(ranks, x, 0, &mine) == ACCRUE_EMPTY_RANGE);
  if (size > 1) {
    CHECK((rank == 0 ? accrue_sum_f64(ranks, x, 5, &mine) : accrue_norm2_f64(ranks, x, 5, &mine)) == ACCRUE_SIZE_MISMATCH);
  }
  CHECK(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &partial) == ACCRUE_OK);
  {
    const accrue_array v = accrue_vector(ACCRUE_F64, x, 5);
    CHECK(accrue_partial_add(partial, ranks, &v, NULL, NULL) == ACCRUE_INVALID_ARGUMENT);
  }
  accrue_partial_destroy(partial);
  CHECK(accrue_sum_f64(ranks, x + first, (size_t)(end - first), &mine) == ACCRUE_OK);

  accrue_space_destroy(ranks);
  accrue_space_destroy(here);
  free(x);
  MPI_Finalize();
  return failures != 0;
}
