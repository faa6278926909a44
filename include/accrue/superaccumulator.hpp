// SPDX-License-Identifier: BSD-3-Clause
// The superaccumulator: an exact sum as a vector of integers, so that partial sums from anywhere merge by integer addition.
#pragma once

#include "accrue/detail/language.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "accrue/detail/rounding.hpp"
#include "accrue/element.hpp"
#include "accrue/error.hpp"

namespace accrue {

namespace detail {

/// Words behind the limbs: counts of the special values seen, and a bound on the limbs' growth since they were normalised.
enum special_word : std::size_t { positive_infinities, negative_infinities, nans, pending, special_words };

/// Deposits between normalisations. Each adds less than 2^32 to a limb, so limbs stay below 2^52 and the words of 2^10 partial sums
/// add without overflow; normalised ones, whose digits are below 2^32, of 2^30.
inline constexpr std::int64_t most_pending = std::int64_t{1} << 20;

/// A superaccumulator's words without its type, as the compiled kernels see them: limb k counts 2^(lowest + 32 k).
struct limb_sink {
  std::int64_t* words;
  std::size_t limbs;
  int lowest;

  [[nodiscard]] constexpr std::int64_t& special(special_word w) const { return words[limbs + w]; }

  /// Carries until limbs 0 to limbs-2 are in [0, 2^32); the last keeps the sign. The one representation of the value.
  constexpr void normalize() const {
    std::int64_t carry = 0;
    for (std::size_t k = 0; k + 1 < limbs; ++k) {
      const std::int64_t v = words[k] + carry;
      carry = v >> 32;
      words[k] = v & 0xffffffff;
    }
    words[limbs - 1] += carry;
    special(pending) = 1;
  }

  /// Divides by two a sum whose terms were added twice, or are no odd multiples of the smallest unit.
  constexpr void halve() const {
    normalize();
    std::int64_t odd = 0;
    for (std::size_t k = limbs; k-- != 0;) {
      const std::int64_t v = words[k] + (odd << 32);
      odd = v & 1;
      words[k] = v >> 1;
    }
    for (const special_word w : {positive_infinities, negative_infinities, nans}) special(w) -= special(w) / 2;
  }

  /// Adds magnitude * 2^exponent with the given sign. Bits below the unit of limb 0 must be zero.
  constexpr void deposit(std::uint64_t magnitude, bool negative, int exponent) const {
    if (magnitude == 0) return;
    int position = exponent - lowest;
    if (position < 0) {
      magnitude >>= -position;
      position = 0;
    }
    const auto k = static_cast<std::size_t>(position >> 5);
    const uint128 shifted = static_cast<uint128>(magnitude) << (position & 31);
    const std::int64_t sign = negative ? -1 : 1;
    words[k] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted));
    words[k + 1] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 32));
    words[k + 2] += sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted >> 64));
    if (++special(pending) >= most_pending) normalize();
  }
  constexpr void deposit(std::int64_t value, int exponent) const {
    const bool negative = value < 0;
    deposit(negative ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value), negative,
            exponent);
  }
  constexpr void deposit(int128 value, int exponent) const {
    const bool negative = value < 0;
    const uint128 magnitude = negative ? uint128{0} - static_cast<uint128>(value) : static_cast<uint128>(value);
    deposit(static_cast<std::uint64_t>(magnitude), negative, exponent);
    deposit(static_cast<std::uint64_t>(magnitude >> 64), negative, exponent + 64);
  }

  /// Adds a `double`; infinities and NaN are counted.
  constexpr void add(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int field = static_cast<int>(bits >> 52) & 2047;
    std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
    const bool negative = (bits >> 63) != 0;
    if (field == 2047) {
      ++special(significand != 0 ? nans : negative ? negative_infinities : positive_infinities);
      return;
    }
    if (field != 0) significand |= std::uint64_t{1} << 52;
    deposit(significand, negative, (field != 0 ? field : 1) - 1075);
  }

  /// Adds x * y without rounding: the two significands multiplied as integers.
  constexpr void add_product(double x, double y) const {
    const auto a = std::bit_cast<std::uint64_t>(x);
    const auto b = std::bit_cast<std::uint64_t>(y);
    const std::uint64_t mask = (std::uint64_t{1} << 52) - 1;
    int field_a = static_cast<int>(a >> 52) & 2047;
    int field_b = static_cast<int>(b >> 52) & 2047;
    std::uint64_t significand_a = a & mask;
    std::uint64_t significand_b = b & mask;
    const bool negative = ((a ^ b) >> 63) != 0;
    if (field_a == 2047 || field_b == 2047) {
      const bool nan = (field_a == 2047 && significand_a != 0) || (field_b == 2047 && significand_b != 0) ||
                       (field_a == 0 && significand_a == 0) || (field_b == 0 && significand_b == 0);  // infinity * 0
      ++special(nan ? nans : negative ? negative_infinities : positive_infinities);
      return;
    }
    if (field_a != 0) {
      significand_a |= mask + 1;
    } else {
      field_a = 1;
    }
    if (field_b != 0) {
      significand_b |= mask + 1;
    } else {
      field_b = 1;
    }
    const uint128 product = static_cast<uint128>(significand_a) * significand_b;
    const int exponent = field_a + field_b - 2150;
    const std::uint64_t low = static_cast<std::uint64_t>(product) & ((std::uint64_t{1} << 53) - 1);
    deposit(low, negative, exponent);
    deposit(static_cast<std::uint64_t>(product >> 53), negative, exponent + 53);
  }
};

}  // namespace detail

/// An exact sum of numbers whose lowest bit is 2^LowestBit, held as `Limbs` 32-bit digits in `int64_t` words.
///
/// Value: sum over k of words[k] * 2^(LowestBit + 32 k), with the infinities and NaNs counted beside it. Merging two is
/// element-wise addition of their words, in any order: operator+=, an atomic add, `MPI_Allreduce(MPI_INT64_T, MPI_SUM)`.
/// Words of up to 2^10 partial sums add so, of 2^30 if each was normalised first. Empty: zero. Guarantee: exact. Range: 2^63
/// elements. Method: Kulisch's long accumulator, in carry-save form.
/// Trivially copyable; not synchronised. What is constexpr works in device code too (nvcc: --expt-relaxed-constexpr).
/// Errors: `add` and `add_product` throw `errc::invalid_argument` for a value outside
/// the format's range of bits (1e300 or 1e-60, added to a `superaccumulator<float>`), and so does `add_integer`.
///
///     accrue::superaccumulator<double> s;
///     for (double v : values) s.add(v);
///     double total = s.round<double>();
template <int LowestBit, std::size_t Limbs>
class basic_superaccumulator {
 public:
  static constexpr int lowest_bit = LowestBit;
  static constexpr std::size_t limbs = Limbs;
  static constexpr std::size_t word_count = Limbs + detail::special_words;

  constexpr basic_superaccumulator() = default;

  /// Adds one value of the element type (or any other that fits the format).
  void add(double x) {
    check(x, LowestBit, LowestBit + 32 * static_cast<int>(Limbs) - 64);
    sink().add(x);
  }
  /// Adds x * y without rounding; both are values of the element type.
  void add_product(double x, double y) {
    constexpr int highest = LowestBit / 2 + 16 * static_cast<int>(Limbs) - 32;
    check(x, LowestBit / 2, highest);
    check(y, LowestBit / 2, highest);
    sink().add_product(x, y);
  }
  /// Adds value * 2^exponent.
  void add_integer(detail::int128 value, int exponent = 0) {
    if (exponent < LowestBit || exponent - LowestBit > 32 * static_cast<int>(Limbs) - 160) {
      throw error(errc::invalid_argument, "accrue::superaccumulator: an exponent outside the format");
    }
    sink().deposit(value, exponent);
  }

  /// Adds another partial sum: element-wise addition of the words.
  constexpr basic_superaccumulator& operator+=(const basic_superaccumulator& other) {
    for (std::size_t k = 0; k < word_count; ++k) words_[k] += other.words_[k];
    if (words_[Limbs + detail::pending] >= detail::most_pending) normalize();
    return *this;
  }
  constexpr void merge(const basic_superaccumulator& other) { *this += other; }

  /// Carries into the one canonical representation of the value, so that equal sums have equal words.
  constexpr void normalize() { sink().normalize(); }

  /// Makes all digits of a negative sum negative, so that those above its highest are zero. The words add as before.
  constexpr void put_sign_in_digits() {
    const digits d = magnitude();
    if (!d.negative) return;
    for (std::size_t k = 0; k + 1 < Limbs; ++k) words_[k] = -static_cast<std::int64_t>(d.value[k]);
    words_[Limbs - 1] = -static_cast<std::int64_t>(d.value[Limbs - 1] | static_cast<std::uint64_t>(d.value[Limbs]) << 32);
  }

  /// The words: `Limbs` digits, then the counts of +inf, -inf, NaN, then a bound on the digits' growth. They add element-wise.
  [[nodiscard]] constexpr std::span<const std::int64_t, word_count> words() const { return words_; }
  [[nodiscard]] constexpr std::span<std::int64_t, word_count> words() { return words_; }
  static basic_superaccumulator from_words(std::span<const std::int64_t, word_count> words) {
    basic_superaccumulator s;
    for (std::size_t k = 0; k < word_count; ++k) s.words_[k] = words[k];
    return s;
  }

  /// The sum as a floating type: rounded once, to nearest even. NaN if any NaN or infinities of both signs were added, an
  /// infinity if infinities of one sign were or if the sum is too large; an exact zero is +0.
  template <native_float T>
  [[nodiscard]] constexpr T round() const {
    if (is_nan()) return std::numeric_limits<T>::quiet_NaN();
    if (special(detail::positive_infinities) != 0) return std::numeric_limits<T>::infinity();
    if (special(detail::negative_infinities) != 0) return -std::numeric_limits<T>::infinity();
    const digits d = magnitude();
    return detail::round_to<T>(detail::leading_bits(d.in_use(), LowestBit), d.negative);
  }

  /// sum / divisor, rounded once. `divisor` is above zero and below 2^126.
  template <native_float T>
  [[nodiscard]] T round_quotient(detail::uint128 divisor) const {
    if (!is_finite()) return round<T>();
    const digits d = magnitude();
    return detail::round_to<T>(detail::quotient(d.in_use(), LowestBit, divisor), d.negative);
  }

  /// sqrt(sum / divisor), rounded once; NaN for a negative sum.
  template <native_float T>
  [[nodiscard]] T round_square_root(detail::uint128 divisor = 1) const {
    if (!is_finite()) return special(detail::negative_infinities) != 0 ? std::numeric_limits<T>::quiet_NaN() : round<T>();
    const digits d = magnitude();
    if (d.negative) return std::numeric_limits<T>::quiet_NaN();
    const detail::truncated v =
        divisor == 1 ? detail::leading_bits(d.in_use(), LowestBit) : detail::quotient(d.in_use(), LowestBit, divisor);
    return detail::round_to<T>(detail::square_root(v), false);
  }

  /// The sum of integers as `I`. Throws `overflow_error` where `I` cannot hold it.
  template <integer I>
    requires(LowestBit == 0)
  [[nodiscard]] I round() const {
    if (!is_finite()) throw overflow_error("accrue: an infinity or NaN is no integer");
    const digits d = magnitude();
    std::uint64_t value = d.value[0];
    if constexpr (Limbs > 1) value |= static_cast<std::uint64_t>(d.value[1]) << 32;
    bool fits = true;
    for (std::size_t k = 2; k < d.value.size(); ++k) fits = fits && d.value[k] == 0;
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<I>::max());
    if constexpr (std::is_signed_v<I>) {
      fits = fits && value <= largest + (d.negative ? 1 : 0);
    } else {
      fits = fits && value <= largest && (!d.negative || value == 0);
    }
    if (!fits) throw overflow_error("accrue: an integer total does not fit its result type");
    return static_cast<I>(d.negative ? std::uint64_t{0} - value : value);
  }

  [[nodiscard]] constexpr bool is_nan() const {
    return special(detail::nans) != 0 ||
           (special(detail::positive_infinities) != 0 && special(detail::negative_infinities) != 0);
  }
  [[nodiscard]] constexpr bool is_finite() const {
    return special(detail::nans) == 0 && special(detail::positive_infinities) == 0 && special(detail::negative_infinities) == 0;
  }

  /// The magnitude as 32-bit digits, least significant first; the last limb contributes two.
  struct digits {
    std::array<std::uint32_t, Limbs + 1> value{};
    std::size_t size = 0;  ///< digits from here on are zero
    bool negative = false;

    [[nodiscard]] constexpr std::span<const std::uint32_t> in_use() const { return std::span(value).first(size); }
  };
  [[nodiscard]] constexpr digits magnitude() const {
    digits d;
    const std::span<const std::int64_t> words(words_.data(), Limbs);
    const std::size_t end = detail::size_without_zeros(words);
    const std::size_t first = detail::zeros_at_begin(words.first(end));
    std::int64_t carry = 0;
    std::size_t k = first;
    for (; k + 1 < Limbs && (k < end || (carry != 0 && carry != -1)); ++k) {
      const std::int64_t v = words_[k] + carry;
      carry = v >> 32;
      d.value[k] = static_cast<std::uint32_t>(v);
    }
    if (k + 1 == Limbs) {
      const std::int64_t top = words_[Limbs - 1] + carry;
      carry = top < 0 ? -1 : 0;
      d.value[Limbs - 1] = static_cast<std::uint32_t>(top);
      d.value[Limbs] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(top) >> 32);
      k = Limbs + 1;
    }
    d.negative = carry < 0;  // the digits above, all of the sign, are zero in the magnitude
    if (d.negative) {        // two's complement, once more
      std::uint64_t borrow = 1;
      for (std::size_t i = first; i < k; ++i) {
        borrow += static_cast<std::uint32_t>(~d.value[i]);
        d.value[i] = static_cast<std::uint32_t>(borrow);
        borrow >>= 32;
      }
      if (k <= Limbs) d.value[k++] = static_cast<std::uint32_t>(borrow);
    }
    d.size = k;
    return d;
  }

  /// The total whose digits `magnitude()` gave.
  [[nodiscard]] constexpr detail::exact_value value(const digits& d) const {
    return {d.value, LowestBit, d.negative, special(detail::positive_infinities) != 0, special(detail::negative_infinities) != 0,
            special(detail::nans) != 0};
  }

  [[nodiscard]] constexpr detail::limb_sink sink() { return {words_.data(), Limbs, LowestBit}; }

  /// Equal if the canonical representations are.
  friend bool operator==(basic_superaccumulator a, basic_superaccumulator b) {
    a.normalize();
    b.normalize();
    return a.words_ == b.words_;
  }

 private:
  /// Throws unless every bit of the finite value `x` is worth at least 2^low and less than 2^high.
  static void check(double x, int low, int high) {
    if (low <= -1074 && high >= 1024) return;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int field = static_cast<int>(bits >> 52) & 2047;
    std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
    if (field != 0) significand |= std::uint64_t{1} << 52;
    const int exponent = (field != 0 ? field : 1) - 1075;
    if (field == 2047 || significand == 0) return;
    if (exponent + std::countr_zero(significand) < low || exponent + 53 > high) {
      throw error(errc::invalid_argument, "accrue::superaccumulator: a value that the element type cannot hold");
    }
  }

  [[nodiscard]] constexpr std::int64_t special(detail::special_word w) const { return words_[Limbs + w]; }

  std::array<std::int64_t, word_count> words_{};
};

namespace detail {

// Lowest bit and limbs: the whole exponent range of the type (of its products), and 64 bits for the count of elements.
template <class T>
struct accumulator_format {};
template <>
struct accumulator_format<double> {
  using sums = basic_superaccumulator<-1074, 68>;
  using products = basic_superaccumulator<-2148, 134>;
};
template <>
struct accumulator_format<float> {
  using sums = basic_superaccumulator<-149, 12>;
  using products = basic_superaccumulator<-298, 20>;
};
template <small_float T>
struct accumulator_format<T> : accumulator_format<float> {};
template <integer T>
struct accumulator_format<T> {
  using sums = basic_superaccumulator<0, 5>;
  using products = basic_superaccumulator<0, 7>;
};

}  // namespace detail

/// The exact sum of elements `T`: float, double, a 16-bit float, or an integer type.
template <real_number T>
using superaccumulator = typename detail::accumulator_format<T>::sums;

/// The exact sum of products of two elements `T`.
template <real_number T>
using product_superaccumulator = typename detail::accumulator_format<T>::products;

}  // namespace accrue
