// SPDX-License-Identifier: BSD-3-Clause
// How a range is handed out to a team: equal contiguous shares, or a staircase of them.
#pragma once

#include <cstddef>
#include <span>

namespace accrue::detail {

struct share {
  std::size_t begin;
  std::size_t end;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// The share of thread `rank` of n like elements: thread k gets k * step more than thread 0, as far as n allows. With the elements of one
/// merge's time for a step, each thread arrives at the critical section as the one before it leaves.
share staircase_share(std::size_t n, int rank, int size, double step);

/// The same for elements that differ: `weight_before[i]` is the work of all elements before i, with the total at the end.
share staircase_share(std::span<const double> weight_before, int rank, int size, double step);

}  // namespace accrue::detail
