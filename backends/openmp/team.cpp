// SPDX-License-Identifier: BSD-3-Clause
// The one parallel region.
#include "accrue/backends/openmp/team.hpp"

#include <omp.h>

namespace accrue::omp {

int available_threads() { return omp_get_max_threads(); }

void run_team(const void* /*runtime*/, int threads, void (*body)(void* context, int rank, int size), void* context) {
#pragma omp parallel num_threads(threads)
  body(context, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace accrue::omp
