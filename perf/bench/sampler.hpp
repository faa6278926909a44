// SPDX-License-Identifier: BSD-3-Clause
// Medians of times, measured until they are known well enough.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace perf {

/// When to stop: once the median is known to within `spread`, or after `rounds` rounds or `seconds` seconds. At least nine rounds,
/// unless fewer are allowed.
struct stopping_rule {
  double spread = 0.01;
  std::size_t rounds = 301;
  double seconds = 3;
};

/// A median of times, and how well it is known: half the width of the interval that holds the true median with 95 % probability (by
/// order statistics, whatever the distribution), over the median.
struct timing {
  double median_s = 0;
  double spread = 0;
  std::size_t rounds = 0;
  bool settled = false;       ///< the spread is below the rule's
  std::vector<double> times;  ///< of the rounds
};
timing summary(std::vector<double> times, const stopping_rule& rule);

/// The median of a's times over b's, round by round, so that what changes with time cancels; and its spread.
struct ratio {
  double median = 0;
  double spread = 0;
};
ratio time_over(const timing& a, const timing& b);

/// Seconds a call, of so many calls in a row.
using sample = std::function<double(std::size_t calls)>;

/// Times all samples in turns, one group of calls each a round, so that what changes with time changes for all.
std::vector<timing> time_in_turns(const std::vector<sample>& samples, const stopping_rule& rule);

}  // namespace perf
