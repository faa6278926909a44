// SPDX-License-Identifier: BSD-3-Clause
// Tiles: what reducers read, consecutive elements in memory.
#pragma once

#include <cstddef>
#include <type_traits>

namespace accrue {

/// Consecutive elements, the first of which has index `first` in its range.
template <class T>
struct tile {
  const T* data;
  std::size_t size;
  std::size_t first;
};

/// Consecutive pairs of elements of two ranges.
template <class T>
struct pair_tile {
  const T* x;
  const T* y;
  std::size_t size;
  std::size_t first;
};

namespace detail {

/// A tile of which element i takes part where mask[i] is not zero. Views with a mask hand it out; masked_reducer makes plain tiles of it.
template <class Tile, class Mask>
struct masked_tile {
  Tile elements;
  const Mask* mask;
};
template <class Tile>
inline constexpr bool is_masked_tile = false;
template <class Tile, class Mask>
inline constexpr bool is_masked_tile<masked_tile<Tile, Mask>> = true;

/// The elements, whether they take part or not.
template <class Tile>
const Tile& elements_of(const Tile& t) {
  return t;
}
template <class Tile, class Mask>
const Tile& elements_of(const masked_tile<Tile, Mask>& t) {
  return t.elements;
}
/// Whether element i takes part.
template <class Tile>
constexpr bool takes(const Tile&, std::size_t) {
  return true;
}
template <class Tile, class Mask>
constexpr bool takes(const masked_tile<Tile, Mask>& t, std::size_t i) {
  return t.mask[i] != Mask{};
}
/// Other elements under the same mask.
template <class Tile, class New>
New with_elements(const Tile&, const New& elements) {
  return elements;
}
template <class Tile, class Mask, class New>
masked_tile<New, Mask> with_elements(const masked_tile<Tile, Mask>& t, const New& elements) {
  return {elements, t.mask};
}

/// What a tile of single elements hands out; void for others.
template <class Tile>
struct element_of_tile {
  using type = void;
};
template <class T>
struct element_of_tile<tile<T>> {
  using type = T;
};

}  // namespace detail
}  // namespace accrue
