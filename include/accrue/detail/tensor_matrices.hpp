// SPDX-License-Identifier: BSD-3-Clause
// Arrays of rank 3 and more as matrices one after the other, for devices, whose kernels read elements at two strides at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/tensor_view.hpp"
#include "accrue/error.hpp"
#include "accrue/reducer.hpp"

namespace accrue::detail {

/// So many elements of an array are a matrix: those of its last two dimensions; all, where it has no more.
inline std::size_t matrix_size(const tensor_shape& s) {
  return s.rank < 2 ? s.size() : s.extents[s.rank - 1] * s.extents[s.rank - 2];
}
/// Whether elements [first, first + count) lie in one of them.
inline bool is_in_matrix(const tensor_shape& s, std::size_t first, std::size_t count) {
  return count == 0 || first / matrix_size(s) == (first + count - 1) / matrix_size(s);
}
/// These elements as a part of that matrix. Throws `invalid_argument` where they are not in one.
template <class T>
sliced_view<strided_view<T>> part_of_matrix(const tensor_view<T>& v, std::size_t first, std::size_t count) {
  const tensor_shape& s = v.shape;
  if (!is_in_matrix(s, first, count)) {
    throw error(errc::invalid_argument, "accrue: on devices ordered and asynchronous reductions, and groupings but axis, take arrays of at "
                                        "most two different strides");
  }
  if (count == 0) return {{v.data, 1, 0, 0, 1}, 0, 0};
  if (s.rank == 1) return {{v.data, 1, s.extents[0], 0, s.strides[0]}, first, count};
  const std::size_t in_matrix = first % matrix_size(s);
  return {{v.data + s.offset(first - in_matrix), s.extents[s.rank - 2], s.extents[s.rank - 1], s.strides[s.rank - 2],
           s.strides[s.rank - 1]},
          in_matrix,
          count};
}

/// The largest number of elements such that a view's first so many, the next and so on lie in one matrix each, of each of its arrays; 0
/// where all elements do.
template <class T>
std::size_t in_matrices_each(const tensor_view<T>& v) {
  return is_in_matrix(v.shape, 0, v.size()) ? 0 : matrix_size(v.shape);
}
template <class T>
std::size_t in_matrices_each(const sliced_view<tensor_view<T>>& v) {
  return is_in_matrix(v.view.shape, v.first, v.length) ? 0 : std::gcd(matrix_size(v.view.shape), v.first);
}
template <class View>
std::size_t in_matrices_each(const View& v) {
  std::size_t each = 0;
  if constexpr (requires { v.view; }) each = in_matrices_each(v.view);
  if constexpr (requires { v.mask; }) each = std::gcd(each, in_matrices_each(v.mask));
  if constexpr (requires { v.x; }) each = in_matrices_each(v.x);
  if constexpr (requires { v.y; }) each = std::gcd(each, in_matrices_each(v.y));
  return each;
}

/// The state of a view of which so many elements lie in one matrix each: `state_of(part)` after the other, merged on the host.
template <class R, class View, class StateOf>
typename R::state state_by_matrices(const R& reducer, const View& view, std::size_t each, const StateOf& state_of) {
  const fp_environment environment;
  typename R::state all = reducer.empty();
  for (std::size_t first = 0; first < view.size(); first += each) {
    auto next = state_of(slice(view, first, std::min(each, view.size() - first)));
    if constexpr (has_positions<R>) reducer.move_positions(next, first);
    reducer.merge(all, next);
  }
  return all;
}

}  // namespace accrue::detail
