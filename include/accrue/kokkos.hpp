// SPDX-License-Identifier: BSD-3-Clause
// Everything for programs that use Kokkos: accrue::kokkos<ExecutionSpace>, accumulation into Views, and exact reducers for their own
// kernels. Link accrue::kokkos.
#pragma once

#include "accrue/detail/language.hpp"

#include "accrue/accrue.hpp"
#include "accrue/backends/kokkos/accumulate_views.hpp"
#include "accrue/backends/kokkos/exact_reducers.hpp"
#include "accrue/backends/kokkos/kokkos.hpp"
