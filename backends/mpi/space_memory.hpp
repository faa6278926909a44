// SPDX-License-Identifier: BSD-3-Clause
// Memory of a rank's space, for a call.
#pragma once

#include <cstddef>
#include <memory>

namespace accrue::ranks {

/// So many bytes, released with what owns them. Throws `out_of_memory`.
template <class Space>
auto memory_of(const Space& space, std::size_t bytes) {
  const auto release = [&space](std::byte* p) {
    try {
      space.deallocate(p);
    } catch (...) {  // what a device has failed with is known already
    }
  };
  return std::unique_ptr<std::byte, decltype(release)>(static_cast<std::byte*>(space.allocate(bytes)), release);
}

}  // namespace accrue::ranks
