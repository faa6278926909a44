// SPDX-License-Identifier: BSD-3-Clause
// Integers in the order of IEEE 754's minimum and maximum, so that extrema are integer comparisons: no flag or fast-math option
// can change them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "accrue/element.hpp"

namespace accrue::detail {

/// Where NaN stands among the keys. Minimum needs it lowest to propagate it, highest to ignore it.
enum class nan_rank : std::uint8_t { lowest, highest };

/// The fixed-width type of an integer's size and signedness.
template <integer T>
using fixed_width_t =
    std::conditional_t<std::is_signed_v<T>,
                       std::conditional_t<sizeof(T) == 1, std::int8_t,
                                          std::conditional_t<sizeof(T) == 2, std::int16_t,
                                                             std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>,
                       std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                          std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                             std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>>;

template <class T>
struct ordered_key;

template <integer T>
struct ordered_key<T> {
  using type = fixed_width_t<T>;
  static constexpr type encode(T x, nan_rank) { return static_cast<type>(x); }
  static constexpr T decode(type k, nan_rank) { return static_cast<T>(k); }
  static constexpr bool is_nan(type, nan_rank) { return false; }
};

/// The bits with the magnitude of negatives complemented count up from -NaN through -inf, -0, +0 and +inf to +NaN. Adding the
/// number of NaNs of one sign, modulo the word, turns that circle so that all NaNs lie together at one end.
template <class T>
requires(native_float<T> || small_float<T>) struct ordered_key<T> {
  using type = std::conditional_t<sizeof(T) == 8, std::int64_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>>;
  using word = std::make_unsigned_t<type>;
  static constexpr type largest = std::numeric_limits<type>::max();
  static constexpr type infinity = std::bit_cast<type>(static_cast<T>(std::numeric_limits<float>::infinity()));
  static constexpr word nans = static_cast<word>(largest - infinity);
  static constexpr word turn(nan_rank rank) { return rank == nan_rank::lowest ? nans : static_cast<word>(word{0} - nans); }

  static constexpr type encode(T x, nan_rank rank) {
    return static_cast<type>(static_cast<word>(turned(std::bit_cast<type>(x))) + turn(rank));
  }
  static constexpr T decode(type k, nan_rank rank) {
    if (is_nan(k, rank)) return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    return std::bit_cast<T>(turned(static_cast<type>(static_cast<word>(k) - turn(rank))));
  }
  static constexpr bool is_nan(type k, nan_rank rank) { return rank == nan_rank::lowest ? k <= last_nan(rank) : k >= last_nan(rank); }
  /// The key of a NaN that is next to those of numbers.
  static constexpr type last_nan(nan_rank rank) {
    constexpr auto pairs = static_cast<type>(2 * nans);
    return static_cast<type>(rank == nan_rank::lowest ? std::numeric_limits<type>::min() + (pairs - 1) : largest - (pairs - 1));
  }

 private:
  static constexpr type turned(type b) { return static_cast<type>(b ^ ((b >> (sizeof(T) * 8 - 1)) & largest)); }
};

template <class T>
using ordered_key_t = typename ordered_key<T>::type;

}  // namespace accrue::detail
