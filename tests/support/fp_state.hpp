// SPDX-License-Identifier: BSD-3-Clause
// The processor's floating-point control and sticky flags, for tests that set them as a caller might have: beyond what <cfenv> knows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace test {

struct fp_state {
  std::uint64_t control;
  std::uint64_t flags;
  bool operator==(const fp_state&) const = default;
};

#if defined(__x86_64__)

inline fp_state read_fp_state() {
  unsigned mxcsr = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr)::"memory");
  return {mxcsr & ~0x3fu, mxcsr & 0x3fu};
}
inline void write_fp_state(const fp_state& s) {
  const auto mxcsr = static_cast<unsigned>(s.control | s.flags);
  asm volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory");
}
/// Flush-to-zero, denormals-are-zero, and both.
inline constexpr std::array<std::uint64_t, 3> flushing_controls{0x8000 | 0x1f80, 0x0040 | 0x1f80, 0x8040 | 0x1f80};
/// None, inexact, and all.
inline constexpr std::array<std::uint64_t, 3> sticky_flags{0x00, 0x20, 0x3f};

#elif defined(__aarch64__)

inline fp_state read_fp_state() {
  fp_state s{};
  asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(s.control), "=r"(s.flags)::"memory");
  return s;
}
inline void write_fp_state(const fp_state& s) {
  asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(s.control), "r"(s.flags) : "memory");
}
/// Flush-to-zero, default NaNs, alternative 16-bit floats, and flush-to-zero for 16 bits, apart and together.
inline constexpr std::array<std::uint64_t, 5> flushing_controls{1u << 24, 1u << 25, 1u << 26, 1u << 19,
                                                                  1u << 24 | 1u << 25 | 1u << 26 | 1u << 19};
/// None, inexact, and all.
inline constexpr std::array<std::uint64_t, 3> sticky_flags{0x00, 0x10, 0x9f};

#else  // nothing but what <cfenv> knows

inline fp_state read_fp_state() { return {}; }
inline void write_fp_state(const fp_state&) {}
inline constexpr std::array<std::uint64_t, 0> flushing_controls{};
inline constexpr std::array<std::uint64_t, 0> sticky_flags{};

#endif

/// States that a caller may have set, as this processor takes them.
inline std::vector<fp_state> unusual_fp_states() {
  std::vector<fp_state> states;
  const fp_state before = read_fp_state();
  for (const std::uint64_t control : flushing_controls) {
    for (const std::uint64_t flags : sticky_flags) {
      write_fp_state({control, flags});
      states.push_back(read_fp_state());
    }
  }
  write_fp_state(before);
  return states;
}

}  // namespace test
