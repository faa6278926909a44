// SPDX-License-Identifier: BSD-3-Clause
// The common part of all exact sums: which terms are added (x, |x|, x^2, x*y), in what accumulator, into what state.
#pragma once

#include <optional>
#include <type_traits>

#include "accrue/detail/kernels.hpp"
#include "accrue/detail/ordered_key.hpp"
#include "accrue/detail/state_fields.hpp"
#include "accrue/detail/ways.hpp"
#include "accrue/guarantee.hpp"
#include "accrue/superaccumulator.hpp"
#include "accrue/view.hpp"

namespace accrue::detail {

using kernels::term;

/// What a sum of terms is called in the kinds of partial results.
constexpr const char* name_of(term what) {
  switch (what) {
    case term::value: return "sum";
    case term::magnitude: return "sum_abs";
    case term::square: return "sum_squares";
    case term::product: return "dot";
  }
  return "";
}

using kernels::is_product;

/// The arrays a kernel reads, from either kind of tile.
template <class T>
kernels::operands<T> to_operands(const tile<T>& t) {
  return {t.data, nullptr, t.size};
}
template <class T>
kernels::operands<T> to_operands(const pair_tile<T>& t) {
  return {t.x, t.y, t.size};
}

/// A reducer of T reads tiles of T and no others; one of `pairs`, such as a dot product, those of two ranges.
template <class T, class Tile, bool pairs = false>
constexpr void require_tile_of() {
  constexpr bool two = requires(const Tile& t) { t.y; };
  static_assert(two || !pairs, "accrue: this reducer, a dot product, reads two ranges: give it the second one");
  static_assert(!two || pairs, "accrue: this reducer reads one range, not two");
  static_assert(two != pairs || std::is_same_v<Tile, std::conditional_t<pairs, pair_tile<T>, tile<T>>>,
                "accrue: the reducer's element type is not that of the range");
}

/// The same for integers, as the fixed-width type that kernels exist for.
template <class Tile>
auto to_integer_operands(const Tile& t) {
  const auto o = to_operands(t);
  using fixed = fixed_width_t<std::remove_cvref_t<decltype(*o.x)>>;
  return kernels::operands<fixed>{reinterpret_cast<const fixed*>(o.x), reinterpret_cast<const fixed*>(o.y), o.size};
}

/// The tiles that terms of T come from.
template <class T, term what>
using tile_of_terms = std::conditional_t<what == term::product, pair_tile<T>, tile<T>>;

/// T is what tiles hold: float, double or an integer.
template <class T, term what>
struct exact_terms {
  using reads = tile_of_terms<T, what>;
  using state = std::conditional_t<is_product(what), product_superaccumulator<T>, superaccumulator<T>>;
  using accumulator = std::conditional_t<integer<T>, kernels::integer_total, kernels::exact_accumulator>;
  static constexpr bool order_free = true;
  static constexpr bool additive = true;
  /// Long tiles cost nothing at their ends; the accumulator cuts those that it refuses. Integers get as
  /// many bytes as their tiles may have elements, so that bytes fit too.
  static constexpr std::size_t wanted_tile_bytes = integer<T> ? kernels::largest_integer_tile : 65536;

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  /// `next`: of operands.
  template <class Tile>
  bool fold(accumulator& a, const Tile& t, const kernels::look_ahead& next = {}) const {
    require_tile_of<T, Tile, what == term::product>();
    if constexpr (integer<T>) {
      kernels::add_integers(a, what, to_integer_operands(t));
      return true;
    } else {
      auto operands = to_operands(t);
      operands.next = next;
      return a.fold(what, operands);
    }
  }
  /// Of 16-bit floats as they are; false where they have to be widened.
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires std::is_same_v<T, float>
  {
    const bool held = a.narrow.fold(what, to_operands(t));
    took(held ? way::narrow_tile : way::widened_tile);
    return held;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    if constexpr (!integer<T>) a.refold(s.sink(), what, to_operands(t));
  }
  /// The total of a short tile's terms without an accumulator; false where that takes more.
  template <class Tile>
  bool add_up_short(kernels::short_total& total, const Tile& t) const
    requires(native_float<T> && std::is_same_v<Tile, reads>)
  {
    return kernels::tile_total(what, to_operands(t), total);
  }
  /// The same of short groups, each a pair; bits of those that take more.
  std::uint64_t add_up_groups(kernels::short_groups<T>& groups, kernels::exact_pair* totals) const
    requires native_float<T>
  {
    return kernels::short_pairs(what, groups, totals);
  }
  void drain(accumulator& a, state& s) const {
    if constexpr (integer<T>) {
      s.add_integer(a.low);
      if (a.high != 0) s.add_integer(a.high, 64);
      a = {};
    } else {
      a.drain(s.sink());
    }
  }
  void merge(state& a, const state& b) const { a += b; }
  std::string kind() const { return kind_text(name_of(what), type_name<T>()); }
  void normalize(state& s) const { s.normalize(); }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    for (std::size_t k = 0; k < state::limbs + pending; ++k) visit(s.words()[k]);
  }
};

using kernels::ending;

/// The same as `short_sum`, of `least_certified_tile` elements or more, by a bound: nothing where that does not decide the rounding.
template <class R, term what, ending last, class Tile>
std::optional<R> certified_sum(const Tile& t) {
  R result;
  if (!kernels::certified_total(what, last, to_operands(t), result)) return std::nullopt;
  took(way::tile_certified);
  return result;
}
/// A sum of one short tile after its last step, rounded to R, without a state; nothing where that takes more. Inline, since what is left in
/// memory for a caller costs the shortest tiles half of their time.
template <class R, term what, ending last, class Tile>
[[gnu::always_inline]] inline std::optional<R> short_sum(const Tile& t) {
  if constexpr (integer<R>) {
    kernels::integer_total total;
    kernels::add_integers(total, what, to_integer_operands(t));
    const auto result = static_cast<R>(total.low);
    if (total.high == 0 && result == total.low) return result;
    return std::nullopt;
  } else {
    kernels::short_total total;
    const bool held = kernels::tile_total(what, to_operands(t), total);
    took(!held ? way::tile_refused : total.part_count == 0 ? way::tile_as_pair : way::tile_as_parts);
    if (!held) return std::nullopt;
    if constexpr (last == ending::value && sizeof(R) == sizeof(double)) {  // one addition rounds as the result shall
      if (total.part_count == 0) return kernels::add(total.high, total.low);
    }
    truncated sum;
    bool negative = false;
    if (!total.with_parts([&](const auto& parts) { return sum_parts(parts, sum, negative); })) return std::nullopt;
    if constexpr (last == ending::square_root) sum = square_root(sum);
    if constexpr (last == ending::mean) sum = quotient(sum, t.size);
    return round_to<R>(sum, negative);
  }
}

/// How reducers of sums finish many short groups, or columns, at a time (short_group_batch.hpp): each result rounded once, and so no slower
/// under `fast`.
template <class T, class R, term what, ending last, guarantee G>
struct sums_of_short_groups {
  static constexpr bool adds_long_rows = !kernels::is_product(what);
  static constexpr bool exist = native_float<T> && native_float<R> && sizeof(R) >= sizeof(T) && !std::is_same_v<G, ordered_t>;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, R* out) const
    requires exist
  {
    return kernels::short_sums(what, last, groups, out);
  }
  /// The same of sums that are digits.
  std::uint64_t finish_digits(const kernels::sums_in_digits& sums, R* out) const
    requires exist
  {
    return kernels::finish_digits(last, sums, out);
  }
  /// The same of columns in two steps: rows are added, by several threads if need be, and then come the results.
  bool add_columns(const kernels::few_columns<T>& columns, kernels::column_sums& sums) const
    requires exist
  {
    return kernels::add_columns(what, last, sizeof(R) == sizeof(float), columns, sums);
  }
  void merge_columns(kernels::column_sums& a, const kernels::column_sums& b) const {
    kernels::merge_columns(sizeof(R) == sizeof(float), a, b);
  }
  kernels::left_columns finish_columns(const kernels::column_sums& sums, std::size_t count, std::size_t length, R* out) const
    requires exist
  {
    return kernels::finish_columns(last, sums, count, length, out);
  }
};

/// One NaN for all, whose bits processors choose.
template <native_float T>
T canonical_nan(T x) {
  using key = ordered_key<T>;
  return key::is_nan(key::encode(x, nan_rank::highest), nan_rank::highest) ? std::numeric_limits<T>::quiet_NaN() : x;
}
/// One representation of equal values: +0 besides. By the bits of -0 alone: a test for either zero becomes a floating comparison in
/// compilers, for which subnormal numbers are zeros too where the caller has them flushed.
template <native_float T>
T canonical_zero_and_nan(T x) {
  using bits = std::make_unsigned_t<ordered_key_t<T>>;
  return std::bit_cast<bits>(x) == std::bit_cast<bits>(-T{0}) ? T{0} : canonical_nan(x);
}

/// The terms of a sum added over the ordered tree, in type R.
template <class T, class R, term what>
struct ordered_terms {
  using reads = tile_of_terms<T, what>;
  using state = R;
  using accumulator = R;
  static constexpr bool order_free = false;

  state empty() const { return 0; }
  accumulator start() const { return 0; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    a = kernels::add(a, chunk(t));
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator& a, state& s) const { s = kernels::add(s, a); }
  void merge(state& a, const state& b) const { a = kernels::add(a, b); }
  template <class Tile>
  state chunk(const Tile& t) const {
    require_tile_of<T, Tile, what == term::product>();
    return kernels::ordered_chunk<R>(kernels::to_chunk_term(what), to_operands(t));
  }
};

/// The terms of a sum added in any order, in type R; the partial sums of tiles in double.
template <class T, class R, term what>
struct fast_terms {
  using reads = tile_of_terms<T, what>;
  using state = double;
  using accumulator = double;
  static constexpr bool order_free = true;
  static constexpr std::size_t wanted_tile_bytes = 131072;

  state empty() const { return 0; }
  accumulator start() const { return 0; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    require_tile_of<T, Tile, what == term::product>();
    a = kernels::add(a, static_cast<double>(kernels::fast_tile<R>(what, to_operands(t))));
    return true;
  }
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires(std::is_same_v<T, float> && std::is_same_v<R, float>)
  {
    float sum = 0;
    if (!kernels::fast_narrow_tile(what, to_operands(t), sum)) return false;
    a = kernels::add(a, static_cast<double>(sum));
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator& a, state& s) const { s = kernels::add(s, a); }
  void merge(state& a, const state& b) const { a = kernels::add(a, b); }
  std::string kind() const { return kind_text("fast", name_of(what), type_name<T>()); }
  void normalize(state& s) const { s = canonical_zero_and_nan(s); }
};

}  // namespace accrue::detail
