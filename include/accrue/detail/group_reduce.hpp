// SPDX-License-Identifier: BSD-3-Clause
// Groups on host threads: several at a time, and one that is a good part of all by the whole team.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "accrue/detail/group_shares.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/detail/short_group_batch.hpp"
#include "accrue/groupings.hpp"

namespace accrue::detail {

/// Some interleaved groups at once, a block of rows at a time, so that each cache line is read once: out[k] = the result of group k, which
/// is group first + k of all.
template <class R, class T, class Output>
void reduce_interleaved(const R& reducer, const neighbouring_groups<T>& groups, std::size_t first, std::size_t count, Output out) {
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
      in_group(first + g + k, [&] { out[g + k] = r.finish(of_group[k].state); });
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

/// out[k] = the result of group k; `out` is a pointer, or what has its [] and +. `alone(view)` reduces a view by the whole team.
template <class R, class Groups, class Output, class Alone>
void reduce_groups_on_host(const host_team& team, const R& reducer, const Groups& groups, Output out, const Alone& alone) {
  const std::size_t count = groups.count();
  const auto view_of = [&](std::size_t k) { return view_for<R>(groups.group(k)); };
  using view_type = decltype(view_of(0));
  const auto r = reducer_over<view_type>(reducer);
  using reducer_type = std::remove_const_t<decltype(r)>;
  constexpr bool in_batches = finishes_groups<reducer_type, view_type>;
  const std::size_t size = groups.size();
  const std::size_t mean = count != 0 ? size / count : 0;
  auto some = [&](std::size_t begin, std::size_t end, std::size_t largest) {
    const auto one = [&](std::size_t k) {
      const auto v = view_of(k);
      in_group(k, [&] { out[k] = finish_view(r, v, [&] { return fold_view(r, v); }); });
    };
    typename batch_of_groups<reducer_type, view_type, Output>::type batch(r, out, mean);
    bool left_out = false;
    for (std::size_t k = begin; k < end; ++k) {
      if constexpr (may_interleave<R, Groups>()) {
        const auto here = groups.from(k);
        const std::size_t together = here.count < end - k ? here.count : end - k;
        if constexpr (in_batches) {
          if (const std::size_t taken = here.length <= largest ? batch.take_alike(k, here, together, one) : 0) {
            k += taken - 1;
            continue;
          }
        }
        if (together > 1 && here.interleaved() && here.length <= largest) {
          reduce_interleaved(reducer, here, k, together, out + k);
          k += together - 1;
          continue;
        }
      }
      if constexpr (in_batches && lies_in_segments<Groups>) {
        const auto other = [&](std::size_t of, std::size_t elements) {
          if (elements <= largest) return one(of);
          left_out = true;
        };
        if (const std::size_t taken = batch.take_segments(groups, k, end, one, other)) {
          k += taken - 1;
          continue;
        }
      }
      const auto v = view_of(k);
      if constexpr (in_batches) {
        if (batch.take(k, as_stepped(v), v.size(), one)) continue;
      }
      if (v.size() > largest) {
        left_out = true;
        continue;
      }
      one(k);
    }
    if constexpr (in_batches) batch.finish(one);
    return left_out;
  };
  auto large = [&](std::size_t largest) {
    for (std::size_t k = 0; k < count; ++k) {
      if (const auto v = view_of(k); v.size() > largest) in_group(k, [&] { out[k] = alone(v); });
    }
  };
  if constexpr (in_batches && may_interleave<R, Groups>()) {
    if constexpr (adds_columns<reducer_type, typename Groups::element>) {
      const auto all = count != 0 ? groups.from(0) : decltype(groups.from(0)){};
      const auto one = [&](std::size_t k) { out[k] = alone(view_of(k)); };
      if (count != 0 && all.count == count && reduce_columns_by_team(team, r, all, out, one)) return;
    }
  }
  struct both {
    decltype(some)& of_some;
    decltype(large)& of_large;
  } steps{some, large};
  bool interleaved = false;
  if constexpr (may_interleave<R, Groups>()) {
    interleaved = count != 0 && (groups.from(0).interleaved() || (in_batches && groups.from(0).group_stride == 1));
  }
  share_groups(team, {count, size, interleaved},
               {&steps,
                [](void* context, std::size_t begin, std::size_t end, std::size_t largest) {
                  return static_cast<both*>(context)->of_some(begin, end, largest);
                },
                [](void* context, std::size_t largest) { static_cast<both*>(context)->of_large(largest); }});
}

}  // namespace accrue::detail
