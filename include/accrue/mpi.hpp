// SPDX-License-Identifier: BSD-3-Clause
// The mpi backend: reductions over the data of all ranks of a communicator. Its users link accrue::mpi.
#pragma once

#if !__has_include(<mpi.h>)
#error "accrue/mpi.hpp: no mpi.h here: link the target accrue::mpi, or compile with mpicxx"
#endif

#include "accrue/accrue.hpp"
#include "accrue/backends/mpi/mpi.hpp"
