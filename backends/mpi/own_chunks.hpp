// SPDX-License-Identifier: BSD-3-Clause
// The nodes of the ordered tree over all ranks that a rank's own chunks make: on a host by its threads, on a device by reductions of
// stretches of chunks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "accrue/backends/mpi/shared_chunk.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/tensor_matrices.hpp"

namespace accrue::ranks {

/// The state of chunks of a view on a device, of which the first element is number `first` of all. Those of arrays that no kernel reads
/// in place, one chunk then, are copied.
template <class Space, class R, class View>
typename R::state state_of_chunks(const Space& space, const R& r, const View& chunks, std::size_t first) {
  if constexpr (detail::reads_tensors<View>) {
    if (!detail::is_in_matrices(chunks)) {
      shared_chunk<Space, View> copy(space, chunks);
      copy.take(0, chunks.size(), 0);
      return copy.state(r, chunks.size(), first);
    }
  }
  return state_on_device(space, r, chunks, first);
}

/// Pushes the nodes of elements [first, end) of a view, which are chunks `chunk` and the next of all; of those the last may be short.
template <class Space, class R, class View>
void push_chunks(const Space& space, const R& r, const View& view, std::size_t first, std::size_t end, std::uint64_t chunk,
                 std::vector<tree_node<typename R::state>>& nodes) {
  using state = typename R::state;
  constexpr std::size_t size = ordered_tree::chunk;
  const std::size_t count = ordered_tree::chunks(end - first);
  if constexpr (host_space<Space>) {
    const std::unique_ptr<state[]> states(new state[count]);
    auto member = [&](int rank, int members) {
      const detail::fp_environment member_environment;
      typename View::scratch scratch;
      const detail::share s = detail::staircase_share(count, rank, members, 0);
      for (std::size_t k = s.begin; k < s.end; ++k) {
        auto t = view.read(first + k * size, std::min(size, end - first - k * size), scratch);
        t.first = static_cast<std::size_t>(chunk + k) * size;
        states[k] = detail::chunk_state(r, t);
      }
    };
    team_of(space).run(member);
    for (std::size_t k = 0; k < count; ++k) push(r, nodes, {chunk + k, 1, states[k]});
  } else {
    for (std::size_t k = 0; k < count;) {  // the largest nodes that there are
      const std::uint64_t at = chunk + k;
      const std::uint64_t most = std::bit_floor(std::uint64_t{count - k});
      std::uint64_t together = at == 0 ? most : std::min(most, at & (~at + 1));
      const std::size_t from = first + k * size;
      const auto chunks = [&](std::uint64_t n) {
        return detail::slice(view, from, std::min(from + static_cast<std::size_t>(n) * size, end) - from);
      };
      if constexpr (detail::reads_tensors<View>) {
        while (together > 1 && !detail::is_in_matrices(chunks(together))) together /= 2;
      }
      push(r, nodes, {at, together, state_of_chunks(space, r, chunks(together), static_cast<std::size_t>(at) * size)});
      k += static_cast<std::size_t>(together);
    }
  }
}

}  // namespace accrue::ranks
