// SPDX-License-Identifier: BSD-3-Clause
// IEEE 754's sticky exception flags as a proof: while a flag stays down, no operation on the tile did what it tells of.
#pragma once

#include <cfenv>
#include <cstdint>

namespace accrue::kernels {

/// Lowers the calling thread's flags on construction and tells later which operations have raised them.
///
/// Both questions first make the compiler finish every operation whose result is stored at `results`; the operands must have
/// been read from memory after construction. The fences are compiler barriers and cost nothing.
class exception_flags {
 public:
  exception_flags() {
    const word now = read(nullptr);
    if ((now & (inexact | underflow)) != 0) lower(now);
  }
  /// Whether an operation rounded.
  [[nodiscard]] bool rounded(const void* results) const { return (read(results) & inexact) != 0; }
  /// Whether an operation rounded because its result was below the normal range (before or after rounding, as the processor has it).
  [[nodiscard]] bool underflowed(const void* results) const { return (read(results) & underflow) != 0; }

 private:
#if defined(__x86_64__)
  using word = unsigned;  // MXCSR
  static constexpr word underflow = 0x10;
  static constexpr word inexact = 0x20;
  static word read(const void* results) {
    word mxcsr = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr) : "r"(results) : "memory");
    return mxcsr;
  }
  static void lower(word now) {
    now &= ~0x3fu;
    asm volatile("ldmxcsr %0" ::"m"(now) : "memory");
  }
#elif defined(__aarch64__)
  using word = std::uint64_t;  // FPSR
  static constexpr word underflow = 0x08;
  static constexpr word inexact = 0x10;
  static word read(const void* results) {
    word fpsr = 0;
    asm volatile("mrs %0, fpsr" : "=r"(fpsr) : "r"(results) : "memory");
    return fpsr;
  }
  static void lower(word now) { asm volatile("msr fpsr, %0" ::"r"(now & ~word{0x9f}) : "memory"); }
#else
  using word = int;
  static constexpr word underflow = FE_UNDERFLOW;
  static constexpr word inexact = FE_INEXACT;
  static word read(const void* results) {
    asm volatile("" ::"r"(results) : "memory");
    return std::fetestexcept(inexact | underflow);
  }
  static void lower(word) {
    std::feclearexcept(inexact | underflow);
    asm volatile("" ::: "memory");
  }
#endif
};

/// Whether this machine raises the flags at all: some emulators (Valgrind's) do not, and then nothing may rest on them.
inline bool exception_flags_work() {
  static const bool works = [] {
    volatile double operands[2] = {1.0, 0x1.8p-1000};
    double results[2];
    const exception_flags flags;
    results[0] = operands[0] + operands[1];
    const bool rounds = flags.rounded(results);
    const exception_flags fresh;
    results[1] = operands[1] * operands[1];
    return rounds && fresh.underflowed(results);
  }();
  return works;
}

}  // namespace accrue::kernels
