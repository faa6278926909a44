// SPDX-License-Identifier: BSD-3-Clause
// Thread, warp and block level: loops over elements in registers, joining the threads' partial results.
#pragma once

#include "accrue/backends/simt/kernel/arithmetic.cuh"

namespace accrue::simt {

/// Calls f(k, element) with the first `count` elements of an array in registers, k = 0 .. at_once - 1 in each turn of a loop: code
/// that is rare or wide should be short, and take few registers. The elements move up to the first places.
template <unsigned at_once, class T, std::size_t n, class F>
ACCRUE_DEVICE void for_each_in_turn(const T (&x)[n], unsigned count, const F& f) {
  T rest[n];
#pragma unroll
  for (std::size_t k = 0; k < n; ++k) rest[k] = x[k];
#pragma unroll 1
  for (unsigned done = 0; done < count; done += at_once) {
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) f(k, rest[k]);
#pragma unroll
    for (std::size_t k = 0; k + at_once < n; ++k) rest[k] = rest[k + at_once];
  }
}

/// Joins the lanes' values pairwise, nearest first or farthest first by the caller's merge; the result is in lane 0.
template <class T, class Merge>
ACCRUE_DEVICE T merge_warp(T value, const Merge& merge) {
#pragma unroll
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) merge(value, shuffle_down(value, distance));
  return value;
}

/// Joins the threads' values; the result is in thread 0. `join` joins the lanes' values into lane 0. `storage` has a place for each
/// warp and is free again afterwards.
template <class T, class Join>
ACCRUE_DEVICE T join_block(T value, T empty, const Join& join, T* storage) {
  value = join(value);
  if (warps() == 1) return value;
  if (lane() == 0) storage[warp()] = value;
  sync_block();
  if (warp() == 0) {
    value = empty;
    if (lane() < warps()) value = storage[lane()];
    value = join(value);
  }
  sync_block();
  return value;
}

/// Whether this block is the last of `count` to get here; the last sees what they all wrote. A barrier for the whole block.
ACCRUE_DEVICE bool is_last_block(unsigned* ticket, unsigned count) {
  ACCRUE_SHARED bool last;
  fence_before_barrier();
  sync_block();
  if (count == 1) return true;
  if (thread() == 0) {  // its fences stand for the whole block, between the two barriers
    fence_device();
    last = count_up(ticket, count - 1) == count - 1;
    fence_device();
  }
  sync_block();
  return last;
}

/// Sums integers over the warp in pieces of 16 bits: lane 4 j + p has the sum of the pieces p, from bit 16 p, of the lanes' v[j].
template <unsigned n>
ACCRUE_DEVICE int sum_of_lanes(const std::int64_t (&v)[n]) {
  int mine = 0;
#pragma unroll
  for (unsigned j = 0; j < n; ++j) {
#pragma unroll
    for (unsigned p = 0; p < 4; ++p) {
      const auto shifted = static_cast<int>(v[j] >> (16 * p));
      const auto sum = static_cast<int>(sum_in_warp(static_cast<unsigned>(p == 3 ? shifted : shifted & 0xffff)));
      if (lane() == 4 * j + p) mine = sum;
    }
  }
  return mine;
}

}  // namespace accrue::simt
