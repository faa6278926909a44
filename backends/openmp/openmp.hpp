// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP backend: a team of threads over static contiguous shares. Its parallel region is compiled into the library, so a
// consumer needs no -fopenmp.
#pragma once

#include <cstddef>

#include "accrue/detail/certified_reducer.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/space.hpp"
#include "accrue/backends/openmp/fold_team.hpp"
#include "accrue/backends/openmp/merge_method.hpp"
#include "accrue/backends/openmp/team.hpp"

namespace accrue {

/// Runs on up to `threads` OpenMP threads (0: as many as OpenMP would use); data in host memory. Inside a caller's parallel region
/// it runs on whatever team OpenMP grants there. Thread counts and the floating environment stay as the caller had them.
struct openmp : detail::host_memory {
  static constexpr const char* name = "openmp";

  int threads = 0;
  merge_method merge = merge_method::tree;
  /// Elements below which another thread does not pay. For floats and doubles one that still spins after the region before pays from some
  /// 4000 on, one that sleeps from several times that; this is between.
  std::size_t grain = 8192;

  openmp() = default;
  /// Throws `invalid_argument` for a negative number.
  explicit openmp(int thread_count, merge_method method = merge_method::tree, std::size_t elements_per_thread = 8192)
      : threads(thread_count), merge(method), grain(elements_per_thread) {
    if (threads < 0) detail::throw_negative_threads(name, threads);
  }
};

/// The team of the space, for what is compiled once for all host backends.
inline detail::host_team team_of(const openmp& space) {
  return {space.threads > 0 ? space.threads : omp::available_threads(), omp::run_team};
}

namespace omp {

/// The state of a view; that of one which needs no team is `alone()`.
template <class R, class View, class Alone>
typename R::state state_by_team(const openmp& space, const R& reducer, const View& view, const Alone& alone) {
  const auto wanted = static_cast<std::size_t>(team_of(space).threads());
  const std::size_t useful = space.grain != 0 ? view.size() / space.grain : view.size();
  const auto team = static_cast<int>(useful < wanted ? useful : wanted);
  if (team <= 1) return alone();
  if constexpr (detail::is_order_free<R>()) {
    return fold_shares(reducer, view, team, space.merge);
  } else {
    return detail::fold_tree(reducer, view, team_of(space).with(team));
  }
}

}  // namespace omp

template <class R, class View>
typename R::state reduce_state(const openmp& space, const R& reducer, const View& view) {
  return omp::state_by_team(space, reducer, view, [&] { return detail::state_on_this_thread(reducer, view); });
}
template <class R, class View>
detail::result_of<R> reduce_range(const openmp& space, const R& reducer, const View& view) {
  return detail::result_on_host(reducer, view, [&](const auto& r) {
    return omp::state_by_team(space, r, view, [&] { return detail::fold_view(r, view); });
  });
}

}  // namespace accrue
