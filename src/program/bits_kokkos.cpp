// SPDX-License-Identifier: BSD-3-Clause
// accrue bits on every execution space of the Kokkos that was found.
#include <optional>

#include "accrue/backends/kokkos/kokkos.hpp"
#include "bits_of_space.hpp"

namespace accrue::program {

template <class ExecutionSpace>
static void print_execution_space() {
  print_cases(kokkos<ExecutionSpace>(), std::string("kokkos:") + ExecutionSpace::name());
}

static void print_kokkos() {
  std::optional<Kokkos::ScopeGuard> running;
  try {
    running.emplace();
  } catch (const std::exception& e) {  // a Kokkos with a device starts only where there is one
    return fmt::print("# kokkos: {}\n", e.what());
  }
#if defined(KOKKOS_ENABLE_SERIAL)
  print_execution_space<Kokkos::Serial>();
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  print_execution_space<Kokkos::OpenMP>();
#endif
#if defined(KOKKOS_ENABLE_THREADS)
  print_execution_space<Kokkos::Threads>();
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  print_execution_space<Kokkos::Cuda>();
#endif
#if defined(KOKKOS_ENABLE_HIP)
  print_execution_space<on_kokkos::hip_space>();
#endif
}

static const add_bits_section added(print_kokkos);

}  // namespace accrue::program
