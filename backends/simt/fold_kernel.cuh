// SPDX-License-Identifier: BSD-3-Clause
// The kernel of every reduction whose order is free: full tiles by 16-byte loads, loose elements one by one, then block and grid.
#pragma once

#include "accrue/backends/simt/arrays.cuh"
#include "accrue/backends/simt/bulk_copy.cuh"
#include "accrue/backends/simt/code.cuh"
#include "accrue/backends/simt/tuning.hpp"

namespace accrue::simt {

/// How a launch cuts a source of n elements: `tiles` full tiles of 16-byte vectors from element `head` on; the `loose` elements before
/// and behind them one by one. A tile is what a block takes at a time.
struct cut {
  std::size_t n;
  std::size_t head;
  std::size_t tiles;
  std::size_t loose;
  unsigned stages;  ///< tiles in flight in shared memory, where tiles are copied there
};

/// The memory of one call on the device, and where its result goes.
struct call_memory {
  unsigned* ticket;  ///< blocks that are done; zero between kernels
  grid_memory grid;
  void* result;
  int* status;
};

template <class Form, class Source>
inline constexpr bool copies_tiles = false;
template <class Form, class T>
inline constexpr bool copies_tiles<Form, array<T>> = is_exact<Form> && reader<array<T>>::vectors;
template <class Form, class T>
inline constexpr bool copies_tiles<Form, array_pair<T>> = is_exact<Form> && reader<array<T>>::vectors;

/// Indices of the elements of a thread's share of a tile: consecutive in a vector, vectors `step` elements apart.
template <unsigned width>
struct index_of_element {
  std::size_t first;
  std::size_t step;
  ACCRUE_DEVICE std::size_t operator()(unsigned k) const { return first + k / width * step + k % width; }
};

/// Folds one tile whose vectors are in registers.
template <class Form, class Source, unsigned loads>
ACCRUE_DEVICE void fold_packed(const Form& form, const Source& source, const typename reader<Source>::packed (&packed)[loads],
                               std::size_t first, std::size_t step, typename code<Form>::accumulator& a,
                               typename code<Form>::room& room) {
  using read = reader<Source>;
  typename read::element x[loads * read::width];
#pragma unroll
  for (unsigned u = 0; u < loads; ++u) read::unpack(source, packed[u], x + u * read::width);
  code<Form>::fold(form, a, room, x, loads * read::width, index_of_element<read::width>{first, step});
}

/// Full tiles, each thread loading its vectors straight into registers.
template <unsigned loads, class Form, class Source, class Stop>
ACCRUE_DEVICE void fold_loaded_tiles(const Form& form, const Source& source, const cut& c, typename code<Form>::accumulator& a,
                                     typename code<Form>::room& room, const Stop& stop) {
  using read = reader<Source>;
  const std::size_t tile = std::size_t{threads()} * loads * read::width;
  for (std::size_t t = block(); t < c.tiles && !stop(); t += blocks()) {
    const std::size_t first = c.head + t * tile + thread() * read::width;
    typename read::packed packed[loads];
#pragma unroll
    for (unsigned u = 0; u < loads; ++u) packed[u] = read::load(source, first + u * std::size_t{threads()} * read::width);
    fold_packed(form, source, packed, first, std::size_t{threads()} * read::width, a, room);
  }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Where the copied vectors of a stage lie: those of x, then those of y.
template <class T>
ACCRUE_DEVICE void copy_tile(const array<T>& s, std::size_t first, unsigned bytes, quad* to, arrival& full) {
  full.expect(bytes);
  full.copy(to, s.data + first, bytes);
}
template <class T>
ACCRUE_DEVICE void copy_tile(const array_pair<T>& s, std::size_t first, unsigned bytes, quad* to, arrival& full) {
  full.expect(2 * bytes);
  full.copy(to, s.x.data + first, bytes);
  full.copy(to + bytes / 16, s.y.data + first, bytes);
}
template <class T>
ACCRUE_DEVICE void take_vector(const quad* from, unsigned, typename reader<array<T>>::packed& p) {
  p = {*from};
}
template <class T>
ACCRUE_DEVICE void take_vector(const quad* from, unsigned vectors, typename reader<array_pair<T>>::packed& p) {
  p = {from[0], from[vectors]};
}

/// Full tiles through rings of stages in shared memory, one ring for each warp, which one of its lanes keeps filled: the arithmetic needs
/// no loads in registers, and no warp waits for another.
template <unsigned loads, class Form, class Source>
ACCRUE_DEVICE void fold_copied_tiles(const Form& form, const Source& source, const cut& c, quad* rings, arrival (*arrivals)[most_stages],
                                     typename code<Form>::accumulator& a, typename code<Form>::room& room) {
  using read = reader<Source>;
  constexpr unsigned arrays = sizeof(typename read::packed) / sizeof(quad);
  constexpr unsigned vectors = warp_width * loads;  // the warp's part of a tile
  constexpr unsigned bytes = vectors * sizeof(quad);
  const std::size_t tile = std::size_t{threads()} * loads * read::width;
  const std::size_t mine = c.head + std::size_t{warp()} * vectors * read::width;
  quad* ring = rings + std::size_t{warp()} * c.stages * vectors * arrays;
  arrival* full = arrivals[warp()];
  const auto issue = [&](std::size_t t, unsigned stage) {
    copy_tile(source, mine + t * tile, bytes, ring + std::size_t{stage} * vectors * arrays, full[stage]);
  };
  if (lane() == 0) {
    for (unsigned s = 0; s < c.stages; ++s) full[s].start();
    arrival::fence_start();
    for (unsigned s = 0; s < c.stages; ++s) {
      const std::size_t t = block() + std::size_t{s} * blocks();
      if (t < c.tiles) issue(t, s);
    }
  }
  sync_warp();
  unsigned stage = 0;
  unsigned parity = 0;
  for (std::size_t t = block(); t < c.tiles; t += blocks()) {
    full[stage].wait(parity);
    typename read::packed packed[loads];
    const quad* from = ring + std::size_t{stage} * vectors * arrays + lane();
#pragma unroll
    for (unsigned u = 0; u < loads; ++u) take_vector<stored_element<Source>>(from + u * warp_width, vectors, packed[u]);
    sync_warp();  // the stage has been read
    if (lane() == 0) {
      const std::size_t next = t + std::size_t{c.stages} * blocks();
      if (next < c.tiles) issue(next, stage);
    }
    fold_packed(form, source, packed, mine + t * tile + lane() * read::width, warp_width * read::width, a, room);
    if (++stage == c.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}
#endif

/// Loose elements, and all elements of a source that has no vectors: a thread takes `n` of them at distances of the block's size.
template <int n, class Form, class Source, class Stop>
ACCRUE_DEVICE void fold_loose(const Form& form, const Source& source, const cut& c, typename code<Form>::accumulator& a,
                              typename code<Form>::room& room, const Stop& stop) {
  using read = reader<Source>;
  const std::size_t behind = c.n - c.loose;  // what the full tiles take, between head and tail
  const auto index_at = [&](std::size_t k) { return k < c.head ? k : k + behind; };
  const std::size_t step = std::size_t{threads()} * n;
  // The blocks with one tile less come first.
#pragma unroll 1
  for (std::size_t t = blocks() - 1 - block(); t * step < c.loose && !stop(); t += blocks()) {
    const std::size_t first = t * step + thread();
    typename read::element x[n];
    unsigned count = 0;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const std::size_t at = first + k * std::size_t{threads()};
      if (at < c.loose) {
        x[k] = read::at(source, index_at(at));
        ++count;
      }
    }
    const auto index_of = [&](unsigned k) { return index_at(first + k * std::size_t{threads()}); };
    code<Form>::fold(form, a, room, x, count, index_of);
  }
}

/// Reduces a source. Every block folds its tiles and joins its threads; with several blocks the last to finish joins the blocks and
/// writes the result, and leaves ticket and zeros as they were.
template <class Form, class Source>
ACCRUE_KERNEL(most_threads, (blocks_at_once<Form, Source>)) fold_kernel(Form form, Source source, cut c, call_memory memory) {
  using program = code<Form>;
  using room_type = typename program::room;
  constexpr unsigned loads = loads_in_flight<Form, Source>;
  unsigned char* shared = dynamic_shared();
  auto& room = *reinterpret_cast<room_type*>(shared);
  ACCRUE_SHARED bool last;
  typename program::accumulator a;
  program::start(form, a, room);
  sync_block();

  const auto stop = [&] {
    if constexpr (requires { program::saturated(form, a); }) {
      return any(program::saturated(form, a));
    } else {
      return false;
    }
  };
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (copies_tiles<Form, Source>) {
    constexpr std::size_t room_bytes = (sizeof(room_type) + 127) / 128 * 128;
    ACCRUE_SHARED arrival arrivals[most_warps][most_stages];
    if (c.tiles != 0) fold_copied_tiles<loads>(form, source, c, reinterpret_cast<quad*>(shared + room_bytes), arrivals, a, room);
  } else
#endif
      if constexpr (reader<Source>::vectors) {
    fold_loaded_tiles<loads>(form, source, c, a, room, stop);
  }
  fold_loose<8>(form, source, c, a, room, stop);

  program::close(form, a, room, memory.grid);
  if (blocks() != 1) {
    fence_device();
    sync_block();
    if (thread() == 0) last = count_up(memory.ticket, blocks() - 1) == blocks() - 1;
    sync_block();
    if (!last) return;
    fence_device();
  } else {
    sync_block();
  }
  program::finish(form, room, memory.grid, c.n, memory.result, memory.status);
}

}  // namespace accrue::simt
