// SPDX-License-Identifier: BSD-3-Clause
// Molecular dynamics: neighbour lists, pair forces, the Lennard-Jones potential. Link accrue::md.
#pragma once

#include "accrue/detail/language.hpp"

#include "accrue/md/lennard_jones.hpp"
#include "accrue/md/lennard_jones_mixture.hpp"
#include "accrue/md/neighbors.hpp"
#include "accrue/md/pair_forces.hpp"
