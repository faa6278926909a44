// SPDX-License-Identifier: BSD-3-Clause
// Private copies of an array of targets as counts of a unit that follows from the largest contribution that the caller states.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/rounding.hpp"
#include "accrue/detail/to_fixed.hpp"
#include "accrue/detail/zeroed_array.hpp"
#include "accrue/reducers/exact_terms.hpp"

namespace accrue::detail {

/// Whether `nearest_integer` rounds to nearest, ties to even, in this thread's environment.
inline bool converts_to_nearest() {
#if defined(__x86_64__)
  // Both sums are inexact: only rounding to nearest first rounds up, and then down. In their place among changes of the environment.
  double x = 1;
  asm volatile("" : "+x"(x));
  x += 0x3p-54;
  asm volatile("" : "+x"(x));
  x += 0x1p-54;
  asm volatile("" : "+x"(x));
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(1 + 0x1p-52);
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}
/// x as an integer, by one instruction where there is one. There, what is beyond 64 bits becomes an integer beyond 2^62; NaN that or zero.
inline std::int64_t nearest_integer(double x) {
  std::int64_t n = 0;
#if defined(__x86_64__)
  using two_doubles = double __attribute__((vector_size(16)));
  asm volatile("" : "+x"(x));  // and here
  n = __builtin_ia32_cvtsd2si64(two_doubles{x, 0});
  asm volatile("" : "+r"(n));
#elif defined(__aarch64__)
  asm("fcvtns %x0, %d1" : "=r"(n) : "w"(x));
#else
  n = __builtin_llrint(x);
#endif
  return n;
}

/// Counts of units for doubles up to a bound: in any rounding mode, and with subnormal numbers taken for zero.
class bounded_units {
 public:
  bounded_units() = default;
  explicit bounded_units(double largest)
      : unit_(wide_fixed_unit(largest)),
        one_(std::ldexp(1.0, unit_)),
        scale_(std::ldexp(1.0, -unit_)),
        most_(static_cast<std::int64_t>(largest * scale_)) {}

  /// The multiple of the unit nearest to x, ties to even. False for what is beyond the bound, no number, or would vanish.
  [[nodiscard]] bool count(double x, std::int64_t& units) const {
    units = nearest_by_parts(opaque(x * scale_));
    return allows(x, units);
  }
  /// The same where `converts_to_nearest`.
  [[nodiscard]] bool count_directly(double x, std::int64_t& units) const {
    units = nearest_integer(opaque(x * scale_));
    return allows(x, units);
  }
  /// target + units, each rounded once. A target to which they add zero stays as it is.
  template <class T>
  void add_to(T& target, int128 units) const {
    if (units == 0) return;
    if (unit_ >= std::numeric_limits<T>::min_exponent) {  // no result is subnormal
      if (const auto few = static_cast<std::int64_t>(units); few == units) {
        target = canonical_nan(target + static_cast<T>(few) * static_cast<T>(one_));
        return;
      }
    }
    const auto magnitude = static_cast<uint128>(units < 0 ? -units : units);
    target = canonical_nan(target + round_to<T>(truncated{magnitude, unit_, false}, units < 0));
  }

 private:
  /// Whatever is beyond the bound has a count beyond its: x is a multiple of 2^9 units there.
  [[nodiscard]] bool allows(double x, std::int64_t units) const {
    const auto most = static_cast<std::uint64_t>(most_);
    if (static_cast<std::uint64_t>(units) + most > 2 * most) [[unlikely]] return false;
    return units != 0 || std::bit_cast<std::uint64_t>(x) << 1 == 0;
  }
  /// In any rounding mode; what has no such integer becomes one beyond all bounds.
  static std::int64_t nearest_by_parts(double scaled) {
    constexpr double beyond = 0x1p62;
    if (!(std::bit_cast<std::uint64_t>(scaled) << 1 < std::bit_cast<std::uint64_t>(beyond) << 1)) return std::int64_t{1} << 62;
    // A whole part below 2^62 and twice the rest, which no rounding mode changes, and whose whole part is -1, 0 or 1.
    const auto whole = static_cast<std::int64_t>(scaled);
    const double rest = opaque(scaled - static_cast<double>(whole));
    const double twice = opaque(rest + rest);
    const auto up = static_cast<std::int64_t>(twice);
    const bool tie = static_cast<double>(up) == twice;
    return whole + (up & -static_cast<std::int64_t>((whole & 1) != 0 || !tie));
  }

  int unit_ = 0;
  double one_ = 0;  // the unit
  double scale_ = 0;
  std::int64_t most_ = 0;
};

/// Copies of `width` numbers a target: a number's sum is its count and 2^64 times its carry. Carries are memory that nobody has touched
/// until a count passes 63 bits. Zero between uses: merging clears what it reads.
class bounded_copies {
 public:
  static constexpr std::size_t group = private_copies<double>::group;  ///< targets

  /// One thread's arrays, which a compiler keeps in registers.
  struct adder {
    std::int64_t* counts = nullptr;
    std::int64_t* carries = nullptr;
    std::uint8_t* touched = nullptr;
    std::uint8_t* carried = nullptr;

    void touch(std::size_t target) const { touched[target / group] = 1; }
    /// Adds to the numbers of a target.
    template <std::size_t D>
    void add(std::size_t target, const std::array<std::int64_t, D>& x) const {
      std::int64_t* own = counts + target * D;
      for (std::size_t d = 0; d < D; ++d) {
        if (__builtin_add_overflow(own[d], x[d], own + d)) [[unlikely]] carry(own[d], carries[target * D + d], carried[target / group]);
      }
    }

  };

  void reserve(int threads, std::size_t targets, std::size_t width) {
    if (targets != targets_ || width != width_) {
      copies_.clear();
      targets_ = targets;
      width_ = width;
    }
    const std::size_t numbers = targets * width;
    const std::size_t groups = (targets + group - 1) / group;
    while (copies_.size() < static_cast<std::size_t>(threads)) {
      copies_.push_back({zeroed_array<std::int64_t>(numbers), zeroed_array<std::int64_t>(numbers), zeroed_array<std::uint8_t>(groups),
                         zeroed_array<std::uint8_t>(groups)});
    }
  }
  [[nodiscard]] adder of(int thread) const { return adder_of(copies_[static_cast<std::size_t>(thread)]); }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const copy& c : copies_) sum += 2 * (c.counts.size() * sizeof(std::int64_t) + c.touched.size());
    return sum;
  }

  /// Hands the sums of group g's numbers over all copies to `sink(number, sum)`, and forgets them. Returns the bytes read.
  template <class Sink>
  std::size_t merge_group(std::size_t g, const Sink& sink) {
    const std::size_t first = g * group * width_;
    const std::size_t end = std::min(first + group * width_, targets_ * width_);
    std::size_t read = 0;
    const copy* all = nullptr;
    for (const copy& c : copies_) {
      if (c.touched[g] == 0) continue;
      read += (end - first) * sizeof(std::int64_t) << c.carried[g];
      if (all == nullptr) {
        all = &c;
        continue;
      }
      for (std::size_t k = first; k < end; ++k) {
        if (__builtin_add_overflow(all->counts[k], c.counts[k], &all->counts[k])) {
          carry(all->counts[k], all->carries[k], all->carried[g]);
        }
      }
      for (std::size_t k = first; k < end && c.carried[g] != 0; ++k) all->carries[k] += c.carries[k];
      all->carried[g] |= c.carried[g];
      clear(c, g, first, end);
    }
    if (all == nullptr) return 0;
    for (std::size_t k = first; k < end; ++k) {
      int128 sum = all->counts[k];
      if (all->carried[g] != 0) sum += static_cast<int128>(all->carries[k]) * (static_cast<int128>(1) << 64);
      sink(k, sum);
    }
    clear(*all, g, first, end);
    return read;
  }

 private:
  struct copy {
    zeroed_array<std::int64_t> counts;
    zeroed_array<std::int64_t> carries;
    zeroed_array<std::uint8_t> touched;  ///< one byte for each group: whether anything was added to it
    zeroed_array<std::uint8_t> carried;  ///< whether it has carries
  };

  /// For a count that has just wrapped around, and so changed its sign.
  [[gnu::noinline, gnu::cold]] static void carry(const std::int64_t& count, std::int64_t& carries, std::uint8_t& carried) {
    carries += count < 0 ? 1 : -1;
    carried = 1;
  }
  static adder adder_of(const copy& c) { return {c.counts.data(), c.carries.data(), c.touched.data(), c.carried.data()}; }
  static void clear(const copy& c, std::size_t g, std::size_t first, std::size_t end) {
    std::memset(c.counts.data() + first, 0, (end - first) * sizeof(std::int64_t));
    if (c.carried[g] != 0) std::memset(c.carries.data() + first, 0, (end - first) * sizeof(std::int64_t));
    c.touched[g] = 0;
    c.carried[g] = 0;
  }

  std::vector<copy> copies_;
  std::size_t targets_ = 0;
  std::size_t width_ = 0;
};

}  // namespace accrue::detail
