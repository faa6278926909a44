// SPDX-License-Identifier: BSD-3-Clause
// Work that a thread has before it and that others may take from it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "accrue/detail/shares.hpp"

namespace accrue::detail {

/// A thread's groups of rows that nobody has begun: the thread takes from the front, those who are done with theirs from the back.
class group_queue {
 public:
  /// Not while others take.
  void fill(share groups) {
    piece_ = static_cast<std::uint32_t>(std::max<std::size_t>((groups.end - groups.begin) / 16, 1));
    left_.store(pack(static_cast<std::uint32_t>(groups.begin), static_cast<std::uint32_t>(groups.end)), std::memory_order_relaxed);
  }
  bool take_front(share& out) {
    return take(out, [this](std::uint32_t& begin, std::uint32_t end) {
      const std::uint32_t from = begin;
      begin += std::min(piece_, end - begin);
      return share{from, begin};
    });
  }
  bool take_back(share& out) {
    return take(out, [this](std::uint32_t begin, std::uint32_t& end) {
      const std::uint32_t from = end - std::min(piece_, end - begin);
      return share{from, std::exchange(end, from)};
    });
  }

 private:
  static std::uint64_t pack(std::uint32_t begin, std::uint32_t end) { return std::uint64_t{begin} << 32 | end; }
  template <class Cut>
  bool take(share& out, const Cut& cut) {
    std::uint64_t seen = left_.load(std::memory_order_relaxed);
    for (;;) {
      auto begin = static_cast<std::uint32_t>(seen >> 32);
      auto end = static_cast<std::uint32_t>(seen);
      if (begin >= end) return false;
      out = cut(begin, end);
      if (left_.compare_exchange_weak(seen, pack(begin, end), std::memory_order_relaxed)) return true;
    }
  }

  std::atomic<std::uint64_t> left_{0};
  std::uint32_t piece_ = 1;
};

}  // namespace accrue::detail
