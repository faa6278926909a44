// SPDX-License-Identifier: BSD-3-Clause
// Private copies of an array of targets, one for each thread of a team, and the ways of merging them. Copies are zero between uses,
// so that no step has to clear them: merging clears what it reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "accrue/detail/zeroed_array.hpp"

namespace accrue::detail {

/// Targets of `width` numbers of type T each. Threads note which groups of targets they wrote to, and merging touches no others.
template <class T>
class private_copies {
 public:
  static constexpr std::size_t group = 64;  ///< targets

  /// Room for `threads` copies of `targets` targets; what is there already stays. The new memory is zero.
  void reserve(int threads, std::size_t targets, std::size_t width) {
    if (targets != targets_ || width != width_) {
      copies_.clear();
      targets_ = targets;
      width_ = width;
    }
    while (copies_.size() < static_cast<std::size_t>(threads))
      copies_.push_back({zeroed_array<T>(targets * width), zeroed_array<bool>(groups())});
  }

  [[nodiscard]] int size() const { return static_cast<int>(copies_.size()); }
  [[nodiscard]] std::size_t groups() const { return (targets_ + group - 1) / group; }
  [[nodiscard]] T* values(int thread) const { return copies_[static_cast<std::size_t>(thread)].values.data(); }
  /// For each group: set it before writing to the group. No bytes, which compilers take for part of anything in memory.
  [[nodiscard]] bool* touched(int thread) const { return copies_[static_cast<std::size_t>(thread)].touched.data(); }
  [[nodiscard]] std::size_t bytes() const { return copies_.size() * (targets_ * width_ * sizeof(T) + groups()); }
  [[nodiscard]] std::size_t copy_bytes() const { return targets_ * width_ * sizeof(T); }

  /// Adds up the copies of group g in the order of threads, with `add(a, b)`, into the first that was touched; hands its targets to
  /// `sink(first, count, values)`, and clears all. Returns the bytes read.
  template <class Add, class Sink>
  std::size_t merge_group(std::size_t g, const Add& add, const Sink& sink) {
    const std::size_t first = g * group;
    const std::size_t count = std::min(group, targets_ - first);
    const std::size_t bytes = count * width_ * sizeof(T);
    T* sum = nullptr;
    std::size_t read = 0;
    for (auto& c : copies_) {
      if (!c.touched[g]) continue;
      T* v = c.values.data() + first * width_;
      read += bytes;
      if (sum == nullptr) {
        sum = v;
        continue;
      }
      for (std::size_t k = 0; k < count * width_; ++k) sum[k] = add(sum[k], v[k]);
      std::memset(static_cast<void*>(v), 0, bytes);
      c.touched[g] = false;
    }
    if (sum == nullptr) {
      sink(first, count, static_cast<const T*>(nullptr));
      return 0;
    }
    sink(first, count, static_cast<const T*>(sum));
    std::memset(static_cast<void*>(sum), 0, bytes);
    for (auto& c : copies_) c.touched[g] = false;
    return read;
  }

  /// Hands what `thread` wrote to `sink(first, count, values)`, group by group, and clears it. Returns the bytes read.
  template <class Sink>
  std::size_t merge_copy(int thread, const Sink& sink) {
    auto& c = copies_[static_cast<std::size_t>(thread)];
    std::size_t read = 0;
    for (std::size_t g = 0; g < groups(); ++g) {
      if (!c.touched[g]) continue;
      const std::size_t first = g * group;
      const std::size_t count = std::min(group, targets_ - first);
      T* v = c.values.data() + first * width_;
      sink(first, count, static_cast<const T*>(v));
      std::memset(static_cast<void*>(v), 0, count * width_ * sizeof(T));
      c.touched[g] = false;
      read += count * width_ * sizeof(T);
    }
    return read;
  }

  /// Forgets whatever was written.
  void clear() {
    for (auto& c : copies_) {
      std::memset(static_cast<void*>(c.values.data()), 0, copy_bytes());
      std::memset(c.touched.data(), 0, groups());
    }
  }

 private:
  struct copy {
    zeroed_array<T> values;
    zeroed_array<bool> touched;
  };

  std::vector<copy> copies_;
  std::size_t targets_ = 0;
  std::size_t width_ = 0;
};

}  // namespace accrue::detail
