// SPDX-License-Identifier: BSD-3-Clause
// The kernels of exact sums of floats and doubles, but the largest. Blocks have their totals as pairs of doubles, and leave them in slots;
// a warp of the last block waits for all slots, adds and rounds them. No counter, no fence. Where a pair does not hold the elements,
// windows and digits do.
#pragma once

#include "accrue/backends/simt/kernel/pair_states.cuh"

namespace accrue::simt {

/// The last block's: waits for the blocks' pairs, `slots_each` for each lane of warp 0, adds them and writes the result, or the state.
template <class T, term what, unsigned slots_each, bool as_state>
ACCRUE_DEVICE void collect_pairs(const pair_ending& end) {
  ACCRUE_SHARED bool done;
  if (warp() == 0) {
    slot_pair pair[slots_each];
    wait_for_slots(end, pair);
    double term[2 * slots_each];
#pragma unroll
    for (unsigned k = 0; k < slots_each; ++k) {
      term[2 * k] = pair[k].high_part();
      term[2 * k + 1] = pair[k].low_part();
      const unsigned from = lane() + k * warp_width;
      if (from < blocks()) store_to_device(end.slot(from), 0, 0);
    }
    const pair_sum total = sum_terms(term);
    bool certain = false;
    if constexpr (as_state) {
      certain = total.exact();
      if (certain) store_as_state<T>(total.high, total.low, end.result);
    } else {
      certain = store_total(total, end);
    }
    thread_took(certain ? detail::way::several_pairs : detail::way::uncertain_total);
    if (lane() == 0) done = certain;
    if (!certain) [[unlikely]] {
      fence_device();
      for_each_in_turn<1>(term, 2 * slots_each, [&](unsigned, double t) {
        if (t == t) add_to_limbs<T>(t, end);
      });
      fence_before_barrier();
    }
  }
  sync_block();
  if (!done) finish_program<T, what>(end, 0);
}

template <class T, term what, unsigned slots_each>
ACCRUE_DEVICE_RARE void collect_state(pair_ending end) {
  collect_pairs<T, what, slots_each, true>(end);
}
/// What is wanted of the two. Kernels end with the call, so that they have nothing to keep over it.
template <class T, term what, unsigned slots_each>
ACCRUE_DEVICE void collect(const pair_ending& end) {
  if constexpr (slots_each <= most_slots_of_states) {
    if (end.result_bytes == 0) [[unlikely]] return collect_state<T, what, slots_each>(end);
  }
  collect_pairs<T, what, slots_each, false>(end);
}

/// The end of a block whose sum is in digits: a single block writes the result, others add to the limbs and leave a marker.
template <class T, term what, unsigned slots_each>
ACCRUE_DEVICE void close_wide(const vector_range<T>& in, const pair_ending& end) {
  block_digits<T, what>().close(reinterpret_cast<std::int64_t*>(end.zeros), blocks());
  fence_before_barrier();
  sync_block();
  if constexpr (slots_each == 0) {
    finish_program<T, what>(end, in.end - in.begin);
  } else {
    fence_device();
    if (warp() == 0) leave_pair(slot_pair::marker(), end);
    if (block() == blocks() - 1) collect<T, what, slots_each>(end);
  }
}
/// The block's tile by five windows and digits. Kernels end with the call, so that they have nothing to keep over it.
template <class T, term what, unsigned loads, unsigned slots_each>
ACCRUE_DEVICE_RARE void reduce_wide(vector_range<T> in, pair_ending end) {
  auto& storage = block_digits<T, what>();
  wide_part<T, 5> part;
  T x[loads * vector_range<T>::width];
  load_tile<T, loads>(in, first_vector(loads), x);
  thread_took(slots_each == 0 ? detail::way::wide_small : detail::way::wide_medium);
  part.start();
  storage.clear();
  sync_block();
  fold_wide<what, 1>(part, storage, x);
  part.close(storage);
  close_wide<T, what, slots_each>(in, end);
}

/// The end of a block whose warps have a pair for each lane, and their tiles left from rest[warp] on: all warps share those, by three
/// windows, in fewer registers than five.
template <class T, term what, unsigned loads, unsigned slots_each>
ACCRUE_DEVICE_RARE void end_wide(vector_range<T> in, pair_ending end, double high, double low, const unsigned* rest) {
  constexpr unsigned at_once = 2;  // vectors
  auto& storage = block_digits<T, what>();
  wide_part<T, 3> part;
  thread_took(detail::way::wide_large);
  part.start();
  storage.clear();
  sync_block();
  storage.add_sum(high);
  storage.add_sum(low);
  const unsigned step = blocks() * threads() * loads;
#pragma unroll 1
  for (unsigned w = 0; w < warps(); ++w) {
#pragma unroll 1
    for (unsigned at = rest[w] + warp() * step; at < in.vectors(); at += warps() * step) {
#pragma unroll 1
      for (unsigned j = 0; j < loads; j += at_once) {  // for the sake of registers
        T x[at_once * vector_range<T>::width];
        load_tile<T, at_once>(in, at + j * warp_width + lane(), x);
        fold_wide<what, at_once * vector_range<T>::width>(part, storage, x);
      }
    }
  }
  part.close(storage);
  close_wide<T, what, slots_each>(in, end);
}

/// The warp's part of the block's tile.
template <term what, unsigned loads, class T>
ACCRUE_DEVICE pair_sum sum_tile(const vector_range<T>& in) {
  T x[loads * vector_range<T>::width];
  load_tile<T, loads>(in, first_vector(loads), x);
  take_terms<what>(x);
  return sum_elements(x);
}
/// A lane's sum over the warp's parts of the tiles block(), block() + blocks(), ..., up to the first that a pair does not hold: `at` is its
/// place then, or one behind the last vector.
template <term what, unsigned loads, class T>
ACCRUE_DEVICE pair_accumulator sum_tiles(const vector_range<T>& in, unsigned& at) {
  constexpr unsigned n = loads * vector_range<T>::width;
  const unsigned step = blocks() * threads() * loads;
  pair_accumulator sum;
  T x[n];
  const auto add = [&] {
    take_terms<what>(x);
    const pair_accumulator before = sum;
    sum.add_elements(x);
    const bool lost = any(sum.lost != 0);
    if (lost) {
      sum = before;
    } else {
      at += step;
    }
    return !lost;
  };
  const auto all_full = [&](unsigned place) { return place - lane() + warp_width * loads <= in.first_full + in.full; };
  at = first_vector(loads);
  if (at - lane() < in.first_full) {
    load_tile<T, loads>(in, at, x);
    if (!add()) return sum;
  }
  if (all_full(at)) {
    load_full_tile<T, loads>(in, at, x);
    while (true) {
      T next[n];
      const bool more = all_full(at + step);
      if (more) load_full_tile<T, loads>(in, at + step, next);
      if (!add()) return sum;
      if (!more) break;
#pragma unroll
      for (unsigned k = 0; k < n; ++k) x[k] = next[k];
    }
  }
  if (at - lane() < in.vectors()) {
    load_tile<T, loads>(in, at, x);
    add();
  }
  return sum;
}

/// Adds the warps' pairs and leaves the block's in its slot; warp 0's part.
template <class T>
ACCRUE_DEVICE void leave_sum(const pair_sum* of_warp, const pair_ending& end) {
  double term[2] = {0, 0};
  if (lane() < warps()) {
    term[0] = of_warp[lane()].high;
    term[1] = of_warp[lane()].low;
  }
  const pair_sum total = sum_terms(term);
  slot_pair pair = slot_pair::of(total.high, total.low);
  if (!total.exact()) [[unlikely]] {
    add_to_limbs<T>(term[0], end);
    add_to_limbs<T>(term[1], end);
    fence_before_barrier();
    sync_warp();
    fence_device();
    pair = slot_pair::marker();
    thread_took(detail::way::marked_slot);
  }
  leave_pair(pair, end);
}

/// The state of a small range whose sum all threads have.
template <class T, term what, unsigned loads>
ACCRUE_DEVICE_RARE void store_small_state(vector_range<T> in, pair_ending end, double high, double low, bool exact) {
  if (!exact) return reduce_wide<T, what, loads, 0>(in, end);
  if (warp() == 0) store_as_state<T>(high, low, end.result);
}

/// The sum of a small range, by one block.
template <class T, term what, unsigned loads>
ACCRUE_KERNEL(most_threads, 1)
small_sum_kernel(vector_range<T> in, pair_ending end) {
  ACCRUE_SHARED pair_sum of_warp[most_warps];
  const pair_sum total = sum_in_block(sum_tile<what, loads>(in), of_warp);
  if (end.result_bytes == 0) [[unlikely]] return store_small_state<T, what, loads>(in, end, total.high, total.low, total.exact());
  if (!store_total(total, end)) return reduce_wide<T, what, loads, 0>(in, end);
  thread_took(detail::way::small_pair);
}

/// The sum of a range by several blocks, up to `slots_each` times the width of a warp, with a tile for each; they start in the order of
/// their indices, and the last waits for the others.
template <class T, term what, unsigned loads, unsigned slots_each>
ACCRUE_KERNEL(most_threads, 1)
medium_sum_kernel(vector_range<T> in, pair_ending end) {
  ACCRUE_SHARED pair_sum of_warp[most_warps];
  const pair_sum mine = sum_tile<what, loads>(in);
  if (lane() == 0) of_warp[warp()] = mine;
  if (any_in_block(!mine.exact())) [[unlikely]] return reduce_wide<T, what, loads, slots_each>(in, end);
  if (warp() == 0) leave_sum<T>(of_warp, end);
  if (block() == blocks() - 1) collect<T, what, slots_each>(end);
}

/// The same with any number of tiles.
template <class T, term what, unsigned loads, unsigned slots_each>
ACCRUE_KERNEL(most_threads, 2)
large_sum_kernel(vector_range<T> in, pair_ending end) {
  ACCRUE_SHARED pair_sum of_warp[most_warps];
  ACCRUE_SHARED unsigned rest[most_warps];
  unsigned at;
  const pair_accumulator sum = sum_tiles<what, loads>(in, at);
  const pair_sum mine = sum.total();
  if (lane() == 0) {
    of_warp[warp()] = mine;
    rest[warp()] = at;
  }
  if (any_in_block(!mine.exact() || at - lane() < in.vectors())) [[unlikely]] {
    return end_wide<T, what, loads, slots_each>(in, end, sum.part[0], sum.part[1], rest);
  }
  if (warp() == 0) leave_sum<T>(of_warp, end);
  if (block() == blocks() - 1) collect<T, what, slots_each>(end);
}

}  // namespace accrue::simt
