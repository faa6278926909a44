// SPDX-License-Identifier: BSD-3-Clause
// The reproducible sum of CESM and E3SM, as models call it.
#include "ranks_contender.hpp"

extern "C" void rival_reprosum(const double* x, double* sums, int n, int fields, int comm);

namespace perf {

namespace {

void sum(MPI_Comm comm, const double* x, std::size_t count, std::size_t fields, double* sums) {
  rival_reprosum(x, sums, static_cast<int>(count), static_cast<int>(fields), static_cast<int>(MPI_Comm_c2f(comm)));
}
const bool added = (ranks_contenders().push_back({.name = "shr_reprosum_calc", .run = sum}), true);

}  // namespace

}  // namespace perf
