// SPDX-License-Identifier: BSD-3-Clause
// What the device tests need of the CUDA runtime, under names that all runtimes share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace gpu {

using stream = cudaStream_t;
using graph = cudaGraph_t;
using graph_instance = cudaGraphExec_t;

inline bool fine(cudaError_t e) { return e == cudaSuccess; }
inline bool create(stream& s) { return fine(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); }
inline bool destroy(stream s) { return fine(cudaStreamDestroy(s)); }
inline bool begin_capture(stream s) { return fine(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); }
inline bool end_capture(stream s, graph& g) { return fine(cudaStreamEndCapture(s, &g)); }
inline bool instantiate(graph_instance& i, graph g) { return fine(cudaGraphInstantiate(&i, g, 0)); }
inline bool launch(graph_instance i, stream s) { return fine(cudaGraphLaunch(i, s)); }
inline bool destroy(graph g) { return fine(cudaGraphDestroy(g)); }
inline bool destroy(graph_instance i) { return fine(cudaGraphExecDestroy(i)); }

inline void* allocate_managed(std::size_t bytes) {
  void* p = nullptr;
  return fine(cudaMallocManaged(&p, bytes)) ? p : nullptr;
}
inline void* allocate_pinned(std::size_t bytes) {
  void* p = nullptr;
  return fine(cudaMallocHost(&p, bytes)) ? p : nullptr;
}
inline bool release(void* p) { return fine(cudaFree(p)); }
inline bool release_pinned(void* p) { return fine(cudaFreeHost(p)); }
inline int devices() {
  int n = 0;
  return fine(cudaGetDeviceCount(&n)) ? n : 0;
}
/// An error for the next call to find.
inline void leave_error() {
  (void)cudaFuncSetAttribute(static_cast<const void*>(nullptr), cudaFuncAttributeMaxDynamicSharedMemorySize, 1);
}

}  // namespace gpu
