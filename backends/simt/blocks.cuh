// SPDX-License-Identifier: BSD-3-Clause
// Warp and block level: joining the threads' partial results.
#pragma once

#include "accrue/backends/simt/arithmetic.cuh"

namespace accrue::simt {

/// Joins the lanes' values pairwise, nearest first or farthest first by the caller's merge; the result is in lane 0.
template <class T, class Merge>
ACCRUE_DEVICE T merge_warp(T value, const Merge& merge) {
#pragma unroll
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) merge(value, shuffle_down(value, distance));
  return value;
}

/// Joins the threads' values; the result is in thread 0. `room` has a place for each warp and is free again afterwards.
template <class T, class Merge>
ACCRUE_DEVICE T merge_block(T value, const Merge& merge, T* room) {
  value = merge_warp(value, merge);
  if (warps() == 1) return value;
  if (lane() == 0) room[warp()] = value;
  sync_block();
  if (warp() == 0) {
    const unsigned present = warps();
    value = room[lane() < present ? lane() : 0];
#pragma unroll
    for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) {
      const T other = shuffle_down(value, distance);
      if (lane() + distance < present) merge(value, other);
    }
  }
  sync_block();
  return value;
}

/// Sum over the warp, in lane 0.
template <class T>
ACCRUE_DEVICE T sum_warp(T value) {
  return merge_warp(value, [](T& a, const T& b) { a += b; });
}

}  // namespace accrue::simt
