// SPDX-License-Identifier: BSD-3-Clause
// IEEE 754's sticky exception flags as a proof: while a flag stays down, no operation on the tile did what it tells of.
#pragma once

#include <cfenv>

namespace accrue::kernels {

/// Lowers the calling thread's flags on construction and tells later which operations have raised them.
///
/// Both questions first make the compiler finish every operation whose result is stored at `results`; the operands must have
/// been read from memory after construction. The fences are compiler barriers and cost nothing.
class exception_flags {
 public:
#if defined(__x86_64__)
  exception_flags() {
    unsigned mxcsr = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr)::"memory");
    if ((mxcsr & (inexact | underflow)) != 0) {
      mxcsr &= ~0x3fu;
      asm volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory");
    }
  }
  /// Whether an operation rounded.
  [[nodiscard]] bool rounded(const void* results) const { return raised(results, inexact); }
  /// Whether an operation rounded because its result was below the normal range.
  [[nodiscard]] bool underflowed(const void* results) const { return raised(results, underflow); }

 private:
  static constexpr unsigned underflow = 0x10;
  static constexpr unsigned inexact = 0x20;
  static bool raised(const void* results, unsigned which) {
    unsigned mxcsr = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr) : "r"(results) : "memory");
    return (mxcsr & which) != 0;
  }
#else
  exception_flags() {
    std::feclearexcept(FE_INEXACT | FE_UNDERFLOW);
    asm volatile("" ::: "memory");
  }
  [[nodiscard]] bool rounded(const void* results) const { return raised(results, FE_INEXACT); }
  [[nodiscard]] bool underflowed(const void* results) const { return raised(results, FE_UNDERFLOW); }

 private:
  static bool raised(const void* results, int which) {
    asm volatile("" ::"r"(results) : "memory");
    return std::fetestexcept(which) != 0;
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
