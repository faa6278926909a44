// SPDX-License-Identifier: BSD-3-Clause
// What accrue keeps with a communicator of the caller's: a duplicate, so that its messages meet no others, made at the first call with
// it, which is collective as all calls are, and freed with it.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace accrue::ranks {

/// The caller's communicator as its members know it.
struct communicator {
  MPI_Comm callers;
  MPI_Comm own;  ///< the duplicate; its errors come back as codes
  int rank;
  int size;
};

/// Of the calling process. Throws `not_initialized` where MPI is not at work, and `kernel_failure` with MPI's text for its errors.
const communicator& communicator_of(MPI_Comm comm);

/// Throws `kernel_failure` with MPI's text unless the code is MPI_SUCCESS.
void check(int code, const char* call);

}  // namespace accrue::ranks
