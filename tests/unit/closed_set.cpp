// SPDX-License-Identifier: BSD-3-Clause
// The closed set: each entry once, and with the reducer and result that it says.
#include "accrue/closed_set.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "accrue/closed_set_types.hpp"

namespace {

using accrue::named_operation;

template <class T>
constexpr accrue::element_type element_of(const T*) {
  return accrue::detail::element_type_of<T>();
}
template <class T>
constexpr accrue::element_type element_of(const accrue::position<T>*) {
  return accrue::detail::element_type_of<T>();
}
template <class T>
constexpr accrue::element_type element_of(const accrue::minmax_result<T>*) {
  return accrue::detail::element_type_of<T>();
}
template <class T>
constexpr accrue::element_type element_of(const accrue::minmax_positions<T>*) {
  return accrue::detail::element_type_of<T>();
}
template <class T>
constexpr accrue::element_type element_of(const accrue::moments_result<T>*) {
  return accrue::detail::element_type_of<T>();
}
constexpr accrue::element_type element_of(const accrue::scaled_value*) { return accrue::element_type::f64; }

template <std::size_t k>
constexpr bool is_as_it_says() {
  using types = accrue::detail::closed_set_types<k>;
  using result = accrue::detail::result_of<typename types::reducer>;
  static_assert(accrue::tile_reducer<typename types::reducer,
                                     decltype(std::declval<const typename types::view&>().read(
                                         0, 0, std::declval<typename types::view::scratch&>()))>);
  return element_of(static_cast<const result*>(nullptr)) == accrue::closed_set[k].result;
}

}  // namespace

TEST_CASE("every entry of the closed set is there once and is what it says") {
  const auto all = accrue::closed_set;
  for (std::size_t k = 0; k < all.size(); ++k) {
    CHECK(accrue::in_closed_set(all[k]));
    CHECK(std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all[k]) == all.begin() + static_cast<std::ptrdiff_t>(k));
  }
  const std::vector<bool> fits = []<std::size_t... k>(std::index_sequence<k...>) {
    return std::vector<bool>{is_as_it_says<k>()...};
  }(std::make_index_sequence<accrue::closed_set.size()>{});
  for (std::size_t k = 0; k < fits.size(); ++k) {
    CAPTURE(k, static_cast<int>(all[k].operation), static_cast<int>(all[k].element));
    CHECK(fits[k]);
  }
  for (std::size_t o = 0; o < accrue::named_operations; ++o) {
    CAPTURE(o);
    CHECK(std::any_of(all.begin(), all.end(), [&](const auto& r) { return r.operation == static_cast<named_operation>(o); }));
  }
  CHECK(all.size() == 540);
}
