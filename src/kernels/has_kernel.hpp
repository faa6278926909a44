// SPDX-License-Identifier: BSD-3-Clause
// Which kernels were defined, so that an element of the closed set without one is an error where kernels are compiled, not where a
// program is linked.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "accrue/element.hpp"

namespace accrue::kernels {

/// Stated beside the kernel's definition.
template <auto kernel>
inline constexpr bool has_kernel = false;

/// Whether `holds(std::type_identity<T>{})` for every element type of the closed set.
template <class Predicate>
constexpr bool for_every_element(Predicate holds) {
  return [&]<std::size_t... e>(std::index_sequence<e...>) {
    return (... && holds(std::type_identity<detail::type_of_element<static_cast<element_type>(e)>>{}));
  }(std::make_index_sequence<detail::element_types>{});
}

}  // namespace accrue::kernels
