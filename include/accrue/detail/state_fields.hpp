// SPDX-License-Identifier: BSD-3-Clause
// A reducer's state as bytes: its scalars one after the other, in the one representation of its value.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "accrue/element.hpp"
#include "accrue/error.hpp"

namespace accrue::detail {

/// "f64", "i32", "c128": an element type's name in the kinds of partial results.
template <class T>
std::string type_name() {
  if constexpr (complex_number<T>) {
    return sizeof(T) == 16 ? "c128" : "c64";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else {
    const char* const letter = std::is_same_v<T, bfloat16> ? "bf" : !integer<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
    return std::string(letter).append(std::to_string(8 * sizeof(T)));
  }
}

/// "sum f64": words with spaces between them.
template <class... Words>
std::string kind_text(const std::string& first, const Words&... words) {
  std::string text = first;
  (text.append(" ").append(words), ...);
  return text;
}

/// Brings a state into the one representation of its value.
template <class R>
void normalize_state(const R& reducer, typename R::state& s) {
  if constexpr (requires { reducer.normalize(s); }) reducer.normalize(s);
}

/// Calls `visit(scalar&)` for each scalar of the state, always in the same order.
template <class R, class State, class Visit>
void visit_fields(const R& reducer, State& s, const Visit& visit) {
  if constexpr (requires { reducer.fields(s, visit); }) {
    reducer.fields(s, visit);
  } else {
    static_assert(std::is_arithmetic_v<State>,
                  "accrue: bytes of this state need the reducer's fields(state, visit), which visits its scalars; see reducer.hpp");
    visit(s);
  }
}

/// The kind of a reducer's partial results, which bytes of another kind are not.
template <class R>
std::string kind_of(const R& reducer) {
  static_assert(requires { std::string(reducer.kind()); },
                "accrue: bytes of this state need the reducer's kind(), the name of what it computes; see reducer.hpp");
  return reducer.kind();
}

// The form: "accrue", a zero byte and the version; the kind, filled up with zero bytes; the number of bytes of the state; the state's
// scalars; a checksum of all before it. All numbers are little-endian.
inline constexpr char bytes_begin[] = "accrue";
inline constexpr std::uint8_t bytes_version = 1;   // of one partial result
inline constexpr std::uint8_t groups_version = 2;  // of those of groups (partial_results.hpp)
inline constexpr std::size_t kind_width = 32;
inline constexpr std::size_t header_width = 8 + kind_width + 8;
inline constexpr std::size_t checksum_width = 8;

[[noreturn]] inline void refuse_bytes(const std::string& why) {
  throw error(errc::bad_input, std::string("accrue::partial_result: ").append(why));
}

/// FNV-1a, of 64 bits.
inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const std::byte b : bytes) sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
  return sum;
}

template <class T>
using bits_of_scalar =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Appends scalars, least significant byte first.
class byte_writer {
 public:
  explicit byte_writer(std::vector<std::byte>& to) : to_(to) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(const T& v) const {
    const auto bits = std::bit_cast<bits_of_scalar<T>>(v);
    for (std::size_t k = 0; k < sizeof(T); ++k) to_.push_back(static_cast<std::byte>(bits >> (8 * k)));
  }
  void kind(const std::string& s) const {
    if (s.size() >= kind_width) throw error(errc::invalid_argument, "accrue: the reducer's kind is longer than 31 bytes: " + s);
    text(s, kind_width);
  }
  void text(const std::string& s, std::size_t width) const {
    for (std::size_t k = 0; k < width; ++k) to_.push_back(static_cast<std::byte>(k < s.size() ? s[k] : '\0'));
  }

 private:
  std::vector<std::byte>& to_;
};

/// Takes scalars from the front of bytes.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte>& from) : from_(from) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(T& v) const {
    require(sizeof(T));
    bits_of_scalar<T> bits = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) {
      bits = static_cast<bits_of_scalar<T>>(bits | static_cast<bits_of_scalar<T>>(std::to_integer<unsigned>(from_[k])) << (8 * k));
    }
    if constexpr (std::is_same_v<T, bool>) {
      v = bits != 0;
    } else {
      v = std::bit_cast<T>(bits);
    }
    from_ = from_.subspan(sizeof(T));
  }
  void kind(const std::string& wanted) const {
    const std::string found = text(kind_width);
    if (found != wanted)
      refuse_bytes(std::string("bytes of kind '").append(found).append("', where '").append(wanted).append("' is wanted"));
  }
  std::string text(std::size_t width) const {
    require(width);
    std::string s;
    for (std::size_t k = 0; k < width; ++k) s.push_back(static_cast<char>(std::to_integer<unsigned char>(from_[k])));
    from_ = from_.subspan(width);
    return s.substr(0, s.find('\0'));
  }

 private:
  void require(std::size_t width) const {
    if (from_.size() < width) refuse_bytes("the bytes end within the state");
  }

  std::span<const std::byte>& from_;
};

/// The header of a payload that will follow, so many bytes.
inline void put_header(std::vector<std::byte>& bytes, std::uint8_t version, const std::string& kind, std::size_t payload) {
  bytes.reserve(header_width + payload + checksum_width);
  const byte_writer put(bytes);
  put.text(bytes_begin, 7);
  put(version);
  put.kind(kind);
  put(static_cast<std::uint64_t>(payload));
}
/// The payload behind a header of that version and kind, whose length and checksum are right.
inline std::span<const std::byte> checked_payload(std::span<const std::byte> bytes, std::uint8_t version, const std::string& kind) {
  std::span<const std::byte> left = bytes;
  const byte_reader get(left);
  if (get.text(7) != bytes_begin) refuse_bytes("these bytes are no partial result");
  std::uint8_t found = 0;
  get(found);
  if (found != version) {
    const auto text = [](std::uint8_t v) {
      return std::string("version ").append(std::to_string(v)).append(v == bytes_version    ? ", one partial result"
                                                                      : v == groups_version ? ", those of groups"
                                                                                            : "");
    };
    refuse_bytes("bytes of " + text(found) + ", where this call reads " + text(version));
  }
  get.kind(kind);
  std::uint64_t length = 0;
  get(length);
  if (left.size() < checksum_width || length != left.size() - checksum_width) {
    refuse_bytes(std::to_string(left.size()) + " bytes behind the header, where it says " + std::to_string(length) +
                 " and 8 of a checksum");
  }
  std::span<const std::byte> end = left.last(checksum_width);
  std::uint64_t sum = 0;
  byte_reader{end}(sum);
  if (sum != checksum(bytes.first(bytes.size() - checksum_width))) refuse_bytes("these bytes were damaged");
  return left.first(left.size() - checksum_width);
}

template <class R>
std::vector<std::byte> state_to_bytes(const R& reducer, typename R::state s) {
  normalize_state(reducer, s);
  std::vector<std::byte> payload;
  visit_fields(reducer, s, byte_writer(payload));
  std::vector<std::byte> bytes;
  put_header(bytes, bytes_version, kind_of(reducer), payload.size());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  byte_writer{bytes}(checksum(bytes));
  return bytes;
}

template <class R>
typename R::state state_from_bytes(const R& reducer, std::span<const std::byte> bytes) {
  std::span<const std::byte> payload = checked_payload(bytes, bytes_version, kind_of(reducer));
  auto s = reducer.empty();
  visit_fields(reducer, s, byte_reader(payload));
  if (!payload.empty()) refuse_bytes("a state that is too long by " + std::to_string(payload.size()) + " bytes");
  normalize_state(reducer, s);
  return s;
}

}  // namespace accrue::detail
