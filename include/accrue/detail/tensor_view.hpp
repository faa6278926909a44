// SPDX-License-Identifier: BSD-3-Clause
// Arrays of any rank with any strides, which is known when the program runs: read in place where their elements are next to each other,
// else on hosts gathered a tile at a time (tensor_matrices.hpp for devices).
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "accrue/detail/input_errors.hpp"
#include "accrue/detail/views.hpp"

namespace accrue::detail {

/// Extents and strides, in elements; the last index runs fastest.
struct tensor_shape {
  static constexpr std::size_t most_dimensions = 15;  // of Fortran's arrays
  std::size_t rank = 0;
  std::array<std::size_t, most_dimensions> extents{};
  std::array<std::ptrdiff_t, most_dimensions> strides{};

  [[nodiscard]] std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t d = 0; d < rank; ++d) n *= extents[d];
    return n;
  }
  /// Adds a dimension that runs faster than those before.
  void append(std::size_t extent, std::ptrdiff_t stride) {
    extents[rank] = extent;
    strides[rank] = stride;
    ++rank;
  }
  /// Where element i stands.
  [[nodiscard]] std::ptrdiff_t offset(std::size_t i) const {
    std::ptrdiff_t at = 0;
    for (std::size_t d = rank; d-- > 0;) {
      at += static_cast<std::ptrdiff_t>(i % extents[d]) * strides[d];
      i /= extents[d];
    }
    return at;
  }
  /// The same elements in the same order with as few dimensions as can be, at least one.
  [[nodiscard]] tensor_shape collapsed() const {
    tensor_shape s;
    for (std::size_t d = 0; d < rank; ++d) {
      if (extents[d] == 0) return of(0, 1);
      if (extents[d] == 1) continue;
      if (s.rank != 0 && s.strides[s.rank - 1] == static_cast<std::ptrdiff_t>(extents[d]) * strides[d]) {
        s.extents[s.rank - 1] *= extents[d];
        s.strides[s.rank - 1] = strides[d];
      } else {
        s.append(extents[d], strides[d]);
      }
    }
    return s.rank != 0 ? s : of(1, 1);
  }
  static tensor_shape of(std::size_t extent, std::ptrdiff_t stride) {
    tensor_shape s;
    s.append(extent, stride);
    return s;
  }
};

/// Throws unless the number of elements, and of their bytes, can exist.
inline void check_extents(const tensor_shape& s, std::size_t element_bytes, const char* call) {
  std::size_t n = 1;
  for (std::size_t d = 0; d < s.rank; ++d) {
    if (s.extents[d] == 0) return;
    if (n > std::numeric_limits<std::size_t>::max() / s.extents[d]) throw_extents_overflow(call, n, s.extents[d]);
    n *= s.extents[d];
  }
  if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element_bytes) throw_size_overflow(call, n, element_bytes);
}

/// Elements of such an array, whose shape is collapsed.
template <class T>
struct tensor_view {
  using element = T;
  using scratch = tile_buffer<T>;
  const T* data;
  tensor_shape shape;

  [[nodiscard]] std::size_t size() const { return shape.size(); }
  [[nodiscard]] bool contiguous() const { return shape.rank == 1 && (shape.strides[0] == 1 || shape.extents[0] <= 1); }
  tile<T> read(std::size_t first, std::size_t count, scratch& buffer) const {
    if (count == 0) return {buffer.data(), 0, first};
    if (contiguous()) return {data + first, count, first};
    const std::size_t inner = shape.rank - 1;
    const std::ptrdiff_t stride = shape.strides[inner];
    T* to = buffer.data();
    for (std::size_t done = 0; done < count;) {  // a row, or what is wanted of it
      const std::size_t i = first + done;
      const std::size_t left_in_row = shape.extents[inner] - i % shape.extents[inner];
      const std::size_t run = left_in_row < count - done ? left_in_row : count - done;
      const T* from = data + shape.offset(i);
      for (std::size_t k = 0; k < run; ++k) to[k] = from[static_cast<std::ptrdiff_t>(k) * stride];
      to += run;
      done += run;
    }
    return {buffer.data(), count, first};
  }
};
template <class T>
inline constexpr bool is_view<tensor_view<T>> = true;
template <class T>
sliced_view<tensor_view<T>> slice(const tensor_view<T>& v, std::size_t first, std::size_t count) {
  return {v, first, count};
}

}  // namespace accrue::detail
