// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces on the spaces cuda and hip, in .cu and .hip files.
#pragma once

#include "accrue/accrue.hpp"
#include "accrue/md/md.hpp"

#if __has_include("accrue/backends/simt/runtime/pair_force_launch.cuh")
#include "accrue/backends/simt/runtime/pair_force_launch.cuh"
#else
#error "this accrue has no device backend: build it with -DACCRUE_BACKENDS=...;cuda or hip"
#endif
