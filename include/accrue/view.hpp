// SPDX-License-Identifier: BSD-3-Clause
// Views: how a reduction reads its input, a tile at a time. Contiguous memory is read in place; anything else is gathered,
// widened or transformed into a tile on the stack first.
//
// Arrays of other libraries are taken as they are, of rank 1 or 2: what has rank() or rank, extent(d), stride(d), in elements, and
// data_handle(), as std::mdspan has, or data() and non_const_value_type, as Kokkos::View has. Element (i, j) is data[i * stride(0) + j *
// stride(1)]; the last index runs fastest.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "accrue/detail/array_like.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/element.hpp"
#include "accrue/error.hpp"

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
  tile<float> read(std::size_t first, std::size_t count, scratch& s) const {
    const auto t = view.read(first, count, s.inner);
    kernels::widen(t.data, s.buffer.data(), count);
    return {s.buffer.data(), count, first};
  }
};

/// f(x) for each element x.
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
  tile<element> read(std::size_t first, std::size_t count, scratch& s) const {
    const auto t = view.read(first, count, s.inner);
    for (std::size_t i = 0; i < count; ++i) s.buffer.data()[i] = f(t.data[i]);
    return {s.buffer.data(), count, first};
  }
};

/// Pairs (x, y) of elements with the same index.
template <class ViewX, class ViewY>
struct zipped_view {
  using element = typename ViewX::element;
  struct scratch {
    typename ViewX::scratch x;
    typename ViewY::scratch y;
  };
  ViewX x;
  ViewY y;

  [[nodiscard]] std::size_t size() const { return x.size(); }
  pair_tile<element> read(std::size_t first, std::size_t count, scratch& s) const {
    return {x.read(first, count, s.x).data, y.read(first, count, s.y).data, count, first};
  }
};

/// f(x, y) for each pair of elements.
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
  tile<element> read(std::size_t first, std::size_t count, scratch& s) const {
    const auto a = x.read(first, count, s.x).data;
    const auto b = y.read(first, count, s.y).data;
    for (std::size_t i = 0; i < count; ++i) s.buffer.data()[i] = f(a[i], b[i]);
    return {s.buffer.data(), count, first};
  }
};

/// Another library's complex numbers, laid out as std::complex.
template <class T>
concept complex_like = !complex_number<T> && requires(const T& z) {
  typename T::value_type;
  { z.real() } -> std::convertible_to<typename T::value_type>;
  { z.imag() } -> std::convertible_to<typename T::value_type>;
} && native_float<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);

/// The element type whose bits a type of another library has. Backends specialise it for their vendor's types.
template <class T>
struct element_alias {
  using type = T;
};
template <complex_like T>
struct element_alias<T> {
  using type = std::complex<typename T::value_type>;
};
template <class T>
auto as_elements(const T* data) {
  return reinterpret_cast<const typename element_alias<T>::type*>(data);
}

template <class V>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<contiguous_view<T>> = true;
template <class T>
inline constexpr bool is_view<strided_view<T>> = true;
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

/// A number of elements as callers have it, of any integer type.
template <std::integral N>
std::size_t count_of(N n, const char* call) {
  if constexpr (std::is_signed_v<N>) {
    if (n < 0) throw error(errc::invalid_argument, std::string("accrue::") + call + ": " + std::to_string(n) + " elements");
  }
  return static_cast<std::size_t>(n);
}

/// Throws unless `n` elements at `data` can exist.
template <class T>
void check_memory(const T* data, std::size_t n, const char* call) {
  if (n != 0 && data == nullptr) {
    throw error(errc::null_data, std::string("accrue::") + call + ": null data with " + std::to_string(n) + " elements");
  }
  if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T)) {
    throw error(errc::size_overflow, std::string("accrue::") + call + ": " + std::to_string(n) + " elements of " +
                                         std::to_string(sizeof(T)) + " bytes exceed the address space");
  }
}

/// The same for a matrix.
template <class T>
strided_view<T> checked(const strided_view<T>& view, const char* call) {
  if (view.columns != 0 && view.rows > std::numeric_limits<std::size_t>::max() / view.columns) {
    throw error(errc::size_overflow, std::string("accrue::") + call + ": the array's extents overflow");
  }
  check_memory(view.data, view.size(), call);
  return view;
}

template <class X>
auto array_view(const X& x, const char* call) {
  constexpr std::size_t rank = rank_of<X>();
  static_assert(rank == 1 || rank == 2, "accrue reads arrays of rank 1 and 2");
  const auto* data = as_elements(pointer_of(x));
  using T = std::remove_cvref_t<decltype(*data)>;
  strided_view<T> view{data, 1, static_cast<std::size_t>(x.extent(0)), 0, static_cast<std::ptrdiff_t>(x.stride(0))};
  if constexpr (rank == 2) {
    view = {data, static_cast<std::size_t>(x.extent(0)), static_cast<std::size_t>(x.extent(1)),
            static_cast<std::ptrdiff_t>(x.stride(0)), static_cast<std::ptrdiff_t>(x.stride(1))};
  }
  return checked(view, call);
}

/// A container whose data() is a vendor's pointer class, such as thrust::device_vector.
template <class X>
concept fancy_container = requires(const X& x) {
  x.data().get();
  { x.size() } -> std::convertible_to<std::size_t>;
};

/// The view of anything a caller may pass: a view, a contiguous range, or an array with extents and strides.
template <class X>
auto as_view(const X& x, const char* call) {
  if constexpr (is_view<X>) {
    return x;
  } else if constexpr (array_like<X>) {
    return array_view(x, call);
  } else if constexpr (fancy_container<X>) {
    const auto* data = as_elements(x.data().get());
    check_memory(data, x.size(), call);
    return contiguous_view<std::remove_cvref_t<decltype(*data)>>{data, x.size()};
  } else if constexpr (!std::ranges::contiguous_range<const X> || !std::ranges::sized_range<const X>) {
    static_assert(!std::is_same_v<X, X>,
                  "accrue reads contiguous ranges, std::span, accrue::view(pointer, count), and mdspan or Kokkos::View of rank 1 or 2");
    return contiguous_view<double>{};
  } else {
    const auto* data = as_elements(std::ranges::data(x));
    const auto n = static_cast<std::size_t>(std::ranges::size(x));
    check_memory(data, n, call);
    return contiguous_view<std::remove_cvref_t<decltype(*data)>>{data, n};
  }
}

/// 16-bit floats become float; every other view stays as it is.
template <class View>
auto carried(const View& view) {
  if constexpr (small_float<typename View::element>) {
    return widened_view<View>{view};
  } else {
    return view;
  }
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

template <class ViewX, class ViewY>
auto zip(const ViewX& x, const ViewY& y, const char* call) {
  if (x.size() != y.size()) {
    throw error(errc::size_mismatch, std::string("accrue::") + call + ": " + std::to_string(x.size()) + " elements against " +
                                         std::to_string(y.size()));
  }
  return zipped_view<ViewX, ViewY>{x, y};
}

}  // namespace detail

/// `n` elements at `data`, for a call that takes a range.
template <class T, std::integral N>
auto view(const T* data, N n) {
  const std::size_t count = detail::count_of(n, "view");
  detail::check_memory(data, count, "view");
  return detail::contiguous_view<typename detail::element_alias<T>::type>{detail::as_elements(data), count};
}
/// `n` elements, `stride` elements apart: data[0], data[stride], data[2 * stride], ... The stride may be negative, or 0.
template <class T, std::integral N, std::integral Stride>
auto view(const T* data, N n, Stride stride) {
  const detail::strided_view<typename detail::element_alias<T>::type> v{detail::as_elements(data), 1, detail::count_of(n, "view"), 0,
                                                                        static_cast<std::ptrdiff_t>(stride)};
  return detail::checked(v, "view");
}
/// A matrix whose element (i, j) is data[i * row_stride + j], read row by row.
template <class T, std::integral Rows, std::integral Columns, std::integral Stride>
auto view(const T* data, Rows rows, Columns columns, Stride row_stride) {
  const detail::strided_view<typename detail::element_alias<T>::type> v{detail::as_elements(data), detail::count_of(rows, "view"),
                                                                        detail::count_of(columns, "view"),
                                                                        static_cast<std::ptrdiff_t>(row_stride), 1};
  return detail::checked(v, "view");
}

/// Elements [first, first + count) of x, anything that a reduction takes; they count from 0 again. Throws `out_of_range` for elements that
/// x does not have.
template <class X, std::integral First, std::integral Count>
auto slice(const X& x, First first, Count count) {
  const auto v = detail::as_view(x, "slice");
  const std::size_t begin = detail::count_of(first, "slice");
  const std::size_t size = detail::count_of(count, "slice");
  if (begin > v.size() || size > v.size() - begin) {
    throw error(errc::out_of_range, "accrue::slice: " + std::to_string(size) + " elements from " + std::to_string(begin) + " on, of " +
                                        std::to_string(v.size()));
  }
  return detail::slice(v, begin, size);
}

}  // namespace accrue
