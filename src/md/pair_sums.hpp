// SPDX-License-Identifier: BSD-3-Clause
// The exact sums of a sweep: the energy and the six components of the virial.
#pragma once

#include <array>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/md/detail/pair_kernels.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::detail {

/// Energy, then the virial's xx, yy, zz, xy, xz, yz.
using pair_totals = std::array<superaccumulator<double>, 7>;

/// One thread's sums, filled batch by batch: terms of ordinary size by the short way, others by the general one.
class pair_sums {
 public:
  /// Adds arrays [first, last) of the batch's terms. `tame`: all are below 2^tame_exponent.
  void add(const kernels::pair_batch& batch, std::size_t first, std::size_t last, bool tame) {
    const auto terms = batch.terms();
    unsigned left = ~0u;
    if (tame) {
      left = kernels::add_tame(terms.data() + first, last - first, batch.size, totals_.data() + first);
      if (++batches_ == most_batches) drain_totals();
    }
    for (std::size_t a = first; a < last; ++a) {
      if ((left >> (a - first) & 1) == 0) continue;
      const kernels::operands<double> operands{terms[a], nullptr, batch.size};
      if (!general_[a].fold(kernels::term::value, operands)) general_[a].refold(states_[a].sink(), kernels::term::value, operands);
    }
  }

  /// Adds everything to the totals, and starts afresh.
  void drain(pair_totals& all) {
    drain_totals();
    for (std::size_t a = 0; a < all.size(); ++a) {
      general_[a].drain(states_[a].sink());
      all[a] += states_[a];
      states_[a] = {};
    }
  }

 private:
  static constexpr int most_batches = 512;
  void drain_totals() {
    for (std::size_t a = 0; a < totals_.size(); ++a) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        states_[a].sink().deposit(totals_[a].high[lane], kernels::tame_totals::high_unit);
        states_[a].sink().deposit(totals_[a].low[lane], kernels::tame_totals::low_unit);
      }
      totals_[a] = {};
    }
    batches_ = 0;
  }

  std::array<kernels::tame_totals, 7> totals_;
  int batches_ = 0;
  std::array<kernels::exact_accumulator, 7> general_;
  pair_totals states_;
};

}  // namespace accrue::detail
