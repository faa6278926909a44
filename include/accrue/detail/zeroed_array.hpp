// SPDX-License-Identifier: BSD-3-Clause
// Large arrays that start as zeros, on cache lines of their own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace accrue::detail {

/// `size` zeros of a trivial type, aligned to 64 bytes. Large ones come as zero pages, which the thread that first writes a page
/// gets near itself.
template <class T>
requires std::is_trivially_copyable_v<T>
class zeroed_array {
 public:
  zeroed_array() = default;
  explicit zeroed_array(std::size_t size) : size_(size), block_(std::calloc(size * sizeof(T) + alignment, 1), &std::free) {
    if (block_ == nullptr) throw std::bad_alloc();
    void* p = block_.get();
    std::size_t space = size * sizeof(T) + alignment;
    data_ = static_cast<T*>(std::align(alignment, size * sizeof(T), p, space));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t alignment = 64;
  std::size_t size_ = 0;
  T* data_ = nullptr;
  std::unique_ptr<void, void (*)(void*)> block_{nullptr, &std::free};
};

}  // namespace accrue::detail
