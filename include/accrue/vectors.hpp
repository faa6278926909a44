// SPDX-License-Identifier: BSD-3-Clause
// Arrays of 3-vectors in a caller's memory, as they stand: array of structures, with or without padding, or structure of arrays.
#pragma once

#include "accrue/detail/language.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

#include "accrue/detail/array_like.hpp"
#include "accrue/element.hpp"
#include "accrue/error.hpp"

namespace accrue {

/// `size` vectors whose components lie at x[i * stride], y[i * stride], z[i * stride]. T is `float` or `double`, const to read
/// only.
template <class T>
  requires native_float<std::remove_const_t<T>>
struct vectors {
  T* x = nullptr;
  T* y = nullptr;
  T* z = nullptr;
  std::size_t size = 0;
  std::size_t stride = 1;

  template <class U>
    requires std::same_as<U, const T>
  operator vectors<U>() const {
    return {x, y, z, size, stride};
  }
};

/// `size` vectors at xyz[i * stride], xyz[i * stride + 1], xyz[i * stride + 2]; a stride of 4 skips one number after each.
template <class T>
vectors<T> array_of_structures(T* xyz, std::size_t size, std::size_t stride = 3) {
  if (xyz == nullptr && size != 0) throw error(errc::null_data, "accrue::array_of_structures: null data");
  if (stride < 3) throw error(errc::invalid_argument, "accrue::array_of_structures: a stride below 3");
  return {xyz, xyz + (xyz != nullptr ? 1 : 0), xyz + (xyz != nullptr ? 2 : 0), size, stride};
}

/// `size` vectors whose components are three arrays.
template <class T>
vectors<T> structure_of_arrays(T* x, T* y, T* z, std::size_t size) {
  if ((x == nullptr || y == nullptr || z == nullptr) && size != 0) {
    throw error(errc::null_data, "accrue::structure_of_arrays: null data");
  }
  return {x, y, z, size, 1};
}

namespace detail {

template <class X>
inline constexpr bool is_vectors = false;
template <class T>
inline constexpr bool is_vectors<vectors<T>> = true;

/// The vectors of anything a caller may pass: a view, an array of n by 3 numbers, or a contiguous range of std::array<T, 3>.
template <class X>
auto as_vectors(X& x) {
  if constexpr (is_vectors<std::remove_const_t<X>>) {
    return x;
  } else if constexpr (array_like<X>) {
    static_assert(rank_of<X>() == 2, "accrue reads 3-vectors from arrays of rank 2");
    if (x.extent(1) != 3) throw error(errc::size_mismatch, "accrue: an array of 3-vectors must have 3 columns");
    const auto size = static_cast<std::size_t>(x.extent(0));
    auto v = structure_of_arrays(column_of(x, 0), column_of(x, 1), column_of(x, 2), size);
    v.stride = static_cast<std::size_t>(x.stride(0));
    return v;
  } else {
    static_assert(std::ranges::contiguous_range<X>,
                  "accrue reads vectors<T>, arrays of n by 3 numbers and contiguous ranges of std::array<T, 3>");
    auto* data = std::ranges::data(x);
    using element = std::remove_pointer_t<decltype(data)>;
    using T = typename std::remove_const_t<element>::value_type;
    static_assert(std::same_as<std::remove_const_t<element>, std::array<T, 3>>, "accrue reads ranges of std::array<T, 3>");
    using scalar = std::conditional_t<std::is_const_v<element>, const T, T>;
    return array_of_structures(reinterpret_cast<scalar*>(data), std::ranges::size(x));
  }
}

}  // namespace detail
}  // namespace accrue
