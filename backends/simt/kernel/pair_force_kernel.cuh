// SPDX-License-Identifier: BSD-3-Clause
// The kernels of pair forces: positions in the order of the rows, then a few lanes for each row.
#pragma once

#include "accrue/backends/simt/kernel/neighbor_kernels.cuh"
#include "accrue/backends/simt/operations/pair_terms.cuh"
#include "accrue/detail/to_fixed.hpp"

namespace accrue::simt {

/// What a sweep tells its caller. Zero before.
struct sweep_facts {
  std::uint64_t most_force_squared;  ///< bits of doubles, of the pairs whose force or energy did not fit
  std::uint64_t most_energy;
  std::uint64_t stale;       ///< all bits turned, the smallest number of a particle that has moved too far; or 0
  std::uint64_t not_finite;  ///< likewise, of one that is not finite
  std::uint64_t refused;     ///< whether a force or an energy did not fit
};

/// Where particles are now, near where they were when the list was built; behind the last one that is none, far away.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
take_positions_kernel(list_geometry g, vectors<const T> from, const std::uint32_t* order, particle_places then, double limit_squared,
                      particle_places now, sweep_facts* facts, int* status) {
  for (std::size_t i = first_item(); i <= from.size; i += item_step()) {
    if (i == from.size) {
      now.put(i, {0x1p100, 0x1p100, 0x1p100});
      continue;
    }
    const particle_place p = place_of(from, order[i]);
    const particle_place was = then.at(i);
    const double x[3] = {p.x, p.y, p.z};
    const double w[3] = {was.x, was.y, was.z};
    double near[3];
    double moved = 0;
    for (int k = 0; k < 3; ++k) {
      near[k] = x[k];
      if (g.periodic[k] && magnitude(subtract(x[k], w[k])) > multiply(g.length[k], 0.5)) {
        near[k] = subtract(x[k], multiply(g.length[k], rint(multiply(subtract(x[k], w[k]), g.inverse_length[k]))));
      }
      const double step = subtract(near[k], w[k]);
      moved = add(moved, multiply(step, step));
    }
    now.put(i, {near[0], near[1], near[2]});
    if (!(moved <= limit_squared)) {
      const bool finite = moved <= std::numeric_limits<double>::max();
      raise_atomically(finite ? &facts->stale : &facts->not_finite, ~std::uint64_t{order[i]});
      if (status != nullptr) *status = static_cast<int>(finite ? errc::invalid_argument : errc::bad_input);
    }
  }
}

/// How a pair's force is added up.
enum class force_sum : std::uint8_t {
  units,   ///< integers: no order shows
  doubles  ///< in the order of the row
};

/// The unit of integers of 128 bits, beyond all others.
inline constexpr int two_limb_unit = -64;

/// What a sweep reads and writes. `Potential`: as a device calls it.
template <class To, class Potential>
struct sweep_plan {
  list_geometry geometry;
  strip_rows rows;
  particle_places now;
  const std::uint32_t* order;
  Potential potential;
  double cutoff_squared;
  vectors<To> forces;
  double* energies;  ///< half of each pair's for both partners; or nullptr
  // units
  int unit;               ///< its exponent
  double force_squared;   ///< bounds of |f|^2 and of energies
  double energy;
  double calm_squared;    ///< of a tame potential: beyond that distance all is within the bounds,
  double small_squared;   ///< and beyond this one terms of the sums are below `beyond`
  int widest;             ///< the exponent of bounds that 64 bits have, of those that are tried
  int bits;               ///< a bound is worth 2^bits units
  bool widens;            ///< whether a second sweep takes what does not fit
  std::uint64_t* shared;  ///< half rows: four numbers for each particle, zero before
  pair_totals* totals;
  sweep_facts* facts;
  int* status;  ///< nullptr where the facts are read back
};

ACCRUE_HOST_DEVICE double two_to(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }
/// A sum of pairs' parts as a double.
template <class Plan>
ACCRUE_DEVICE double value_of(const Plan& plan, std::int64_t units) { return multiply(static_cast<double>(units), two_to(plan.unit)); }
template <class Plan>
ACCRUE_DEVICE double value_of(const Plan&, double v) { return v; }
/// Writes a particle's force, and its energy, where the caller has them.
template <class To, class Potential>
ACCRUE_DEVICE void write_force(const sweep_plan<To, Potential>& plan, std::uint32_t row, const double (&v)[4]) {
  const std::uint32_t particle = plan.order[row];
  const std::size_t at = particle * plan.forces.stride;
  plan.forces.x[at] = to_arithmetic<To>(v[0]);
  plan.forces.y[at] = to_arithmetic<To>(v[1]);
  plan.forces.z[at] = to_arithmetic<To>(v[2]);
  if (plan.energies != nullptr) plan.energies[particle] = v[3];
}

/// A pair: its distances, and what the potential makes of them; nothing beyond the cut-off.
struct pair_now {
  bool inside;
  double d[3];
  double r_squared;
  double energy;
  double force_over_r;
};
template <class Plan>
ACCRUE_DEVICE pair_now look_at(const Plan& plan, const particle_place& own, std::uint32_t other, const particle_place& p, bool crosses) {
  pair_now pair;
  pair.d[0] = subtract(own.x, p.x);
  pair.d[1] = subtract(own.y, p.y);
  pair.d[2] = subtract(own.z, p.z);
  if (crosses) {
    for (int k = 0; k < 3; ++k) {
      bool any = false;
      pair.d[k] = to_nearest(plan.geometry, k, pair.d[k], any);
    }
  }
  pair.r_squared = add(add(multiply(pair.d[0], pair.d[0]), multiply(pair.d[1], pair.d[1])), multiply(pair.d[2], pair.d[2]));
  pair.inside = pair.r_squared < plan.cutoff_squared && other != plan.rows.size;
  if constexpr (!decltype(plan.potential)::is_tame) {  // it may be anything elsewhere
    pair.r_squared = pair.inside ? pair.r_squared : plan.cutoff_squared;
  }
  plan.potential(pair.r_squared, pair.energy, pair.force_over_r);
  pair.energy = pair.inside ? pair.energy : 0;
  pair.force_over_r = pair.inside ? pair.force_over_r : 0;
  return pair;
}

template <class Plan>
ACCRUE_DEVICE void refuse(const Plan& plan) {
  raise_atomically(&plan.facts->refused, std::uint64_t{1});
  if (plan.status != nullptr) *plan.status = static_cast<int>(errc::out_of_range);
}
/// What bounds are compared with: |f|^2, and the energy.
ACCRUE_DEVICE double force_squared(const pair_now& pair) {
  const double size = magnitude(pair.force_over_r);
  return multiply(size, multiply(size, pair.r_squared));
}
/// For a row of which a pair may not fit: tells the largest that does not. Not out of line, where the plan would have to be in memory.
template <class Plan>
ACCRUE_DEVICE void tell_beyond(const Plan& plan, std::uint32_t strip, unsigned my_lane, const particle_place& own, std::uint32_t about) {
  std::uint64_t most_force = 0;
  std::uint64_t most_energy = 0;
  for (std::uint32_t step = 0; step < (about & ~strip_rows::crosses); ++step) {
    const std::uint32_t other = plan.rows.entries[plan.rows.place(strip, step, my_lane)];
    const pair_now pair = look_at(plan, own, other, plan.now.at(other), (about & strip_rows::crosses) != 0);
    if (!pair.inside) continue;
    const auto force = std::bit_cast<std::uint64_t>(force_squared(pair));  // the bits of NaN are above those of any number
    const auto energy = std::bit_cast<std::uint64_t>(magnitude(pair.energy));
    most_force = force > most_force ? force : most_force;
    most_energy = energy > most_energy ? energy : most_energy;
  }
  if (most_force < std::bit_cast<std::uint64_t>(plan.force_squared) && most_energy < std::bit_cast<std::uint64_t>(plan.energy)) return;
  raise_atomically(&plan.facts->most_force_squared, most_force);
  raise_atomically(&plan.facts->most_energy, most_energy);
  if (!plan.widens) refuse(plan);
}

/// The sweep over the rows of strips, a warp's lanes at a time. `sums`: with the exact sums, and each particle's energy.
template <force_sum how, bool to_both, bool sums, class To, class Potential>
ACCRUE_KERNEL(neighbor_threads, sums ? 4 : how == force_sum::units ? 7 : 8)
pair_force_kernel(sweep_plan<To, Potential> plan) {
  using number = std::conditional_t<how == force_sum::units, std::int64_t, double>;
  constexpr int parts = sums ? 4 : 3;
  [[maybe_unused]] const int shared_parts = parts == 4 && plan.energies != nullptr ? 4 : 3;
  const strip_rows& rows = plan.rows;
  const unsigned my_lane = thread() % strip_lanes;
  const std::uint32_t strips_a_grid = blocks() * (threads() / strip_lanes);
  // Adding it rounds to whole units, by which its bits grow. Sums are of such bits, and the anchor's are taken off at the end.
  const double anchor = multiply(1.5, two_to(plan.unit + 52));
  [[maybe_unused]] const auto anchor_bits = std::bit_cast<std::uint64_t>(anchor);
  const auto counted = [&](double v) {
    if constexpr (how == force_sum::units) {
      return std::bit_cast<std::int64_t>(add(v, anchor));
    } else {
      return v;
    }
  };
  [[maybe_unused]] const auto without_anchors = [&](number v, std::uint64_t count) {
    if constexpr (how == force_sum::units) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(v) - count * anchor_bits);
    } else {
      return v;
    }
  };
  const auto sum_of = [](number a, number b) {
    if constexpr (how == force_sum::units) {  // what does not fit is told
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return add(a, b);
    }
  };
  [[maybe_unused]] const auto negated = [](number a) {
    if constexpr (how == force_sum::units) {
      return static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
    } else {
      return -a;
    }
  };
  [[maybe_unused]] const auto add_shared = [&](std::uint32_t particle, int c, number v) {
    auto* const to = plan.shared + std::size_t{4} * particle + static_cast<unsigned>(c);
    if constexpr (how == force_sum::units) {
      add_atomically(to, static_cast<std::uint64_t>(v));
    } else {
      add_atomically(reinterpret_cast<double*>(to), v);
    }
  };
  constexpr bool tame = Potential::is_tame;
  // Upper words decide but for those of the bounds.
  [[maybe_unused]] const unsigned force_limit = high_word(plan.force_squared);
  [[maybe_unused]] const unsigned energy_limit = high_word(plan.energy);
  [[maybe_unused]] const unsigned calm_limit = high_word(plan.calm_squared);
  [[maybe_unused]] const unsigned small_limit = high_word(plan.small_squared);
  [[maybe_unused]] pair_term_sums terms;
  [[maybe_unused]] unsigned added = 0;

  const std::uint32_t first = block() * (threads() / strip_lanes) + thread() / strip_lanes;
  const std::uint32_t turns = (rows.strips() + strips_a_grid - 1) / strips_a_grid;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {  // all lanes of a warp, for what they add up together
    const std::uint32_t strip = first + turn * strips_a_grid;
    const bool there = strip < rows.strips();
    const std::uint32_t row = strip * rows.rows_a_strip() + (my_lane >> rows.lanes_shift);
    const std::uint32_t about = there ? rows.steps[strip] : 0;
    const std::uint32_t own_steps = about & ~strip_rows::crosses;
    const std::uint32_t steps = warp_width > strip_lanes ? largest_in_warp(own_steps) : own_steps;  // of all strips of the warp
    const std::uint32_t own_front = sums && there ? rows.front[strip] : 0;
    [[maybe_unused]] const std::uint32_t front = warp_width > strip_lanes ? largest_in_warp(own_front) : own_front;
    const bool crosses = (about & strip_rows::crosses) != 0;
    const particle_place own = plan.now.at(there && row < rows.size ? row : rows.size);
    number sum[parts] = {};
    [[maybe_unused]] unsigned most_force = 0;
    [[maybe_unused]] unsigned most_energy = 0;
    [[maybe_unused]] unsigned nearest = ~0u;
    const auto entries_at = [&](std::uint32_t step) {
      if (step < own_steps) return load_vector16(rows.entries + rows.place(strip, step, my_lane));
      return vector16{{rows.size, rows.size, rows.size, rows.size}};
    };
    vector16 next = entries_at(0);
    for (std::uint32_t step = 0; step < steps; step += entries_at_once) {
      const vector16 four = next;
      particle_place places[entries_at_once];  // asked for together, and the entries behind them
#pragma unroll
      for (unsigned k = 0; k < entries_at_once; ++k) places[k] = plan.now.at(four.word[k]);
      next = entries_at(step + entries_at_once);
      // A pair's terms are added at the first of its two places, which come first in rows.
      const bool adds = sums && step < front;
#pragma unroll
      for (unsigned k = 0; k < entries_at_once; ++k) {
        const std::uint32_t other = four.word[k];
        const pair_now pair = look_at(plan, own, other, places[k], crosses);
        const double f[3] = {multiply(pair.force_over_r, pair.d[0]), multiply(pair.force_over_r, pair.d[1]),
                             multiply(pair.force_over_r, pair.d[2])};
        if constexpr (tame && how == force_sum::units) {
          const unsigned distance = pair.inside ? high_word(pair.r_squared) : ~0u;
          nearest = distance < nearest ? distance : nearest;
        } else if constexpr (how == force_sum::units) {
          const unsigned force = high_word(force_squared(pair));
          const unsigned energy = high_word(magnitude(pair.energy));
          most_force = force > most_force ? force : most_force;
          most_energy = energy > most_energy ? energy : most_energy;
        }
        number part[parts];
        for (int c = 0; c < 3; ++c) part[c] = counted(f[c]);
        if constexpr (sums) part[3] = counted(multiply(0.5, pair.energy));
        for (int c = 0; c < parts; ++c) sum[c] = sum_of(sum[c], part[c]);
        if constexpr (to_both) {
          if (pair.inside) {
            for (int c = 0; c < shared_parts; ++c) {
              const number v = without_anchors(part[c], 1);
              add_shared(other, c, c < 3 ? negated(v) : v);
            }
          }
        }
        if constexpr (sums) {
          if (adds && pair.inside && other > row) {
            const double term[pair_sum_count] = {pair.energy,
                                                 multiply(f[0], pair.d[0]),
                                                 multiply(f[1], pair.d[1]),
                                                 multiply(f[2], pair.d[2]),
                                                 multiply(f[0], pair.d[1]),
                                                 multiply(f[0], pair.d[2]),
                                                 multiply(f[1], pair.d[2])};
            terms.template add_pair<tame>(high_word(pair.r_squared) > small_limit, term, plan.totals);
          }
        }
      }
      if constexpr (sums) {
        added += adds ? entries_at_once : 0;
        if (added + entries_at_once > pair_term_sums::most_terms) {
          terms.drain(plan.totals);
          added = 0;
        }
      }
    }
    for (int c = 0; c < parts; ++c) sum[c] = without_anchors(sum[c], (steps + entries_at_once - 1) / entries_at_once * entries_at_once);
    for (std::uint32_t distance = 1; distance < rows.lanes_a_row(); distance *= 2) {
      for (int c = 0; c < parts; ++c) sum[c] = sum_of(sum[c], shuffle_xor(sum[c], distance));
    }
    if (!there || row >= rows.size) continue;
    if constexpr (how == force_sum::units && tame) {
      if (nearest <= calm_limit) tell_beyond(plan, strip, my_lane, own, about);
    } else if constexpr (how == force_sum::units) {
      if (most_force >= force_limit || most_energy >= energy_limit) tell_beyond(plan, strip, my_lane, own, about);
    }
    if ((my_lane & (rows.lanes_a_row() - 1)) != 0) continue;
    if constexpr (to_both) {
      for (int c = 0; c < shared_parts; ++c) add_shared(row, c, sum[c]);
    } else {
      double v[4] = {};
      for (int c = 0; c < parts; ++c) v[c] = value_of(plan, sum[c]);
      write_force(plan, row, v);
    }
  }
  if constexpr (sums) terms.drain(plan.totals);
}

/// The sweep again where a force or an energy did not fit, over full rows: in the narrowest unit that takes them all, whose exponent is a
/// function of the configuration alone, and integers of 128 bits.
template <class To, class Potential>
ACCRUE_KERNEL(neighbor_threads, 2)
widened_force_kernel(sweep_plan<To, Potential> plan, int exponent, int step, double widest_range) {
  const auto fits = [&](int e) {
    const double bound = two_to(e);
    const double force = multiply(bound, 1 - 0x1p-40);
    return plan.facts->most_force_squared < std::bit_cast<std::uint64_t>(multiply(force, force)) &&
           plan.facts->most_energy < std::bit_cast<std::uint64_t>(bound);
  };
  if (fits(exponent)) return;
  while (exponent <= plan.widest && !fits(exponent)) exponent += step;
  const bool widest = exponent > plan.widest;
  const int unit = widest ? two_limb_unit : exponent - plan.bits;
  const strip_rows& rows = plan.rows;
  const unsigned my_lane = thread() % strip_lanes;
  bool all_fit = true;
  const std::uint32_t strips_a_grid = blocks() * (threads() / strip_lanes);
  const std::uint32_t first = block() * (threads() / strip_lanes) + thread() / strip_lanes;
  const std::uint32_t turns = (rows.strips() + strips_a_grid - 1) / strips_a_grid;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint32_t strip = first + turn * strips_a_grid;
    const bool there = strip < rows.strips();
    const std::uint32_t row = strip * rows.rows_a_strip() + (my_lane >> rows.lanes_shift);
    const std::uint32_t about = there ? rows.steps[strip] : 0;
    const particle_place own = plan.now.at(there && row < rows.size ? row : rows.size);
    detail::int128 sum[4] = {};
    for (std::uint32_t s = 0; s < (about & ~strip_rows::crosses); ++s) {
      const std::uint32_t other = rows.entries[rows.place(strip, s, my_lane)];
      const pair_now pair = look_at(plan, own, other, plan.now.at(other), (about & strip_rows::crosses) != 0);
      if (!pair.inside) continue;
      const double part[4] = {multiply(pair.force_over_r, pair.d[0]), multiply(pair.force_over_r, pair.d[1]),
                              multiply(pair.force_over_r, pair.d[2]), multiply(0.5, pair.energy)};
      for (int c = 0; c < (plan.energies != nullptr ? 4 : 3); ++c) {
        detail::int128 count = 0;
        all_fit = all_fit && detail::to_fixed(part[c], unit, count) && (!widest || magnitude(part[c]) < widest_range);
        sum[c] += count;
      }
    }
    for (std::uint32_t distance = 1; distance < rows.lanes_a_row(); distance *= 2) {
      for (int c = 0; c < 4; ++c) sum[c] += shuffle_xor(sum[c], distance);
    }
    if (!there || row >= rows.size || (my_lane & (rows.lanes_a_row() - 1)) != 0) continue;
    double v[4];
    for (int c = 0; c < 4; ++c) {
      const auto magnitude = static_cast<detail::uint128>(sum[c] < 0 ? -sum[c] : sum[c]);
      v[c] = sum[c] == 0 ? 0 : detail::round_to<double>(detail::truncated{magnitude, unit, false}, sum[c] < 0);
    }
    write_force(plan, row, v);
  }
  if (!all_fit) refuse(plan);
}

/// What half rows have added up, to where the caller has it.
template <force_sum how, class To, class Potential>
ACCRUE_KERNEL(neighbor_threads, 4)
write_shared_kernel(sweep_plan<To, Potential> plan) {
  for (std::size_t row = first_item(); row < plan.rows.size; row += item_step()) {
    double v[4];
    for (int c = 0; c < 4; ++c) {
      const std::uint64_t word = plan.shared[4 * row + static_cast<unsigned>(c)];
      if constexpr (how == force_sum::units) {
        v[c] = value_of(plan, static_cast<std::int64_t>(word));
      } else {
        v[c] = std::bit_cast<double>(word);
      }
    }
    write_force(plan, static_cast<std::uint32_t>(row), v);
  }
}

}  // namespace accrue::simt
