// SPDX-License-Identifier: BSD-3-Clause
// What the device tests need of the HIP runtime, under names that all runtimes share.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>

namespace gpu {

using stream = hipStream_t;
using graph = hipGraph_t;
using graph_instance = hipGraphExec_t;

inline bool fine(hipError_t e) { return e == hipSuccess; }
inline bool create(stream& s) { return fine(hipStreamCreateWithFlags(&s, hipStreamNonBlocking)); }
inline bool destroy(stream s) { return fine(hipStreamDestroy(s)); }
inline bool begin_capture(stream s) { return fine(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal)); }
inline bool end_capture(stream s, graph& g) { return fine(hipStreamEndCapture(s, &g)); }
inline bool instantiate(graph_instance& i, graph g) { return fine(hipGraphInstantiate(&i, g, nullptr, nullptr, 0)); }
inline bool launch(graph_instance i, stream s) { return fine(hipGraphLaunch(i, s)); }
inline bool destroy(graph g) { return fine(hipGraphDestroy(g)); }
inline bool destroy(graph_instance i) { return fine(hipGraphExecDestroy(i)); }

inline void* allocate_managed(std::size_t bytes) {
  void* p = nullptr;
  return fine(hipMallocManaged(&p, bytes)) ? p : nullptr;
}
inline void* allocate_pinned(std::size_t bytes) {
  void* p = nullptr;
  return fine(hipHostMalloc(&p, bytes, 0)) ? p : nullptr;
}
inline bool release(void* p) { return fine(hipFree(p)); }
inline bool release_pinned(void* p) { return fine(hipHostFree(p)); }
inline int devices() {
  int n = 0;
  return fine(hipGetDeviceCount(&n)) ? n : 0;
}
/// An error for the next call to find.
inline void leave_error() {
  (void)hipFuncSetAttribute(static_cast<const void*>(nullptr), hipFuncAttributeMaxDynamicSharedMemorySize, 1);
}

}  // namespace gpu
