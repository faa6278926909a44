// SPDX-License-Identifier: BSD-3-Clause
// The arrays that a view reads: in memory, or parts of such.
#pragma once

namespace accrue::detail {

template <class View>
inline constexpr bool reads_one_view = requires(View& v) { v.view; } && !requires(View& v) { v.first; };
template <class View>
inline constexpr bool reads_two_views = requires(View& v) {
  v.x;
  v.y;
};

/// Calls `visit(array)` for each, in their order.
template <class View, class Visit>
constexpr void for_each_array_of(View& v, const Visit& visit) {
  if constexpr (reads_one_view<View>) {
    for_each_array_of(v.view, visit);
    if constexpr (requires { v.mask; }) for_each_array_of(v.mask, visit);
  } else if constexpr (reads_two_views<View>) {
    for_each_array_of(v.x, visit);
    for_each_array_of(v.y, visit);
  } else {
    visit(v);
  }
}
/// Whether `Test<Array>::value` is true of the types of all.
template <class View, template <class> class Test>
constexpr bool all_arrays_are() {
  if constexpr (reads_one_view<View>) {
    bool all = all_arrays_are<decltype(View::view), Test>();
    if constexpr (requires(View& v) { v.mask; }) all = all && all_arrays_are<decltype(View::mask), Test>();
    return all;
  } else if constexpr (reads_two_views<View>) {
    return all_arrays_are<decltype(View::x), Test>() && all_arrays_are<decltype(View::y), Test>();
  } else {
    return Test<View>::value;
  }
}

}  // namespace accrue::detail
