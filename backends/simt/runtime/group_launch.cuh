// SPDX-License-Identifier: BSD-3-Clause
// The launch of a grouping: its groups one after the other, by lanes, or a block each.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "accrue/backends/simt/kernel/group_kernel.cuh"
#include "accrue/backends/simt/kernel/ordered_group_kernel.cuh"
#include "accrue/backends/simt/runtime/key_launch.cuh"
#include "accrue/backends/simt/runtime/key_sums.cuh"
#include "accrue/backends/simt/runtime/lane_launch.cuh"

namespace accrue::simt {

inline constexpr std::size_t long_enough = std::size_t{4} << 20;  ///< bytes of a group that the whole device reduces alone

/// Whether groups are few, and each is long enough.
template <class T>
bool are_long(const strided_group_source<T>& groups, std::size_t count, const device_facts& device) {
  if (count >= device.multiprocessors || groups.length * groups.parts * sizeof(T) < long_enough) return false;
  return !are_columns(groups) || count == 1;
}
template <class T>
bool are_long(const array_list_source<T>& groups, std::size_t count, const device_facts&) {
  return count == 1 && groups.arrays[0].length * groups.parts * sizeof(T) >= long_enough;
}
template <class Groups>
bool are_long(const Groups&, std::size_t, const device_facts&) {
  return false;
}

/// Enqueues a few long groups one after the other, each by the whole device with a kernel of the library; false where that cannot be.
template <class Space, class Op, class Groups>
bool launch_in_turn(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t result_bytes) {
  if constexpr (is_compiled<Op, group_source<Groups>>) {
    if (!are_long(groups, count, *request.device)) return false;
    for (std::size_t k = 0; k < count; ++k) {
      launch_request one = request;
      one.result = static_cast<unsigned char*>(request.result) + k * result_bytes;
      launch_compiled<Space>(one, op, groups.group(k));
    }
    return true;
  }
  return false;
}

/// Throws where a grid cannot have so many blocks.
inline unsigned blocks_for(std::size_t groups, std::size_t blocks) {
  if (blocks > 0x7fffffff) throw error(errc::size_overflow, "accrue: " + std::to_string(groups) + " groups are too many for one launch");
  return static_cast<unsigned>(blocks);
}

/// Enqueues a block for each group.
template <class Space, class Op, class Groups>
void launch_blocks(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                   const group_ending& end) {
  constexpr auto kernel = group_kernel<Op, Groups>;
  using source = group_source<Groups>;
  const device_facts& device = *request.device;
  const launch_shape shape = shape_for(device.architecture, sizeof(stored_element<source>));
  const auto busy = static_cast<unsigned>(std::bit_ceil(std::clamp<std::size_t>(size / count / 8, device.warp_width, most_threads)));
  const unsigned threads = std::min(request.threads != 0 ? request.threads : busy, threads_at_most<Op>);
  const shared_plan<Op, source> shared(device, shape, threads, [] { return kernel_api<Space>::shared_bytes(kernel); });
  (void)kernel_api<Space>::occupancy(kernel, device, threads, shared.bytes);  // allows it the shared memory
  launch_kernel<Space>(kernel, blocks_for(count, count), threads, shared.bytes, request.stream, op, groups, shared.stages, end);
}

/// Enqueues the reductions of groups in any order of their elements: by lanes where only results are wanted, or a block each.
template <class Space, class Op, class Groups>
void launch_free_groups(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                        const group_ending& end) {
  if constexpr (lane_launch<Space, Op, Groups>::exists) {
    if (!end.keeps_state && lane_launch<Space, Op, Groups>::run(request, op, groups, count, size, end)) return;
  }
  launch_blocks<Space>(request, op, groups, count, size, end);
}

template <class Space, class Op, class Groups>
void launch_groups_here(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                        std::size_t result_bytes);

/// Enqueues the same over the ordered tree. Orders that differ cannot share a pass.
template <class Space, class Op, class Groups>
void launch_ordered_groups(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                           const group_ending& end) {
  if constexpr (requires { op.rest; }) {
    launch_request one = request;
    one.result = static_cast<unsigned char*>(request.result) + op.offset;
    launch_groups_here<Space>(one, op.first, groups, count, size, end.result_bytes);
    if constexpr (requires { op.rest.first; }) launch_groups_here<Space>(request, op.rest, groups, count, size, end.result_bytes);
  } else {
    constexpr auto kernel = ordered_group_kernel<Op, Groups>;
    const device_facts& device = *request.device;
    constexpr std::size_t shared = ordered_group_bytes<Op>();
    constexpr unsigned threads = most_ordered_threads;
    const std::size_t blocks = (count - 1) / (threads / device.warp_width) + 1;
    (void)kernel_api<Space>::occupancy(kernel, device, threads, shared);  // allows it the shared memory
    launch_kernel<Space>(kernel, blocks_for(count, blocks), threads, shared, request.stream, op, groups, count, end);
  }
}

/// Whether the library has a kernel in which the whole device reduces one of these groups.
template <class R, class Groups>
constexpr bool has_library_kernel() {
  if constexpr (operation<R>::over_parts) {
    using parts = decltype(parts_of(std::declval<Groups>()));
    return is_compiled<decltype(operation_of<typename parts::source::element>(std::declval<R>())), group_source<parts>>;
  } else {
    return is_compiled<decltype(operation_of<typename Groups::source::element>(std::declval<R>())), group_source<Groups>>;
  }
}

/// Enqueues the reductions of `count` groups of `size` elements in all.
template <class Space, class Op, class Groups>
void launch_groups_here(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                        std::size_t result_bytes) {
  if (count == 0) return;
  const group_ending end{static_cast<unsigned char*>(request.result), result_bytes, request.status, nullptr, 0, request.keeps_state};
  if (!segment_launch<Space, Op, Groups>::takes(request, op, groups, size, end) &&
      launch_in_turn<Space>(request, op, groups, count, result_bytes)) {
    return;
  }
  if constexpr (Op::traits::ordered) {
    launch_ordered_groups<Space>(request, op, groups, count, size, end);
  } else {
    launch_free_groups<Space>(request, op, groups, count, size, end);
  }
}

/// Enqueues the reductions of the groups that a source has.
template <class Space, class R, class Groups>
void launch_group_source(const launch_request& request, const R& reducer, const Groups& source, std::size_t count, std::size_t size,
                         std::size_t result_bytes) {
  if constexpr (operation<R>::over_parts) {
    const auto groups = parts_of(source);
    using part = typename std::remove_const_t<decltype(groups)>::source::element;
    launch_groups_here<Space>(request, operation_of<part>(reducer), groups, count, size, result_bytes);
  } else {
    launch_groups_here<Space>(request, operation_of<typename Groups::source::element>(reducer), source, count, size, result_bytes);
  }
}

/// Enqueues the move of results' positions to `place(k, i)`.
template <class Space, class Result, class Place>
void launch_move(const launch_request& request, std::size_t count, const Place& place) {
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>((count + threads - 1) / threads, 1, std::size_t{8} * request.device->multiprocessors));
  auto* const results = static_cast<Result*>(request.result);
  launch_kernel<Space>(move_positions_kernel<Result, Place>, blocks, threads, 0, request.stream, results, count, place);
}

/// Enqueues the reductions of a batch, a list of arrays at a time; long arrays stand alone in theirs.
template <class Space, bool in_whole, class R, class Range>
void launch_batch(const launch_request& request, const R& reducer, const detail::batch_groups<Range>& batch, std::size_t result_bytes) {
  using element = stored_t<typename detail::batch_groups<Range>::element>;
  array_list_source<element> list{};
  array_list_places before{};
  std::size_t listed = 0;
  std::size_t size = 0;
  launch_request next = request;
  const auto launch_list = [&] {
    if (listed == 0) return;
    launch_group_source<Space>(next, reducer, list, listed, size, result_bytes);
    if constexpr (in_whole) launch_move<Space, detail::result_of<R>>(next, listed, before);
    next.result = static_cast<unsigned char*>(next.result) + listed * result_bytes;
    listed = size = 0;
  };
  std::size_t seen = 0;
  for (std::size_t k = 0; k < batch.count(); ++k) {
    const auto v = array_of(batch, k);
    const bool is_long = has_library_kernel<R, array_list_source<element>>() && v.size() * sizeof(element) >= long_enough;
    if (is_long || listed == list.most) launch_list();
    list.arrays[listed] = {reinterpret_cast<const element*>(v.data), v.size()};
    before.before[listed] = seen;
    ++listed;
    size += v.size();
    seen += v.size();
    if (is_long) launch_list();
  }
  launch_list();
}

/// Enqueues the reductions of a grouping. `in_whole`: with positions that count there.
template <class Space, bool in_whole, class R, class Grouping, class MemoryOf>
void launch_groups(const launch_request& request, const R& reducer, const Grouping& grouping, std::size_t result_bytes,
                   const MemoryOf& memory_of) {
  using result = detail::result_of<R>;
  if constexpr (requires { grouping.arrays; }) {
    launch_batch<Space, in_whole>(request, reducer, grouping, result_bytes);
  } else if constexpr (requires { grouping.keys; }) {
    using source = decltype(source_of(grouping.view));
    if constexpr (!in_whole && !operation<R>::over_parts) {
      const auto op = operation_of<typename source::element>(reducer);
      if constexpr (is_sum_of_floats<std::remove_const_t<decltype(op)>, source>) {
        if (!request.keeps_state && launch_sums_by_keys<Space>(request, op, grouping, memory_of)) return;
      }
    }
    const auto run = [&](const auto& segments, const auto* order) {
      launch_group_source<Space>(request, reducer, segments, grouping.count(), grouping.size(), result_bytes);
      if constexpr (in_whole) launch_move<Space, result>(request, grouping.count(), detail::ordered_places{order, segments.offsets});
    };
    if (grouping.size() <= 0xffffffff) {
      launch_by_keys<Space, std::uint32_t>(request, grouping, memory_of, run);
    } else {
      launch_by_keys<Space, std::uint64_t>(request, grouping, memory_of, run);
    }
  } else {
    launch_group_source<Space>(request, reducer, group_source_of(grouping), grouping.count(), grouping.size(), result_bytes);
    if constexpr (in_whole) launch_move<Space, result>(request, grouping.count(), detail::places_of(grouping));
  }
}
template <class Space, class R, class Grouping, class MemoryOf>
void launch_grouping(const launch_request& request, const R& reducer, const Grouping& grouping, std::size_t result_bytes,
                     const MemoryOf& memory_of) {
  if constexpr (detail::counts_in_whole<Grouping>) {
    launch_groups<Space, true>(request, reducer, grouping.within, result_bytes, memory_of);
  } else {
    launch_groups<Space, false>(request, reducer, grouping, result_bytes, memory_of);
  }
}

/// Enqueues the last steps of `count` states of a reducer, which stand at `request.earlier`.
template <class Space, class R>
void launch_finishes(const launch_request& request, const R& reducer, std::size_t count, std::size_t result_bytes) {
  with_operation(reducer, [&](const auto& op, const auto& source) {
    const no_element_groups<std::remove_cvref_t<decltype(source)>> groups{source};
    const group_ending end{static_cast<unsigned char*>(request.result), result_bytes, request.status,
                           static_cast<const unsigned char*>(request.earlier), sizeof(typename R::state)};
    launch_blocks<Space>(request, op, groups, count, 0, end);
  });
}

}  // namespace accrue::simt
