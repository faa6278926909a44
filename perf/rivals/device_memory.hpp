// SPDX-License-Identifier: BSD-3-Clause
// Memory for what a device rival keeps between calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace perf {

inline void check(cudaError_t e, const char* who) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(who) + ": " + cudaGetErrorString(e));
}

/// Memory for the largest call so far.
class growing_memory {
 public:
  void* get(std::size_t bytes, const char* who) {
    if (bytes > size_) {
      check(cudaFree(memory_), who);
      memory_ = nullptr;
      size_ = 0;
      check(cudaMalloc(&memory_, bytes), who);
      size_ = bytes;
    }
    return memory_;
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace perf
