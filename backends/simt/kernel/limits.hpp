// SPDX-License-Identifier: BSD-3-Clause
// Limits that kernels and launches share.
#pragma once

namespace accrue::simt {

/// Threads of a block, at most, and its warps, at most: shared memory is laid out for the narrowest warps, since the host does not know the
/// device's when it compiles.
inline constexpr unsigned most_threads = 512;
inline constexpr unsigned least_warp = 32;
inline constexpr unsigned most_warps = most_threads / least_warp;

}  // namespace accrue::simt
