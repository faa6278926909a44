// SPDX-License-Identifier: BSD-3-Clause
// The kernels that bring elements together by integer keys: a stable radix sort of their indices, a digit at a time from the lowest, then
// the elements themselves. Each warp has a share of them, and a counter for each digit.
#pragma once

#include "accrue/backends/simt/kernel/arrays.cuh"
#include "accrue/backends/simt/kernel/limits.hpp"
#include "accrue/error.hpp"

namespace accrue::simt {

inline constexpr unsigned key_threads = 256;  ///< of a block
inline constexpr unsigned key_digit_bits = 8;
inline constexpr unsigned key_digits = 1u << key_digit_bits;

/// Keys below `groups`; others count as `groups`.
template <class Key>
struct key_source {
  const Key* keys;
  std::uint32_t groups;

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t at(std::size_t i) const {
    const auto key = static_cast<std::uint64_t>(keys[i]);
    return key < groups ? static_cast<std::uint32_t>(key) : groups;
  }
};

/// One pass of the sort: its digit, and the share of elements that each warp has.
struct key_pass {
  std::size_t n;
  std::size_t each;  ///< elements of a warp's share
  unsigned shift;
  unsigned warps;  ///< of the grid
};
/// The elements of a warp's share: calls `visit(key, index, digit)` for a warp at a time, with the digit `key_digits` behind the end.
/// `order` has the indices; nullptr: elements are where they were.
template <class Key, class Index, class Visit>
ACCRUE_DEVICE void for_each_digit(const key_source<Key>& keys, const Index* order, const key_pass& pass, const Visit& visit) {
  constexpr unsigned at_once = 8;
  const std::size_t first = (std::size_t{block()} * warps() + warp()) * pass.each;
  const std::size_t behind = first + pass.each < pass.n ? first + pass.each : pass.n;
  for (std::size_t base = first; base < behind; base += at_once * warp_width) {
    std::uint32_t key[at_once];
    Index index[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const std::size_t i = base + k * warp_width + lane();
      key[k] = i < behind ? keys.at(i) : 0;
      index[k] = order != nullptr && i < behind ? order[i] : static_cast<Index>(i);
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const bool there = base + k * warp_width + lane() < behind;
      visit(key[k], index[k], there ? key[k] >> pass.shift & (key_digits - 1) : key_digits);
    }
  }
}

/// counts[digit * warps + warp] = how many elements of the warp's share have the digit. Where `status` is given, keys that are no group's
/// are an error.
template <class Key>
ACCRUE_KERNEL(key_threads, 4)
count_digits_kernel(key_source<Key> keys, key_pass pass, std::size_t* counts, int* status) {
  ACCRUE_SHARED unsigned count[key_threads / least_warp][key_digits];
  unsigned* const mine = count[warp()];
  for (unsigned d = lane(); d < key_digits; d += warp_width) mine[d] = 0;
  sync_warp();
  for_each_digit(keys, static_cast<const std::size_t*>(nullptr), pass, [&](std::uint32_t key, std::size_t, unsigned digit) {
    if (digit == key_digits) return;
    if (status != nullptr && key == keys.groups) *status = static_cast<int>(errc::out_of_range);
    add_atomically(mine + digit, 1u);
  });
  sync_warp();
  const unsigned me = block() * warps() + warp();
  for (unsigned d = lane(); d < key_digits; d += warp_width) counts[std::size_t{d} * pass.warps + me] = mine[d];
}

/// The sum of the values of all lanes below.
template <class T>
ACCRUE_DEVICE T sum_of_lanes_below(T v) {
  T sum = v;
  for (unsigned distance = 1; distance < warp_width; distance *= 2) {
    const T other = shuffle(sum, lane() >= distance ? lane() - distance : lane());
    if (lane() >= distance) sum += other;
  }
  return sum - v;
}

/// A warp for each digit: counts become how many elements with the digit stand before a warp's, and `totals` how many there are.
template <class Count>
ACCRUE_KERNEL(key_threads, 1)
scan_digits_kernel(Count* counts, unsigned warps, Count* totals) {
  Count* const row = counts + std::size_t{block()} * warps;
  Count before = 0;
  for (unsigned base = 0; base < warps; base += warp_width) {
    const unsigned w = base + lane();
    const Count v = w < warps ? row[w] : 0;
    const Count below = sum_of_lanes_below(v);
    if (w < warps) row[w] = before + below;
    before += shuffle(below + v, warp_width - 1);
  }
  if (lane() == 0) totals[block()] = before;
}

/// Puts keys and indices to their places. `order` is what an earlier pass left; nullptr: elements are where they were.
template <class Key, class Index>
ACCRUE_KERNEL(key_threads, 4)
move_keys_kernel(key_source<Key> keys, key_pass pass, const Index* order, const std::size_t* counts, const std::size_t* totals,
                 std::uint32_t* sorted_keys, Index* sorted_order) {
  ACCRUE_SHARED std::size_t next[key_threads / least_warp][key_digits];
  std::size_t* const mine = next[warp()];
  const unsigned me = block() * warps() + warp();
  constexpr unsigned each = key_digits / warp_width;
  std::size_t sum = 0;
  for (unsigned k = 0; k < each; ++k) sum += totals[lane() * each + k];
  std::size_t before = sum_of_lanes_below(sum);
  for (unsigned k = 0; k < each; ++k) {
    const unsigned d = lane() * each + k;
    mine[d] = before + counts[std::size_t{d} * pass.warps + me];
    before += totals[d];
  }
  sync_warp();
  for_each_digit(keys, order, pass, [&](std::uint32_t key, Index index, unsigned digit) {
    const lanes_alike alike = lanes_with(digit, key_digit_bits + 1);
    if (digit != key_digits) {
      const std::size_t place = mine[digit] + alike.below;
      sorted_keys[place] = key;
      sorted_order[place] = index;
    }
    sync_warp();
    if (digit != key_digits && alike.below == 0) mine[digit] += alike.all;
    sync_warp();
  });
}

/// offsets[k] = the first place of a key that is not below k, for k up to the number of groups.
template <class Offset>
ACCRUE_KERNEL(key_threads, 4)
find_offsets_kernel(const std::uint32_t* sorted_keys, std::size_t n, std::size_t groups, Offset* offsets) {
  const std::size_t k = std::size_t{block()} * threads() + thread();
  if (k > groups) return;
  std::size_t first = 0;
  for (std::size_t left = n; left != 0;) {
    const std::size_t half = left / 2;
    if (sorted_keys[first + half] < k) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  offsets[k] = first;
}

/// arranged[i] = the element of the source whose index is order[i].
template <class Source, class Index>
ACCRUE_KERNEL(key_threads, 4)
arrange_kernel(Source source, bool contiguous, const Index* order, std::size_t n, typename Source::element* arranged) {
  for (std::size_t i = std::size_t{block()} * threads() + thread(); i < n; i += std::size_t{blocks()} * threads()) {
    const std::size_t from = order[i];
    arranged[i] = contiguous ? reader<Source>::near(source, from) : reader<Source>::at(source, from);
  }
}

}  // namespace accrue::simt
