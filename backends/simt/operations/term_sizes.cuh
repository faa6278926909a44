// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a thread's elements, from their bits alone: what their sums, and those of their products, are multiples of and stay below.
#pragma once

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/backends/simt/operations/sources.hpp"

namespace accrue::simt {

/// Powers of two: every element is a multiple of 2^last and smaller than 2^above. Infinities and NaN are beyond any.
struct size_range {
  int above;
  int last;

  /// That of the products of two.
  [[nodiscard]] ACCRUE_DEVICE size_range of_products() const { return {2 * above, 2 * last}; }
};

/// From the largest exponent field of a format and the smallest of what is not zero.
template <class T>
ACCRUE_DEVICE size_range size_range_of(unsigned largest, unsigned smallest) {
  constexpr int digits = std::is_same_v<T, half> ? 11 : std::is_same_v<T, bfloat16> ? 8 : sizeof(T) == 4 ? 24 : 53;
  constexpr int bias = std::is_same_v<T, half> ? 15 : sizeof(T) == 8 ? 1023 : 127;
  constexpr int beyond_any = 4096;
  const int last = (smallest != 0 ? static_cast<int>(smallest) : 1) - bias - (digits - 1);
  return {largest <= 2 * bias ? static_cast<int>(largest) - bias + 1 : beyond_any, last};
}

template <int n>
ACCRUE_DEVICE size_range sizes_of(const double (&x)[n]) {
  unsigned largest = 0;
  unsigned smallest = ~0u >> 1;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const unsigned high = high_word(x[k]) & 0x7fffffffu;
    const auto less = static_cast<unsigned>((std::bit_cast<std::uint64_t>(x[k]) - 1) >> 32) & 0x7fffffffu;  // the largest for zero
    largest = high > largest ? high : largest;
    smallest = less < smallest ? less : smallest;
  }
  return size_range_of<double>(largest >> 20, smallest >> 20);
}
template <int n>
ACCRUE_DEVICE size_range sizes_of(const float (&x)[n]) {
  unsigned largest = 0;
  unsigned smallest = ~0u;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const unsigned bits = std::bit_cast<unsigned>(x[k]) & 0x7fffffffu;
    largest = bits > largest ? bits : largest;
    smallest = bits - 1 < smallest ? bits - 1 : smallest;
  }
  return size_range_of<float>(largest >> 23, smallest >> 23);
}
/// 16-bit floats, and pairs of them, two to a word.
template <class T, class Element, int n>
ACCRUE_DEVICE size_range sizes_of_halves(const Element (&x)[n]) {
  constexpr unsigned words = (sizeof(x) + 3) / 4;
  constexpr unsigned magnitudes = 0x7fff7fffu;
  unsigned word[words] = {};
  memcpy(word, x, sizeof(x));
  unsigned largest = 0;
  unsigned smallest = ~0u;
#pragma unroll
  for (unsigned k = 0; k < words; ++k) {
    largest = largest_halves(largest, word[k] & magnitudes, 0);
    smallest = smallest_halves_after_add(word[k] & magnitudes, ~0u, smallest);
  }
  const unsigned a = largest & 0xffff;
  const unsigned b = largest >> 16;
  const unsigned c = smallest & 0xffff;
  const unsigned d = smallest >> 16;
  constexpr int fraction = std::is_same_v<T, half> ? 10 : 7;
  return size_range_of<T>((a > b ? a : b) >> fraction, (c < d ? c : d) >> fraction);
}
template <int n>
ACCRUE_DEVICE size_range sizes_of(const half (&x)[n]) { return sizes_of_halves<half>(x); }
template <int n>
ACCRUE_DEVICE size_range sizes_of(const bfloat16 (&x)[n]) { return sizes_of_halves<bfloat16>(x); }
template <small_float T, int n>
ACCRUE_DEVICE size_range sizes_of(const pair_of<T> (&x)[n]) { return sizes_of_halves<T>(x); }

}  // namespace accrue::simt
