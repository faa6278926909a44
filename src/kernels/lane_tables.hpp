// SPDX-License-Identifier: BSD-3-Clause
// For each mask of four lanes, the shuffle that moves the chosen ones to the front. Static tables: Highway 1.0's Compress copies its own to
// the stack at every call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace accrue::kernels {

/// Lanes of `words` 32-bit words each, as indices of words.
template <unsigned words>
struct front_words {
  alignas(32) std::uint32_t index[16][4 * words];
  constexpr front_words() : index{} {
    for (unsigned mask = 0; mask < 16; ++mask) {
      unsigned to = 0;
      for (unsigned lane = 0; lane < 4; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        for (unsigned w = 0; w < words; ++w) index[mask][to++] = words * lane + w;
      }
    }
  }
};
inline constexpr front_words<1> front_of_4x32;
inline constexpr front_words<2> front_of_4x64;

}  // namespace accrue::kernels
