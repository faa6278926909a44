// SPDX-License-Identifier: BSD-3-Clause
// The kernels that make a list of a caller's rows.
#pragma once

#include "accrue/backends/simt/kernel/neighbor_rows.cuh"
#include "accrue/md/neighbor_rows.hpp"

namespace accrue::simt {

/// What is found in a caller's rows. Zero before. Of rows, all bits turned, the smallest; or 0.
struct row_facts {
  std::uint64_t outside;    ///< one that does not lie within its room, or has too many partners
  std::uint64_t not_there;  ///< one with a partner that is not there
  std::uint64_t itself;     ///< one with its own particle
  std::uint64_t balance;    ///< the sum of row_balance
  std::uint64_t to_rows;    ///< entries that are particles with rows
  std::uint64_t entries;
  unsigned longest;
  unsigned most_partners;  ///< of a particle, counting both rows of a pair
};

/// Particles in the caller's order.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
place_particles_kernel(list_geometry g, vectors<const T> from, std::uint32_t* order, particle_places places, rough_place* rough,
                       list_facts* facts) {
  bool finite = true;
  bool outside = false;
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place p = wrapped_place(g, from, i);
    finite = finite && is_somewhere(p);
    outside = outside || is_outside(g, p);
    order[i] = static_cast<std::uint32_t>(i);
    places.put(i, p);
    rough[i] = roughly(g, p);
  }
  if (!finite) raise_atomically(&facts->not_finite, 1);
  if (outside) raise_atomically(&facts->outside, 1);
}

ACCRUE_DEVICE std::uint32_t partner_at(const detail::row_view& rows, const detail::row_place& row, std::uint64_t k) {
  return static_cast<const std::uint32_t*>(rows.partners)[row.first + k * rows.partner_stride];
}

inline constexpr unsigned lanes_a_check = 8;  ///< that read a row together, thirty-two bytes of it at a time

/// `counts`: zero before, of half rows how many partners each particle has; of full rows nullptr.
template <class Number>
ACCRUE_KERNEL(neighbor_threads, 4)
check_rows_kernel(detail::row_view from, std::uint32_t particles, Number* counts, row_facts* facts) {
  std::uint64_t balance = 0;
  std::uint64_t to_rows = 0;
  std::uint64_t entries = 0;
  std::uint64_t longest = 0;
  const unsigned my_part = thread() % lanes_a_check;
  for (std::size_t row = first_item() / lanes_a_check; row < particles; row += item_step() / lanes_a_check) {
    const auto tell = [&](std::uint64_t& fact) { raise_atomically(&fact, ~std::uint64_t{row}); };
    detail::row_place at{};
    if (!detail::find_row(from, row, at)) {
      tell(facts->outside);
      continue;
    }
    // No particle has more partners than there are others, but where a pair is repeated.
    const auto count = [&](std::size_t particle, std::uint64_t more) {
      if (fetch_add(counts + particle, static_cast<Number>(more)) + more >= particles) tell(facts->outside);
    };
    bool all_there = true;
    for (std::uint64_t k = my_part; k < at.count && all_there; k += lanes_a_check) {
      const std::uint32_t other = partner_at(from, at, k);
      all_there = other < particles;
      if (!all_there) tell(facts->not_there);
      if (other == row) tell(facts->itself);
      balance += detail::row_balance(static_cast<std::uint32_t>(row), other, from.rows);
      to_rows += other < from.rows ? 1 : 0;
      if (counts != nullptr && all_there) count(other, 1);
    }
    if (my_part != 0) continue;
    if (counts != nullptr && at.count != 0) count(row, at.count);
    entries += at.count;
    longest = at.count > longest ? at.count : longest;
  }
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) {
    balance += shuffle_xor(balance, distance);
    to_rows += shuffle_xor(to_rows, distance);
    entries += shuffle_xor(entries, distance);
  }
  const unsigned most = largest_in_warp(static_cast<unsigned>(longest));
  if (lane() != 0) return;
  add_atomically(&facts->balance, balance);
  add_atomically(&facts->to_rows, to_rows);
  add_atomically(&facts->entries, entries);
  raise_atomically(&facts->longest, most);
}
template <class Number>
ACCRUE_KERNEL(neighbor_threads, 4)
most_partners_kernel(const Number* counts, std::uint32_t particles, row_facts* facts) {
  unsigned most = 0;
  for (std::size_t i = first_item(); i < particles; i += item_step()) most = counts[i] > most ? counts[i] : most;
  most = largest_in_warp(most);
  if (lane() == 0) raise_atomically(&facts->most_partners, most);
}

/// Rows that have been checked, a lane for each, which the lanes of a warp read together. `in_order`: as they are; else those behind their
/// particle first. `skin`: of the list.
template <unsigned lanes_shift>
ACCRUE_KERNEL(neighbor_threads, 7)
assign_rows_kernel(list_geometry g, strip_rows rows, bool in_order, detail::row_view from, double skin, particle_places places,
                   const rough_place* rough, list_facts* facts) {
  using writer = row_writer<lanes_shift, std::uint32_t>;
  ACCRUE_SHARED typename writer::buffer waiting;
  const std::uint32_t row = block() * threads() + thread();  // lanes without a row fill the strip's places
  writer to(rows, row, rows.size, waiting);
  detail::row_place mine{};
  rough_place my_place{};
  if (row < rows.size) {
    (void)detail::find_row(from, row, mine);
    my_place = rough[row];
  }
  // Differences from there on may cross a boundary, now or when both have moved by half the skin, whatever single precision has rounded.
  float wide[3];
  for (int c = 0; c < 3; ++c) {
    const auto length = static_cast<float>(g.length[c]);
    wide[c] = std::numeric_limits<float>::infinity();
    if (g.periodic[c]) wide[c] = length * (0.5f - 0x1p-18f) - static_cast<float>(skin) * (1 + 0x1p-18f);
  }
  const auto look_at = [&](std::uint32_t i, std::uint32_t j, bool& may_cross) {
    const particle_place a = places.at(i);
    const particle_place b = places.at(j);
    const double d[3] = {subtract(a.x, b.x), subtract(a.y, b.y), subtract(a.z, b.z)};
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
      may_cross = may_cross || (g.periodic[c] && !(magnitude(d[c]) < subtract(multiply(g.length[c], 0.5), skin)));
      const double nearest = to_nearest(g, c, d[c]);
      r2 = add(r2, multiply(nearest, nearest));
    }
    if (r2 == 0) tell_coincident(facts, i, j);
  };
  bool crosses = false;
  for (const bool behind : {true, false}) {
    if (in_order && !behind) break;
    for (unsigned of = 0; of < warp_width; ++of) {
      const std::uint32_t owner = row - lane() + of;
      const detail::row_place at = shuffle(mine, of);
      const rough_place own = shuffle(my_place, of);
      bool some_cross = false;
      for (std::uint64_t first = 0; first < at.count; first += strip_lanes) {
        const bool there = lane() < strip_lanes && first + lane() < at.count;
        const std::uint32_t other = there ? partner_at(from, at, first + lane()) : owner;
        const bool taken = there && (in_order || (other > owner) == behind);
        if (taken) {
          const rough_place p = rough[other];
          const float x[3] = {own.x, own.y, own.z};
          const float y[3] = {p.x, p.y, p.z};
          bool same = true;
          bool far = false;
          for (int c = 0; c < 3; ++c) {
            const float d = fabsf(x[c] - y[c]);
            same = same && !(d > 0x1p-20f * (fabsf(x[c]) + fabsf(y[c])));
            far = far || !(d < wide[c]);
          }
          if (same || far) look_at(owner, other, some_cross);
        }
        const lanes_alike alike = lanes_with(taken ? 1 : 0, 1);
        const unsigned all = taken ? alike.all : warp_width - alike.all;
        if (lane() == of && !to.has_room(all)) to.flush();
        to.add_to(of, taken, alike.below, other, all);
      }
      some_cross = any(some_cross);
      crosses = crosses || (some_cross && lane() == of);
    }
    to.flush();
    if (behind && row < rows.size) rows.front[row] = to.size();
  }
  if (row >= rows.size && row < rows.strips() * rows.rows_a_strip()) rows.front[row] = 0;
  end_row(rows, to, crosses, facts);
}

}  // namespace accrue::simt
