// SPDX-License-Identifier: BSD-3-Clause
// The one function behind all typed calls.
#pragma once

#include <cstddef>

#include "accrue/accrue.h"
#include "names.hpp"

namespace accrue::c {

/// Reduction r of n elements at x, and y where it reads pairs, for the typed call of that name.
accrue_status reduce_typed(const char* call, const named_reduction& r, const accrue_space* space, const void* x, const void* y,
                           std::size_t n, void* result);

}  // namespace accrue::c
