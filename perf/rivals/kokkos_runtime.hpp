// SPDX-License-Identifier: BSD-3-Clause
// Kokkos's runtime in this program.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <type_traits>

#include "contender.hpp"

namespace perf {

/// Starts it unless it runs; it ends when all is measured.
inline void initialize_kokkos() {
  if (Kokkos::is_initialized()) return;
  Kokkos::initialize();
  at_the_end().push_back([] { Kokkos::finalize(); });
}

/// The execution space: on a device, one instance for the stream, since making one allocates.
template <class Exec>
const Exec& kokkos_instance([[maybe_unused]] const place& at) {
  static std::optional<Exec> instance;
  if (!instance) {
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) instance.emplace(static_cast<cudaStream_t>(at.stream));
#endif
    if (!instance) instance.emplace();
    at_the_end().insert(at_the_end().begin(), [] { instance.reset(); });
  }
  return *instance;
}

}  // namespace perf
