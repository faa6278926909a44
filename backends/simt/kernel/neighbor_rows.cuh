// SPDX-License-Identifier: BSD-3-Clause
// The kernel that gives particles, sorted by cell, their rows of neighbours.
#pragma once

#include <type_traits>

#include "accrue/backends/simt/kernel/brick_tiles.cuh"

namespace accrue::simt {

/// Writes the entries of a thread's row, of so many lanes, one behind the other: numbers of particles, or places in a tile. They wait in
/// shared memory until there are whole loads.
template <unsigned lanes_shift, class Entry>
class row_writer {
 public:
  using entry = Entry;
  static constexpr std::uint32_t rows_a_strip = strip_lanes >> lanes_shift;
  static constexpr std::uint32_t most_waiting = 64;
  struct buffer {
    Entry waiting[most_waiting][neighbor_threads];
  };

  ACCRUE_DEVICE row_writer(const strip_rows& rows, std::uint32_t row, std::uint32_t filler, buffer& all)
      : waiting_(&all.waiting[0][thread()]),
        end_(waiting_),
        filler_(filler),
        strip_(row / rows_a_strip),
        first_lane_((row % rows_a_strip) << lanes_shift),
        room_(rows.room << lanes_shift) {
    next_ = static_cast<Entry*>(rows.entries) + rows.template place<Entry>(strip_, 0, first_lane_);
  }

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t strip() const { return strip_; }
  [[nodiscard]] ACCRUE_DEVICE bool is_first() const { return first_lane_ == 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t size() const { return written_ + waiting(); }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t steps() const { return (size() + lanes - 1) >> lanes_shift; }

  [[nodiscard]] ACCRUE_DEVICE bool has_room(std::uint32_t entries) const { return waiting() + entries <= most_waiting; }
  /// Adds a partner. There must be room.
  ACCRUE_DEVICE void add(std::uint32_t partner) {
    *end_ = static_cast<Entry>(partner);
    end_ += neighbor_threads;
  }
  /// Adds `all` partners to the row of lane `of`, by all lanes of a warp together: the caller's behind `below` others, where it has one.
  /// There must be room.
  ACCRUE_DEVICE void add_to(unsigned of, bool has_one, unsigned below, std::uint32_t partner, unsigned all) {
    Entry* const its_end = waiting_ - lane() + of + shuffle(waiting(), of) * neighbor_threads;
    sync_warp();  // it may have written what was waiting
    if (has_one) its_end[below * neighbor_threads] = static_cast<Entry>(partner);
    sync_warp();
    if (lane() == of) end_ += all * neighbor_threads;
  }
  /// Writes whole loads of all lanes, or forgets them where the row has no room. Afterwards few are waiting.
  ACCRUE_DEVICE void flush() {
    const std::uint32_t count = waiting();
    std::uint32_t first = 0;
    for (; first + together <= count; first += together) {
      written_ += together;
      for (std::uint32_t l = 0; l < lanes && written_ <= room_; ++l) {
        vector16 load;
        for (std::uint32_t w = 0; w < 4; ++w) load.word[w] = word(first + l, w);
        *reinterpret_cast<vector16*>(next_ + l * each) = load;
      }
      next_ += strip_lanes * each;
    }
    if (first == 0) return;
    for (std::uint32_t k = first; k < count; ++k) waiting_[(k - first) * neighbor_threads] = waiting_[k * neighbor_threads];
    end_ -= first * neighbor_threads;
  }
  /// Fills the row up to so many steps, whole loads, with what is no particle, and writes it.
  ACCRUE_DEVICE void fill(std::uint32_t steps) {
    while (size() < steps << lanes_shift) {
      if (!has_room(1)) flush();
      add(filler_);
    }
    flush();
  }

 private:
  static constexpr std::uint32_t lanes = 1u << lanes_shift;
  static constexpr std::uint32_t each = entries_a_load<Entry>;
  static constexpr std::uint32_t together = lanes * each;
  static_assert(most_waiting % together == 0);

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t waiting() const { return static_cast<std::uint32_t>(end_ - waiting_) / neighbor_threads; }
  /// Word w of the load of a lane whose first entry is waiting at `first`.
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t word(std::uint32_t first, std::uint32_t w) const {
    const auto at = [&](std::uint32_t k) { return std::uint32_t{waiting_[(first + k * lanes) * neighbor_threads]}; };
    if constexpr (sizeof(Entry) == 2) {
      return entry_of(at(2 * w)) | entry_of(at(2 * w + 1)) << 16;
    } else {
      return at(w);
    }
  }

  Entry* waiting_;
  Entry* end_;  ///< of those that are waiting
  Entry* next_;
  std::uint32_t filler_;
  std::uint32_t strip_;
  std::uint32_t first_lane_;
  std::uint32_t room_;
  std::uint32_t written_ = 0;
};

/// Squares of distances in single precision: nearer than `surely` and no nearer than `least` every pair is within reach, and beyond `most`
/// none; elsewhere double precision decides.
struct rough_reach {
  float least;
  float surely;
  float most;
};

/// Ends the rows of a strip, by all lanes of a warp together: fills them up to the same length, and tells what they have.
template <class Writer>
ACCRUE_DEVICE void end_row(const strip_rows& rows, Writer& to, bool crosses, list_facts* facts) {
  using entry = typename Writer::entry;
  const std::uint32_t found = to.size();
  std::uint32_t steps = to.steps();
  unsigned crossing = crosses ? 1 : 0;
  for (unsigned distance = 1; distance < Writer::rows_a_strip; distance *= 2) {
    const std::uint32_t other = shuffle_xor(steps, distance);
    steps = other > steps ? other : steps;
    crossing |= shuffle_xor(crossing, distance);
  }
  const auto rounded = [](std::uint32_t n, std::uint32_t to_multiple) { return (n + to_multiple - 1) / to_multiple * to_multiple; };
  if (to.strip() < rows.strips() && steps <= rows.room) {
    to.fill(rounded(steps != 0 ? steps : 1, entries_a_load<entry>));  // sweeps read the first load at once
    if (to.is_first()) rows.steps[to.strip()] = rounded(steps, steps_at_once<entry>) | (crossing != 0 ? strip_rows::crosses : 0);
  }
  std::uint64_t entries = found;
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) entries += shuffle_xor(entries, distance);
  const unsigned longest = largest_in_warp(found);
  if (lane() == 0) {
    add_atomically(&facts->entries, entries);
    raise_atomically(&facts->longest_row, longest);
  }
}

/// Each particle's row: a lane for each. Half rows have the partners that come later in the order alone. Rows that are longer than there is
/// room for are told by `facts->longest_row`, and are no rows. `by_shifts`: of a partner in a cell around the box only the image that lies
/// there can be within reach; else the nearest one is looked for.
template <unsigned lanes_shift, class Entry>
ACCRUE_KERNEL(neighbor_threads, 8)
build_rows_kernel(list_geometry g, strip_rows rows, bool half, bool by_shifts, double reach_squared, rough_reach reach,
                  const std::uint32_t* begin, particle_places places, const rough_place* rough, const std::uint32_t* order,
                  list_facts* facts) {
  constexpr bool in_bricks = sizeof(Entry) == 2;
  using writer = row_writer<lanes_shift, Entry>;
  ACCRUE_SHARED typename writer::buffer waiting;
  const std::uint32_t at = block() * threads() + thread();  // lanes without a row fill the strip's places
  const std::uint32_t end_of_rows = rows.strips() * writer::rows_a_strip;
  [[maybe_unused]] const std::uint32_t brick = in_bricks && at < end_of_rows ? at / rows.rows_a_brick() : 0;
  std::uint32_t row = at;
  std::uint32_t filler = rows.size;
  if constexpr (in_bricks) {
    row = at < end_of_rows ? rows.tiles.row[at] : rows.size;
    filler = rows.tiles.places[brick];
  }
  [[maybe_unused]] const brick_shape shape(g, rows.tiles, brick);
  writer to(rows, at, filler, waiting);
  const bool there = row < rows.size;
  rough_place own{};
  runs_around runs;
  bool images = false;  // whether a partner may be another image
  if (there) {
    own = rough[row];
    const particle_place p = places.at(row);
    const double x[3] = {p.x, p.y, p.z};
    std::uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
      cell[k] = cell_along(g, k, x[k]);
      images = images || (g.periodic[k] && (cell[k] == 0 || cell[k] + 1 == g.cells[k] || g.cells[k] < 5));
    }
    runs = runs_around(g, cell);
  }
  const float length[3] = {static_cast<float>(g.length[0]), static_cast<float>(g.length[1]), static_cast<float>(g.length[2])};
  const float inverse[3] = {static_cast<float>(g.inverse_length[0]), static_cast<float>(g.inverse_length[1]),
                            static_cast<float>(g.inverse_length[2])};
  const auto is_within_reach = [&](std::uint32_t other) {
    const particle_place a = places.at(row);
    const particle_place b = places.at(other);
    const double x[3] = {subtract(a.x, b.x), subtract(a.y, b.y), subtract(a.z, b.z)};
    double r2 = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = to_nearest(g, k, x[k]);
      r2 = add(r2, multiply(d, d));
    }
    if (r2 == 0) tell_coincident(facts, order[row], order[other]);
    return r2 < reach_squared;
  };
  // The part of a run that is looked at before any of it is added: a bit for each particle that may be within reach, and for those of which
  // single precision cannot tell. Adding takes as many turns as the lane with the most of them has, and not one for each particle.
  constexpr std::uint32_t at_once = rough_places_behind;  // places that are asked for together
  const std::uint32_t least = std::bit_cast<std::uint32_t>(reach.least);
  const std::uint32_t sure = reach.surely > reach.least ? std::bit_cast<std::uint32_t>(reach.surely) - least : 0;  // how many numbers
  const auto look_at = [&](auto nearest, const rough_place& from, const rough_place* next, std::uint32_t size, std::uint32_t& near,
                           std::uint32_t& unsure) {
#pragma unroll 1
    for (std::uint32_t first = 0; first < size; first += at_once, next += at_once) {
      rough_place others[at_once];
#pragma unroll
      for (std::uint32_t k = 0; k < at_once; ++k) others[k] = next[k];
      std::uint32_t these = 0;
      std::uint32_t not_these = 0;
#pragma unroll
      for (std::uint32_t k = 0; k < at_once; ++k) {
        float d[3] = {from.x - others[k].x, from.y - others[k].y, from.z - others[k].z};
        if constexpr (nearest) {
          for (int c = 0; c < 3; ++c) d[c] -= length[c] * rint(d[c] * inverse[c]);
        }
        const float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        these |= r2 >= reach.most ? 0 : 1u << k;
        not_these |= std::bit_cast<std::uint32_t>(r2) - least < sure ? 0 : 1u << k;
      }
      near |= these << first;
      unsure |= not_these << first;
    }
  };
  // All lanes of a warp go through their lines of cells together, so that they write together.
  const int pieces = any(runs.in_pieces()) ? 3 : 1;
  constexpr std::uint32_t part = 32;
  const auto take_line = [&](int pass, int z, int y, int piece) {
    cell_run run = runs.at(g, begin, z, y, piece);
    if (pass == 0) {
      run.from = run.from <= row ? row + 1 : run.from;
    } else {
      run.end = run.end < row ? run.end : row;
    }
    if (!any(run.from < run.end)) return;
    std::uint32_t to_partner = 0;
    if constexpr (in_bricks) {
      if (run.from < run.end) {
        to_partner = rows.tiles.to_tile[std::size_t{brick} * brick_tiles::most_cells + shape.in_tile(g, run.x, run.y, run.z)];
      }
    }
    const rough_place from{own.x + static_cast<float>(run.around[0]) * length[0], own.y + static_cast<float>(run.around[1]) * length[1],
                           own.z + static_cast<float>(run.around[2]) * length[2], 0};
    for (; any(run.from < run.end); run.from += part) {
      if (any(!to.has_room(part))) to.flush();
      if (run.from >= run.end) continue;
      const std::uint32_t size = run.end - run.from < part ? run.end - run.from : part;
      std::uint32_t near = 0;
      std::uint32_t unsure = 0;
      by_shifts ? look_at(std::false_type{}, from, rough + run.from, size, near, unsure)
                : look_at(std::true_type{}, own, rough + run.from, size, near, unsure);
      near &= ~std::uint32_t{0} >> (part - size);
      for (unsure &= near; unsure != 0; unsure &= unsure - 1) {  // seldom
        const std::uint32_t k = lowest_bit(unsure);
        if (!is_within_reach(run.from + k)) near &= ~(1u << k);
      }
      const std::uint32_t first = run.from + to_partner;
      for (; near != 0; near &= near - 1) to.add(first + lowest_bit(near));
    }
  };
  for (int pass = 0; pass < (half ? 1 : 2); ++pass) {  // partners behind, then those before
    for (int z = 0; z < 3; ++z) {
      for (int y = 0; y < 3; ++y) {
        for (int piece = 0; piece < pieces; ++piece) take_line(pass, z, y, piece);
      }
    }
    if (pass == 0 && there) rows.front[at] = to.size();
  }
  if (!there && at < end_of_rows) rows.front[at] = 0;
  end_row(rows, to, images && to.size() != 0, facts);
}

}  // namespace accrue::simt
