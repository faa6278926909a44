// SPDX-License-Identifier: BSD-3-Clause
// The arrays of accrue.h as views: elements, masks, and lines of either along a dimension or between offsets.
#pragma once

#include <cstdint>

#include "accrue/detail/tensor_view.hpp"
#include "accrue/element.hpp"

namespace accrue::c {

/// An array whose element type is known when the program runs.
struct any_array {
  const void* data = nullptr;
  element_type type{};
  detail::tensor_shape shape;                                     ///< as the caller gave it
  detail::tensor_shape flat = detail::tensor_shape::of(0, 1);  ///< with as few dimensions as can be
};

/// Groups of an array's elements: lines along a dimension, slices across it, or segments between offsets.
struct line_shape {
  detail::tensor_shape others;  ///< where groups begin, one for each place
  detail::tensor_shape each;    ///< the elements of one, collapsed; of segments all elements
  const std::int64_t* offsets = nullptr;  ///< of segments, which replace `others`
  std::size_t segments = 0;

  [[nodiscard]] std::size_t count() const { return offsets != nullptr ? segments : others.size(); }
  [[nodiscard]] std::size_t size() const { return offsets != nullptr ? each.size() : count() * each.size(); }
  /// Where group k begins, in elements, and its shape.
  [[nodiscard]] std::ptrdiff_t offset(std::size_t k) const;
  [[nodiscard]] detail::tensor_shape line(std::size_t k) const;
};

/// Elements of a mask, of integers of any width, as bytes that are zero or not.
struct flag_view {
  using element = std::uint8_t;
  using scratch = detail::tile_buffer<std::uint8_t>;
  const unsigned char* data;
  std::size_t bytes;  ///< of one flag
  detail::tensor_shape shape;

  [[nodiscard]] std::size_t size() const { return shape.size(); }
  tile<std::uint8_t> read(std::size_t first, std::size_t count, scratch& buffer) const;
};
inline detail::sliced_view<flag_view> slice(const flag_view& v, std::size_t first, std::size_t count) { return {v, first, count}; }

}  // namespace accrue::c

namespace accrue::detail {
template <>
inline constexpr bool is_view<c::flag_view> = true;
}  // namespace accrue::detail

namespace accrue::c {

template <class T>
struct lines {
  const T* data;
  const line_shape* shape;
  [[nodiscard]] detail::tensor_view<T> group(std::size_t k) const {
    return {data != nullptr ? data + shape->offset(k) : data, shape->line(k)};
  }
};
struct flag_lines {
  const unsigned char* data;
  std::size_t bytes;
  const line_shape* shape;
  [[nodiscard]] flag_view group(std::size_t k) const {
    return {data != nullptr ? data + shape->offset(k) * static_cast<std::ptrdiff_t>(bytes) : data, bytes, shape->line(k)};
  }
};

/// One call, checked.
struct reduction {
  any_array x;
  any_array y;     ///< no data where the operation has one input
  any_array mask;  ///< rank 0 and no data where there is none
  bool masked = false;
  const line_shape* x_lines = nullptr;  ///< where results are of lines
  const line_shape* y_lines = nullptr;
  const line_shape* mask_lines = nullptr;
  void* results = nullptr;
  bool into = false;  ///< results are in the space's memory
};

}  // namespace accrue::c
