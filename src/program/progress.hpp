// SPDX-License-Identifier: BSD-3-Clause
// Progress on standard error for work that takes longer than a second.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace accrue::program {

class progress {
 public:
  progress(std::string name, std::uint64_t total) : name_(std::move(name)), total_(total) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() {
    if (shown_) fmt::print(stderr, "\r{}: done \n", name_);
  }
  void at(std::uint64_t done) {
    const auto now = clock::now();
    if (now - last_ < std::chrono::milliseconds(shown_ ? 200 : 1000)) return;
    last_ = now;
    shown_ = true;
    fmt::print(stderr, "\r{}: {:3.0f}%", name_, total_ != 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total_) : 100.0);
    std::fflush(stderr);
  }

 private:
  using clock = std::chrono::steady_clock;
  std::string name_;
  std::uint64_t total_;
  clock::time_point last_ = clock::now();
  bool shown_ = false;
};

}  // namespace accrue::program
