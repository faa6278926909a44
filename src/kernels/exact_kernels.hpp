// SPDX-License-Identifier: BSD-3-Clause
// The vector kernels of exact sums, compiled once for each instruction set and chosen at run time.
#pragma once

#include "accrue/detail/exact_accumulator.hpp"

namespace accrue::kernels {

/// Terms of a short tile whose exponents are looked at, to see that no addition rounds; more of them are left to the exception flags.
inline constexpr std::size_t most_terms_by_exponents = 768;

/// Adds the tile's terms to `lanes`, split in two, and answers true; or answers false and leaves `lanes` alone because an addition
/// rounded or an element was infinite or NaN. Terms of double products need more bits than two lanes hold: always false.
bool split_fold(split_lanes& lanes, term what, operands<float> tile);
bool split_fold(split_lanes& lanes, term what, operands<double> tile);

/// Adds the tile's terms to `windows`, and answers true; or answers false and leaves `windows` alone because an element reached
/// above the top window or below the last one.
bool window_fold(window_totals& windows, term what, operands<float> tile);
bool window_fold(window_totals& windows, term what, operands<double> tile);

// One bin for each sign and exponent field. Its lower word adds the significands' lower 20 bits and counts elements from bit 40 up,
// its upper word adds their upper 32 bits: good for 2^20 elements.
struct exponent_bins {
  struct pair {
    std::uint64_t low;
    std::uint64_t high;
  };
  static constexpr int low_bits = 20;
  static constexpr int count_shift = 40;
  static constexpr std::size_t most_elements = std::size_t{1} << 20;

  alignas(64) pair bin[4096];
  std::size_t elements;                         ///< since the bins were empty
  std::int64_t special[detail::special_words];  ///< infinities and NaNs, which no bin takes
};

/// Adds `count` doubles to the bins of their signs and exponents, infinities and NaN too.
void add_to_bins(exponent_bins& bins, const double* x, std::size_t count);

/// The exponent e of the largest term, 2^e <= |term| < 2^(e+1); `no_exponent` if all are zero; 1024 with an infinity or NaN.
int largest_exponent(term what, operands<float> tile);
int largest_exponent(term what, operands<double> tile);
inline constexpr int no_exponent = -5000;

}  // namespace accrue::kernels
