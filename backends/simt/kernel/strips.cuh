// SPDX-License-Identifier: BSD-3-Clause
// How a sweep goes through the strips of a list: partners in memory, or in a brick's tile.
#pragma once

#include "accrue/backends/simt/kernel/brick_tiles.cuh"

namespace accrue::simt {

/// Particles as a sweep finds them, in the order of the rows; behind the last one that is none.
struct particles_now {
  particle_places places;
  std::uint8_t* types;  ///< or nullptr
};

/// A strip, as one of the lanes sees it that work on it.
struct strip_work {
  std::uint32_t number;
  std::uint32_t at;        ///< where the lane's row is among all
  std::uint32_t particle;  ///< whose row that is: in the list's order, from tiles by the caller's number; for none how many there are
  std::uint32_t steps;     ///< 0 behind the last strip
  bool crosses;
  vector16 first;  ///< the lane's first entries
  particle_place own;
  unsigned own_type;  ///< where particles have types
};

/// What entries say: the number of a particle, or where it is in a tile.
struct partners_in_memory {
  using entry = std::uint32_t;
  particle_places now;
  const std::uint8_t* types;
  std::uint32_t none;

  [[nodiscard]] ACCRUE_DEVICE particle_place at(std::uint32_t e) const { return now.at(e); }
  [[nodiscard]] ACCRUE_DEVICE unsigned type_of(std::uint32_t e) const { return types[e]; }
};
struct partners_in_tile {
  using entry = std::uint16_t;
  const unsigned char* tile;
  const std::uint8_t* types;  ///< behind the places, one for every eight bytes of them
  std::uint32_t none;

  [[nodiscard]] ACCRUE_DEVICE particle_place at(std::uint32_t e) const { return place_at(tile, e); }
  [[nodiscard]] ACCRUE_DEVICE unsigned type_of(std::uint32_t e) const { return types[e / 8]; }
};

/// Several entries of a lane that are read together.
template <class Entry>
ACCRUE_DEVICE std::uint32_t entry_in(const vector16& load, unsigned k) {
  if constexpr (sizeof(Entry) == 2) {
    return k % 2 == 0 ? load.word[k / 2] & 0xffff : load.word[k / 2] >> 16;
  } else {
    return load.word[k];
  }
}

/// Copies a brick's tile to shared memory, with one more that is far away. Before a barrier.
template <bool has_types>
ACCRUE_DEVICE partners_in_tile copy_tile(const strip_rows& rows, const particles_now& now, std::uint32_t brick) {
  constexpr std::uint32_t at_once = 8;  // first where they come from, then the places
  unsigned char* const tile = dynamic_shared();
  std::uint8_t* const types = tile + tile_bytes(rows.tiles.room);
  const std::uint32_t places = rows.tiles.places[brick];
  const std::uint32_t* const source = rows.tiles.source + std::size_t{brick} * rows.tiles.room;
  for (std::uint32_t first = thread(); first < places; first += at_once * threads()) {
    std::uint32_t from[at_once];
#pragma unroll
    for (std::uint32_t k = 0; k < at_once; ++k) from[k] = first + k * threads() < places ? source[first + k * threads()] : rows.size;
    if (first == thread()) wait_for_kernel_before();
#pragma unroll
    for (std::uint32_t k = 0; k < at_once; ++k) {
      const std::uint32_t entry = entry_of(first + k * threads());
      if (first + k * threads() >= places) continue;
      put_place(tile, entry, now.places.at(from[k]));
      if constexpr (has_types) types[entry / 8] = now.types[from[k]];
    }
  }
  if (thread() == 0) {
    put_place(tile, entry_of(places), {0x1p100, 0x1p100, 0x1p100});
    if constexpr (has_types) types[entry_of(places) / 8] = 0;
  }
  return {tile, types, entry_of(places)};
}

/// A strip, by the lanes that work on it.
template <class Entry>
ACCRUE_DEVICE strip_work strip_at(const strip_rows& rows, bool there, std::uint32_t number) {
  const unsigned my_lane = thread() % strip_lanes;
  const std::uint32_t at = number * rows.rows_a_strip() + (my_lane >> rows.lanes_shift);
  strip_work strip{number, at, rows.size, 0, false, {}, {-0x1p100, -0x1p100, -0x1p100}, 0};
  if (there) {
    const std::uint32_t about = rows.steps[number];
    strip.first = load_vector16(static_cast<const Entry*>(rows.entries) + rows.template place<Entry>(number, 0, my_lane));
    strip.steps = about & ~strip_rows::crosses;
    strip.crosses = (about & strip_rows::crosses) != 0;
  }
  return strip;
}

/// Calls `visit(strip, partners)` for all strips, by all lanes of a warp together; lanes without a row have one far from everything.
template <class Partners, bool has_types, class Visit>
  requires std::is_same_v<Partners, partners_in_memory>
ACCRUE_DEVICE void for_each_strip(const strip_rows& rows, const particles_now& now, const Visit& visit) {
  const std::uint32_t strips_a_block = threads() / strip_lanes;
  const std::uint32_t my_strip = thread() / strip_lanes;
  const partners_in_memory partners{now.places, now.types, rows.size};
  for (std::uint32_t first = block() * strips_a_block; first < rows.strips(); first += blocks() * strips_a_block) {
    const bool there = first + my_strip < rows.strips();
    strip_work strip = strip_at<std::uint32_t>(rows, there, first + my_strip);
    wait_for_kernel_before();
    if (there && strip.at < rows.size) {
      strip.particle = strip.at;
      strip.own = partners.at(strip.particle);
      if constexpr (has_types) strip.own_type = partners.type_of(strip.particle);
    }
    visit(strip, partners);
  }
}
/// The same from tiles. A block has a brick; its warps take the next strips when they are done with theirs.
template <class Partners, bool has_types, class Visit>
  requires std::is_same_v<Partners, partners_in_tile>
ACCRUE_DEVICE void for_each_strip(const strip_rows& rows, const particles_now& now, const Visit& visit) {
  ACCRUE_SHARED std::uint32_t taken;
  constexpr std::uint32_t strips_a_warp = warp_width / strip_lanes;
  const brick_tiles& tiles = rows.tiles;
  for (std::uint32_t brick = block(); brick < tiles.bricks; brick += blocks()) {
    if (brick != block()) sync_block();  // nobody reads the tile before
    const std::uint32_t strips = (tiles.rows[brick] + rows.rows_a_strip() - 1) / rows.rows_a_strip();
    if (thread() == 0) taken = warps() * strips_a_warp;
    partners_in_tile partners{};
    std::uint32_t first = warp() * strips_a_warp;
    do {
      const std::uint32_t in_brick = first + lane() / strip_lanes;
      const bool there = in_brick < strips;
      strip_work strip = strip_at<std::uint16_t>(rows, there, brick * tiles.strips + in_brick);
      std::uint32_t own = 0;
      if (there) {
        strip.particle = rows.caller()[strip.at];
        own = tiles.own[strip.at];
      }
      if (partners.tile == nullptr) {  // while what is above is on its way
        partners = copy_tile<has_types>(rows, now, brick);
        sync_block();
      }
      if (strip.particle != rows.size) {
        strip.own = partners.at(own);
        if constexpr (has_types) strip.own_type = partners.type_of(own);
      }
      visit(strip, partners);
      first = shuffle(lane() == 0 ? fetch_add(&taken, strips_a_warp) : 0u, 0);
    } while (first < strips);
  }
}

}  // namespace accrue::simt
