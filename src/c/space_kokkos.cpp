// SPDX-License-Identifier: BSD-3-Clause
// "kokkos": what Kokkos's default execution space runs on, its number of threads or its device and stream.
#include "accrue/backends/kokkos/spaces.hpp"
#include "handles.hpp"

namespace accrue::c {

any_space space_of_kokkos() {
  on_kokkos::require_initialized("accrue_space_create");
  using space = Kokkos::DefaultExecutionSpace;
  const space instance;
  if constexpr (on_kokkos::host_space<space>) {
    return host_space_of_threads(static_cast<int>(instance.concurrency()));
  } else {
    return on_kokkos::native<space>::of(instance);
  }
}

}  // namespace accrue::c
