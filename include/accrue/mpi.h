/* SPDX-License-Identifier: BSD-3-Clause
 * accrue in C over the ranks of an MPI communicator: a space like the others, in whose calls every rank takes part.
 *
 *     accrue_space *ranks;
 *     accrue_space_create_over_ranks(MPI_COMM_WORLD, NULL, 0, &ranks);
 *     accrue_sum_f64(ranks, x, n, &total);                                  of all ranks' x, the same bits on every rank
 *     accrue_reduce_slices(ranks, ACCRUE_SUM, &field, NULL, 0, NULL, sums); of all ranks' levels k, in two messages
 *
 * Calls are collective: all ranks make the same calls in the same order, each with any number of elements of its own, none too, and as many
 * results. Exact reductions and extrema: the bits of one process that has all elements, for any number of ranks and any split; positions
 * count through the ranks. Fast ones are exact over ranks. Others, partial results, accumulation and forces are ACCRUE_INVALID_ARGUMENT;
 * accrue_partial_join joins what each rank has added by a space of its own. One thread at a time calls with spaces over the same
 * communicator. What is wrong on one rank every rank is told, with its number.
 * accrue/backends/mpi/mpi.hpp says what is asked of MPI and of the communicator, whose duplicate is freed with it.
 */
#ifndef ACCRUE_MPI_H
#define ACCRUE_MPI_H

#include <mpi.h>

#include "accrue/accrue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `name` and `threads` as accrue_space_create_threads takes them, of the space on this rank; others may have others. Collective. */
accrue_status accrue_space_create_over_ranks(MPI_Comm comm, const char *name, int threads, accrue_space **space);
#define accrue_space_create_over_ranks(comm, name, threads, space) \
  (ACCRUE_C_LIBRARY_OF_THIS_VERSION(), accrue_space_create_over_ranks(comm, name, threads, space))

#ifdef __cplusplus
}
#endif
#endif
