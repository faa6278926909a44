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
#include <deque>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "accrue/detail/delay_line.hpp"
#include "accrue/detail/doubles_in_words.hpp"
#include "accrue/detail/kernels.hpp"
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
/// x, of 63 bits, as an integer: by one instruction where there is one.
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
        allowed_(std::ldexp(1 + std::numeric_limits<double>::epsilon(), unit_ - 1), largest) {}

  /// The doubles that are within the bound and do not vanish, zero aside.
  [[nodiscard]] const magnitudes& allowed() const { return allowed_; }
  /// The multiple of the unit nearest to x, ties to even. False, and none, for what is beyond the bound, no number, or would vanish.
  [[nodiscard]] bool count(double x, std::int64_t& units) const {
    units = 0;
    if (!allowed_.hold(x)) [[unlikely]] return is_zero(x);
    units = nearest_by_parts(opaque(x * scale_));
    return true;
  }
  /// The same of what is allowed, where `converts_to_nearest`.
  [[nodiscard]] std::int64_t count_directly(double x) const { return nearest_integer(opaque(x * scale_)); }
  /// targets[k] + counts[k], each rounded once. Targets to which they add zero stay as they are.
  template <class T>
  void add_to(T* targets, const std::int64_t* counts, std::size_t size) const {
    // No result is subnormal, or overflows before it is added.
    if (unit_ >= std::numeric_limits<T>::min_exponent && unit_ + 63 < std::numeric_limits<T>::max_exponent) {
      kernels::add_rounded_counts(one_, counts, size, targets);
    } else {
      for (std::size_t k = 0; k < size; ++k) add_to(targets[k], counts[k]);
    }
  }
  template <class T>
  void add_to(T* targets, const int128* counts, std::size_t size) const {
    for (std::size_t k = 0; k < size; ++k) add_to(targets[k], counts[k]);
  }

 private:
  template <class T>
  void add_to(T& target, int128 units) const {
    if (units == 0) return;
    const auto magnitude = static_cast<uint128>(units < 0 ? -units : units);
    target = canonical_nan(target + round_to<T>(truncated{magnitude, unit_, false}, units < 0));
  }
  /// In any rounding mode, of what is below 2^62.
  static std::int64_t nearest_by_parts(double scaled) {
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
  magnitudes allowed_;
};

/// One thread's copy: a number's sum is its count and 2^64 times its carry. There are no carries until a count passes 63 bits. Zero between
/// uses: merging clears what it reads.
class bounded_copy {
 public:
  static constexpr std::size_t group = private_copies<double>::group;  ///< targets

  bounded_copy(std::size_t targets, std::size_t width)
      : width_(width), counts_(targets * width), touched_((targets + group - 1) / group) {
    if (counts_.size() * sizeof(std::int64_t) > delay_line<std::int64_t>::cached_bytes) waiting_for_memory_.emplace(width);
  }

  /// What the thread adds to, as a value whose pointers a compiler keeps in registers.
  class adder {
   public:
    adder() = default;
    explicit adder(bounded_copy& copy)
        : counts_(copy.counts_.data()),
          touched_(copy.touched_.data()),
          delayed_(copy.waiting_for_memory_ ? &*copy.waiting_for_memory_ : nullptr),
          copy_(&copy) {}

    template <std::size_t D>
    [[gnu::always_inline]] void add(std::size_t target, const std::array<std::int64_t, D>& x) const {
      if (delayed_ == nullptr) [[likely]] return add_now(target, x);
      __builtin_prefetch(counts_ + D * target, 1);
      __builtin_prefetch(counts_ + D * target + D - 1, 1);
      const auto [before, of_before] = delayed_->exchange(target, x);
      add_now(before, of_before);
    }
    /// When the thread has added everything: adds what is delayed.
    template <std::size_t D>
    void flush() const {
      for (std::size_t k = 0; delayed_ != nullptr && k < delay_line<std::int64_t>::length; ++k) add(0, std::array<std::int64_t, D>());
    }

   private:
    template <std::size_t D>
    [[gnu::always_inline]] void add_now(std::size_t target, const std::array<std::int64_t, D>& x) const {
      touched_[target / group] = true;
      std::int64_t* const own = opaque(counts_ + target * D);
      if constexpr (D == 3) {  // compilers leave a loop at -O2
        count(target * D, own, x[0]);
        count(target * D + 1, own + 1, x[1]);
        count(target * D + 2, own + 2, x[2]);
      } else {
        for (std::size_t d = 0; d < D; ++d) count(target * D + d, own + d, x[d]);
      }
    }

    [[gnu::always_inline]] void count(std::size_t number, std::int64_t* own, std::int64_t more) const {
      if (__builtin_add_overflow(*own, more, own)) [[unlikely]] copy_->carry(number);
    }

    std::int64_t* counts_ = nullptr;
    bool* touched_ = nullptr;
    delay_line<std::int64_t>* delayed_ = nullptr;
    bounded_copy* copy_ = nullptr;
  };

  /// Adds numbers `first` to `end`, all of group g, to `sums`.
  void add_to(std::size_t g, std::size_t first, std::size_t end, int128* sums) const {
    for (std::size_t k = first; k < end; ++k) sums[k - first] += counts_[k];
    if (!carried(g)) return;
    for (std::size_t k = first; k < end; ++k) sums[k - first] += static_cast<int128>(carries_[k]) * (static_cast<int128>(1) << 64);
  }
  [[nodiscard]] const std::int64_t* counts() const { return counts_.data(); }
  [[nodiscard]] bool touched(std::size_t g) const { return touched_[g]; }
  [[nodiscard]] bool carried(std::size_t g) const { return carried_.size() != 0 && carried_[g]; }
  /// Forgets group g, whose numbers these are. Returns its bytes.
  std::size_t clear(std::size_t g, std::size_t first, std::size_t end) {
    const std::size_t bytes = (end - first) * sizeof(std::int64_t);
    std::memset(counts_.data() + first, 0, bytes);
    touched_[g] = false;
    if (!carried(g)) return bytes;
    std::memset(carries_.data() + first, 0, bytes);
    carried_[g] = false;
    return 2 * bytes;
  }

  [[nodiscard]] std::size_t bytes() const {
    return (counts_.size() + carries_.size()) * sizeof(std::int64_t) + touched_.size() + carried_.size();
  }
  /// Whether there was no memory for carries since this was asked last, so that sums are wrong.
  bool was_out_of_memory() { return std::exchange(out_of_memory_, false); }

 private:
  /// For a count that has just wrapped around, and so changed its sign. It must not throw out of a caller's parallel region.
  [[gnu::noinline, gnu::cold]] void carry(std::size_t number) noexcept {
    try {
      if (carries_.size() == 0) carries_ = zeroed_array<std::int64_t>(counts_.size());
      if (carried_.size() == 0) carried_ = zeroed_array<bool>(touched_.size());
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      return;
    }
    carries_[number] += counts_[number] < 0 ? 1 : -1;
    carried_[number / width_ / group] = true;
  }

  std::optional<delay_line<std::int64_t>> waiting_for_memory_;  ///< where targets are many
  std::size_t width_;
  zeroed_array<std::int64_t> counts_;
  zeroed_array<std::int64_t> carries_;
  zeroed_array<bool> touched_;  // of each group: whether anything was added to it
  zeroed_array<bool> carried_;  // and whether it has carries
  bool out_of_memory_ = false;
};

/// The copies of a team, of `width` numbers a target.
class bounded_copies {
 public:
  bounded_copy& of(std::size_t thread, std::size_t targets, std::size_t width) {
    targets_ = targets;
    width_ = width;
    while (copies_.size() <= thread) copies_.emplace_back(targets, width);
    return copies_[thread];
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const bounded_copy& c : copies_) sum += c.bytes();
    return sum;
  }

  /// Hands the sums of group g's numbers over all copies to `sink(first, sums, size)`, as integers of 64 bits or of 128, and forgets them.
  /// Returns the bytes read.
  template <class Sink>
  std::size_t merge_group(std::size_t g, const Sink& sink) {
    constexpr std::size_t chunk = 64;
    const std::size_t begin = g * bounded_copy::group * width_;
    const std::size_t end = std::min(begin + bounded_copy::group * width_, targets_ * width_);
    const auto for_touched = [&](const auto& f) {
      for (bounded_copy& c : copies_) {
        if (c.touched(g)) f(c);
      }
    };
    std::array<const std::int64_t*, most_copies> counts_of;
    std::size_t touched = 0;
    bool fit = true;
    for_touched([&](const bounded_copy& c) {
      fit = fit && !c.carried(g) && touched < most_copies;
      counts_of[touched++ % most_copies] = c.counts();
    });
    if (touched == 0) return 0;
    for (std::size_t first = begin; first < end; first += chunk) {
      const std::size_t behind = std::min(first + chunk, end);
      std::int64_t counts[chunk] = {};
      std::int64_t carries[chunk];
      if (fit && kernels::sum_copies(counts_of.data(), touched, first, behind - first, counts, carries)) {
        sink(first, counts, behind - first);
        continue;
      }
      int128 sums[chunk] = {};
      for_touched([&](const bounded_copy& c) { c.add_to(g, first, behind, sums); });
      sink(first, sums, behind - first);
    }
    std::size_t read = 0;
    for_touched([&](bounded_copy& c) { read += c.clear(g, begin, end); });
    return read;
  }
  /// When all groups are merged. Whether there was memory for all contributions.
  bool finish() {
    bool good = true;
    for (bounded_copy& c : copies_) good = !c.was_out_of_memory() && good;
    return good;
  }

 private:
  static constexpr std::size_t most_copies = 256;  ///< that are summed at once

  std::deque<bounded_copy> copies_;
  std::size_t targets_ = 0;
  std::size_t width_ = 0;
};

}  // namespace accrue::detail
