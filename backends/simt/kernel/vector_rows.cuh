// SPDX-License-Identifier: BSD-3-Clause
// The kernel of rows that lie one behind the other and begin at boundaries of 16 bytes: a few lanes read a row by vectors.
#pragma once

#include "accrue/backends/simt/kernel/short_rows.cuh"

namespace accrue::simt {

/// The partial result of a row of so many vectors from its lanes, in the first of them. A lane has four vectors in flight.
template <class Accumulator, class Op, class T>
ACCRUE_DEVICE Accumulator reduce_vectors(const Op& op, const T* row, unsigned vectors, unsigned member, unsigned width) {
  using program = lane_program<Op>;
  constexpr unsigned elements = elements_per_load<T>;
  Accumulator a;
  program::start(op, a);
  unsigned v = member;
  const auto fold = [&]<unsigned at_once>(std::integral_constant<unsigned, at_once>) {
    T x[at_once][elements];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) load_elements(row + (v + k * width) * elements, x[k]);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) program::fold(op, a, x[k], elements, nullptr);
    v += at_once * width;
  };
#pragma unroll 1
  while (v + 3 * width < vectors) fold(std::integral_constant<unsigned, 4>());
  if (v + width < vectors) fold(std::integral_constant<unsigned, 2>());
  if (v < vectors) fold(std::integral_constant<unsigned, 1>());
#pragma unroll 1
  for (unsigned distance = width / 2; distance != 0; distance /= 2) program::merge(op, a, shuffle_down(a, distance));
  return a;
}

/// 2^log2_width lanes a row.
template <native_float T, term what>
ACCRUE_KERNEL(lane_threads, (detail::is_product(what) ? 3 : 4))
vector_rows_kernel(exact_sum<T, what> op, const T* data, std::size_t count, unsigned length, unsigned log2_width, left_groups left,
                   group_ending end) {
  using program = lane_program<exact_sum<T, what>>;
  const unsigned width = 1u << log2_width;
  const unsigned member = lane() & (width - 1);
  const std::size_t k = (std::size_t{block()} * threads() + thread()) >> log2_width;
  const bool valid = k < count;
  const T* const row = data + (valid ? k : 0) * length;
  const unsigned vectors = length / elements_per_load<T>;
  const auto p = reduce_vectors<typename program::accumulator>(op, row, vectors, member, width);
  if (any(p.lost != 0)) [[unlikely]] {
    const auto wide = reduce_vectors<typename program::wider>(op, row, vectors, member, width);
    if (valid && member == 0) store_group(op, wide, length, k, left, end);
  } else if (valid && member == 0) {
    store_group(op, p, length, k, left, end);
  }
}

}  // namespace accrue::simt
