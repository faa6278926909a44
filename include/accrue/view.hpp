// SPDX-License-Identifier: BSD-3-Clause
// Inputs: what a reduction takes, and views of it, slices, and masks.
//
// Arrays of other libraries are taken as they are, of rank 1 to 15: what has rank() or rank, extent(d), stride(d), in elements, and
// data_handle(), as std::mdspan has, or data() and non_const_value_type, as Kokkos::View has. Element (i, j) is data[i * stride(0) +
// j * stride(1)]; the last index runs fastest. Reductions whose order is free, and that have no positions, read arrays in the order of
// their memory, as if the index that runs fastest there were the last one. Devices read elements that lie at one stride or two, as those
// of any contiguous array or of a part of its first dimension do; others matrix by matrix, of the last two dimensions or where a reduction
// has neither order nor positions of the largest two, a kernel for each, in blocking calls whose order is free, and not at all in the rest
// (`invalid_argument`). On host spaces other random-access ranges too (std::vector<bool>, std::views::iota, transform, ...), whose
// elements are copied as they are read, by several threads at once.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "accrue/detail/array_like.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/detail/tensor_view.hpp"
#include "accrue/detail/views.hpp"
#include "accrue/element.hpp"

namespace accrue {

namespace detail {

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

/// Whether the predicate's answer is the wanted one.
template <class Predicate, bool wanted = true>
struct predicate_of {
  Predicate predicate;
  template <class T>
  constexpr bool operator()(const T& v) const {
    return static_cast<bool>(predicate(v)) == wanted;
  }
};

/// A number of elements as callers have it, of any integer type.
template <std::integral N>
std::size_t count_of(N n, const char* call) {
  if constexpr (std::is_signed_v<N>) {
    if (n < 0) throw_negative_count(call, n);
  }
  return static_cast<std::size_t>(n);
}

/// Throws unless `n` elements at `data` can exist.
template <class T>
void check_memory(const T* data, std::size_t n, const char* call) {
  if (n != 0 && data == nullptr) throw_null_data(call, n);
  if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T)) throw_size_overflow(call, n, sizeof(T));
}

/// The same for a matrix.
template <class T>
strided_view<T> checked(const strided_view<T>& view, const char* call) {
  if (view.columns != 0 && view.rows > std::numeric_limits<std::size_t>::max() / view.columns) {
    throw_extents_overflow(call, view.rows, view.columns);
  }
  check_memory(view.data, view.size(), call);
  return view;
}

/// The shape of an array, checked.
template <array_like X>
tensor_shape shape_of(const X& x, const char* call) {
  constexpr std::size_t rank = rank_of<X>();
  static_assert(rank >= 1 && rank <= tensor_shape::most_dimensions, "accrue reads arrays of rank 1 to 15");
  tensor_shape shape;
  for (std::size_t d = 0; d < rank; ++d) shape.append(static_cast<std::size_t>(x.extent(d)), static_cast<std::ptrdiff_t>(x.stride(d)));
  check_extents(shape, sizeof(*pointer_of(x)), call);
  check_memory(pointer_of(x), shape.size(), call);
  return shape;
}

template <class X, class T>
strided_view<T> view_of_array(const X& x, const T* data, const char* call) {
  strided_view<T> view{data, 1, static_cast<std::size_t>(x.extent(0)), 0, static_cast<std::ptrdiff_t>(x.stride(0))};
  if constexpr (rank_of<X>() == 2) {
    view = {data, static_cast<std::size_t>(x.extent(0)), static_cast<std::size_t>(x.extent(1)),
            static_cast<std::ptrdiff_t>(x.stride(0)), static_cast<std::ptrdiff_t>(x.stride(1))};
  }
  return checked(view, call);
}

template <class X>
auto array_view(const X& x, const char* call) {
  constexpr std::size_t rank = rank_of<X>();
  const auto* data = as_elements(pointer_of(x));
  using T = std::remove_cvref_t<decltype(*data)>;
  if constexpr (rank > 2) {
    return tensor_view<T>{data, shape_of(x, call).collapsed()};
  } else {
    return view_of_array(x, data, call);
  }
}

/// A container whose data() is a vendor's pointer class, such as thrust::device_vector.
template <class X>
concept fancy_container = requires(const X& x) {
  x.data().get();
  { x.size() } -> std::convertible_to<std::size_t>;
};

/// A range whose size is known, by its iterators (the header for ranges is not needed for this, and long).
template <class X>
concept random_access_range = requires(const X& x) {
  { std::size(x) } -> std::convertible_to<std::size_t>;
  { std::begin(x) } -> std::random_access_iterator;
};
template <class X>
concept contiguous_range = random_access_range<X> && requires(const X& x) {
  { std::begin(x) } -> std::contiguous_iterator;
  { std::data(x) } -> std::convertible_to<const void*>;
};

/// The view of anything a caller may pass: a view, a contiguous range, or an array with extents and strides.
template <class X>
auto as_view(const X& x, const char* call) {
  if constexpr (is_matrix<X>) {
    return strided_view<typename X::element>(x);
  } else if constexpr (is_view<X>) {
    return x;
  } else if constexpr (array_like<X>) {
    return array_view(x, call);
  } else if constexpr (fancy_container<X>) {
    const auto* data = as_elements(x.data().get());
    check_memory(data, x.size(), call);
    return contiguous_view<std::remove_cvref_t<decltype(*data)>>{data, x.size()};
  } else if constexpr (contiguous_range<X>) {
    const auto* data = as_elements(std::data(x));
    const auto n = static_cast<std::size_t>(std::size(x));
    check_memory(data, n, call);
    return contiguous_view<std::remove_cvref_t<decltype(*data)>>{data, n};
  } else if constexpr (random_access_range<X>) {
    return iterator_view<decltype(std::begin(x))>{std::begin(x), static_cast<std::size_t>(std::size(x))};
  } else {
    static_assert(!std::is_same_v<X, X>,
                  "accrue reads random-access ranges of known size, std::span, accrue::view(pointer, count), and mdspan or Kokkos::View; "
                  "what a filter would leave out, accrue::where(x, predicate) does");
    return contiguous_view<double>{};
  }
}

}  // namespace detail

/// `n` elements at `data`, for a call that takes a range.
template <class T, std::integral N>
auto view(const T* data, N n) {
  const std::size_t count = detail::count_of(n, "view");
  detail::check_memory(data, count, "view");
  return detail::contiguous_view<typename detail::element_alias<T>::type>{detail::as_elements(data), count};
}
/// `n` elements, `stride` elements apart: data[0], data[stride], data[2 * stride], ... The stride may be negative, or 0. This is no matrix:
/// that takes four arguments.
template <class T, std::integral N, std::integral Stride>
auto view(const T* data, N n, Stride stride) {
  const detail::strided_view<typename detail::element_alias<T>::type> v{detail::as_elements(data), 1, detail::count_of(n, "view"), 0,
                                                                        static_cast<std::ptrdiff_t>(stride)};
  return detail::checked(v, "view");
}
/// A matrix whose element (i, j) is data[i * row_stride + j], read row by row: view(p, rows, columns, columns) where rows lie end to end.
template <class T, std::integral Rows, std::integral Columns, std::integral Stride>
auto view(const T* data, Rows rows, Columns columns, Stride row_stride) {
  using element = typename detail::element_alias<T>::type;
  const detail::strided_view<element> v{detail::as_elements(data), detail::count_of(rows, "view"), detail::count_of(columns, "view"),
                                        static_cast<std::ptrdiff_t>(row_stride), 1};
  return detail::matrix_view<element>{detail::checked(v, "view")};
}

/// Elements [first, first + count) of x, anything that a reduction takes; they count from 0 again. Throws `out_of_range` for elements that
/// x does not have.
template <class X, std::integral First, std::integral Count>
auto slice(const X& x, First first, Count count) {
  const auto v = detail::as_view(x, "slice");
  const std::size_t begin = detail::count_of(first, "slice");
  const std::size_t size = detail::count_of(count, "slice");
  if (begin > v.size() || size > v.size() - begin) detail::throw_out_of_range("slice", begin, size, v.size());
  return detail::slice(v, begin, size);
}

/// The elements of x where the mask is not zero: the others take no part in a reduction, as if they were not there, and no function is
/// called for them. The mask is an input of bool or integers as long as x, or a function of an element. Positions stay those in x.
///
///     accrue::mean(space, accrue::where(t, is_ocean));
///     accrue::argmin(space, accrue::where(t, [](double v) { return v > 0; }));
///
/// Of two inputs, pairs take part where all masks say so. Every guarantee but `ordered`. On devices the compiled library has kernels for
/// one mask of bool or other bytes over float and double; other masks and elements, and masks of groupings, work where functions of your
/// own do: in source files that their compiler sees. What x and mask lead to must stay as long as the result is used. Throws
/// `size_mismatch`.
template <class X, class Mask>
auto where(const X& x, const Mask& mask) {
  const auto v = detail::as_view(x, "where");
  using view_type = std::remove_const_t<decltype(v)>;
  const auto masked = [&]<class M>(const M& m) {
    static_assert(integer<typename M::element>, "accrue::where: a mask's elements are bool or integers");
    detail::check_sizes(v.size(), m.size(), "where");
    return detail::masked_view<view_type, M>{v, m};
  };
  // Some arrays can be called too, with an index.
  constexpr bool is_input = detail::is_view<Mask> || detail::array_like<Mask> || detail::random_access_range<Mask>;
  if constexpr (!is_input && std::predicate<const Mask&, const typename view_type::element&>) {
    return masked(detail::transformed_view<view_type, detail::predicate_of<Mask>>{v, {mask}});
  } else {
    return masked(detail::as_view(mask, "where"));
  }
}

}  // namespace accrue
