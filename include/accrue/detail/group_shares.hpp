// SPDX-License-Identifier: BSD-3-Clause
// How the groups of a call are handed out to a team: compiled once, whatever is made of the groups.
#pragma once

#include <cstddef>

#include "accrue/detail/host_team.hpp"

namespace accrue::detail {

/// The groups of a call.
struct groups_to_share {
  std::size_t count;
  std::size_t size;    ///< elements in all
  bool interleaved;    ///< in the same cache lines, so that a thread takes those of a line together
};
/// What is done with them. Larger groups than `largest` elements are left out by `some`, which then returns true, and taken by `large`.
struct group_steps {
  void* context;
  bool (*some)(void* context, std::size_t begin, std::size_t end, std::size_t largest);
  void (*large)(void* context, std::size_t largest);
};

/// Calls `some` for parts of the groups from the threads of the team, in the default floating environment, and then `large` from the
/// caller's thread if any were left out.
void share_groups(const host_team& team, const groups_to_share& groups, const group_steps& steps);

}  // namespace accrue::detail
