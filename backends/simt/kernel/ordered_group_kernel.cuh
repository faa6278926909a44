// SPDX-License-Identifier: BSD-3-Clause
// The kernel of groupings over the ordered tree: a warp reduces a group of one chunk, a block a longer one.
#pragma once

#include "accrue/backends/simt/kernel/group_kernel.cuh"
#include "accrue/backends/simt/kernel/ordered_kernel.cuh"

namespace accrue::simt {

/// Nodes of a tree in the order of their indices, joined as far as they go: those that wait, the largest first.
template <class State>
struct waiting_nodes {
  State node[64];
  std::size_t count = 0;
  unsigned depth = 0;

  template <class Op>
  ACCRUE_DEVICE void push(const Op& op, State s) {
    for (std::size_t k = count; (k & 1) != 0; k >>= 1) {
      State joined = node[--depth];
      kernel_program<Op>::merge(op, joined, s);
      s = joined;
    }
    node[depth++] = s;
    ++count;
  }
  template <class Op>
  ACCRUE_DEVICE State root(const Op& op) {
    while (depth > 1) {
      --depth;
      kernel_program<Op>::merge(op, node[depth - 1], node[depth]);
    }
    return node[0];
  }
};

template <class Op, class State>
ACCRUE_DEVICE void store_ordered(const Op& op, const State& s, std::size_t n, std::size_t k, const group_ending& end) {
  if constexpr (requires { op.step; }) {
    if (n == 0 && op.step == last_step::mean) *end.status = static_cast<int>(errc::empty_range);
  }
  kernel_program<Op>::store(op, s, n, end.result(k), end.status);
}

/// As many groups for a block as it has warps.
template <class Op, class Groups>
ACCRUE_KERNEL(most_ordered_threads, 1)
ordered_group_kernel(Op op, Groups groups, std::size_t count, group_ending end) {
  using program = kernel_program<Op>;
  using state = typename program::state;
  const std::size_t first = std::size_t{block()} * warps();
  if (const std::size_t k = first + warp(); k < count) {
    const bool valid = groups.valid(k);
    if (!valid && lane() == 0) *end.status = static_cast<int>(errc::out_of_range);
    if (valid) {
      const auto source = groups.group(k);
      const ordered_cut c = ordered_cut_for(source);
      if (c.chunks <= 1) {
        const state s = c.chunks == 0 ? program::chunk(op, program::start(op)) : fold_chunk(op, source, c, 0);
        if (lane() == 0) store_ordered(op, s, c.n, k, end);
      }
    }
  }
  auto* const of_chunk = reinterpret_cast<state*>(dynamic_shared());  // one for each warp, then what waits
  auto* const waiting = reinterpret_cast<waiting_nodes<state>*>(of_chunk + most_ordered_threads / least_warp);
  for (std::size_t k = first; k < count && k < first + warps(); ++k) {
    if (!groups.valid(k)) continue;
    const auto source = groups.group(k);
    const ordered_cut c = ordered_cut_for(source);
    if (c.chunks <= 1) continue;
    if (thread() == 0) waiting->count = waiting->depth = 0;
    for (std::size_t chunk = 0; chunk < c.chunks; chunk += warps()) {
      if (chunk + warp() < c.chunks) {
        const state s = fold_chunk(op, source, c, chunk + warp());
        if (lane() == 0) of_chunk[warp()] = s;
      }
      sync_block();
      if (thread() == 0) {
        for (unsigned w = 0; w < warps() && chunk + w < c.chunks; ++w) waiting->push(op, of_chunk[w]);
      }
      sync_block();
    }
    if (thread() == 0) store_ordered(op, waiting->root(op), c.n, k, end);
    sync_block();
  }
}
template <class Op>
constexpr std::size_t ordered_group_bytes() {
  using state = typename kernel_program<Op>::state;
  return most_ordered_threads / least_warp * sizeof(state) + sizeof(waiting_nodes<state>);
}

}  // namespace accrue::simt
