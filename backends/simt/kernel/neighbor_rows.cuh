// SPDX-License-Identifier: BSD-3-Clause
// The kernel that gives particles, sorted by cell, their rows of neighbours.
#pragma once

#include <type_traits>

#include "accrue/backends/simt/kernel/brick_tiles.cuh"

namespace accrue::simt {

/// Writes the entries of one row, of so many lanes, one behind the other.
template <unsigned lanes_shift, class Entry>
class row_writer {
 public:
  using entry = Entry;
  static constexpr std::uint32_t rows_a_strip = strip_lanes >> lanes_shift;

  ACCRUE_DEVICE row_writer(const strip_rows& rows, std::uint32_t row, std::uint32_t filler)
      : filler_(filler), strip_(row / rows_a_strip), first_lane_((row % rows_a_strip) << lanes_shift), room_(rows.room << lanes_shift) {
    next_ = static_cast<Entry*>(rows.entries) + rows.template place<Entry>(strip_, 0, first_lane_);
  }

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t strip() const { return strip_; }
  [[nodiscard]] ACCRUE_DEVICE bool is_first() const { return first_lane_ == 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t size() const { return size_; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t steps() const { return (size_ + lanes - 1) >> lanes_shift; }

  /// Adds an entry, and forgets it where there is no room. Those of a load by one lane or two are written together.
  ACCRUE_DEVICE void add(std::uint32_t e) {
    constexpr int each = entries_a_load<Entry>;
    if constexpr (lanes <= 2) {
      ++size_;
      if constexpr (lanes == 2) {
        if (size_ % 2 != 0) {
          first_of_two_ = e;
          return;
        }
        push(last_[0], first_of_two_);
      }
      push(last_[lanes - 1], e);
      if (size_ % (lanes * each) != 0) return;
      if (size_ <= room_) {
        for (unsigned k = 0; k < lanes; ++k) *reinterpret_cast<vector16*>(next_ + k * each) = last_[k];
      }
      next_ += int{strip_lanes} * each;
    } else {
      if (size_ < room_) *next_ = static_cast<Entry>(e);
      ++size_;
      // A load of a lane, and those of the row's other lanes beside it; then the strip's next loads.
      if (size_ % (lanes * each) == 0) {
        next_ += int{strip_lanes} * each - int{lanes} * each + 1;
      } else if (size_ % lanes == 0) {
        next_ += 1 - (int{lanes} - 1) * each;
      } else {
        next_ += each;
      }
    }
  }
  /// Fills the row up to so many steps with what is no particle.
  ACCRUE_DEVICE void fill(std::uint32_t steps) {
    while (size_ < steps << lanes_shift) add(filler_);
  }

 private:
  static constexpr std::uint32_t lanes = 1u << lanes_shift;

  /// Moves what is there on, and the entry behind it.
  static ACCRUE_DEVICE void push(vector16& v, std::uint32_t e) {
    if constexpr (sizeof(Entry) == 2) {
      for (int k = 0; k < 3; ++k) v.word[k] = v.word[k] >> 16 | v.word[k + 1] << 16;
      v.word[3] = v.word[3] >> 16 | e << 16;
    } else {
      for (int k = 0; k < 3; ++k) v.word[k] = v.word[k + 1];
      v.word[3] = e;
    }
  }

  Entry* next_;
  std::uint32_t filler_;
  std::uint32_t strip_;
  std::uint32_t first_lane_;
  std::uint32_t room_;
  std::uint32_t size_ = 0;
  [[maybe_unused]] vector16 last_[2]{};
  [[maybe_unused]] std::uint32_t first_of_two_ = 0;
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
/// room for are told by `facts->longest_row`, and are no rows.
template <unsigned lanes_shift, class Entry>
ACCRUE_KERNEL(neighbor_threads, 8)
build_rows_kernel(list_geometry g, strip_rows rows, bool half, double reach_squared, rough_reach reach, const std::uint32_t* begin,
                  particle_places places, const rough_place* rough, const std::uint32_t* order, list_facts* facts) {
  constexpr bool in_bricks = sizeof(Entry) == 2;
  const std::uint32_t at = block() * threads() + thread();  // lanes without a row fill the strip's places
  const std::uint32_t end_of_rows = rows.strips() * (strip_lanes >> lanes_shift);
  [[maybe_unused]] const std::uint32_t brick = in_bricks && at < end_of_rows ? at / rows.rows_a_brick() : 0;
  std::uint32_t row = at;
  std::uint32_t filler = rows.size;
  if constexpr (in_bricks) {
    row = at < end_of_rows ? rows.tiles.row[at] : rows.size;
    filler = entry_of(rows.tiles.places[brick]);
  }
  [[maybe_unused]] const brick_shape shape(g, rows.tiles, brick);
  row_writer<lanes_shift, Entry> to(rows, at, filler);
  bool crosses = false;
  if (row < rows.size) {
    const rough_place own = rough[row];
    std::uint32_t cell[3];
    bool images = false;  // whether a partner may be another image
    {
      const particle_place p = places.at(row);
      const double x[3] = {p.x, p.y, p.z};
      for (int k = 0; k < 3; ++k) {
        cell[k] = cell_along(g, k, x[k]);
        images = images || (g.periodic[k] && (cell[k] == 0 || cell[k] + 1 == g.cells[k] || g.cells[k] < 5));
      }
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
    const auto look_at = [&](auto with_images, std::uint32_t from, std::uint32_t end, [[maybe_unused]] std::uint32_t to_tile) {
      rough_place next = rough[from];
      for (std::uint32_t other = from; other < end; ++other) {
        const rough_place p = next;
        next = rough[other + 1];  // there is one more than particles
        float d[3] = {own.x - p.x, own.y - p.y, own.z - p.z};
        if constexpr (with_images) {
          for (int k = 0; k < 3; ++k) d[k] -= length[k] * rint(d[k] * inverse[k]);
        }
        const float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 >= reach.most) continue;
        bool within = r2 >= reach.least && r2 < reach.surely;
        if (!within) within = is_within_reach(other);  // seldom
        if (!within) continue;
        if constexpr (in_bricks) {
          to.add(entry_of(other + to_tile));
        } else {
          to.add(other);
        }
      }
    };
    for (int pass = 0; pass < (half ? 1 : 2); ++pass) {  // partners behind, then those before
      for_each_run(g, begin, cell, [&](std::uint32_t from, std::uint32_t end, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        if (pass == 0) {
          from = from <= row ? row + 1 : from;
        } else {
          end = end < row ? end : row;
        }
        if (from >= end) return;
        std::uint32_t to_tile = 0;
        if constexpr (in_bricks) {
          to_tile = rows.tiles.to_tile[std::size_t{brick} * brick_tiles::most_cells + shape.in_tile(g, x, y, z)];
        }
        images ? look_at(std::true_type{}, from, end, to_tile) : look_at(std::false_type{}, from, end, to_tile);
      });
      if (pass == 0) rows.front[at] = to.size();
    }
    crosses = images && to.size() != 0;
  } else if (at < end_of_rows) {
    rows.front[at] = 0;
  }
  end_row(rows, to, crosses, facts);
}

}  // namespace accrue::simt
