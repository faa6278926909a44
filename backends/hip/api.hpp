// SPDX-License-Identifier: BSD-3-Clause
// The HIP runtime under the names that device_runtime.hpp uses. What HIP lacks or does otherwise is in api_amd.hpp and
// api_nvidia.hpp.
#pragma once

#include <hip/hip_runtime_api.h>

#include "accrue/backends/hip/space.hpp"
#include "accrue/backends/simt/runtime/device_api.hpp"

#if defined(__HIP_PLATFORM_NVIDIA__)
#include "accrue/backends/hip/api_nvidia.hpp"
#else
#include "accrue/backends/hip/api_amd.hpp"
#endif

namespace accrue::simt {

template <>
struct runtime_api<hip> : hip_platform {
  static constexpr const char* name = "HIP";
  using status = hipError_t;
  using stream = hipStream_t;
  using graph = hipGraph_t;
  using event = hipEvent_t;
  static constexpr status success = hipSuccess;

  static errc code_of(status e) {
    switch (e) {
      case hipErrorNoDevice:
      case hipErrorInsufficientDriver:
      case hipErrorInvalidDevice:
      case hipErrorNotInitialized:
      case hipErrorNoBinaryForGpu:
        return errc::no_device;
      case hipErrorOutOfMemory:
        return errc::out_of_memory;
      default:
        return errc::kernel_failure;
    }
  }
  static const char* text_of(status e) { return hipGetErrorString(e); }
  static status last_error() { return hipGetLastError(); }
  static status peek_error() { return hipPeekAtLastError(); }

  static status count_devices(int& n) { return hipGetDeviceCount(&n); }
  static status current_device(int& d) { return hipGetDevice(&d); }
  static status use_device(int d) { return hipSetDevice(d); }
  static status describe(int d, device_description& out) {
    hipDeviceProp_t p{};
    if (const status e = hipGetDeviceProperties(&p, d); e != hipSuccess) return e;
    out.name = p.name;
    if (const status e = target_of(p, d, out); e != hipSuccess) return e;
    out.facts.device = d;
    out.facts.warp_width = static_cast<unsigned>(p.warpSize);
    out.facts.multiprocessors = static_cast<unsigned>(p.multiProcessorCount);
    out.memory_bytes = p.totalGlobalMem;
    out.l2_bytes = static_cast<std::size_t>(p.l2CacheSize);
    out.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    out.memory_bus_bits = p.memoryBusWidth;
    for (const auto& [value, attribute] :
         {std::pair{&out.clock_khz, hipDeviceAttributeClockRate}, {&out.memory_clock_khz, hipDeviceAttributeMemoryClockRate}}) {
      if (const status e = hipDeviceGetAttribute(value, attribute, d); e != hipSuccess) return e;
    }
    if (const status e = hipDriverGetVersion(&out.driver); e != hipSuccess) return e;
    return hipRuntimeGetVersion(&out.runtime);
  }

  static status allocate(void** p, std::size_t bytes) { return hipMalloc(p, bytes); }
  static status release(void* p) { return hipFree(p); }
  static status release_in_order(void* p, stream s) { return hipFreeAsync(p, s); }
  /// Coherent: the host reads what a kernel wrote as soon as the stream is synchronized.
  static status allocate_pinned(void** p, std::size_t bytes) {
    return hipHostMalloc(p, bytes, hipHostMallocPortable | hipHostMallocCoherent);
  }
  static status release_pinned(void* p) { return hipHostFree(p); }
  static status free_memory(std::size_t& bytes) {
    std::size_t total = 0;
    return hipMemGetInfo(&bytes, &total);
  }
  static status copy(void* to, const void* from, std::size_t bytes, stream s) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, s);
  }
  static status fill(void* to, int byte, std::size_t bytes, stream s) { return hipMemsetAsync(to, byte, bytes, s); }

  static status create_stream(stream& s) { return hipStreamCreateWithFlags(&s, hipStreamNonBlocking); }
  static status destroy_stream(stream s) { return hipStreamDestroy(s); }
  static status synchronize(stream s) { return hipStreamSynchronize(s); }

  static status create_event(event& e) { return hipEventCreate(&e); }
  static status destroy_event(event e) { return hipEventDestroy(e); }
  static status record(event e) { return hipEventRecord(e, nullptr); }
  static status elapsed(float& ms, event begin, event end) {
    if (const status e = hipEventSynchronize(end); e != hipSuccess) return e;
    return hipEventElapsedTime(&ms, begin, end);
  }
};

}  // namespace accrue::simt
