// SPDX-License-Identifier: BSD-3-Clause
// Counts, quantifiers and bitwise reductions.
#pragma once

#include <cstdint>

#include "accrue/detail/state_fields.hpp"
#include "accrue/element.hpp"

namespace accrue {

/// The number of true elements.
struct count_true {
  using state = std::uint64_t;
  static constexpr bool order_free = true;
  static constexpr bool additive = true;
  constexpr state start() const { return 0; }
  constexpr void fold(state& s, bool x) const { s += x ? 1 : 0; }
  constexpr void merge(state& a, const state& b) const { a += b; }
  constexpr std::uint64_t finish(const state& s) const { return s; }
  std::string kind() const { return "count"; }
};

/// Whether some element is true; false for none. Stops at the first.
struct any_true {
  using state = bool;
  static constexpr bool order_free = true;
  constexpr state start() const { return false; }
  constexpr void fold(state& s, bool x) const { s = s || x; }
  constexpr void merge(state& a, const state& b) const { a = a || b; }
  constexpr bool finish(const state& s) const { return s; }
  constexpr bool saturated(const state& s) const { return s; }
  std::string kind() const { return "any"; }
};

/// x_0 & x_1 & ...; all bits set for no elements.
template <integer T>
struct bit_and_of {
  using state = T;
  static constexpr bool order_free = true;
  constexpr state start() const { return static_cast<T>(~T{0}); }
  constexpr void fold(state& s, T x) const { s = static_cast<T>(s & x); }
  constexpr void merge(state& a, const state& b) const { fold(a, b); }
  constexpr T finish(const state& s) const { return s; }
  std::string kind() const { return detail::kind_text("bit_and", detail::type_name<T>()); }
};
template <>
constexpr bool bit_and_of<bool>::start() const {
  return true;
}

/// x_0 | x_1 | ...; zero for no elements.
template <integer T>
struct bit_or_of {
  using state = T;
  static constexpr bool order_free = true;
  constexpr state start() const { return 0; }
  constexpr void fold(state& s, T x) const { s = static_cast<T>(s | x); }
  constexpr void merge(state& a, const state& b) const { fold(a, b); }
  constexpr T finish(const state& s) const { return s; }
  std::string kind() const { return detail::kind_text("bit_or", detail::type_name<T>()); }
};

/// x_0 ^ x_1 ^ ...; zero for no elements.
template <integer T>
struct bit_xor_of {
  using state = T;
  static constexpr bool order_free = true;
  constexpr state start() const { return 0; }
  constexpr void fold(state& s, T x) const { s = static_cast<T>(s ^ x); }
  constexpr void merge(state& a, const state& b) const { fold(a, b); }
  constexpr T finish(const state& s) const { return s; }
  std::string kind() const { return detail::kind_text("bit_xor", detail::type_name<T>()); }
};

}  // namespace accrue
