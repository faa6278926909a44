// SPDX-License-Identifier: BSD-3-Clause
// The compiled CPU kernels behind the named reductions: tiles of at most `largest_tile` elements where nothing else is said,
// vectorised for the processor at hand. Everything that rounds lives there, out of reach of a consumer's compiler flags.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/detail/ordered_key.hpp"
#include "accrue/detail/rounding.hpp"
#include "accrue/element.hpp"

namespace accrue::kernels {

inline constexpr std::size_t largest_tile = exact_accumulator::largest_tile;
inline constexpr std::size_t largest_integer_tile = 32768;

/// Which extrema a kernel looks for.
enum class which_extrema : std::uint8_t { minimum, maximum, both };

/// Smallest and largest ordered key of a non-empty tile; only those asked for are written.
template <class T>
  requires(detail::place_of_element<T> < detail::element_types && real_number<T>)
void tile_extrema(const T* x, std::size_t size, which_extrema which, detail::nan_rank rank, const look_ahead& next,
                  detail::ordered_key_t<T>& lowest, detail::ordered_key_t<T>& highest);
/// The first element of a non-empty tile whose key is `bound` at most, or, for the largest, at least; the last one where there is none.
template <class T>
  requires(detail::place_of_element<T> < detail::element_types && real_number<T>)
std::size_t first_extreme(const T* x, std::size_t size, bool largest, detail::nan_rank rank, detail::ordered_key_t<T> bound);

/// An integer total, low + high * 2^64.
struct integer_total {
  detail::int128 low = 0;
  detail::int128 high = 0;
};
/// Adds the terms of a tile of at most `largest_integer_tile` elements.
template <class T>
  requires(detail::place_of_element<T> < detail::element_types && integer<T>)
void add_integers(integer_total& total, term what, operands<T> tile);

/// What an ordered or fast chunk adds or multiplies.
enum class chunk_term : std::uint8_t { value, magnitude, square, product, factor };
constexpr chunk_term to_chunk_term(term what) { return static_cast<chunk_term>(what); }

/// One chunk of the ordered tree (ordered_tree.hpp): `factor` multiplies the elements, the others add their terms, in type R.
template <native_float R, native_float T>
R ordered_chunk(chunk_term what, operands<T> chunk);

/// The sum of the terms in any order, in type R.
template <native_float R, native_float T>
R fast_tile(term what, operands<T> tile);
/// The same of 16-bit floats in float; false where they have to be widened first.
template <small_float T>
bool fast_narrow_tile(term what, operands<T> tile, float& sum);

/// The last step of an exact sum.
enum class ending : std::uint8_t { value, square_root, mean };

/// The sum of a tile's terms after its last step, rounded once, for tiles of so many elements and more: by a sum to within a bound. False
/// where that does not decide the rounding, as of sums that cancel, of what is no number, or very large, and on processors without fused
/// operations, where the terms are products of doubles or there is a last step.
inline constexpr std::size_t least_certified_tile = 64;
bool certified_total(term what, ending last, const operands<float>& tile, float& result);
bool certified_total(term what, ending last, const operands<double>& tile, float& result);
bool certified_total(term what, ending last, const operands<double>& tile, double& result);

/// Attempts at batches of groups, one after another, by a way that fails of some data: after failures it is left out for some time.
struct attempts {
  unsigned failures = 0;  ///< in a row
  unsigned left_out = 0;  ///< batches to come

  [[nodiscard]] bool pay() {
    if (left_out == 0) return true;
    --left_out;
    return false;
  }
  void took(bool success) {
    failures = success ? 0 : failures < 6 ? failures + 1 : failures;
    left_out = success ? 0 : 1u << failures;
  }
};

/// Elements that such groups have at most, and those of values and magnitudes without steps, in rows.
inline constexpr std::size_t longest_short_group = 128;
inline constexpr std::size_t longest_row = 4096;
/// Groups of few elements, `step` apart: group k has sizes[k] of them from x[k] on, and for products as many from y[k] on. They may be of
/// equal sizes, each beginning where the one before ends.
template <class T>
struct short_groups {
  static constexpr std::size_t most = 64;
  const T* x[most];
  const T* y[most];
  std::uint32_t sizes[most];
  std::ptrdiff_t step = 1;
  std::ptrdiff_t y_step = 1;
  bool end_to_end = false;
  std::size_t count = 0;
  std::size_t span = 0;  ///< elements from the first to the end of the last, where others follow them
  bool in_lanes = true;  ///< whether they may be taken a group in each lane: those of at most `longest_short_group`
  bool in_rows = true;   ///< whether they may be added as they lie, without rounding: sums of values and magnitudes
  attempts by_rows;      ///< at that, of batches before, which the caller hands on
};
/// The exact sums of the groups' terms after their last step, each rounded once. Bits of those for which that was not
/// proven, whose results are not to be used. Groups behind the last, up to a multiple of 8, are made empty. In the default environment.
std::uint64_t short_sums(term what, ending last, short_groups<float>& groups, float* out);
std::uint64_t short_sums(term what, ending last, short_groups<float>& groups, double* out);
std::uint64_t short_sums(term what, ending last, short_groups<double>& groups, double* out);

/// Two doubles whose sum is meant.
struct exact_pair {
  double high = 0;
  double low = 0;
};
/// The same of sums that two doubles hold, as they are.
std::uint64_t short_pairs(term what, short_groups<float>& groups, exact_pair* out);
std::uint64_t short_pairs(term what, short_groups<double>& groups, exact_pair* out);

/// Digits of 48 bits, with signs, of several sums: digit j of sum k, digit[j][k], is worth 2^(unit + 48 j).
inline constexpr int digit_bits = 48;
inline constexpr std::size_t most_digits = 8;
struct sums_in_digits {
  static constexpr std::size_t most = 64;
  int unit = 0;
  std::size_t digits = 0;  ///< of each
  std::size_t count = 0;
  std::int64_t digit[most_digits][most];
};
/// The digits of sums, the last below 2^48 in magnitude and the others at most that, at a unit and in a number that are given. Bits of
/// those that they do not hold.
std::uint64_t to_digits(const exact_pair* sums, sums_in_digits& out);
/// The sums after their last step, each rounded once. Bits of those for which that was not proven.
std::uint64_t finish_digits(ending last, const sums_in_digits& sums, float* out);
std::uint64_t finish_digits(ending last, const sums_in_digits& sums, double* out);

/// Moments of such groups.
template <class R>
struct short_moments {
  R mean[short_groups<R>::most];
  R variance[short_groups<R>::most];  ///< divided by one less than the number; NaN for a single element
  R population_variance[short_groups<R>::most];
  R standard_deviation[short_groups<R>::most];
};
/// The same for means and variances, each rounded once.
std::uint64_t short_group_moments(short_groups<float>& groups, short_moments<float>& out);
std::uint64_t short_group_moments(short_groups<double>& groups, short_moments<double>& out);
/// The same of one array of a few thousand elements at most, the first of `out`; false where that was not proven.
bool tile_moments(const operands<float>& tile, short_moments<float>& out);
bool tile_moments(const operands<double>& tile, short_moments<double>& out);
/// The smallest elements of such groups, or the largest, NaN standing at `rank`. Bits of those that are left, empty ones among them.
std::uint64_t short_extrema(bool largest, detail::nan_rank rank, short_groups<float>& groups, float* out);
std::uint64_t short_extrema(bool largest, detail::nan_rank rank, short_groups<double>& groups, double* out);
/// The same with their first places, NaN winning.
std::uint64_t short_extrema_places(bool largest, short_groups<float>& groups, float* out, std::size_t* places);
std::uint64_t short_extrema_places(bool largest, short_groups<double>& groups, double* out, std::size_t* places);

/// Columns of a matrix that is stored by rows: `count` of them side by side, of `length` elements `stride` apart.
template <class T>
struct few_columns {
  const T* x;
  std::size_t count;
  std::size_t length;
  std::ptrdiff_t stride;
};
/// Sums of at most `most` columns and what their additions lost. For results that are floats the sums alone are precise.
struct column_sums {
  static constexpr std::size_t most = 256;
  double sum[most];
  double error[most];
  double lost[most];
  double tiny[most];  ///< the least product
  attempts in_halves;  ///< at adding some rows without rounding
};
/// A bit for each column whose result was not proven.
struct left_columns {
  std::uint64_t bits[column_sums::most / 64] = {};
};
void clear(column_sums& sums);
/// Adds the terms of columns, of one matrix and of any length; false, and nothing is done, where the processor lacks what it takes.
bool add_columns(term what, ending last, bool to_float, const few_columns<float>& columns, column_sums& sums);
bool add_columns(term what, ending last, bool to_float, const few_columns<double>& columns, column_sums& sums);
void merge_columns(bool to_float, column_sums& a, const column_sums& b);
/// The results of the first `count` columns of `length` elements, as short_sums has them.
left_columns finish_columns(ending last, const column_sums& sums, std::size_t count, std::size_t length, float* out);
left_columns finish_columns(ending last, const column_sums& sums, std::size_t count, std::size_t length, double* out);

/// A product with its exponent apart: significand * 2^exponent, 1 <= |significand| < 2, or the significand 0, infinite or NaN.
struct scaled {
  double significand = 1;
  std::int64_t exponent = 0;
};
/// a * b with one rounding of the significand.
scaled multiply(scaled a, scaled b);
scaled to_scaled(double x);
/// x + y or x - y as a scaled value, the sum rounded once without overflow or underflow.
scaled scaled_sum(double x, double y);

/// One operation, rounded to nearest in the environment of the moment: a consumer's compiler can neither move nor rewrite it.
float add(float a, float b);
double add(double a, double b);
float multiply(float a, float b);
double multiply(double a, double b);
float divide(float a, float b);
double divide(double a, double b);
float square_root(float x);
double square_root(double x);
float narrow(double x);

/// |re| + |im|, rounded once.
float manhattan(std::complex<float> z);
double manhattan(std::complex<double> z);

/// 16-bit floats to float, without error.
void widen(const half* from, float* to, std::size_t size);
void widen(const bfloat16* from, float* to, std::size_t size);

/// Words of a number, two to four: word k counts multiples of 2^(first + bits * k - 1074). First is at most 1900.
struct word_units {
  static constexpr int bits = 51;  ///< so that what a word leaves of a value, up to its unit, is within 2^51 units of the next
  static constexpr std::size_t most_values = 128;  ///< of a call
  static constexpr std::int64_t nearly_full = std::int64_t{1} << 61;  ///< a call adds at most 2^57
  int first = 0;
  std::size_t count = 0;
};
/// Whether the words of every number stay within -nearly_full to nearly_full - 1, reach beyond, or do not hold a value.
enum class words_after : std::uint8_t { in_range, nearly_full, unchanged };
/// Adds x[i] to the words at words + numbers[i] * units.count, exactly; or nothing, where they do not hold one of the values.
words_after add_to_words(const word_units& units, const double* x, const std::size_t* numbers, std::size_t size, std::int64_t* words);

/// What counts of a unit hold, as twice the bits of magnitudes: so many from `least` on. `scale`: units a one.
struct counted_range {
  double scale;
  std::uint64_t least;
  std::uint64_t range;
};
/// counts[i] = x[i] in units, or |x[i]|, for `count_block` elements at most; bits of those that are not held, whose counts are zero. Zeros
/// are. There is room for `count_block` counts. In the default environment.
inline constexpr std::size_t count_block = 64;
std::uint64_t count_elements(const counted_range& unit, bool magnitudes, const double* x, std::size_t size, std::int64_t* counts);
std::uint64_t count_elements(const counted_range& unit, bool magnitudes, const float* x, std::size_t size, std::int64_t* counts);
/// What is split in two, as counted_range has it, and 1.5 * 2^52 upper units.
struct split_range {
  double rounder;
  std::uint64_t least;
  std::uint64_t range;
};
/// Pairs of sums that elements are added to by keys, split: a multiple of the upper unit to the first, the rest to the second.
struct keyed_pairs {
  split_range units;
  double* sums;  ///< of key k at 2 * k
  std::size_t count;
};
/// Adds x[i], or |x[i]|, to the pair keys[i], for `count_block` elements at most, but those that are not held, whose bits are the answer,
/// and those without such a pair: `known` becomes false. In the default environment.
std::uint64_t add_elements(const keyed_pairs& pairs, bool magnitudes, const double* x, const std::uint32_t* keys, std::size_t size,
                           bool& known);
std::uint64_t add_elements(const keyed_pairs& pairs, bool magnitudes, const float* x, const std::uint32_t* keys, std::size_t size,
                           bool& known);
/// Moves whole upper units from the lower sums to the upper ones before them, of so many pairs. Whether all upper ones then are below
/// `most`. In any rounding mode.
bool carry_pairs(double rounder, double most, double* halves, std::size_t pairs);

/// sums[i] + 2^64 * carries[i] = sums[i] + copies[0][first + i] + copies[1][first + i] + ...: so many copies. Whether all carries are zero.
bool sum_copies(const std::int64_t* const* copies, std::size_t count, std::size_t first, std::size_t size, std::int64_t* sums,
                std::int64_t* carries);

/// targets[i] += counts[i] * unit, the sum rounded once, for 2^16 targets at most: in round to nearest, with subnormal numbers. Targets
/// whose counts are zero stay as they are. So do those whose sums take more bits than two doubles, infinities, NaN and the largest numbers:
/// their indices go to `left`, and the result is how many they are. Of floats, signalling NaN become quiet. The unit is a power of two from
/// 2^-1022 to 2^900.
std::size_t add_counts(double unit, const std::int64_t* counts, std::size_t size, double* targets, std::uint16_t* left);
std::size_t add_counts(double unit, const std::int64_t* counts, std::size_t size, float* targets, std::uint16_t* left);
/// The same of targets[i] += upper[i] + lower[i], finite doubles of which the lower one is small beside the upper one, or this zero.
std::size_t add_halves(const double* upper, const double* lower, std::size_t size, double* targets, std::uint16_t* left);
std::size_t add_halves(const double* upper, const double* lower, std::size_t size, float* targets, std::uint16_t* left);
/// As add_counts for all targets, where counts[i] * unit is rounded to their type first; that and the unit are normal numbers of this type.
void add_rounded_counts(double unit, const std::int64_t* counts, std::size_t size, double* targets);
void add_rounded_counts(double unit, const std::int64_t* counts, std::size_t size, float* targets);

}  // namespace accrue::kernels
