// SPDX-License-Identifier: BSD-3-Clause
// In a library without the mpi backend.
#include "ranks.hpp"

namespace accrue::c {

std::shared_ptr<const rank_group> ranks_of_fortran(int) {
  throw error(errc::invalid_argument, "accrue: this library was built without ranks: configure it with -DACCRUE_BACKENDS=\"...;mpi\"");
}

}  // namespace accrue::c
