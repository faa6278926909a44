// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces on Kokkos's devices: those of accrue's native backend, on the stream of the Kokkos instance. (Host spaces
// are teams of threads, which lists and forces take as they are.)
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

#include "accrue/backends/kokkos/kokkos.hpp"
#include "accrue/md/md.hpp"

#if (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)) && __has_include("accrue/backends/simt/runtime/pair_force_launch.cuh")
#include "accrue/md/devices.hpp"
#endif

namespace accrue {

// Called by accrue/md, as those of the native spaces are.

template <on_kokkos::device_space E>
std::unique_ptr<detail::device_rows> build_rows_on_device(const kokkos<E>& space, neighbor_list& list,
                                                          const detail::position_view& positions) {
  on_kokkos::require_initialized("neighbor_list");
  const on_kokkos::tool_kernel<E> shown("accrue::neighbor_list build", space.instance);
  return build_rows_on_device(space.native(), list, positions);
}
template <on_kokkos::device_space E>
std::unique_ptr<detail::device_rows> assign_rows_on_device(const kokkos<E>& space, neighbor_list& list,
                                                           const detail::position_view& positions, const detail::row_view& rows) {
  on_kokkos::require_initialized("neighbor_list");
  const on_kokkos::tool_kernel<E> shown("accrue::neighbor_list assign", space.instance);
  return assign_rows_on_device(space.native(), list, positions, rows);
}
template <on_kokkos::device_space E>
bool has_moved_on_device(const kokkos<E>& space, const neighbor_list& list, const detail::position_view& positions) {
  on_kokkos::require_initialized("neighbor_list");
  const on_kokkos::tool_kernel<E> shown("accrue::neighbor_list needs_rebuild", space.instance);
  return has_moved_on_device(space.native(), list, positions);
}
template <on_kokkos::device_space E, class Potential>
pair_result pair_forces_on_device(const kokkos<E>& space, std::shared_ptr<detail::device_part>& kept, const neighbor_list& list,
                                  const Potential& potential, const detail::particle_view& particles, const detail::force_view& forces,
                                  const detail::scalar_view& energies, const pair_options& options) {
  on_kokkos::require_initialized("pair_forces");
  const on_kokkos::tool_kernel<E> shown("accrue::pair_forces", space.instance);
  return pair_forces_on_device(space.native(), kept, list, potential, particles, forces, energies, options);
}

}  // namespace accrue
