// SPDX-License-Identifier: BSD-3-Clause
// The reproducing sums of MOM6, as the model calls them: over all processes.
#include "ranks_contender.hpp"

extern "C" void rival_reproducing_sum(const double* x, double* sums, int n, int fields);

namespace perf {

namespace {

void sum(MPI_Comm, const double* x, std::size_t count, std::size_t fields, double* sums) {
  rival_reproducing_sum(x, sums, static_cast<int>(count), static_cast<int>(fields));
}
const bool added = (ranks_contenders().push_back({.name = "MOM6 reproducing_sum", .run = sum}), true);

}  // namespace

}  // namespace perf
