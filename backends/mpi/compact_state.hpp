// SPDX-License-Identifier: BSD-3-Clause
// A state in few bytes: most words of an exact sum are zero, or all ones where it is negative.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace accrue::ranks {

/// How a word of 64 bits is written: not at all, or in so many bytes.
enum class word_code : std::uint8_t { zero, ones, digit, whole };  // ones: 2^32 - 1, a digit of a negative number

/// Writes `bytes` of a state, two bits for each word and then what those leave open. Answers the length, 0 where there is no room.
inline std::size_t compact(const void* state, std::size_t bytes, std::span<std::byte> out) {
  const std::size_t words = (bytes + 7) / 8;
  std::size_t length = (words + 3) / 4;
  if (length > out.size()) return 0;
  std::memset(out.data(), 0, length);
  for (std::size_t k = 0; k < words; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(state) + 8 * k, bytes - 8 * k < 8 ? bytes - 8 * k : 8);
    const word_code code = word == 0            ? word_code::zero
                           : word == 0xffffffff ? word_code::ones
                           : word < 0xffffffff  ? word_code::digit
                                                : word_code::whole;
    out[k / 4] |= static_cast<std::byte>(static_cast<unsigned>(code) << (k % 4 * 2));
    const std::size_t written = code == word_code::digit ? 4 : code == word_code::whole ? 8 : 0;
    if (out.size() - length < written) return 0;
    std::memcpy(out.data() + length, &word, written);
    length += written;
  }
  return length;
}
/// Reads them again.
inline void expand(std::span<const std::byte> in, void* state, std::size_t bytes) {
  const std::size_t words = (bytes + 7) / 8;
  std::size_t at = (words + 3) / 4;
  for (std::size_t k = 0; k < words; ++k) {
    const auto code = static_cast<word_code>(std::to_integer<unsigned>(in[k / 4]) >> (k % 4 * 2) & 3);
    std::uint64_t word = code == word_code::ones ? 0xffffffff : 0;
    const std::size_t written = code == word_code::digit ? 4 : code == word_code::whole ? 8 : 0;
    std::memcpy(&word, in.data() + at, written);
    at += written;
    std::memcpy(static_cast<std::byte*>(state) + 8 * k, &word, bytes - 8 * k < 8 ? bytes - 8 * k : 8);
  }
}

}  // namespace accrue::ranks
