// SPDX-License-Identifier: BSD-3-Clause
// A state's bytes in few: most words of an exact sum are zero, or all ones where it is negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace accrue::detail {

/// How a word of 64 bits is written, in two bits: not at all, or in so many bytes.
enum class word_code : std::uint8_t { zero, ones, digit, whole };  // ones: 2^32 - 1, a digit of a negative number

constexpr std::size_t written_bytes(word_code code) { return code == word_code::digit ? 4 : code == word_code::whole ? 8 : 0; }
/// The bytes of the codes of a state of so many bytes.
constexpr std::size_t code_bytes(std::size_t bytes) { return ((bytes + 7) / 8 + 3) / 4; }
inline word_code code_at(std::span<const std::byte> in, std::size_t word) {
  return static_cast<word_code>(std::to_integer<unsigned>(in[word / 4]) >> (word % 4 * 2) & 3);
}

/// Up to eight bytes as a number, the lowest first.
inline std::uint64_t load_word(const std::byte* from, std::size_t bytes) {
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < bytes; ++k) word |= std::to_integer<std::uint64_t>(from[k]) << (8 * k);
  return word;
}
inline void store_word(std::byte* to, std::uint64_t word, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k) to[k] = static_cast<std::byte>(word >> (8 * k));
}

/// Writes `bytes` bytes of a state, the codes of its words and then what those leave open. Answers the length, 0 where there is no room.
inline std::size_t compact(const std::byte* state, std::size_t bytes, std::span<std::byte> out) {
  std::size_t length = code_bytes(bytes);
  if (length > out.size()) return 0;
  std::memset(out.data(), 0, length);
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = load_word(state + at, bytes - at < 8 ? bytes - at : 8);
    const word_code code = word == 0            ? word_code::zero
                           : word == 0xffffffff ? word_code::ones
                           : word < 0xffffffff  ? word_code::digit
                                                : word_code::whole;
    out[at / 32] |= static_cast<std::byte>(static_cast<unsigned>(code) << (at / 8 % 4 * 2));
    const std::size_t written = written_bytes(code);
    if (out.size() - length < written) return 0;
    store_word(out.data() + length, word, written);
    length += written;
  }
  return length;
}
/// Reads them again. Answers how many bytes they were, 0 where `in` ends before.
inline std::size_t expand(std::span<const std::byte> in, std::byte* state, std::size_t bytes) {
  std::size_t length = code_bytes(bytes);
  if (length > in.size()) return 0;
  for (std::size_t at = 0; at < bytes; at += 8) {
    const word_code code = code_at(in, at / 8);
    const std::size_t written = written_bytes(code);
    if (in.size() - length < written) return 0;
    const std::uint64_t word = code == word_code::ones ? 0xffffffff : load_word(in.data() + length, written);
    length += written;
    store_word(state + at, word, bytes - at < 8 ? bytes - at : 8);
  }
  return length;
}

}  // namespace accrue::detail
