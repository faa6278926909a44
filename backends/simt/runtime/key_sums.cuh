// SPDX-License-Identifier: BSD-3-Clause
// The launches of exact sums by keys, which need no sort: a run over the elements finds their range, a second adds them to integers that
// hold every bit, one for each group.
#pragma once

#include <algorithm>

#include "accrue/backends/simt/kernel/accumulate_kernel.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

template <class Op, class Source>
inline constexpr bool is_sum_of_floats = false;
template <native_float T>
inline constexpr bool is_sum_of_floats<exact_sum<T, term::value>, array<T>> = true;

/// Enqueues the sums of groups by keys; false where sorting does better. `memory_of(bytes)` as for launch_by_keys.
template <class Space, class T, class Grouping, class MemoryOf>
bool launch_sums_by_keys(const launch_request& request, const exact_sum<T, term::value>& op, const Grouping& g, const MemoryOf& memory_of) {
  using key = std::remove_cvref_t<decltype(*g.keys)>;
  const auto source = source_of(g.view);
  using source_type = std::remove_const_t<decltype(source)>;
  const std::size_t n = g.size();
  const std::size_t groups = g.count();
  constexpr std::size_t least_each = 8;  // elements of a group: fewer take less memory sorted than as integers
  if (op.step != last_step::value || !op.result.floating || op.result.bytes != sizeof(T)) return false;
  if (!source.contiguous() || groups > n / least_each) return false;

  const device_facts& device = *request.device;
  const auto blocks = [&](std::size_t work) {
    return static_cast<unsigned>(std::clamp<std::size_t>((work + accumulate_threads - 1) / accumulate_threads, 1,
                                                         std::size_t{8} * device.multiprocessors));
  };
  const std::size_t word_bytes = groups * most_words<T> * sizeof(std::uint64_t);
  const std::size_t cleared = sizeof(contribution_range) / sizeof(unsigned) + groups;
  auto memory = memory_of(word_bytes + cleared * sizeof(unsigned));
  contribution_plan<T, 1> plan{};
  plan.component[0] = static_cast<T*>(request.result);
  plan.size = groups;
  plan.stride = 1;
  plan.words = reinterpret_cast<std::uint64_t*>(memory.data());
  plan.range = reinterpret_cast<contribution_range*>(memory.data() + word_bytes);
  plan.specials = reinterpret_cast<unsigned*>(plan.range + 1);
  plan.status = request.status;
  plan.how = adding::nothing;
  launch_kernel<Space>(clear_kernel<unsigned>, blocks(cleared), accumulate_threads, 0, request.stream,
                       reinterpret_cast<unsigned*>(plan.range), cleared);
  launch_kernel<Space>(element_range_kernel<source_type, T>, blocks(n / 8), accumulate_threads, 0, request.stream, source, plan);

  plan.by_range = true;
  plan.how = adding::to_words;
  launch_kernel<Space>(start_words_kernel<T, 1>, blocks(groups), accumulate_threads, 0, request.stream, plan);
  constexpr auto kernel = accumulate_kernel<adds_by_key<source_type, key>, contribution_plan<T, 1>>;
  constexpr std::size_t usual_words = 2;
  const std::size_t usual = groups * usual_words * sizeof(std::uint64_t);
  const std::size_t few_blocks = std::min<std::size_t>(98304, device.shared_bytes - 1024);  // room for two on a multiprocessor
  unsigned grid = blocks(n);
  if (usual <= few_blocks) {
    plan.how = adding::to_copied_words;
    plan.shared_bytes = std::min<std::size_t>(groups * most_words<T> * sizeof(std::uint64_t), std::max<std::size_t>(usual, 16384));
    (void)kernel_api<Space>::occupancy(kernel, device, accumulate_threads, plan.shared_bytes);  // allows it the shared memory
    grid = std::min(grid, 8 * device.multiprocessors);
  }
  launch_kernel<Space>(kernel, grid, accumulate_threads, plan.shared_bytes, request.stream, n,
                       adds_by_key<source_type, key>{source, g.keys, groups, g.skips_others}, plan);
  plan.shared_bytes = 0;
  launch_kernel<Space>(finish_words_kernel<T, 1>, blocks(groups), accumulate_threads, 0, request.stream, plan);
  return true;
}

}  // namespace accrue::simt
