// SPDX-License-Identifier: BSD-3-Clause
// Upload and download through a space's own memory functions.
#pragma once

#include <accrue/accrue.hpp>
#include <functional>
#include <span>
#include <vector>

namespace hook {

/// A copy of `host` in the space's memory, `shift` elements behind a 64-byte boundary.
template <class T>
class array {
 public:
  template <class Space>
  array(const Space& space, std::span<const T> host, std::size_t shift = 0) : size_(host.size()), shift_(shift) {
    memory_ = static_cast<T*>(space.allocate((host.size() + shift) * sizeof(T) + 1));
    space.copy(memory_ + shift, host.data(), host.size_bytes());
    space.synchronize();
    release_ = [space](void* p) { space.deallocate(p); };
    download_ = [space](void* to, const void* from, std::size_t bytes) {
      space.synchronize();
      space.copy(to, from, bytes);
      space.synchronize();
    };
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array() { release_(memory_); }

  std::span<const T> get() const { return {memory_ + shift_, size_}; }
  /// The elements as they are now, on the host.
  std::vector<T> host() const {
    std::vector<T> copy(size_);
    download_(copy.data(), memory_ + shift_, size_ * sizeof(T));
    return copy;
  }

 private:
  T* memory_;
  std::size_t size_;
  std::size_t shift_;
  std::function<void(void*)> release_;
  std::function<void(void*, const void*, std::size_t)> download_;
};

}  // namespace hook
