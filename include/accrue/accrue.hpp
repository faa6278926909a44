// SPDX-License-Identifier: BSD-3-Clause
// Reductions: the front door, the types, and the backends of this build. Apart from it: accumulation (accumulate.hpp), forces (md/md.hpp),
// what goes with Kokkos (kokkos.hpp).
#pragma once

#include "accrue/detail/language.hpp"

#include "accrue/backends.hpp"
#include "accrue/element.hpp"
#include "accrue/error.hpp"
#include "accrue/fuse.hpp"
#include "accrue/guarantee.hpp"
#include "accrue/instruction_set.hpp"
#include "accrue/reducer.hpp"
#include "accrue/reductions.hpp"
#include "accrue/superaccumulator.hpp"
#include "accrue/version.hpp"
