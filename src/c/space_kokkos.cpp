// SPDX-License-Identifier: BSD-3-Clause
// "kokkos": what Kokkos's default execution space runs on, its number of threads or its device and stream.
#include "accrue/backends/kokkos/spaces.hpp"
#include "handles.hpp"

namespace accrue::c {

namespace {

template <class Execution>
any_space driving(const Execution& instance) {
  if constexpr (on_kokkos::host_space<Execution>) {
    return host_space_of_threads(static_cast<int>(instance.concurrency()));
  } else {
    return on_kokkos::native<Execution>::of(instance);
  }
}

}  // namespace

any_space space_of_kokkos() {
  on_kokkos::require_initialized("accrue_space_create");
  return driving(Kokkos::DefaultExecutionSpace());
}

}  // namespace accrue::c
