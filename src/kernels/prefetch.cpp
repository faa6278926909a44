// SPDX-License-Identifier: BSD-3-Clause
// How far ahead this processor is asked for memory.
#include "prefetch.hpp"

namespace accrue::kernels {

const std::size_t prefetch_bytes = [] {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) {
    if (__builtin_cpu_supports("avx512vp2intersect")) return std::size_t{8192};  // Zen 5
    return std::size_t{__builtin_cpu_supports("avx512f") ? 0U : 1024U};
  }
  return std::size_t{2048};
#else
  return std::size_t{0};
#endif
}();

}  // namespace accrue::kernels
