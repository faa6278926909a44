// SPDX-License-Identifier: BSD-3-Clause
// The CUDA runtime under the names that device_runtime.hpp uses.
#pragma once

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "accrue/backends/cuda/space.hpp"
#include "accrue/backends/simt/runtime/device_api.hpp"

namespace accrue::simt {

template <>
struct runtime_api<cuda> {
  static constexpr const char* name = "CUDA";
  using status = cudaError_t;
  using stream = cudaStream_t;
  using graph = cudaGraph_t;
  using event = cudaEvent_t;
  using pool = cudaMemPool_t;
  using capture_mode = cudaStreamCaptureMode;
  static constexpr capture_mode relaxed = cudaStreamCaptureModeRelaxed;
  static constexpr status success = cudaSuccess;

  static errc code_of(status e) {
    switch (e) {
      case cudaErrorNoDevice:
      case cudaErrorInsufficientDriver:
      case cudaErrorInvalidDevice:
      case cudaErrorInitializationError:
      case cudaErrorDevicesUnavailable:
      case cudaErrorStubLibrary:
        return errc::no_device;
      case cudaErrorMemoryAllocation:
        return errc::out_of_memory;
      default:
        return errc::kernel_failure;
    }
  }
  static const char* text_of(status e) { return cudaGetErrorString(e); }
  static status last_error() { return cudaGetLastError(); }
  static status peek_error() { return cudaPeekAtLastError(); }

  static status count_devices(int& n) { return cudaGetDeviceCount(&n); }
  static status current_device(int& d) { return cudaGetDevice(&d); }
  static status use_device(int d) { return cudaSetDevice(d); }
  static status describe(int d, device_description& out) {
    cudaDeviceProp p{};
    if (const status e = cudaGetDeviceProperties(&p, d); e != cudaSuccess) return e;
    out.name = p.name;
    out.target = std::to_string(p.major) + "." + std::to_string(p.minor);
    out.facts = {d, 10 * p.major + p.minor, static_cast<unsigned>(p.warpSize), static_cast<unsigned>(p.multiProcessorCount),
                 p.sharedMemPerBlockOptin};
    out.memory_bytes = p.totalGlobalMem;
    out.l2_bytes = static_cast<std::size_t>(p.l2CacheSize);
    out.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    out.memory_bus_bits = p.memoryBusWidth;
    if (const status e = cudaDeviceGetAttribute(&out.clock_khz, cudaDevAttrClockRate, d); e != cudaSuccess) return e;
    if (const status e = cudaDeviceGetAttribute(&out.memory_clock_khz, cudaDevAttrMemoryClockRate, d); e != cudaSuccess) return e;
    if (const status e = cudaDriverGetVersion(&out.driver); e != cudaSuccess) return e;
    return cudaRuntimeGetVersion(&out.runtime);
  }

  static status allocate(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
  static status release(void* p) { return cudaFree(p); }
  /// A pool that keeps so many bytes of what is given back.
  static status create_pool(pool& p, int device, unsigned long long kept_bytes) {
    cudaMemPoolProps of{};
    of.allocType = cudaMemAllocationTypePinned;
    of.location.type = cudaMemLocationTypeDevice;
    of.location.id = device;
    if (const status e = cudaMemPoolCreate(&p, &of); e != cudaSuccess) return e;
    const status e = cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold, &kept_bytes);
    if (e != cudaSuccess) (void)cudaMemPoolDestroy(p);
    return e;
  }
  static status allocate_in_order(void** p, std::size_t bytes, pool from, stream s) {
    return from == nullptr ? cudaMallocAsync(p, bytes, s) : cudaMallocFromPoolAsync(p, bytes, from, s);
  }
  static status release_in_order(void* p, stream s) { return cudaFreeAsync(p, s); }
  static status allocate_pinned(void** p, std::size_t bytes) { return cudaHostAlloc(p, bytes, cudaHostAllocPortable); }
  static status release_pinned(void* p) { return cudaFreeHost(p); }
  static status free_memory(std::size_t& bytes) {
    std::size_t total = 0;
    return cudaMemGetInfo(&bytes, &total);
  }
  static status copy(void* to, const void* from, std::size_t bytes, stream s) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s);
  }
  static status fill(void* to, int byte, std::size_t bytes, stream s) { return cudaMemsetAsync(to, byte, bytes, s); }
  static status locate(const void* p, memory_place& place) {
    cudaPointerAttributes a{};
    const status e = cudaPointerGetAttributes(&a, p);
    place = {a.type != cudaMemoryTypeUnregistered, a.type == cudaMemoryTypeDevice ? a.device : -1};
    return e;
  }

  static status create_stream(stream& s) { return cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  static status destroy_stream(stream s) { return cudaStreamDestroy(s); }
  static status synchronize(stream s) { return cudaStreamSynchronize(s); }
  /// A handle may come back as another stream's, its number does not.
  static status number_of(stream s, unsigned long long& number) { return cudaStreamGetId(s, &number); }
  static status exchange_capture_mode(capture_mode& m) { return cudaThreadExchangeStreamCaptureMode(&m); }
  static status capture_of(stream s, capture<graph>& c) {
    cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
    const status e = cudaStreamGetCaptureInfo(s, &now, &c.number, &c.into);
    c.active = now != cudaStreamCaptureStatusNone;
    return e;
  }
  /// Calls `release(p)` when the graph and all that was instantiated from it are gone.
  static status keep_with(graph g, void* p, void (*release)(void*)) {
    cudaUserObject_t object = nullptr;
    if (const status e = cudaUserObjectCreate(&object, p, release, 1, cudaUserObjectNoDestructorSync); e != cudaSuccess) return e;
    return cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove);
  }

  static status create_event(event& e) { return cudaEventCreate(&e); }
  static status destroy_event(event e) { return cudaEventDestroy(e); }
  static status record(event e) { return cudaEventRecord(e); }
  static status elapsed(float& ms, event begin, event end) {
    if (const status e = cudaEventSynchronize(end); e != cudaSuccess) return e;
    return cudaEventElapsedTime(&ms, begin, end);
  }

  static void push_range(const char* text) { nvtxRangePushA(text); }
  static void pop_range() { nvtxRangePop(); }
};

}  // namespace accrue::simt
