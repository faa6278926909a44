// SPDX-License-Identifier: BSD-3-Clause
// The kernel of every reduction whose order is free: full tiles by 16-byte loads, loose elements one by one, then block and grid.
#pragma once

#include "accrue/backends/simt/kernel/arrays.cuh"
#include "accrue/backends/simt/operations/kernel_program.cuh"
#include "accrue/backends/simt/kernel/tuning.hpp"
#include "accrue/backends/simt/kernel/warp_ring.cuh"

namespace accrue::simt {

/// How a launch cuts a source of n elements: `tiles` full tiles of 16-byte vectors from element `head` on; the `loose` elements
/// before and behind them one by one. A tile is what a block takes at a time.
struct cut {
  std::size_t n;
  std::size_t head;
  std::size_t tiles;
  std::size_t loose;
  unsigned stages;  ///< tiles in flight in shared memory, where tiles are copied there
  bool contiguous;  ///< all arrays of the source
  bool states;      ///< a state comes in or goes out: here, since this is read early, and what says which would be waited for at the end
};

/// Elements before the first 16-byte boundary, or nothing if vectors cannot be used: strides, or two arrays that never meet one
/// together.
template <class T>
ACCRUE_HOST_DEVICE std::size_t elements_to_boundary(const array<T>& s) {
  if (!reader<array<T>>::vectors || !s.contiguous()) return nowhere;
  const auto address = reinterpret_cast<std::uintptr_t>(s.data);
  return address % sizeof(T) != 0 ? nowhere : (16 - address % 16) % 16 / sizeof(T);
}
template <class Source>
ACCRUE_HOST_DEVICE std::size_t elements_to_boundary(const Source& s) {
  if (!reader<Source>::vectors) return nowhere;
  const std::size_t x = elements_to_boundary(s.x);
  if constexpr (requires { s.y; }) {
    return x == elements_to_boundary(s.y) ? x : nowhere;
  } else {
    return x;
  }
}

/// Elements of the tiles' and the loose ends' parts. `stages` is above zero where tiles are copied.
template <class Source>
ACCRUE_HOST_DEVICE cut cut_for(const Source& source, std::size_t tile_elements, unsigned stages, bool states) {
  cut c{size_of(source), 0, 0, size_of(source), stages, is_contiguous(source), states};
  const std::size_t head = elements_to_boundary(source);
  if (head < c.n) {
    c.tiles = (c.n - head) / tile_elements;
    if (c.tiles != 0) {
      c.head = head;
      c.loose = c.n - c.tiles * tile_elements;
    }
  }
  return c;
}

/// The memory of one call on the device, and where its result goes.
struct call_memory {
  unsigned* ticket;  ///< blocks that are done; zero between kernels
  unsigned char* zeros;
  unsigned char* partials;
  ending end;

  /// The blocks of the grid as one team.
  [[nodiscard]] ACCRUE_DEVICE block_team grid_team() const { return {block(), blocks(), zeros, partials}; }
};

template <class Op, class Source>
inline constexpr bool copies_tiles = false;
template <class Op, class T>
inline constexpr bool copies_tiles<Op, array<T>> = Op::traits::compute_bound && reader<array<T>>::vectors;
template <class Op, class T>
inline constexpr bool copies_tiles<Op, array_pair<T>> = Op::traits::compute_bound && reader<array<T>>::vectors;

/// Indices of the elements of a thread's share of a tile: consecutive in a vector, vectors `step` elements apart.
template <unsigned width>
struct index_of_element {
  std::size_t first;
  std::size_t step;
  ACCRUE_DEVICE std::size_t operator()(unsigned k) const { return first + k / width * step + k % width; }
};

/// Folds one tile whose vectors are in registers.
template <class Op, class Source, unsigned loads>
ACCRUE_DEVICE void fold_packed(const Op& op, const Source& source, const typename reader<Source>::packed (&packed)[loads],
                               std::size_t first, std::size_t step, typename kernel_program<Op>::accumulator& a,
                               typename kernel_program<Op>::shared_storage& storage) {
  using read = reader<Source>;
  typename read::element x[loads * read::width];
#pragma unroll
  for (unsigned u = 0; u < loads; ++u) read::unpack(source, packed[u], x + u * read::width);
  kernel_program<Op>::fold(op, a, storage, x, loads * read::width, index_of_element<read::width>{first, step});
}

/// Full tiles, each thread loading its vectors straight into registers.
template <unsigned loads, class Op, class Source, class Stop>
ACCRUE_DEVICE void fold_loaded_tiles(const Op& op, const Source& source, const cut& c, const block_team& team,
                                     typename kernel_program<Op>::accumulator& a,
                                     typename kernel_program<Op>::shared_storage& storage, const Stop& stop) {
  using read = reader<Source>;
  const std::size_t tile = std::size_t{threads()} * loads * read::width;
  for (std::size_t t = team.index; t < c.tiles && !stop(); t += team.count) {
    const std::size_t first = c.head + t * tile + thread() * read::width;
    const auto place = read::place_of(source, first);
    typename read::packed packed[loads];
#pragma unroll
    for (unsigned u = 0; u < loads; ++u) packed[u] = read::load(place, u * threads() * read::width);
    fold_packed(op, source, packed, first, std::size_t{threads()} * read::width, a, storage);
  }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Full tiles through the warps' rings in shared memory: the arithmetic needs no loads in registers, and no warp waits for another.
template <unsigned loads, class Op, class Source>
ACCRUE_DEVICE void fold_copied_tiles(const Op& op, const Source& source, const cut& c, const block_team& team, vector16* rings,
                                     arrival (*arrivals)[most_stages], typename kernel_program<Op>::accumulator& a,
                                     typename kernel_program<Op>::shared_storage& storage) {
  using read = reader<Source>;
  warp_ring<Source, loads> ring(rings, arrivals[warp()], c.stages);
  const std::size_t tile = std::size_t{threads()} * loads * read::width;
  const std::size_t step = tile * team.count;
  std::size_t at = c.head + team.index * tile + std::size_t{warp()} * warp_width * loads * read::width;
  std::size_t ahead = at;
  auto left = static_cast<unsigned>((c.tiles + team.count - 1 - team.index) / team.count);
  unsigned to_ask = left;
  const auto ask = [&] {
    ring.issue(source, ahead);
    ahead += step;
    --to_ask;
  };
#pragma unroll 1
  for (unsigned s = 0; s < c.stages && to_ask != 0; ++s) ask();
#pragma unroll 1
  for (; left != 0; --left, at += step) {
    typename read::packed packed[loads];
    ring.take(packed);
    if (to_ask != 0) ask();
    fold_packed(op, source, packed, at + lane() * read::width, warp_width * read::width, a, storage);
  }
}
#endif

/// Moves the elements that are present to the front, in their order; returns how many they are.
template <unsigned n, class T>
ACCRUE_DEVICE unsigned move_to_front(T (&x)[n], bool (&present)[n], unsigned (&place)[n]) {
  unsigned count = 0;
#pragma unroll
  for (unsigned k = 0; k < n; ++k) count += present[k] ? 1 : 0;
#pragma unroll
  for (unsigned k = 1; k < n; ++k) {
#pragma unroll
    for (unsigned j = n - 1; j > 0; --j) {
      if (j > k || present[j - 1] || !present[j]) continue;
      x[j - 1] = x[j];
      place[j - 1] = place[j];
      present[j - 1] = true;
      present[j] = false;
    }
  }
  return count;
}

/// The elements of a source with a mask: as below, and those that take no part are not read.
template <int n, bool contiguous, class Op, class Source, class Stop>
ACCRUE_DEVICE void fold_taken(const Op& op, const Source& source, const cut& c, const block_team& team,
                              typename kernel_program<Op>::accumulator& a, typename kernel_program<Op>::shared_storage& storage,
                              const Stop& stop) {
  using read = reader<Source>;
  const std::size_t step = std::size_t{threads()} * n;
#pragma unroll 1
  for (std::size_t t = team.index; t * step < c.n && !stop(); t += team.count) {
    const std::size_t first = t * step + thread();
    typename read::element x[n];
    bool present[n];
    unsigned place[n];
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      const std::size_t at = first + k * std::size_t{threads()};
      present[k] = at < c.n && takes_part<contiguous>(source, at);
      place[k] = k;
    }
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      const std::size_t at = first + k * std::size_t{threads()};
      x[k] = typename read::element{};
      if (present[k]) x[k] = contiguous ? read::near(source, at) : read::at(source, at);
    }
    const unsigned count = move_to_front<n>(x, present, place);
    const auto index_of = [&](unsigned k) { return first + place[k] * std::size_t{threads()}; };
    kernel_program<Op>::fold(op, a, storage, x, count, index_of);
  }
}

/// Loose elements, and all elements of a source that has no vectors: a thread takes `n` of them at distances of the block's size.
template <int n, bool contiguous, class Op, class Source, class Stop>
ACCRUE_DEVICE void fold_loose(const Op& op, const Source& source, const cut& c, const block_team& team,
                              typename kernel_program<Op>::accumulator& a, typename kernel_program<Op>::shared_storage& storage,
                              const Stop& stop) {
  using read = reader<Source>;
  const std::size_t behind = c.n - c.loose;  // what the full tiles take, between head and tail
  const auto index_at = [&](std::size_t k) { return k < c.head ? k : k + behind; };
  const std::size_t step = std::size_t{threads()} * n;
  // The blocks with one tile less come first.
#pragma unroll 1
  for (std::size_t t = team.count - 1 - team.index; t * step < c.loose && !stop(); t += team.count) {
    const std::size_t first = t * step + thread();
    typename read::element x[n];
    unsigned count = 0;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const std::size_t at = first + k * std::size_t{threads()};
      if (at < c.loose) {
        x[k] = contiguous ? read::near(source, index_at(at)) : read::at(source, index_at(at));
        ++count;
      }
    }
    const auto index_of = [&](unsigned k) { return index_at(first + k * std::size_t{threads()}); };
    kernel_program<Op>::fold(op, a, storage, x, count, index_of);
  }
}

/// Reduces a source by a team of blocks. Each folds its tiles and joins its threads; with several blocks the last to finish joins the
/// blocks and writes the result, and leaves ticket and zeros as they were. Once in a kernel, whose dynamic shared memory is a
/// `shared_plan`'s. Whether states come in or go out is for `c.states` to say.
template <class Op, class Source>
ACCRUE_DEVICE void reduce_by_team(const Op& op, const Source& source, const cut& c, const block_team& team, unsigned* ticket, ending end) {
  using program = kernel_program<Op>;
  using storage_type = typename program::shared_storage;
  constexpr unsigned loads = loads_in_flight<Op, Source>;
  unsigned char* shared = dynamic_shared();
  auto& storage = *reinterpret_cast<storage_type*>(shared);
  typename program::accumulator a;
  program::start(op, a, storage);
  sync_block();

  const auto stop = [&] {
    if constexpr (requires { program::saturated(op, a); }) {
      return any(program::saturated(op, a));
    } else {
      return false;
    }
  };
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (copies_tiles<Op, Source>) {
    constexpr std::size_t storage_bytes = (sizeof(storage_type) + 127) / 128 * 128;
    ACCRUE_SHARED arrival arrivals[most_warps][most_stages];
    if (c.tiles != 0) {
      fold_copied_tiles<loads>(op, source, c, team, reinterpret_cast<vector16*>(shared + storage_bytes), arrivals, a, storage);
    }
  } else
#endif
      if constexpr (reader<Source>::vectors) {
    fold_loaded_tiles<loads>(op, source, c, team, a, storage, stop);
  }
  if constexpr (has_mask<Source>()) {
    if (c.contiguous) {
      fold_taken<4, true>(op, source, c, team, a, storage, stop);
    } else {
      fold_taken<1, false>(op, source, c, team, a, storage, stop);
    }
  } else if (c.contiguous) {
    fold_loose<sizeof(typename reader<Source>::element) <= 8 ? 8 : 4, true>(op, source, c, team, a, storage, stop);
  } else {
    fold_loose<1, false>(op, source, c, team, a, storage, stop);
  }

  program::close(op, a, storage, team);
  if (!is_last_block(ticket, team.count)) return;
  end.states = c.states;
  program::finish(op, storage, team, c.n, end);
}

/// Reduces a source by the whole grid.
template <class Op, class Source>
ACCRUE_KERNEL(threads_at_most<Op>, (blocks_at_once<Op, Source>))
fold_kernel(Op op, Source source, cut c, call_memory memory) {
  reduce_by_team(op, source, c, memory.grid_team(), memory.ticket, memory.end);
}

}  // namespace accrue::simt
