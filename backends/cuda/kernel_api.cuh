// SPDX-License-Identifier: BSD-3-Clause
// Launches through the CUDA runtime, for .cu files.
#pragma once

#include <cuda_runtime.h>

#include "accrue/backends/cuda/api.hpp"
#include "accrue/backends/cuda/space.hpp"
#include "accrue/backends/simt/runtime/accumulate_launch.cuh"
#include "accrue/backends/simt/runtime/group_launch.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

template <>
struct kernel_api<cuda> {
  /// Lets a kernel have all the shared memory a block can have, and tells how many blocks fit on a multiprocessor.
  template <class Kernel>
  static int occupancy(Kernel kernel, const device_facts& device, unsigned threads, std::size_t shared_bytes) {
    int blocks = 0;
    cudaFuncAttributes a{};
    check<cuda>(cudaFuncGetAttributes(&a, kernel), "kernel");
    const auto most = static_cast<int>(device.shared_bytes - a.sharedSizeBytes);
    check<cuda>(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory");
    check<cuda>(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes),
                "occupancy");
    return blocks;
  }
  template <class Kernel>
  static void launch(Kernel kernel, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream, void** arguments) {
    check<cuda>(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), arguments, shared_bytes,
                                 static_cast<cudaStream_t>(stream)),
                "kernel launch");
  }
  /// Whether a kernel was compiled for 9.0 or later, where `wait_for_kernel_before` waits, and the driver takes such launches into graphs.
  template <class Kernel>
  static bool may_start_early(Kernel kernel) {
    constexpr int graphs_take_them = 12030;
    int driver = 0;
    check<cuda>(cudaDriverGetVersion(&driver), "driver version");
    cudaFuncAttributes a{};
    check<cuda>(cudaFuncGetAttributes(&a, kernel), "kernel");
    return a.ptxVersion >= 90 && driver >= graphs_take_them;
  }
  template <class Kernel>
  static void launch_early(Kernel kernel, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream, void** arguments) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(blocks);
    how.blockDim = dim3(threads);
    how.dynamicSmemBytes = shared_bytes;
    how.stream = static_cast<cudaStream_t>(stream);
    how.attrs = &early;
    how.numAttrs = 1;
    check<cuda>(cudaLaunchKernelExC(&how, reinterpret_cast<const void*>(kernel), arguments), "kernel launch");
  }
  /// Blocks start in the order of their indices, as on every device so far: CUB's scans wait for each other in that order too.
  template <class Kernel>
  static void launch_in_order(Kernel kernel, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream, void** arguments) {
    launch(kernel, blocks, threads, shared_bytes, stream, arguments);
  }
  /// That a kernel declares itself.
  template <class Kernel>
  static std::size_t shared_bytes(Kernel kernel) {
    return facts(kernel, "").static_shared_bytes;
  }
  template <class Kernel>
  static kernel_facts facts(Kernel kernel, const char* name) {
    cudaFuncAttributes a{};
    check<cuda>(cudaFuncGetAttributes(&a, kernel), "kernel");
    return {name, a.numRegs, a.sharedSizeBytes, 0, a.localSizeBytes, 0, 0};
  }
};

}  // namespace accrue::simt
