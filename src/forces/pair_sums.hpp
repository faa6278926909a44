// SPDX-License-Identifier: BSD-3-Clause
// The exact sums of a sweep: energy and the six components of the virial.
#pragma once

#include <array>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/detail/pair_kernels.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::detail {

/// One exact sum, filled in tiles: those whose terms are of ordinary size by the short way.
class tiled_sum {
 public:
  /// `tame`: all terms are below 2^tame_exponent.
  void add(const double* terms, std::size_t size, bool tame) {
    if (tame && kernels::add_tame(terms, size, totals_)) {
      if (++tiles_ == most_tiles) drain_totals();
      return;
    }
    const kernels::operands<double> tile{terms, nullptr, size};
    if (!accumulator_.fold(kernels::term::value, tile)) accumulator_.refold(state_.sink(), kernels::term::value, tile);
  }
  /// Everything added so far.
  const superaccumulator<double>& drain() {
    drain_totals();
    accumulator_.drain(state_.sink());
    return state_;
  }

 private:
  static constexpr int most_tiles = 4096;
  void drain_totals() {
    state_.sink().deposit(totals_.high, kernels::tame_totals::high_unit);
    state_.sink().deposit(totals_.low, kernels::tame_totals::low_unit);
    totals_ = {};
    tiles_ = 0;
  }

  kernels::tame_totals totals_;
  int tiles_ = 0;
  kernels::exact_accumulator accumulator_;
  superaccumulator<double> state_;
};

struct alignas(64) pair_sums {
  tiled_sum energy;
  std::array<tiled_sum, 6> virial;
};

struct pair_totals {
  superaccumulator<double> energy;
  std::array<superaccumulator<double>, 6> virial;

  void add(pair_sums& s) {
    energy += s.energy.drain();
    for (std::size_t k = 0; k < virial.size(); ++k) virial[k] += s.virial[k].drain();
  }
};

}  // namespace accrue::detail
