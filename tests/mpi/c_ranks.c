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

  /* What is wrong on one rank, all are told; and what ranks do not have. */
  CHECK(accrue_sum_f64(ranks, rank == size - 1 ? NULL : x, 5, &mine) == ACCRUE_NULL_DATA);
  CHECK(accrue_ordered_sum_f64(ranks, x, 5, &mine) == ACCRUE_INVALID_ARGUMENT);
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
