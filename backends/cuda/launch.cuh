// SPDX-License-Identifier: BSD-3-Clause
// Launches through the CUDA runtime, for .cu files.
#pragma once

#include <cuda_runtime.h>

#include "accrue/backends/cuda/cuda.hpp"
#include "accrue/backends/simt/launch.cuh"

namespace accrue::cuda_backend {

struct runtime {
  /// Lets a kernel have all the shared memory a block can have, and tells how many blocks fit on a multiprocessor.
  template <class Kernel>
  static int occupancy(Kernel kernel, const simt::device_facts& device, unsigned threads, std::size_t shared_bytes) {
    int blocks = 0;
    cudaFuncAttributes a{};
    cudaFuncGetAttributes(&a, kernel);
    const auto most = static_cast<int>(device.shared_bytes - a.sharedSizeBytes);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes);
    check_launch();
    return blocks;
  }
  template <class Kernel, class... Arguments>
  static void launch(Kernel kernel, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream,
                     const Arguments&... arguments) {
    kernel<<<blocks, threads, shared_bytes, static_cast<cudaStream_t>(stream)>>>(arguments...);
    check_launch();
  }
  template <class Form, class Source>
  static void enqueue(const simt::launch_request& request, const Form& form, const Source& source) {
    cuda_backend::launch(request, form, source);
  }
  template <class Kernel>
  static simt::kernel_facts facts(Kernel kernel, const char* name) {
    cudaFuncAttributes a{};
    cudaFuncGetAttributes(&a, kernel);
    check_launch();
    return {name, a.numRegs, a.sharedSizeBytes, 0, a.localSizeBytes, 0, 0};
  }
};

template <class Form, class Source>
void launch_here(const simt::launch_request& request, const Form& form, const Source& source) {
  simt::launch_here<runtime>(request, form, source);
}

}  // namespace accrue::cuda_backend
