// SPDX-License-Identifier: BSD-3-Clause
// Sources: where a kernel's elements lie, as plain values that travel as a kernel argument. arrays.cuh reads them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "accrue/detail/tensor_matrices.hpp"
#include "accrue/view.hpp"

namespace accrue::simt {

/// The index of no element.
inline constexpr std::size_t nowhere = ~std::size_t{0};

/// Elements of T at up to three strides: element i is part i % parts of the number in column (i / parts) % columns of a row.
/// Contiguous arrays have one row and one part. A slice of an array with strides starts at its element `first`.
template <class T>
struct array {
  using element = T;
  const T* data;
  std::size_t size;
  std::size_t columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;
  unsigned parts = 1;
  std::size_t first = 0;

  [[nodiscard]] constexpr bool contiguous() const {
    return size == columns * parts && column_stride == static_cast<std::ptrdiff_t>(parts) && first == 0;
  }
};

template <class T>
struct pair_of {
  T x;
  T y;
};

/// Pairs of elements with the same index.
template <class T>
struct array_pair {
  using element = pair_of<T>;
  array<T> x;
  array<T> y;
};

/// f(x) for each element of a source, and f(x, y) for each pair.
template <class Source, class F>
struct transformed {
  using element = std::remove_cvref_t<std::invoke_result_t<const F&, const typename Source::element&>>;
  Source x;
  F f;
};
template <class SourceX, class SourceY, class F>
struct transformed_pair {
  using element =
      std::remove_cvref_t<std::invoke_result_t<const F&, const typename SourceX::element&, const typename SourceY::element&>>;
  SourceX x;
  SourceY y;
  F f;
};

/// The elements of a source where a mask, another source, is not zero; `parts` of the elements share a flag.
template <class Source, class Mask>
struct masked {
  using element = typename Source::element;
  Source x;
  Mask mask;
  unsigned parts = 1;
};
/// Whether some elements of a source take no part.
template <class Source>
constexpr bool has_mask() {
  if constexpr (requires(const Source& s) { s.mask; }) {
    return true;
  } else if constexpr (requires(const Source& s) { s.x.x; }) {
    return has_mask<decltype(Source::x)>();
  } else {
    return false;
  }
}

/// Elements [first, first + count) of a source, counted from 0 again; where parts are read, that many whole numbers.
template <class T>
constexpr array<T> slice_of(array<T> s, std::size_t first, std::size_t count) {
  if (s.contiguous()) return {s.data + first * s.parts, count * s.parts, count, 0, s.column_stride, s.parts};
  s.first += first * s.parts;
  s.size = count * s.parts;
  return s;
}
template <class Source>
constexpr Source slice_of(Source s, std::size_t first, std::size_t count) {
  s.x = slice_of(s.x, first, count);
  if constexpr (requires { s.y; }) s.y = slice_of(s.y, first, count);
  if constexpr (requires { s.mask; }) s.mask = slice_of(s.mask, first, count);
  return s;
}

/// What one array of a source holds.
template <class Source>
struct array_element {
  using type = typename Source::element;
};
template <class T>
struct array_element<array_pair<T>> {
  using type = T;
};
template <class Source, class Mask>
struct array_element<masked<Source, Mask>> : array_element<Source> {};
template <class Source>
using stored_element = typename array_element<Source>::type;

/// The element type that kernels exist for: integers by width and sign.
template <class T>
struct stored {
  using type = T;
};
template <integer T>
struct stored<T> {
  using type = detail::fixed_width_t<T>;
};
template <class T>
using stored_t = typename stored<T>::type;

template <class T>
array<stored_t<T>> source_of(const detail::contiguous_view<T>& v) {
  return {reinterpret_cast<const stored_t<T>*>(v.data), v.length, v.length, 0, 1};
}
template <class T>
array<stored_t<T>> source_of(const detail::strided_view<T>& v) {
  const auto* data = reinterpret_cast<const stored_t<T>*>(v.data);
  if (v.rows <= 1 || (v.column_stride == 1 && v.row_stride == static_cast<std::ptrdiff_t>(v.columns))) {
    return {data, v.size(), v.size(), 0, v.column_stride};
  }
  return {data, v.size(), v.columns, v.row_stride, v.column_stride};
}
template <class View, class F>
auto source_of(const detail::transformed_view<View, F>& v);
template <class X, class Y, class F>
auto source_of(const detail::zip_transformed_view<X, Y, F>& v);
template <class View>
auto source_of(const detail::sliced_view<View>& v) {
  return slice_of(source_of(v.view), v.first, v.length);
}
template <class T>
auto source_of(const detail::sliced_view<detail::tensor_view<T>>& v) {
  return source_of(detail::part_of_matrix(v.view, v.first, v.length));
}
template <class T>
auto source_of(const detail::tensor_view<T>& v) {
  return source_of(detail::part_of_matrix(v, 0, v.size()));
}
template <class View>
auto source_of(const detail::widened_view<View>& v) {
  return source_of(v.view);
}
template <class X, class Y>
auto source_of(const detail::zipped_view<X, Y>& v) {
  const auto x = source_of(v.x);
  return array_pair<typename decltype(x)::element>{x, source_of(v.y)};
}
/// A mask on the first of two inputs is one on their pairs.
template <class X, class Mask, class Y>
auto source_of(const detail::zipped_view<detail::masked_view<X, Mask>, Y>& v);
template <class View, class Mask>
auto source_of(const detail::masked_view<View, Mask>& v);
template <class Iterator>
array<typename detail::iterator_view<Iterator>::element> source_of(const detail::iterator_view<Iterator>&) {
  static_assert(!std::random_access_iterator<Iterator>, "accrue: devices read memory, not iterators: std::views are for host spaces");
  return {};
}

/// A user's function sees the elements as their own type.
template <class T>
array<T> element_source(const detail::contiguous_view<T>& v) {
  return {v.data, v.length, v.length, 0, 1};
}
template <class T>
array<T> element_source(const detail::strided_view<T>& v) {
  const auto s = source_of(v);
  return {v.data, s.size, s.columns, s.row_stride, s.column_stride};
}
template <class View>
auto element_source(const detail::sliced_view<View>& v) {
  return slice_of(element_source(v.view), v.first, v.length);
}
template <class T>
auto element_source(const detail::sliced_view<detail::tensor_view<T>>& v) {
  return element_source(detail::part_of_matrix(v.view, v.first, v.length));
}
template <class T>
auto element_source(const detail::tensor_view<T>& v) {
  return element_source(detail::part_of_matrix(v, 0, v.size()));
}
template <class View, class Mask>
auto element_source(const detail::masked_view<View, Mask>& v);
template <class Iterator>
auto element_source(const detail::iterator_view<Iterator>& v) {
  return source_of(v);
}
template <class View, class F>
auto element_source(const detail::transformed_view<View, F>& v) {
  return source_of(v);
}
template <class X, class Y, class F>
auto element_source(const detail::zip_transformed_view<X, Y, F>& v) {
  return source_of(v);
}
template <class View, class F>
auto source_of(const detail::transformed_view<View, F>& v) {
  return transformed<decltype(element_source(v.view)), F>{element_source(v.view), v.f};
}
template <class X, class Y, class F>
auto source_of(const detail::zip_transformed_view<X, Y, F>& v) {
  return transformed_pair<decltype(element_source(v.x)), decltype(element_source(v.y)), F>{element_source(v.x), element_source(v.y),
                                                                                           v.f};
}

/// Flags of one byte are that byte, whatever their type: most masks have one kernel.
template <class Flag>
constexpr auto flags_of(const array<Flag>& m) {
  if constexpr (sizeof(Flag) == 1) {
    return array<std::uint8_t>{reinterpret_cast<const std::uint8_t*>(m.data), m.size, m.columns, m.row_stride, m.column_stride, m.parts,
                               m.first};
  } else {
    return m;
  }
}
template <class Source>
constexpr Source flags_of(const Source& m) {
  return m;
}

template <class Source, class Mask>
auto with_mask(const Source& x, const Mask& mask) {
  return masked<Source, decltype(flags_of(mask))>{x, flags_of(mask)};
}
template <class X, class Mask, class Y>
auto source_of(const detail::zipped_view<detail::masked_view<X, Mask>, Y>& v) {
  return with_mask(source_of(detail::zipped_view<X, Y>{v.x.view, v.y}), element_source(v.x.mask));
}
template <class View, class Mask>
auto source_of(const detail::masked_view<View, Mask>& v) {
  return with_mask(source_of(v.view), element_source(v.mask));
}
template <class View, class Mask>
auto element_source(const detail::masked_view<View, Mask>& v) {
  return with_mask(element_source(v.view), element_source(v.mask));
}

/// Complex numbers as their parts, real and imaginary in turn.
template <class T>
array<T> parts_of(const array<std::complex<T>>& z) {
  return {reinterpret_cast<const T*>(z.data), 2 * z.size, z.columns, 2 * z.row_stride, 2 * z.column_stride, 2, 2 * z.first};
}

template <class Source, class Mask>
auto parts_of(const masked<Source, Mask>& z) {
  auto parts = with_mask(parts_of(z.x), z.mask);
  parts.parts = 2;
  return parts;
}

template <class T>
constexpr std::size_t size_of(const array<T>& s) {
  return s.size;
}
template <class Source>
constexpr std::size_t size_of(const Source& s) {
  return size_of(s.x);
}

/// Whether all arrays of a source are contiguous.
template <class T>
constexpr bool is_contiguous(const array<T>& s) {
  return s.contiguous();
}
template <class Source>
constexpr bool is_contiguous(const Source& s) {
  if constexpr (requires { s.y; }) {
    return is_contiguous(s.x) && is_contiguous(s.y);
  } else if constexpr (requires { s.mask; }) {
    return is_contiguous(s.x) && is_contiguous(s.mask);
  } else {
    return is_contiguous(s.x);
  }
}

/// Calls `visit(pointer)` for each array of a source.
template <class T, class Visit>
void for_each_pointer(const array<T>& s, Visit visit) {
  if (s.size != 0) visit(static_cast<const void*>(s.data));
}
template <class Source, class Visit>
void for_each_pointer(const Source& s, Visit visit) {
  for_each_pointer(s.x, visit);
  if constexpr (requires { s.y; }) for_each_pointer(s.y, visit);
  if constexpr (requires { s.mask; }) for_each_pointer(s.mask, visit);
}

}  // namespace accrue::simt
