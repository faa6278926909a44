// SPDX-License-Identifier: BSD-3-Clause
// Arrays of other libraries, with extents and strides: what accrue needs to know of an mdspan or a Kokkos::View.
#pragma once

#include <concepts>
#include <cstddef>

namespace accrue::detail {

template <class X>
concept has_extents = requires(const X& x) {
  { x.extent(0) } -> std::convertible_to<std::size_t>;
  { x.stride(0) } -> std::convertible_to<std::size_t>;
};
template <class X>
concept kokkos_like = has_extents<X> && requires(const X& x) {
  x.data();
  typename X::non_const_value_type;
};
template <class X>
concept mdspan_like = has_extents<X> && !kokkos_like<X> && requires(const X& x) { x.data_handle(); };
template <class X>
concept array_like = mdspan_like<X> || kokkos_like<X>;

template <class X>
constexpr std::size_t rank_of() {
  if constexpr (requires { X::rank(); }) {
    return X::rank();
  } else {
    return static_cast<std::size_t>(X::rank);
  }
}

/// The first element's address.
template <array_like X>
auto* pointer_of(const X& x) {
  if constexpr (mdspan_like<X>) {
    return x.data_handle();
  } else {
    return x.data();
  }
}

/// Element (0, d) of an array of rank 2, or null where it has no rows.
template <array_like X>
auto* column_of(const X& x, std::size_t d) {
  auto* p = pointer_of(x);
  return p != nullptr && x.extent(0) != 0 ? p + d * static_cast<std::size_t>(x.stride(1)) : p;
}

/// The second extent of an array of rank 2 where its type says it, or else 3.
template <class X>
constexpr std::size_t columns_of() {
  if constexpr (requires { X::static_extent(1); }) {
    const auto n = static_cast<std::size_t>(X::static_extent(1));
    return n == 0 || n == ~std::size_t{0} ? 3 : n;
  } else {
    return 3;
  }
}

}  // namespace accrue::detail
