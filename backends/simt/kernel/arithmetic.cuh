// SPDX-License-Identifier: BSD-3-Clause
// The dialect that the kernels are written in, which holds everything that differs between devices and their compilers; and
// elements in the type that carries them. A test may put another dialect in the place of the device's.
#pragma once

#include "accrue/backends/simt/kernel/limits.hpp"

#if defined(ACCRUE_SIMT_DIALECT)
#include ACCRUE_SIMT_DIALECT
#elif defined(__HIP_PLATFORM_AMD__)
#include "accrue/backends/simt/dialect/amd.cuh"
#else
#include "accrue/backends/simt/dialect/nvidia.cuh"
#endif

namespace accrue::simt {

template <class T>
ACCRUE_DEVICE double to_double(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    return widen(to_float(x));
  }
}
/// An element in the arithmetic type R, rounded to nearest.
template <class R, class T>
ACCRUE_DEVICE R to_arithmetic(T x) {
  if constexpr (std::is_same_v<R, double>) {
    return to_double(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return narrow(x);
  } else {
    return to_float(x);
  }
}

template <class T>
ACCRUE_DEVICE T magnitude(T x) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<T>(static_cast<bits>(std::bit_cast<bits>(x) << 1 >> 1));
}

}  // namespace accrue::simt
