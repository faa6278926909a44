// SPDX-License-Identifier: BSD-3-Clause
// The parallel region, behind a function pointer: the one source of accrue with a directive of OpenMP's.
#pragma once

namespace accrue::omp {

/// Threads a parallel region without a num_threads clause would get here.
int available_threads();

/// Calls body(context, rank, size) from each of at most `threads` threads, where `size` is the team OpenMP really gave.
void run_team(const void* runtime, int threads, void (*body)(void* context, int rank, int size), void* context);

}  // namespace accrue::omp
