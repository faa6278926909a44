// SPDX-License-Identifier: BSD-3-Clause
// Launches through the HIP runtime, for .hip files.
#pragma once

#include <hip/hip_runtime.h>

#include "accrue/backends/hip/api.hpp"
#include "accrue/backends/hip/space.hpp"
#include "accrue/backends/simt/runtime/accumulate_launch.cuh"
#include "accrue/backends/simt/runtime/group_launch.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

template <>
struct kernel_api<hip> {
  /// Lets a kernel have all the shared memory a block can have, and tells how many blocks fit on a multiprocessor.
  template <class Kernel>
  static int occupancy(Kernel kernel, const device_facts& device, unsigned threads, std::size_t shared_bytes) {
    int blocks = 0;
    const auto* function = reinterpret_cast<const void*>(kernel);
    hipFuncAttributes a{};
    check<hip>(hipFuncGetAttributes(&a, function), "kernel");
    const auto most = static_cast<int>(device.shared_bytes - a.sharedSizeBytes);
    check<hip>(hipFuncSetAttribute(function, hipFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory");
    check<hip>(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes), "occupancy");
    return blocks;
  }
  template <class Kernel>
  static void launch(Kernel kernel, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream, void** arguments) {
    check<hip>(hipLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), arguments, shared_bytes,
                               static_cast<hipStream_t>(stream)),
               "kernel launch");
  }
  /// That a kernel declares itself.
  template <class Kernel>
  static std::size_t shared_bytes(Kernel kernel) {
    return facts(kernel, "").static_shared_bytes;
  }
  template <class Kernel>
  static kernel_facts facts(Kernel kernel, const char* name) {
    hipFuncAttributes a{};
    check<hip>(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(kernel)), "kernel");
    return {name, a.numRegs, a.sharedSizeBytes, 0, a.localSizeBytes, 0, 0};
  }
};

}  // namespace accrue::simt
