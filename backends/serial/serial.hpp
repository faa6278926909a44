// SPDX-License-Identifier: BSD-3-Clause
// The serial backend: the calling thread, and the readable reference for the others.
#pragma once

#include "accrue/detail/certified_reducer.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/space.hpp"

namespace accrue {

/// Runs on the calling thread; data in host memory.
struct serial : detail::host_memory {
  static constexpr const char* name = "serial";
};

/// The calling thread as a team, for what is compiled once for all host backends.
inline detail::host_team team_of(const serial&) { return {1, detail::run_alone}; }

template <class R, class View>
typename R::state reduce_state(const serial&, const R& reducer, const View& view) {
  return detail::state_on_this_thread(reducer, view);
}
template <class R, class View>
detail::result_of<R> reduce_range(const serial&, const R& reducer, const View& view) {
  return detail::result_on_host(reducer, view, [&](const auto& r) { return detail::fold_view(r, view); });
}

}  // namespace accrue
