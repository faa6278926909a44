// SPDX-License-Identifier: BSD-3-Clause
// What a sweep of pair forces is given, and what a lane adds up over the pairs of a strip.
#pragma once

#include "accrue/backends/simt/kernel/strips.cuh"
#include "accrue/backends/simt/operations/pair_terms.cuh"

namespace accrue::simt {

/// What is seen of forces and energies: whether some of near pairs are not zero, and whether any is large enough for the unit to tell.
enum some_size : unsigned { some_force = 1, some_large_force = 2, some_energy = 4, some_large_energy = 8 };

/// What a sweep tells its caller. Zero before sweeps that are read back; others clear what `begin_sweep` does and add to the rest.
struct sweep_facts {
  std::uint64_t most_force_squared;  ///< bits of doubles, of the pairs whose force or energy did not fit
  std::uint64_t most_energy;
  std::uint64_t stale;       ///< all bits turned, the smallest number of a particle that has moved too far; or 0
  std::uint64_t not_finite;  ///< likewise, of one that is not finite
  std::uint64_t refused;     ///< whether a force or an energy did not fit
  std::uint64_t other_list;  ///< whether the list has other rows than those that were to be read
  std::uint64_t no_type;     ///< all bits turned, the smallest number of a particle whose type the potential lacks; or 0
  unsigned sizes;            ///< bits of `some_size`, of watched units

  /// Of what a sweep finds.
  ACCRUE_DEVICE void begin_sweep() {
    most_force_squared = 0;
    most_energy = 0;
    sizes = 0;
  }
  /// Whether none of those that are not zero is large.
  [[nodiscard]] constexpr bool lost(unsigned some, unsigned large) const { return (sizes & (some | large)) == some; }
};

/// How a pair's force is added up.
enum class force_sum : std::uint8_t {
  units,   ///< integers: no order shows
  doubles  ///< in the order of the row
};

/// What a sweep reads and writes. `Potential`: as a device calls it.
template <class To, class Potential>
struct sweep_plan {
  list_geometry geometry;
  strip_rows rows;
  particles_now now;
  const std::uint32_t* order;
  Potential potential;
  double cutoff_squared;
  bool roomy;  ///< is_roomy
  double image_reach;  ///< from the boundary: of particles farther away no partner within the cut-off is another image
  vectors<To> forces;
  double* energies;  ///< half of each pair's for both partners; or nullptr
  // units
  int unit;               ///< its exponent
  double force_squared;   ///< bounds of |f|^2 and of energies
  double energy;
  double calm_squared;    ///< of a tame potential: beyond that distance all is within the bounds,
  double small_squared;   ///< and beyond this one terms of the sums are below `beyond`
  double energy_share;    ///< of a pair's energy, that each partner is given, in what forces are counted in
  double watched_squared; ///< pairs nearer than this must not be lost, in watched units
  detail::force_units units;
  int bits;    ///< a bound is worth 2^bits units
  bool widens; ///< whether a second sweep takes what does not fit
  std::uint64_t* shared;  ///< half rows: four numbers for each particle, zero before
  pair_totals* totals;
  sweep_facts* facts;
  int* status;  ///< nullptr where the facts are read back
};

ACCRUE_HOST_DEVICE double two_to(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }
/// A sum of pairs' parts as a double: of a component of forces, or, the last, of energies.
template <class Plan>
ACCRUE_DEVICE double value_of(const Plan& plan, std::int64_t count, int part) {
  return multiply(static_cast<double>(count), two_to(plan.unit + (part == 3 ? plan.units.energy_shift : 0)));
}
template <class Plan>
ACCRUE_DEVICE double value_of(const Plan&, double v, int) { return v; }
/// The caller's number of a strip's particle.
template <class Partners, class Plan>
ACCRUE_DEVICE std::uint32_t particle_of(const Plan& plan, const strip_work& strip) {
  return std::is_same_v<Partners, partners_in_tile> ? strip.particle : plan.order[strip.particle];
}
/// Writes a particle's force, and its energy, where the caller has them, by the caller's number.
template <class To, class Potential>
ACCRUE_DEVICE void write_force(const sweep_plan<To, Potential>& plan, std::uint32_t particle, const double (&v)[4]) {
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
  double fused_force_over_r;  ///< for sums of doubles: of tame potentials the same with fused operations
};
/// Which images of a partner may be the nearest: where it is, or one beside that in one direction or in all, in boxes with room for it
/// (`is_roomy`), or any.
enum class nearest_image : std::uint8_t { itself, beside_along_x, beside_along_y, beside_along_z, beside, any };
constexpr bool may_be_beside(nearest_image image, int k) {
  return image == nearest_image::beside || static_cast<int>(image) == static_cast<int>(nearest_image::beside_along_x) + k;
}
/// Whether all pairs within the cut-off are nearer than half the box by far: both ways of finding the nearest image agree then on all pairs
/// that count, though they round differently. Particles move by half the skin each.
inline bool is_roomy(const list_geometry& g, const strip_rows& rows, double reach, double skin) {
  if (rows.outside) return false;
  for (int k = 0; k < 3; ++k) {
    if (g.periodic[k] && !(g.length[k] > 2.001 * (reach + skin))) return false;
  }
  return true;
}
/// The same as `to_nearest` in a roomy box, by one addition; anything for pairs that are far apart.
ACCRUE_DEVICE double to_image_beside(const list_geometry& g, int k, double d) {
  const double moved = subtract(d, from_words(high_word(g.length[k]) | (high_word(d) & 0x80000000u), low_word(g.length[k])));
  return (high_word(d) & 0x7fffffffu) > high_word(multiply(g.length[k], 0.5)) ? moved : d;
}
template <nearest_image image, class Plan, class Partners>
ACCRUE_DEVICE pair_now look_at(const Plan& plan, const strip_work& strip, const Partners& partners, std::uint32_t entry,
                               const particle_place& p) {
  pair_now pair;
  const particle_place& own = strip.own;
  pair.d[0] = subtract(own.x, p.x);
  pair.d[1] = subtract(own.y, p.y);
  pair.d[2] = subtract(own.z, p.z);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    if constexpr (image == nearest_image::any) pair.d[k] = to_nearest(plan.geometry, k, pair.d[k]);
    if constexpr (image != nearest_image::any) {
      if (may_be_beside(image, k)) pair.d[k] = to_image_beside(plan.geometry, k, pair.d[k]);
    }
  }
  pair.r_squared = add(add(multiply(pair.d[0], pair.d[0]), multiply(pair.d[1], pair.d[1])), multiply(pair.d[2], pair.d[2]));
  if constexpr (image == nearest_image::any) {  // where what is no particle may have come near
    pair.r_squared = entry == partners.none ? 0x1p200 : pair.r_squared;
  }
  // Neither is negative, so that their bits compare as they do: there is enough to do for the units of double precision.
  pair.inside = std::bit_cast<std::int64_t>(pair.r_squared) < std::bit_cast<std::int64_t>(plan.cutoff_squared);
  if constexpr (!decltype(plan.potential)::is_tame) {  // it may be anything elsewhere
    pair.r_squared = pair.inside ? pair.r_squared : plan.cutoff_squared;
  }
  if constexpr (decltype(plan.potential)::has_types) {
    plan.potential(pair.r_squared, strip.own_type, partners.type_of(entry), pair.energy, pair.force_over_r);
  } else {
    plan.potential(pair.r_squared, pair.energy, pair.force_over_r);
  }
  pair.energy = pair.inside ? pair.energy : 0;
  pair.force_over_r = pair.inside ? pair.force_over_r : 0;
  // Where terms of the sums are wanted too, both are computed: energies have the same bits for every strategy, and forces with and without.
  if constexpr (decltype(plan.potential)::is_tame) {
    const double(&d)[3] = pair.d;
    double r_squared = fused_multiply_add(d[2], d[2], fused_multiply_add(d[1], d[1], multiply(d[0], d[0])));
    if constexpr (image == nearest_image::any) r_squared = entry == partners.none ? 0x1p200 : r_squared;
    if constexpr (decltype(plan.potential)::has_types) {
      pair.fused_force_over_r = plan.potential.fused_force(r_squared, strip.own_type, partners.type_of(entry));
    } else {
      pair.fused_force_over_r = plan.potential.fused_force(r_squared);
    }
    const bool inside = std::bit_cast<std::int64_t>(r_squared) < std::bit_cast<std::int64_t>(plan.cutoff_squared);
    pair.fused_force_over_r = inside ? pair.fused_force_over_r : 0;
  } else {
    pair.fused_force_over_r = pair.force_over_r;
  }
  return pair;
}
/// In which directions some pairs of a warp's strips may cross a boundary, in roomy boxes: a bit for each.
template <class Plan>
ACCRUE_DEVICE unsigned crossed_in_warp(const Plan& plan, const strip_work& strip) {
  const list_geometry& g = plan.geometry;
  const double x[3] = {strip.own.x, strip.own.y, strip.own.z};
  unsigned crosses = 0;
  for (int k = 0; k < 3; ++k) {
    const double from_low = subtract(x[k], g.low[k]);
    const bool near = !(from_low > plan.image_reach && from_low < subtract(g.length[k], plan.image_reach));
    crosses |= any(g.periodic[k] && strip.particle < plan.rows.size && near) ? 1u << k : 0u;
  }
  return crosses;
}

template <class Plan>
ACCRUE_DEVICE void refuse(const Plan& plan) {
  raise_atomically(&plan.facts->refused, std::uint64_t{1});
  if (plan.status != nullptr) *plan.status = static_cast<int>(errc::out_of_range);
}
/// Whether all forces, or energies, were too small for the unit to tell much of them.
template <class Plan>
ACCRUE_HOST_DEVICE bool tells_too_little(const Plan& plan, const sweep_facts& facts) {
  if (!plan.units.watched || facts.most_force_squared != 0 || facts.most_energy != 0) return false;
  return facts.lost(some_force, some_large_force) || (plan.energies != nullptr && facts.lost(some_energy, some_large_energy));
}
/// What bounds are compared with: |f|^2, and the energy.
ACCRUE_DEVICE double force_squared(const pair_now& pair) {
  const double size = magnitude(pair.force_over_r);
  return multiply(size, multiply(size, pair.r_squared));
}
/// Half of the logarithm of |f|^2, but for a constant, in steps of 2^-20: by upper words, since there is enough to do for the units of
/// double precision, and so too small, by less than 2^18 steps. The bound's is smaller by as many, so that no force beyond it seems below.
ACCRUE_DEVICE unsigned force_size(const pair_now& pair) {
  return (high_word(pair.force_over_r) & 0x7fffffffu) + (high_word(pair.r_squared) >> 1);
}
ACCRUE_DEVICE unsigned least_force_size(double squared) { return (high_word(squared) >> 1) + (1023u << 20); }
ACCRUE_DEVICE unsigned force_size_of_bound(double squared) { return least_force_size(squared) - (1u << 18); }
/// For a row of which a pair may not fit: tells the largest that does not. Not out of line, where the plan would have to be in memory.
template <class Plan, class Partners>
ACCRUE_DEVICE void tell_beyond(const Plan& plan, const strip_work& strip, const Partners& partners) {
  using entry = typename Partners::entry;
  std::uint64_t most_force = 0;
  std::uint64_t most_energy = 0;
  const auto* const entries = static_cast<const entry*>(plan.rows.entries);
  for (std::uint32_t step = 0; step < strip.steps; ++step) {
    const std::uint32_t e = entries[plan.rows.template place<entry>(strip.number, step, thread() % strip_lanes)];
    const pair_now pair = look_at<nearest_image::any>(plan, strip, partners, e, partners.at(e));
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

/// The sizes that end the watch: of forces, and of energies where the caller has them.
template <class Plan>
ACCRUE_DEVICE unsigned wanted_sizes(const Plan& plan) {
  return some_large_force | (plan.energies != nullptr ? some_large_energy : 0u);
}
/// What is seen of the pairs of a row: of those that are near whether they are not zero, and of all whether they are `large`.
template <class Plan, class Partners>
ACCRUE_DEVICE unsigned sizes_of(const Plan& plan, const strip_work& strip, const Partners& partners, double large) {
  using entry = typename Partners::entry;
  unsigned sizes = 0;
  const auto* const entries = static_cast<const entry*>(plan.rows.entries);
  for (std::uint32_t step = 0; step < strip.steps; ++step) {
    const std::uint32_t e = entries[plan.rows.template place<entry>(strip.number, step, thread() % strip_lanes)];
    const pair_now pair = look_at<nearest_image::any>(plan, strip, partners, e, partners.at(e));
    if (!pair.inside) continue;
    const double force = force_squared(pair);
    const double energy = magnitude(pair.energy);
    if (force >= multiply(large, large)) sizes |= some_large_force;
    if (energy >= large) sizes |= some_large_energy;
    if (!(pair.r_squared < plan.watched_squared)) continue;
    if (force >= 0x1p-1000) sizes |= some_force;
    if (energy >= 0x1p-500) sizes |= some_energy;
  }
  return sizes;
}

/// What a lane adds up: over the pairs of a strip its row's force and, with `sums`, its particle's energy; over all strips the exact sums.
template <force_sum how, bool to_both, bool sums, class Partners, class Plan>
class strip_forces {
 public:
  ACCRUE_DEVICE explicit strip_forces(const Plan& plan)
      : plan_(plan),
        anchor_(multiply(1.5, two_to(plan.unit + 52))),
        calm_limit_(high_word(plan.calm_squared)),
        small_limit_(high_word(plan.small_squared)) {
    if constexpr (in_units && !tame) {
      wait_for_kernel_before();
      sizes_ = plan.units.watched ? load_shared_by_device(&plan.facts->sizes) : ~0u;
    }
  }

  /// By all lanes of a warp together.
  ACCRUE_DEVICE void sweep(const strip_work& strip, const Partners& partners) {
    const strip_rows& rows = plan_.rows;
    const std::uint32_t lane_of_row = thread() % strip_lanes & (rows.lanes_a_row() - 1);
    const std::uint32_t steps = warp_width > strip_lanes ? largest_in_warp(strip.steps) : strip.steps;  // of all strips of the warp
    if constexpr (sums) {
      const std::uint32_t of_row = strip.particle != rows.size ? rows.front[strip.at] : 0;
      my_front_ = (of_row + rows.lanes_a_row() - 1 - lane_of_row) >> rows.lanes_shift;
      front_ = largest_in_warp(my_front_);
    }
    for (number& s : sum_) s = 0;
    most_force_ = 0;
    most_energy_ = 0;
    nearest_ = ~0u;
    if (!any(strip.crosses)) {
      add_strip<nearest_image::itself>(strip, partners, steps);
    } else if (sums || to_both || !plan_.roomy) {  // the first two have long code
      add_strip<nearest_image::any>(strip, partners, steps);
    } else if constexpr (!sums && !to_both) {
      add_crossing_strip(strip, partners, steps);
    }

    for (int c = 0; c < parts; ++c) sum_[c] = without_anchors(sum_[c], has_part(c) ? steps : 0);
    for (std::uint32_t distance = 1; distance < rows.lanes_a_row(); distance *= 2) {
      for (int c = 0; c < parts; ++c) sum_[c] = sum_of(sum_[c], shuffle_xor(sum_[c], distance));
    }
    if constexpr (in_units && !tame) {
      if (const unsigned wanted = wanted_sizes(plan_); (sizes_ & wanted) != wanted) tell_sizes(strip, partners);
    }
    if (strip.particle >= rows.size) return;
    if constexpr (in_units && tame) {
      if (nearest_ <= calm_limit_) tell_beyond(plan_, strip, partners);
    } else if constexpr (in_units) {
      const bool large = most_force_ >= force_size_of_bound(plan_.force_squared) || most_energy_ >= high_word(plan_.energy);
      if (large) tell_beyond(plan_, strip, partners);
    }
    if (lane_of_row != 0) return;
    if constexpr (to_both) {
      for (int c = 0; c < parts; ++c) {
        if (has_part(c)) add_shared(strip.particle, c, sum_[c]);
      }
    } else {
      double v[4] = {};
      for (int c = 0; c < parts; ++c) v[c] = value_of(plan_, sum_[c], c);
      write_force(plan_, particle_of<Partners>(plan_, strip), v);
    }
  }
  ACCRUE_DEVICE void drain() {
    if constexpr (sums) terms_.drain(plan_.totals);
    added_ = 0;
  }

 private:
  static constexpr bool in_units = how == force_sum::units;
  static constexpr bool tame = decltype(Plan::potential)::is_tame;
  static constexpr int parts = sums ? 4 : 3;
  using number = std::conditional_t<in_units, std::int64_t, double>;
  using entry = typename Partners::entry;
  static constexpr unsigned load = entries_a_load<entry>;
  static constexpr unsigned together = steps_at_once<entry>;
  struct nothing {};

  /// Tells of what sizes forces and energies of this strip are, of which it was not known yet. By all lanes of a warp together.
  ACCRUE_DEVICE void tell_sizes(const strip_work& strip, const Partners& partners) {
    const double large = two_to(plan_.unit + plan_.units.least_bits);
    unsigned mine = 0;
    if (strip.particle < plan_.rows.size) {
      mine = (most_force_ >= least_force_size(multiply(large, large)) ? some_large_force : 0u) |
             (most_energy_ >= high_word(large) ? some_large_energy : 0u);
      const unsigned wanted = wanted_sizes(plan_);
      if ((mine & wanted) != wanted) mine |= sizes_of(plan_, strip, partners, large);
    }
    unsigned all = 0;
    for (unsigned bit = 1; bit <= some_large_energy; bit *= 2) all |= any((mine & bit) != 0) ? bit : 0u;
    if (lane() == 0 && (all & ~sizes_) != 0) set_bits_atomically(&plan_.facts->sizes, all);
    sizes_ |= all;
  }
  /// Loops are over all parts, which may be in registers then, and ask for each.
  [[nodiscard]] ACCRUE_DEVICE bool has_part(int c) const { return c < 3 || plan_.energies != nullptr; }
  /// Adding the anchor rounds to whole units, by which its bits grow. Sums are of such bits, and the anchors' are taken off at the end.
  ACCRUE_DEVICE number counted(double v) const {
    if constexpr (in_units) {
      return std::bit_cast<std::int64_t>(add(v, anchor_));
    } else {
      return v;
    }
  }
  ACCRUE_DEVICE number without_anchors(number v, std::uint64_t count) const {
    if constexpr (in_units) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(v) - count * std::bit_cast<std::uint64_t>(anchor_));
    } else {
      return v;
    }
  }
  static ACCRUE_DEVICE number sum_of(number a, number b) {
    if constexpr (in_units) {  // what does not fit is told
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return add(a, b);
    }
  }
  static ACCRUE_DEVICE number negated(number a) {
    if constexpr (in_units) {
      return static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
    } else {
      return -a;
    }
  }
  ACCRUE_DEVICE void add_shared(std::uint32_t particle, int c, number v) const {
    auto* const to = plan_.shared + std::size_t{4} * particle + static_cast<unsigned>(c);
    if constexpr (in_units) {
      add_atomically(to, static_cast<std::uint64_t>(v));
    } else {
      add_atomically(reinterpret_cast<double*>(to), v);
    }
  }

  ACCRUE_DEVICE vector16 entries_at(const strip_work& strip, const Partners& partners, std::uint32_t step) const {
    if (step < strip.steps) {
      const auto* const entries = static_cast<const entry*>(plan_.rows.entries);
      return load_vector16(entries + plan_.rows.template place<entry>(strip.number, step, thread() % strip_lanes));
    }
    return nobody(partners);
  }
  static ACCRUE_DEVICE vector16 nobody(const Partners& partners) {
    const std::uint32_t none = partners.none * (sizeof(entry) == 2 ? 0x10001u : 1u);
    return {{none, none, none, none}};
  }
  ACCRUE_DEVICE void add_crossing_strip(const strip_work& strip, const Partners& partners, std::uint32_t steps) {
    const unsigned crosses = crossed_in_warp(plan_, strip);
    if (crosses == 0) {
      add_strip<nearest_image::itself>(strip, partners, steps);
    } else if (crosses == 1) {
      add_strip<nearest_image::beside_along_x>(strip, partners, steps);
    } else if (crosses == 2) {
      add_strip<nearest_image::beside_along_y>(strip, partners, steps);
    } else if (crosses == 4) {
      add_strip<nearest_image::beside_along_z>(strip, partners, steps);
    } else {
      add_strip<nearest_image::beside>(strip, partners, steps);
    }
  }
  template <nearest_image image>
  ACCRUE_DEVICE void add_strip(const strip_work& strip, const Partners& partners, std::uint32_t steps) {
    vector16 next = strip.steps != 0 ? strip.first : nobody(partners);
    for (std::uint32_t first = 0; first < steps; first += load) {
      vector16 here = next;
      next = entries_at(strip, partners, first + load);
      const std::uint32_t end = first + load < steps ? first + load : steps;
      if constexpr (load == together) {
        add_pairs<image, sums>(strip, partners, here, 0, first);
      } else if (!sums && image != nearest_image::any && end - first == load) {
#pragma unroll
        for (unsigned k = 0; k < load; k += together) add_pairs<image, false>(strip, partners, here, k, first + k);
      } else {  // long code once, or less than a whole load
        const bool with_terms = sums && first < front_;
#pragma unroll 1
        for (std::uint32_t step = first; step < end; step += together) {
          with_terms ? add_pairs<image, sums>(strip, partners, here, 0, step) : add_pairs<image, false>(strip, partners, here, 0, step);
          for (unsigned k = 0; k + 1 < 4; ++k) here.word[k] = here.word[k + 1];
        }
      }
    }
  }
  /// The pairs of some entries of a load, which their lane has at `step`. `with_terms`: some of them may be the first of their two places.
  template <nearest_image image, bool with_terms>
  ACCRUE_DEVICE void add_pairs(const strip_work& strip, const Partners& partners, const vector16& entries, unsigned from,
                               std::uint32_t step) {
    std::uint32_t others[together];
    particle_place places[together];  // asked for together
#pragma unroll
    for (unsigned k = 0; k < together; ++k) others[k] = entry_in<entry>(entries, from + k);
#pragma unroll
    for (unsigned k = 0; k < together; ++k) places[k] = partners.at(others[k]);
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      const pair_now pair = look_at<image>(plan_, strip, partners, others[k], places[k]);
      add_pair<with_terms>(pair, others[k], step + k < my_front_);
    }
    if constexpr (with_terms) {
      added_ += step < front_ ? together : 0;
      if (added_ + together > pair_term_sums::most_terms) drain();
    }
  }
  /// `is_first`: whether this is the first of the pair's two places, its row's partner behind its particle, where its terms are added.
  template <bool with_terms>
  ACCRUE_DEVICE void add_pair(const pair_now& pair, [[maybe_unused]] std::uint32_t other, [[maybe_unused]] bool is_first) {
    const double f[3] = {multiply(pair.force_over_r, pair.d[0]), multiply(pair.force_over_r, pair.d[1]),
                         multiply(pair.force_over_r, pair.d[2])};
    if constexpr (tame && in_units) {
      const unsigned distance = high_word(pair.r_squared);
      nearest_ = distance < nearest_ ? distance : nearest_;
    } else if constexpr (in_units) {
      const unsigned size = force_size(pair);
      const unsigned energy = high_word(magnitude(pair.energy));
      most_force_ = size > most_force_ ? size : most_force_;
      most_energy_ = energy > most_energy_ ? energy : most_energy_;
    }
    number part[parts] = {};
    for (int c = 0; c < 3; ++c) {
      part[c] = counted(f[c]);
      if constexpr (in_units) {
        sum_[c] = sum_of(sum_[c], part[c]);
      } else {
        sum_[c] = fused_multiply_add(to_both ? pair.force_over_r : pair.fused_force_over_r, pair.d[c], sum_[c]);
      }
    }
    if constexpr (sums) {
      if (has_part(3)) {
        part[3] = counted(multiply(plan_.energy_share, pair.energy));
        sum_[3] = sum_of(sum_[3], part[3]);
      }
    }
    if constexpr (to_both) {
      if (pair.inside) {
        for (int c = 0; c < parts; ++c) {
          if (!has_part(c)) continue;
          const number v = without_anchors(part[c], 1);
          add_shared(other, c, c < 3 ? negated(v) : v);
        }
      }
    }
    if constexpr (with_terms) {
      if (is_first && pair.inside) {
        const double term[pair_sum_count] = {pair.energy,
                                             multiply(f[0], pair.d[0]),
                                             multiply(f[1], pair.d[1]),
                                             multiply(f[2], pair.d[2]),
                                             multiply(f[0], pair.d[1]),
                                             multiply(f[0], pair.d[2]),
                                             multiply(f[1], pair.d[2])};
        terms_.template add_pair<tame>(high_word(pair.r_squared) > small_limit_, term, plan_.totals);
      }
    }
  }

  const Plan& plan_;
  double anchor_;
  unsigned calm_limit_;  ///< upper words
  unsigned small_limit_;
  unsigned sizes_ = 0;    ///< that are known to be there, of functors: bits of `some_size`
  // Of a strip
  number sum_[parts];
  unsigned most_force_;
  unsigned most_energy_;
  unsigned nearest_;
  std::uint32_t my_front_ = 0;  ///< the lane's steps whose partners are behind the particle
  std::uint32_t front_ = 0;     ///< the most of any lane
  // Of all
  std::conditional_t<sums, pair_term_sums, nothing> terms_;
  unsigned added_ = 0;
};

}  // namespace accrue::simt
