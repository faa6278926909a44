// SPDX-License-Identifier: BSD-3-Clause
// Pair forces on Kokkos's spaces, over lists in Views. Link accrue::md and accrue::kokkos.
#pragma once

#include "accrue/backends/kokkos/pair_forces.hpp"
