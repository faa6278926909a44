// SPDX-License-Identifier: BSD-3-Clause
// The combination tree of the `ordered` guarantee: a function of n alone, the same on every backend. All backends quote this file.
//
//   Chunks   Elements 4096 c to 4096 c + 4095 form chunk c; the last chunk may be short.
//   Lanes    Within a chunk, element 256 r + l is row r of lane l. A lane starts from the reducer's start() and folds its rows in
//            order, row 0 first. Lanes of a short chunk that no element reaches do not exist.
//   Join     For half = 128, 64, 32, 16, 8, 4, 2, 1: lane l takes lane l + half, for l < half, where lane l + half exists. Lane 0
//            is the chunk's result.
//   Chunks   Results 0 .. m-1 join over their index: a node over m > 1 results splits at the largest power of two below m, and is
//            merge(left, right). No elements: start().
//
// Complex numbers: a chunk is 4096 numbers. Sums take the two parts apart. Norms take the chunk's 8192 parts, as they lie in memory,
// for its elements. A dot product's real part is, for each chunk, (0 + tree(re re)) + tree(-im im); its imaginary part
// (0 + tree(re im)) + tree(im re).
//
// Why these shapes: 256 lanes are 64 vectors of four doubles on a CPU and eight doubles for each lane of a warp on a GPU, which
// reads rows with full-width loads; halving joins whole vectors until one is left, whatever the vector's width; 16 rows make a
// chunk of 32 KiB of doubles, long enough that the join costs nothing beside the reading. A tree over the chunk index lets any
// number of threads or blocks take aligned runs of chunks.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace accrue {

struct ordered_tree {
  static constexpr std::size_t lanes = 256;
  static constexpr std::size_t rows = 16;
  static constexpr std::size_t chunk = lanes * rows;

  static constexpr std::size_t chunks(std::size_t n) { return n / chunk + (n % chunk != 0 ? 1 : 0); }
};

namespace detail {

/// Joins results that arrive in index order: after 2^k of them, one node. `Merge` is merge(left&, const right&).
template <class State>
class tree_joiner {
 public:
  template <class Merge>
  void push(State result, const Merge& merge) {
    for (std::size_t k = count_; (k & 1) != 0; k >>= 1) {
      --depth_;
      merge(node_[depth_], result);
      result = std::move(node_[depth_]);
    }
    node_[depth_++] = std::move(result);
    ++count_;
  }
  [[nodiscard]] bool empty() const { return depth_ == 0; }
  /// The root; at least one result was pushed.
  template <class Merge>
  State root(const Merge& merge) {
    while (depth_ > 1) {
      --depth_;
      merge(node_[depth_ - 1], node_[depth_]);
    }
    return std::move(node_[0]);
  }

 private:
  std::array<State, 64> node_{};
  std::size_t depth_ = 0;
  std::size_t count_ = 0;
};

}  // namespace detail

}  // namespace accrue
