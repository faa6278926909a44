// SPDX-License-Identifier: BSD-3-Clause
// What a backend tells of its runtime: runtime_api<Space>, under names that all runtimes share, and kernel_api<Space>, for sources
// that a device compiler sees. backends/cuda/api.hpp and backends/hip/api.hpp are the two there are.
#pragma once

#include <string>

#include "accrue/backends/simt/runtime/device_space.hpp"
#include "accrue/error.hpp"

namespace accrue::simt {

template <class Space>
struct runtime_api;
template <class Space>
struct kernel_api;

/// Where a pointer points: whether the device can reach it, and the device whose own memory it is, or -1.
struct memory_place {
  bool reachable;
  int device;
};
/// A stream's capture, if one is active: its number, and the graph it goes into.
template <class Graph>
struct capture {
  bool active = false;
  unsigned long long number = 0;
  Graph into = nullptr;
};

/// Throws for a failed runtime call, and clears the runtime's memory of it.
template <class Space>
void check(typename runtime_api<Space>::status e, const char* what) {
  using api = runtime_api<Space>;
  if (e == api::success) return;
  (void)api::last_error();
  throw error(api::code_of(e), std::string("accrue::") + Space::name + ": " + what + ": " + api::text_of(e));
}

}  // namespace accrue::simt
