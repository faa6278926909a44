// SPDX-License-Identifier: BSD-3-Clause
// The space of the CUDA backend.
#pragma once

#include "accrue/backends/simt/runtime/device_space.hpp"

struct CUstream_st;
struct __half;
struct __nv_bfloat16;

namespace accrue {

/// Runs on a CUDA device, on a stream (device_space.hpp has the members and what they promise).
struct cuda : simt::device_space<cuda, CUstream_st*> {
  static constexpr const char* name = "cuda";
  using device_space::device_space;
};
using cuda_workspace = simt::device_workspace<cuda>;

namespace detail {

template <>
struct element_alias<__half> {
  using type = half;
};
template <>
struct element_alias<__nv_bfloat16> {
  using type = bfloat16;
};

}  // namespace detail
}  // namespace accrue
