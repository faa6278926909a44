// SPDX-License-Identifier: BSD-3-Clause
// HIP over CUDA: what its layer does not map is asked of CUDA itself.
#pragma once

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace accrue::simt {

struct hip_platform {
  using capture_mode = cudaStreamCaptureMode;
  static constexpr capture_mode relaxed = cudaStreamCaptureModeRelaxed;
  static hipError_t of(cudaError_t e) { return hipCUDAErrorTohipError(e); }

  static hipError_t target_of(const hipDeviceProp_t& p, int d, device_description& out) {
    out.target = std::to_string(p.major) + "." + std::to_string(p.minor);
    out.facts.architecture = 10 * p.major + p.minor;
    int bytes = 0;
    const cudaError_t e = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, d);
    out.facts.shared_bytes = static_cast<std::size_t>(bytes);
    return of(e);
  }
  static hipError_t locate(const void* p, memory_place& place) {
    cudaPointerAttributes a{};
    const cudaError_t e = cudaPointerGetAttributes(&a, p);
    place = {a.type != cudaMemoryTypeUnregistered, a.type == cudaMemoryTypeDevice ? a.device : -1};
    return of(e);
  }

  using pool = cudaMemPool_t;
  static hipError_t create_pool(pool& p, int device, unsigned long long kept_bytes) {
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    if (const cudaError_t e = cudaMemPoolCreate(&p, &props); e != cudaSuccess) return of(e);
    const cudaError_t e = cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold, &kept_bytes);
    if (e != cudaSuccess) (void)cudaMemPoolDestroy(p);
    return of(e);
  }
  static hipError_t allocate_in_order(void** p, std::size_t bytes, pool from, cudaStream_t s) {
    return of(from == nullptr ? cudaMallocAsync(p, bytes, s) : cudaMallocFromPoolAsync(p, bytes, from, s));
  }

  static hipError_t number_of(cudaStream_t s, unsigned long long& number) { return of(cudaStreamGetId(s, &number)); }
  static hipError_t exchange_capture_mode(capture_mode& m) { return of(cudaThreadExchangeStreamCaptureMode(&m)); }
  static hipError_t capture_of(cudaStream_t s, capture<cudaGraph_t>& c) {
    cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
    const cudaError_t e = cudaStreamGetCaptureInfo(s, &now, &c.number, &c.into, nullptr, nullptr, nullptr);
    c.active = now != cudaStreamCaptureStatusNone;
    return of(e);
  }
  static hipError_t keep_with(cudaGraph_t g, void* p, void (*release)(void*)) {
    cudaUserObject_t object = nullptr;
    if (const cudaError_t e = cudaUserObjectCreate(&object, p, release, 1, cudaUserObjectNoDestructorSync); e != cudaSuccess)
      return of(e);
    return of(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
  }

  static void push_range(const char* text) { nvtxRangePushA(text); }
  static void pop_range() { nvtxRangePop(); }
};

}  // namespace accrue::simt
