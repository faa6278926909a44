// SPDX-License-Identifier: BSD-3-Clause
// Arrays of two dimensions and more read in the order of their memory, where the order is free: columns that lie one behind the other, as
// Fortran's and those of Kokkos::LayoutLeft do, are read as rows.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "accrue/detail/tensor_view.hpp"
#include "accrue/detail/view_arrays.hpp"
#include "accrue/reducer.hpp"

namespace accrue::detail {

/// The dimensions of an array that has two or more.
template <class T>
tensor_shape dimensions_of(const tensor_view<T>& v) {
  return v.shape;
}
template <class T>
tensor_shape dimensions_of(const strided_view<T>& v) {
  tensor_shape s;
  s.append(v.rows, v.row_stride);
  s.append(v.columns, v.column_stride);
  return s;
}
template <class T>
void set_dimensions(tensor_view<T>& v, const tensor_shape& s) {
  v.shape = s.collapsed();
}
template <class T>
void set_dimensions(strided_view<T>& v, const tensor_shape& s) {
  v = {v.data, s.extents[0], s.extents[1], s.strides[0], s.strides[1]};
}

/// Whether all arrays of a view have dimensions, as far as types say it.
template <class Array>
struct has_dimensions : std::bool_constant<requires(Array& array) { set_dimensions(array, dimensions_of(array)); }> {};
template <class View>
inline constexpr bool reads_dimensions = all_arrays_are<View, has_dimensions>();

/// Which dimension comes first, second and so on.
class dimension_order {
 public:
  /// Those before others for which `comes_before(a, b)`, else as they are.
  template <class Before>
  dimension_order(std::size_t rank, const Before& comes_before) {
    for (std::size_t d = 0; d < rank; ++d) {
      std::size_t k = d;
      for (; k > 0 && comes_before(d, place_[k - 1]); --k) place_[k] = place_[k - 1];
      place_[k] = d;
      changes_ = changes_ || k != d;
    }
  }
  [[nodiscard]] bool changes() const { return changes_; }
  [[nodiscard]] tensor_shape of(const tensor_shape& s) const {
    tensor_shape t;
    for (std::size_t k = 0; k < s.rank; ++k) t.append(s.extents[place_[k]], s.strides[place_[k]]);
    return t;
  }

 private:
  std::size_t place_[tensor_shape::most_dimensions];
  bool changes_ = false;
};
/// The extents of all arrays of a view, where these are the same, and the sums of the strides' magnitudes; those of extents of 1 count as
/// large. None where extents differ.
template <class View>
tensor_shape common_dimensions(const View& v) {
  tensor_shape all;
  bool alike = true;
  for_each_array_of(v, [&](const auto& array) {
    const tensor_shape s = dimensions_of(array);
    if (all.rank == 0) {
      for (std::size_t d = 0; d < s.rank; ++d) all.append(s.extents[d], 0);
    }
    alike = alike && s.rank == all.rank && s.extents == all.extents;
    for (std::size_t d = 0; d < s.rank; ++d) all.strides[d] += s.strides[d] < 0 ? -s.strides[d] : s.strides[d];
  });
  for (std::size_t d = 0; d < all.rank; ++d) {
    if (all.extents[d] <= 1) all.strides[d] = std::numeric_limits<std::ptrdiff_t>::max();
  }
  return alike ? all : tensor_shape{};
}
template <class View>
void reorder(View& v, const dimension_order& order) {
  if (!order.changes()) return;
  for_each_array_of(v, [&](auto& array) { set_dimensions(array, order.of(dimensions_of(array))); });
}
/// Whether the first array of a view surely lies in the order of its indices, which most do.
template <class View>
bool begins_in_memory_order(const View& v) {
  bool begins = true;
  bool ordered = true;
  for_each_array_of(v, [&](const auto& array) {
    if (!std::exchange(begins, false)) return;
    if constexpr (requires { array.rows; }) {
      ordered = array.rows <= 1;
    } else {
      ordered = array.contiguous();
    }
  });
  return ordered;
}
/// The same elements, or pairs of elements, in the order of the arrays' memory, where all arrays have the same extents.
template <class View>
View in_memory_order(View v) {
  if constexpr (reads_dimensions<View>) {
    if (begins_in_memory_order(v)) return v;
    const tensor_shape all = common_dimensions(v);
    reorder(v, dimension_order(all.rank, [&](std::size_t a, std::size_t b) { return all.strides[a] > all.strides[b]; }));
  }
  return v;
}
/// The same with the largest two dimensions last, so that matrices are few.
template <class View>
View in_few_matrices(View v) {
  if constexpr (reads_dimensions<View>) {
    const tensor_shape all = common_dimensions(v);
    const auto larger = [&](std::size_t d) {
      std::size_t others = 0;
      for (std::size_t k = 0; k < all.rank; ++k) {
        if (all.extents[k] > all.extents[d] || (all.extents[k] == all.extents[d] && k > d)) ++others;
      }
      return others < 2;
    };
    reorder(v, dimension_order(all.rank, [&](std::size_t a, std::size_t b) {
      return larger(a) != larger(b) ? larger(b) : all.strides[a] > all.strides[b];
    }));
  }
  return v;
}

/// Whether a reducer may read elements in any order: it has no order, and no positions.
template <class R>
inline constexpr bool is_order_of_no_use = is_order_free<R>() && !has_positions<R>;
/// As view_for, in the order of memory where the reducer has none.
template <class R, class View>
auto view_in_any_order_for(const View& v) {
  if constexpr (is_order_of_no_use<R>) {
    return view_for<R>(in_memory_order(v));
  } else {
    return view_for<R>(v);
  }
}

/// A view that is read matrix by matrix.
template <class R, class View>
View in_matrices_for(const View& v) {
  if constexpr (is_order_of_no_use<R>) {
    return in_few_matrices(v);
  } else {
    return v;
  }
}

}  // namespace accrue::detail
