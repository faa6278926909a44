// SPDX-License-Identifier: BSD-3-Clause
// Contiguous elements by 16-byte vectors: those of the pair kernels, which take no loose elements.
#pragma once

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/backends/simt/operations/operations.hpp"

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
/// The elements' terms in their place.
template <term what, class T, std::size_t n>
ACCRUE_DEVICE void take_terms(T (&x)[n]) {
  if constexpr (what == term::magnitude) {
#pragma unroll
    for (std::size_t k = 0; k < n; ++k) x[k] = magnitude(x[k]);
  }
}

}  // namespace accrue::simt
