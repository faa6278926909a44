// SPDX-License-Identifier: BSD-3-Clause
// Runs tests on all ranks with one seed: that of rank 0. Ranks but 0 are quiet unless a test fails there.
#include <mpi.h>

#include <catch2/catch_session.hpp>
#include <cstdint>
#if defined(ACCRUE_TEST_KOKKOS)
#include <Kokkos_Core.hpp>
#endif

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if defined(ACCRUE_TEST_KOKKOS)
  const Kokkos::ScopeGuard kokkos;
#endif
  Catch::Session session;
  int failed = session.applyCommandLine(argc, argv);
  if (failed == 0) {
    MPI_Bcast(&session.configData().rngSeed, sizeof(session.configData().rngSeed), MPI_BYTE, 0, MPI_COMM_WORLD);
    failed = session.run();
  }
  constexpr int all_skipped = 4;
  if (failed != 0 && failed != all_skipped) MPI_Abort(MPI_COMM_WORLD, failed);  // the others may wait for this rank
  MPI_Finalize();
  return failed;
}
