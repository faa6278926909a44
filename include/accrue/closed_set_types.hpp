// SPDX-License-Identifier: BSD-3-Clause
// The types of the closed set's entries: the reducer behind each, and the view that it reads.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "accrue/closed_set.hpp"
#include "accrue/guarantee.hpp"
#include "accrue/reducer.hpp"
#include "accrue/reducers/extrema.hpp"
#include "accrue/reducers/logical.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/reducers/weighted_mean.hpp"

namespace accrue::detail {

/// In the order of guarantee_type.
using types_of_guarantees = std::tuple<exact_t, ordered_t, fast_t>;

/// Reducer and view of entry k.
template <std::size_t k>
struct closed_set_types {
  static constexpr named_reduction entry = closed_set[k];
  using T = type_of_element<entry.element>;
  using R = type_of_element<entry.result>;
  using G = std::tuple_element_t<static_cast<std::size_t>(entry.guarantee), types_of_guarantees>;

  static constexpr auto named_reducer() {
    using enum named_operation;
    constexpr named_operation o = entry.operation;
    if constexpr (o == sum) return std::type_identity<sum_of<T, R, G>>{};
    if constexpr (o == sum_abs) return std::type_identity<sum_abs_of<T, R, G>>{};
    if constexpr (o == sum_squares) return std::type_identity<sum_squares_of<T, R, G>>{};
    if constexpr (o == norm2) return std::type_identity<norm2_of<T, R, G>>{};
    if constexpr (o == dot) return std::type_identity<dot_of<T, R, G>>{};
    if constexpr (o == dot_conjugated) return std::type_identity<dot_conjugated_of<T, G>>{};
    if constexpr (o == mean) return std::type_identity<mean_of<T, R, G>>{};
    if constexpr (o == weighted_mean) return std::type_identity<weighted_mean_of<T, R>>{};
    if constexpr (o == moments) return std::type_identity<moments_of<T>>{};
    if constexpr (o == product && entry.guarantee == guarantee_type::is_fast) return std::type_identity<any_order<product_of<T, R>>>{};
    if constexpr (o == product && entry.guarantee != guarantee_type::is_fast) return std::type_identity<product_of<T, R>>{};
    if constexpr (o == scaled_product || o == scaled_product_sum || o == scaled_product_difference)
      return std::type_identity<tiled<scaled_product_of>>{};
    if constexpr (o == min) return std::type_identity<min_of<T>>{};
    if constexpr (o == max) return std::type_identity<max_of<T>>{};
    if constexpr (o == min_number) return std::type_identity<min_number_of<T>>{};
    if constexpr (o == max_number) return std::type_identity<max_number_of<T>>{};
    if constexpr (o == minmax) return std::type_identity<minmax_of<T>>{};
    if constexpr (o == norm_inf) return std::type_identity<norm_inf_of<T>>{};
    if constexpr (o == argmin) return std::type_identity<argmin_of<T>>{};
    if constexpr (o == argmax) return std::type_identity<argmax_of<T>>{};
    if constexpr (o == argminmax) return std::type_identity<argminmax_of<T>>{};
    if constexpr (o == bit_and) return std::type_identity<bit_and_of<T>>{};
    if constexpr (o == bit_or) return std::type_identity<bit_or_of<T>>{};
    if constexpr (o == bit_xor) return std::type_identity<bit_xor_of<T>>{};
  }
  static constexpr auto input() {
    using enum named_operation;
    using array = contiguous_view<T>;
    using carried_array = decltype(carried(array{}));
    constexpr named_operation o = entry.operation;
    if constexpr (o == scaled_product_sum || o == scaled_product_difference) {
      return std::type_identity<zip_transformed_view<array, array, scaled_sum>>{};
    } else if constexpr (reads_pairs(o)) {
      return std::type_identity<zipped_view<carried_array, carried_array>>{};
    } else {
      return std::type_identity<carried_array>{};
    }
  }

  using view = typename decltype(input())::type;
  /// As backends run it.
  using reducer = decltype(reducer_over<view>(std::declval<const typename decltype(named_reducer())::type&>()));
};

}  // namespace accrue::detail
