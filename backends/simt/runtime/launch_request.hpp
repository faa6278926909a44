// SPDX-License-Identifier: BSD-3-Clause
// What a launch needs to know: the device, the stream, the memory of the call. Backends fill it in; launch.cuh uses it.
#pragma once

#include <cstddef>

#include "accrue/backends/simt/kernel/limits.hpp"

namespace accrue::simt {

/// Scratch memory of one call: a ticket, words that are zero between kernels, and memory for partial results.
inline constexpr std::size_t ticket_bytes = 256;
inline constexpr std::size_t zero_words_bytes = 32768;
inline constexpr std::size_t least_workspace_bytes = ticket_bytes + zero_words_bytes + (std::size_t{4} << 20);

struct device_facts {
  int device;
  int architecture;     ///< compute capability times ten; of AMD's devices minus the gfx number (tuning.hpp)
  unsigned warp_width;  ///< lanes
  unsigned multiprocessors;
  std::size_t shared_bytes;  ///< that one block can have
};

struct launch_request {
  const device_facts* device;
  void* stream;
  unsigned blocks;   ///< 0: as tuned
  unsigned threads;  ///< 0: as tuned; else whole warps
  unsigned char* workspace;
  std::size_t workspace_bytes;
  void* result;  ///< memory that the device can write
  int* status;   ///< where the device leaves an error code
  const void* earlier = nullptr;     ///< the state of earlier elements, to be merged in; nullptr: there are none
  bool keeps_state = false;          ///< the result is the state
  const unsigned* unless = nullptr;  ///< in device memory, for sums of segments: where it is not zero, they do nothing
};

/// What `accrue info` tells of a kernel.
struct kernel_facts {
  const char* name;
  int registers;
  std::size_t static_shared_bytes;
  std::size_t dynamic_shared_bytes;
  std::size_t local_bytes;
  unsigned threads;
  int blocks_per_multiprocessor;
};

}  // namespace accrue::simt
