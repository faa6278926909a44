// SPDX-License-Identifier: BSD-3-Clause
// Molecular dynamics: neighbour lists, pair forces, the Lennard-Jones potential. Spaces come with accrue/accrue.hpp; link accrue::md beside
// accrue::accrue.
#pragma once

#include "accrue/detail/language.hpp"

#include "accrue/md/lennard_jones.hpp"
#include "accrue/md/lennard_jones_mixture.hpp"
#include "accrue/md/neighbors.hpp"
#include "accrue/md/pair_forces.hpp"
