// SPDX-License-Identifier: BSD-3-Clause
// Groups for the threads of a team: some at a time to whoever is free, and the largest by all together.
#include "accrue/detail/group_shares.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "accrue/detail/fp_environment.hpp"

namespace accrue::detail {

void share_groups(const host_team& team, const groups_to_share& groups, const group_steps& steps) {
  constexpr std::size_t least_each = 8192;  // elements that pay for a thread
  constexpr std::size_t most_interleaved = 256;  // groups that are read together
  // Those that are reduced together (short_group_batch.hpp): so many of so many elements on average, and of more.
  constexpr std::size_t most_short = 64;
  constexpr std::size_t mean_of_short = 96;
  constexpr std::size_t least_rows = 8;
  constexpr std::size_t mean_of_rows = 1024;
  if (groups.count == 0) return;
  const std::size_t parts = std::clamp<std::size_t>(groups.size / least_each, 1, static_cast<std::size_t>(team.threads()));
  const std::size_t threads = std::min(parts, groups.count);
  const std::size_t largest =
      parts > 1 ? std::max(groups.size / (2 * parts), 4 * least_each) : std::numeric_limits<std::size_t>::max();
  const std::size_t mean = groups.size / groups.count;
  const std::size_t together = groups.interleaved      ? most_interleaved
                               : mean <= mean_of_short ? most_short
                               : mean <= mean_of_rows  ? least_rows
                                                       : 1;
  std::size_t step = threads > 1 ? groups.count / (16 * threads) + 1 : groups.count;
  step = std::max(step, std::min((groups.count - 1) / threads + 1, together));

  std::atomic<std::size_t> next{0};
  std::atomic<bool> some_large{false};
  auto member = [&](int, int) {
    const fp_environment environment;
    while (true) {
      const std::size_t begin = next.fetch_add(step, std::memory_order_relaxed);
      if (begin >= groups.count) return;
      const std::size_t end = groups.count - begin < step ? groups.count : begin + step;
      if (steps.some(steps.context, begin, end, largest)) some_large.store(true, std::memory_order_relaxed);
    }
  };
  team.with(static_cast<int>(threads)).run(member);
  if (some_large.load()) steps.large(steps.context, largest);
}

}  // namespace accrue::detail
