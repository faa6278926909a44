// SPDX-License-Identifier: BSD-3-Clause
// The kernel of groupings: a block reduces a group.
#pragma once

#include "accrue/backends/simt/kernel/fold_kernel.cuh"
#include "accrue/backends/simt/operations/group_sources.hpp"
#include "accrue/detail/whole_positions.hpp"

namespace accrue::simt {

template <class Groups>
using group_source = typename Groups::source;

/// Where the results or states of groups go, one behind the other, what is known of their elements before, and where an error code.
struct group_ending {
  unsigned char* results;
  std::size_t result_bytes;
  int* status;
  const unsigned char* earlier = nullptr;  ///< states; nullptr: none
  std::size_t state_bytes = 0;
  bool keeps_state = false;

  [[nodiscard]] ACCRUE_DEVICE unsigned char* result(std::size_t k) const { return results + k * result_bytes; }
  /// As if states came in: then the end notices that there are no elements.
  [[nodiscard]] ACCRUE_DEVICE ending of_group(std::size_t k) const {
    return {result(k), status, earlier != nullptr ? earlier + k * state_bytes : nullptr, keeps_state, true};
  }
};

template <class Op, class Groups>
ACCRUE_KERNEL(threads_at_most<Op>, 1)
group_kernel(Op op, Groups groups, unsigned stages, group_ending end) {
  using source_type = group_source<Groups>;
  const std::size_t k = block();
  if (!groups.valid(k)) {
    if (thread() == 0) *end.status = static_cast<int>(errc::out_of_range);
    return;
  }
  const source_type source = groups.group(k);
  const std::size_t tile = std::size_t{threads()} * loads_in_flight<Op, source_type> * reader<source_type>::width;
  const cut c = cut_for(source, tile, stages, true);
  const block_team alone{0, 1, nullptr, nullptr};
  reduce_by_team(op, source, c, alone, nullptr, end.of_group(k));
}

/// Moves the positions of results to their places in the whole.
template <class Result, class Place>
ACCRUE_KERNEL(most_threads, 1)
move_positions_kernel(Result* results, std::size_t count, Place place) {
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < count; k += std::size_t{blocks()} * threads()) {
    detail::move_positions(results[k], k, place);
  }
}

}  // namespace accrue::simt
