// SPDX-License-Identifier: BSD-3-Clause
// How a range is handed out to a team: equal contiguous shares, or a staircase of them.
#pragma once

#include <algorithm>
#include <cstddef>

namespace accrue::omp {

struct share {
  std::size_t begin;
  std::size_t end;
};

/// The share of thread `rank` of `size`: thread k gets k * step elements more than thread 0, as far as n allows. With the time of
/// one merge for a step, each thread arrives at the critical section as the one before it leaves.
inline share staircase_share(std::size_t n, int rank, int size, double step) {
  const auto team = static_cast<double>(size);
  const double total = static_cast<double>(n);
  if (step <= 0 || size < 2) {
    const auto whole = static_cast<std::size_t>(size);
    const auto k = static_cast<std::size_t>(rank);
    const std::size_t each = n / whole;
    const std::size_t rest = n % whole;
    return {k * each + std::min(k, rest), (k + 1) * each + std::min(k + 1, rest)};
  }
  const double limited = std::min(step, 2 * total / (team * (team - 1)));
  const double first = (total - limited * team * (team - 1) / 2) / team;
  const auto begin_of = [&](int k) {
    if (k == 0) return std::size_t{0};
    if (k == size) return n;
    const auto place = first * k + limited * static_cast<double>(k) * (k - 1) / 2;
    return std::min(n, static_cast<std::size_t>(std::max(place, 0.0)));
  };
  return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace accrue::omp
