// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the compiled library, in groups: a backend compiles one source file for each.
#pragma once

#include <vector>

#include "accrue/backends/simt/operations/operations.hpp"
#include "accrue/backends/simt/runtime/launch_request.hpp"

namespace accrue::simt {

/// What lists know of a kernel; its launch function is here so that the library has it.
struct kernel_row {
  kernel_facts (*facts)(const device_facts& device);
  void (*launch)();
};

/// The kernels of a group; defined in library_kernels.cuh, for the group's source file alone.
template <class Space, kernel_group group>
std::vector<kernel_row> library_kernels();

}  // namespace accrue::simt
