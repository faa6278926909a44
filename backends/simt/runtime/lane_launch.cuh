// SPDX-License-Identifier: BSD-3-Clause
// The launches of groupings whose groups take no block: by lanes of a warp, or as columns side by side.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "accrue/backends/simt/kernel/lane_kernels.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"
#include "accrue/backends/simt/runtime/segment_launch.cuh"
#include "accrue/backends/simt/runtime/short_rows_launch.cuh"

namespace accrue::simt {

/// The elements of every group, where they are the same for all and known here; else `nowhere`.
template <class T>
std::size_t length_of_groups(const strided_group_source<T>& g) {
  return g.length * g.parts;
}
template <class T>
std::size_t length_of_groups(const tensor_group_source<T>& g) {
  return g.length * g.parts;
}
template <class Source, class Offset>
std::size_t length_of_groups(const segment_source<Source, Offset>&) {
  return nowhere;
}
template <class X, class Y>
std::size_t length_of_groups(const group_source_pair<X, Y>& g) {
  const std::size_t length = length_of_groups(g.x);
  return length == length_of_groups(g.y) ? length : nowhere;
}
/// Whether elements of different groups lie side by side, and those of one do not.
template <class T>
bool are_columns(const strided_group_source<T>& g) {
  return g.parts == 1 && g.group_stride == 1 && g.stride != 1;
}
template <class T>
bool are_columns(const tensor_group_source<T>& g) {
  constexpr std::size_t enough = 8;  // side by side
  return g.parts == 1 && g.strides[g.rank - 1] == 1 && g.extents[g.rank - 1] >= enough && g.stride != 1;
}
template <class X, class Y>
bool are_columns(const group_source_pair<X, Y>& g) {
  return are_columns(g.x) && are_columns(g.y);
}
template <class Source, class Offset>
bool are_columns(const segment_source<Source, Offset>&) {
  return false;
}
/// Columns that lie side by side without gaps, of one array or two: whether a row begins where the one before ends.
template <class T>
bool rows_are_joined(const strided_group_source<T>& g, std::size_t columns) {
  return g.stride == static_cast<std::ptrdiff_t>(columns);
}
template <class T>
bool rows_are_joined(const tensor_group_source<T>& g, std::size_t columns) {
  std::size_t inner = 1;
  for (unsigned d = g.rank; d-- > 0; inner *= g.extents[d]) {
    if (g.strides[d] != static_cast<std::ptrdiff_t>(inner)) return false;
  }
  return g.stride == static_cast<std::ptrdiff_t>(columns);
}
template <class X, class Y>
bool rows_are_joined(const group_source_pair<X, Y>& g, std::size_t columns) {
  return rows_are_joined(g.x, columns) && rows_are_joined(g.y, columns);
}
template <class Source, class Offset>
bool rows_are_joined(const segment_source<Source, Offset>&, std::size_t) {
  return false;
}
template <class T>
bool are_contiguous(const strided_group_source<T>& g) {
  return g.length <= 1 || g.stride == static_cast<std::ptrdiff_t>(g.parts);
}
template <class T>
bool are_contiguous(const tensor_group_source<T>& g) {
  return g.length <= 1 || g.stride == static_cast<std::ptrdiff_t>(g.parts);
}
template <class Source, class Offset>
bool are_contiguous(const segment_source<Source, Offset>& g) {
  return is_contiguous(g.whole);
}
template <class X, class Y>
bool are_contiguous(const group_source_pair<X, Y>& g) {
  return are_contiguous(g.x) && are_contiguous(g.y);
}

/// The launch for an operation and a grouping.
template <class Space, class Op, class Groups>
struct lane_launch {
  static constexpr bool exists = false;
};

/// Whether a grouping may have many short groups.
template <class Groups>
inline constexpr bool may_be_many = true;
template <class T>
inline constexpr bool may_be_many<array_list_source<T>> = false;

template <class Space, class Op, class Groups>
  requires(lane_program<Op>::exists && !has_mask<group_source<Groups>>() && may_be_many<Groups>)
struct lane_launch<Space, Op, Groups> {
  using program = kernel_program<Op>;
  using partial = column_partial<Op>;
  static constexpr bool exists = true;

  /// Enqueues the reductions of `count` groups of `size` elements in all, or answers false where blocks do better.
  static bool run(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                  const group_ending& end) {
    if (!lane_program<Op>::takes(op) || lane_threads * sizeof(partial) > always_allowed) return false;
    const std::size_t length = length_of_groups(groups);
    const bool alike = length != nowhere;
    const device_facts& device = *request.device;
    left_groups left = left_for(request, alike);
    using short_rows = short_rows_launch<Space, Op, Groups>;
    if (short_rows::run(request, op, groups, count, left, end)) {
      if (length > short_rows::longest_without_marks) reduce_what_is_left(request, op, groups, count, left, end);
      return true;
    }
    if (run_segments(request, op, groups, count, size, left, end)) return true;
    if (alike && are_columns(groups)) {
      left.longest = length;
      if (!launch_columns(request, op, groups, count, length, left, end)) return false;
    } else {
      if (!are_contiguous(groups)) return false;
      const std::size_t mean = alike ? length : size / count;
      const bool many = count / 16 >= device.multiprocessors;
      if (mean > (many ? longest_of_many : longest_of_few)) return false;
      const unsigned width = lanes_for(mean, alike, device.warp_width);
      left.longest = alike ? length : width * most_elements_each;
      const std::size_t blocks = (count * width + lane_threads - 1) / lane_threads;
      if (blocks > most_blocks) return false;
      launch_kernel<Space>(lane_kernel<Op, Groups>, static_cast<unsigned>(blocks), lane_threads, 0, request.stream, op, groups, count,
                           static_cast<unsigned>(std::countr_zero(width)), left, end);
    }
    if (!alike || may_mark) reduce_what_is_left(request, op, groups, count, left, end);
    return true;
  }
  /// Enqueues them by segment_sums.cuh; false where that does not take them.
  static bool run_segments(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                           const group_ending& end) {
    return run_segments(request, op, groups, count, size, left_for(request, length_of_groups(groups) != nowhere), end);
  }

 private:
  static constexpr bool may_mark = lane_program<Op>::marks;
  static constexpr std::size_t always_allowed = 49152;  ///< bytes of shared memory that a kernel need not ask for
  static constexpr std::size_t most_blocks = 0x7fffffff;
  static constexpr std::size_t rows_each = 32;            ///< of a thread, or more
  static constexpr std::size_t rows_for_each_member = 64;  ///< the same where each member leaves a partial result
  static constexpr std::size_t most_elements_each = 256;  ///< where groups differ: more make other lanes wait
  static constexpr std::size_t longest_of_many = 16384;
  static constexpr std::size_t longest_of_few = 2048;
  static constexpr std::size_t giant_list_bytes = 256;

  /// Lanes for groups of so many elements: as measured on an H200.
  static unsigned lanes_for(std::size_t elements, bool alike, unsigned most) {
    const unsigned least = !alike || elements < 12 ? 1 : elements < 24 ? 2 : 4;
    return static_cast<unsigned>(std::clamp<std::size_t>(std::bit_ceil(elements / 32), least, most));
  }

  static left_groups left_in(const launch_request& r) {
    static_assert(left_groups::zeros_of_giants + left_groups::most_giants * program::zero_bytes <= zero_words_bytes);
    static_assert(left_groups::most_giants * sizeof(std::size_t) <= giant_list_bytes);
    const call_memory memory = memory_of(r);
    return {0, reinterpret_cast<unsigned*>(memory.zeros), reinterpret_cast<std::size_t*>(memory.partials)};
  }
  static unsigned char* behind_list(const launch_request& r) { return memory_of(r).partials + giant_list_bytes; }
  /// Before anything is enqueued: allows the kernel of what is left its memory, or throws.
  static left_groups left_for(const launch_request& request, bool alike) {
    left_groups left = left_in(request);
    if (alike) left.giants = nullptr;
    if (!alike || may_mark) {
      (void)kernel_api<Space>::occupancy(left_kernel<Op, Groups>, *request.device, left_threads<Op>,
                                         shared_plan<Op, group_source<Groups>>::storage);
    }
    left.longest = nowhere;
    return left;
  }
  static bool run_segments(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                           const left_groups& left, const group_ending& end) {
    auto* const parts = reinterpret_cast<segment_part*>(behind_list(request));
    const std::size_t part_bytes = free_bytes(request) - giant_list_bytes;
    if (!segment_launch<Space, Op, Groups>::run(request, op, groups, count, size, left, parts, part_bytes, end)) return false;
    reduce_what_is_left(request, op, groups, count, left, end);
    return true;
  }

  /// Warps read fastest where their reads begin with whole lines of memory. So rows are taken together until they fill lines, where the
  /// partial results of so many more columns find room and are few beside the elements.
  static column_tile tile_of(const Groups& groups, std::size_t columns, std::size_t rows, std::size_t room) {
    constexpr std::size_t line_bytes = 128;
    constexpr std::size_t line = std::max<std::size_t>(line_bytes / 16 * reader<group_source<Groups>>::width, least_warp);
    std::size_t together = line / std::gcd(columns, line);
    const bool in_a_block = columns * together <= lane_threads;
    if (!in_a_block && (!rows_are_joined(groups, columns) || columns * together > room || rows / together < rows_for_each_member)) {
      together = 1;
    }
    if (columns * together <= lane_threads) together *= lane_threads / (columns * together);
    const std::size_t places = columns * together;
    const std::size_t tiles = (places + lane_threads - 1) / lane_threads;
    const std::size_t wide = tiles == 1 ? places : ((places + tiles - 1) / tiles + line - 1) / line * line;
    return {columns, static_cast<unsigned>(together), static_cast<unsigned>(wide), static_cast<unsigned>((places + wide - 1) / wide), rows};
  }

  static std::size_t resident_blocks(const device_facts& device, unsigned threads, std::size_t shared) {
    constexpr auto kernel = column_kernel<Op, Groups>;
    const int of_one = column_occupancies.get(
        kernel, device.device, threads, [&] { return kernel_api<Space>::occupancy(kernel, device, threads, shared); });
    return static_cast<std::size_t>(device.multiprocessors) * static_cast<std::size_t>(std::max(of_one, 1));
  }
  static inline occupancy_cache column_occupancies;
  /// Parts of the rows, `most` at most, whose blocks are nearly as many as the device runs at a time, or some times as many.
  static std::size_t parts_of(std::size_t tiles, std::size_t resident, std::size_t most) {
    std::size_t best = 1;
    double best_share = -1;  // of the time of blocks that there is room for
    for (const unsigned times : {1u, 2u, 3u, 4u}) {
      const std::size_t parts = std::clamp<std::size_t>(times * resident / tiles, 1, most);
      const std::size_t rounds = (parts * tiles + resident - 1) / resident;
      const double share = static_cast<double>(parts * tiles) / static_cast<double>(rounds * resident);
      if (share > best_share + 0.02) {
        best = parts;
        best_share = share;
      }
    }
    return best;
  }

  static bool launch_columns(const launch_request& request, const Op& op, const Groups& groups, std::size_t columns, std::size_t rows,
                             const left_groups& left, const group_ending& end) {
    const std::size_t room = (free_bytes(request) - giant_list_bytes) / sizeof(partial);
    column_tile tile = tile_of(groups, columns, rows, room);
    const unsigned warp = request.device->warp_width;
    const unsigned threads = (tile.wide + warp - 1) / warp * warp;
    const std::size_t shared = threads * sizeof(partial);
    const std::size_t least_rows = tile.members * (tile.joins() || tile.members == 1 ? rows_each : rows_for_each_member);
    const std::size_t most = std::min({room / (columns * tile.left_of_a_part()), rows / least_rows, most_blocks / tile.tiles});
    const std::size_t parts = parts_of(tile.tiles, resident_blocks(*request.device, threads, shared), std::max<std::size_t>(most, 1));
    const std::size_t steps = (rows + parts * tile.members - 1) / (parts * tile.members);
    tile.rows_each = steps * tile.members;
    if (tile.tiles > most_blocks || tile.rows_each > most_blocks) return false;
    const auto left_of_columns = static_cast<unsigned>(parts * tile.left_of_a_part());
    auto* const partials = left_of_columns > 1 ? reinterpret_cast<partial*>(behind_list(request)) : nullptr;
    launch_kernel<Space>(column_kernel<Op, Groups>, static_cast<unsigned>(tile.tiles * parts), threads, shared, request.stream, op,
                         groups, tile, partials, left, end);
    if (partials != nullptr) {
      const unsigned joining = std::clamp(std::bit_ceil(left_of_columns), warp, lane_threads);
      launch_kernel<Space>(join_columns_kernel<Op>, static_cast<unsigned>(columns), joining, joining / warp * sizeof(partial),
                           request.stream, op, columns, rows, left_of_columns, partials, left, end);
    }
    return true;
  }
  static constexpr unsigned blocks_each = 8;  ///< on a multiprocessor

  static void reduce_what_is_left(const launch_request& request, const Op& op, const Groups& groups, std::size_t count,
                                  const left_groups& left, const group_ending& end) {
    constexpr unsigned threads = left_threads<Op>;
    const std::size_t bytes = shared_plan<Op, group_source<Groups>>::storage;
    const call_memory memory = memory_of(request);
    const auto blocks = static_cast<unsigned>(
        std::clamp<std::size_t>((count + threads - 1) / threads, 1, std::size_t{blocks_each} * request.device->multiprocessors));
    const std::size_t giant_bytes = left_groups::most_giants * std::max<std::size_t>(program::partial_bytes, 1);
    const std::size_t room = (free_bytes(request) - giant_list_bytes) / giant_bytes;
    const auto grid = static_cast<unsigned>(std::min<std::size_t>(2 * request.device->multiprocessors, room));
    const auto enqueue = [&](unsigned of_blocks, bool by_grid) {
      launch_kernel<Space>(left_kernel<Op, Groups>, of_blocks, threads, bytes, request.stream, op, groups, count, left, by_grid,
                           memory.ticket, behind_list(request), end);
    };
    enqueue(blocks, false);
    if (left.giants != nullptr) enqueue(grid, true);
  }
};

}  // namespace accrue::simt
