// SPDX-License-Identifier: BSD-3-Clause
// Memory of the host spaces.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "accrue/error.hpp"
#include "accrue/space.hpp"

namespace accrue::detail {

namespace {
constexpr std::align_val_t cache_line{64};
}

void* host_memory::allocate(std::size_t size_bytes) const {
  void* p = ::operator new(size_bytes, cache_line, std::nothrow);
  if (p == nullptr) throw error(errc::out_of_memory, "accrue: no memory for " + std::to_string(size_bytes) + " bytes");
  return p;
}

void host_memory::deallocate(void* p) const { ::operator delete(p, cache_line); }

void host_memory::copy(void* to, const void* from, std::size_t size_bytes) const {
  if (size_bytes != 0) std::memmove(to, from, size_bytes);
}

void host_memory::fill(void* to, int byte, std::size_t size_bytes) const {
  if (size_bytes != 0) std::memset(to, byte, size_bytes);
}

}  // namespace accrue::detail
