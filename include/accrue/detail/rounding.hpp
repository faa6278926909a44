// SPDX-License-Identifier: BSD-3-Clause
// Rounding of big integers, of their quotients and of square roots, once, to nearest even. Integer arithmetic only, and constexpr, so
// that device compilers take it as it is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace accrue::detail {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
using int128 = __int128;
using uint128 = unsigned __int128;
#pragma GCC diagnostic pop

/// Bits up to the highest that is set. On devices by halving: nvcc compiles libstdc++'s std::bit_width there without a word, and wrongly.
constexpr int bit_width(std::uint64_t v) {
#if defined(__CUDA_ARCH__)
  int width = v != 0 ? 1 : 0;
  for (int half = 32; half != 0; half /= 2) {
    if ((v >> half) != 0) {
      v >>= half;
      width += half;
    }
  }
  return width;
#else
  return static_cast<int>(std::bit_width(v));
#endif
}
constexpr int bit_width(uint128 v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high != 0 ? 64 + bit_width(high) : bit_width(static_cast<std::uint64_t>(v));
}

/// How many of the first elements are zero, and how many are left once zeros at the end are gone. By eights, since most of an exact sum's
/// words are zero.
template <class T>
constexpr std::size_t zeros_at_begin(std::span<const T> x) {
  std::size_t k = 0;
  for (; k + 8 <= x.size(); k += 8) {
    T any = 0;
    for (std::size_t j = 0; j < 8; ++j) any |= x[k + j];
    if (any != 0) break;
  }
  while (k < x.size() && x[k] == 0) ++k;
  return k;
}
template <class T>
constexpr std::size_t size_without_zeros(std::span<const T> x) {
  std::size_t size = x.size();
  for (; size >= 8; size -= 8) {
    T any = 0;
    for (std::size_t j = 1; j <= 8; ++j) any |= x[size - j];
    if (any != 0) break;
  }
  while (size != 0 && x[size - 1] == 0) --size;
  return size;
}

/// A non-negative real: bits * 2^exponent, plus something below one unit of `bits` if `sticky`.
struct truncated {
  uint128 bits = 0;
  int exponent = 0;
  bool sticky = false;
};

/// The `double` or `float` nearest to `v`, ties to even, with `negative` as its sign: a negative value that rounds to
/// zero is -0, zero itself is +0, and what is too large is an infinity.
template <class T>
constexpr T round_to(truncated v, bool negative) {
  static_assert(std::numeric_limits<T>::is_iec559 && sizeof(T) <= 8);
  using bits_t = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int precision = std::numeric_limits<T>::digits;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - precision;  // exponent of the smallest subnormal
  constexpr auto infinity = static_cast<bits_t>(bits_t{2 * std::numeric_limits<T>::max_exponent - 1} << (precision - 1));
  const int width = bit_width(v.bits);
  if (width == 0) return T(0);
  int drop = width - precision;
  if (v.exponent + drop < lowest) drop = lowest - v.exponent;
  uint128 significand = 0;
  if (drop <= 0) {
    significand = v.bits << -drop;
  } else if (drop <= 128) {
    significand = drop < 128 ? v.bits >> drop : 0;
    const uint128 half = uint128{1} << (drop - 1);
    const uint128 rest = drop < 128 ? v.bits & ((uint128{1} << drop) - 1) : v.bits;
    if (rest > half || (rest == half && (v.sticky || (significand & 1) != 0))) ++significand;
  }
  const int exponent = v.exponent + drop;  // the value is significand * 2^exponent, significand at most 2^precision
  bits_t out = 0;
  if (significand != 0) {
    // Adding the exponent field to the significand lets a carry into the next binade, or out of the subnormals, fall right.
    const std::int64_t field = static_cast<std::int64_t>(exponent) - lowest;
    if (field > 2 * std::numeric_limits<T>::max_exponent) {
      out = infinity;
    } else {
      out = static_cast<bits_t>(static_cast<bits_t>(significand) + (static_cast<bits_t>(field) << (precision - 1)));
      if (out >= infinity) out = infinity;
    }
  }
  if (negative) out |= bits_t{1} << (sizeof(T) * 8 - 1);
  return std::bit_cast<T>(out);
}

/// The leading 128 bits, all of them where there are as many, of the magnitude in `digits` (32-bit digits, least significant first), whose
/// unit is 2^lowest.
constexpr truncated leading_bits(std::span<const std::uint32_t> digits, int lowest) {
  std::size_t top = digits.size();
  while (top > 0 && digits[top - 1] == 0) --top;
  if (top == 0) return {};
  const std::size_t count = top < 4 ? top : 4;
  truncated r;
  for (std::size_t k = 0; k < count; ++k) r.bits = (r.bits << 32) | digits[top - 1 - k];
  r.exponent = lowest + 32 * static_cast<int>(top - count);
  if (top == count) return r;
  const std::uint32_t next = digits[top - count - 1];
  const int shift = 128 - bit_width(r.bits);  // below 32
  r.bits = r.bits << shift | static_cast<std::uint32_t>(std::uint64_t{next} << shift >> 32);
  r.exponent -= shift;
  r.sticky = static_cast<std::uint32_t>(next << shift) != 0;
  for (std::size_t k = 0; k + 1 < top - count && !r.sticky; ++k) r.sticky = digits[k] != 0;
  return r;
}

/// digits * 2^lowest / divisor, truncated to at least 120 bits. `divisor` is above zero and below 2^126. Long division by digits of up to
/// 32 bits, each estimated by the leading bits alone, which is at most two too large (Knuth, see below).
constexpr truncated quotient(std::span<const std::uint32_t> digits, int lowest, uint128 divisor) {
  std::size_t top = digits.size();
  while (top > 0 && digits[top - 1] == 0) --top;
  if (top == 0) return {};
  const int divisor_bits = bit_width(divisor);
  const int dropped = divisor_bits > 32 ? divisor_bits - 32 : 0;
  const auto leading = static_cast<std::uint64_t>(divisor >> dropped);
  truncated r;
  uint128 remainder = 0;
  std::ptrdiff_t place = static_cast<std::ptrdiff_t>(top) - 1;  // below the last digit there are zeros
  r.exponent = lowest + 32 * static_cast<int>(top);
  for (int width = 0; width < 120; width = bit_width(r.bits), --place) {
    const std::uint64_t next = place >= 0 ? digits[static_cast<std::size_t>(place)] : 0;
    const int taken = width > 96 ? 128 - width : 32;
    const std::uint64_t low = next >> (32 - taken);
    // The dividend, remainder * 2^taken + low, without the bits that the divisor's leading ones have below them: 64 are left.
    const uint128 dividend = dropped >= taken ? remainder >> (dropped - taken) : remainder << (taken - dropped) | low >> dropped;
    std::uint64_t digit = static_cast<std::uint64_t>(dividend) / leading;
    remainder = (remainder << taken | low) - divisor * digit;  // modulo 2^128, of which it is less than half
    for (; static_cast<int128>(remainder) < 0; --digit) remainder += divisor;
    r.bits = r.bits << taken | digit;
    r.exponent -= taken;
    r.sticky = taken < 32 && (next & ((std::uint64_t{1} << (32 - taken)) - 1)) != 0;
  }
  if (remainder != 0) r.sticky = true;
  for (; place >= 0 && !r.sticky; --place) r.sticky = digits[static_cast<std::size_t>(place)] != 0;
  return r;
}

/// The square root of `v`, truncated to at least 60 bits.
constexpr truncated square_root(truncated v) {
  if (v.bits == 0) return {};
  int shift = 128 - bit_width(v.bits);
  if (((v.exponent - shift) & 1) != 0) --shift;  // an even exponent; below the top bit at most one zero
  if (shift < 0) {
    v.sticky = v.sticky || (v.bits & 1) != 0;
    v.bits >>= 1;
  } else {
    v.bits <<= shift;
  }
  v.exponent -= shift;
  uint128 root = 0;
  uint128 rest = v.bits;
  for (uint128 bit = uint128{1} << 126; bit != 0; bit >>= 2) {  // digit by digit, two bits of `v` for one of the root
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return {root, v.exponent / 2, v.sticky || rest != 0};
}

/// v / divisor, truncated to at least 64 bits. `divisor` is above zero; where v is sticky it has all 128 bits.
constexpr truncated quotient(truncated v, std::uint64_t divisor) {
  if (v.bits == 0) return v;
  const int shift = 128 - bit_width(v.bits);
  v.bits <<= shift;
  v.exponent -= shift;
  const uint128 bits = v.bits / divisor;
  return {bits, v.exponent, v.sticky || bits * divisor != v.bits};
}

/// significand * 2^exponent
struct scaled_integer {
  std::int64_t significand;
  int exponent;
};
constexpr scaled_integer to_scaled_integer(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 2047);
  const auto magnitude = static_cast<std::int64_t>((bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{field != 0} << 52);
  return {bits >> 63 != 0 ? -magnitude : magnitude, (field != 0 ? field : 1) - 1075};
}
/// The magnitude and the sign of the sum of two parts that lie close together, and the first above the second; false where they do not.
constexpr bool sum_two_parts(scaled_integer high, scaled_integer low, truncated& sum, bool& negative) {
  if (low.significand == 0) low.exponent = high.exponent;
  const int shift = high.exponent - low.exponent;
  if (static_cast<unsigned>(shift) > 62) return false;
  const int128 total = (static_cast<int128>(high.significand) << shift) + low.significand;
  negative = total < 0;
  sum = {static_cast<uint128>(negative ? -total : total), low.exponent, false};
  return true;
}
/// The same of any number of finite parts.
constexpr bool sum_parts(std::span<const scaled_integer> parts, truncated& sum, bool& negative) {
  if (parts.size() == 2 && sum_two_parts(parts[0], parts[1], sum, negative)) return true;
  constexpr int limbs = 4;
  int lowest = std::numeric_limits<int>::max();
  int highest = std::numeric_limits<int>::min();
  for (const scaled_integer& p : parts) {
    if (p.significand == 0) continue;
    lowest = p.exponent < lowest ? p.exponent : lowest;
    highest = p.exponent > highest ? p.exponent : highest;
  }
  sum = {};
  negative = false;
  if (highest < lowest) return true;
  if (highest - lowest > 64 * (limbs - 1) - 8) return false;
  std::uint64_t limb[limbs] = {};
  for (const scaled_integer& p : parts) {
    if (p.significand == 0) continue;
    const int shift = p.exponent - lowest;
    const auto shifted = static_cast<uint128>(static_cast<int128>(p.significand)) << shift % 64;
    uint128 carry = 0;
    for (int k = shift / 64, j = 0; k < limbs; ++k, ++j) {
      const std::uint64_t digit = j == 0   ? static_cast<std::uint64_t>(shifted)
                                  : j == 1 ? static_cast<std::uint64_t>(shifted >> 64)
                                           : std::uint64_t{0} - std::uint64_t{p.significand < 0};
      carry += static_cast<uint128>(limb[k]) + digit;
      limb[k] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  negative = limb[limbs - 1] >> 63 != 0;
  if (negative) {
    std::uint64_t carry = 1;
    for (std::uint64_t& l : limb) {
      l = ~l + carry;
      carry = carry != 0 && l == 0 ? 1 : 0;
    }
  }
  int top = limbs - 1;
  while (top > 1 && limb[top] == 0) --top;
  sum = {static_cast<uint128>(limb[top]) << 64 | limb[top - 1], lowest + 64 * (top - 1), false};
  if (top < 2) return true;
  const int shift = 64 - bit_width(limb[top]);  // 128 bits, so that nothing below them is shifted up later
  if (shift != 0) {
    sum.bits = sum.bits << shift | limb[top - 2] >> (64 - shift);
    sum.exponent -= shift;
    limb[top - 2] <<= shift;
  }
  for (int k = 0; k + 1 < top; ++k) sum.sticky = sum.sticky || limb[k] != 0;
  return true;
}

/// A big integer without the zeros above it.
constexpr std::span<const std::uint32_t> without_leading_zeros(std::span<const std::uint32_t> digits) {
  while (!digits.empty() && digits.back() == 0) digits = digits.first(digits.size() - 1);
  return digits;
}

/// numerator * 2^numerator_lowest / (denominator * 2^denominator_lowest), truncated to at least 97 bits. The denominator is not zero;
/// `remainder` has one digit more than it. Long division by digits of 32 bits: D. E. Knuth, *The Art of Computer Programming*, volume 2,
/// algorithm 4.3.1 D.
constexpr truncated quotient(std::span<const std::uint32_t> numerator, int numerator_lowest, std::span<const std::uint32_t> denominator,
                             int denominator_lowest, std::span<std::uint32_t> remainder) {
  numerator = without_leading_zeros(numerator);
  denominator = without_leading_zeros(denominator);
  if (numerator.empty()) return {};
  const auto n = static_cast<std::ptrdiff_t>(numerator.size());
  const auto m = static_cast<std::ptrdiff_t>(denominator.size());
  // Both are shifted so that the denominator's top bit is set; the numerator gets a digit more.
  const int shift = 32 - bit_width(std::uint64_t{denominator.back()});
  const auto digit_of = [shift](std::span<const std::uint32_t> digits, std::ptrdiff_t k) {
    const auto size = static_cast<std::ptrdiff_t>(digits.size());
    const std::uint64_t high = k >= 0 && k < size ? digits[static_cast<std::size_t>(k)] : 0;
    const std::uint64_t low = k >= 1 && k <= size ? digits[static_cast<std::size_t>(k - 1)] : 0;
    return static_cast<std::uint32_t>((high << 32 | low) << shift >> 32);
  };
  const auto rest = [&](std::ptrdiff_t k) -> std::uint32_t& { return remainder[static_cast<std::size_t>(k)]; };
  std::ptrdiff_t next = n;  // the numerator's digit to be taken down
  for (std::ptrdiff_t k = m; k >= 0; --k) rest(k) = k >= m - 1 ? 0 : digit_of(numerator, next--);
  truncated r;
  for (int taken = 0; taken < 4; taken += r.bits != 0 ? 1 : 0) {
    for (std::ptrdiff_t k = m; k > 0; --k) rest(k) = rest(k - 1);
    rest(0) = digit_of(numerator, next--);
    const std::uint64_t top = static_cast<std::uint64_t>(rest(m)) << 32 | rest(m - 1);
    std::uint64_t digit = top / digit_of(denominator, m - 1);  // at most two too large
    if (digit > 0xffffffffu) digit = 0xffffffffu;
    std::int64_t borrow = 0;
    std::uint64_t carry = 0;
    for (std::ptrdiff_t k = 0; k <= m; ++k) {
      carry += k < m ? digit * digit_of(denominator, k) : 0;
      borrow += static_cast<std::int64_t>(rest(k)) - static_cast<std::int64_t>(static_cast<std::uint32_t>(carry));
      rest(k) = static_cast<std::uint32_t>(borrow);
      carry >>= 32;
      borrow >>= 32;
    }
    for (; borrow < 0; --digit) {
      std::uint64_t sum = 0;
      for (std::ptrdiff_t k = 0; k <= m; ++k) {
        sum += static_cast<std::uint64_t>(rest(k)) + (k < m ? digit_of(denominator, k) : 0);
        rest(k) = static_cast<std::uint32_t>(sum);
        sum >>= 32;
      }
      borrow += static_cast<std::int64_t>(sum);
    }
    r.bits = r.bits << 32 | digit;
  }
  r.exponent = 32 * static_cast<int>(next + 1) + numerator_lowest - denominator_lowest;
  for (std::ptrdiff_t k = 0; k <= m; ++k) r.sticky = r.sticky || rest(k) != 0;
  for (; next >= 0; --next) r.sticky = r.sticky || digit_of(numerator, next) != 0;
  return r;
}

/// An exact total on its way to a result: digits in units of 2^lowest_bit, and the infinities and NaN that were added.
struct exact_value {
  std::span<const std::uint32_t> digits;
  int lowest_bit;
  bool negative;
  bool positive_infinity, negative_infinity, nan;

  [[nodiscard]] constexpr bool finite() const { return !positive_infinity && !negative_infinity && !nan; }
  [[nodiscard]] constexpr bool is_nan() const { return nan || (positive_infinity && negative_infinity); }
  [[nodiscard]] constexpr bool is_zero() const { return finite() && without_leading_zeros(digits).empty(); }
  [[nodiscard]] constexpr bool is_negative() const { return finite() ? negative : negative_infinity; }
};

/// a / b rounded once, with IEEE 754's division for infinities, NaN and zero; an exact zero is +0. `remainder` as for `quotient`.
template <class T>
constexpr T round_ratio(const exact_value& a, const exact_value& b, std::span<std::uint32_t> remainder) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (a.is_nan() || b.is_nan() || (!a.finite() && !b.finite()) || (a.is_zero() && b.is_zero())) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  const bool negative = a.is_negative() != (b.is_negative() && !b.is_zero());
  if (!a.finite() || b.is_zero()) return negative ? -infinity : infinity;
  if (a.is_zero()) return T(0);
  if (!b.finite()) return negative ? -T(0) : T(0);
  return round_to<T>(quotient(a.digits, a.lowest_bit, b.digits, b.lowest_bit, remainder), negative);
}

}  // namespace accrue::detail
