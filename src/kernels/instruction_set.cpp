// SPDX-License-Identifier: BSD-3-Clause
// The choice of vector instructions, through Highway's.
#include "accrue/instruction_set.hpp"

#include <hwy/highway.h>

#include <atomic>

namespace accrue {

namespace {

constexpr auto avx512_targets = static_cast<std::int64_t>(HWY_AVX3 | (HWY_AVX3 - 1));  // those below are AVX-512 with more
constexpr auto avx2_targets = static_cast<std::int64_t>(HWY_AVX2);

instruction_set of_targets(std::int64_t targets) {
  if ((targets & HWY_TARGETS & avx512_targets) != 0) return instruction_set::avx512;
  if ((targets & HWY_TARGETS & avx2_targets) != 0) return instruction_set::avx2;
  return instruction_set::baseline;
}

/// Has Highway choose. In 1.0.3 SupportedTargets() also resets the chosen target, without the limit; so it is set again.
instruction_set choose() {
  const std::int64_t targets = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(targets);
  return of_targets(targets);
}

/// The set in use, remembered: asking the processor takes microseconds under a hypervisor.
std::atomic<instruction_set>& current() {
  static std::atomic<instruction_set> set{best_instruction_set()};
  return set;
}

}  // namespace

const char* to_string(instruction_set set) {
  switch (set) {
    case instruction_set::avx512: return "AVX-512";
    case instruction_set::avx2: return "AVX2";
    case instruction_set::baseline: break;
  }
#if HWY_ARCH_X86
  return "SSE2";
#elif HWY_ARCH_ARM_A64
  return "NEON";
#else
  return "baseline";
#endif
}

instruction_set best_instruction_set() {
  static const instruction_set best = choose();
  return best;
}

instruction_set current_instruction_set() { return current(); }

instruction_set limit_instruction_set(instruction_set set) {
  (void)best_instruction_set();
  std::int64_t disabled = 0;
  if (set < instruction_set::avx512) disabled |= avx512_targets;
  if (set < instruction_set::avx2) disabled |= avx2_targets;
  hwy::DisableTargets(disabled);
  const instruction_set chosen = choose();
  current() = chosen;
  return chosen;
}

}  // namespace accrue
