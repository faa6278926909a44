// SPDX-License-Identifier: BSD-3-Clause
// A block's exact sum in shared memory: 16-bit digits in 32-bit words, one set for each warp, added to by native atomics; at the
// end the limbs of a superaccumulator, and its rounding.
#pragma once

#include <span>

#include "accrue/superaccumulator.hpp"
#include "accrue/backends/simt/kernel/blocks.cuh"
#include "accrue/backends/simt/operations/operation_of.hpp"

namespace accrue::simt {

/// Deposits by a whole warp that a set of digits holds: each adds less than 2^16 from each lane to a word of 31 bits.
inline constexpr unsigned deposits_per_flush = 65536 / (2 * warp_width) - 8;

/// A finite double as value * 2^exponent.
struct sum_bits {
  std::uint64_t value;
  int exponent;
  bool minus;

  ACCRUE_DEVICE explicit sum_bits(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int field = static_cast<int>(bits >> 52) & 2047;
    value = (bits & ((std::uint64_t{1} << 52) - 1)) | static_cast<std::uint64_t>(field != 0 ? 1 : 0) << 52;
    exponent = (field != 0 ? field : 1) - 1075;
    minus = (bits >> 63) != 0;
  }
};

/// Shared memory of one exact sum whose state is `Sum`.
template <class Sum>
struct digit_storage {
  static constexpr unsigned limbs = Sum::limbs;
  static constexpr unsigned words = 2 * limbs;
  static constexpr unsigned specials = 3;  ///< counts of +inf, -inf and NaN stand behind the digits
  /// Lanes share a warp's digits; where those are few, groups of lanes have copies, side by side, or all would meet in the same
  /// words.
  static constexpr unsigned copies = words <= 64 ? 8 : 1;
  int digit[most_warps][(words + specials) * copies];
  std::int64_t total[words + specials];
  std::int64_t limb[limbs + specials];
  std::uint32_t magnitude[limbs + 2];
  unsigned lowest, highest;  ///< limbs between which all others are zero
  bool negative;
  detail::exact_value value;

  /// Every thread of the block takes part.
  ACCRUE_DEVICE void clear() {
    for (unsigned k = thread(); k < (words + specials) * copies * warps(); k += threads()) (&digit[0][0])[k] = 0;
    for (unsigned k = thread(); k < words + specials; k += threads()) total[k] = 0;
  }

  /// Adds magnitude * 2^exponent; bits below the format's lowest are zero.
  ACCRUE_DEVICE_RARE void deposit(std::uint64_t value, bool minus, int exponent) {
    int position = exponent - Sum::lowest_bit;
    if (position < 0) {
      value = position > -64 ? value >> -position : 0;
      position = 0;
    }
    const unsigned shift = static_cast<unsigned>(position) & 15;
    const std::uint64_t low = value << shift;
    add_digits(position, minus, static_cast<unsigned>(low), static_cast<unsigned>(low >> 32),
               static_cast<unsigned>(value >> 32 >> (32 - shift)));
  }
  /// Adds up to five digits from a bit position on.
  ACCRUE_DEVICE void add_digits(int position, bool minus, unsigned low, unsigned middle, unsigned high) {
    int* word = digit[warp()] + (static_cast<unsigned>(position) >> 4) * copies + lane() % copies;
    const int sign = minus ? -1 : 0;
    const auto put = [&](unsigned k, unsigned d) { add_atomically(word + k * copies, (static_cast<int>(d) ^ sign) - sign); };
    put(0, low & 0xffff);
    put(1, low >> 16);
    put(2, middle & 0xffff);
    if ((middle >> 16 | high) != 0) {
      put(3, middle >> 16);
      put(4, high);
    }
  }
  ACCRUE_DEVICE void deposit(std::int64_t value, int exponent) {
    deposit(value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value), value < 0,
            exponent);
  }
  /// Counts an infinity or NaN.
  ACCRUE_DEVICE void count_special(bool nan, bool minus) {
    add_atomically(digit[warp()] + (words + (nan ? 2 : minus ? 1 : 0)) * copies + lane() % copies, 1);
  }

  ACCRUE_DEVICE void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int field = static_cast<int>(bits >> 52) & 2047;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const bool minus = (bits >> 63) != 0;
    if (field == 2047) return count_special(fraction != 0, minus);
    if constexpr (Sum::lowest_bit == superaccumulator<float>::lowest_bit) {  // 24 bits, and field is not 0
      const int position = field - 1075 + 29 - Sum::lowest_bit;
      if (position >= 0) {
        const std::uint64_t low = (fraction | std::uint64_t{1} << 52) >> 29 << (static_cast<unsigned>(position) & 15);
        return add_digits(position, minus, static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), 0);
      }
    }
    deposit(field != 0 ? fraction | std::uint64_t{1} << 52 : fraction, minus, (field != 0 ? field : 1) - 1075);
  }
  /// Adds a finite sum of elements, which may have more bits than one.
  ACCRUE_DEVICE void add_sum(double x) {
    if (x == 0) return;
    const sum_bits s(x);
    deposit(s.value, s.minus, s.exponent);
  }
  ACCRUE_DEVICE void add_product(double x, double y) {
    const auto a = std::bit_cast<std::uint64_t>(x);
    const auto b = std::bit_cast<std::uint64_t>(y);
    constexpr std::uint64_t hidden = std::uint64_t{1} << 52;
    const int field_a = static_cast<int>(a >> 52) & 2047;
    const int field_b = static_cast<int>(b >> 52) & 2047;
    const std::uint64_t significand_a = (a & (hidden - 1)) | (field_a != 0 ? hidden : 0);
    const std::uint64_t significand_b = (b & (hidden - 1)) | (field_b != 0 ? hidden : 0);
    const bool minus = ((a ^ b) >> 63) != 0;
    if (field_a == 2047 || field_b == 2047) {
      const bool nan = (field_a == 2047 && significand_a != hidden) || (field_b == 2047 && significand_b != hidden) ||
                       significand_a == 0 || significand_b == 0;  // infinity * 0
      return count_special(nan, minus);
    }
    const detail::uint128 product = static_cast<detail::uint128>(significand_a) * significand_b;
    const int exponent = (field_a != 0 ? field_a : 1) + (field_b != 0 ? field_b : 1) - 2150;
    deposit(static_cast<std::uint64_t>(product) & (2 * hidden - 1), minus, exponent);
    deposit(static_cast<std::uint64_t>(product >> 53), minus, exponent + 53);
  }

  /// Moves the warp's digits into the block's totals.
  ACCRUE_DEVICE_RARE void flush() {
    sync_warp();
    for (unsigned k = lane(); k < (words + specials) * copies; k += warp_width) {
      const int d = digit[warp()][k];
      digit[warp()][k] = 0;
      if (d != 0) add_atomically(total + k / copies, std::int64_t{d});
    }
    sync_warp();
  }

  /// Adds up the block's digits; if the team has several blocks the limbs go into `scratch`, else into `limb`. Starts with a barrier.
  ACCRUE_DEVICE void close(std::int64_t* scratch, unsigned blocks) {
    sync_block();
    for (unsigned k = thread(); k < words + specials; k += threads()) {
      std::int64_t sum = total[k];
      for (unsigned w = 0; w < warps(); ++w) {
        for (unsigned c = 0; c < copies; ++c) sum += digit[w][k * copies + c];
      }
      total[k] = sum;
    }
    sync_block();
    for (unsigned k = thread(); k < limbs + specials; k += threads()) {
      std::int64_t v = 0;
      if (k < limbs) {
        v = total[2 * k] + ((total[2 * k + 1] & 0xffff) << 16);
        if (k != 0) v += total[2 * k - 1] >> 16;
      } else {
        v = total[words + k - limbs];
      }
      if (blocks == 1) {
        limb[k] = v;
      } else if (v != 0) {
        add_atomically(scratch + k, v);
      }
    }
  }
  static constexpr std::size_t scratch_words = limbs + specials;
  static constexpr std::size_t state_words = Sum::word_count;

  /// The same into limbs that blocks share.
  static ACCRUE_DEVICE void add_sum(std::int64_t* scratch, double x) {
    sum_bits s(x);
    int position = s.exponent - Sum::lowest_bit;
    if (position < 0) {  // sums are multiples of the lowest bit
      s.value = position > -64 ? s.value >> -position : 0;
      position = 0;
    }
    const unsigned shift = static_cast<unsigned>(position) & 31;
    const std::uint64_t low = s.value << shift;
    const auto put = [&](int k, std::uint64_t digit) {
      const auto v = static_cast<std::int64_t>(digit);
      if (v != 0) add_atomically(scratch + position / 32 + k, s.minus ? -v : v);
    };
    put(0, low & 0xffffffff);
    put(1, low >> 32);
    put(2, s.value >> 32 >> (32 - shift));
  }

  /// The last block's: fetches the limbs. A barrier must follow.
  ACCRUE_DEVICE void gather(std::int64_t* scratch, unsigned blocks) {
    if (blocks == 1) return;
    for (unsigned k = thread(); k < limbs + specials; k += threads()) limb[k] = take(scratch + k);
  }
  /// Adds a state's words, each thread to the limbs that it has gathered.
  ACCRUE_DEVICE_RARE void add_words(const std::int64_t* state, unsigned blocks) {
    if (blocks == 1) sync_block();
    for (unsigned k = thread(); k < limbs + specials; k += threads()) limb[k] += state[k];
  }
  /// Writes a state: the words of `Sum`, normalised.
  ACCRUE_DEVICE_RARE void store_words(std::int64_t* words_out) const {
    std::int64_t carry = 0;
#pragma unroll 1
    for (unsigned k = 0; k + 1 < limbs; ++k) {
      carry += limb[k];
      words_out[k] = carry & 0xffffffff;
      carry >>= 32;
    }
    words_out[limbs - 1] = limb[limbs - 1] + carry;
    for (unsigned k = limbs; k < limbs + specials; ++k) words_out[k] = limb[k];
    words_out[limbs + detail::pending] = 1;
  }

  /// Turns the limbs into a sign and 32-bit digits, and those into `value`. Starts and ends with a barrier.
  ACCRUE_DEVICE void find_magnitude() {
    for (unsigned k = thread(); k < limbs + 2; k += threads()) magnitude[k] = 0;
    sync_block();
    if (warp() == 0) {
      unsigned low = 0;  // counted from the top, so that both ends are maxima
      unsigned high = 0;
      for (unsigned k = lane(); k < limbs; k += warp_width) {
        if (limb[k] != 0) {
          low = low > limbs - k ? low : limbs - k;
          high = k;
        }
      }
      low = largest_in_warp(low);
      high = largest_in_warp(high);
      if (lane() == 0) {
        lowest = low != 0 ? limbs - low : 0;
        highest = high;
        std::int64_t carry = 0;
        for (unsigned k = lowest; k <= highest; ++k) {
          carry += limb[k];
          if (k == limbs - 1) break;  // the last limb keeps the sign
          magnitude[k] = static_cast<std::uint32_t>(carry);
          carry >>= 32;
        }
        const unsigned top = highest == limbs - 1 ? limbs - 1 : highest + 1;
        magnitude[top] = static_cast<std::uint32_t>(carry);
        magnitude[top + 1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(carry) >> 32);
        negative = carry < 0;
        if (negative) {
          std::uint64_t borrow = 1;
          for (unsigned k = lowest; k <= top + 1; ++k) {
            borrow += static_cast<std::uint32_t>(~magnitude[k]);
            magnitude[k] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
          }
        }
        highest = top + 1;
        value = {{magnitude + lowest, highest - lowest + 1},
                 Sum::lowest_bit + 32 * static_cast<int>(lowest),
                 negative,
                 limb[limbs] != 0,
                 limb[limbs + 1] != 0,
                 limb[limbs + 2] != 0};
      }
    }
    sync_block();
  }
};

/// The total rounded once to T, after the last step over n elements.
template <class T>
ACCRUE_DEVICE T rounded(const detail::exact_value& v, last_step step, std::size_t n) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  if (!v.finite()) {
    if (v.is_nan()) return nan;
    if (step == last_step::square_root && v.negative_infinity) return nan;
    return v.positive_infinity ? infinity : -infinity;
  }
  if (step == last_step::mean) return detail::round_to<T>(detail::quotient(v.digits, v.lowest_bit, n), v.negative);
  const detail::truncated leading = detail::leading_bits(v.digits, v.lowest_bit);
  if (step == last_step::value) return detail::round_to<T>(leading, v.negative);
  return v.negative && leading.bits != 0 ? nan : detail::round_to<T>(detail::square_root(leading), false);
}

/// Writes the low bytes of an integer.
ACCRUE_DEVICE void store_integer(std::uint64_t bits, unsigned bytes, void* result) {
  switch (bytes) {
    case 8:
      *static_cast<std::uint64_t*>(result) = bits;
      break;
    case 4:
      *static_cast<std::uint32_t*>(result) = static_cast<std::uint32_t>(bits);
      break;
    case 2:
      *static_cast<std::uint16_t*>(result) = static_cast<std::uint16_t>(bits);
      break;
    default:
      *static_cast<std::uint8_t*>(result) = static_cast<std::uint8_t>(bits);
  }
}

/// Writes the result of an exact sum. An integer that does not fit sets `status`.
ACCRUE_DEVICE_RARE void store_exact(const detail::exact_value& v, last_step step, scalar_type type, std::size_t n, void* result,
                                    int* status) {
  if (type.floating) {
    if (type.bytes == 8) {
      *static_cast<double*>(result) = rounded<double>(v, step, n);
    } else {
      *static_cast<float*>(result) = rounded<float>(v, step, n);
    }
    return;
  }
  std::uint64_t low = 0;
  bool fits = true;
  for (std::size_t k = 0; k < v.digits.size(); ++k) {  // integers: the lowest digit kept may be above bit 0
    const std::size_t place = k + static_cast<std::size_t>(v.lowest_bit) / 32;
    if (place < 2) {
      low |= static_cast<std::uint64_t>(v.digits[k]) << (32 * place);
    } else {
      fits = fits && v.digits[k] == 0;
    }
  }
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * type.bytes + (type.is_signed ? 1 : 0));
  fits = fits && low <= largest + (type.is_signed && v.negative ? 1 : 0) && (type.is_signed || !v.negative || low == 0);
  if (!fits) *status = static_cast<int>(errc::integer_overflow);
  store_integer(v.negative ? std::uint64_t{0} - low : low, type.bytes, result);
}

}  // namespace accrue::simt
