// SPDX-License-Identifier: BSD-3-Clause
// The function that headers of this version refer to.
#include "accrue/version.hpp"

extern "C" void ACCRUE_LIBRARY_OF_THIS_VERSION() {}

const char* accrue::library_version() noexcept { return ACCRUE_VERSION; }
