// SPDX-License-Identifier: BSD-3-Clause
// Equal shares and staircases.
#include "accrue/detail/shares.hpp"

#include <algorithm>

namespace accrue::detail {

namespace {

/// Where the share of thread `rank` of `size` begins in work of `total`: thread k gets k * step more than thread 0, as far as the
/// total allows.
double staircase_place(double total, int rank, int size, double step) {
  const auto team = static_cast<double>(size);
  const double most = size < 2 ? 0 : 2 * total / (team * (team - 1));
  const double limited = std::clamp(step, 0.0, most);
  const double first = (total - limited * team * (team - 1) / 2) / team;
  return first * rank + limited * static_cast<double>(rank) * (rank - 1) / 2;
}

}  // namespace

share staircase_share(std::size_t n, int rank, int size, double step) {
  if (step <= 0) {
    const auto whole = static_cast<std::size_t>(size);
    const auto k = static_cast<std::size_t>(rank);
    const std::size_t each = n / whole;
    const std::size_t rest = n % whole;
    return {k * each + std::min(k, rest), (k + 1) * each + std::min(k + 1, rest)};
  }
  const auto begin_of = [&](int k) {
    if (k == 0) return std::size_t{0};
    if (k == size) return n;
    return std::min(n, static_cast<std::size_t>(staircase_place(static_cast<double>(n), k, size, step)));
  };
  return {begin_of(rank), begin_of(rank + 1)};
}

share staircase_share(std::span<const double> weight_before, int rank, int size, double step) {
  const std::size_t n = weight_before.size() - 1;
  const auto begin_of = [&](int k) {
    if (k == 0) return std::size_t{0};
    if (k == size) return n;
    const double place = staircase_place(weight_before[n], k, size, step);
    const auto at = std::lower_bound(weight_before.begin(), weight_before.end() - 1, place);
    return static_cast<std::size_t>(at - weight_before.begin());
  };
  return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace accrue::detail
