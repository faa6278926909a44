// SPDX-License-Identifier: BSD-3-Clause
// What teams of host threads ask of the system.
#include "accrue/detail/host_team.hpp"

#include <chrono>
#include <thread>

namespace accrue::detail {

void yield_thread() { std::this_thread::yield(); }

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace accrue::detail
