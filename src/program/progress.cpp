// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace accrue::program {

progress::~progress() {
  if (shown_) fmt::print(stderr, "\r{}: done \n", name_);
}

void progress::at(std::uint64_t done) {
  const auto now = clock::now();
  if (now - last_ < std::chrono::milliseconds(shown_ ? 200 : 1000)) return;
  last_ = now;
  shown_ = true;
  fmt::print(stderr, "\r{}: {:3.0f}%", name_, total_ != 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total_) : 100.0);
  std::fflush(stderr);
}

}  // namespace accrue::program
