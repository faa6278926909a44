// SPDX-License-Identifier: BSD-3-Clause
// Where the groups of a grouping lie, as plain values that travel as a kernel argument: group(k) is a source (sources.hpp).
#pragma once

#include <type_traits>

#include "accrue/groupings.hpp"
#include "accrue/backends/simt/operations/sources.hpp"

namespace accrue::simt {

/// Groups of `length` numbers of `parts` elements each.
template <class T>
struct strided_group_source {
  using source = array<T>;
  const T* data;
  std::size_t length;
  std::ptrdiff_t group_stride;
  std::ptrdiff_t stride;
  unsigned parts = 1;

  [[nodiscard]] constexpr bool valid(std::size_t) const { return true; }
  [[nodiscard]] constexpr array<T> group(std::size_t k) const {
    return {data + static_cast<std::ptrdiff_t>(k) * group_stride, length * parts, length, 0, stride, parts};
  }
};
/// Groups of `length` numbers of `parts` elements each, one for each place of an array of any rank, the last index fastest.
template <class T>
struct tensor_group_source {
  static constexpr std::size_t most_dimensions = detail::tensor_shape::most_dimensions;
  using source = array<T>;
  const T* data;
  std::size_t length;
  std::ptrdiff_t stride;
  unsigned parts;
  unsigned rank;
  std::size_t extents[most_dimensions];
  std::ptrdiff_t strides[most_dimensions];

  [[nodiscard]] constexpr bool valid(std::size_t) const { return true; }
  [[nodiscard]] constexpr array<T> group(std::size_t k) const {
    std::ptrdiff_t at = 0;
    for (unsigned d = rank; d-- > 0;) {
      at += static_cast<std::ptrdiff_t>(k % extents[d]) * strides[d];
      k /= extents[d];
    }
    return {data + at, length * parts, length, 0, stride, parts};
  }
};
/// Slices of a source of n numbers; those that leave it are not valid. Where n is `nowhere` the offsets are our own, and right.
template <class Source, class Offset>
struct segment_source {
  using source = Source;
  Source whole;
  const Offset* offsets;
  std::size_t n;
  std::size_t groups;

  [[nodiscard]] constexpr bool valid(std::size_t k) const {
    if (n == nowhere) return true;
    const auto first = static_cast<std::size_t>(offsets[k]);
    const auto end = static_cast<std::size_t>(offsets[k + 1]);
    return first <= end && end <= n && (k != 0 || first == 0) && (k + 1 != groups || end == n);
  }
  [[nodiscard]] constexpr Source group(std::size_t k) const {
    const auto first = static_cast<std::size_t>(offsets[k]);
    return slice_of(whole, first, static_cast<std::size_t>(offsets[k + 1]) - first);
  }
};
/// A few arrays.
template <class T>
struct array_list_source {
  static constexpr unsigned most = 128;  ///< that a kernel's arguments have room for
  using source = array<T>;
  struct contiguous_array {
    const T* data;
    std::size_t length;
  };
  contiguous_array arrays[most];
  unsigned parts = 1;

  [[nodiscard]] constexpr bool valid(std::size_t) const { return true; }
  [[nodiscard]] constexpr array<T> group(std::size_t k) const {
    const contiguous_array a = arrays[k];
    return {a.data, a.length * parts, a.length, 0, static_cast<std::ptrdiff_t>(parts), parts};
  }
};
/// Where the elements of such arrays stand in the batch.
struct array_list_places {
  std::size_t before[array_list_source<char>::most];
  [[nodiscard]] constexpr std::size_t operator()(std::size_t k, std::size_t i) const { return before[k] + i; }
};
/// Groups without elements.
template <class Source>
struct no_element_groups {
  using source = Source;
  Source none;

  [[nodiscard]] constexpr bool valid(std::size_t) const { return true; }
  [[nodiscard]] constexpr Source group(std::size_t) const { return none; }
};
/// Pairs of the elements of two groups; a mask stands on the first.
template <class X>
struct paired_source {
  using type = array_pair<typename X::element>;
};
template <class X, class Mask>
struct paired_source<masked<X, Mask>> {
  using type = masked<array_pair<typename X::element>, Mask>;
};
/// Pairs of elements of two groupings.
template <class X, class Y>
struct group_source_pair {
  using source = typename paired_source<typename X::source>::type;
  X x;
  Y y;

  [[nodiscard]] constexpr bool valid(std::size_t k) const { return x.valid(k) && y.valid(k) && size_of(x.group(k)) == size_of(y.group(k)); }
  [[nodiscard]] constexpr source group(std::size_t k) const {
    const auto of_x = x.group(k);
    if constexpr (requires { of_x.mask; }) {
      return {{of_x.x, y.group(k)}, of_x.mask};
    } else {
      return {of_x, y.group(k)};
    }
  }
};

template <class T>
strided_group_source<stored_t<T>> group_source_of(const detail::strided_groups<T>& g) {
  return {reinterpret_cast<const stored_t<T>*>(g.data), g.length, g.group_stride, g.stride};
}
template <class View, class Offset>
auto group_source_of(const detail::segment_groups<View, Offset>& g) {
  const auto source = source_of(g.view);
  return segment_source<std::remove_const_t<decltype(source)>, Offset>{source, g.offsets, g.view.size(), g.groups};
}
template <class T>
tensor_group_source<stored_t<T>> group_source_of(const detail::tensor_groups<T>& g) {
  const auto rank = static_cast<unsigned>(g.others.rank);
  const std::ptrdiff_t stride = g.length <= 1 ? 1 : g.stride;
  tensor_group_source<stored_t<T>> s{reinterpret_cast<const stored_t<T>*>(g.data), g.length, stride, 1, rank, {}, {}};
  for (std::size_t d = 0; d < g.others.rank; ++d) {
    s.extents[d] = g.others.extents[d];
    s.strides[d] = g.others.strides[d];
  }
  return s;
}
template <class X, class Y>
auto group_source_of(const detail::zipped_groups<X, Y>& g) {
  static_assert(!requires { g.x.arrays; } && !requires { g.y.arrays; }, "accrue::batch: on devices batches of one input, not of pairs");
  const auto x = group_source_of(g.x);
  const auto y = group_source_of(g.y);
  return group_source_pair<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>>{x, y};
}

/// Complex numbers as their parts.
template <class T>
strided_group_source<T> parts_of(const strided_group_source<std::complex<T>>& g) {
  return {reinterpret_cast<const T*>(g.data), g.length, 2 * g.group_stride, 2 * g.stride, 2};
}
template <class T>
tensor_group_source<T> parts_of(const tensor_group_source<std::complex<T>>& g) {
  tensor_group_source<T> parts{reinterpret_cast<const T*>(g.data), g.length, 2 * g.stride, 2, g.rank, {}, {}};
  for (unsigned d = 0; d < g.rank; ++d) {
    parts.extents[d] = g.extents[d];
    parts.strides[d] = 2 * g.strides[d];
  }
  return parts;
}
template <class T>
array_list_source<T> parts_of(const array_list_source<std::complex<T>>& g) {
  array_list_source<T> parts{{}, 2};
  for (unsigned k = 0; k < g.most; ++k) parts.arrays[k] = {reinterpret_cast<const T*>(g.arrays[k].data), g.arrays[k].length};
  return parts;
}
template <class Source, class Offset>
auto parts_of(const segment_source<Source, Offset>& g) {
  const auto parts = parts_of(g.whole);
  return segment_source<std::remove_const_t<decltype(parts)>, Offset>{parts, g.offsets, g.n, g.groups};
}

/// Array k of a batch, which the host looks at.
template <class Range>
auto array_of(const detail::batch_groups<Range>& g, std::size_t k) {
  const auto v = g.group(k);
  using element = typename decltype(v)::element;
  static_assert(std::is_same_v<std::remove_const_t<decltype(v)>, detail::contiguous_view<element>>,
                "accrue::batch: on devices each array is contiguous");
  return v;
}

/// Calls `visit(pointer)` for each array.
template <class T, class Visit>
void for_each_pointer(const strided_group_source<T>& g, Visit visit) {
  if (g.length != 0) visit(static_cast<const void*>(g.data));
}
template <class T, class Visit>
void for_each_pointer(const tensor_group_source<T>& g, Visit visit) {
  if (g.length != 0) visit(static_cast<const void*>(g.data));
}
template <class Source, class Offset, class Visit>
void for_each_pointer(const segment_source<Source, Offset>& g, Visit visit) {
  for_each_pointer(g.whole, visit);
  visit(static_cast<const void*>(g.offsets));
}

template <class X, class Y, class Visit>
void for_each_pointer(const group_source_pair<X, Y>& g, Visit visit) {
  for_each_pointer(g.x, visit);
  for_each_pointer(g.y, visit);
}

}  // namespace accrue::simt
