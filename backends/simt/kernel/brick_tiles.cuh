// SPDX-License-Identifier: BSD-3-Clause
// Bricks of cells and their tiles: what a block that computes a brick's forces has in shared memory.
#pragma once

#include "accrue/backends/simt/kernel/neighbor_kernels.cuh"

namespace accrue::simt {

/// A brick's cells, and those of its tile, each of them once. A direction whose cells are all in the tile begins with the first of them.
struct brick_shape {
  std::uint32_t first[3];
  std::uint32_t cells[3];
  std::uint32_t tile_first[3];
  std::uint32_t tile_cells[3];

  ACCRUE_DEVICE brick_shape(const list_geometry& g, const brick_tiles& tiles, std::uint32_t brick) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t count = g.cells[k];
      const std::uint32_t b = k == 0 ? brick % tiles.along[0] : k == 1 ? brick / tiles.along[0] % tiles.along[1]
                                                                       : brick / tiles.along[0] / tiles.along[1];
      first[k] = static_cast<std::uint32_t>(std::uint64_t{b} * count / tiles.along[k]);
      cells[k] = static_cast<std::uint32_t>((std::uint64_t{b} + 1) * count / tiles.along[k]) - first[k];
      if (cells[k] + 2 >= count) {
        tile_first[k] = 0;
        tile_cells[k] = count;
      } else if (g.periodic[k]) {
        tile_first[k] = first[k] == 0 ? count - 1 : first[k] - 1;
        tile_cells[k] = cells[k] + 2;
      } else {
        tile_first[k] = first[k] == 0 ? 0 : first[k] - 1;
        const std::uint32_t end = first[k] + cells[k] + 1;
        tile_cells[k] = (end < count ? end : count) - tile_first[k];
      }
    }
  }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t all_cells() const { return tile_cells[0] * tile_cells[1] * tile_cells[2]; }
  /// The number in the box of a cell of the tile, and whether it is the brick's.
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t in_box(const list_geometry& g, std::uint32_t cell, bool& in_brick) const {
    std::uint32_t at[3] = {cell % tile_cells[0], cell / tile_cells[0] % tile_cells[1], cell / tile_cells[0] / tile_cells[1]};
    in_brick = true;
    for (int k = 0; k < 3; ++k) {
      at[k] += tile_first[k];
      at[k] -= at[k] >= g.cells[k] ? g.cells[k] : 0;
      in_brick = in_brick && at[k] - first[k] < cells[k];
    }
    return (at[2] * g.cells[1] + at[1]) * g.cells[0] + at[0];
  }
  /// The place in the tile of a cell of the box.
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t in_tile(const list_geometry& g, std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    const std::uint32_t at[3] = {x, y, z};
    std::uint32_t there[3];
    for (int k = 0; k < 3; ++k) there[k] = at[k] >= tile_first[k] ? at[k] - tile_first[k] : at[k] + g.cells[k] - tile_first[k];
    return (there[2] * tile_cells[1] + there[1]) * tile_cells[0] + there[0];
  }
};

/// In shared memory sixteen x, their y, their z, and so on: a warp's reads of one component meet in few banks.
inline constexpr std::uint32_t tile_group = 16;
ACCRUE_HOST_DEVICE std::uint32_t entry_of(std::uint32_t place) {
  constexpr auto number = static_cast<std::uint32_t>(sizeof(double));
  return place / tile_group * (3 * tile_group * number) + place % tile_group * number;
}
/// Of two places at once, of 16 bits each.
ACCRUE_DEVICE std::uint32_t entries_of(std::uint32_t places) {
  constexpr auto number = static_cast<std::uint32_t>(sizeof(double));
  return places * (3 * number) - (places & 0x10001u * (tile_group - 1)) * (2 * number);
}
ACCRUE_HOST_DEVICE std::size_t tile_bytes(std::uint32_t room) {
  return std::size_t{(room + tile_group - 1) / tile_group} * tile_group * 3 * sizeof(double);
}
/// Of shared memory, that the system and the kernel take for a block beside its tile.
inline constexpr std::size_t beside_tile = 1024;
/// With a type for each place.
inline std::size_t typed_tile_bytes(std::uint32_t room) { return tile_bytes(room) / sizeof(double) * (sizeof(double) + 1); }
ACCRUE_DEVICE particle_place place_at(const unsigned char* tile, std::uint32_t entry) {
  const auto* const p = reinterpret_cast<const double*>(tile + entry);
  return {p[0], p[tile_group], p[2 * tile_group]};
}
ACCRUE_DEVICE void put_place(unsigned char* tile, std::uint32_t entry, const particle_place& p) {
  auto* const to = reinterpret_cast<double*>(tile + entry);
  to[0] = p.x;
  to[tile_group] = p.y;
  to[2 * tile_group] = p.z;
}

/// How many rows the fullest brick has, and places the fullest tile: what there must be room for.
template <class Number>
ACCRUE_KERNEL(neighbor_threads, 4)
measure_bricks_kernel(list_geometry g, brick_tiles tiles, const Number* begin, list_facts* facts) {
  unsigned most_rows = 0;
  unsigned most_places = 0;
  for (std::size_t brick = first_item(); brick < tiles.bricks; brick += item_step()) {
    const brick_shape shape(g, tiles, static_cast<std::uint32_t>(brick));
    unsigned rows = 0;
    unsigned places = 0;
    for (std::uint32_t c = 0; c < shape.all_cells(); ++c) {
      bool in_brick = false;
      const std::uint32_t cell = shape.in_box(g, c, in_brick);
      const std::uint32_t count = begin[cell + 1] - begin[cell];
      places += count;
      rows += in_brick ? count : 0;
    }
    most_rows = rows > most_rows ? rows : most_rows;
    most_places = places > most_places ? places : most_places;
  }
  most_rows = largest_in_warp(most_rows);
  most_places = largest_in_warp(most_places);
  if (lane() != 0) return;
  raise_atomically(&facts->most_rows, most_rows);
  raise_atomically(&facts->most_places, most_places);
}

/// The particles of each tile, and the rows of its brick: a block for a brick, a thread for a cell of its tile.
template <class Number>
ACCRUE_KERNEL(neighbor_threads, 4)
lay_bricks_kernel(list_geometry g, strip_rows rows, const Number* begin, const std::uint32_t* order) {
  static_assert(brick_tiles::most_cells <= neighbor_threads);
  ACCRUE_SHARED std::uint32_t scratch[neighbor_threads / least_warp];
  ACCRUE_SHARED std::uint32_t from[neighbor_threads];
  ACCRUE_SHARED std::uint32_t count[neighbor_threads];
  ACCRUE_SHARED std::uint32_t first_place[neighbor_threads];
  ACCRUE_SHARED std::uint32_t first_row[neighbor_threads];
  const brick_tiles& tiles = rows.tiles;
  const std::uint32_t t = thread();
  for (std::uint32_t brick = block(); brick < tiles.bricks; brick += blocks()) {
    const brick_shape shape(g, tiles, brick);
    const std::uint32_t cells = shape.all_cells();
    bool in_brick = false;
    const std::uint32_t cell = t < cells ? shape.in_box(g, t, in_brick) : 0;
    from[t] = begin[cell];
    count[t] = t < cells ? begin[cell + 1] - begin[cell] : 0;
    std::uint32_t places = 0;
    first_place[t] = sum_of_threads_below(count[t], scratch, places);
    std::uint32_t all_rows = 0;
    const std::uint32_t row = sum_of_threads_below(in_brick ? count[t] : 0, scratch, all_rows);
    first_row[t] = in_brick ? row : ~0u;
    if (t < cells) tiles.to_tile[std::size_t{brick} * brick_tiles::most_cells + t] = first_place[t] - from[t];
    if (t == 0) {
      tiles.places[brick] = places;
      tiles.rows[brick] = all_rows;
    }
    sync_block();
    const std::size_t first_of_brick = std::size_t{brick} * rows.rows_a_brick();
    for (std::uint32_t c = warp(); c < cells; c += warps()) {
      for (std::uint32_t k = lane(); k < count[c]; k += warp_width) {
        tiles.source[std::size_t{brick} * tiles.room + first_place[c] + k] = from[c] + k;
        if (first_row[c] == ~0u) continue;
        tiles.row[first_of_brick + first_row[c] + k] = from[c] + k;
        rows.caller()[first_of_brick + first_row[c] + k] = order[from[c] + k];
        tiles.own[first_of_brick + first_row[c] + k] = static_cast<std::uint16_t>(entry_of(first_place[c] + k));
      }
    }
    for (std::uint32_t k = all_rows + t; k < rows.rows_a_brick(); k += threads()) {
      tiles.row[first_of_brick + k] = rows.size;
      rows.caller()[first_of_brick + k] = rows.size;
      tiles.own[first_of_brick + k] = static_cast<std::uint16_t>(entry_of(places));
    }
    sync_block();
  }
}

}  // namespace accrue::simt
