// SPDX-License-Identifier: BSD-3-Clause
// Groupings over ranks and the ordered tree: one group after the other.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "accrue/backends/mpi/group_bounds.hpp"
#include "accrue/backends/mpi/grouped_ranks.hpp"
#include "accrue/backends/mpi/ordered_ranks.hpp"

namespace accrue {

template <class Space>
struct mpi;

namespace ranks {

/// The results of all ranks' groups by an ordered reducer, to those ranks that get them.
template <class Space, class R, class Groups, class Result>
void reduce_ordered_groups(const mpi<Space>& ranks, const communicator& c, const R& r, const Groups& groups, Result* out,
                           const delivery& results) {
  const std::uint64_t kind = detail::kind_number(r) + 1 + results.kind();
  exchange first(c, kind, groups.count());
  first.start({});
  (void)first.wait();
  const detail::share here = results.on(c.rank, c.size, groups.count());
  group_memory<Space> memory;
  std::vector<typename R::state> states;
  const auto readable = detail::with_peers(ranks, [&] {
    states.reserve(here.size());
    return with_bounds_here(ranks.space, groups, memory);
  });
  for (std::size_t k = 0; k < groups.count(); ++k) {
    const auto v = detail::with_peers(ranks, [&] { return detail::view_for<R>(readable.group(k)); });
    const auto state = ordered_state(c, ranks.space, r, v, kind + 1 + k);
    if (k >= here.begin && k < here.end) states.push_back(state);
  }
  own_failure failure;
  failure.of([&] {
    write_results(ranks.space, here, out, [&](detail::share part, Result* to) {
      for (std::size_t k = part.begin; k < part.end; ++k) to[k - part.begin] = r.finish(states[k - here.begin]);
    });
  });
  failure.agree(c);
}

}  // namespace ranks

}  // namespace accrue
