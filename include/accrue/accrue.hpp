// SPDX-License-Identifier: BSD-3-Clause
// Everything: the front door, the types, and the backends of this build.
#pragma once

#include "accrue/detail/language.hpp"

#include "accrue/accumulate.hpp"
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
