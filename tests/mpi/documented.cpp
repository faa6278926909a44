// SPDX-License-Identifier: BSD-3-Clause
// The code that docs/ranks.md shows.
#include <accrue/mpi.hpp>
#include <catch2/catch_test_macros.hpp>
#include <vector>

TEST_CASE("the code of the page on ranks") {
  int size = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const std::vector<double> x(10, 0.5 + rank);
  const std::vector<double> y(10, 2.0);
  const auto levels = accrue::view(x.data(), 5, 2, 2);
  std::vector<double> sums(5);
  //! [ranks]
  accrue::mpi ranks(comm, accrue::openmp{});                  // accrue::mpi{}: MPI_COMM_WORLD; accrue::cuda{} for data on a device
  double total  = accrue::sum(ranks, x);                      // of all ranks' x, the same bits on every rank and for any number of them
  auto [v, i]   = accrue::argmin(ranks, x);                   // i counts through the ranks
  accrue::sum(ranks, accrue::rows(levels), sums);             // sums[k]: of all ranks' rows k
  auto pending  = accrue::dot(accrue::begin(ranks), x, y);    // returns at once
  double d      = pending.get();
  //! [ranks]
  //! [shares]
  accrue::sum(accrue::to_root(ranks, 0), accrue::rows(levels), sums);   // on rank 0 alone: MPI_Reduce
  auto shares = accrue::scattered(ranks);                               // each rank its share: MPI_Reduce_scatter
  auto [first, end] = shares.here(5);                                   // of five results those of the levels from first to end
  std::vector<double> own(end - first);
  accrue::sum(shares, accrue::rows(levels), own);
  //! [shares]
  for (std::size_t k = first; k < end; ++k) CHECK(own[k - first] == 2 * (0.5 * size + size * (size - 1) / 2.0));
  const double all = 10 * (0.5 * size + size * (size - 1) / 2.0);
  CHECK((total == all && v == 0.5 && i == 0 && d == 2 * all && sums[4] == all / 5));
}
