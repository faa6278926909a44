// SPDX-License-Identifier: BSD-3-Clause
// A thread's last contributions, where their targets are too many for a cache: each is added when what it adds to has come from memory.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "accrue/detail/zeroed_array.hpp"

namespace accrue::detail {

/// Contributions of `width` numbers each that wait, the last `length` of a thread. At first they are zeros to target 0.
class delay_line {
 public:
  static constexpr std::size_t length = 16;

  explicit delay_line(std::size_t width) : targets_(length), values_(length * width) {}

  /// Takes a contribution of D = width numbers in, and gives the oldest out instead.
  template <std::size_t D>
  [[gnu::always_inline]] std::pair<std::size_t, std::array<double, D>> exchange(std::size_t target, const std::array<double, D>& x) {
    const std::size_t at = next_++ % length;
    double* const values = values_.data() + at * D;
    std::pair<std::size_t, std::array<double, D>> oldest;
    oldest.first = std::exchange(targets_[at], target);
    for (std::size_t d = 0; d < D; ++d) oldest.second[d] = std::exchange(values[d], x[d]);
    return oldest;
  }

 private:
  zeroed_array<std::size_t> targets_;
  zeroed_array<double> values_;
  std::size_t next_ = 0;
};

}  // namespace accrue::detail
