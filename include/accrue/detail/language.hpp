// SPDX-License-Identifier: BSD-3-Clause
// C++20 or nothing: one sentence instead of thousands of errors.
#pragma once

#if __cplusplus < 202002L
#error "accrue needs C++20: compile with -std=c++20 or later"
#include "accrue needs C++20"  // no such file: compilers stop here
#endif
