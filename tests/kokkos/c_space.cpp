// SPDX-License-Identifier: BSD-3-Clause
// Kokkos's default execution space from the C interface, before and after Kokkos runs.
#include <accrue/accrue.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  accrue_space* space = nullptr;
  if (accrue_space_create("kokkos", &space) != ACCRUE_NOT_INITIALIZED) return 1;
  if (std::strstr(accrue_last_error(), "Kokkos::initialize") == nullptr) return 1;
  const Kokkos::ScopeGuard guard(argc, argv);
  const std::vector<double> x{1e100, 1, -1e100};
  double total = 0;
  if (accrue_space_create("kokkos", &space) != ACCRUE_OK || accrue_sum_f64(space, x.data(), x.size(), &total) != ACCRUE_OK) {
    std::printf("%s\n", accrue_last_error());
    return 1;
  }
  accrue_space_destroy(space);
  return total == 1 ? 0 : 1;
}
