// SPDX-License-Identifier: BSD-3-Clause
// Kokkos's runtime in this program.
#pragma once

#include <Kokkos_Core.hpp>

#include "contender.hpp"

namespace perf {

/// Starts it unless it runs; it ends when all is measured.
inline void initialize_kokkos() {
  if (Kokkos::is_initialized()) return;
  Kokkos::initialize();
  at_the_end().push_back([] { Kokkos::finalize(); });
}

}  // namespace perf
