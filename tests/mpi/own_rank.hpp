// SPDX-License-Identifier: BSD-3-Clause
// The calling rank, and how many there are.
#pragma once

#include <mpi.h>

namespace test {

inline int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int ranks_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace test
