// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces for the test space of the host dialect, as a device backend has them.
#pragma once

#include "accrue/backends/simt/runtime/pair_force_launch.cuh"

namespace hook {

inline std::unique_ptr<accrue::detail::device_rows> build_rows_on_device(const space& s, accrue::neighbor_list& list,
                                                                         const accrue::detail::position_view& positions) {
  std::unique_ptr<accrue::detail::device_rows> rows;
  run_request(s, nullptr, false, nullptr, [&](const accrue::simt::launch_request& request) {
    rows = accrue::simt::make_rows(s, accumulating_device{request}, list, positions, nullptr);
  });
  return rows;
}
inline std::unique_ptr<accrue::detail::device_rows> assign_rows_on_device(const space& s, accrue::neighbor_list& list,
                                                                          const accrue::detail::position_view& positions,
                                                                          const accrue::detail::row_view& from) {
  std::unique_ptr<accrue::detail::device_rows> rows;
  run_request(s, nullptr, false, nullptr, [&](const accrue::simt::launch_request& request) {
    rows = accrue::simt::make_rows(s, accumulating_device{request}, list, positions, &from);
  });
  return rows;
}
inline bool has_moved_on_device(const space& s, const accrue::neighbor_list& list, const accrue::detail::position_view& positions) {
  bool moved = false;
  run_request(s, nullptr, false, nullptr, [&](const accrue::simt::launch_request& request) {
    moved = accrue::simt::has_moved(s, accumulating_device{request}, list, positions);
  });
  return moved;
}
template <class Potential>
accrue::pair_result pair_forces_on_device(const space& s, std::shared_ptr<accrue::detail::device_part>& kept,
                                          const accrue::neighbor_list& list, const Potential& potential,
                                          const accrue::detail::particle_view& particles, const accrue::detail::force_view& forces,
                                          const accrue::detail::scalar_view& energies, const accrue::pair_options& options) {
  accrue::pair_result result;
  run_request(s, nullptr, false, nullptr, [&](const accrue::simt::launch_request& request) {
    const accumulating_device device{request};
    result = accrue::simt::compute_pair_forces(s, device, kept, list, potential, particles, forces, energies, options);
  });
  return result;
}

}  // namespace hook
