// SPDX-License-Identifier: BSD-3-Clause
// What calls throw of inputs that cannot be: out of line, so that a caller's sources need not build the sentences.
#pragma once

#include <cstddef>

#include "accrue/error.hpp"

namespace accrue::detail {

[[noreturn]] void throw_negative_count(const char* call, long long n);
[[noreturn]] void throw_null_data(const char* call, std::size_t n);
/// n elements of so many bytes.
[[noreturn]] void throw_size_overflow(const char* call, std::size_t n, std::size_t bytes);
/// A matrix with more elements than can be counted.
[[noreturn]] void throw_extents_overflow(const char* call, std::size_t rows, std::size_t columns);
[[noreturn]] void throw_size_mismatch(const char* call, std::size_t x, std::size_t y);
/// Elements [first, first + count) of n.
[[noreturn]] void throw_out_of_range(const char* call, std::size_t first, std::size_t count, std::size_t n);

/// Segment k from `first` to `end` of n elements.
[[noreturn]] void throw_bad_offsets(std::size_t k, long long first, long long end, std::size_t n);
[[noreturn]] void throw_no_offsets();
/// An output of `size` results for so many groups; 0: a null pointer.
[[noreturn]] void throw_bad_output(const char* call, std::size_t groups, std::size_t size);
[[noreturn]] void throw_strided_output(const char* call);
[[noreturn]] void throw_group_mismatch(const char* call, std::size_t x, std::size_t y);
/// Key i of so many groups.
[[noreturn]] void throw_bad_key(std::size_t i, long long key, std::size_t groups);
[[noreturn]] void throw_too_many_keys(std::size_t groups);
[[noreturn]] void throw_other_keys();
[[noreturn]] void throw_no_memory(const char* call, std::size_t n, std::size_t bytes);
[[noreturn]] void throw_negative_threads(const char* space, int threads);
/// What a group's elements are refused for, with the group.
[[noreturn]] void throw_in_group(const error& of_group, std::size_t k);
template <class F>
void in_group(std::size_t k, const F& f) {
  try {
    f();
  } catch (const error& e) {
    throw_in_group(e, k);
  }
}
/// Ends the program: what threads added was never merged into the targets.
[[noreturn]] void end_without_finish() noexcept;

}  // namespace accrue::detail
