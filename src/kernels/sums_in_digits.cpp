// SPDX-License-Identifier: BSD-3-Clause
// Exact sums as digits, in which they travel and add as integers, and back.
#include "accrue/detail/kernels.hpp"

#include <algorithm>
#include <bit>

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sums_in_digits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "sums_in_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// 2^exponent, a normal number.
constexpr double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

std::uint64_t to_digits_any(const exact_pair* sums, sums_in_digits& out) {
  const d64 d;
  const V zero = hn::Zero(d);
  const V magic = hn::Set(d, 0x1.8p52);  // a number below 2^51 that is added to it is rounded to an integer
  std::uint64_t held = 0;
  for (std::size_t k = 0; k < out.count; k += width) {
    exact_pair some[width];
    const std::size_t lanes = std::min(width, out.count - k);
    const exact_pair* from = sums + k;
    if (lanes != width) from = (std::copy_n(from, lanes, some), some);
    V high;
    V low;
    hn::LoadInterleaved2(d, &from->high, high, low);
    auto in_range = high == high;
    for (std::size_t j = out.digits; j-- != 0;) {
      const int exponent = out.unit + digit_bits * static_cast<int>(j);
      const V of_high = high * hn::Set(d, power_of_two(-exponent));
      const V of_low = low * hn::Set(d, power_of_two(-exponent));
      if (j + 1 == out.digits) {  // those below are smaller, and so is what a digit leaves
        const V most = hn::Set(d, 0x1p47);
        in_range = hn::And(hn::Abs(of_high) <= most, hn::Abs(of_low) <= most);
      }
      const V high_digit = magic + of_high;
      const V low_digit = magic + of_low;
      if (j + 1 == out.digits) {
        in_range = hn::And(in_range, hn::Abs((high_digit - magic) + (low_digit - magic)) < hn::Set(d, 0x1p48));
      }
      const auto none = hn::BitCast(i64(), magic);
      const auto digit = (hn::BitCast(i64(), high_digit) - none) + (hn::BitCast(i64(), low_digit) - none);
      hn::StoreU(digit, i64(), &out.digit[j][k]);
      high = high - (high_digit - magic) * hn::Set(d, power_of_two(exponent));
      low = low - (low_digit - magic) * hn::Set(d, power_of_two(exponent));
    }
    const auto whole = hn::And(in_range, hn::And(high == zero, low == zero));
    held |= std::uint64_t{bits_of(whole, lanes)} << k;
  }
  return ~held;
}

template <class R>
std::uint64_t finish_digits_any(ending last, const sums_in_digits& sums, R* out) {
  if (!can_prove(term::value, sizeof(double), last)) return ~std::uint64_t{0};
  const d64 d;
  const auto most = hn::Set(i64(), std::int64_t{1} << 53);  // that a double holds
  std::uint64_t proven = 0;
  for (std::size_t k = 0; k < sums.count; k += width) {
    auto large = hn::Zero(i64());
    for (std::size_t j = 0; j < sums.digits; ++j) large = hn::Or(large, hn::Abs(hn::LoadU(i64(), &sums.digit[j][k])));
    const bool whole = hn::AllTrue(i64(), large < most);
    lane_sums<false> total;
    for (std::size_t j = sums.digits; j-- != 0;) {
      const V unit = hn::Set(d, power_of_two(sums.unit + digit_bits * static_cast<int>(j)));
      const auto digit = hn::LoadU(i64(), &sums.digit[j][k]);
      if (whole) {
        total.add(hn::ConvertTo(d, digit) * unit);
      } else {
        const auto upper = hn::ShiftRight<32>(digit);
        const auto lower = digit - hn::ShiftLeft<32>(upper);
        total.add(hn::ConvertTo(d, upper) * (unit * hn::Set(d, 0x1p32)));
        total.add(hn::ConvertTo(d, lower) * unit);
      }
    }
    const std::size_t lanes = std::min(width, sums.count - k);
    proven |= std::uint64_t{finish(total.total(), last, hn::Set(d, 1.0), lanes, out + k)} << k;
  }
  return ~proven;
}
std::uint64_t finish_f32(ending last, const sums_in_digits& sums, float* out) { return finish_digits_any(last, sums, out); }
std::uint64_t finish_f64(ending last, const sums_in_digits& sums, double* out) { return finish_digits_any(last, sums, out); }

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(to_digits_any);
HWY_EXPORT(finish_f32);
HWY_EXPORT(finish_f64);

namespace {

std::uint64_t bits_of_all(const sums_in_digits& sums) {
  return sums.count != 0 ? ~std::uint64_t{0} >> (sums_in_digits::most - sums.count) : 0;
}
/// Whether digits are such that doubles scale them without underflow, and that sums do not overflow.
bool are_ordinary(const sums_in_digits& sums) {
  return sums.unit >= -900 && sums.unit + digit_bits * static_cast<int>(sums.digits) <= 900;
}

}  // namespace

std::uint64_t to_digits(const exact_pair* sums, sums_in_digits& out) {
  const std::uint64_t all = bits_of_all(out);
  return are_ordinary(out) ? all & HWY_DYNAMIC_DISPATCH(to_digits_any)(sums, out) : all;
}
std::uint64_t finish_digits(ending last, const sums_in_digits& sums, float* out) {
  const std::uint64_t all = bits_of_all(sums);
  return are_ordinary(sums) ? all & HWY_DYNAMIC_DISPATCH(finish_f32)(last, sums, out) : all;
}
std::uint64_t finish_digits(ending last, const sums_in_digits& sums, double* out) {
  const std::uint64_t all = bits_of_all(sums);
  return are_ordinary(sums) ? all & HWY_DYNAMIC_DISPATCH(finish_f64)(last, sums, out) : all;
}

}  // namespace accrue::kernels
#endif
