// SPDX-License-Identifier: BSD-3-Clause
// The ordered tree, written from its description alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace test {

/// ordered_tree.hpp, word by word, one element at a time.
template <class State, class Fold, class Merge>
State reference_tree(std::size_t n, State start, Fold fold, Merge merge) {
  const auto chunk = [&](std::size_t c) {
    const std::size_t first = c * 4096;
    const std::size_t size = std::min<std::size_t>(4096, n - first);
    std::vector<State> lane(256, start);
    std::vector<bool> exists(256, false);
    for (std::size_t i = 0; i < size; ++i) {
      lane[i % 256] = fold(lane[i % 256], first + i);
      exists[i % 256] = true;
    }
    for (std::size_t half = 128; half != 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) {
        if (exists[l] && exists[l + half]) {
          lane[l] = merge(lane[l], lane[l + half]);
          exists[l + half] = false;
        }
      }
    }
    return lane[0];
  };
  const auto node = [&](auto&& self, std::size_t begin, std::size_t end) -> State {
    if (end - begin == 1) return chunk(begin);
    std::size_t half = 1;
    while (2 * half < end - begin) half *= 2;
    return merge(self(self, begin, begin + half), self(self, begin + half, end));
  };
  if (n == 0) return start;
  return node(node, 0, (n + 4095) / 4096);
}

}  // namespace test
