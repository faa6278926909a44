// SPDX-License-Identifier: BSD-3-Clause
// The floating environment inside a reduction: round to nearest, subnormals kept, no traps; the caller's comes back afterwards.
#pragma once

#include <cfenv>
#include <cstdint>

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
#elif defined(__aarch64__)
  fp_environment() {
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(flags_)::"memory");
    if (control_ != default_control) set_control(default_control);
  }
  ~fp_environment() {
    std::uint64_t control = 0;
    std::uint64_t flags = 0;
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags)::"memory");
    if (control != control_) set_control(control_);
    if (flags != flags_) asm volatile("msr fpsr, %0" ::"r"(flags_) : "memory");
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
#elif defined(__aarch64__)
  static constexpr std::uint64_t default_control = 0;  // no traps, nearest, no flush-to-zero, NaNs and 16-bit floats as IEEE 754 has them
  static void set_control(std::uint64_t value) { asm volatile("msr fpcr, %0" ::"r"(value) : "memory"); }
  std::uint64_t control_ = 0;  // FPCR
  std::uint64_t flags_ = 0;    // FPSR
#else
  std::fenv_t saved_{};
#endif
};

}  // namespace accrue::detail
