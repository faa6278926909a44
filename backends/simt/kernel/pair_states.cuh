// SPDX-License-Identifier: BSD-3-Clause
// Exact sums as states, the words of a superaccumulator, where a pair of doubles holds them: what the pair kernels leave, and a state's
// last step.
#pragma once

#include "accrue/backends/simt/kernel/wide_sums.cuh"
#include "accrue/backends/simt/operations/double_pairs.cuh"

namespace accrue::simt {

/// The limbs of a finite double, without carries and with its sign.
template <class Sum>
class limbs_of_double {
 public:
  explicit ACCRUE_DEVICE limbs_of_double(double x) {
    const sum_bits s(x);
    position_ = s.exponent - Sum::lowest_bit;
    bits_ = s.value;
    if (position_ < 0) {  // sums are multiples of the lowest bit
      bits_ = position_ > -64 ? bits_ >> -position_ : 0;
      position_ = 0;
    }
    minus_ = s.minus;
  }
  [[nodiscard]] ACCRUE_DEVICE int first() const { return position_ / 32; }
  [[nodiscard]] ACCRUE_DEVICE int end() const { return first() + 3; }
  [[nodiscard]] ACCRUE_DEVICE std::int64_t limb(int k) const {
    const int shift = position_ - 32 * k;
    std::uint64_t v = 0;
    if (shift >= 0 && shift < 32) v = bits_ << shift;
    if (shift < 0 && shift > -64) v = bits_ >> -shift;
    const auto digit = static_cast<std::int64_t>(v & 0xffffffff);
    return minus_ ? -digit : digit;
  }

 private:
  std::uint64_t bits_;
  int position_;
  bool minus_;
};

/// Writes the state of high + low, normalised; a warp's work.
template <class T>
ACCRUE_DEVICE_RARE void store_as_state(double high, double low, void* state) {
  using sum = superaccumulator<T>;
  constexpr int limbs = static_cast<int>(sum::limbs);
  const limbs_of_double<sum> a(high);
  const limbs_of_double<sum> b(low);
  const int first = a.first() < b.first() ? a.first() : b.first();
  const int end = (a.end() > b.end() ? a.end() : b.end()) + 1;  // with the last carry
  auto* const words = static_cast<std::int64_t*>(state);
#pragma unroll 1
  for (int k = static_cast<int>(lane()); k < static_cast<int>(sum::word_count); k += static_cast<int>(warp_width)) {
    if (k >= limbs) {
      words[k] = k == limbs + static_cast<int>(detail::pending) ? 1 : 0;
      continue;
    }
    std::int64_t v = 0;
#pragma unroll 1
    for (int j = first; j < k && j < end; ++j) v = (v + a.limb(j) + b.limb(j)) >> 32;
    v += a.limb(k) + b.limb(k);
    words[k] = k == limbs - 1 ? v : v & 0xffffffff;
  }
}

/// The most slots for each lane of kernels that leave states too: the largest kernel has no registers for it.
inline constexpr unsigned most_slots_of_states = 5;

/// Writes the total, the same in all threads of warp 0, rounded. False, and nothing written, if it is not certain.
ACCRUE_DEVICE bool store_total(const pair_sum& total, const pair_ending& end) {
  if (end.result_bytes == 8) {
    double r = 0;
    if (!round_total(total, r)) return false;
    if (thread() == 0) *static_cast<double*>(end.result) = r;
  } else {
    float r = 0;
    if (!round_total(total, r)) return false;
    if (thread() == 0) *static_cast<float*>(end.result) = r;
  }
  return true;
}

/// 2^exponent, from the least double on.
ACCRUE_DEVICE double power_of_two(int exponent) {
  return std::bit_cast<double>(exponent >= -1022 ? static_cast<std::uint64_t>(exponent + 1023) << 52
                                                 : std::uint64_t{1} << (exponent + 1074));
}
/// The last step of any state.
template <class T, term what>
ACCRUE_DEVICE_RARE void finish_state(const std::int64_t* state, pair_ending end) {
  auto& digits = block_digits<T, what>();
  digits.clear();
  digits.close(nullptr, 1);
  const exact_sum<T, what> op{last_step::value, {static_cast<std::uint8_t>(end.result_bytes), true, true}};
  wide_program<T, what>::finish(op, digits, {0, 1, nullptr, nullptr}, 0, {end.result, nullptr, state, false, true});
}

/// The last step of a sum's state, by one warp. Its limbs, and what each hands on to the next so that it is at most 2^31 on either side of
/// zero, are terms as a lane's are; sums of either sign have few that are not zero then.
template <class T, term what>
ACCRUE_KERNEL(most_threads, 1)
finish_state_kernel(const std::int64_t* state, pair_ending end) {
  using sum = superaccumulator<T>;
  constexpr unsigned limbs = sum::limbs;
  constexpr unsigned each = (limbs + warp_width - 1) / warp_width;
  constexpr int highest_unit = 960;  // far enough below a double's largest
  std::int64_t word[each];
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    const unsigned k = lane() + j * warp_width;
    word[j] = k < limbs ? state[k] : 0;
  }
  bool held = lane() >= detail::pending || state[limbs + lane()] == 0;
  double term[each];
  std::int64_t from_before = 0;  // for lane 0
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    const unsigned k = lane() + j * warp_width;
    const std::int64_t on = k + 1 < limbs ? (word[j] + (std::int64_t{1} << 31)) >> 32 : 0;
    const std::int64_t below = shuffle(on, (lane() + warp_width - 1) % warp_width);
    const std::int64_t digit = word[j] - on * (std::int64_t{1} << 32) + (lane() == 0 ? from_before : below);
    from_before = below;
    const int exponent = sum::lowest_bit + 32 * static_cast<int>(k);
    held = held && (digit == 0 || exponent <= highest_unit);
    term[j] = digit == 0 || exponent > highest_unit ? 0 : multiply(static_cast<double>(digit), power_of_two(exponent));
  }
  pair_sum total = sum_terms(term);
  total.fits = total.fits && !any(!held);
  if (!store_total(total, end)) finish_state<T, what>(state, end);
}

}  // namespace accrue::simt
