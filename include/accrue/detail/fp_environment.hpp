// SPDX-License-Identifier: BSD-3-Clause
// The floating environment inside a reduction: round to nearest, subnormals kept, no traps; the caller's comes back afterwards.
#pragma once

#include <cfenv>

namespace accrue::detail {

class fp_environment {
 public:
#if defined(__x86_64__)
  fp_environment() {
    asm volatile("stmxcsr %0" : "=m"(saved_)::"memory");
    if ((saved_ & control_bits) != default_control) set((saved_ & ~control_bits) | default_control);
  }
  ~fp_environment() {
    unsigned now = 0;
    asm volatile("stmxcsr %0" : "=m"(now)::"memory");
    if (now != saved_) set(saved_);
  }
#else
  fp_environment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~fp_environment() { std::fesetenv(&saved_); }
#endif
  fp_environment(const fp_environment&) = delete;
  fp_environment& operator=(const fp_environment&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned control_bits = 0xffc0;     // everything but the six sticky flags
  static constexpr unsigned default_control = 0x1f80;  // traps masked, nearest, no flush-to-zero, no denormals-are-zero
  static void set(unsigned value) { asm volatile("ldmxcsr %0" ::"m"(value) : "memory"); }
  unsigned saved_ = 0;
#else
  std::fenv_t saved_{};
#endif
};

}  // namespace accrue::detail
