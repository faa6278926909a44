// SPDX-License-Identifier: BSD-3-Clause
// How often each way was taken so far, where a device runs the kernels: all of them compiled here, so that they count.
#pragma once

#include "accrue/backends/simt/runtime/launch.cuh"
#include "accrue/detail/ways.hpp"

namespace accrue::simt {

/// Every kernel is compiled here.
template <class Space, class Op, class Source>
void launch_compiled(const launch_request& request, const Op& op, const Source& source) {
  launch_here<Space>(request, op, source);
}

}  // namespace accrue::simt

namespace soak {

using counts = std::array<std::uint64_t, static_cast<unsigned>(accrue::detail::way::count)>;

static __global__ void copy_counts(unsigned long long* to) {
  for (unsigned w = 0; w < static_cast<unsigned>(accrue::detail::way::count); ++w) to[w] = accrue::simt::ways_taken[w];
}
/// `scratch`: memory of the space.
template <class Space>
counts ways_so_far(const Space& space, void* scratch) {
  counts c{};
  accrue::simt::launch_kernel<Space>(copy_counts, 1, 1, 0, nullptr, static_cast<unsigned long long*>(scratch));
  space.copy(c.data(), scratch, sizeof(c));
  space.synchronize();
  return c;
}

}  // namespace soak
