// SPDX-License-Identifier: BSD-3-Clause
// Copies of an input, which calls take in turns so that together they exceed the last-level cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "stage.hpp"

namespace perf {

template <class T>
class rotating_input {
 public:
  rotating_input(const stage& on, std::size_t least_bytes) : on_(on), least_bytes_(least_bytes) {}

  /// Fills as many copies of n elements as needed.
  void hold(const T* values, std::size_t n) {
    constexpr std::size_t aligned = 256 / sizeof(T);
    stride_ = (n + aligned - 1) / aligned * aligned;
    copies_ = std::max<std::size_t>(1, (least_bytes_ + stride_ * sizeof(T) - 1) / (stride_ * sizeof(T)));
    if (copies_ * stride_ > room_) {
      memory_ = nullptr;
      room_ = copies_ * stride_;
      memory_ = on_.allocate(room_ * sizeof(T));
    }
    on_.copy(at(0), values, n * sizeof(T));
    for (std::size_t made = 1; made < copies_; made *= 2) {
      on_.copy(at(made), at(0), std::min(made, copies_ - made) * stride_ * sizeof(T));
    }
  }
  [[nodiscard]] T* at(std::size_t k) const { return static_cast<T*>(memory_.get()) + k % copies_ * stride_; }

 private:
  const stage& on_;
  std::size_t least_bytes_;
  std::size_t stride_ = 0;
  std::size_t copies_ = 1;
  std::size_t room_ = 0;
  std::shared_ptr<void> memory_;
};

}  // namespace perf
