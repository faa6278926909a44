// SPDX-License-Identifier: BSD-3-Clause
// What accrue keeps with a communicator of the caller's: a duplicate, so that its messages meet no others, made at the first call with
// it, which is collective as all calls are, and freed with it.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "accrue/backends/mpi/sum_digits.hpp"

namespace accrue::ranks {

/// The bytes of a call's first message, unless the calls before it had several results.
inline constexpr std::size_t first_bytes = 256;

/// What all ranks have seen of calls before, and know alike, since they made the same ones.
struct seen_before {
  std::size_t message_bytes = first_bytes;       ///< of the first message of the next call
  std::size_t wished_bytes = first_bytes;        ///< what the last call would have filled
  std::map<std::array<std::uint64_t, 2>, bit_range> bits_of_sums;  ///< by their kind and number (window_sums.hpp)
};

/// The caller's communicator as its members know it.
struct communicator {
  MPI_Comm callers = MPI_COMM_NULL;
  MPI_Comm own = MPI_COMM_NULL;  ///< the duplicate; its errors come back as codes
  int rank = 0;
  int size = 1;
  std::unique_ptr<seen_before> seen = std::make_unique<seen_before>();
};

/// Of the calling process. Throws `not_initialized` where MPI is not at work, and `kernel_failure` with MPI's text for its errors.
const communicator& communicator_of(MPI_Comm comm);

/// Throws `kernel_failure` with MPI's text unless the code is MPI_SUCCESS.
void check(int code, const char* call);

}  // namespace accrue::ranks
