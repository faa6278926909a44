// SPDX-License-Identifier: BSD-3-Clause
// How blocks hand their pairs of doubles to the last one: slots in the memory of the call.
#pragma once

#include "accrue/backends/simt/kernel/blocks.cuh"

namespace accrue::simt {

/// The memory of the call: zeros before and after, limbs first, then the blocks' slots.
inline constexpr std::size_t limb_bytes = 4096;
inline constexpr std::size_t slot_bytes = 16;

/// Where the result goes, and the memory of the call.
struct pair_ending {
  void* result;
  unsigned char* zeros;
  unsigned result_bytes;  ///< 0: a state is wanted

  [[nodiscard]] ACCRUE_DEVICE std::uint64_t* slot(unsigned block) const {
    return reinterpret_cast<std::uint64_t*>(zeros + limb_bytes) + std::size_t{2} * block;
  }
};

/// What slots hold: the bits of two doubles, inverted, so that zero is no value. A marker stands for a sum that is in the limbs.
struct slot_pair {
  std::uint64_t high;
  std::uint64_t low;

  static ACCRUE_DEVICE slot_pair of(double high, double low) {
    return {~std::bit_cast<std::uint64_t>(high), ~std::bit_cast<std::uint64_t>(low)};
  }
  static ACCRUE_DEVICE slot_pair marker() { return of(from_words(0x7ff80000u, 0), 0); }
  [[nodiscard]] ACCRUE_DEVICE double high_part() const { return std::bit_cast<double>(~high); }
  [[nodiscard]] ACCRUE_DEVICE double low_part() const { return std::bit_cast<double>(~low); }
};
/// A warp's lanes wait in step for the slots of all blocks.
template <unsigned each>
ACCRUE_DEVICE void wait_for_slots(const pair_ending& end, slot_pair (&pair)[each]) {
  const std::uint64_t* slot = end.slot(lane());
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    pair[k] = {0, 0};
    if (lane() + k * warp_width >= blocks()) pair[k] = slot_pair::of(0, 0);
  }
  bool missing = false;
  do {
    missing = false;
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      if (pair[k].high == 0 || pair[k].low == 0) load_from_device(pair[k].high, pair[k].low, slot + 2 * k * warp_width);
    }
#pragma unroll
    for (unsigned k = 0; k < each; ++k) missing = missing || pair[k].high == 0 || pair[k].low == 0;
  } while (any(missing));
}

/// Leaves a block's pair in its slot; warp 0's part.
ACCRUE_DEVICE void leave_pair(const slot_pair& pair, const pair_ending& end) {
  if (lane() == 0) store_to_device(end.slot(block()), pair.high, pair.low);
}

}  // namespace accrue::simt
