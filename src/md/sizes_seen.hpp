// SPDX-License-Identifier: BSD-3-Clause
// Whether a sweep's forces and energies are of a size that its unit tells.
#pragma once

#include <limits>

#include "accrue/md/detail/pair_kernels.hpp"

namespace accrue::detail {

/// Whether forces and energies of near pairs are nothing but zeros, and whether any of all pairs is large enough.
struct sizes_seen {
  struct of_kind {
    bool some = false;
    bool enough = false;
    [[nodiscard]] bool lost() const { return some && !enough; }
  };
  of_kind force;
  of_kind energy;

  void look_at(const kernels::pair_batch& batch, double nearer_squared, double enough) {
    const auto look = [&](of_kind& kind, double kernels::pair_limits::*of) {
      if (kind.enough) return;
      const auto below = [&](double limit, double of_pairs_nearer) {
        kernels::pair_limits limits{.nearer_squared = of_pairs_nearer};
        limits.*of = limit;
        return kernels::all_below(batch, limits);
      };
      kind.some = kind.some || !below(0x1p-500, nearer_squared);  // whose square is a number
      kind.enough = !below(enough, std::numeric_limits<double>::infinity());
    };
    look(force, &kernels::pair_limits::force);
    look(energy, &kernels::pair_limits::energy);
  }
  void add(const sizes_seen& o) {
    const auto join = [](of_kind& a, const of_kind& b) { a = {a.some || b.some, a.enough || b.enough}; };
    join(force, o.force);
    join(energy, o.energy);
  }
};

}  // namespace accrue::detail
