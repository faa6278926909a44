// SPDX-License-Identifier: BSD-3-Clause
// Mean and variance, correctly rounded from exact sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "accrue/reducers/sums.hpp"

namespace accrue {

/// Count, mean and variance of a sample; each figure is the exact value rounded once.
template <native_float R>
struct moments_result {
  std::uint64_t count = 0;
  R mean = 0;
  R variance = 0;             ///< divided by count - 1; NaN for a single element
  R population_variance = 0;  ///< divided by count
  R standard_deviation = 0;   ///< square root of the exact variance
  bool operator==(const moments_result&) const = default;
};

namespace detail {

/// product += a * b in 32-bit digits; `product` has room for all of it.
constexpr void multiply_add(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::span<std::uint32_t> product) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    std::uint64_t carry = 0;
    std::size_t k = i;
    for (std::size_t j = 0; j < b.size(); ++j, ++k) {
      carry += static_cast<std::uint64_t>(a[i]) * b[j] + product[k];
      product[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    for (; carry != 0; ++k) {
      carry += product[k];
      product[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
}

/// A big integer: digits * 2^(32 offset).
struct placed_digits {
  std::span<const std::uint32_t> digits;
  std::size_t offset = 0;
};
/// The digits between the lowest and the highest that are not zero.
constexpr placed_digits trim(std::span<const std::uint32_t> digits, std::size_t offset = 0) {
  std::size_t begin = 0;
  while (begin < digits.size() && digits[begin] == 0) ++begin;
  return {without_leading_zeros(digits.subspan(begin)), offset + begin};
}

/// Digits that n * sum of x^2 and (sum of x)^2 need.
template <class Sum, class Squares>
inline constexpr std::size_t deviation_digits = (Squares::limbs > 2 * Sum::limbs ? Squares::limbs : 2 * Sum::limbs) + 6;

/// n * sum of x^2 - (sum of x)^2, never negative, whose unit is that of the squares. It lies in `first`, which is zero at the start, as
/// `second` is.
constexpr placed_digits scaled_deviation(const placed_digits& sum, const placed_digits& squares, std::uint64_t n,
                                         std::span<std::uint32_t> first, std::span<std::uint32_t> second) {
  const std::uint32_t count[2] = {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32)};
  multiply_add(count, squares.digits, first.subspan(squares.offset));
  multiply_add(sum.digits, sum.digits, second.subspan(2 * sum.offset));
  const bool any_sum = !sum.digits.empty();
  const std::size_t begin = any_sum && 2 * sum.offset < squares.offset ? 2 * sum.offset : squares.offset;
  std::size_t end = squares.offset + squares.digits.size() + 2;
  if (any_sum && 2 * (sum.offset + sum.digits.size()) > end) end = 2 * (sum.offset + sum.digits.size());
  std::int64_t borrow = 0;
  for (std::size_t k = begin; k < end; ++k) {
    borrow += static_cast<std::int64_t>(first[k]) - static_cast<std::int64_t>(second[k]);
    first[k] = static_cast<std::uint32_t>(borrow);
    borrow >>= 32;
  }
  return {first.subspan(begin, end - begin), begin};
}

/// The variances of r.count elements from their scaled deviation, whose unit is 2^unit.
template <native_float R>
constexpr void set_variances(moments_result<R>& r, const placed_digits& deviation, int unit) {
  const auto n = static_cast<uint128>(r.count);
  const int lowest = unit + 32 * static_cast<int>(deviation.offset);
  r.population_variance = round_to<R>(quotient(deviation.digits, lowest, n * n), false);
  if (n > 1) {
    const auto v = quotient(deviation.digits, lowest, n * (n - 1));
    r.variance = round_to<R>(v, false);
    r.standard_deviation = round_to<R>(square_root(v), false);
  }
}

/// Throws where an operation without an identity met no elements.
inline void require_elements(bool any, const char* call) {
  if (!any) throw error(errc::empty_range, std::string("accrue::") + call + ": no elements");
}

/// Two exact sums over the same elements, and their number.
template <class First, class Second>
struct two_exact_sums {
  static constexpr bool order_free = true;
  static constexpr bool additive = true;

  struct state {
    typename First::state first;
    typename Second::state second;
    std::int64_t count = 0;
  };
  struct accumulator {
    typename First::accumulator first;
    typename Second::accumulator second;
    std::int64_t count = 0;
    bool first_refused = false;
    bool second_refused = false;
  };

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  void drain(accumulator& a, state& s) const {
    First{}.drain(a.first, s.first);
    Second{}.drain(a.second, s.second);
    s.count += a.count;
    a.count = 0;
  }
  void merge(state& a, const state& b) const {
    a.first += b.first;
    a.second += b.second;
    a.count += b.count;
  }
  void normalize(state& s) const {
    s.first.normalize();
    s.second.normalize();
  }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    First{}.fields(s.first, visit);
    Second{}.fields(s.second, visit);
    visit(s.count);
  }

 protected:
  /// The tiles of the two, as many elements in each. `next`: what the second look asks for meanwhile.
  template <class FirstTile, class SecondTile>
  static bool fold_both(accumulator& a, const FirstTile& x, const SecondTile& y, const kernels::look_ahead& next = {}) {
    a.count += static_cast<std::int64_t>(x.size);
    a.first_refused = !First{}.fold(a.first, x);
    a.second_refused = !Second{}.fold(a.second, y, next);
    return !a.first_refused && !a.second_refused;
  }
  template <class FirstTile, class SecondTile>
  static void refold_both(accumulator& a, state& s, const FirstTile& x, const SecondTile& y) {
    if (a.first_refused) First{}.refold(a.first, s.first, x);
    if (a.second_refused) Second{}.refold(a.second, s.second, y);
  }
};

}  // namespace detail

/// Count, mean and variance of real elements. Throws `errc::empty_range` for none.
template <real_number T>
struct moments_of : detail::two_exact_sums<detail::exact_terms<carrier_t<T>, detail::term::value>,
                                           detail::exact_terms<carrier_t<T>, detail::term::square>> {
  using base = detail::two_exact_sums<detail::exact_terms<carrier_t<T>, detail::term::value>,
                                      detail::exact_terms<carrier_t<T>, detail::term::square>>;
  using state = typename base::state;
  using accumulator = typename base::accumulator;
  using result = moments_result<fraction_t<T>>;

  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    return base::fold_both(a, t, t, kernels::look_ahead::at_next(t.size * sizeof(*t.data), 0, 1));
  }
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires std::is_same_v<carrier_t<T>, float>
  {
    const bool held = kernels::narrow_accumulator::fold_both(a.first.narrow, a.second.narrow, detail::to_operands(t));
    detail::took(held ? detail::way::narrow_tile : detail::way::widened_tile);
    if (held) a.count += static_cast<std::int64_t>(t.size);
    return held;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    base::refold_both(a, s, t, t);
  }
  std::string kind() const { return detail::kind_text("moments", detail::type_name<carrier_t<T>>()); }
  using self = moments_of;
  using certified_as = std::conditional_t<native_float<T>, moments_of, void>;  ///< certified_reducer.hpp
  std::uint64_t finish_groups(kernels::short_groups<carrier_t<T>>& groups, result* out) const
    requires std::is_same_v<carrier_t<T>, fraction_t<T>>
  {
    kernels::short_moments<fraction_t<T>> of;
    const std::uint64_t left = kernels::short_group_moments(groups, of);
    for (std::size_t k = 0; k < groups.count; ++k) {
      out[k] = {groups.sizes[k], of.mean[k], of.variance[k], of.population_variance[k], of.standard_deviation[k]};
    }
    return left;
  }
  template <class Tile>
  std::optional<result> finish_tile(const Tile& t) const
    requires std::is_same_v<carrier_t<T>, fraction_t<T>>
  {
    kernels::short_moments<fraction_t<T>> of;
    if (!kernels::tile_moments(detail::to_operands(t), of)) return std::nullopt;
    return result{t.size, of.mean[0], of.variance[0], of.population_variance[0], of.standard_deviation[0]};
  }
  result finish(const state& s) const {
    using R = fraction_t<T>;
    using sum_type = superaccumulator<carrier_t<T>>;
    using squares_type = product_superaccumulator<carrier_t<T>>;
    detail::require_elements(s.count > 0, "moments");
    const auto n = static_cast<std::uint64_t>(s.count);
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    result r;
    r.count = n;
    r.mean = s.first.template round_quotient<R>(n);
    r.variance = r.population_variance = r.standard_deviation = nan;
    if (!s.first.is_finite()) return r;
    static_assert(squares_type::lowest_bit == 2 * sum_type::lowest_bit);
    constexpr std::size_t digits = detail::deviation_digits<sum_type, squares_type>;
    std::array<std::uint32_t, digits> first{};
    std::array<std::uint32_t, digits> second{};
    const auto sum = s.first.magnitude();
    const auto squares = s.second.magnitude();
    detail::set_variances(r, detail::scaled_deviation(detail::trim(sum.value), detail::trim(squares.value), n, first, second),
                          squares_type::lowest_bit);
    return r;
  }
};

/// (sum of x_i) / n, rounded once. Throws `errc::empty_range` for no elements.
template <real_number T, class R = fraction_t<T>, guarantee G = exact_t>
struct mean_of : detail::sums_of_short_groups<carrier_t<T>, R, detail::term::value, detail::ending::mean, G> {
  using carrier = carrier_t<T>;
  using terms = detail::sum_reducer<carrier, R, detail::term::value, std::conditional_t<integer<T>, exact_t, G>>;
  using result = R;
  static constexpr bool order_free = terms::order_free;
  static constexpr bool additive = detail::is_additive<terms>();

  struct state {
    typename terms::state sum{};
    std::int64_t count = 0;
  };
  struct accumulator {
    typename terms::accumulator sum;
    std::int64_t count = 0;
  };

  state empty() const { return {}; }
  accumulator start() const { return {terms{}.start(), 0}; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    a.count += static_cast<std::int64_t>(t.size);
    return terms{}.fold(a.sum, t);
  }
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires requires { terms{}.fold_narrow(a.sum, t); }
  {
    const bool held = terms{}.fold_narrow(a.sum, t);
    if (held) a.count += static_cast<std::int64_t>(t.size);
    return held;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    terms{}.refold(a.sum, s.sum, t);
  }
  template <class Tile>
  state chunk(const Tile& t) const
    requires(!order_free)
  {
    return {terms{}.chunk(t), static_cast<std::int64_t>(t.size)};
  }
  void drain(accumulator& a, state& s) const {
    terms{}.drain(a.sum, s.sum);
    s.count += a.count;
    a.count = 0;
  }
  void merge(state& a, const state& b) const {
    terms{}.merge(a.sum, b.sum);
    a.count += b.count;
  }
  std::string kind() const { return detail::kind_text("mean", terms{}.kind()); }
  void normalize(state& s) const { detail::normalize_state(terms{}, s.sum); }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    detail::visit_fields(terms{}, s.sum, visit);
    visit(s.count);
  }
  using self = mean_of;
  template <class Tile>
  [[gnu::always_inline]] std::optional<R> finish_tile(const Tile& t) const
    requires(native_float<carrier> && native_float<R> && detail::is_additive<terms>())
  {
    detail::require_elements(t.size != 0, "mean");
    return detail::short_sum<R, detail::term::value, detail::ending::mean>(t);
  }
  template <class Tile>
  std::optional<R> certify_tile(const Tile& t) const
    requires(native_float<carrier> && native_float<R> && sizeof(R) <= sizeof(carrier) && detail::is_additive<terms>())
  {
    return detail::certified_sum<R, detail::term::value, detail::ending::mean>(t);
  }
  R finish(const state& s) const {
    detail::require_elements(s.count > 0, "mean");
    if constexpr (detail::is_additive<terms>()) {
      return s.sum.template round_quotient<R>(static_cast<std::uint64_t>(s.count));
    } else {
      const auto mean = detail::canonical_nan(kernels::divide(s.sum, static_cast<typename terms::state>(s.count)));
      if constexpr (sizeof(R) < sizeof(mean)) {
        return kernels::narrow(mean);
      } else {
        return mean;
      }
    }
  }
};

}  // namespace accrue
