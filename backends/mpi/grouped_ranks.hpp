// SPDX-License-Identifier: BSD-3-Clause
// Groupings over ranks, in any order of their elements: this rank's states, and the messages that join them with the others'.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <memory>
#include <vector>

#include "accrue/backends/mpi/space_memory.hpp"
#include "accrue/backends/mpi/state_exchange.hpp"
#include "accrue/detail/group_reduce.hpp"
#include "accrue/reductions.hpp"

namespace accrue::ranks {

/// The threads of the host that work for a space.
template <class Space>
detail::host_team host_team_for([[maybe_unused]] const Space& space) {
  if constexpr (host_space<Space>) {
    return team_of(space);
  } else {
    return team_of(default_host_space{});
  }
}

/// Calls f(part) for parts of the results, by as much of the team as pays, in the default environment.
template <class F>
void for_results(const detail::host_team& team, detail::share results, const F& f) {
  auto member = [&](int rank, int size) {
    const detail::fp_environment environment;
    const detail::share s = detail::staircase_share(results.size(), rank, size, 0);
    f(detail::share{results.begin + s.begin, results.begin + s.end});
  };
  team.with(static_cast<int>(std::min<std::size_t>(results.size() / 64 + 1, static_cast<std::size_t>(team.threads())))).run(member);
}

/// Whether a device reduces groups by a kernel each: the arrays of a batch that need not be contiguous, or pairs of arrays.
template <class Groups>
inline constexpr bool one_kernel_each = false;
template <class Range>
inline constexpr bool one_kernel_each<detail::batch_groups<Range>> = !requires(const detail::batch_groups<Range>& g) {
  { g.group(0) } -> std::same_as<detail::contiguous_view<typename detail::batch_groups<Range>::element>>;
};
template <class Range, class Y>
inline constexpr bool one_kernel_each<detail::zipped_groups<detail::batch_groups<Range>, Y>> = true;
/// The states of the groups of this rank, which lie on a device.
template <class Space, class R, class Groups>
std::vector<typename R::state> device_states(const Space& space, const R& r, const Groups& groups) {
  using state = typename R::state;
  const std::size_t count = groups.count();
  std::vector<state> here(count, r.empty());
  if constexpr (one_kernel_each<Groups>) {
    for (std::size_t k = 0; k < count; ++k) here[k] = reduce_state(space, r, detail::view_in_any_order_for<R>(groups.group(k)));
  } else if (count != 0) {
    const auto there = memory_of(space, count * sizeof(state));
    reduce_group_states_into(space, r, groups, reinterpret_cast<state*>(there.get()));
    space.copy(static_cast<void*>(here.data()), static_cast<const void*>(there.get()), count * sizeof(state));
    space.synchronize();
  }
  return here;
}
/// Counts the elements of a group.
struct group_size {
  using state = std::uint64_t;
  static constexpr bool order_free = true;
  constexpr state start() const { return 0; }
  template <class T>
  constexpr void fold(state& s, const T&) const {
    ++s;
  }
  constexpr void merge(state& a, const state& b) const { a += b; }
  constexpr state finish(const state& s) const { return s; }
};

/// states[k] = the state of this rank's group k. `r` is the reducer in a form that gives states, or what else `states` takes.
template <class Space, class Form, class R, class Groups, class States>
void reduce_groups_here(const Space& space, const Form& form, const R& r, const Groups& groups, const States& states) {
  if constexpr (host_space<Space>) {
    detail::reduce_groups_on_host(team_of(space), form, groups, states, [&](const auto& v) { return reduce_state(space, r, v); });
  } else {
    const auto here = device_states(space, r, groups);
    for (std::size_t k = 0; k < here.size(); ++k) states[k] = here[k];
  }
}

/// The number of elements of each group of this rank, by which the positions of those behind it move.
template <class Space, class Groups>
std::vector<std::uint64_t> sizes_of_groups([[maybe_unused]] const Space& space, const Groups& groups) {
  std::vector<std::uint64_t> sizes(groups.count());
  if constexpr (!host_space<Space> && requires { groups.keys; }) {
    using view = decltype(detail::view_for<group_size>(groups.group(0)));
    return device_states(space, detail::reducer_over<view>(group_size{}), groups);
  } else if constexpr (!host_space<Space> && requires { groups.offsets; }) {
    std::vector<std::remove_const_t<std::remove_pointer_t<decltype(groups.offsets)>>> offsets(groups.count() + 1);
    space.copy(static_cast<void*>(offsets.data()), static_cast<const void*>(groups.offsets), offsets.size() * sizeof(offsets[0]));
    space.synchronize();
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = static_cast<std::uint64_t>(offsets[k + 1] - offsets[k]);
  } else {
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = groups.group(k).size();
  }
  return sizes;
}

/// out[k] = finish(k, ...) for the results of this rank, in the space's memory: `finish(part, results)` writes those of a part.
template <class Space, class Result, class Finish>
void write_results(const Space& space, detail::share here, Result* out, const Finish& finish) {
  const auto write = [&](Result* results) {
    for_results(host_team_for(space), here, [&](detail::share part) { finish(part, results + (part.begin - here.begin)); });
  };
  if constexpr (host_space<Space>) {
    write(out);
  } else {
    const std::unique_ptr<Result[]> results(new Result[here.size()]);
    write(results.get());
    space.copy(static_cast<void*>(out), static_cast<const void*>(results.get()), here.size() * sizeof(Result));
    space.synchronize();
  }
}

/// out[k] = the result of all ranks' groups k, on ranks that get them: of exact sums.
template <class Space, class R, class Groups, class Result>
  requires one_exact_sum<R>
void reduce_groups(const communicator& c, const Space& space, const R& r, const Groups& groups, Result* out, const delivery& results) {
  using state = typename R::state;
  window_sums<state> sums(c, detail::kind_number(r), windows_call + 1 + results.kind(), groups.count(), true);
  sums.start(0, [&](const auto& states) { reduce_groups_here(space, gives_row<R>(r, sums), r, groups, states); });
  sums.wait(results);
  write_results(space, results.on(c.rank, c.size, groups.count()), out, [&](detail::share part, Result* to) {
    sums.results(part, r, to);
  });
}

/// The same of other reductions. One message to agree, and one of all states: of those that add the words in use alone.
template <class Space, class R, class Groups, class Result>
void reduce_groups(const communicator& c, const Space& space, const R& r, const Groups& groups, Result* out, const delivery& results) {
  using state = typename R::state;
  using piece = typename state_joining<R>::piece;
  static_assert(std::is_trivially_copyable_v<state>, "accrue::mpi: a state that travels is trivially copyable");
  constexpr bool additive = detail::is_additive<R>() && sizeof(state) % sizeof(std::int64_t) == 0 &&
                            sizeof(state) / sizeof(std::int64_t) <= 8 * first_message::room;
  constexpr std::size_t words = sizeof(state) / sizeof(std::int64_t);
  const std::size_t count = groups.count();
  const detail::share here = results.on(c.rank, c.size, count);

  exchange first(c, detail::kind_number(r) + 1 + results.kind(), count);
  std::unique_ptr<state[]> states;
  std::vector<std::uint64_t> sizes;  // where positions move by them
  first.prepare([&](first_message& m) {
    states.reset(new state[count]);
    reduce_groups_here(space, detail::gives_state<R>(r), r, groups, states.get());
    if constexpr (detail::has_positions<R>) sizes = sizes_of_groups(space, groups);
    for_results(host_team_for(space), {0, count}, [&](detail::share part) {
      for (std::size_t k = part.begin; k < part.end; ++k) detail::normalize_state(r, states[k]);
    });
    if constexpr (additive) {
      std::uint64_t used[words] = {};
      for (std::size_t k = 0; k < count; ++k) {
        std::uint64_t word[words];
        std::memcpy(word, &states[k], sizeof(state));
        for (std::size_t w = 0; w < words; ++w) used[w] |= word[w];
      }
      for (std::size_t w = 0; w < words; ++w) {
        if (used[w] != 0) m.payload[w / 8] |= static_cast<std::byte>(1u << w % 8);
      }
    }
  });
  first.start({nullptr, additive ? join_words_in_use : nullptr});
  const first_message& all = first.wait();

  if constexpr (additive) {
    std::vector<std::size_t> used;
    for (std::size_t w = 0; w < words; ++w) {
      if ((std::to_integer<unsigned>(all.payload[w / 8]) >> w % 8 & 1) != 0) used.push_back(w);
    }
    auto travelling = memory_for_states<std::int64_t>(c, count * used.size());
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < used.size(); ++j) {
        std::memcpy(&travelling[k * used.size() + j], reinterpret_cast<const std::byte*>(&states[k]) + 8 * used[j], 8);
      }
    }
    add_over_ranks(c, travelling, used.size(), results);
    write_results(space, here, out, [&](detail::share part, Result* to) {
      for (std::size_t k = part.begin; k < part.end; ++k) {
        for (std::size_t j = 0; j < used.size(); ++j) {
          std::memcpy(reinterpret_cast<std::byte*>(&states[k]) + 8 * used[j], &travelling[k * used.size() + j], 8);
        }
        detail::normalize_state(r, states[k]);
        to[k - part.begin] = r.finish(states[k]);
      }
    });
  } else {
    auto pieces = memory_for_states<piece>(c, count);
    for (std::size_t k = 0; k < count; ++k) pieces[k] = {states[k], sizes.empty() ? 0 : sizes[k]};
    join_over_ranks(c, reinterpret_cast<std::byte*>(pieces.data()), count, sizeof(piece), {&r, state_joining<R>::join_pieces}, results);
    write_results(space, here, out, [&](detail::share part, Result* to) {
      for (std::size_t k = part.begin; k < part.end; ++k) to[k - part.begin] = r.finish(pieces[k].s);
    });
  }
}

}  // namespace accrue::ranks
