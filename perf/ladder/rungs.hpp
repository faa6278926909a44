// SPDX-License-Identifier: BSD-3-Clause
// A rung: one method of the ladders, how it runs, what was published of it, and what limits it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder {

inline void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

enum class element { int32, float32, float64, half16 };

/// What a run works on: one copy of the input, and room for partial sums twice over.
struct buffers {
  void* input;
  void* partials;
  void* more_partials;
  cudaStream_t stream;
};

/// Registers, shared memory and occupancy of a rung's kernel.
struct resources {
  int registers = 0;
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  std::size_t local_bytes = 0;
  unsigned threads = 0;
  double occupancy = 0;  ///< theoretical: warps that fit over warps that a multiprocessor can hold
};

struct rung {
  std::string ladder;  ///< "A" to "E", or "R" for resources
  std::string name;
  element type;
  std::size_t n;
  double published_ms;  ///< 0: none
  std::string published_on;
  std::string limit;
  std::string proof;  ///< the profiler's counter that shows the limit, as report/counters.py names it
  bool in_place;      ///< the input is lost
  std::size_t sums;   ///< results: 1, or one for each warp
  /// Enqueues the whole reduction; returns where its result is. In-place rungs of ladder D leave their last sums to the host.
  std::function<void*(const buffers&)> run;
  std::size_t partial_sums;  ///< that the host adds, 1 where the device did
  std::function<resources()> needs;
};

/// All rungs. Nothing asks for a device before a rung runs.
std::vector<rung> all_rungs();

/// Additions a second of independent sums in registers, by type: the compute roof.
std::map<std::string, double> addition_rates();

}  // namespace ladder
