// SPDX-License-Identifier: BSD-3-Clause
// The mpi backend: reductions over the data of all ranks of a communicator. Its users link accrue::mpi.
#pragma once

#include "accrue/accrue.hpp"
#include "accrue/backends/mpi/mpi.hpp"
