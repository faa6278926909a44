// SPDX-License-Identifier: BSD-3-Clause
// Element types: the 16-bit floats, and the traits that say what a named reduction of each type returns.
#pragma once

#include "accrue/detail/language.hpp"

#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace accrue {

namespace detail {

/// Shifts right and rounds to nearest, ties to even; `shift` is 1 to 63.
constexpr std::uint64_t shift_right_rounded(std::uint64_t bits, int shift) {
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t odd = (bits >> shift) & 1;
  return (bits + half - 1 + odd) >> shift;
}

/// |x| of an integer other than bool, in the unsigned type that holds it.
template <class T>
constexpr std::make_unsigned_t<T> magnitude(T x) {
  using result = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (x < 0) return static_cast<result>(result{0} - static_cast<result>(x));
  }
  return static_cast<result>(x);
}

}  // namespace detail

/// IEEE 754 binary16, bit-compatible with CUDA's and HIP's `__half`: storage and conversion, no arithmetic.
struct half {
  std::uint16_t bits = 0;

  constexpr half() = default;
  /// Rounds to nearest, ties to even. NaN becomes the canonical quiet NaN.
  constexpr explicit half(float value) {
    const auto f = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((f >> 16) & 0x8000u);
    const std::uint32_t magnitude = f & 0x7fffffffu;
    std::uint32_t result = 0;
    if (magnitude > 0x7f800000u) {
      bits = 0x7e00u;
      return;
    }
    if (magnitude >= 0x47800000u) {
      result = 0x7c00u;
    } else if (magnitude >= 0x38800000u) {  // normal: rebias by 112, drop 13 bits; a carry into infinity is right
      result = static_cast<std::uint32_t>(detail::shift_right_rounded(magnitude - 0x38000000u, 13));
    } else if (magnitude >= 0x33000000u) {  // subnormal: the significand shifted to the fixed scale 2^-24
      const int shift = 126 - static_cast<int>(magnitude >> 23);
      result = static_cast<std::uint32_t>(detail::shift_right_rounded((magnitude & 0x7fffffu) | 0x800000u, shift));
    }
    bits = static_cast<std::uint16_t>(sign | result);
  }
  constexpr explicit operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    const std::uint32_t significand = bits & 0x3ffu;
    if (exponent == 0x1fu) return std::bit_cast<float>(sign | 0x7f800000u | (significand << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (significand << 13));
    if (significand == 0) return std::bit_cast<float>(sign);
    const int lead = static_cast<int>(std::bit_width(significand)) - 1;  // a subnormal is significand * 2^-24
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(lead + 103) << 23) |
                                ((significand << (23 - lead)) & 0x7fffffu));
  }
  static constexpr half from_bits(std::uint16_t b) {
    half h;
    h.bits = b;
    return h;
  }
  friend constexpr bool operator==(half a, half b) { return static_cast<float>(a) == static_cast<float>(b); }
};

/// The upper half of a binary32, bit-compatible with CUDA's and HIP's `__nv_bfloat16`: storage and conversion.
struct bfloat16 {
  std::uint16_t bits = 0;

  constexpr bfloat16() = default;
  /// Rounds to nearest, ties to even. NaN becomes the canonical quiet NaN.
  constexpr explicit bfloat16(float value) {
    const auto f = std::bit_cast<std::uint32_t>(value);
    const bool nan = (f & 0x7fffffffu) > 0x7f800000u;
    bits = nan ? std::uint16_t{0x7fc0u} : static_cast<std::uint16_t>(detail::shift_right_rounded(f, 16));
  }
  constexpr explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  static constexpr bfloat16 from_bits(std::uint16_t b) {
    bfloat16 h;
    h.bits = b;
    return h;
  }
  friend constexpr bool operator==(bfloat16 a, bfloat16 b) { return static_cast<float>(a) == static_cast<float>(b); }
};

template <class T>
concept small_float = std::same_as<T, half> || std::same_as<T, bfloat16>;
template <class T>
concept native_float = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept integer = std::integral<T> && sizeof(T) <= 8;
template <class T>
inline constexpr bool is_complex = false;
template <native_float T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
concept complex_number = is_complex<T>;
/// Types that have an order and a magnitude: what min, max and the norms take.
template <class T>
concept real_number = native_float<T> || small_float<T> || integer<T>;
template <class T>
concept number = real_number<T> || complex_number<T>;

namespace detail {

template <class T>
struct total_type {};
template <native_float T>
struct total_type<T> {
  using type = T;
};
template <small_float T>
struct total_type<T> {
  using type = float;
};
template <integer T>
struct total_type<T> {
  using type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <complex_number T>
struct total_type<T> {
  using type = T;
};

}  // namespace detail

/// Types of elements and results as values; c64 and c128 are complex numbers of f32 and f64.
enum class element_type : std::uint8_t { f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, c64, c128 };

namespace detail {

/// The types themselves, in that order.
using types_of_elements = std::tuple<double, float, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                     std::uint16_t, std::uint32_t, std::uint64_t, std::complex<float>, std::complex<double>>;
inline constexpr std::size_t element_types = std::tuple_size_v<types_of_elements>;
template <element_type e>
using type_of_element = std::tuple_element_t<static_cast<std::size_t>(e), types_of_elements>;

constexpr bool is_complex_type(element_type e) { return e >= element_type::c64; }
constexpr bool is_integer_type(element_type e) { return e >= element_type::i8 && e <= element_type::u64; }
constexpr bool is_native_float(element_type e) { return e <= element_type::f32; }

/// The place of a type among them; `element_types` if it is none.
template <class T>
inline constexpr std::size_t place_of_element = []<class... Types>(std::type_identity<std::tuple<Types...>>) {
  std::size_t k = 0;
  (void)((std::is_same_v<T, Types> || (++k, false)) || ...);
  return k;
}(std::type_identity<types_of_elements>{});

/// The value of a type.
template <class T>
constexpr element_type element_type_of() {
  static_assert(place_of_element<T> < element_types, "accrue: not an element type of the closed set");
  return static_cast<element_type>(place_of_element<T>);
}

}  // namespace detail

/// What a sum, dot product or product of elements `T` returns unless the caller asks for another type.
template <number T>
using total_t = typename detail::total_type<T>::type;

/// What a mean, a 2-norm or a standard deviation of elements `T` returns: integers give `double`.
template <number T>
using fraction_t = std::conditional_t<integer<T>, double, total_t<T>>;

/// The type whose arithmetic carries elements of type `T`: 16-bit floats are widened to `float` when read.
template <class T>
using carrier_t = std::conditional_t<small_float<T>, float, T>;

}  // namespace accrue
