// SPDX-License-Identifier: BSD-3-Clause
// Sums over ranks as a user would write them: plain loops, and MPI_Allreduce of doubles.
#include <accrue/instruction_set.hpp>

#include "plain_loops.hpp"
#include "ranks_contender.hpp"

namespace perf {

namespace {

double sum_of(const double* x, std::size_t count) {
#if defined(__x86_64__)
  if (accrue::current_instruction_set() == accrue::instruction_set::avx512) return plain::avx512::sum(x, count, 1);
  return plain::avx2::sum(x, count, 1);
#else
  return plain::assumed::sum(x, count, 1);
#endif
}
void sum_plainly(MPI_Comm comm, const double* x, std::size_t count, std::size_t fields, double* sums) {
  for (std::size_t f = 0; f < fields; ++f) sums[f] = sum_of(x + f * count, count);
  (void)MPI_Allreduce(MPI_IN_PLACE, sums, static_cast<int>(fields), MPI_DOUBLE, MPI_SUM, comm);
}

const bool added = (ranks_contenders().push_back({.name = "plain loops, MPI_Allreduce", .run = sum_plainly, .is_reference = true}), true);

}  // namespace

}  // namespace perf
