// SPDX-License-Identifier: BSD-3-Clause
// The kernel of every reduction whose order is free: full tiles by 16-byte loads, loose elements one by one, then block and grid.
#pragma once

#include "accrue/backends/simt/arrays.cuh"
#include "accrue/backends/simt/code.cuh"
#include "accrue/backends/simt/tuning.hpp"
#include "accrue/backends/simt/warp_ring.cuh"

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

/// The memory of one call on the device, and where its result goes.
struct call_memory {
  unsigned* ticket;  ///< blocks that are done; zero between kernels
  grid_memory grid;
  ending end;
};

template <class Form, class Source>
inline constexpr bool copies_tiles = false;
template <class Form, class T>
inline constexpr bool copies_tiles<Form, array<T>> = is_exact<Form>&& reader<array<T>>::vectors;
template <class Form, class T>
inline constexpr bool copies_tiles<Form, array_pair<T>> = is_exact<Form>&& reader<array<T>>::vectors;

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
    const auto place = read::place_of(source, first);
    typename read::packed packed[loads];
#pragma unroll
    for (unsigned u = 0; u < loads; ++u) packed[u] = read::load(place, u * threads() * read::width);
    fold_packed(form, source, packed, first, std::size_t{threads()} * read::width, a, room);
  }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Full tiles through the warps' rings in shared memory: the arithmetic needs no loads in registers, and no warp waits for another.
template <unsigned loads, class Form, class Source>
ACCRUE_DEVICE void fold_copied_tiles(const Form& form, const Source& source, const cut& c, quad* rings,
                                     arrival (*arrivals)[most_stages], typename code<Form>::accumulator& a,
                                     typename code<Form>::room& room) {
  using read = reader<Source>;
  warp_ring<Source, loads> ring(rings, arrivals[warp()], c.stages);
  const std::size_t tile = std::size_t{threads()} * loads * read::width;
  const std::size_t step = tile * blocks();
  std::size_t at = c.head + block() * tile + std::size_t{warp()} * warp_width * loads * read::width;
  std::size_t ahead = at;
  auto left = static_cast<unsigned>((c.tiles + blocks() - 1 - block()) / blocks());
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
    fold_packed(form, source, packed, at + lane() * read::width, warp_width * read::width, a, room);
  }
}
#endif

/// Loose elements, and all elements of a source that has no vectors: a thread takes `n` of them at distances of the block's size.
template <int n, bool contiguous, class Form, class Source, class Stop>
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
        x[k] = contiguous ? read::near(source, index_at(at)) : read::at(source, index_at(at));
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
ACCRUE_KERNEL(threads_at_most<Form>, (blocks_at_once<Form, Source>))
fold_kernel(Form form, Source source, cut c, call_memory memory) {
  using program = code<Form>;
  using room_type = typename program::room;
  constexpr unsigned loads = loads_in_flight<Form, Source>;
  unsigned char* shared = dynamic_shared();
  auto& room = *reinterpret_cast<room_type*>(shared);
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
  if (c.contiguous) {
    fold_loose<sizeof(typename reader<Source>::element) <= 8 ? 8 : 4, true>(form, source, c, a, room, stop);
  } else {
    fold_loose<1, false>(form, source, c, a, room, stop);
  }

  program::close(form, a, room, memory.grid);
  if (!is_last_block(memory.ticket)) return;
  ending end = memory.end;
  end.states = c.states;
  program::finish(form, room, memory.grid, c.n, end);
}

}  // namespace accrue::simt
