// SPDX-License-Identifier: BSD-3-Clause
// The launch of short_rows.cuh: which rows take it.
#pragma once

#include "accrue/backends/simt/kernel/short_rows.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

/// Rows of more elements go another way. A test may set it.
inline std::size_t most_elements_of_short_rows = longest_short_row;

/// Whether groups are rows of contiguous elements, one behind the other without gaps.
template <class T>
bool are_joined_rows(const strided_group_source<T>& g) {
  return g.parts == 1 && (g.stride == 1 || g.length == 1) && g.group_stride == static_cast<std::ptrdiff_t>(g.length);
}
template <class T>
bool are_joined_rows(const tensor_group_source<T>& g) {
  std::size_t inner = g.length;
  for (unsigned d = g.rank; d-- > 0; inner *= g.extents[d]) {
    if (g.strides[d] != static_cast<std::ptrdiff_t>(inner)) return false;
  }
  return g.parts == 1 && (g.stride == 1 || g.length == 1);
}
template <class Groups, class T>
inline constexpr bool has_rows_of = std::is_same_v<Groups, strided_group_source<T>> || std::is_same_v<Groups, tensor_group_source<T>>;

/// The launch for an operation and a grouping: of exact sums of floats and doubles, their magnitudes and squares, and means and roots of
/// these, where results have the elements' type.
template <class Space, class Op, class Groups>
struct short_rows_launch {
  static constexpr std::size_t longest_without_marks = 0;
  static bool run(const launch_request&, const Op&, const Groups&, std::size_t, const left_groups&, const group_ending&) { return false; }
};

template <class Space, native_float T, term what, class Groups>
  requires((what == term::value || what == term::magnitude || what == term::square) && has_rows_of<Groups, T>)
struct short_rows_launch<Space, exact_sum<T, what>, Groups> {
  using op_type = exact_sum<T, what>;
  static constexpr std::size_t longest_without_marks = what == term::square ? 0 : 2;  ///< elements, which one addition sums up

  /// Enqueues the sums but for what it marks; false where it does not take them.
  static bool run(const launch_request& request, const op_type& op, const Groups& groups, std::size_t count, const left_groups& left,
                  const group_ending& end) {
    if (groups.length == 0 || groups.length > most_elements_of_short_rows || !are_joined_rows(groups)) return false;
    if (op.step == (what == term::square ? last_step::mean : last_step::square_root) || op.result.bytes != sizeof(T) || end.result_bytes != sizeof(T)) return false;
    if (!is_aligned(groups.data) || !is_aligned(end.results)) return false;
    switch (groups.length) {
      case 1: return launch<1>(request, op, groups.data, count, left, end);
      case 2: return launch<2>(request, op, groups.data, count, left, end);
      case 3: return launch<3>(request, op, groups.data, count, left, end);
      case 4: return launch<4>(request, op, groups.data, count, left, end);
      case 5: return launch<5>(request, op, groups.data, count, left, end);
      case 6: return launch<6>(request, op, groups.data, count, left, end);
      case 7: return launch<7>(request, op, groups.data, count, left, end);
      case 8: return launch<8>(request, op, groups.data, count, left, end);
      default: return false;
    }
  }

 private:
  static bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(vector16) == 0; }

  template <unsigned length>
  static bool launch(const launch_request& request, const op_type& op, const T* data, std::size_t count, const left_groups& left,
                     const group_ending& end) {
    constexpr std::size_t rows = short_row_shape<T, length>::rows_of_block;
    constexpr std::size_t most_blocks = 0x7fffffff;
    const std::size_t blocks = (count - 1) / rows + 1;
    if (blocks > most_blocks) return false;
    launch_kernel<Space>(short_rows_kernel<T, what, length>, static_cast<unsigned>(blocks), short_row_threads, 0, request.stream, op,
                         data, count, left, end);
    return true;
  }
};

}  // namespace accrue::simt
