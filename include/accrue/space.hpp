// SPDX-License-Identifier: BSD-3-Clause
// Spaces: what every backend's value type provides.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

namespace accrue {

/// Where a reduction runs and where its data lives. A backend's folder defines the type, its memory functions, and
/// `reduce_range(space, reducer, view)`, which returns the finished result.
template <class S>
concept execution_space = requires(const S& s, void* p, const void* q, std::size_t n) {
  { S::name } -> std::convertible_to<std::string_view>;
  { s.allocate(n) } -> std::same_as<void*>;
  s.deallocate(p);
  s.copy(p, q, n);
  s.fill(p, 0, n);
  s.synchronize();
};

/// A space whose work runs behind its caller: it also defines `reduce_range_into(space, reducer, view, result)`, which returns before
/// the result is there.
template <class S>
concept asynchronous_space = execution_space<S> && S::asynchronous;

namespace detail {

/// Memory of spaces whose data lives in the host's memory.
class host_memory {
 public:
  /// `size_bytes` bytes aligned to 64. Throws `errc::out_of_memory`.
  [[nodiscard]] void* allocate(std::size_t size_bytes) const;
  void deallocate(void* p) const;
  void copy(void* to, const void* from, std::size_t size_bytes) const;
  void fill(void* to, int byte, std::size_t size_bytes) const;
  /// Everything asked of the space so far has happened: host spaces never run behind their caller.
  void synchronize() const {}
};

}  // namespace detail
}  // namespace accrue
