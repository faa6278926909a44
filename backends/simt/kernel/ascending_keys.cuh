// SPDX-License-Identifier: BSD-3-Clause
// Where the groups of keys end that ascend as they stand: one run over the keys, by vectors.
#pragma once

#include "accrue/backends/simt/kernel/key_kernels.cuh"

namespace accrue::simt {

inline constexpr std::size_t most_empty_groups = 1 << 16;  ///< side by side: more would keep the lanes of a warp writing

/// offsets[first] to offsets[first + count - 1] = place, for each lane; all lanes of the warp.
ACCRUE_DEVICE void write_offsets(std::size_t* offsets, std::size_t first, std::size_t count, std::size_t place) {
  constexpr std::size_t few = 4;  // that a lane writes alone
  if (count <= few) {
    for (std::size_t g = 0; g < count; ++g) offsets[first + g] = place;
    count = 0;
  }
  while (any(count != 0)) {
    const unsigned from = largest_in_warp(count != 0 ? lane() + 1 : 0) - 1;
    const std::size_t begin = shuffle(first, from);
    const std::size_t all = shuffle(count, from);
    const std::size_t same = shuffle(place, from);
    for (std::size_t g = lane(); g < all; g += warp_width) offsets[begin + g] = same;
    if (lane() == from) count = 0;
  }
}

/// Whether a key may not stand behind another, or one of both is no group's. Keys below zero are above all as integers without sign.
template <class Key>
ACCRUE_DEVICE bool is_disordered(Key before, Key key, std::size_t groups) {
  return key < before || static_cast<std::uint64_t>(before) >= groups || static_cast<std::uint64_t>(key) >= groups ||
         static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(before) > most_empty_groups;
}

/// *disordered = 1 (0 before) where some of n >= 1 keys, far apart, do not ascend, by one block: then the run over all keys ends
/// before it reads more than those at both ends.
template <class Key>
ACCRUE_KERNEL(key_threads, 1)
find_disorder_kernel(const Key* keys, std::size_t n, unsigned* disordered) {
  const std::size_t apart = n / (threads() + 1);
  const Key* const mine = keys + thread() * apart;
  if (mine[apart] < mine[0]) *disordered = 1;
}

/// offsets[k] = the first place of a key that is not below k, for k up to the number of groups, of keys that ascend, each below that
/// number, and which pass over few groups without elements: `most_empty_groups` at most on 16 bytes. Else *disordered = 1 (0 before), and
/// the offsets mean nothing.
template <class Key>
ACCRUE_KERNEL(key_threads, 4)
find_ascending_offsets_kernel(const Key* keys, std::size_t n, std::size_t groups, std::size_t* offsets, unsigned* disordered) {
  constexpr unsigned width = 16 / sizeof(Key);
  constexpr unsigned at_once = 4;  // vectors
  const auto begin = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(keys) % 16 / sizeof(Key));
  const std::size_t head = (width - begin) % width < n ? (width - begin) % width : n;
  const std::size_t vectors = (n - head) / width;
  if (block() == 0 && warp() == 0) {  // what stands out at both ends, and groups behind the last key: a lane for each
    const std::size_t i = lane() < head ? lane() : lane() + vectors * width;
    const Key before = i != 0 && i <= n ? keys[i - 1] : Key{0};
    const bool last = i == n;
    const Key key = i < n ? keys[i] : before;
    const bool there = i < n || last;
    const std::size_t behind = last ? groups - static_cast<std::uint64_t>(before) : 0;
    const bool wrong = last ? n != 0 && (static_cast<std::uint64_t>(before) >= groups || behind > most_empty_groups)
                            : there && is_disordered(before, key, groups);
    if (any(wrong)) {
      *disordered = 1;
      return;
    }
    if (lane() == 0) offsets[0] = 0;
    const std::size_t passed = static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(before);
    write_offsets(offsets, static_cast<std::uint64_t>(before) + 1, last ? behind : there ? passed : 0, i);
  }
  const std::size_t each = std::size_t{at_once} * threads();
  if (any(*static_cast<const volatile unsigned*>(disordered) != 0)) return;
  for (std::size_t base = block() * each; base < vectors; base += blocks() * each) {
    const unsigned known = *static_cast<const volatile unsigned*>(disordered);
    vector16 v[at_once];
    Key before[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const std::size_t at = base + k * threads() + thread();
      v[k] = vector16{};
      if (at < vectors) v[k] = load_vector16(keys + head + at * width);
      before[k] = Key{0};
      if (lane() == 0 && at < vectors && head + at != 0) before[k] = keys[head + at * width - 1];
    }
    if (any(known != 0)) return;
    bool wrong = false;
    unsigned ends = 0;  // a bit for each vector in which a group ends, or before it
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      Key key[width];
      memcpy(key, v[k].word, sizeof key);
      const Key below = shuffle(key[width - 1], lane() != 0 ? lane() - 1 : 0);
      if (lane() != 0) before[k] = below;
      if (base + k * threads() + thread() >= vectors) continue;
      bool same = true;
      Key previous = before[k];
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        wrong |= key[j] < previous;
        same &= key[j] == previous;
        previous = key[j];
      }
      if (same) continue;
      ends |= 1u << k;
      wrong |= is_disordered(before[k], previous, groups);  // the smallest and the largest, if none is wrong
    }
    if (any(wrong)) {  // before anything is written: keys in no order would have all groups written again and again
      *disordered = 1;
      return;
    }
    for (unsigned k = 0; k < at_once; ++k) {
      const bool mine = (ends >> k & 1) != 0;
      if (!any(mine)) continue;
      const std::size_t first = head + (base + k * threads() + thread()) * width;
      for (std::size_t i = first; i < first + width; ++i) {
        const auto key = mine ? static_cast<std::uint64_t>(keys[i]) : 0;
        const auto previous = mine && i != 0 ? static_cast<std::uint64_t>(keys[i - 1]) : 0;
        write_offsets(offsets, previous + 1, key - previous, i);
      }
    }
  }
}

}  // namespace accrue::simt
