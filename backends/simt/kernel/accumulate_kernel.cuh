// SPDX-License-Identifier: BSD-3-Clause
// The kernels of accumulations: work items that add to targets, and what becomes of integers that hold every bit.
#pragma once

#include <span>

#include "accrue/backends/simt/kernel/arrays.cuh"
#include "accrue/backends/simt/operations/contributors.cuh"
#include "accrue/backends/simt/operations/element_programs.cuh"

namespace accrue::simt {

inline constexpr unsigned accumulate_threads = 256;

/// Runs `body(i, out...)` for each item, with a contributor for each plan.
template <class Body, class... Plans>
ACCRUE_KERNEL(accumulate_threads, 2)
accumulate_kernel(std::size_t n, Body body, Plans... plans) {
  const auto run = [&](auto&&... out) {
    (out.start(), ...);
    sync_block();
    for (std::size_t i = std::size_t{block()} * threads() + thread(); i < n; i += std::size_t{blocks()} * threads()) {
      (out.start_item(i), ...);
      body(i, out...);
    }
    sync_block();
    (out.finish(), ...);
  };
  run(contributor_of(plans)...);
}

/// The range of what the targets hold, as if it had been contributed.
template <class T, std::size_t D>
ACCRUE_KERNEL(accumulate_threads, 2)
target_range_kernel(contribution_plan<T, D> plan) {
  device_contributor<T, D> out(plan);
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < plan.numbers(); k += std::size_t{blocks()} * threads()) {
    out.see(plan.number(k));
  }
  out.finish();
}

template <class Word>
ACCRUE_KERNEL(accumulate_threads, 2)
clear_kernel(Word* words, std::size_t count) {
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < count; k += std::size_t{blocks()} * threads()) words[k] = 0;
}
/// Words before anything was added.
template <class T, std::size_t D>
ACCRUE_KERNEL(accumulate_threads, 2)
start_words_kernel(contribution_plan<T, D> plan) {
  const std::size_t all = plan.numbers() * plan.format.count;
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < all; k += std::size_t{blocks()} * threads()) {
    plan.words[k] = plan.format.initial(static_cast<unsigned>(k % plan.format.count));
  }
}

/// A number's words as one integer of two's complement. Whether it is zero.
ACCRUE_HOST_DEVICE bool settle_words(std::uint64_t* number, const word_format& f) {
  std::uint64_t borrow = 0;
  bool zero = true;
  for (unsigned w = 0; w < f.count; ++w) {
    const std::uint64_t off = f.initial(w);
    const std::uint64_t word = number[w] - off - borrow;
    borrow = number[w] < off || (number[w] == off && borrow != 0) ? 1 : 0;
    number[w] = word;
    zero = zero && word == 0;
  }
  return zero;
}
/// Makes the magnitude of a settled integer. Whether it was negative.
ACCRUE_HOST_DEVICE bool take_magnitude(std::uint64_t* number, unsigned count) {
  const bool negative = number[count - 1] >> 63 != 0;
  std::uint64_t carry = 1;
  for (unsigned w = 0; negative && w < count; ++w) {
    number[w] = ~number[w] + carry;
    carry = carry != 0 && number[w] == 0 ? 1 : 0;
  }
  return negative;
}
/// The settled words' value, rounded once. They hold its magnitude afterwards.
template <class T>
ACCRUE_DEVICE T round_words(std::uint64_t* number, const word_format& f) {
  const bool negative = take_magnitude(number, f.count);
  const std::span<const std::uint32_t> digits(reinterpret_cast<const std::uint32_t*>(number), std::size_t{2} * f.count);
  return detail::round_to<T>(detail::leading_bits(digits, f.unit), negative);
}

/// What infinities and NaNs make of a sum: `special` as in contribution_plan::specials.
template <class T>
ACCRUE_DEVICE T special_sum(unsigned special) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if ((special & 4) != 0 || (special & 3) == 3) return std::numeric_limits<T>::quiet_NaN();
  return special == 1 ? infinity : special == 2 ? -infinity : T{0};
}

/// Each target becomes its value and all that was added to it, rounded once; those to which zero was added stay as they are.
template <class T, std::size_t D>
ACCRUE_KERNEL(accumulate_threads, 2)
finish_words_kernel(contribution_plan<T, D> plan) {
  const word_format f = plan.format;
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < plan.numbers(); k += std::size_t{blocks()} * threads()) {
    std::uint64_t* const number = plan.words + k * f.count;
    const unsigned special = plan.specials != nullptr ? plan.specials[k] : 0;
    const bool zero = settle_words(number, f);
    if (zero && special == 0) continue;
    T& target = plan.number(k);
    const T before = target;
    const float_parts x(before);
    if (special != 0 || x.special) {
      target = canonical_nan(add(before, special_sum<T>(special)));
      continue;
    }
    if (plan.largest != 0) {  // the value before may have bits below the unit
      target = add(before, round_words<T>(number, f));
      continue;
    }
    if (x.significand == 0) {
      target = round_words<T>(number, f);
      continue;
    }
    // The value before is added to a settled integer, whose words carry as they are.
    int shift = static_cast<int>(x.place) - 1074 - f.unit;
    detail::int128 integer = static_cast<std::int64_t>(x.significand);
    if (shift < 0) {
      integer >>= -shift;
      shift = 0;
    }
    integer <<= shift % 64;
    if (x.negative) integer = -integer;
    std::uint64_t carry = 0;
    for (unsigned w = static_cast<unsigned>(shift) / 64; w < f.count; ++w) {
      const detail::uint128 sum = detail::uint128{number[w]} + static_cast<std::uint64_t>(integer) + carry;
      number[w] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
      integer >>= 64;
    }
    target = round_words<T>(number, f);
  }
}

}  // namespace accrue::simt
