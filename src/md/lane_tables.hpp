// SPDX-License-Identifier: BSD-3-Clause
// Tables of the vector kernels. They are static: Highway 1.0's own functions (Compress, Iota) put theirs on the stack at every call.
#pragma once

#include <array>
#include <cstdint>

namespace accrue::kernels {

struct alignas(16) vector_bytes : std::array<std::uint8_t, 16> {};

/// For each mask of four 32-bit lanes, which bytes bring the lanes chosen to the front.
inline constexpr std::array<vector_bytes, 16> front_of_four = [] {
  std::array<vector_bytes, 16> all{};
  for (unsigned mask = 0; mask < 16; ++mask) {
    unsigned to = 0;
    for (unsigned byte = 0; byte < 16; ++byte) {
      if ((mask >> (byte / 4) & 1) != 0) all[mask][to++] = static_cast<std::uint8_t>(byte);
    }
  }
  return all;
}();

/// The numbers of lanes.
alignas(32) inline constexpr std::uint32_t lane_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace accrue::kernels
