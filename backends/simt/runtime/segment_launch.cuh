// SPDX-License-Identifier: BSD-3-Clause
// The launch of segment_sums.cuh: which sums of contiguous segments and rows take it, and in what shape.
#pragma once

#include <algorithm>

#include "accrue/backends/simt/kernel/segment_sums.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

/// Below these, lanes are as fast. A test may set them.
inline std::size_t least_bytes_of_segments = std::size_t{4} << 20;
inline std::size_t least_bytes_of_rows = std::size_t{16} << 20;

/// The launch for an operation and a grouping: of exact sums of floats and doubles. `left` is for what blocks have to reduce afterwards.
template <class Space, class Op, class Groups>
struct segment_launch {
  static bool takes(const launch_request&, const Op&, const Groups&, std::size_t, const group_ending&) { return false; }
  static bool run(const launch_request&, const Op&, const Groups&, std::size_t, std::size_t, const left_groups&, segment_part*, std::size_t,
                  const group_ending&) {
    return false;
  }
};

template <class T, class Offset>
offset_bounds<Offset> bounds_of(const segment_source<array<T>, Offset>& groups) {
  return {groups.offsets, groups.groups};
}
template <class T>
row_bounds bounds_of(const strided_group_source<T>& groups, std::size_t count) {
  return {static_cast<std::int64_t>(groups.length), count};
}

template <class Space, native_float T, term what, class Groups>
  requires((what == term::value || what == term::magnitude) && std::is_same_v<typename Groups::source, array<T>>)
struct segment_launch<Space, exact_sum<T, what>, Groups> {
  using op_type = exact_sum<T, what>;

  /// Whether others do worse.
  static bool takes(const launch_request& request, const op_type& op, const Groups& groups, std::size_t size, const group_ending& end) {
    if (op.step == last_step::square_root || op.result.bytes != sizeof(T) || end.result_bytes != sizeof(T) || end.keeps_state) return false;
    if (request.blocks != 0 || request.threads != 0) return false;
    if constexpr (requires { groups.offsets; }) {
      return is_contiguous(groups.whole) && size * sizeof(T) >= least_bytes_of_segments;
    } else if constexpr (requires { groups.group_stride; }) {
      const bool side_by_side =
          groups.parts == 1 && groups.stride == 1 && groups.group_stride == static_cast<std::ptrdiff_t>(groups.length);
      return side_by_side && size * sizeof(T) >= least_bytes_of_rows && do_better(groups.length);
    } else {
      return false;
    }
  }
  /// Enqueues the sums but for what it marks; false where it does not take them. `parts`: memory for so many bytes.
  static bool run(const launch_request& request, const op_type& op, const Groups& groups, std::size_t count, std::size_t size,
                  const left_groups& left, segment_part* parts, std::size_t part_bytes, const group_ending& end) {
    if (!takes(request, op, groups, size, end)) return false;
    if constexpr (requires { groups.offsets; }) {
      return launch(request, op, bounds_of(groups), groups.whole.data, size, left, parts, part_bytes, end);
    } else if constexpr (requires { groups.group_stride; }) {
      return launch(request, op, bounds_of(groups, count), groups.data, size, left, parts, part_bytes, end);
    } else {
      return false;
    }
  }

 private:
  /// Rows for which lanes or blocks are slower: as measured on an H200.
  static bool do_better(std::size_t length) { return length > 2 && (length < 200 || length >= 16384); }

  template <class Bounds>
  static bool launch(const launch_request& request, const op_type& op, const Bounds& bounds, const T* data, std::size_t size,
                     const left_groups& left, segment_part* parts, std::size_t part_bytes, const group_ending& end) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    if (address % sizeof(T) != 0) return false;
    const device_facts& device = *request.device;
    constexpr auto kernel = segment_kernel<T, what, Bounds>;
    const unsigned warps = segment_threads / device.warp_width;
    const std::size_t bytes = warps * segment_warp_bytes<T, Bounds>(device.warp_width);
    if (bytes > device.shared_bytes) return false;
    const int each = kernel_api<Space>::occupancy(kernel, device, segment_threads, bytes);
    if (each < 1) return false;
    const auto most = static_cast<unsigned>(part_bytes / (2 * sizeof(segment_part) * warps));
    const unsigned blocks = std::min(device.multiprocessors * static_cast<unsigned>(each), most);
    if (blocks == 0) return false;
    const unsigned all = blocks * warps;
    const auto before = static_cast<std::int64_t>(address % 16 / sizeof(T));
    const chunked_array<T> in{data - before, before, static_cast<std::int64_t>(size)};
    const segment_parts where{parts, parts + all, request.unless};
    launch_kernel<Space>(kernel, blocks, segment_threads, bytes, request.stream, op, bounds, in, where, left, end);
    launch_kernel<Space>(join_segments_kernel<T, what, Bounds>, (all + warps - 1) / warps, segment_threads, 0, request.stream, op, bounds,
                         all, where, left, end);
    return true;
  }
};

}  // namespace accrue::simt
