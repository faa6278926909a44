// SPDX-License-Identifier: BSD-3-Clause
// What an accumulation did when: for each thread, its intervals of work and of waiting.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "accrue/strategy.hpp"

namespace accrue {

enum class phase : std::uint8_t {
  preparing,  ///< gathering positions, clearing arrays
  computing,  ///< the caller's work, contributions included
  waiting,    ///< for the critical section, or for the others
  merging     ///< adding private copies into the result
};
inline constexpr phase all_phases[] = {phase::preparing, phase::computing, phase::waiting, phase::merging};

constexpr std::string_view to_string(phase p) {
  constexpr std::string_view names[] = {"preparing", "computing", "waiting", "merging"};
  return names[static_cast<std::size_t>(p)];
}

/// One thread's intervals, in seconds since the accumulation began; each starts where the one before it ends.
class alignas(64) thread_timeline {
 public:
  struct interval {
    phase what;
    double begin_s;
    double end_s;
  };

  /// Ends the present interval, which was of kind `what`.
  void end(phase what, double now_s) {
    if (size_ == intervals_.size()) return;
    intervals_[size_] = {what, size_ == 0 ? begin_s_ : intervals_[size_ - 1].end_s, now_s};
    ++size_;
  }
  void begin(double now_s) {
    begin_s_ = now_s;
    size_ = 0;
  }
  [[nodiscard]] const interval* begin() const { return intervals_.data(); }
  [[nodiscard]] const interval* end() const { return intervals_.data() + size_; }
  [[nodiscard]] double total_s(phase what) const {
    double total = 0;
    for (const interval& i : *this) total += i.what == what ? i.end_s - i.begin_s : 0;
    return total;
  }

 private:
  std::array<interval, 8> intervals_{};
  std::size_t size_ = 0;
  double begin_s_ = 0;
};

struct accumulation_report {
  strategy used = strategy::automatic;
  int threads = 0;
  double elapsed_s = 0;
  std::vector<thread_timeline> timelines;  ///< one for each thread
  std::size_t workspace_bytes = 0;         ///< private copies
  std::size_t merged_bytes = 0;            ///< read from private copies while merging
  double merge_s = 0;                      ///< Tc: the mean time of one thread in the critical section; 0 without one

  /// Seconds of all threads together in a phase.
  [[nodiscard]] double total_s(phase what) const {
    double total = 0;
    for (const auto& t : timelines) total += t.total_s(what);
    return total;
  }
  /// Seconds that threads waited before their first merge: before the critical section, where there is one.
  [[nodiscard]] double idle_before_merging_s() const {
    double total = 0;
    for (const auto& t : timelines) {
      bool computed = false;
      for (const auto& i : t) {
        if (i.what == phase::computing) computed = true;
        if (i.what == phase::merging) break;
        if (computed && i.what == phase::waiting) total += i.end_s - i.begin_s;
      }
    }
    return total;
  }
};

namespace detail {

/// Seconds since its construction.
class stopwatch {
 public:
  [[nodiscard]] double now_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What the triangle method has learned: the time of a merge and of a unit of work, smoothed from call to call. The step in use
/// changes only when it is a quarter off, so that shares stay the same while timings jitter.
class staircase_calibration {
 public:
  /// Units of work that take as long as one merge; 0 until something was measured.
  [[nodiscard]] double step() const { return step_; }
  void learn(double merge_s, double work_s) {
    if (!(merge_s > 0) || !(work_s > 0)) return;
    merge_s_ = merge_s_ > 0 ? (merge_s_ + merge_s) / 2 : merge_s;
    work_s_ = work_s_ > 0 ? (work_s_ + work_s) / 2 : work_s;
    const double now = merge_s_ / work_s_;
    if (now > 1.25 * step_ || now < 0.75 * step_) step_ = now;
  }

 private:
  double merge_s_ = 0;
  double work_s_ = 0;
  double step_ = 0;
};

}  // namespace detail
}  // namespace accrue
