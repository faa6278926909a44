// SPDX-License-Identifier: BSD-3-Clause
// A contender of the suite `ranks`: one library's way to the sums of several fields, of which each rank has a part. A rival is one file of
// this folder that adds itself before main.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perf {

struct ranks_contender {
  std::string name;
  /// sums[f] = the sum of x[f * count] to x[(f + 1) * count - 1] on all ranks together, on every rank.
  void (*run)(MPI_Comm comm, const double* x, std::size_t count, std::size_t fields, double* sums);
  bool is_exact = false;      ///< rounded once: a wrong bit is this program's failure
  bool is_reference = false;  ///< what the others' speed is told in
};
inline std::vector<ranks_contender>& ranks_contenders() {
  static std::vector<ranks_contender> all;
  return all;
}

}  // namespace perf
