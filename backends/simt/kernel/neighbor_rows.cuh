// SPDX-License-Identifier: BSD-3-Clause
// The kernel that gives particles, sorted by cell, their rows of neighbours, by their numbers.
#pragma once

#include <type_traits>

#include "accrue/backends/simt/kernel/row_writer.cuh"

namespace accrue::simt {

/// Squares of distances in single precision: nearer than `surely` and no nearer than `least` every pair is within reach, and beyond `most`
/// none; elsewhere double precision decides.
struct rough_reach {
  float least;
  float surely;
  float most;
};

/// Each particle's row: a lane for each. Half rows have the partners that come later in the order alone. Rows that are longer than there is
/// room for are told by `facts->longest_row`, and are no rows. `by_shifts`: of a partner in a cell around the box only the image that lies
/// there can be within reach; else the nearest one is looked for.
template <unsigned lanes_shift>
ACCRUE_KERNEL(neighbor_threads, 8)
build_rows_kernel(list_geometry g, strip_rows rows, bool half, bool by_shifts, double reach_squared, rough_reach reach,
                  const std::uint32_t* begin, particle_places places, const rough_place* rough, const std::uint32_t* order,
                  list_facts* facts) {
  using writer = row_of_parts<lanes_shift, std::uint32_t>;
  ACCRUE_SHARED std::uint32_t waiting[writer::bytes_a_thread / sizeof(std::uint32_t) * neighbor_threads];
  const std::uint32_t row = block() * threads() + thread();  // lanes without a row fill the strip's places
  writer to(rows, row, rows.size, waiting, neighbor_threads);
  const bool there = row < rows.size;
  rough_place own{};
  runs_around runs;
  bool images = false;  // whether a partner may be another image
  if (there) {
    own = rough[row];
    std::uint32_t cell[3];
    images = find_cell(g, places.at(row), cell);
    runs = runs_around(g, cell);
  }
  const float length[3] = {static_cast<float>(g.length[0]), static_cast<float>(g.length[1]), static_cast<float>(g.length[2])};
  const float inverse[3] = {static_cast<float>(g.inverse_length[0]), static_cast<float>(g.inverse_length[1]),
                            static_cast<float>(g.inverse_length[2])};
  // The part of a run that is looked at before any of it is added: a bit for each particle that may be within reach, and for those of which
  // single precision cannot tell.
  constexpr std::uint32_t at_once = rough_places_behind;  // places that are asked for together
  constexpr std::uint32_t highest = 1u << 31;             // the first particle's bit
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
        these |= r2 >= reach.most ? 0 : highest >> k;
        not_these |= std::bit_cast<std::uint32_t>(r2) - least < sure ? 0 : highest >> k;
      }
      near |= these >> first;
      unsure |= not_these >> first;
    }
  };
  // All lanes of a warp go through their lines of cells together, so that they write together.
  const lines_of_warp lines(runs);
  const auto take_line = [&](int pass, int z, int y, int piece) {
    cell_run run = runs.at(g, begin, z, y, piece);
    if (pass == 0) {
      run.from = run.from <= row ? row + 1 : run.from;
    } else {
      run.end = run.end < row ? run.end : row;
    }
    const rough_place from{own.x + static_cast<float>(run.line.around[0]) * length[0],
                           own.y + static_cast<float>(run.line.around[1]) * length[1],
                           own.z + static_cast<float>(run.line.around[2]) * length[2], 0};
    for (; any(run.from < run.end); run.from += row_part) {
      if (any(!to.has_room())) to.flush();
      if (run.from >= run.end) continue;
      const std::uint32_t size = run.end - run.from < row_part ? run.end - run.from : row_part;
      std::uint32_t near = 0;
      std::uint32_t unsure = 0;
      by_shifts ? look_at(std::false_type{}, from, rough + run.from, size, near, unsure)
                : look_at(std::true_type{}, own, rough + run.from, size, near, unsure);
      near &= ~std::uint32_t{0} << (row_part - size);
      for (unsure &= near; unsure != 0;) {  // seldom
        const std::uint32_t bit = highest_bit(unsure);
        unsure ^= 1u << bit;
        if (!is_within_reach(g, places, row, run.from + (row_part - 1 - bit), reach_squared, order, facts)) near ^= 1u << bit;
      }
      to.add(near, run.from);
    }
  };
  for (int pass = 0; pass < (half ? 1 : 2); ++pass) {  // partners behind, then those before
    lines.visit(pass, take_line);
    if (pass == 0 && there) rows.front[row] = to.size();
  }
  if (!there && row < rows.strips() * rows.rows_a_strip()) rows.front[row] = 0;
  end_row(rows, to, images && to.size() != 0, facts);
}

}  // namespace accrue::simt
