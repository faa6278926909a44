// SPDX-License-Identifier: BSD-3-Clause
// Arrays of rank 3 and more as matrices one after the other, for devices, whose kernels read elements at two strides at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/tensor_view.hpp"
#include "accrue/detail/view_arrays.hpp"
#include "accrue/error.hpp"
#include "accrue/reducer.hpp"

namespace accrue::detail {

template <class Array>
struct is_no_tensor : std::true_type {};
template <class T>
struct is_no_tensor<tensor_view<T>> : std::false_type {};
template <class T>
struct is_no_tensor<sliced_view<tensor_view<T>>> : std::false_type {};
/// Whether a view reads arrays of rank 3 and more.
template <class View>
inline constexpr bool reads_tensors = !all_arrays_are<View, is_no_tensor>();

/// So many elements of an array are a matrix: those of its last two dimensions; all, where it has no more.
inline std::size_t matrix_size(const tensor_shape& s) {
  return s.rank < 2 ? s.size() : s.extents[s.rank - 1] * s.extents[s.rank - 2];
}
inline std::size_t left_in_matrix(const tensor_shape& s, std::size_t first) { return matrix_size(s) - first % matrix_size(s); }
/// How many elements of a view from `first` on lie in one matrix of each of its arrays; there are some.
template <class View>
std::size_t left_in_matrix(const View& v, std::size_t first) {
  std::size_t left = v.size() - first;
  for_each_array_of(v, [&]<class Array>(const Array& array) {
    if constexpr (requires { array.shape; }) {
      left = std::min(left, left_in_matrix(array.shape, first));
    } else if constexpr (!is_no_tensor<Array>::value) {
      left = std::min(left, left_in_matrix(array.view.shape, array.first + first));
    }
  });
  return left;
}
/// Whether each of a view's arrays has all elements in one matrix.
template <class View>
bool is_in_matrices(const View& v) {
  return v.size() == 0 || left_in_matrix(v, 0) == v.size();
}
/// Elements [first, first + count) as a part of the matrix that they lie in. Throws `invalid_argument` where they lie in several.
template <class T>
sliced_view<strided_view<T>> part_of_matrix(const tensor_view<T>& v, std::size_t first, std::size_t count) {
  const tensor_shape& s = v.shape;
  if (count == 0) return {{v.data, 1, 0, 0, 1}, 0, 0};
  if (left_in_matrix(s, first) < count) {
    throw error(errc::invalid_argument, "accrue: on devices ordered and asynchronous reductions, and groupings but axis, take arrays of at "
                                        "most two different strides");
  }
  if (s.rank == 1) return {{v.data, 1, s.extents[0], 0, s.strides[0]}, first, count};
  const std::size_t in_matrix = first % matrix_size(s);
  const std::size_t row = s.rank - 2;
  return {{v.data + s.offset(first - in_matrix), s.extents[row], s.extents[row + 1], s.strides[row], s.strides[row + 1]}, in_matrix, count};
}

/// The state of a view whose arrays have several matrices: `state_of(part)` for each, one after the other, merged on the host.
template <class R, class View, class StateOf>
typename R::state state_by_matrices(const R& reducer, const View& view, const StateOf& state_of) {
  const fp_environment environment;
  typename R::state all = reducer.empty();
  for (std::size_t first = 0; first < view.size();) {
    const std::size_t count = left_in_matrix(view, first);
    auto next = state_of(detail::slice(view, first, count));
    if constexpr (has_positions<R>) reducer.move_positions(next, first);
    reducer.merge(all, next);
    first += count;
  }
  return all;
}

}  // namespace accrue::detail
