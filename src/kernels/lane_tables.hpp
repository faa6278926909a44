// SPDX-License-Identifier: BSD-3-Clause
// For each mask of four lanes, which lanes come to the front. A static table: Highway 1.0's Compress copies its own to the stack at
// every call.
#pragma once

#include <array>
#include <cstdint>

namespace accrue::kernels {

struct alignas(16) four_lanes : std::array<std::uint32_t, 4> {};

inline constexpr std::array<four_lanes, 16> front_of_four = [] {
  std::array<four_lanes, 16> all{};
  for (unsigned mask = 0; mask < 16; ++mask) {
    unsigned to = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      if ((mask >> lane & 1) != 0) all[mask][to++] = lane;
    }
  }
  return all;
}();

}  // namespace accrue::kernels
