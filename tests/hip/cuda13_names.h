// SPDX-License-Identifier: BSD-3-Clause
// For tests alone: lets HIP's headers for NVIDIA (5.2 to 6.x) parse under CUDA 13, which changed or dropped names that they use.
// Give it to the compiler ahead of everything else with -include. Nothing that accrue calls goes through what is here.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

namespace cuda13_names {

/// The members that left cudaDeviceProp.
struct device_properties : ::cudaDeviceProp {
  int clockRate = 0;
  int memoryClockRate = 0;
  int computeMode = 0;
  int deviceOverlap = 0;
  int kernelExecTimeoutEnabled = 0;
  int cooperativeMultiDeviceLaunch = 0;
  int maxTexture1DLinear = 0;
  int singleToDoublePrecisionPerfRatio = 0;
};
inline cudaError_t properties_of(device_properties* p, int device) { return (cudaGetDeviceProperties)(p, device); }

inline cudaMemLocation place(int device) {
  cudaMemLocation l{};
  l.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  l.id = device < 0 ? 0 : device;
  return l;
}
inline CUresult create_context(CUcontext* c, unsigned flags, CUdevice d) { return cuCtxCreate(c, nullptr, flags, d); }
/// What CUDA no longer has.
template <class... A>
cudaError_t gone(A&&...) {
  return cudaErrorNotSupported;
}
template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture_reference {};

}  // namespace cuda13_names

// Calls that take places now, or data of edges.
inline cudaError_t cudaMemAdvise(const void* p, size_t n, cudaMemoryAdvise a, int device) {
  return cudaMemAdvise(p, n, a, cuda13_names::place(device));
}
inline cudaError_t cudaMemPrefetchAsync(const void* p, size_t n, int device, cudaStream_t s) {
  return cudaMemPrefetchAsync(p, n, cuda13_names::place(device), 0u, s);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t n) {
  return cudaGraphAddDependencies(g, from, to, nullptr, n);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t n) {
  return cudaGraphRemoveDependencies(g, from, to, nullptr, n);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* n) {
  return cudaGraphGetEdges(g, from, to, nullptr, n);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* list, size_t* n) {
  return cudaGraphNodeGetDependencies(node, list, nullptr, n);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* list, size_t* n) {
  return cudaGraphNodeGetDependentNodes(node, list, nullptr, n);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t* list, size_t n, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(s, list, nullptr, n, flags);
}
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* made, cudaGraph_t g, const cudaGraphNode_t* list, size_t n,
                                    cudaGraphNodeParams* p) {
  return cudaGraphAddNode(made, g, list, nullptr, n, p);
}

#undef cuCtxCreate
#define cuCtxCreate cuda13_names::create_context
#define cudaDeviceProp cuda13_names::device_properties
#define cudaGetDeviceProperties cuda13_names::properties_of
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrCooperativeLaunch
#define texture cuda13_names::texture_reference
#define cudaBindTexture cuda13_names::gone
#define cudaBindTexture2D cuda13_names::gone
#define cudaBindTextureToArray cuda13_names::gone
#define cudaUnbindTexture cuda13_names::gone
#define cudaGetTextureAlignmentOffset cuda13_names::gone
#define cudaLaunchCooperativeKernelMultiDevice cuda13_names::gone
#define cudaStreamGetCaptureInfo_v2 cuda13_names::gone
#define cuStreamGetCaptureInfo_v2(...) CUDA_ERROR_NOT_SUPPORTED
#define cudaGraphNodeGetDependentNodes_v2 cuda13_names::gone

#endif
