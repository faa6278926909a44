// SPDX-License-Identifier: BSD-3-Clause
// The sentences about inputs that cannot be.
#include "accrue/detail/input_errors.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "accrue/error.hpp"

namespace accrue::detail {

namespace {

std::string in(const char* call) { return std::string("accrue::") + call + ": "; }
std::string elements(std::size_t n) { return std::to_string(n) + " elements"; }

}  // namespace

void throw_negative_count(const char* call, long long n) {
  throw error(errc::invalid_argument, in(call) + std::to_string(n) + " elements");
}
void throw_null_data(const char* call, std::size_t n) { throw error(errc::null_data, in(call) + "null data with " + elements(n)); }
void throw_size_overflow(const char* call, std::size_t n, std::size_t bytes) {
  throw error(errc::size_overflow, in(call) + elements(n) + " of " + std::to_string(bytes) + " bytes exceed the address space");
}
void throw_extents_overflow(const char* call, std::size_t rows, std::size_t columns) {
  throw error(errc::size_overflow,
              in(call) + std::to_string(rows) + " rows of " + elements(columns) + " are more than can be counted");
}
void throw_size_mismatch(const char* call, std::size_t x, std::size_t y) {
  throw error(errc::size_mismatch, in(call) + elements(x) + " against " + std::to_string(y));
}
void throw_out_of_range(const char* call, std::size_t first, std::size_t count, std::size_t n) {
  throw error(errc::out_of_range, in(call) + elements(count) + " from " + std::to_string(first) + " on, of " + std::to_string(n));
}

void throw_bad_offsets(std::size_t k, long long first, long long end, std::size_t n) {
  throw error(errc::out_of_range, in("segments") + "segment " + std::to_string(k) + " from " + std::to_string(first) + " to " +
                                      std::to_string(end) + "; offsets ascend from 0 to the number of elements, " + std::to_string(n));
}
void throw_no_offsets() {
  throw error(errc::size_mismatch, in("segments") + "no segments; offsets are one more than these");
}
void throw_bad_output(const char* call, std::size_t groups, std::size_t size) {
  if (size == 0) throw error(errc::size_mismatch, in(call) + "no output for " + std::to_string(groups) + " groups");
  throw error(errc::size_mismatch, in(call) + std::to_string(groups) + " groups, but an output of " + std::to_string(size));
}
void throw_strided_output(const char* call) {
  throw error(errc::invalid_argument, in(call) + "the output of a grouping has strides; it is to be contiguous");
}
void throw_in_group(const error& of_group, std::size_t k) {
  throw error(of_group.code(), std::string(of_group.what()) + ", in group " + std::to_string(k));
}
void throw_group_mismatch(const char* call, std::size_t x, std::size_t y) {
  throw error(errc::size_mismatch, in(call) + std::to_string(x) + " groups against " + std::to_string(y));
}
void throw_bad_key(std::size_t i, long long key, std::size_t groups) {
  throw error(errc::out_of_range, in("grouped") + "key " + std::to_string(i) + " is " + std::to_string(key) + ", but there are " +
                                      std::to_string(groups) +
                                      " groups (accrue::skip_other_keys behind their number leaves such elements out)");
}
void throw_too_many_keys(std::size_t groups) {
  throw error(errc::size_overflow, in("grouped") + std::to_string(groups) + " groups; there can be 2^32 - 2");
}
void throw_other_keys() { throw error(errc::invalid_argument, in("grouped") + "two inputs of one call have the same array of keys"); }
void throw_no_memory(const char* call, std::size_t n, std::size_t bytes) {
  throw error(errc::out_of_memory, in(call) + "no memory for " + elements(n) + " of " + std::to_string(bytes) + " bytes");
}
void throw_negative_threads(const char* space, int threads) {
  throw error(errc::invalid_argument, in(space) + std::to_string(threads) + " threads");
}
void end_without_finish() noexcept {
  std::fputs("accrue::scatter: an accumulator ends without finish(): what threads added since the last one is lost\n", stderr);
  std::abort();
}

}  // namespace accrue::detail
