// SPDX-License-Identifier: BSD-3-Clause
// What HIP offers under names or rules of its own on AMD's devices.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace accrue::simt {

struct hip_platform {
  using capture_mode = hipStreamCaptureMode;
  static constexpr capture_mode relaxed = hipStreamCaptureModeRelaxed;

  /// "gfx90a:sramecc+:xnack-" names the target.
  static hipError_t target_of(const hipDeviceProp_t& p, int, device_description& out) {
    const std::string text = p.gcnArchName;
    out.target = text.substr(0, text.find(':'));
    const auto number = out.target.find_first_of("0123456789");
    out.facts.architecture =
        number == std::string::npos ? 0 : -static_cast<int>(std::strtol(out.target.c_str() + number, nullptr, 16));
    out.facts.shared_bytes = p.sharedMemPerBlock;
    return hipSuccess;
  }
  /// Ordinary host memory is an invalid value before HIP 6, and a type of its own from then on.
  static hipError_t locate(const void* p, memory_place& place) {
    hipPointerAttribute_t a{};
    const hipError_t e = hipPointerGetAttributes(&a, p);
    place = {false, -1};
    if (e == hipErrorInvalidValue) {
      (void)hipGetLastError();
      return hipSuccess;
    }
    if (e != hipSuccess) return e;
#if HIP_VERSION_MAJOR >= 6
    if (a.type == hipMemoryTypeUnregistered) return hipSuccess;
    const bool own = a.type == hipMemoryTypeDevice;
#else
    const bool own = a.memoryType == hipMemoryTypeDevice;
#endif
    place = {true, own && !a.isManaged ? a.device : -1};
    return hipSuccess;
  }

  using pool = hipMemPool_t;
  static hipError_t create_pool(pool& p, int device, unsigned long long kept_bytes) {
    hipMemPoolProps of{};
    of.allocType = hipMemAllocationTypePinned;
    of.location.type = hipMemLocationTypeDevice;
    of.location.id = device;
    if (const hipError_t e = hipMemPoolCreate(&p, &of); e != hipSuccess) return e;
    const hipError_t e = hipMemPoolSetAttribute(p, hipMemPoolAttrReleaseThreshold, &kept_bytes);
    if (e != hipSuccess) (void)hipMemPoolDestroy(p);
    return e;
  }
  static hipError_t allocate_in_order(void** p, std::size_t bytes, pool from, hipStream_t s) {
    return from == nullptr ? hipMallocAsync(p, bytes, s) : hipMallocFromPoolAsync(p, bytes, from, s);
  }

  /// Streams have no numbers here; destroying one waits for its work, so that a handle which comes back finds its memory unused.
  static hipError_t number_of(hipStream_t s, unsigned long long& number) {
    number = reinterpret_cast<unsigned long long>(s);
    return hipSuccess;
  }
  static hipError_t exchange_capture_mode(capture_mode& m) { return hipThreadExchangeStreamCaptureMode(&m); }
  /// The null stream cannot be captured, and asking is an error.
  static hipError_t capture_of(hipStream_t s, capture<hipGraph_t>& c) {
    if (s == nullptr) return hipSuccess;
    hipStreamCaptureStatus now = hipStreamCaptureStatusNone;
    const hipError_t e = hipStreamGetCaptureInfo_v2(s, &now, &c.number, &c.into, nullptr, nullptr);
    c.active = now != hipStreamCaptureStatusNone;
    return e;
  }
  /// Before HIP 5.3 a graph cannot tell when it is gone: its workspace stays until the process ends.
  static hipError_t keep_with(hipGraph_t g, void* p, void (*release)(void*)) {
#if HIP_VERSION >= 50300000
    hipUserObject_t object = nullptr;
    if (const hipError_t e = hipUserObjectCreate(&object, p, release, 1, hipUserObjectNoDestructorSync); e != hipSuccess) return e;
    return hipGraphRetainUserObject(g, object, 1, hipGraphUserObjectMove);
#else
    (void)g, (void)p, (void)release;
    return hipSuccess;
#endif
  }

  /// Ranges of roctx, where a profiler has brought it into the process.
  static void push_range(const char* text) {
    static const auto push = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, "roctxRangePushA"));
    if (push != nullptr) push(text);
  }
  static void pop_range() {
    static const auto pop = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "roctxRangePop"));
    if (pop != nullptr) pop();
  }
};

}  // namespace accrue::simt
