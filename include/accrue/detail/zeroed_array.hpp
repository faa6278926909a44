// SPDX-License-Identifier: BSD-3-Clause
// Large arrays that start as zeros, on cache lines of their own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace accrue::detail {

/// Memory of at least `bytes` zeros, aligned to 64 bytes at least, or null; and its end.
void* zero_pages(std::size_t bytes);
void return_zero_pages(void* first, std::size_t bytes);

/// `size` zeros of a trivial type, aligned to 64 bytes. Large ones come as zero pages, which the thread that first writes a page
/// gets near itself.
template <class T>
requires std::is_trivially_copyable_v<T>
class zeroed_array {
 public:
  zeroed_array() = default;
  explicit zeroed_array(std::size_t size) : size_(size), block_(nullptr, give_back{size * sizeof(T)}) {
    if (size > (~std::size_t{0} - alignment) / sizeof(T)) throw std::bad_alloc();
    std::size_t space = size * sizeof(T) + alignment;
    void* p = size * sizeof(T) < large ? std::calloc(space, 1) : zero_pages(size * sizeof(T));
    if (p == nullptr) throw std::bad_alloc();
    block_.reset(p);
    data_ = static_cast<T*>(std::align(alignment, size * sizeof(T), p, space));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t large = std::size_t{1} << 22;
  struct give_back {
    std::size_t bytes = 0;
    void operator()(void* block) const { bytes < large ? std::free(block) : return_zero_pages(block, bytes); }
  };

  std::size_t size_ = 0;
  T* data_ = nullptr;
  std::unique_ptr<void, give_back> block_;
};

}  // namespace accrue::detail
