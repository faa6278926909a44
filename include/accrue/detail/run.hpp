// SPDX-License-Identifier: BSD-3-Clause
// From a call's input to the space's reduction: of one range, or of the groups of a grouping.
#pragma once

#include <type_traits>

#include "accrue/detail/call_arguments.hpp"
#include "accrue/detail/group_reduce.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/memory_order.hpp"
#include "accrue/detail/sort_by_key.hpp"
#include "accrue/detail/sums_by_key.hpp"
#include "accrue/detail/whole_positions.hpp"
#include "accrue/groupings.hpp"
#include "accrue/space.hpp"

namespace accrue::detail {

template <class S, class R, class View>
auto run(const S& space, const R& reducer, const View& input) {
  const auto v = view_in_any_order_for<R>(input);
  const auto r = reducer_over<decltype(v)>(reducer);
  if constexpr (!execution_space<S>) {
    return r.finish(r.empty());  // parse_one has said it
  } else if constexpr (requires { begin_range(space, r, v); }) {
    return begin_range(space, r, v);
  } else if constexpr (require_backend<S>(); has_reduce_range<S>) {
    return reduce_range(space, r, v);
  } else {
    return finish_on_host(r, v, [&] { return reduce_state(space, r, v); });
  }
}

/// Whether there are results to write, or keys, of which any is wrong where there is no group.
template <class Groups>
bool has_work(const Groups& groups) {
  constexpr bool by_keys = requires { groups.keys; };
  return groups.count() != 0 || (by_keys && groups.size() != 0);
}

/// The results of all groups.
template <class S, class R, class Groups, class Out>
void run(const S& space, const R& reducer, const grouped_input<Groups, Out>& input) {
  using view = decltype(view_for<R>(input.groups.group(0)));
  const auto r = reducer_over<view>(reducer);
  using result = result_of<std::remove_const_t<decltype(r)>>;
  result* const out = with_waiting_peers(space, [&] { return input.template results_in<result>(space); });
  require_backend<S>();
  if (!has_work(input.groups) && !has_peers<S>) return;
  if constexpr (has_team<S> && requires { input.groups.keys; }) {
    const auto elements = view_for<R>(input.groups.view);
    using by_key = sum_by_key<std::remove_const_t<decltype(r)>, std::remove_const_t<decltype(elements)>>;
    if constexpr (by_key::exists) {
      if (const int threads = threads_for_sums_by_key(team_of(space), elements.size(), input.groups.count())) {
        return sum_by_keys<by_key::magnitudes>(team_of(space), threads, elements, input.groups.keys, input.groups.count(),
                                               input.groups.skips_others, out);
      }
    }
    const sorted_groups sorted(team_of(space), input.groups);
    reduce_groups_on_host(team_of(space), reducer, sorted.segments(), out, [&](const auto& v) { return run(space, reducer, v); });
  } else if constexpr (has_team<S>) {
    reduce_groups_on_host(team_of(space), reducer, input.groups, out, [&](const auto& v) { return run(space, reducer, v); });
  } else {
    reduce_groups_into(space, r, input.groups, out);
  }
}
/// The same with positions that count in the whole.
template <class S, class R, class Groups, class Out>
void run(const S& space, const R& reducer, const grouped_input<whole_groups<Groups>, Out>& input) {
  using view = decltype(view_for<R>(input.groups.group(0)));
  const auto r = reducer_over<view>(reducer);
  using result = result_of<std::remove_const_t<decltype(r)>>;
  require_positions<S, result>();
  result* const out = input.template results<result>();
  if constexpr (has_team<S>) {
    run(space, reducer, with_output(input.groups.within, out));
    move_to_whole(input.groups.within, out);
  } else if (has_work(input.groups.within)) {
    require_backend<S>();
    reduce_groups_into(space, r, input.groups, out);
  }
}

}  // namespace accrue::detail
