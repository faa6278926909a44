// SPDX-License-Identifier: BSD-3-Clause
// The kernels of pair forces: positions in the order of the rows, then a few lanes for each row.
#pragma once

#include "accrue/backends/simt/kernel/strip_forces.cuh"
#include "accrue/detail/to_fixed.hpp"

namespace accrue::simt {

/// Whether the list has other rows now than when a captured sweep was enqueued; tells the caller.
ACCRUE_DEVICE bool is_of_another_list(const strip_rows& rows, sweep_facts* facts, int* status) {
  if (*rows.layout == rows.number) return false;
  raise_atomically(&facts->other_list, std::uint64_t{1});
  if (status != nullptr) *status = static_cast<int>(errc::invalid_argument);
  return true;
}

/// Where particles are now, near where they were when the list was built; behind the last one that is none, far away. And their types,
/// where there are `types` of them.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
take_particles_kernel(list_geometry g, strip_rows rows, vectors<const T> from, detail::type_view types_from, unsigned types,
                      const std::uint32_t* order, particle_places then, double limit_squared, particles_now now, sweep_facts* facts,
                      int* status) {
  wait_for_kernel_before();
  let_next_kernel_start();
  if (is_of_another_list(rows, facts, status)) return;
  for (std::size_t i = first_item(); i <= from.size; i += item_step()) {
    if (i == 0) facts->begin_sweep();
    if (i == from.size) {
      now.places.put(i, {0x1p100, 0x1p100, 0x1p100});
      if (types != 0) now.types[i] = 0;
      continue;
    }
    if (types != 0) {
      const std::uint32_t type = detail::type_of(types_from, order[i]);
      now.types[i] = static_cast<std::uint8_t>(type < types ? type : 0);
      if (type >= types) {
        raise_atomically(&facts->no_type, ~std::uint64_t{order[i]});
        if (status != nullptr) *status = static_cast<int>(errc::bad_input);
      }
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
        near[k] = nearest_to(g, k, x[k], w[k]);
      }
      const double step = subtract(near[k], w[k]);
      moved = add(moved, multiply(step, step));
    }
    now.places.put(i, {near[0], near[1], near[2]});
    if (!(moved <= limit_squared)) {
      const bool finite = moved <= std::numeric_limits<double>::max();
      raise_atomically(finite ? &facts->stale : &facts->not_finite, ~std::uint64_t{order[i]});
      if (status != nullptr) *status = static_cast<int>(finite ? errc::invalid_argument : errc::bad_input);
    }
  }
}

inline constexpr unsigned tile_threads = 512;  ///< of a block that has a tile, at most
template <class Partners>
inline constexpr unsigned sweep_threads = std::is_same_v<Partners, partners_in_tile> ? tile_threads : neighbor_threads;
/// What a sweep's registers allow on a multiprocessor: with tiles 1024 threads, or half of them with the exact sums.
template <class Partners>
constexpr unsigned sweep_blocks(bool in_units, bool to_both, bool sums) {
  if (std::is_same_v<Partners, partners_in_tile>) return sums ? 1 : 2;
  return sums ? 4 : to_both ? 6 : in_units ? 7 : 8;
}

/// The sweep over the rows of strips.
template <force_sum how, bool to_both, bool sums, class Partners, class To, class Potential>
ACCRUE_KERNEL(sweep_threads<Partners>, (sweep_blocks<Partners>(how == force_sum::units, to_both, sums)))
pair_force_kernel(sweep_plan<To, Potential> plan) {
  if (is_of_another_list(plan.rows, plan.facts, plan.status)) {
    wait_for_kernel_before();
    return;
  }
  strip_forces<how, to_both, sums, Partners, sweep_plan<To, Potential>> forces(plan);
  for_each_strip<Partners, Potential::has_types>(plan.rows, plan.now, [&](const strip_work& strip, const Partners& partners) {
    forces.sweep(strip, partners);
  });
  forces.drain();
}
/// Tells the caller of a sweep that is not read back whether its unit was too large for it.
template <class To, class Potential>
ACCRUE_KERNEL(neighbor_threads, 1)
judge_sizes_kernel(sweep_plan<To, Potential> plan) {
  if (thread() != 0 || *plan.status != 0) return;
  if (tells_too_little(plan, *plan.facts)) *plan.status = static_cast<int>(errc::out_of_range);
}

/// The sweep again where a force or an energy did not fit, over full rows: in the narrowest unit that takes them all, whose exponent is a
/// function of the configuration alone, and integers of 128 bits.
template <class Partners, class To, class Potential>
ACCRUE_KERNEL(sweep_threads<Partners>, (std::is_same_v<Partners, partners_in_tile> ? 1 : 2))
widened_force_kernel(sweep_plan<To, Potential> plan, double widest_range) {
  wait_for_kernel_before();
  const detail::force_units units = plan.units;
  const auto fits = [&](int e) {
    const double bound = two_to(e);
    const double force = multiply(bound, 1 - 0x1p-40);
    return plan.facts->most_force_squared < std::bit_cast<std::uint64_t>(multiply(force, force)) &&
           plan.facts->most_energy < std::bit_cast<std::uint64_t>(two_to(e + units.energy_shift));
  };
  int exponent = units.first;
  if (fits(exponent) || is_of_another_list(plan.rows, plan.facts, plan.status)) return;
  while (exponent <= units.last && !fits(exponent)) exponent += units.step;
  const bool widest = exponent > units.last;
  const int unit = widest ? units.two_limb_unit : exponent - plan.bits;
  const strip_rows& rows = plan.rows;
  const unsigned my_lane = thread() % strip_lanes;
  bool all_fit = true;
  for_each_strip<Partners, Potential::has_types>(rows, plan.now, [&](const strip_work& strip, const Partners& partners) {
    using entry = typename Partners::entry;
    detail::int128 sum[4] = {};
    for (std::uint32_t s = 0; s < strip.steps; ++s) {
      const std::uint32_t e = static_cast<const entry*>(rows.entries)[rows.template place<entry>(strip.number, s, my_lane)];
      const pair_now pair = look_at<nearest_image::any>(plan, strip, partners, e, partners.at(e));
      if (!pair.inside) continue;
      const double part[4] = {multiply(pair.force_over_r, pair.d[0]), multiply(pair.force_over_r, pair.d[1]),
                              multiply(pair.force_over_r, pair.d[2]), multiply(plan.energy_share, pair.energy)};
      for (int c = 0; c < (plan.energies != nullptr ? 4 : 3); ++c) {
        detail::int128 count = 0;
        all_fit = all_fit && detail::to_fixed(part[c], unit, count) && (!widest || magnitude(part[c]) < widest_range);
        sum[c] += count;
      }
    }
    for (std::uint32_t distance = 1; distance < rows.lanes_a_row(); distance *= 2) {
      for (int c = 0; c < 4; ++c) sum[c] += shuffle_xor(sum[c], distance);
    }
    if (strip.particle >= rows.size || (my_lane & (rows.lanes_a_row() - 1)) != 0) return;
    double v[4];
    for (int c = 0; c < 4; ++c) {
      const auto magnitude = static_cast<detail::uint128>(sum[c] < 0 ? -sum[c] : sum[c]);
      const int of_part = unit + (c == 3 ? units.energy_shift : 0);
      v[c] = sum[c] == 0 ? 0 : detail::round_to<double>(detail::truncated{magnitude, of_part, false}, sum[c] < 0);
    }
    write_force(plan, particle_of<Partners>(plan, strip), v);
  });
  if (!all_fit) refuse(plan);
}

/// What half rows have added up, to where the caller has it.
template <force_sum how, class To, class Potential>
ACCRUE_KERNEL(neighbor_threads, 4)
write_shared_kernel(sweep_plan<To, Potential> plan) {
  if (is_of_another_list(plan.rows, plan.facts, plan.status)) return;
  for (std::size_t row = first_item(); row < plan.rows.size; row += item_step()) {
    double v[4];
    for (int c = 0; c < 4; ++c) {
      const std::uint64_t word = plan.shared[4 * row + static_cast<unsigned>(c)];
      if constexpr (how == force_sum::units) {
        v[c] = value_of(plan, static_cast<std::int64_t>(word), c);
      } else {
        v[c] = std::bit_cast<double>(word);
      }
    }
    write_force(plan, plan.order[row], v);
  }
}

}  // namespace accrue::simt
