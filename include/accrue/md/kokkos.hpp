// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces on Kokkos's spaces, over Views. Link accrue::md and accrue::kokkos.
#pragma once

#include "accrue/backends/kokkos/pair_forces.hpp"
#include "accrue/kokkos.hpp"
