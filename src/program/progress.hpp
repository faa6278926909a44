// SPDX-License-Identifier: BSD-3-Clause
// Progress on standard error for work that takes longer than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace accrue::program {

class progress {
 public:
  progress(std::string name, std::uint64_t total) : name_(std::move(name)), total_(total) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();
  void at(std::uint64_t done);

 private:
  using clock = std::chrono::steady_clock;
  std::string name_;
  std::uint64_t total_;
  clock::time_point last_ = clock::now();
  bool shown_ = false;
};

}  // namespace accrue::program
