// SPDX-License-Identifier: BSD-3-Clause
// The ordered tree (ordered_tree.hpp) on the device: a warp takes a chunk, a thread eight of its lanes, a block neighbouring chunks
// that make a node. Where chunks are fewer than multiprocessors, a block takes a chunk and a thread a lane.
#pragma once

#include <type_traits>

#include "accrue/ordered_tree.hpp"
#include "accrue/backends/simt/kernel/fold_kernel.cuh"
#include "accrue/backends/simt/operations/ordered_programs.cuh"

namespace accrue::simt {

/// How a launch cuts the chunks: blocks take runs of neighbouring chunks, a power of two of them; each run is a node.
struct ordered_cut {
  std::size_t n;
  std::size_t chunk;  ///< elements
  std::size_t chunks;
  unsigned run;
  bool vectors;     ///< every chunk starts on a 16-byte boundary
  bool contiguous;  ///< all arrays of the source

  [[nodiscard]] ACCRUE_DEVICE std::size_t nodes() const { return (chunks + run - 1) / run; }
};
/// Elements of a chunk. Complex norms take the parts of 4096 numbers for one.
template <class Source>
ACCRUE_HOST_DEVICE std::size_t chunk_elements(const Source& s) {
  if constexpr (requires { s.parts; }) {
    return ordered_tree::chunk * s.parts;
  } else {
    return ordered_tree::chunk;
  }
}
template <class Source>
ACCRUE_HOST_DEVICE ordered_cut ordered_cut_for(const Source& s) {
  ordered_cut c{};
  c.n = size_of(s);
  c.chunk = chunk_elements(s);
  c.chunks = (c.n + c.chunk - 1) / c.chunk;
  c.vectors = elements_to_boundary(s) == 0;
  c.contiguous = is_contiguous(s);
  return c;
}

inline constexpr unsigned longest_run = 32;
static_assert(longest_run <= warp_width);

/// A thread's lanes of a chunk: `per_row` vectors of `width` elements in each row, 32 vectors apart.
template <class Source>
struct lane_shape {
  static constexpr unsigned lanes = ordered_tree::lanes;
  static constexpr unsigned own = lanes / warp_width;
  static constexpr unsigned width = reader<Source>::width < own ? reader<Source>::width : own;
  static constexpr unsigned per_row = own / width;
  static constexpr bool vectors = reader<Source>::vectors && reader<Source>::width == width;
  /// A part of a chunk: eight loads of each thread, of both arrays together.
  static constexpr unsigned wanted = 128 / sizeof(typename reader<Source>::packed);
  static constexpr unsigned loads = per_row >= wanted ? per_row : wanted;
  static constexpr unsigned part = loads * warp_width * width;
  /// The lane of the tree that is the thread's k-th.
  static ACCRUE_DEVICE unsigned lane_of(unsigned k) { return k / width * warp_width * width + lane() * width + k % width; }
};

/// Joins the lanes of a chunk: lane l takes lane l + half while both exist. The result is in the warp's lane 0.
template <class Source, class Op, class State>
ACCRUE_DEVICE State join_lanes(const Op& op, State (&s)[lane_shape<Source>::own], unsigned present) {
  using shape = lane_shape<Source>;
  using program = kernel_program<Op>;
#pragma unroll
  for (unsigned half = shape::lanes / 2; half >= warp_width * shape::width; half /= 2) {  // between a thread's vectors
    constexpr unsigned vector_lanes = warp_width * shape::width;
    const unsigned apart = half / vector_lanes * shape::width;
#pragma unroll
    for (unsigned k = 0; k < shape::own; ++k) {
      if (k < apart && shape::lane_of(k) + half < present) program::merge_lanes(op, s[k], s[k + apart]);
    }
  }
#pragma unroll
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) {  // between threads
#pragma unroll
    for (unsigned k = 0; k < shape::width; ++k) {
      const State other = shuffle_down(s[k], distance);
      if (lane() < distance && lane() * shape::width + k + distance * shape::width < present)
        program::merge_lanes(op, s[k], other);
    }
  }
#pragma unroll
  for (unsigned half = shape::width / 2; half != 0; half /= 2) {  // within a vector
#pragma unroll
    for (unsigned k = 0; k < shape::width; ++k) {
      if (k < half && k + half < present) program::merge_lanes(op, s[k], s[k + half]);
    }
  }
  return s[0];
}

/// Folds the rows of a part, vector by vector, into a thread's lanes. Wide lanes take row after row in a loop.
template <class Op, class Source, class State>
ACCRUE_DEVICE void fold_rows(const Op& op, const Source& source,
                             const typename reader<Source>::packed (&packed)[lane_shape<Source>::loads],
                             State (&s)[lane_shape<Source>::own]) {
  using shape = lane_shape<Source>;
  for_each_in_turn<sizeof(State) <= 8 ? shape::loads : shape::per_row>(packed, shape::loads, [&](unsigned v, const auto& vector) {
    typename reader<Source>::element x[shape::width];
    reader<Source>::unpack(source, vector, x);
#pragma unroll
    for (unsigned k = 0; k < shape::width; ++k) kernel_program<Op>::fold(op, s[v % shape::per_row * shape::width + k], x[k]);
  });
}

/// The state of a chunk, in lane 0.
template <class Op, class Source>
ACCRUE_DEVICE typename kernel_program<Op>::state fold_chunk(const Op& op, const Source& source, const ordered_cut& c,
                                                    std::size_t which) {
  using program = kernel_program<Op>;
  using shape = lane_shape<Source>;
  using read = reader<Source>;
  const std::size_t first = which * c.chunk;
  const std::size_t size = c.n - first < c.chunk ? c.n - first : c.chunk;
  typename program::lane_state s[shape::own];
#pragma unroll
  for (unsigned k = 0; k < shape::own; ++k) s[k] = program::start(op);
  if (shape::vectors && c.vectors && size == c.chunk) {
    if constexpr (shape::vectors) {
      const auto place = read::place_of(source, first + lane() * shape::width);
      const auto parts = static_cast<unsigned>(c.chunk / shape::part);
#pragma unroll 1
      for (unsigned part = 0; part < parts; ++part) {
        typename read::packed packed[shape::loads];
#pragma unroll
        for (unsigned v = 0; v < shape::loads; ++v)
          packed[v] = read::load(place, part * shape::part + v * warp_width * shape::width);
        fold_rows(op, source, packed, s);
      }
    }
  } else {
    for (std::size_t row = 0; row * shape::lanes < size; ++row) {
#pragma unroll
      for (unsigned k = 0; k < shape::own; ++k) {
        const std::size_t i = row * shape::lanes + shape::lane_of(k);
        if (i < size) program::fold(op, s[k], c.contiguous ? read::near(source, first + i) : read::at(source, first + i));
      }
    }
  }
  const unsigned present = size < shape::lanes ? static_cast<unsigned>(size) : shape::lanes;
  return program::chunk(op, join_lanes<Source>(op, s, present));
}

/// Joins `count` neighbouring nodes of the tree over the chunks, one in each lane, into lane 0.
template <class Op, class State>
ACCRUE_DEVICE State join_neighbours(const Op& op, State s, unsigned count) {
#pragma unroll
  for (unsigned distance = 1; distance < warp_width; distance *= 2) {
    const State other = shuffle_down(s, distance);
    if (lane() % (2 * distance) == 0 && lane() + distance < count) kernel_program<Op>::merge(op, s, other);
  }
  return s;
}

/// Neighbouring nodes that a lane reads at a time.
template <class State>
inline constexpr unsigned nodes_of_lane = sizeof(State) <= 16 ? 8 : 1;

/// Joins the nodes, which all blocks have written, into the first one. The whole block takes part.
template <class Op, class State>
ACCRUE_DEVICE void join_nodes(const Op& op, State* nodes, std::size_t count) {
  constexpr unsigned own = nodes_of_lane<State>;
  constexpr unsigned together = own * warp_width;
  for (std::size_t apart = 1; count > 1; apart *= together, count = (count + together - 1) / together) {
    for (std::size_t first = std::size_t{warp()} * together; first < count; first += std::size_t{warps()} * together) {
      const std::size_t mine = first + lane() * own;
      State s[own];
#pragma unroll
      for (unsigned k = 0; k < own; ++k) s[k] = load_shared_by_device(nodes + (mine + k < count ? mine + k : first) * apart);
#pragma unroll
      for (unsigned distance = 1; distance < own; distance *= 2) {
#pragma unroll
        for (unsigned k = 0; k + distance < own; k += 2 * distance) {
          if (mine + k + distance < count) kernel_program<Op>::merge(op, s[k], s[k + distance]);
        }
      }
      const std::size_t left = (count - first + own - 1) / own;
      const State joined = join_neighbours(op, s[0], left < warp_width ? static_cast<unsigned>(left) : warp_width);
      if (lane() == 0) nodes[first * apart] = joined;
    }
    fence_device();
    sync_block();
  }
}

/// Blocks of 256 threads on a multiprocessor, by the lanes' state: what measures best leaves a thread its registers.
template <class State>
inline constexpr unsigned ordered_blocks_at_once = sizeof(State) <= 4    ? 3
                                                   : sizeof(State) <= 16 ? 2
                                                                         : 1;
inline constexpr unsigned most_ordered_threads = 256;

/// The last of a team's blocks joins the nodes and writes the result. No elements: the start.
template <class Op, class State>
ACCRUE_DEVICE void join_team(const Op& op, State* nodes, std::size_t count, const ordered_cut& c, const block_team& team, unsigned* ticket,
                             const ending& end) {
  using program = kernel_program<Op>;
  if (!is_last_block(ticket, team.count)) return;
  join_nodes(op, nodes, count);
  if (thread() == 0) {
    program::store(op, count != 0 ? load_shared_by_device(nodes) : program::chunk(op, program::start(op)), c.n, end.result, end.status);
  }
}

/// Reduces over the tree by a team of blocks: they turn runs of chunks into nodes in the team's memory; the last to finish joins the
/// nodes.
template <class Op, class Source>
ACCRUE_DEVICE void reduce_tree_by_team(const Op& op, const Source& source, const ordered_cut& c, const block_team& team, unsigned* ticket,
                                       const ending& end) {
  using program = kernel_program<Op>;
  using state = typename program::state;
  auto* nodes = reinterpret_cast<state*>(team.partials);
  auto* of_chunk = reinterpret_cast<state*>(dynamic_shared());
  const std::size_t node_count = c.nodes();
  for (std::size_t node = team.index; node < node_count; node += team.count) {
    const std::size_t rest = c.chunks - node * c.run;
    const unsigned count = rest < c.run ? static_cast<unsigned>(rest) : c.run;
    for (unsigned k = warp(); k < count; k += warps()) {
      const state s = fold_chunk(op, source, c, node * c.run + k);
      if (lane() == 0) of_chunk[k] = s;
    }
    sync_block();
    if (warp() == 0) {
      const state s = join_neighbours(op, of_chunk[lane() < count ? lane() : 0], count);
      if (lane() == 0) nodes[node] = s;
    }
    sync_block();
  }

  join_team(op, nodes, node_count, c, team, ticket, end);
}

/// Reduces over the tree by the whole grid.
template <class Op, class Source>
ACCRUE_KERNEL(most_ordered_threads, (ordered_blocks_at_once<typename kernel_program<Op>::lane_state>))
ordered_kernel(Op op, Source source, ordered_cut c, call_memory memory) {
  reduce_tree_by_team(op, source, c, memory.grid_team(), memory.ticket, memory.end);
}

/// The lane of a chunk that is the thread's. All its rows are read before they are folded, where registers allow.
template <class Op, class Source>
ACCRUE_DEVICE typename kernel_program<Op>::lane_state fold_lane(const Op& op, const Source& source, bool contiguous, std::size_t begin,
                                                                std::size_t end) {
  using element = typename reader<Source>::element;
  constexpr std::size_t lanes = ordered_tree::lanes;
  constexpr unsigned at_once = sizeof(element) <= 8 ? ordered_tree::rows : ordered_tree::rows / 4;
  auto s = kernel_program<Op>::start(op);
  if (!contiguous) {
#pragma unroll 1
    for (std::size_t i = begin; i < end; i += lanes) kernel_program<Op>::fold(op, s, reader<Source>::at(source, i));
    return s;
  }
#pragma unroll 1
  for (std::size_t first = begin; first < end; first += at_once * lanes) {
    element x[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (first + k * lanes < end) x[k] = reader<Source>::near(source, first + k * lanes);
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (first + k * lanes < end) kernel_program<Op>::fold(op, s, x[k]);
    }
  }
  return s;
}

/// A chunk for each block, a lane of the tree for each thread: fewer threads than lanes where there are no elements for more.
template <class Op, class Source>
ACCRUE_KERNEL(ordered_tree::lanes, 1)
chunk_kernel(Op op, Source source, ordered_cut c, call_memory memory) {
  using program = kernel_program<Op>;
  using lane_state = typename program::lane_state;
  const std::size_t first = block() * c.chunk;
  const std::size_t size = c.n - first < c.chunk ? c.n - first : c.chunk;
  const unsigned present = size < ordered_tree::lanes ? static_cast<unsigned>(size) : ordered_tree::lanes;
  lane_state s = fold_lane(op, source, c.contiguous, first + thread(), first + size);
  auto* of_lane = reinterpret_cast<lane_state*>(dynamic_shared());
#pragma unroll 1
  for (unsigned half = threads() / 2; half >= warp_width; half /= 2) {
    if (thread() >= half && thread() < 2 * half) of_lane[thread()] = s;
    sync_block();
    if (thread() < half && thread() + half < present) program::merge_lanes(op, s, of_lane[thread() + half]);
  }
  if (warp() == 0) {
#pragma unroll
    for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) {
      const lane_state other = shuffle_down(s, distance);
      if (lane() < distance && lane() + distance < present) program::merge_lanes(op, s, other);
    }
  }
  if (blocks() == 1) {
    if (thread() == 0) program::store(op, program::chunk(op, s), c.n, memory.end.result, memory.end.status);
    return;
  }
  auto* nodes = reinterpret_cast<typename program::state*>(memory.partials);
  if (thread() == 0) nodes[block()] = program::chunk(op, s);
  join_team(op, nodes, c.chunks, c, memory.grid_team(), memory.ticket, memory.end);
}

}  // namespace accrue::simt
