// SPDX-License-Identifier: BSD-3-Clause
// Which ways exact sums take through the kernels. A test that must see every one of them (tests/soak) is compiled with ACCRUE_COUNT_WAYS,
// its kernels too, and counts; elsewhere this is nothing.
#pragma once

#include <cstdint>

#if defined(ACCRUE_COUNT_WAYS)
#include <array>
#include <atomic>
#endif

namespace accrue::detail {

enum class way : std::uint8_t {
  // hosts: a tile alone, and the ways of an accumulator
  tile_certified,
  tile_as_pair,
  tile_as_parts,
  tile_refused,
  split,
  split_drained,
  windows_2,
  windows_3,
  windows_4,
  windows_6,
  bins,
  one_by_one,
  // hosts: blocks of products in windows, and products of a tile alone
  bounded_block,
  block_with_zeros,
  unbounded_block,
  bounded_tile,
  unbounded_tile,
  // hosts: products of long ranges
  certified,
  not_certified,
  // hosts: tiles of 16-bit floats
  narrow_tile,
  widened_tile,
  // devices: sums of a pair of doubles for each block, and what they leave to windows and digits
  small_pair,
  several_pairs,
  uncertain_total,
  marked_slot,
  wide_small,
  wide_medium,
  wide_large,
  // devices: the windows of doubles and floats, and those of 16-bit floats
  held_in_first,
  held_by_sizes,
  usual_windows,
  all_windows,
  moved_windows,
  read_windows,
  deposited,
  short_usual,
  short_refolded,
  short_moved,
  short_deposited,
  short_sums,
  moved_unit,
  count
};

#if defined(ACCRUE_COUNT_WAYS)
inline constexpr std::array<const char*, static_cast<unsigned>(way::count)> way_names{
    "tile_certified", "tile_as_pair", "tile_as_parts", "tile_refused", "split", "split_drained", "windows_2", "windows_3", "windows_4",
    "windows_6", "bins", "one_by_one",
    "bounded_block", "block_with_zeros", "unbounded_block", "bounded_tile", "unbounded_tile", "certified", "not_certified",
    "narrow_tile", "widened_tile", "small_pair", "several_pairs", "uncertain_total", "marked_slot", "wide_small", "wide_medium",
    "wide_large", "held_in_first", "held_by_sizes", "usual_windows", "all_windows", "moved_windows", "read_windows", "deposited",
    "short_usual", "short_refolded", "short_moved", "short_deposited", "short_sums", "moved_unit"};
inline std::array<std::atomic<std::uint64_t>, static_cast<unsigned>(way::count)> ways_taken{};
inline void took(way w) { ways_taken[static_cast<unsigned>(w)].fetch_add(1, std::memory_order_relaxed); }
#else
constexpr void took(way) {}
#endif

}  // namespace accrue::detail
