// SPDX-License-Identifier: BSD-3-Clause
// What a pair of doubles does not hold: further windows (windows.cuh) and the block's digits (digits.cuh).
#pragma once

#include "accrue/backends/simt/kernel/pair_slots.cuh"
#include "accrue/backends/simt/kernel/vector_range.cuh"
#include "accrue/backends/simt/operations/exact_programs.cuh"

namespace accrue::simt {

/// What kernels of windows and digits do with the same elements (exact_programs.cuh).
template <class T, term what>
using wide_program = kernel_program<exact_sum<T, what>>;
/// The block's digits, in its dynamic shared memory.
template <class T, term what>
ACCRUE_DEVICE auto& block_digits() {
  return *reinterpret_cast<typename wide_program<T, what>::shared_storage*>(dynamic_shared());
}
/// Writes the result or the state: what is in the limbs of the call or, of a single block, in its digits.
template <class T, term what>
ACCRUE_DEVICE void finish_program(const pair_ending& end, std::size_t n) {
  const exact_sum<T, what> op{last_step::value, {static_cast<std::uint8_t>(end.result_bytes), true, true}};
  const block_team team{block(), blocks(), end.zeros, nullptr};
  const bool keeps_state = end.result_bytes == 0;
  wide_program<T, what>::finish(op, block_digits<T, what>(), team, n, {end.result, nullptr, nullptr, keeps_state, keeps_state});
}
/// Adds a finite sum to the limbs in the memory of the call.
template <class T>
ACCRUE_DEVICE void add_to_limbs(double x, const pair_ending& end) {
  digit_storage<superaccumulator<T>>::add_sum(reinterpret_cast<std::int64_t*>(end.zeros), x);
}

/// The larger of an exponent field and that of x, if x is finite.
ACCRUE_DEVICE unsigned larger_field(unsigned field, double x) {
  const unsigned own = (high_word(x) >> 20) & 2047;
  return own != 2047 && own > field ? own : field;
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

}  // namespace accrue::simt
