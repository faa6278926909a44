// SPDX-License-Identifier: BSD-3-Clause
// The space of the HIP backend.
#pragma once

#include "accrue/backends/simt/runtime/device_space.hpp"

#if defined(__HIP_PLATFORM_NVIDIA__)
struct CUstream_st;
#else
struct ihipStream_t;
#endif
struct __half;

namespace accrue {

namespace detail {

#if defined(__HIP_PLATFORM_NVIDIA__)
using hip_stream = CUstream_st*;
#else
using hip_stream = ihipStream_t*;
#endif
template <>
struct element_alias<__half> {
  using type = half;
};

}  // namespace detail

/// Runs on a HIP device, on a stream (device_space.hpp has the members and what they promise).
struct hip : simt::device_space<hip, detail::hip_stream> {
  static constexpr const char* name = "hip";
  using device_space::device_space;
};
using hip_workspace = simt::device_workspace<hip>;

}  // namespace accrue
