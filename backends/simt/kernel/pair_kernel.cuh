// SPDX-License-Identifier: BSD-3-Clause
// The kernel of small and medium exact sums of floats and doubles. Blocks have their totals as pairs of doubles, and leave them in slots;
// the last block waits for all slots, adds and rounds them. No counter, no fence. A block whose elements a pair does not hold goes on
// as the fold kernel would.
#pragma once

#include "accrue/backends/simt/operations/double_pairs.cuh"
#include "accrue/backends/simt/operations/exact_programs.cuh"

namespace accrue::simt {

/// Contiguous elements as 16-byte vectors, of which the first and the last may stand out at the ends. Few bytes: a launch waits for its
/// parameters.
template <class T>
struct vector_range {
  static constexpr unsigned width = 16 / sizeof(T);
  const T* data;        ///< where the first vector begins, at or before the first element
  unsigned first_full;  ///< vector
  unsigned full;        ///< vectors
  unsigned begin, end;  ///< elements, from `data` on

  [[nodiscard]] constexpr unsigned vectors() const { return (end + width - 1) / width; }
};
/// Of fewer than 2^32 - 8 elements that are aligned as their type wants.
template <class T>
vector_range<T> vector_range_of(const T* p, std::size_t n) {
  constexpr unsigned width = vector_range<T>::width;
  const auto begin = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % 16 / sizeof(T));
  const unsigned end = begin + static_cast<unsigned>(n);
  const unsigned first_full = begin != 0 ? 1 : 0;
  return {p - begin, first_full, end / width > first_full ? end / width - first_full : 0, begin, end};
}

/// A lane's vectors of a tile, from `first` on and a warp's width apart; zeros where there are no elements.
template <class T, unsigned loads>
ACCRUE_DEVICE void load_tile(const vector_range<T>& in, unsigned first, T (&x)[loads * vector_range<T>::width]) {
  constexpr unsigned width = vector_range<T>::width;
  vector16 v[loads];
#pragma unroll
  for (unsigned j = 0; j < loads; ++j) {
    const unsigned at = first + j * warp_width;
    v[j] = vector16{};
    if (at - in.first_full < in.full) v[j] = load_vector16(in.data + std::size_t{at} * width);
  }
  memcpy(static_cast<void*>(x), v, sizeof(x));
  if ((in.begin | in.end % width) != 0) {
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) {
      const unsigned at = first + j * warp_width;
      if (at - in.first_full < in.full) continue;
#pragma unroll
      for (unsigned k = 0; k < width; ++k) {
        const unsigned i = at * width + k;
        if (i >= in.begin && i < in.end) x[j * width + k] = in.data[i];
      }
    }
  }
}
template <term what, class T, std::size_t n>
ACCRUE_DEVICE void take_terms(T (&x)[n]) {
  if constexpr (what == term::magnitude) {
#pragma unroll
    for (std::size_t k = 0; k < n; ++k) x[k] = magnitude(x[k]);
  }
}

/// Where the result goes, and the memory of the call: zeros before and after, limbs first, then the blocks' slots.
struct pair_ending {
  void* result;
  unsigned char* zeros;
  unsigned result_bytes;

  [[nodiscard]] ACCRUE_DEVICE ending result_ending() const { return {result, nullptr, nullptr, false, false}; }
  [[nodiscard]] ACCRUE_DEVICE std::uint64_t* slot(unsigned block) const;
};
inline constexpr std::size_t limb_bytes = 4096;
inline constexpr std::size_t slot_bytes = 16;
ACCRUE_DEVICE std::uint64_t* pair_ending::slot(unsigned block) const {
  return reinterpret_cast<std::uint64_t*>(zeros + limb_bytes) + std::size_t{2} * block;
}

/// What slots hold: the bits of two doubles, inverted, so that zero is no value; a NaN for what went into the limbs.
struct slot_pair {
  std::uint64_t high;
  std::uint64_t low;

  static ACCRUE_DEVICE slot_pair of(double high, double low) {
    return {~std::bit_cast<std::uint64_t>(high), ~std::bit_cast<std::uint64_t>(low)};
  }
  [[nodiscard]] ACCRUE_DEVICE double high_part() const { return std::bit_cast<double>(~high); }
  [[nodiscard]] ACCRUE_DEVICE double low_part() const { return std::bit_cast<double>(~low); }
};
/// The pair of a slot, when it is there; the lanes of a warp wait in step.
ACCRUE_DEVICE slot_pair wait_for_slot(const std::uint64_t* slot, bool wanted) {
  slot_pair p = slot_pair::of(0, 0);
  if (wanted) p = {0, 0};
  bool missing = false;
  do {
    if (p.high == 0) p.high = load_shared_by_device(slot);
    if (p.low == 0) p.low = load_shared_by_device(slot + 1);
    missing = p.high == 0 || p.low == 0;
  } while (any(missing));
  return p;
}

template <class T, term what>
using pair_op = exact_sum<T, what>;
template <class T, term what>
ACCRUE_DEVICE pair_op<T, what> op_of(const pair_ending& end) {
  return {last_step::value, {static_cast<std::uint8_t>(end.result_bytes), true, true}};
}

/// The end of the last block where the blocks' pairs do not add up to one, or not all are in slots.
template <class T, term what>
ACCRUE_DEVICE_RARE void finish_wide(double high, double low, pair_ending end) {
  using program = kernel_program<pair_op<T, what>>;
  auto& storage = *reinterpret_cast<typename program::shared_storage*>(dynamic_shared());
  const auto op = op_of<T, what>(end);
  const block_team team{block(), blocks(), end.zeros, nullptr};
  fence_device();
  typename program::accumulator a;
  program::start(op, a, storage);
  sync_block();
  if (high == high) {
    storage.add_total(high);
    storage.add_total(low);
  }
  program::close(op, a, storage, team);
  fence_before_barrier();
  sync_block();
  program::finish(op, storage, team, 0, end.result_ending());
}

/// Rounds and writes the total, the same in all threads. False, and nothing written, if it is not certain.
ACCRUE_DEVICE bool store_total(const pair_sum& total, const pair_ending& end) {
  if (end.result_bytes == 8) {
    double r = 0;
    if (!round_total(total, r)) return false;
    if (thread() == 0) *static_cast<double*>(end.result) = r;
  } else {
    float r = 0;
    if (!round_total(total, r)) return false;
    if (thread() == 0) *static_cast<float*>(end.result) = r;
  }
  return true;
}

/// Leaves the block's pair in its slot; the last block's threads wait for all, and write the result.
template <class T, term what>
ACCRUE_DEVICE void leave_pair(const slot_pair& of_block, const pair_ending& end, pair_sum* of_warp) {
  if (thread() == 0) {
    store_to_device(end.slot(block()), of_block.high);
    store_to_device(end.slot(block()) + 1, of_block.low);
  }
  if (block() != blocks() - 1) return;
  const bool wanted = thread() < blocks();
  const slot_pair pair = wait_for_slot(end.slot(thread()), wanted);
  if (wanted) {
    store_to_device(end.slot(thread()), 0);
    store_to_device(end.slot(thread()) + 1, 0);
  }
  const double term[2] = {pair.high_part(), pair.low_part()};
  if (!store_total(sum_in_block(sum_terms(term), of_warp), end)) finish_wide<T, what>(term[0], term[1], end);
}

/// The block's tiles by windows and digits: a single block writes the result, others add to the limbs and end as blocks with a pair do.
/// Kernels end with the call, so that they have nothing to keep over it.
template <class T, term what, unsigned loads>
ACCRUE_DEVICE_RARE void reduce_wide(vector_range<T> in, pair_ending end, pair_sum* of_warp) {
  using program = kernel_program<pair_op<T, what>>;
  auto& storage = *reinterpret_cast<typename program::shared_storage*>(dynamic_shared());
  const auto op = op_of<T, what>(end);
  const block_team team{block(), blocks(), end.zeros, nullptr};
  typename program::accumulator a;
  program::start(op, a, storage);
  sync_block();
  constexpr unsigned n = vector_range<T>::width;  // few at a time, for the sake of registers
#pragma unroll 1
  for (unsigned tile = block() * threads() * loads; tile < in.vectors(); tile += blocks() * threads() * loads) {
#pragma unroll 1
    for (unsigned j = 0; j < loads; ++j) {
      T x[n];
      load_tile<T, 1>(in, tile + j * threads() + thread(), x);
      for_each_in_turn<1>(x, n, [&](unsigned, T element) {
        const T one[1] = {element};
        program::fold(op, a, storage, one, 1, [](unsigned) { return std::size_t{0}; });
      });
    }
  }
  program::close(op, a, storage, team);
  if (blocks() == 1) {
    sync_block();
    return program::finish(op, storage, team, in.end - in.begin, end.result_ending());
  }
  fence_before_barrier();
  sync_block();
  fence_device();
  leave_pair<T, what>(slot_pair::of(from_words(0x7ff80000u, 0), 0), end, of_warp);
}

/// Blocks take the tiles block(), block() + blocks(), ..., only the first of them unless `loops`. There are no more blocks than a block
/// has threads, and they start in the order of their indices: the last waits for the others.
template <class T, term what, unsigned loads, bool loops>
ACCRUE_KERNEL(most_threads, 2)
pair_kernel(vector_range<T> in, pair_ending end) {
  ACCRUE_SHARED pair_sum of_warp[2][most_warps];
  constexpr unsigned n = loads * vector_range<T>::width;
  const unsigned first = (block() * warps() + warp()) * warp_width * loads + lane();
  T x[n];
  load_tile<T, loads>(in, first, x);
  pair_sum mine;
  if constexpr (loops) {
    pair_accumulator sum;
    const unsigned step = blocks() * threads() * loads;
    const unsigned count = in.vectors();
    unsigned at = first;
    while (true) {
      T next[n];
      const unsigned then = at + step;
      const bool more = then - lane() < count;
      if (more) load_tile<T, loads>(in, then, next);
      take_terms<what>(x);
      sum.add_elements(x);
      if (any(sum.lost != 0) || !more) break;
      at = then;
#pragma unroll
      for (unsigned k = 0; k < n; ++k) x[k] = next[k];
    }
    mine = sum.total();
  } else {
    take_terms<what>(x);
    mine = sum_elements(x);
  }
  const pair_sum total = sum_in_block(mine, of_warp[0]);
  if (blocks() == 1) {
    if (!store_total(total, end)) reduce_wide<T, what, loads>(in, end, of_warp[1]);
  } else if (total.fits && total.slack == 0) [[likely]] {
    leave_pair<T, what>(slot_pair::of(total.high, total.low), end, of_warp[1]);
  } else {
    reduce_wide<T, what, loads>(in, end, of_warp[1]);
  }
}

}  // namespace accrue::simt
