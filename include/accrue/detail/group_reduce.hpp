// SPDX-License-Identifier: BSD-3-Clause
// Groups on host threads: several at a time, and one that is a good part of all by the whole team.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "accrue/detail/host_reduce.hpp"
#include "accrue/groupings.hpp"

namespace accrue::detail {

/// Some interleaved groups at once, a block of rows at a time, so that each cache line is read once: out[k] = the result of group k.
template <class R, class T, class Result>
void reduce_interleaved(const R& reducer, const neighbouring_groups<T>& groups, std::size_t count, Result* out) {
  constexpr std::size_t rows = 256;
  constexpr std::size_t apart = rows + 64 / sizeof(T) + 1;         // so that the groups' places do not share sets of the cache
  constexpr std::size_t most_groups = 131072 / sizeof(T) / apart;  // in the second-level cache
  using view = decltype(view_for<R>(contiguous_view<T>{}));
  const auto r = reducer_over<view>(reducer);
  using tile_reducer_type = std::remove_const_t<decltype(r)>;
  struct running {
    typename tile_reducer_type::accumulator accumulator;
    typename tile_reducer_type::state state;
  };
  std::vector<running> of_group;
  const std::unique_ptr<unsigned char[]> memory(new unsigned char[most_groups * apart * sizeof(T)]);
  T* const block = reinterpret_cast<T*>(memory.get());
  typename view::scratch scratch;
  for (std::size_t g = 0; g < count; g += most_groups) {
    const std::size_t width = most_groups < count - g ? most_groups : count - g;
    const T* const data = groups.data + static_cast<std::ptrdiff_t>(g) * groups.group_stride;
    of_group.clear();
    while (of_group.size() < width) of_group.push_back(running{r.start(), r.empty()});
    for (std::size_t row = 0; row < groups.length; row += rows) {
      const std::size_t n = rows < groups.length - row ? rows : groups.length - row;
      for (std::size_t i = 0; i < n; ++i) {
        const T* const from = data + static_cast<std::ptrdiff_t>(row + i) * groups.stride;
        for (std::size_t k = 0; k < width; ++k) block[k * apart + i] = from[static_cast<std::ptrdiff_t>(k) * groups.group_stride];
      }
      for (std::size_t k = 0; k < width; ++k) {
        auto t = view_for<R>(contiguous_view<T>{block + k * apart, n}).read(0, n, scratch);
        t.first = row;
        running& mine = of_group[k];
        if (!r.fold(mine.accumulator, t)) r.refold(mine.accumulator, mine.state, t);
      }
    }
    for (std::size_t k = 0; k < width; ++k) {
      r.drain(of_group[k].accumulator, of_group[k].state);
      out[g + k] = r.finish(of_group[k].state);
    }
  }
}

/// Whether groups of this kind may be interleaved, and a reducer take them so.
template <class R, class Groups>
constexpr bool may_interleave() {
  if constexpr (requires(const Groups& groups) { groups.from(std::size_t{}); }) {
    using view = decltype(view_for<R>(contiguous_view<typename Groups::element>{}));
    return is_order_free<decltype(reducer_over<view>(std::declval<const R&>()))>();
  } else {
    return false;
  }
}

/// out[k] = the result of group k. `alone(view)` reduces a view by the whole team.
template <class R, class Groups, class Result, class Alone>
void reduce_groups_on_host(const host_team& team, const R& reducer, const Groups& groups, Result* out, const Alone& alone) {
  constexpr std::size_t least_each = 8192;  // elements that pay for a thread
  const std::size_t count = groups.count();
  const std::size_t size = groups.size();
  const auto wanted = static_cast<std::size_t>(team.threads());
  const std::size_t parts = size / least_each < 1 ? 1 : size / least_each < wanted ? size / least_each : wanted;
  const std::size_t threads = parts < count ? parts : count != 0 ? count : 1;
  const std::size_t large = size / (2 * parts) > 4 * least_each ? size / (2 * parts) : 4 * least_each;
  const auto view_of = [&](std::size_t k) { return view_for<R>(groups.group(k)); };
  const auto by_all = [&](const auto& v) { return parts > 1 && v.size() > large; };

  std::size_t step = count / (16 * threads) + 1;
  if constexpr (may_interleave<R, Groups>()) {  // cache lines of groups, where there are enough for all threads
    const std::size_t line = count / threads < 64 ? count / threads : 64;
    if (count != 0 && step < line && groups.from(0).interleaved()) step = line;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> some_large{false};
  auto member = [&](int, int) {
    const fp_environment environment;
    while (true) {
      const std::size_t begin = next.fetch_add(step, std::memory_order_relaxed);
      if (begin >= count) return;
      const std::size_t end = count - begin < step ? count : begin + step;
      for (std::size_t k = begin; k < end; ++k) {
        if constexpr (may_interleave<R, Groups>()) {
          const auto here = groups.from(k);
          const std::size_t together = here.count < end - k ? here.count : end - k;
          if (together > 1 && here.interleaved() && !by_all(view_of(k))) {
            reduce_interleaved(reducer, here, together, out + k);
            k += together - 1;
            continue;
          }
        }
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
