// SPDX-License-Identifier: BSD-3-Clause
// How a reduction reads its input, a tile at a time: contiguous memory in place; anything else gathered, widened or transformed into a
// tile on the stack first. view.hpp makes these of what callers pass.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "accrue/detail/input_errors.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/element.hpp"
#include "accrue/tile.hpp"

namespace accrue::detail {

/// Room for one tile of elements, uninitialised.
template <class T>
struct tile_buffer {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 256,
                "accrue: gathered or transformed elements must be trivially copyable and at most 256 bytes");
  alignas(64) unsigned char bytes[kernels::largest_tile * sizeof(T)];
  T* data() { return reinterpret_cast<T*>(bytes); }
};
struct no_scratch {};

/// Elements next to each other in memory.
template <class T>
struct contiguous_view {
  using element = T;
  using scratch = no_scratch;
  static constexpr bool in_place = true;  ///< reading copies nothing and calls nothing, so that it may be done twice
  const T* data;
  std::size_t length;

  [[nodiscard]] std::size_t size() const { return length; }
  tile<T> read(std::size_t first, std::size_t count, scratch&) const { return {data + first, count, first}; }
};

/// A matrix of elements at regular strides, read row by row: the last index runs fastest. In place where it can be.
template <class T>
struct strided_view {
  using element = T;
  using scratch = tile_buffer<T>;
  const T* data;
  std::size_t rows;
  std::size_t columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  [[nodiscard]] std::size_t size() const { return rows * columns; }
  /// Whether the elements are next to each other after all.
  [[nodiscard]] bool contiguous() const {
    return (columns <= 1 || column_stride == 1) && (rows <= 1 || row_stride == static_cast<std::ptrdiff_t>(columns));
  }
  tile<T> read(std::size_t first, std::size_t count, scratch& buffer) const {
    if (count == 0) return {buffer.data(), 0, first};
    if (contiguous()) return {data + first, count, first};
    std::size_t row = first / columns;
    std::size_t column = first % columns;
    for (std::size_t i = 0; i < count; ++i) {
      buffer.data()[i] = data[static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride];
      if (++column == columns) {
        column = 0;
        ++row;
      }
    }
    return {buffer.data(), count, first};
  }
};
/// One that the caller calls a matrix, so that it has rows and columns.
template <class T>
struct matrix_view : strided_view<T> {};

/// What random-access iterators lead to, read one by one. Host spaces only.
template <std::random_access_iterator Iterator>
struct iterator_view {
  using element = std::iter_value_t<Iterator>;
  using scratch = tile_buffer<element>;
  Iterator begin;
  std::size_t length;

  [[nodiscard]] std::size_t size() const { return length; }
  tile<element> read(std::size_t first, std::size_t count, scratch& buffer) const {
    Iterator at = begin + static_cast<std::iter_difference_t<Iterator>>(first);
    for (std::size_t i = 0; i < count; ++i, ++at) buffer.data()[i] = *at;
    return {buffer.data(), count, first};
  }
};

/// Elements [first, first + length) of a view that has no simpler slice.
template <class View>
struct sliced_view {
  using element = typename View::element;
  using scratch = typename View::scratch;
  View view;
  std::size_t first;
  std::size_t length;

  [[nodiscard]] std::size_t size() const { return length; }
  tile<element> read(std::size_t from, std::size_t count, scratch& s) const {
    auto t = view.read(first + from, count, s);
    t.first = from;
    return t;
  }
};

/// 16-bit floats read as float.
template <class View>
struct widened_view {
  using element = float;
  struct scratch {
    typename View::scratch inner;
    tile_buffer<float> buffer;
  };
  View view;

  [[nodiscard]] std::size_t size() const { return view.size(); }
  auto read(std::size_t first, std::size_t count, scratch& s) const {
    const auto t = view.read(first, count, s.inner);
    kernels::widen(elements_of(t).data, s.buffer.data(), count);
    return with_elements(t, tile<float>{s.buffer.data(), count, first});
  }
  /// As they are, where they are read in place.
  auto read_narrow(std::size_t first, std::size_t count, scratch& s) const
    requires std::is_same_v<typename View::scratch, no_scratch>
  {
    return view.read(first, count, s.inner);
  }
};

/// f(x) for each element x that takes part.
template <class View, class F>
struct transformed_view {
  using element = std::remove_cvref_t<std::invoke_result_t<const F&, const typename View::element&>>;
  struct scratch {
    typename View::scratch inner;
    tile_buffer<element> buffer;
  };
  View view;
  F f;

  [[nodiscard]] std::size_t size() const { return view.size(); }
  auto read(std::size_t first, std::size_t count, scratch& s) const {
    const auto t = view.read(first, count, s.inner);
    for (std::size_t i = 0; i < count; ++i) {
      if (takes(t, i)) s.buffer.data()[i] = f(elements_of(t).data[i]);
    }
    return with_elements(t, tile<element>{s.buffer.data(), count, first});
  }
};

/// Two views of 16-bit floats of one type, which are widened.
template <class X, class Y>
concept narrow_alike = requires(const X& x, const Y& y, typename X::scratch& s, typename Y::scratch& t) {
  requires std::is_same_v<decltype(x.read_narrow(0, 0, s)), decltype(y.read_narrow(0, 0, t))>;
};

/// Pairs (x, y) of elements with the same index. A mask stands on x.
template <class ViewX, class ViewY>
struct zipped_view {
  using element = typename ViewX::element;
  struct scratch {
    typename ViewX::scratch x;
    typename ViewY::scratch y;
  };
  static constexpr bool in_place = requires { requires ViewX::in_place && ViewY::in_place; };
  ViewX x;
  ViewY y;

  [[nodiscard]] std::size_t size() const { return x.size(); }
  auto read(std::size_t first, std::size_t count, scratch& s) const {
    const auto a = x.read(first, count, s.x);
    const tile<element> b = y.read(first, count, s.y);
    return with_elements(a, pair_tile<element>{elements_of(a).data, b.data, count, first});
  }
  /// Pairs of 16-bit floats of one type as they are.
  auto read_narrow(std::size_t first, std::size_t count, scratch& s) const
    requires narrow_alike<ViewX, ViewY>
  {
    const auto a = x.read_narrow(first, count, s.x);
    const auto b = y.read_narrow(first, count, s.y);
    return pair_tile<std::remove_cvref_t<decltype(*a.data)>>{a.data, b.data, count, first};
  }
};

/// f(x, y) for each pair of elements that takes part. A mask stands on x.
template <class ViewX, class ViewY, class F>
struct zip_transformed_view {
  using element = std::remove_cvref_t<std::invoke_result_t<const F&, const typename ViewX::element&, const typename ViewY::element&>>;
  struct scratch {
    typename ViewX::scratch x;
    typename ViewY::scratch y;
    tile_buffer<element> buffer;
  };
  ViewX x;
  ViewY y;
  F f;

  [[nodiscard]] std::size_t size() const { return x.size(); }
  auto read(std::size_t first, std::size_t count, scratch& s) const {
    const auto a = x.read(first, count, s.x);
    const tile<typename ViewY::element> b = y.read(first, count, s.y);
    for (std::size_t i = 0; i < count; ++i) {
      if (takes(a, i)) s.buffer.data()[i] = f(elements_of(a).data[i], b.data[i]);
    }
    return with_elements(a, tile<element>{s.buffer.data(), count, first});
  }
};

/// The elements of a view where the mask, a view of bool or integers, is not zero.
template <class View, class Mask>
struct masked_view {
  using element = typename View::element;
  using flag = typename Mask::element;
  struct scratch {
    typename View::scratch elements;
    typename Mask::scratch mask;
    tile_buffer<flag> both;
  };
  View view;
  Mask mask;

  [[nodiscard]] std::size_t size() const { return view.size(); }
  auto read(std::size_t first, std::size_t count, scratch& s) const {
    const auto t = view.read(first, count, s.elements);
    const auto m = mask.read(first, count, s.mask);
    const flag* taken = elements_of(m).data;
    if constexpr (is_masked_tile<std::remove_const_t<decltype(t)>> || is_masked_tile<std::remove_const_t<decltype(m)>>) {
      for (std::size_t i = 0; i < count; ++i) s.both.data()[i] = takes(t, i) && takes(m, i) ? taken[i] : flag{};
      taken = s.both.data();
    }
    return masked_tile<std::remove_cvref_t<decltype(elements_of(t))>, flag>{elements_of(t), taken};
  }
};

template <class V>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<contiguous_view<T>> = true;
template <class T>
inline constexpr bool is_view<strided_view<T>> = true;
template <class T>
inline constexpr bool is_view<matrix_view<T>> = true;
template <class I>
inline constexpr bool is_view<iterator_view<I>> = true;
template <class V>
inline constexpr bool is_view<sliced_view<V>> = true;
template <class V>
inline constexpr bool is_view<widened_view<V>> = true;
template <class V, class F>
inline constexpr bool is_view<transformed_view<V, F>> = true;
template <class X, class Y>
inline constexpr bool is_view<zipped_view<X, Y>> = true;
template <class X, class Y, class F>
inline constexpr bool is_view<zip_transformed_view<X, Y, F>> = true;
template <class V, class M>
inline constexpr bool is_view<masked_view<V, M>> = true;
template <class V>
inline constexpr bool is_matrix = false;
template <class T>
inline constexpr bool is_matrix<matrix_view<T>> = true;
template <class V>
inline constexpr bool is_masked_view = false;
template <class V, class M>
inline constexpr bool is_masked_view<masked_view<V, M>> = true;

/// 16-bit floats become float; every other view stays as it is.
template <class View>
auto carried(const View& view) {
  if constexpr (small_float<typename View::element>) {
    return widened_view<View>{view};
  } else {
    return view;
  }
}
template <class View, class Mask>
auto carried(const masked_view<View, Mask>& v) {
  return masked_view<decltype(carried(v.view)), Mask>{carried(v.view), v.mask};
}

/// Elements [first, first + count) of a view, counted from 0 again.
template <class T>
contiguous_view<T> slice(const contiguous_view<T>& v, std::size_t first, std::size_t count) {
  return {v.data + first, count};
}
template <class T>
sliced_view<strided_view<T>> slice(const strided_view<T>& v, std::size_t first, std::size_t count) {
  return {v, first, count};
}
template <class Iterator>
iterator_view<Iterator> slice(const iterator_view<Iterator>& v, std::size_t first, std::size_t count) {
  return {v.begin + static_cast<std::iter_difference_t<Iterator>>(first), count};
}
template <class View>
sliced_view<View> slice(const sliced_view<View>& v, std::size_t first, std::size_t count) {
  return {v.view, v.first + first, count};
}
template <class View>
auto slice(const widened_view<View>& v, std::size_t first, std::size_t count) {
  return carried(slice(v.view, first, count));
}
template <class View, class F>
auto slice(const transformed_view<View, F>& v, std::size_t first, std::size_t count) {
  const auto x = slice(v.view, first, count);
  return transformed_view<std::remove_const_t<decltype(x)>, F>{x, v.f};
}
template <class X, class Y>
auto slice(const zipped_view<X, Y>& v, std::size_t first, std::size_t count) {
  const auto x = slice(v.x, first, count);
  const auto y = slice(v.y, first, count);
  return zipped_view<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>>{x, y};
}
template <class X, class Y, class F>
auto slice(const zip_transformed_view<X, Y, F>& v, std::size_t first, std::size_t count) {
  const auto x = slice(v.x, first, count);
  const auto y = slice(v.y, first, count);
  return zip_transformed_view<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>, F>{x, y, v.f};
}

template <class View, class Mask>
auto slice(const masked_view<View, Mask>& v, std::size_t first, std::size_t count) {
  const auto x = slice(v.view, first, count);
  const auto m = slice(v.mask, first, count);
  return masked_view<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(m)>>{x, m};
}

/// Throws unless two inputs have one length.
inline void check_sizes(std::size_t x, std::size_t y, const char* call) {
  if (x != y) throw_size_mismatch(call, x, y);
}

/// Calls `join(x, y)` with two views of one length, the second of which has no mask: it goes to the first.
template <class ViewX, class ViewY, class Join>
auto with_pairs(const char* call, const ViewX& x, const ViewY& y, Join join) {
  check_sizes(x.size(), y.size(), call);
  if constexpr (is_masked_view<ViewY>) {
    return with_pairs(call, masked_view<ViewX, decltype(y.mask)>{x, y.mask}, y.view, join);
  } else {
    return join(x, y);
  }
}
template <class ViewX, class ViewY>
auto zip(const ViewX& x, const ViewY& y, const char* call) {
  return with_pairs(call, x, y, []<class X, class Y>(const X& a, const Y& b) { return zipped_view<X, Y>{a, b}; });
}

}  // namespace accrue::detail
