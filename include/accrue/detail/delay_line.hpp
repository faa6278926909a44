// SPDX-License-Identifier: BSD-3-Clause
// A thread's last contributions, where their targets are too many for a cache: each is added when what it adds to has come from memory.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "accrue/detail/zeroed_array.hpp"

namespace accrue::detail {

/// Contributions of `width` doubles or counts each that wait, the last `length` of a thread. At first they are zeros to target 0.
template <class T>
class delay_line {
 public:
  static constexpr std::size_t length = 16;
  static constexpr std::size_t cached_bytes = std::size_t{1} << 21;  ///< up to so many of what is added to, nothing need wait

  explicit delay_line(std::size_t width) : targets_(length), values_(length * width) {}

  /// Takes a contribution of D = width numbers in, and gives the oldest out instead.
  template <std::size_t D>
  [[gnu::always_inline]] std::pair<std::size_t, std::array<T, D>> exchange(std::size_t target, const std::array<T, D>& x) {
    const std::size_t at = next_++ % length;
    return {std::exchange(targets_[at], target), exchange_values(values_.data() + at * D, x, std::make_index_sequence<D>())};
  }

 private:
  /// One by one: what a loop stores in parts and loads as a whole waits for the cache.
  template <std::size_t D, std::size_t... d>
  [[gnu::always_inline]] static std::array<T, D> exchange_values(T* values, const std::array<T, D>& x, std::index_sequence<d...>) {
    return {std::exchange(values[d], x[d])...};
  }

  zeroed_array<std::size_t> targets_;
  zeroed_array<T> values_;
  std::size_t next_ = 0;
};

}  // namespace accrue::detail
