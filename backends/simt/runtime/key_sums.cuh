// SPDX-License-Identifier: BSD-3-Clause
// The launches of exact sums by keys, which need no sort. Where the keys ascend as they stand, groups are segments, and a run over the keys
// finds where they end. Else a look at some elements says which bits most have, and a run adds those to integers that hold these bits, one
// for each group; another, which seldom has any to add, adds the rest to integers that hold every bit. The device alone knows which: the
// kernels of both ways are enqueued, and those of the other do nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "accrue/backends/simt/kernel/ascending_keys.cuh"
#include "accrue/backends/simt/kernel/key_sum_kernels.cuh"
#include "accrue/backends/simt/operations/group_sources.hpp"
#include "accrue/backends/simt/runtime/lane_launch.cuh"

namespace accrue::simt {

/// Shared memory of a block at most: two are to have room on a multiprocessor. A test may set it.
inline std::size_t shared_bytes_of_key_sums = 98304;
/// Elements that are looked at, roughly, before any is added; all of a smaller array. A test may set it.
inline std::size_t elements_looked_at = std::size_t{1} << 18;

template <class Op, class Source>
inline constexpr bool is_sum_of_floats = false;
template <native_float T>
inline constexpr bool is_sum_of_floats<exact_sum<T, term::value>, array<T>> = true;

/// Enqueues sums of groups whose keys ascend: the segments between `offsets`, and *disordered = 1 (0 before) where they do not, whose sums
/// then mean nothing. False where segments are not summed so.
template <class Space, class T, class Key>
bool launch_sums_of_ascending_keys(const launch_request& request, const exact_sum<T, term::value>& op, const array<T>& source,
                                   const Key* keys, std::size_t groups, std::size_t* offsets, unsigned* disordered) {
  using segments = segment_source<array<T>, std::size_t>;
  const segments by_offsets{source, offsets, nowhere, groups};
  const group_ending end{static_cast<unsigned char*>(request.result), sizeof(T), request.status, nullptr, 0, false};
  const std::size_t n = size_of(source);
  if (!segment_launch<Space, exact_sum<T, term::value>, segments>::takes(request, op, by_offsets, n, end)) return false;
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>(n / (std::size_t{8} * key_threads), 1, std::size_t{8} * request.device->multiprocessors));
  constexpr std::size_t many = std::size_t{1} << 20;
  if (n >= many) launch_kernel<Space>(find_disorder_kernel<Key>, 1, key_threads, 0, request.stream, keys, n, disordered);
  launch_kernel<Space>(find_ascending_offsets_kernel<Key>, blocks, key_threads, 0, request.stream, keys, n, groups, offsets, disordered);
  launch_request if_ascending = request;
  if_ascending.unless = disordered;
  return lane_launch<Space, exact_sum<T, term::value>, segments>::run_segments(if_ascending, op, by_offsets, groups, n, end);
}

/// Where sums hold what lies near the elements that are looked at: where groups are few in shared memory. Their words in device memory.
template <class Sums>
std::size_t choose_where_held(Sums& sums, std::size_t groups, const device_facts& device) {
  constexpr std::size_t usual_words = 4;  // in shared memory
  constexpr std::size_t most_limbs = 4;
  constexpr std::size_t spread = 256;  // numbers in shared memory, among which all lanes of a warp seldom meet
  const std::size_t of_lanes = device.warp_width * sizeof(std::uint32_t);
  const std::size_t usual = groups * usual_words * sizeof(std::uint32_t) + of_lanes;
  const std::size_t room = std::min<std::size_t>(shared_bytes_of_key_sums, device.shared_bytes - 1024);
  if (groups != 0 && usual <= room) {
    sums.where = held_in::shared_words;
    sums.shared_bytes = std::min(room, std::max<std::size_t>(usual, 32768));  // few groups have room for wider ranges, or for copies
    sums.most_copies = static_cast<unsigned>(std::bit_floor(std::clamp<std::size_t>(spread / groups, 1, device.warp_width)));
    return (sums.shared_bytes / sizeof(std::uint32_t) / groups + 1) / 2;
  }
  if (groups > std::numeric_limits<std::int32_t>::max()) return 0;
  sums.where = held_in::limbs;
  return most_limbs;
}

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
  key_sums<source_type, key> sums{};
  sums.source = source;
  sums.keys = g.keys;
  sums.skips_others = g.skips_others;
  const std::size_t held_bytes = groups * choose_where_held(sums, groups, device) * sizeof(std::uint64_t);
  const std::size_t word_bytes = groups * most_words<T> * sizeof(std::uint64_t);
  const std::size_t offset_bytes = (groups + 1) * sizeof(std::size_t);
  const std::size_t cleared = sizeof(exponents_seen) / sizeof(unsigned) + 1 + groups + 1;
  auto memory = memory_of(held_bytes + word_bytes + offset_bytes + cleared * sizeof(unsigned));
  sums.all_words = reinterpret_cast<std::uint64_t*>(memory.data() + held_bytes);
  auto* const offsets = reinterpret_cast<std::size_t*>(memory.data() + held_bytes + word_bytes);
  auto* const zeros = reinterpret_cast<unsigned*>(offsets + groups + 1);
  sums.seen = reinterpret_cast<exponents_seen*>(zeros);
  sums.others = reinterpret_cast<unsigned*>(sums.seen + 1);
  unsigned* const disordered = sums.others + 1;
  sums.plan.component[0] = static_cast<T*>(request.result);
  sums.plan.size = groups;
  sums.plan.stride = 1;
  sums.plan.words = reinterpret_cast<std::uint64_t*>(memory.data());
  sums.plan.specials = disordered + 1;
  sums.plan.status = request.status;
  const auto run = [&](auto kernel, std::size_t work, auto... more) {
    launch_kernel<Space>(kernel, blocks(work), accumulate_threads, 0, request.stream, sums, more...);
  };
  launch_kernel<Space>(clear_kernel<unsigned>, blocks(cleared), accumulate_threads, 0, request.stream, zeros, cleared);
  if (launch_sums_of_ascending_keys<Space>(request, op, source, g.keys, groups, offsets, disordered)) sums.wanted = disordered;

  // Elements that were not looked at: the smallest of them lies some binades lower.
  const std::size_t looks = n / elements_looked_at;
  const std::size_t apart = looks > 1 ? (looks * device.warp_width) | 1 : device.warp_width;
  if (looks > 1) sums.margin = static_cast<unsigned>(std::bit_width(looks)) + 10;
  run(look_at_exponents_kernel<source_type, key>, std::min(n, elements_looked_at), apart);
  run(start_key_sums_kernel<source_type, key>, groups);
  const auto adding_grid = [&](std::size_t each) {
    return static_cast<unsigned>(std::clamp<std::size_t>(n / key_sum_threads / 4, 1, each * device.multiprocessors));
  };
  if (sums.where == held_in::shared_words) {
    constexpr auto kernel = add_by_key_in_shared_kernel<source_type, key>;
    const int each = kernel_api<Space>::occupancy(kernel, device, key_sum_threads, sums.shared_bytes);
    launch_kernel<Space>(kernel, adding_grid(static_cast<std::size_t>(std::max(each, 1))), key_sum_threads, sums.shared_bytes,
                         request.stream, sums);
  } else if (sums.where == held_in::limbs) {
    launch_kernel<Space>(add_to_limbs_kernel<source_type, key>, adding_grid(4), key_sum_threads, 0, request.stream, sums);
  }
  run(start_others_kernel<source_type, key>, groups);
  run(add_others_kernel<source_type, key>, n / 8);
  run(finish_key_sums_kernel<source_type, key>, groups);
  return true;
}

}  // namespace accrue::simt
