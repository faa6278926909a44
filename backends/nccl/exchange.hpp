// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of an NCCL communicator exchange, on the stream of a device.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "accrue/error.hpp"

namespace accrue::nccl_ranks {

/// Throws `kernel_failure` with NCCL's text unless the call has succeeded, which is waited for where the communicator does not block.
void check(ncclResult_t code, ncclComm_t comm, const char* call);

/// Enqueues words[i] = the sum over all ranks of their words[i], modulo 2^64. Device memory.
void add_words(ncclComm_t comm, std::int64_t* words, std::size_t count, void* stream);
/// Enqueues all[k * bytes ...] = the `bytes` of rank k at `mine`. Device memory.
void gather(ncclComm_t comm, const void* mine, void* all, std::size_t bytes, void* stream);

/// What a rank tells the others in a call that blocks, of one size for all calls: its state, or its error.
struct message {
  static constexpr std::size_t room = 1792;
  std::int32_t code = 0;           ///< an error's; 0: none
  std::int32_t reserved = 0;
  std::uint64_t kind = 0;          ///< of the reduction; 0: not known
  std::uint64_t elements = 0;      ///< of this rank
  std::uint64_t state_bytes = 0;
  char text[224] = "";             ///< the error's
  std::byte state[room] = {};      ///< where it fits
};
static_assert(sizeof(message) == 2048);

void put_error(message& m, errc code, const std::string& what);
/// Throws the failure of the lowest rank that has one, and `size_mismatch` where ranks are in calls of different kinds.
void throw_failures(const std::vector<message>& all);

}  // namespace accrue::nccl_ranks
