// SPDX-License-Identifier: BSD-3-Clause
// Tuning: what launches look like, as plain values.
#pragma once

#include <cstddef>
#include <iterator>

#include "accrue/backends/simt/operations/operation_of.hpp"
#include "accrue/backends/simt/kernel/limits.hpp"

namespace accrue::simt {

/// The architecture number of an AMD target: gfx(0x90a) is gfx90a.
constexpr int gfx(int number) { return -number; }

/// One row of the table: how a device of an architecture runs elements of a size.
struct launch_shape {
  int architecture;                ///< compute capability times ten, or gfx(number); 0: any other
  unsigned element_bytes;          ///< 0: any other
  unsigned threads;                ///< of a block
  unsigned blocks_each;            ///< at most, on a multiprocessor
  unsigned copied_stages;          ///< tiles in flight where they are copied into shared memory
  std::size_t single_bytes;        ///< inputs up to this size take one block
  std::size_t single_exact_bytes;  ///< the same for floating exact sums, which compute more
  std::size_t pair_bytes;          ///< exact sums of floats and doubles up to this size take the pair kernel
};
inline constexpr launch_shape launch_shapes[] = {
    {90, 0, 512, 4, 6, 131072, 16384, std::size_t{256} << 20},
    // AMD's, unmeasured: compute units of four SIMDs with waves of 64 lanes, then those with waves of 32.
    {gfx(0x906), 0, 256, 8, 0, 32768, 8192, 16384},
    {gfx(0x90a), 0, 256, 8, 0, 32768, 8192, 16384},
    {gfx(0x942), 0, 256, 8, 0, 32768, 8192, 16384},
    {gfx(0x1030), 0, 256, 4, 0, 32768, 8192, 16384},
    {gfx(0x1100), 0, 256, 4, 0, 32768, 8192, 16384},
    {0, 0, 256, 8, 0, 32768, 8192, 8388608},
};
constexpr launch_shape shape_for(int architecture, std::size_t element_bytes) {
  for (const launch_shape& s : launch_shapes) {  // NVIDIA's newer devices take the row of the newest before them
    const bool older = s.architecture > 0 && s.architecture < architecture;
    const bool architecture_fits = s.architecture == 0 || s.architecture == architecture || older;
    if (architecture_fits && (s.element_bytes == 0 || s.element_bytes == element_bytes)) return s;
  }
  return launch_shapes[std::size(launch_shapes) - 1];
}

inline constexpr unsigned most_stages = 8;
static_assert(shape_for(90, 8).copied_stages != 0 && shape_for(120, 8).copied_stages != 0, "from 90 on tiles are copied");

/// 16-byte loads that a thread has in flight, of each array. Fewer where registers run short.
template <class Op, class Source>
inline constexpr unsigned loads_in_flight = 4;
template <small_float E>
inline constexpr unsigned loads_in_flight<exact_moments<E>, array<E>> = folds_by_sizes ? 4 : 2;
template <class Op, class T>
inline constexpr unsigned loads_in_flight<Op, array_pair<T>> = sizeof(T) == 16 ? 1 : 2;
template <class E, class T>
inline constexpr unsigned loads_in_flight<both_extremum_positions<E>, array<T>> = sizeof(T) == 1 ? 1 : 2;
template <class E, class T>
inline constexpr unsigned loads_in_flight<integer_product<E>, array<T>> = sizeof(T) == 1 ? 1 : 4;

/// Threads of a block, at most.
template <class Op>
inline constexpr unsigned threads_at_most = most_threads;
template <>
inline constexpr unsigned threads_at_most<exact_complex_dot<double>> = most_threads / 2;
template <>
inline constexpr unsigned threads_at_most<exact_weighted_mean<pair_of<double>>> = most_threads / 2;

template <class Op>
inline constexpr unsigned threads_at_most<on_taken<Op>> = threads_at_most<Op>;

/// Blocks of the largest size that a multiprocessor must have room for: the registers they leave a thread are 65536 over theirs.
template <class Op, class Source>
inline constexpr unsigned blocks_at_once = Op::traits::compute_bound ? 1 : 2;
template <class T, class Source>
inline constexpr unsigned blocks_at_once<fast_complex_dot<T>, Source> = 1;
template <class Op, class Source>
inline constexpr unsigned blocks_at_once<on_taken<Op>, Source> = blocks_at_once<Op, Source>;
template <class First, class... Rest, class Source>
inline constexpr unsigned blocks_at_once<fused_operations<First, Rest...>, Source> =
    fused_operations<First, Rest...>::traits::compute_bound || sizeof(typename Source::element) >= 8 ? 1 : 2;
template <class E, class Source>
inline constexpr unsigned blocks_at_once<both_extremum_positions<E>, Source> = sizeof(E) == 8 ? 1 : 2;

}  // namespace accrue::simt
