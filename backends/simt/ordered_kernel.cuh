// SPDX-License-Identifier: BSD-3-Clause
// The ordered tree (ordered_tree.hpp) on the device: a warp takes a chunk, a thread eight of its lanes.
#pragma once

#include <type_traits>

#include "accrue/ordered_tree.hpp"
#include "accrue/backends/simt/fold_kernel.cuh"
#include "accrue/backends/simt/ordered.cuh"

namespace accrue::simt {

/// How a launch cuts the chunks: warps take runs of `run` chunks, a power of two up to the warp's width; each run is a node.
struct ordered_cut {
  std::size_t n;
  std::size_t chunk;  ///< elements
  std::size_t chunks;
  unsigned run;
  bool vectors;     ///< every chunk starts on a 16-byte boundary
  bool contiguous;  ///< all arrays of the source
  unsigned stages;  ///< parts of chunks in flight in shared memory, for each warp
};

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
template <class Source, class Form, class State>
ACCRUE_DEVICE State join_lanes(const Form& form, State (&s)[lane_shape<Source>::own], unsigned present) {
  using shape = lane_shape<Source>;
  using program = code<Form>;
#pragma unroll
  for (unsigned half = shape::lanes / 2; half >= warp_width * shape::width; half /= 2) {  // between a thread's vectors
    constexpr unsigned vector_lanes = warp_width * shape::width;
    const unsigned apart = half / vector_lanes * shape::width;
#pragma unroll
    for (unsigned k = 0; k < shape::own; ++k) {
      if (k < apart && shape::lane_of(k) + half < present) program::merge_lanes(form, s[k], s[k + apart]);
    }
  }
#pragma unroll
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) {  // between threads
#pragma unroll
    for (unsigned k = 0; k < shape::width; ++k) {
      const State other = shuffle_down(s[k], distance);
      if (lane() < distance && lane() * shape::width + k + distance * shape::width < present)
        program::merge_lanes(form, s[k], other);
    }
  }
#pragma unroll
  for (unsigned half = shape::width / 2; half != 0; half /= 2) {  // within a vector
#pragma unroll
    for (unsigned k = 0; k < shape::width; ++k) {
      if (k < half && k + half < present) program::merge_lanes(form, s[k], s[k + half]);
    }
  }
  return s[0];
}

/// Folds the rows of a part, vector by vector, into a thread's lanes.
template <class Form, class Source, class State>
ACCRUE_DEVICE void fold_rows(const Form& form, const Source& source,
                             const typename reader<Source>::packed (&packed)[lane_shape<Source>::loads],
                             State (&s)[lane_shape<Source>::own]) {
  using shape = lane_shape<Source>;
#pragma unroll
  for (unsigned v = 0; v < shape::loads; ++v) {
    typename reader<Source>::element x[shape::width];
    reader<Source>::unpack(source, packed[v], x);
#pragma unroll
    for (unsigned k = 0; k < shape::width; ++k) code<Form>::fold(form, s[v % shape::per_row * shape::width + k], x[k]);
  }
}

/// Loads a part of a chunk, `behind` elements from its place, straight into registers.
template <class Source>
struct load_parts {
  template <class Place>
  ACCRUE_DEVICE void operator()(typename reader<Source>::packed (&packed)[lane_shape<Source>::loads], const Place& place,
                                unsigned behind) const {
    using shape = lane_shape<Source>;
#pragma unroll
    for (unsigned v = 0; v < shape::loads; ++v) packed[v] = reader<Source>::load(place, behind + v * warp_width * shape::width);
  }
};

/// The state of chunk c, in lane 0. `take_part` brings the parts of a full chunk into registers, one after the other.
template <class Form, class Source, class TakePart>
ACCRUE_DEVICE typename code<Form>::state fold_chunk(const Form& form, const Source& source, const ordered_cut& c, std::size_t which,
                                                    const TakePart& take_part) {
  using program = code<Form>;
  using shape = lane_shape<Source>;
  using read = reader<Source>;
  const std::size_t first = which * c.chunk;
  const std::size_t size = c.n - first < c.chunk ? c.n - first : c.chunk;
  typename program::lane_state s[shape::own];
#pragma unroll
  for (unsigned k = 0; k < shape::own; ++k) s[k] = program::start(form);
  if (shape::vectors && c.vectors && size == c.chunk) {
    if constexpr (shape::vectors) {
      const auto place = read::place_of(source, first + lane() * shape::width);
      const auto parts = static_cast<unsigned>(c.chunk / shape::part);
#pragma unroll 1
      for (unsigned part = 0; part < parts; ++part) {
        typename read::packed packed[shape::loads];
        take_part(packed, place, part * shape::part);
        fold_rows(form, source, packed, s);
      }
    }
  } else {
    for (std::size_t row = 0; row * shape::lanes < size; ++row) {
#pragma unroll
      for (unsigned k = 0; k < shape::own; ++k) {
        const std::size_t i = row * shape::lanes + shape::lane_of(k);
        if (i < size) program::fold(form, s[k], c.contiguous ? read::near(source, first + i) : read::at(source, first + i));
      }
    }
  }
  const unsigned present = size < shape::lanes ? static_cast<unsigned>(size) : shape::lanes;
  return program::chunk(form, join_lanes<Source>(form, s, present));
}

/// Joins `count` neighbouring nodes of the tree over the chunks, one in each lane, into lane 0.
template <class Form, class State>
ACCRUE_DEVICE State join_neighbours(const Form& form, State s, unsigned count) {
#pragma unroll
  for (unsigned distance = 1; distance < warp_width; distance *= 2) {
    const State other = shuffle_down(s, distance);
    if (lane() % (2 * distance) == 0 && lane() + distance < count) code<Form>::merge(form, s, other);
  }
  return s;
}

/// Joins the group of neighbouring nodes that `node` belongs to, if this warp is the last of the group's to write its node. The
/// node's writer is lane 0. `arrived` counts for each group, from zero to zero.
template <class Form, class State>
ACCRUE_DEVICE void join_group(const Form& form, State* nodes, std::size_t node, std::size_t node_count, unsigned* arrived) {
  const std::size_t group = node / warp_width;
  const std::size_t first = group * warp_width;
  const unsigned count = node_count - first < warp_width ? static_cast<unsigned>(node_count - first) : warp_width;
  unsigned before = 0;
  if (lane() == 0) {
    fence_device();
    before = count_up(arrived + group, count - 1);
  }
  if (shuffle(before, 0) != count - 1) return;
  fence_device();
  const State s = join_neighbours(form, load_shared_by_device(nodes + first + (lane() < count ? lane() : 0)), count);
  if (lane() == 0) nodes[first] = s;
}

/// A walk over the parts of the chunks of a warp's nodes.
struct chunk_walk {
  std::size_t node;
  unsigned k;     ///< chunk of the node's run
  unsigned part;  ///< of the chunk

  ACCRUE_DEVICE void step(unsigned parts, unsigned run, std::size_t node_step) {
    if (++part != parts) return;
    part = 0;
    if (++k != run) return;
    k = 0;
    node += node_step;
  }
};

template <class Source>
inline constexpr bool copies_parts = false;
template <class T>
inline constexpr bool copies_parts<array<T>> = lane_shape<array<T>>::vectors;
template <class T>
inline constexpr bool copies_parts<array_pair<T>> = lane_shape<array_pair<T>>::vectors;

/// Two blocks of 256 threads on a multiprocessor leave a thread 128 registers; wide lanes want more.
template <class State>
inline constexpr unsigned ordered_blocks_at_once = sizeof(State) <= 16 ? 2 : 1;
inline constexpr unsigned most_ordered_threads = 256;
inline constexpr unsigned most_ordered_warps = most_ordered_threads / warp_width;

/// Reduces over the tree. Each warp's runs become nodes in `memory`; the last block joins the nodes. No elements: the start.
template <class Form, class Source>
ACCRUE_KERNEL(most_ordered_threads, (ordered_blocks_at_once<typename code<Form>::lane_state>))
ordered_kernel(Form form, Source source, ordered_cut c, call_memory memory) {
  using program = code<Form>;
  using state = typename program::state;
  auto* nodes = reinterpret_cast<state*>(memory.grid.partials);
  auto* arrived = reinterpret_cast<unsigned*>(memory.grid.zeros);
  ACCRUE_SHARED bool last;
  const std::size_t node_count = (c.chunks + c.run - 1) / c.run;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // Where parts are copied into shared memory ahead of their use, a second walk over the warp's chunks asks for them.
  ACCRUE_SHARED arrival arrivals[most_ordered_warps][most_stages];
  using ring_source = std::conditional_t<copies_parts<Source>, Source, array<int>>;
  using read = reader<Source>;
  using shape = lane_shape<Source>;
  constexpr unsigned ring_loads = copies_parts<Source> ? shape::loads : 1;
  warp_ring<ring_source, ring_loads> ring(reinterpret_cast<quad*>(dynamic_shared()), arrivals[warp()], c.stages);
  const auto parts = static_cast<unsigned>(c.chunk / shape::part);
  chunk_walk ahead{std::size_t{block()} * warps() + warp(), 0, 0};
  const auto ask = [&] {
    const std::size_t first = (ahead.node * c.run + ahead.k) * c.chunk;
    if (ahead.node >= node_count || first + c.chunk > c.n) return;  // a short chunk is read as it is
    if constexpr (copies_parts<Source>) ring.issue(source, first + std::size_t{ahead.part} * shape::part);
    ahead.step(parts, c.run, std::size_t{blocks()} * warps());
  };
  for (unsigned s = 0; s < c.stages; ++s) ask();
  const auto take_part = [&](auto& packed, const auto& place, unsigned behind) {
    if constexpr (copies_parts<Source>) {
      if (c.stages != 0) {
        ring.take(packed);
        ask();
        return;
      }
    }
    load_parts<Source>{}(packed, place, behind);
  };
#else
  const load_parts<Source> take_part;
#endif
  for (std::size_t node = std::size_t{block()} * warps() + warp(); node < node_count; node += std::size_t{blocks()} * warps()) {
    state mine{};
    const std::size_t rest = c.chunks - node * c.run;
    const unsigned count = rest < c.run ? static_cast<unsigned>(rest) : c.run;
    for (unsigned k = 0; k < count; ++k) {
      const state s = shuffle(fold_chunk(form, source, c, node * c.run + k, take_part), 0);
      if (lane() == k) mine = s;
    }
    if (c.run != 1) mine = join_neighbours(form, mine, count);
    if (lane() == 0) nodes[node] = mine;
    join_group(form, nodes, node, node_count, arrived);
  }

  fence_device();
  sync_block();
  if (blocks() != 1) {
    if (thread() == 0) last = count_up(memory.ticket, blocks() - 1) == blocks() - 1;
    sync_block();
    if (!last) return;
    fence_device();
  }
  // The groups are nodes now. Pass by pass, each warp joins as many neighbours as it has lanes, until one node is left.
  std::size_t left = (node_count + warp_width - 1) / warp_width;
  std::size_t apart = warp_width;
  for (; left > 1; left = (left + warp_width - 1) / warp_width, apart *= warp_width) {
    for (std::size_t first = std::size_t{warp()} * warp_width; first < left; first += std::size_t{warps()} * warp_width) {
      const unsigned count = left - first < warp_width ? static_cast<unsigned>(left - first) : warp_width;
      const std::size_t at = first + (lane() < count ? lane() : 0);
      const state s = join_neighbours(form, load_shared_by_device(nodes + at * apart), count);
      if (lane() == 0) nodes[first * apart] = s;
    }
    fence_device();
    sync_block();
  }
  if (thread() == 0) {
    program::store(form, node_count != 0 ? load_shared_by_device(nodes) : program::chunk(form, program::start(form)), c.n,
                   memory.result, memory.status);
  }
}

}  // namespace accrue::simt
