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
  std::uint64_t entries;
  unsigned longest;
  unsigned most_partners;  ///< of a particle, counting both rows of a pair
};

/// Particles in the caller's order.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
place_particles_kernel(list_geometry g, vectors<const T> from, std::uint32_t* order, particle_places places, list_facts* facts) {
  bool finite = true;
  bool astray = false;
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place p = wrapped_place(g, from, i);
    finite = finite && is_somewhere(p);
    astray = astray || is_astray(g, p);
    order[i] = static_cast<std::uint32_t>(i);
    places.put(i, p);
  }
  if (!finite) raise_atomically(&facts->not_finite, 1);
  if (astray) raise_atomically(&facts->astray, 1);
}

ACCRUE_DEVICE std::uint32_t partner_at(const detail::row_view& rows, const detail::row_place& row, std::uint64_t k) {
  return static_cast<const std::uint32_t*>(rows.partners)[row.first + k * rows.partner_stride];
}

/// `counts`: zero before, of half rows how many partners each particle has; of full rows nullptr.
ACCRUE_KERNEL(neighbor_threads, 4)
check_rows_kernel(detail::row_view from, std::uint32_t particles, std::uint32_t* counts, row_facts* facts) {
  std::uint64_t balance = 0;
  std::uint64_t entries = 0;
  std::uint64_t longest = 0;
  for (std::size_t row = first_item(); row < particles; row += item_step()) {
    detail::row_place at{};
    if (!detail::find_row(from, row, at)) {
      raise_atomically(&facts->outside, ~std::uint64_t{row});
      continue;
    }
    for (std::uint64_t k = 0; k < at.count; ++k) {
      const std::uint32_t other = partner_at(from, at, k);
      if (other >= particles) {
        raise_atomically(&facts->not_there, ~std::uint64_t{row});
        break;
      }
      if (other == row) raise_atomically(&facts->itself, ~std::uint64_t{row});
      balance += detail::row_balance(static_cast<std::uint32_t>(row), other);
      if (counts == nullptr) continue;
      // Never more than others, but where a pair is repeated.
      if (fetch_add(counts + other, 1u) + 1 >= particles || fetch_add(counts + row, 1u) + 1 >= particles) {
        raise_atomically(&facts->outside, ~std::uint64_t{row});
        break;
      }
    }
    entries += at.count;
    longest = at.count > longest ? at.count : longest;
  }
  add_atomically(&facts->balance, balance);
  add_atomically(&facts->entries, entries);
  raise_atomically(&facts->longest, static_cast<unsigned>(longest));
}
ACCRUE_KERNEL(neighbor_threads, 4)
most_partners_kernel(const std::uint32_t* counts, std::uint32_t particles, row_facts* facts) {
  unsigned most = 0;
  for (std::size_t i = first_item(); i < particles; i += item_step()) most = counts[i] > most ? counts[i] : most;
  raise_atomically(&facts->most_partners, most);
}

/// Rows that have been checked, a lane for each. `skin`: of the list.
template <unsigned lanes_shift>
ACCRUE_KERNEL(neighbor_threads, 4)
assign_rows_kernel(list_geometry g, strip_rows rows, bool half, detail::row_view from, double skin, particle_places places,
                   list_facts* facts) {
  const std::uint32_t row = block() * threads() + thread();  // lanes without a row fill the strip's places
  using writer = row_writer<lanes_shift, std::uint32_t>;
  ACCRUE_SHARED typename writer::buffer waiting;
  writer to(rows, row, rows.size, waiting);
  bool crosses = false;
  if (row < rows.size) {
    detail::row_place at{};
    (void)detail::find_row(from, row, at);
    const particle_place own = places.at(row);
    for (const bool behind : {true, false}) {  // full rows have those behind first
      for (std::uint64_t k = 0; k < at.count; ++k) {
        const std::uint32_t other = partner_at(from, at, k);
        if (!half && (other > row) != behind) continue;
        const particle_place p = places.at(other);
        const double d[3] = {subtract(own.x, p.x), subtract(own.y, p.y), subtract(own.z, p.z)};
        double r2 = 0;
        for (int c = 0; c < 3; ++c) {
          // Whether another image may be the nearest, now or when both have moved by half the skin.
          crosses = crosses || (g.periodic[c] && !(magnitude(d[c]) < subtract(multiply(g.length[c], 0.5), skin)));
          const double nearest = to_nearest(g, c, d[c]);
          r2 = add(r2, multiply(nearest, nearest));
        }
        if (r2 == 0) tell_coincident(facts, row, other);
        if (!to.has_room(1)) to.flush();
        to.add(other);
      }
      if (behind) rows.front[row] = to.size();
      if (half) break;
    }
  } else if (row < rows.strips() * rows.rows_a_strip()) {
    rows.front[row] = 0;
  }
  end_row(rows, to, crosses, facts);
}

}  // namespace accrue::simt
