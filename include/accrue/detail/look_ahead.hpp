// SPDX-License-Identifier: BSD-3-Clause
// What a loop over a tile asks for from memory meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace accrue::kernels {

/// By default what lies as far ahead as suits the processor. Of several looks at a tile each asks for its share of the next one, evenly as
/// it goes, so that memory never waits for arithmetic.
struct look_ahead {
  std::size_t distance = 0;   ///< bytes from the tile's begin to what is asked for first; 0: as suits the processor
  std::uint32_t share = 256;  ///< of the bytes that it reads it asks for as many, in 256ths

  /// For look number `look` of `looks` at a tile.
  static constexpr look_ahead at_next(std::size_t tile_bytes, std::size_t look, std::size_t looks) {
    return {tile_bytes + tile_bytes * look / looks, static_cast<std::uint32_t>(256 / looks)};
  }
  /// The same for the rest of the tile behind its first bytes.
  [[nodiscard]] constexpr look_ahead behind(std::size_t bytes) const {
    if (distance == 0) return {};
    return {distance - bytes + (bytes * share >> 8), share};
  }
};

}  // namespace accrue::kernels
