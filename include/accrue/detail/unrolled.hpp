// SPDX-License-Identifier: BSD-3-Clause
// Loops over the few numbers of a target.
#pragma once

/// Before such a loop: without branches, which GCC leaves it at -O2 where the body is not tiny. nvcc does not know the pragma.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define ACCRUE_UNROLLED _Pragma("GCC unroll 4")
#else
#define ACCRUE_UNROLLED
#endif
