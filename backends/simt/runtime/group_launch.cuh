// SPDX-License-Identifier: BSD-3-Clause
// The launch of a grouping: its groups one after the other, by lanes, or a block each.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "accrue/backends/simt/kernel/group_kernel.cuh"
#include "accrue/backends/simt/runtime/lane_launch.cuh"

namespace accrue::simt {

/// Enqueues a few long rows one after the other, each by the whole device with a kernel of the library; false where that cannot be.
template <class Space, class Op, class T>
bool launch_in_turn(const launch_request& request, const Op& op, const strided_group_source<T>& groups, std::size_t count,
                    std::size_t result_bytes) {
  if constexpr (is_compiled<Op, array<T>>) {
    constexpr std::size_t long_enough = std::size_t{4} << 20;  // bytes
    if (count >= request.device->multiprocessors || groups.length * groups.parts * sizeof(T) < long_enough) return false;
    if (are_columns(groups) && count > 1) return false;
    for (std::size_t k = 0; k < count; ++k) {
      launch_request one = request;
      one.result = static_cast<unsigned char*>(request.result) + k * result_bytes;
      launch_compiled<Space>(one, op, groups.group(k));
    }
    return true;
  }
  return false;
}

/// Enqueues the reductions of `count` groups of `size` elements in all.
template <class Space, class Op, class Groups>
void launch_groups_here(const launch_request& request, const Op& op, const Groups& groups, std::size_t count, std::size_t size,
                        std::size_t result_bytes) {
  static_assert(!Op::traits::ordered, "accrue: on devices groupings are exact or fast: ordered reductions of groups run on host spaces");
  using source = group_source<Groups>;
  constexpr auto kernel = group_kernel<Op, Groups>;
  if (count == 0) return;
  const group_ending end{static_cast<unsigned char*>(request.result), result_bytes, request.status};
  if constexpr (requires { groups.stride; }) {
    if (launch_in_turn<Space>(request, op, groups, count, result_bytes)) return;
  }
  if constexpr (lane_launch<Space, Op, Groups>::exists) {
    if (lane_launch<Space, Op, Groups>::run(request, op, groups, count, size, end)) return;
  }
  constexpr std::size_t most_groups = 0x7fffffff;
  if (count > most_groups) throw error(errc::size_overflow, "accrue: " + std::to_string(count) + " groups are too many for one launch");
  const device_facts& device = *request.device;
  const launch_shape shape = shape_for(device.architecture, sizeof(stored_element<source>));
  const auto busy = static_cast<unsigned>(std::bit_ceil(std::clamp<std::size_t>(size / count / 8, device.warp_width, most_threads)));
  const unsigned threads = std::min(request.threads != 0 ? request.threads : busy, threads_at_most<Op>);
  const shared_plan<Op, source> shared(device, shape, threads);
  (void)kernel_api<Space>::occupancy(kernel, device, threads, shared.bytes);  // allows it the shared memory
  launch_kernel<Space>(kernel, static_cast<unsigned>(count), threads, shared.bytes, request.stream, op, groups, shared.stages, end);
}

}  // namespace accrue::simt
