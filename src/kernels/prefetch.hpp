// SPDX-License-Identifier: BSD-3-Clause
// Asking for memory ahead of the loads of a loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hwy/base.h>
#include <hwy/cache_control.h>

#include "accrue/detail/look_ahead.hpp"

namespace accrue::kernels {

/// Bytes ahead of its loads that a kernel asks for memory. AMD's processors have prefetchers that this disturbs: 0, which asks for
/// what is loaded next anyway, on Zen 4 (exact sums of doubles in 1.1 of a plain loop's time against 1.3 at 1 KiB), 1 KiB before
/// (Zen 3: 18 GB/s against 14 at 4 KiB, of 19 for a plain loop). 8 KiB on Zen 5 (sums in 0.86 of the plain loop's time against 1.07 at 0
/// by AVX2, 1.15 against 1.44 by AVX-512). 2 KiB on Intel's: a Xeon with two cores reads 28.9 GB/s for a minimum of doubles, 21.3 at 8 KiB
/// and 25.7 at 0, of 30 for a read-only loop; on 16 cores of Emerald Rapids 2 and 8 KiB are alike but for 16-bit floats, where 2 is better.
/// 0 on other architectures, where nothing has been measured.
extern const std::size_t prefetch_bytes;

/// What lies so many bytes behind p, which need not exist.
HWY_INLINE void prefetch_later(const void* p, std::uintptr_t bytes) {
  hwy::Prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(p) + bytes));
}
/// Asks for so many bytes from `ahead` after p on.
HWY_INLINE void prefetch_ahead(const void* p, std::size_t bytes, std::size_t ahead = prefetch_bytes) {
  for (std::size_t b = 0; b < bytes; b += 64) prefetch_later(p, ahead + b);
}
/// Asks for what a tile's loop wants when it reads so many bytes, some lines, from an offset on. Without a branch, which would cost more.
HWY_INLINE void prefetch_next(const void* tile, std::size_t offset, std::size_t bytes, const look_ahead& next) {
  constexpr std::size_t line = 64;
  const std::uintptr_t distance = next.distance != 0 ? next.distance : prefetch_bytes;
  const std::uintptr_t first = distance + (offset * next.share >> 8);
  for (std::size_t k = 0; k < (bytes + line - 1) / line; ++k) prefetch_later(tile, first + k * (line * next.share >> 8));
}

}  // namespace accrue::kernels
