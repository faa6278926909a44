// SPDX-License-Identifier: BSD-3-Clause
// The kernel that gives the particles of bricks their rows of neighbours, by their places in the brick's tile.
#pragma once

#include "accrue/backends/simt/kernel/row_writer.cuh"

namespace accrue::simt {

/// Single precision's view of a pair: the square of its distance less that of the reach, which is wrong by `unsure` at most.
struct tile_reach {
  float squared;
  float unsure;
};
/// Of a tile, as the rows of its brick look at it: a place relative to the brick's middle, and the square of its distance from there.
struct alignas(16) tile_place {
  float x, y, z;
  float squared;
};
inline constexpr std::uint32_t tile_places_at_once = 4;  ///< that are asked for together; so many are behind the last one
inline constexpr unsigned brick_row_threads = 320;       ///< of a block, at most
/// Of shared memory, for a block of so many threads.
template <unsigned lanes_shift>
std::size_t brick_row_bytes(std::uint32_t room, unsigned threads) {
  return (room + tile_places_at_once) * sizeof(tile_place) + threads * row_of_parts<lanes_shift, std::uint16_t>::bytes_a_thread;
}

/// In one direction, how far from the brick's middle the places of its tile can be, and its particles' images that look at them.
inline double farthest_in_tile(const list_geometry& g, int k) {
  const double edge = g.inverse_edge[k] > 0 ? 1 / g.inverse_edge[k] : 0;
  const std::uint32_t most = brick_tiles::brick_cells[k] + 2;
  return g.cells[k] <= most ? 1.5 * g.cells[k] * edge : 0.5 * most * edge;
}

/// Each particle's row, by a block for a brick: a lane for each. Rows that are longer than there is room for are told by
/// `facts->longest_row`, and are no rows. Of a partner in a cell around the box only the image that lies there may be within reach.
template <unsigned lanes_shift>
ACCRUE_KERNEL(brick_row_threads, 3)
build_brick_rows_kernel(list_geometry g, strip_rows rows, double reach_squared, tile_reach reach, const std::uint32_t* begin,
                        particle_places places, const rough_place* rough, const std::uint32_t* order, list_facts* facts) {
  using writer = row_of_parts<lanes_shift, std::uint16_t>;
  ACCRUE_SHARED std::uint32_t first_place[brick_tiles::most_cells + 1];  // of each cell of the tile
  ACCRUE_SHARED std::uint32_t to_tile[brick_tiles::most_cells];
  const brick_tiles& tiles = rows.tiles;
  auto* const tile = reinterpret_cast<tile_place*>(dynamic_shared());
  void* const waiting = tile + tiles.room + tile_places_at_once;
  const std::uint32_t brick = block();
  const brick_shape shape(g, tiles, brick);
  const std::uint32_t cells = shape.all_cells();
  const std::uint32_t all_places = tiles.places[brick];
  for (std::uint32_t c = thread(); c < cells; c += threads()) {
    bool in_brick = false;
    to_tile[c] = tiles.to_tile[std::size_t{brick} * brick_tiles::most_cells + c];
    first_place[c] = begin[shape.in_box(g, c, in_brick)] + to_tile[c];
  }
  if (thread() == 0) first_place[cells] = all_places;
  // Each cell of a tile is in there once: in a direction in which that is all of the box, where it lies in the box; else its image beside
  // the brick. What shifts a particle there, or here its partner, is 0 in the other case.
  float middle[3];
  float shift_of_own[3];
  float shift_of_place[3];
  float over_shift[3];
  for (int k = 0; k < 3; ++k) {
    const bool all = shape.tile_cells[k] == g.cells[k];
    middle[k] = g.inverse_edge[k] > 0 ? static_cast<float>((shape.first[k] + 0.5 * shape.cells[k]) / g.inverse_edge[k]) : 0;
    shift_of_own[k] = all ? static_cast<float>(g.length[k]) : 0;
    shift_of_place[k] = all ? 0 : static_cast<float>(g.length[k]);
    over_shift[k] = all ? 0 : static_cast<float>(g.inverse_length[k]);
  }
  const std::uint32_t* const source = tiles.source + std::size_t{brick} * tiles.room;
  for (std::uint32_t p = thread(); p < all_places + tile_places_at_once; p += threads()) {
    tile_place at{};
    if (p < all_places) {
      const rough_place from = rough[source[p]];
      float d[3] = {from.x - middle[0], from.y - middle[1], from.z - middle[2]};
      for (int k = 0; k < 3; ++k) d[k] -= shift_of_place[k] * rintf(d[k] * over_shift[k]);
      at = {d[0], d[1], d[2], d[0] * d[0] + d[1] * d[1] + d[2] * d[2]};
    }
    tile[p] = at;
  }
  sync_block();

  const std::uint32_t rows_a_brick = rows.rows_a_brick();
  for (std::uint32_t first_row = warp() * warp_width; first_row < rows_a_brick; first_row += threads()) {
    const bool in_brick = first_row + lane() < rows_a_brick;  // lanes without a row fill the strip's places
    const std::uint32_t at = in_brick ? brick * rows_a_brick + first_row + lane() : rows.strips() * rows.rows_a_strip();
    const std::uint32_t row = in_brick ? tiles.row[at] : rows.size;
    const bool there = row < rows.size;
    writer to(rows, at, all_places, waiting, threads());
    tile_place own{};
    runs_around runs;
    bool images = false;  // whether a partner may be another image
    if (there) {
      std::uint32_t cell[3];
      images = find_cell(g, places.at(row), cell);
      own = tile[row + to_tile[shape.in_tile(g, cell[0], cell[1], cell[2])]];
      runs = runs_around(g, cell);
    }
    // All lanes of a warp go through their lines of cells together, so that they write together.
    const lines_of_warp lines(runs);
    const auto take_line = [&](int pass, int z, int y, int piece) {
      const cell_line line = runs.cells_at(g, z, y, piece);
      std::uint32_t next = 0;  // a place in the tile
      std::uint32_t end = 0;
      if (line.cells != 0) {
        const std::uint32_t cell = shape.in_tile(g, line.x, line.y, line.z);
        const std::uint32_t from = first_place[cell] - to_tile[cell];  // the number of the particle at the first place
        const std::uint32_t before = row > from ? row - from : 0;      // how many come before the row's
        next = first_place[cell];
        end = first_place[cell + line.cells];
        const std::uint32_t cut = next + before + (pass == 0 && row >= from ? 1 : 0);
        if (pass == 0) {
          next = cut < end ? cut : end;
        } else {
          end = cut < end ? cut : end;
        }
      }
      if (!any(next < end)) return;
      const float a[3] = {own.x + static_cast<float>(line.around[0]) * shift_of_own[0],
                          own.y + static_cast<float>(line.around[1]) * shift_of_own[1],
                          own.z + static_cast<float>(line.around[2]) * shift_of_own[2]};
      const float twice[3] = {-2 * a[0], -2 * a[1], -2 * a[2]};
      const float beyond = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - reach.squared;
      for (; any(next < end); next += row_part) {
        if (any(!to.has_room())) to.flush();
        if (next >= end) continue;
        const std::uint32_t size = end - next < row_part ? end - next : row_part;
        const tile_place* others = tile + next;
        const auto distance = [&](const tile_place& b) {
          return fmaf(twice[2], b.z, fmaf(twice[1], b.y, fmaf(twice[0], b.x, b.squared + beyond)));
        };
        std::uint32_t near = 0;  // the first place's is the highest bit
        std::uint32_t looked_at = 0;
        float nearest_to_reach = reach.squared;
        float least = 0;
#pragma unroll 1
        for (; looked_at < size; looked_at += tile_places_at_once) {
          tile_place four[tile_places_at_once];
#pragma unroll
          for (std::uint32_t k = 0; k < tile_places_at_once; ++k) four[k] = others[looked_at + k];
#pragma unroll
          for (const tile_place& b : four) {
            const float d = distance(b);
            near = near << 1 | std::bit_cast<std::uint32_t>(d) >> 31;
            nearest_to_reach = fminf(nearest_to_reach, fabsf(d));
            least = fminf(least, d);
          }
        }
        near <<= row_part - looked_at;
        near &= ~std::uint32_t{0} << (row_part - size);
        // Seldom. Of two particles at one place the one that comes first sees the other.
        if (nearest_to_reach <= reach.unsure || (pass == 0 && least <= reach.unsure - reach.squared)) {
          for (std::uint32_t k = 0; k < size; ++k) {
            const float d = distance(others[k]);
            if (fabsf(d) > reach.unsure && d > reach.unsure - reach.squared) continue;
            const std::uint32_t bit = std::uint32_t{1} << (row_part - 1 - k);
            near = is_within_reach(g, places, row, source[next + k], reach_squared, order, facts) ? near | bit : near & ~bit;
          }
        }
        to.add(near, next);
      }
    };
    for (int pass = 0; pass < 2; ++pass) {  // partners behind, then those before
      if (any(there)) lines.visit(pass, take_line);
      if (pass == 0 && in_brick) rows.front[at] = there ? to.size() : 0;
    }
    end_row(rows, to, images && to.size() != 0, facts);
  }
}

}  // namespace accrue::simt
