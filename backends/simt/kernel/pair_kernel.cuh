// SPDX-License-Identifier: BSD-3-Clause
// The kernel of small and medium exact sums of floats and doubles. Blocks have their totals as pairs of doubles, and leave them in slots;
// a warp of the last block waits for all slots, adds and rounds them. No counter, no fence. Where a pair does not hold the elements,
// windows and digits do (windows.cuh, digits.cuh).
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

/// The larger of an exponent field and that of x, if x is finite.
ACCRUE_DEVICE unsigned larger_field(unsigned field, double x) {
  const unsigned own = (high_word(x) >> 20) & 2047;
  return own != 2047 && own > field ? own : field;
}

/// The lane's first vector of its block's first tile.
ACCRUE_DEVICE unsigned first_vector(unsigned loads) { return (block() * warps() + warp()) * warp_width * loads + lane(); }

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
#pragma unroll
  for (unsigned j = 0; j < loads; ++j) memcpy(static_cast<void*>(x + j * width), v[j].word, sizeof(vector16));
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
/// The same where all vectors of the warp are full.
template <class T, unsigned loads>
ACCRUE_DEVICE void load_full_tile(const vector_range<T>& in, unsigned first, T (&x)[loads * vector_range<T>::width]) {
  constexpr unsigned width = vector_range<T>::width;
  const T* p = in.data + std::size_t{first} * width;
#pragma unroll
  for (unsigned j = 0; j < loads; ++j) {
    const vector16 v = load_vector16(p + j * warp_width * width);
    memcpy(static_cast<void*>(x + j * width), v.word, sizeof v);
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

  [[nodiscard]] ACCRUE_DEVICE std::uint64_t* slot(unsigned block) const;
};
inline constexpr std::size_t limb_bytes = 4096;
inline constexpr std::size_t slot_bytes = 16;
ACCRUE_DEVICE std::uint64_t* pair_ending::slot(unsigned block) const {
  return reinterpret_cast<std::uint64_t*>(zeros + limb_bytes) + std::size_t{2} * block;
}

/// What slots hold: the bits of two doubles, inverted, so that zero is no value. A marker stands for a sum that is in the limbs.
struct slot_pair {
  std::uint64_t high;
  std::uint64_t low;

  static ACCRUE_DEVICE slot_pair of(double high, double low) {
    return {~std::bit_cast<std::uint64_t>(high), ~std::bit_cast<std::uint64_t>(low)};
  }
  static ACCRUE_DEVICE slot_pair marker() { return of(from_words(0x7ff80000u, 0), 0); }
  [[nodiscard]] ACCRUE_DEVICE double high_part() const { return std::bit_cast<double>(~high); }
  [[nodiscard]] ACCRUE_DEVICE double low_part() const { return std::bit_cast<double>(~low); }
};
/// A warp's lanes wait in step for the slots of all blocks.
template <unsigned each>
ACCRUE_DEVICE void wait_for_slots(const pair_ending& end, slot_pair (&pair)[each]) {
  const std::uint64_t* slot = end.slot(lane());
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    pair[k] = {0, 0};
    if (lane() + k * warp_width >= blocks()) pair[k] = slot_pair::of(0, 0);
  }
  bool missing = false;
  do {
    missing = false;
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      if (pair[k].high == 0 || pair[k].low == 0) load_from_device(pair[k].high, pair[k].low, slot + 2 * k * warp_width);
    }
#pragma unroll
    for (unsigned k = 0; k < each; ++k) missing = missing || pair[k].high == 0 || pair[k].low == 0;
  } while (any(missing));
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

/// What kernels of windows and digits do with the same elements (exact_programs.cuh).
template <class T, term what>
using wide_program = kernel_program<exact_sum<T, what>>;
template <class T, term what>
ACCRUE_DEVICE auto& block_digits() {
  return *reinterpret_cast<typename wide_program<T, what>::shared_storage*>(dynamic_shared());
}
template <class T, term what>
ACCRUE_DEVICE void finish_program(const pair_ending& end, std::size_t n) {
  const exact_sum<T, what> op{last_step::value, {static_cast<std::uint8_t>(end.result_bytes), true, true}};
  wide_program<T, what>::finish(op, block_digits<T, what>(), {block(), blocks(), end.zeros, nullptr}, n, {end.result, nullptr, nullptr, false, false});
}
/// Adds a finite sum to the limbs in the memory of the call.
template <class T>
ACCRUE_DEVICE void add_to_limbs(double x, const pair_ending& end) {
  digit_storage<superaccumulator<T>>::add_sum(reinterpret_cast<std::int64_t*>(end.zeros), x);
}

/// Leaves a block's pair in its slot; warp 0's part.
ACCRUE_DEVICE void leave_pair(const slot_pair& pair, const pair_ending& end) {
  if (lane() == 0) store_to_device(end.slot(block()), pair.high, pair.low);
}
/// The last block's: waits for the blocks' pairs, `slots_each` for each lane of warp 0, adds them and writes the result.
template <class T, term what, unsigned slots_each>
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
    const bool certain = store_total(sum_terms(term), end);
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
    if (block() == blocks() - 1) collect_pairs<T, what, slots_each>(end);
  }
}
/// Windows for what a pair does not hold: two hold 90 bits, each further one 40 more.
template <class T, int windows>
using wide_part = exact_part<window_stack<single_term, windows, windows, 1>, superaccumulator<T>>;
/// Folds the warp's elements, `at_once` of them together, the windows standing where they fit all.
template <term what, int at_once, class Part, class T, std::size_t n, class Storage>
ACCRUE_DEVICE void fold_wide(Part& part, Storage& storage, T (&x)[n]) {
  unsigned largest = 0;
#pragma unroll
  for (std::size_t k = 0; k < n; ++k) largest = larger_field(largest, to_double(x[k]));
  part.windows.rise_to(largest_in_warp(largest), storage);
  take_terms<what>(x);
  if constexpr (at_once == n) {
    part.template fold<term_of<T, term::value>>(storage, x, n);
  } else {
    for_each_in_turn<1>(x, n, [&](unsigned, T element) {
      const T one[1] = {element};
      part.template fold<term_of<T, term::value>>(storage, one, 1);
    });
  }
}
/// The block's tile by five windows and digits. Kernels end with the call, so that they have nothing to keep over it.
template <class T, term what, unsigned loads, unsigned slots_each>
ACCRUE_DEVICE_RARE void reduce_wide(vector_range<T> in, pair_ending end) {
  auto& storage = block_digits<T, what>();
  wide_part<T, 5> part;
  T x[loads * vector_range<T>::width];
  load_tile<T, loads>(in, first_vector(loads), x);
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
    fence_device();
    sync_warp();
    pair = slot_pair::marker();
  }
  leave_pair(pair, end);
}

/// The sum of a small range, by one block.
template <class T, term what, unsigned loads>
ACCRUE_KERNEL(most_threads, 1)
small_sum_kernel(vector_range<T> in, pair_ending end) {
  ACCRUE_SHARED pair_sum of_warp[most_warps];
  const pair_sum total = sum_in_block(sum_tile<what, loads>(in), of_warp);
  if (!store_total(total, end)) reduce_wide<T, what, loads, 0>(in, end);
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
  if (block() == blocks() - 1) collect_pairs<T, what, slots_each>(end);
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
    return end_wide<T, what, loads, slots_each>(in, end, sum.high, sum.low, rest);
  }
  if (warp() == 0) leave_sum<T>(of_warp, end);
  if (block() == blocks() - 1) collect_pairs<T, what, slots_each>(end);
}

}  // namespace accrue::simt
