// SPDX-License-Identifier: BSD-3-Clause
// Groups on host threads: several at a time, and one that is a good part of all by the whole team.
#pragma once

#include <atomic>
#include <cstddef>

#include "accrue/detail/host_reduce.hpp"
#include "accrue/groupings.hpp"

namespace accrue::detail {

/// out[k] = the result of group k. `alone(view)` reduces a view by the whole team.
template <class R, class Groups, class Result, class Alone>
void reduce_groups_on_host(const host_team& team, const R& reducer, const Groups& groups, Result* out, const Alone& alone) {
  constexpr std::size_t least_each = 8192;  // elements that pay for a thread
  const std::size_t count = groups.count();
  const std::size_t size = groups.size();
  const auto wanted = static_cast<std::size_t>(team.threads());
  const std::size_t parts = size / least_each < 1 ? 1 : size / least_each < wanted ? size / least_each : wanted;
  const std::size_t threads = parts < count ? parts : count;
  const std::size_t large = size / (2 * parts) > 4 * least_each ? size / (2 * parts) : 4 * least_each;
  const auto view_of = [&](std::size_t k) { return view_for<R>(groups.group(k)); };
  const auto by_all = [&](const auto& v) { return parts > 1 && v.size() > large; };

  const std::size_t step = count / (16 * threads) + 1;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> some_large{false};
  auto member = [&](int, int) {
    const fp_environment environment;
    while (true) {
      const std::size_t begin = next.fetch_add(step, std::memory_order_relaxed);
      if (begin >= count) return;
      for (std::size_t k = begin; k < count && k < begin + step; ++k) {
        const auto v = view_of(k);
        if (by_all(v)) {
          some_large.store(true, std::memory_order_relaxed);
          continue;
        }
        const auto r = reducer_over<decltype(v)>(reducer);
        out[k] = finish_on_host(r, v, [&] { return fold_view(r, v); });
      }
    }
  };
  team.with(static_cast<int>(threads)).run(member);
  for (std::size_t k = 0; some_large.load() && k < count; ++k) {
    if (const auto v = view_of(k); by_all(v)) out[k] = alone(v);
  }
}

}  // namespace accrue::detail
