// SPDX-License-Identifier: BSD-3-Clause
// The launches of short_rows.cuh and vector_rows.cuh: which rows take them.
#pragma once

#include <bit>

#include "accrue/backends/simt/kernel/vector_rows.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

/// Rows of more elements are read by lanes, or go another way. A test may set it.
inline std::size_t most_elements_of_short_rows = longest_short_row;
/// Fewer bytes in all, and others do as well by vectors. A test may set it.
inline std::size_t least_bytes_of_vector_rows = std::size_t{16} << 20;

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
    if (groups.length == 0 || groups.length > longest || !are_joined_rows(groups)) return false;
    if (op.step == (what == term::square ? last_step::mean : last_step::square_root)) return false;
    if (op.result.bytes != sizeof(T) || end.result_bytes != sizeof(T) || !is_aligned(groups.data)) return false;
    if (groups.length > most_elements_of_short_rows) {
      if constexpr (!lane_program<op_type>::long_terms) return launch_by_vectors(request, op, groups, count, left, end);
      return false;  // three doubles a lane leave vectors no registers
    }
    if (!is_aligned(end.results)) return false;
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
  static constexpr std::size_t most_blocks = 0x7fffffff;
  static constexpr std::size_t longest = 2048 / sizeof(T);  ///< from there on others are as fast
  static bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(vector16) == 0; }

  /// Lanes for rows of so many bytes, or none: as measured on an H200.
  static unsigned lanes_for(std::size_t bytes) {
    constexpr std::size_t least = sizeof(T) == 4 ? 64 : 256;
    if (bytes < least || bytes % sizeof(vector16) != 0) return 0;
    return bytes < 128 ? 1 : bytes < 256 ? 2 : bytes < 1024 ? 4 : 8;
  }
  static bool launch_by_vectors(const launch_request& request, const op_type& op, const Groups& groups, std::size_t count,
                                left_groups left, const group_ending& end) {
    const unsigned lanes = lanes_for(groups.length * sizeof(T));
    const std::size_t blocks = (count * lanes + lane_threads - 1) / lane_threads;
    if (lanes == 0 || count * groups.length * sizeof(T) < least_bytes_of_vector_rows || blocks > most_blocks) return false;
    left.longest = groups.length;
    launch_kernel<Space>(vector_rows_kernel<T, what>, static_cast<unsigned>(blocks), lane_threads, 0, request.stream, op, groups.data,
                         count, static_cast<unsigned>(groups.length), static_cast<unsigned>(std::countr_zero(lanes)), left, end);
    return true;
  }

  template <unsigned length>
  static bool launch(const launch_request& request, const op_type& op, const T* data, std::size_t count, const left_groups& left,
                     const group_ending& end) {
    constexpr std::size_t rows = short_row_shape<T, length>::rows_of_block;
    const std::size_t blocks = (count - 1) / rows + 1;
    if (blocks > most_blocks) return false;
    launch_kernel<Space>(short_rows_kernel<T, what, length>, static_cast<unsigned>(blocks), short_row_threads, 0, request.stream, op,
                         data, count, left, end);
    return true;
  }
};

}  // namespace accrue::simt
