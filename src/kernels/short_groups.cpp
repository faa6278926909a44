// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of groups of few elements, a group in each lane: in double-double arithmetic, with a bound for what that loses, which
// proves nearly every result; the others are left to the ways of longer sums.
#include "accrue/detail/kernels.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

#include "exception_flags.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "short_groups.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "groups_in_lanes-inl.hpp"
#include "padded_groups.hpp"
#include "split_sums-inl.hpp"
#include "sums_in_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// The sums themselves, where nothing of them is lost.
HWY_INLINE unsigned finish(bounded b, ending, V, std::size_t lanes, exact_pair* out) {
  const d64 d;
  exact_pair pairs[width];
  exact_pair* const to = lanes == width ? out : pairs;
  hn::StoreInterleaved2(b.upper, b.lower, d, &to->high);
  if (lanes != width) std::copy_n(pairs, lanes, out);
  return bits_of(b.bound == hn::Zero(d), lanes);
}

/// Where so many vectors of groups needed it, others are not tried the quick way first.
inline constexpr std::size_t most_unlike = 2;

template <class T>
HWY_INLINE std::uint32_t longest_of(const short_groups<T>& groups, std::size_t first) {
  return *std::max_element(groups.sizes + first, groups.sizes + first + width);
}
/// Writes the results of as many groups as a vector has lanes, and answers in bits which of them are proven.
template <class Sums, bool pairs, class T, class R>
HWY_INLINE unsigned finish_by(ending last, const short_groups<T>& groups, std::size_t first, std::size_t lanes, R* out) {
  const V n = sizes_of(groups, first);
  Sums sums;
  add_groups<pairs>(groups, first, sums);
  return finish(sums.total(n), last, n, lanes, out + first);
}
template <class T>
inline constexpr std::size_t long_row = 16384 / sizeof(T);  ///< whose halves are read side by side
template <term what, class T>
HWY_INLINE sum_of_halves sum_of_row(const terms<what, T>& row) {
  sum_of_halves sum;
  if (row.tile.size < long_row<T>) {
    sum.add_rest(row, 0);
    return sum;
  }
  const std::size_t half = row.tile.size / (2 * width) * width;
  sum_of_halves more;
  add_side_by_side(terms<what, T>{row.part(0, half)}, sum, terms<what, T>{row.part(half, row.tile.size - half)}, more);
  sum.high[0] = sum.high[0] + more.high[0];
  sum.low[0] = sum.low[0] + more.low[0];
  return sum;
}
HWY_INLINE V sum_of_all(V (&v)[width]) {
  transpose(v);
  for (std::size_t n = width / 2; n != 0; n /= 2) {
    for (std::size_t k = 0; k < n; ++k) v[k] = v[k] + v[k + n];
  }
  return v[0];
}
/// The upper and lower halves of all groups' sums, where nothing was rounded, as the exception flags tell of all of them at once. Each lane
/// is given elements of one group, which need not be brought into lanes of their own. One function for all kinds of results: it is long.
template <term what, class T>
HWY_NOINLINE bool sum_rows(const short_groups<T>& groups, double* upper, double* lower) {
  const d64 d;
  const exception_flags flags;
  for (std::size_t first = 0; first < groups.count; first += width) {
    V high[width];
    V low[width];
    const auto row = [&](std::size_t k) HWY_ATTR {
      return terms<what, T>{operands<T>{groups.x[first + k], nullptr, groups.sizes[first + k]}};
    };
    const auto set = [&](std::size_t k, const sum_of_halves& sum) HWY_ATTR {
      high[k] = sum.high[0];
      low[k] = sum.low[0];
    };
    for (std::size_t k = 0, other = width / 2; other < width; ++k, ++other) {
      if (k != other && groups.sizes[first + k] == groups.sizes[first + other]) {
        sum_of_halves sums[2];
        add_side_by_side(row(k), sums[0], row(other), sums[1]);
        set(k, sums[0]);
        set(other, sums[1]);
      } else {
        set(k, sum_of_row(row(k)));
        set(other, sum_of_row(row(other)));
      }
      if (first + k == 0) {  // not all groups for nothing
        hn::StoreU(high[0], d, upper);
        hn::StoreU(low[0], d, lower);
        if (flags.rounded(lower)) return false;
      }
    }
    hn::StoreU(sum_of_all(high), d, upper + first);
    hn::StoreU(terms<what, T>::short_terms ? hn::Zero(d) : sum_of_all(low), d, lower + first);
  }
  return !flags.rounded(lower);
}
/// All groups' sums where they are longer than a few vectors and their terms alike.
template <term what, class T, class R>
HWY_INLINE bool add_rows_by_flags(ending last, const short_groups<T>& groups, R* out, std::uint64_t& proven) {
  const d64 d;
  double upper[short_groups<T>::most];
  double lower[short_groups<T>::most];
  if (!sum_rows<what>(groups, upper, lower)) return false;
  for (std::size_t first = 0; first < groups.count; first += width) {
    const std::size_t lanes = std::min(width, groups.count - first);
    V rest;
    const V sum = two_sum(hn::LoadU(d, upper + first), hn::LoadU(d, lower + first), rest);
    const V bound = hn::IfThenElse(rest - rest == hn::Zero(d), hn::Zero(d), hn::Inf(d));
    proven |= std::uint64_t{finish(bounded{sum, rest, bound}, last, sizes_of(groups, first), lanes, out + first)} << first;
  }
  return true;
}

/// Whether groups fill a few vectors each, on average, and more than the flags cost.
template <class T>
HWY_INLINE bool are_rows(const short_groups<T>& groups) {
  if (groups.step != 1 || !exception_flags_work()) return false;
  const std::size_t elements = std::accumulate(groups.sizes, groups.sizes + groups.count, std::size_t{0});
  return elements >= 512 && elements >= 2 * width * groups.count;
}

template <term what, class T, class R>
HWY_INLINE std::uint64_t all_groups(ending last, short_groups<T>& groups, R* out) {
  constexpr bool pairs = what == term::product;
  constexpr bool may_lose = !(std::is_same_v<R, exact_pair> && is_product(what));  // as quick sums of products do
  using quick_sums = sums_of_alike<what, R>;
  using any_sums = sums_of_any<what, T, sizeof(R) == 4>;
  std::uint64_t proven = 0;
  if constexpr (!is_product(what)) {
    if (groups.in_rows && are_rows(groups) && groups.by_rows.pay()) {
      const bool added = add_rows_by_flags<what>(last, groups, out, proven);
      groups.by_rows.took(added);
      if (added) return ~proven;
    }
  }
  if (!groups.in_lanes) return ~std::uint64_t{0};
  std::size_t unlike = 0;  // vectors of groups whose terms were
  for (std::size_t first = 0; first < groups.count; first += width) {
    const std::size_t lanes = std::min(width, groups.count - first);
    if (!pairs && are_few(groups, first)) {
      any_sums sums;
      add_few(groups.x[first], groups.sizes[0], sums);
      const V n = hn::Set(d64(), static_cast<double>(groups.sizes[0]));
      proven |= std::uint64_t{finish(sums.total(n), last, n, width, out + first)} << first;
      continue;
    }
    const bool quick = may_lose && unlike < most_unlike && longest_of(groups, first) >= quick_sums::least;
    unsigned done = quick ? finish_by<quick_sums, pairs>(last, groups, first, lanes, out) : 0;
    if (done != (1u << lanes) - 1) {
      unlike += quick ? 1 : 0;
      done = finish_by<any_sums, pairs>(last, groups, first, lanes, out);
    }
    proven |= std::uint64_t{done} << first;
  }
  return ~proven;
}

template <bool to_float>
HWY_INLINE lane_sums<to_float> load_sums(const column_sums& c, std::size_t k) {
  const d64 d;
  lane_sums<to_float> s;
  s.sum = hn::LoadU(d, c.sum + k);
  s.error = hn::LoadU(d, c.error + k);
  s.lost = hn::LoadU(d, c.lost + k);
  s.tiny = hn::LoadU(d, c.tiny + k);
  return s;
}
template <bool to_float>
HWY_INLINE void store_sums(const lane_sums<to_float>& s, column_sums& c, std::size_t k) {
  const d64 d;
  hn::StoreU(s.sum, d, c.sum + k);
  hn::StoreU(s.error, d, c.error + k);
  hn::StoreU(s.lost, d, c.lost + k);
  hn::StoreU(s.tiny, d, c.tiny + k);
}

/// Some vectors of columns in some rows.
template <term what, bool to_float, std::size_t vectors, class T>
HWY_INLINE void add_block(const few_columns<T>& c, std::size_t row, std::size_t rows, std::size_t k, column_sums& all) {
  lane_sums<to_float> s[vectors];
  for (std::size_t v = 0; v < vectors; ++v) s[v] = load_sums<to_float>(all, k + v * width);
  for (std::size_t i = row; i < row + rows; ++i) {
    const T* const at = c.x + static_cast<std::ptrdiff_t>(i) * c.stride + k;
    for (std::size_t b = 0; b < vectors * width * sizeof(T); b += 64) {
      prefetch_later(at, static_cast<std::uintptr_t>(c.stride) * rows * sizeof(T) + b);
    }
    ACCRUE_UNROLL
    for (std::size_t v = 0; v < vectors; ++v) {
      const V t = vectors > 1 || k + width <= c.count ? load_wide(at + v * width) : load_first(at, c.count - k);
      s[v].template add_term<what, T>(t, t);
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) store_sums(s[v], all, k + v * width);
}
inline constexpr std::size_t vectors_at_once = width == 8 ? 4 : 2;
inline constexpr std::size_t rows_together = 8;
/// Calls `some(k, vectors)` for vectors of columns from the k-th on: once for a few rows at a time, so that memory is read as it lies and
/// sums stay in the first-level cache.
template <class Some>
HWY_INLINE void for_blocks(std::size_t columns, const Some& some) {
  constexpr std::size_t vectors = vectors_at_once;
  std::size_t k = 0;
  for (; k + vectors * width <= columns; k += vectors * width) some(k, std::integral_constant<std::size_t, vectors>());
  for (; k < columns; k += width) some(k, std::integral_constant<std::size_t, 1>());
}
template <term what, bool to_float, class T>
HWY_INLINE void add_some_rows(const few_columns<T>& c, std::size_t row, std::size_t end, column_sums& sums) {
  for (; row < end; row += rows_together) {
    const std::size_t rows = std::min(rows_together, end - row);
    for_blocks(c.count, [&](std::size_t k, auto vectors) HWY_ATTR { add_block<what, to_float, vectors>(c, row, rows, k, sums); });
  }
}

/// Sums of columns in two halves.
struct column_halves {
  double high[column_sums::most];
  double low[column_sums::most];
};
template <term what, std::size_t vectors, class T>
HWY_INLINE void add_block_in_halves(const few_columns<T>& c, std::size_t row, std::size_t rows, std::size_t k, column_halves& all) {
  using of_row = terms<what, T>;
  const d64 d;
  V high[vectors];
  V low[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    high[v] = hn::LoadU(d, all.high + k + v * width);
    low[v] = hn::LoadU(d, all.low + k + v * width);
  }
  for (std::size_t i = row; i < row + rows; ++i) {
    const T* const at = c.x + static_cast<std::ptrdiff_t>(i) * c.stride + k;
    for (std::size_t b = 0; b < vectors * width * sizeof(T); b += 64) {
      prefetch_later(at, static_cast<std::uintptr_t>(c.stride) * rows * sizeof(T) + b);
    }
    const of_row t{operands<T>{at, nullptr, std::min(vectors * width, c.count - k)}};
    if (vectors > 1 || k + width <= c.count) {
      split_step(t, in_row(0), high, low);
    } else {
      split_step(t.tail(0), in_row(0), high, low);
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) {
    hn::StoreU(high[v], d, all.high + k + v * width);
    if constexpr (!of_row::short_terms) hn::StoreU(low[v], d, all.low + k + v * width);
  }
}
/// Adds rows in two halves, if none of these additions rounds, as the exception flags tell of all of them at once.
template <term what, bool to_float, class T>
HWY_INLINE bool add_some_rows_by_flags(const few_columns<T>& c, std::size_t row, std::size_t end, column_sums& sums) {
  const d64 d;
  column_halves halves;
  for (std::size_t k = 0; k < c.count; k += width) {
    hn::StoreU(hn::Zero(d), d, halves.high + k);
    hn::StoreU(hn::Zero(d), d, halves.low + k);
  }
  const exception_flags flags;
  for (std::size_t i = row; i < end; i += rows_together) {
    const std::size_t rows = std::min(rows_together, end - i);
    for_blocks(c.count, [&](std::size_t k, auto vectors) HWY_ATTR { add_block_in_halves<what, vectors>(c, i, rows, k, halves); });
    if (i == row && flags.rounded(&halves)) return false;  // not all rows for nothing
  }
  if (flags.rounded(&halves)) return false;
  for (std::size_t k = 0; k < c.count; k += width) {
    auto s = load_sums<to_float>(sums, k);
    s.add(hn::LoadU(d, halves.high + k));
    if constexpr (!terms<what, T>::short_terms) s.add_error(hn::LoadU(d, halves.low + k));
    store_sums(s, sums, k);
  }
  return true;
}
template <term what, bool to_float, class T>
HWY_INLINE void add_rows(const few_columns<T>& c, column_sums& sums) {
  constexpr std::size_t most_rows = 128;  // whose sums take few bits, and few additions beside their own
  constexpr std::size_t least_rows = 16;
  for (std::size_t row = 0; row < c.length; row += most_rows) {
    const std::size_t end = std::min(row + most_rows, c.length);
    if constexpr (!is_product(what)) {
      if (end - row >= least_rows && exception_flags_work() && sums.in_halves.pay()) {
        const bool added = add_some_rows_by_flags<what, to_float>(c, row, end, sums);
        sums.in_halves.took(added);
        if (added) continue;
      }
    }
    add_some_rows<what, to_float>(c, row, end, sums);
  }
}

template <bool to_float>
HWY_INLINE void merge_lanes(column_sums& a, std::size_t k, const column_sums& b, std::size_t of) {
  auto s = load_sums<to_float>(a, k);
  const auto more = load_sums<to_float>(b, of);
  s.add(more.sum);
  s.add_error(more.error);
  s.lost = s.lost + more.lost;
  s.tiny = hn::Min(s.tiny, more.tiny);
  store_sums(s, a, k);
}
/// Few columns without gaps are many of fewer rows, which fill vectors: of those each column's sums are added up.
template <term what, bool to_float, class T>
HWY_INLINE void add_all(const few_columns<T>& c, column_sums& sums) {
  constexpr std::size_t wide = vectors_at_once * width;
  const std::size_t times = c.count < wide ? std::min(wide, std::bit_floor(column_sums::most / c.count)) : 1;
  const std::size_t rows = c.length / times;
  if (times == 1 || rows < 16 || c.stride != static_cast<std::ptrdiff_t>(c.count)) return add_rows<what, to_float>(c, sums);
  column_sums many;
  kernels::clear(many);
  add_rows<what, to_float>(few_columns<T>{c.x, c.count * times, rows, c.stride * static_cast<std::ptrdiff_t>(times)}, many);
  for (std::size_t of = 0; of < c.count * times; of += c.count) {
    for (std::size_t k = 0; k < c.count; k += width) merge_lanes<to_float>(sums, k, many, of + k);  // lanes behind the last are nobody's
  }
  const std::size_t done = rows * times;
  add_rows<what, to_float>(few_columns<T>{c.x + done * c.count, c.count, c.length - done, c.stride}, sums);
}

/// n * squares - sum^2: the variance times n (n - 1), in double-double arithmetic.
HWY_INLINE bounded scaled_deviation(const bounded& sum, const bounded& squares, V n) {
  const d64 d;
  const V zero = hn::Zero(d);
  const V p = n * squares.upper;
  const V p_error = hn::MulSub(n, squares.upper, p);
  const V p_rest = n * squares.lower;
  const V q = sum.upper * sum.upper;
  const V q_error = hn::MulSub(sum.upper, sum.upper, q);
  const V q_rest = (sum.upper + sum.upper) * sum.lower;
  V difference_error;
  const V difference = two_sum(p, zero - q, difference_error);
  const V rest = (difference_error + (p_error - q_error)) + (p_rest - q_rest);
  // Each of the last additions and products is off by 2^-53 of a number that is not above the sum of these.
  const V parts = hn::Abs(difference_error) + hn::Abs(p_error) + hn::Abs(q_error) + hn::Abs(p_rest) + hn::Abs(q_rest);
  const V of_sum = hn::Abs(sum.upper) + hn::Abs(sum.lower) + sum.bound;
  const V small = hn::IfThenZeroElse(hn::Or(hn::Abs(sum.upper) >= hn::Set(d, 0x1p-400), of_sum == zero), hn::Set(d, 0x1p-1000));
  const V off = parts * hn::Set(d, 0x1p-50) + n * squares.bound + (of_sum + of_sum) * sum.bound + sum.lower * sum.lower + small;
  V lower;
  const V upper = two_sum(difference, rest, lower);
  return {upper, lower, raised(off)};
}

/// Writes the moments of as many sets of n elements as a vector has lanes, and answers which of them are proven.
template <class R>
HWY_INLINE auto finish_moments(const bounded& sum, const bounded& squares, V n, std::size_t first, short_moments<R>& out) {
  const V one = hn::Set(d64(), 1.0);
  const bounded deviation = scaled_deviation(sum, squares, n);
  const bounded variance = divided(deviation, n * (n - one));
  const auto means = hn::And(settled(sum), round_to(divided(sum, n), out.mean + first));
  auto variances = hn::And(settled(deviation), round_to(divided(deviation, n * n), out.population_variance + first));
  variances = hn::And(variances, round_to(variance, out.variance + first));
  variances = hn::And(variances, round_to(square_root(variance), out.standard_deviation + first));
  return hn::And(means, hn::Or(variances, n == one));
}

/// Writes the moments of as many groups as a vector has lanes, and answers in bits which of them are not proven.
template <class Sums, class Squares, class T, class R>
HWY_INLINE unsigned left_by(const short_groups<T>& groups, std::size_t first, short_moments<R>& out) {
  const V n = sizes_of(groups, first);
  Sums sums;
  Squares squares;
  if (are_few(groups, first)) {
    add_few(groups.x[first], groups.sizes[0], sums, squares);
  } else {
    add_groups<false>(groups, first, sums, squares);
  }
  const auto proven = finish_moments(sums.total(n), squares.total(n), n, first, out);
  for (std::size_t k = first; k < first + width; ++k) {
    if (groups.sizes[k] != 1) continue;
    out.population_variance[k] = 0;
    out.variance[k] = out.standard_deviation[k] = std::numeric_limits<R>::quiet_NaN();
  }
  return bits_of(hn::Not(proven), std::min(width, groups.count - first));
}

template <class T, class R>
std::uint64_t moments_any(const short_groups<T>& groups, short_moments<R>& out) {
  if (!can_prove(term::square, sizeof(T), ending::mean)) return bits_of_all(groups);
  std::uint64_t left = 0;
  std::size_t unlike = 0;  // vectors of groups whose elements were
  for (std::size_t first = 0; first < groups.count; first += width) {
    unsigned here = 1;
    if (unlike < most_unlike && !are_few(groups, first)) {
      here = left_by<binade_sums<term::value>, binade_sums<term::square>>(groups, first, out);
    }
    if (here != 0) {
      ++unlike;
      here = left_by<sums_of_any<term::value, T, false>, sums_of_any<term::square, T, false>>(groups, first, out);
    }
    left |= std::uint64_t{here} << first;
  }
  return left;
}

/// The sum of all lanes, in each.
HWY_INLINE bounded sum_of_lanes(const bounded& lanes) {
  const d64 d;
  double upper[width];
  double lower[width];
  hn::StoreU(lanes.upper, d, upper);
  hn::StoreU(lanes.lower, d, lower);
  lane_sums<false> all;
  for (std::size_t k = 0; k < width; ++k) all.add(hn::Set(d, upper[k]));
  for (std::size_t k = 0; k < width; ++k) all.add_error(hn::Set(d, lower[k]));
  bounded sum = all.total();
  sum.bound = sum.bound + raised(hn::Set(d, hn::GetLane(hn::SumOfLanes(d, lanes.bound))));
  return sum;
}
/// The moments of one array's elements, as many in each lane or one less; whether they are proven.
template <class Sums, class Squares, class T, class R>
HWY_INLINE bool moments_by(const operands<T>& tile, short_moments<R>& out) {
  const std::size_t each = (tile.size + width - 1) / width;
  Sums sums;
  Squares squares;
  for (std::size_t i = 0; i < each; i += width) {
    V x[width];
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t at = (i + k) * width;
      x[k] = at + width <= tile.size ? load_wide(tile.x + at) : at < tile.size ? load_first(tile.x + at, tile.size - at) : hn::Zero(d64());
    }
    add_block(x, x, std::min(width, each - i), i, each, sums, squares);
  }
  const V n = hn::Set(d64(), static_cast<double>(each));
  const V all = hn::Set(d64(), static_cast<double>(tile.size));
  const auto proven = finish_moments(sum_of_lanes(sums.total(n)), sum_of_lanes(squares.total(n)), all, 0, out);
  return hn::AllTrue(d64(), proven);
}
template <class T, class R>
bool tile_moments_any(const operands<T>& tile, short_moments<R>& out) {
  constexpr std::size_t most = 1000 * width;  // fewer than 2^10 in a lane
  if (!can_prove(term::square, sizeof(T), ending::mean) || tile.size < 2 || tile.size > most) return false;
  return moments_by<binade_sums<term::value>, binade_sums<term::square>>(tile, out) ||
         moments_by<sums_of_any<term::value, T, false>, sums_of_any<term::square, T, false>>(tile, out);
}

template <class T, class R>
std::uint64_t short_any(term what, ending last, short_groups<T>& groups, R* out) {
  const std::uint64_t all = bits_of_all(groups);
  if (!can_prove(what, sizeof(T), last)) return all;
  switch (what) {
    case term::value: return all & all_groups<term::value>(last, groups, out);
    case term::magnitude: return all & all_groups<term::magnitude>(last, groups, out);
    case term::square: return all & all_groups<term::square>(last, groups, out);
    case term::product: return all & all_groups<term::product>(last, groups, out);
  }
  return all;
}

template <class T>
bool add_columns_any(term what, ending last, bool to_float, const few_columns<T>& c, column_sums& sums) {
  if (what == term::product || !can_prove(what, sizeof(T), last)) return false;
  switch (what) {
    case term::value: to_float ? add_all<term::value, true>(c, sums) : add_all<term::value, false>(c, sums); break;
    case term::magnitude: to_float ? add_all<term::magnitude, true>(c, sums) : add_all<term::magnitude, false>(c, sums); break;
    default: to_float ? add_all<term::square, true>(c, sums) : add_all<term::square, false>(c, sums); break;
  }
  return true;
}

template <bool to_float>
HWY_INLINE void merge_all(column_sums& a, const column_sums& b) {
  for (std::size_t k = 0; k < column_sums::most; k += width) merge_lanes<to_float>(a, k, b, k);
}
void merge_any(bool to_float, column_sums& a, const column_sums& b) { to_float ? merge_all<true>(a, b) : merge_all<false>(a, b); }

template <class R>
left_columns finish_any(ending last, const column_sums& sums, std::size_t count, std::size_t length, R* out) {
  left_columns left;
  const V n = hn::Set(d64(), static_cast<double>(length));
  for (std::size_t k = 0; k < count; k += width) {
    const std::size_t lanes = std::min(width, count - k);
    const std::uint64_t proven = finish(load_sums<sizeof(R) == 4>(sums, k).total(), last, n, lanes, out + k);
    left.bits[k / 64] |= (~proven & ((std::uint64_t{1} << lanes) - 1)) << (k % 64);
  }
  return left;
}

std::uint64_t short_f32_f32(term what, ending last, short_groups<float>& g, float* out) { return short_any(what, last, g, out); }
std::uint64_t short_f32_f64(term what, ending last, short_groups<float>& g, double* out) { return short_any(what, last, g, out); }
std::uint64_t short_f64_f64(term what, ending last, short_groups<double>& g, double* out) { return short_any(what, last, g, out); }
std::uint64_t pairs_f32(term what, short_groups<float>& g, exact_pair* out) { return short_any(what, ending::value, g, out); }
std::uint64_t pairs_f64(term what, short_groups<double>& g, exact_pair* out) { return short_any(what, ending::value, g, out); }
std::uint64_t moments_f32(const short_groups<float>& g, short_moments<float>& out) { return moments_any(g, out); }
std::uint64_t moments_f64(const short_groups<double>& g, short_moments<double>& out) { return moments_any(g, out); }
bool tile_f32(const operands<float>& tile, short_moments<float>& out) { return tile_moments_any(tile, out); }
bool tile_f64(const operands<double>& tile, short_moments<double>& out) { return tile_moments_any(tile, out); }
bool add_f32(term what, ending last, bool to_float, const few_columns<float>& c, column_sums& sums) {
  return add_columns_any(what, last, to_float, c, sums);
}
bool add_f64(term what, ending last, bool to_float, const few_columns<double>& c, column_sums& sums) {
  return add_columns_any(what, last, to_float, c, sums);
}
left_columns finish_f32(ending last, const column_sums& sums, std::size_t count, std::size_t length, float* out) {
  return finish_any(last, sums, count, length, out);
}
left_columns finish_f64(ending last, const column_sums& sums, std::size_t count, std::size_t length, double* out) {
  return finish_any(last, sums, count, length, out);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(short_f32_f32);
HWY_EXPORT(short_f32_f64);
HWY_EXPORT(short_f64_f64);
HWY_EXPORT(pairs_f32);
HWY_EXPORT(pairs_f64);
HWY_EXPORT(moments_f32);
HWY_EXPORT(moments_f64);
HWY_EXPORT(tile_f32);
HWY_EXPORT(tile_f64);
HWY_EXPORT(add_f32);
HWY_EXPORT(add_f64);
HWY_EXPORT(merge_any);
HWY_EXPORT(finish_f32);
HWY_EXPORT(finish_f64);

std::uint64_t short_sums(term what, ending last, short_groups<float>& groups, float* out) {
  return HWY_DYNAMIC_DISPATCH(short_f32_f32)(what, last, padded(groups), out);
}
std::uint64_t short_sums(term what, ending last, short_groups<float>& groups, double* out) {
  return HWY_DYNAMIC_DISPATCH(short_f32_f64)(what, last, padded(groups), out);
}
std::uint64_t short_sums(term what, ending last, short_groups<double>& groups, double* out) {
  return HWY_DYNAMIC_DISPATCH(short_f64_f64)(what, last, padded(groups), out);
}
std::uint64_t short_pairs(term what, short_groups<float>& groups, exact_pair* out) {
  return HWY_DYNAMIC_DISPATCH(pairs_f32)(what, padded(groups), out);
}
std::uint64_t short_pairs(term what, short_groups<double>& groups, exact_pair* out) {
  return HWY_DYNAMIC_DISPATCH(pairs_f64)(what, padded(groups), out);
}
std::uint64_t short_group_moments(short_groups<float>& groups, short_moments<float>& out) {
  return HWY_DYNAMIC_DISPATCH(moments_f32)(padded(groups), out);
}
std::uint64_t short_group_moments(short_groups<double>& groups, short_moments<double>& out) {
  return HWY_DYNAMIC_DISPATCH(moments_f64)(padded(groups), out);
}
bool tile_moments(const operands<float>& tile, short_moments<float>& out) { return HWY_DYNAMIC_DISPATCH(tile_f32)(tile, out); }
bool tile_moments(const operands<double>& tile, short_moments<double>& out) { return HWY_DYNAMIC_DISPATCH(tile_f64)(tile, out); }
void clear(column_sums& sums) {
  std::fill_n(sums.sum, column_sums::most, 0.0);
  std::fill_n(sums.error, column_sums::most, 0.0);
  std::fill_n(sums.lost, column_sums::most, 0.0);
  std::fill_n(sums.tiny, column_sums::most, 1.0);
}
bool add_columns(term what, ending last, bool to_float, const few_columns<float>& columns, column_sums& sums) {
  return HWY_DYNAMIC_DISPATCH(add_f32)(what, last, to_float, columns, sums);
}
bool add_columns(term what, ending last, bool to_float, const few_columns<double>& columns, column_sums& sums) {
  return HWY_DYNAMIC_DISPATCH(add_f64)(what, last, to_float, columns, sums);
}
void merge_columns(bool to_float, column_sums& a, const column_sums& b) { HWY_DYNAMIC_DISPATCH(merge_any)(to_float, a, b); }
left_columns finish_columns(ending last, const column_sums& sums, std::size_t count, std::size_t length, float* out) {
  return HWY_DYNAMIC_DISPATCH(finish_f32)(last, sums, count, length, out);
}
left_columns finish_columns(ending last, const column_sums& sums, std::size_t count, std::size_t length, double* out) {
  return HWY_DYNAMIC_DISPATCH(finish_f64)(last, sums, count, length, out);
}

}  // namespace accrue::kernels
#endif
