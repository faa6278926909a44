// SPDX-License-Identifier: BSD-3-Clause
// Which vector instructions the CPU kernels use: chosen from what the processor has, the same bits from each.
#pragma once

namespace accrue {

enum class instruction_set {
  baseline,  ///< what the compiler assumes of every processor: SSE2 on x86-64, NEON on aarch64 (and so `to_string` calls it)
  avx2,      ///< with FMA and F16C
  avx512     ///< F, BW, CD, DQ and VL
};

const char* to_string(instruction_set set);

/// The best set that this processor has and this library was built with.
instruction_set best_instruction_set();

/// The set in use.
instruction_set current_instruction_set();

/// Uses `set` from now on, in the whole process, or the best available below it; returns the one chosen. For tests and comparisons;
/// not to be called while a reduction runs.
instruction_set limit_instruction_set(instruction_set set);

}  // namespace accrue
