// SPDX-License-Identifier: BSD-3-Clause
// Minimum and maximum, with and without their positions: IEEE 754-2019 minimum, maximum, minimumNumber and maximumNumber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "accrue/detail/kernels.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/view.hpp"

namespace accrue {

/// The value and the lowest index of an extremum.
template <class T>
struct position {
  T value;
  std::size_t index;
  bool operator==(const position&) const = default;
};
template <class T>
struct minmax_result {
  T min;
  T max;
  bool operator==(const minmax_result&) const = default;
};
template <class T>
struct minmax_positions {
  position<T> min;
  position<T> max;
  bool operator==(const minmax_positions&) const = default;
};

namespace detail {

using kernels::which_extrema;

/// Smallest and largest key of T seen, NaN standing at `rank`.
template <class T>
struct key_range {
  using key = ordered_key_t<T>;
  key lowest = std::numeric_limits<key>::max();
  key highest = std::numeric_limits<key>::min();
  bool any = false;
};

template <class T>
key_range<T> tile_keys(const T* x, std::size_t n, which_extrema which, nan_rank rank, const kernels::look_ahead& next = {}) {
  key_range<T> r;
  r.any = true;
  if constexpr (integer<T>) {
    using fixed = fixed_width_t<T>;
    kernels::tile_extrema(reinterpret_cast<const fixed*>(x), n, which, rank, next, r.lowest, r.highest);
  } else {
    kernels::tile_extrema(x, n, which, rank, next, r.lowest, r.highest);
  }
  return r;
}

/// One key for all NaNs.
template <class T>
ordered_key_t<T> canonical_key(ordered_key_t<T> k, nan_rank rank) {
  using limits = std::numeric_limits<ordered_key_t<T>>;
  if (!ordered_key<T>::is_nan(k, rank)) return k;
  return rank == nan_rank::lowest ? limits::min() : limits::max();
}

/// The key of a 16-bit float as a float.
template <small_float T>
ordered_key_t<float> widened_key(ordered_key_t<T> k, nan_rank rank) {
  return ordered_key<float>::encode(static_cast<float>(ordered_key<T>::decode(k, rank)), rank);
}

/// The element type of a result: 16-bit floats are found as float and returned as they were.
template <class T, class Carrier>
T to_element(Carrier x) {
  return static_cast<T>(x);
}

/// Extrema of real elements; `rank` says whether NaN propagates.
template <class T, which_extrema which, nan_rank rank>
struct extremum_keys {
  using carrier = carrier_t<T>;
  using state = key_range<carrier>;
  using accumulator = state;
  static constexpr bool order_free = true;
  static constexpr bool any_tiles = true;
  static constexpr bool takes_all_narrow = true;

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t, const kernels::look_ahead& next = {}) const {
    require_tile_of<carrier, Tile>();
    if (t.size != 0) merge(a, tile_keys(t.data, t.size, which, rank, next));
    return true;
  }
  /// Of 16-bit floats as they are.
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires(small_float<T> && std::is_same_v<Tile, tile<T>>)
  {
    if (t.size == 0) return true;
    const auto keys = tile_keys(t.data, t.size, which, rank);
    state found;
    found.any = true;
    if constexpr (which != which_extrema::maximum) found.lowest = widened_key<T>(keys.lowest, rank);
    if constexpr (which != which_extrema::minimum) found.highest = widened_key<T>(keys.highest, rank);
    merge(a, found);
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator& a, state& s) const { merge(s, a); }
  void merge(state& a, const state& b) const {
    if (!b.any) return;
    a.lowest = b.lowest < a.lowest ? b.lowest : a.lowest;
    a.highest = b.highest > a.highest ? b.highest : a.highest;
    a.any = true;
  }
  std::string kind() const {
    const char* const name = which == which_extrema::minimum ? "min" : which == which_extrema::maximum ? "max" : "minmax";
    if (which == which_extrema::both || (which == which_extrema::minimum) == (rank == nan_rank::lowest))
      return kind_text(name, type_name<T>());
    return kind_text(name, "number", type_name<T>());
  }
  void normalize(state& s) const {
    const state nothing;
    s.lowest = s.any && which != which_extrema::maximum ? canonical_key<carrier>(s.lowest, rank) : nothing.lowest;
    s.highest = s.any && which != which_extrema::minimum ? canonical_key<carrier>(s.highest, rank) : nothing.highest;
  }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    visit(s.lowest);
    visit(s.highest);
    visit(s.any);
  }

 protected:
  static T lowest(const state& s) { return to_element<T>(ordered_key<carrier>::decode(s.lowest, rank)); }
  static T highest(const state& s) { return to_element<T>(ordered_key<carrier>::decode(s.highest, rank)); }
};

/// How extrema of short groups of native floats are found many at a time (short_group_batch.hpp).
template <native_float T, bool largest, nan_rank rank>
std::uint64_t extrema_of_groups(kernels::short_groups<T>& groups, T* out) {
  return kernels::short_extrema(largest, rank, groups, out);
}
template <native_float T, bool largest>
std::uint64_t positions_of_groups(kernels::short_groups<T>& groups, position<T>* out) {
  constexpr std::size_t most = kernels::short_groups<T>::most;
  T values[most];
  std::size_t places[most];
  const std::uint64_t left = kernels::short_extrema_places(largest, groups, values, places);
  for (std::size_t k = 0; k < groups.count; ++k) {
    if ((left >> k & 1) == 0) out[k] = {values[k], places[k]};
  }
  return left;
}

template <class T, nan_rank rank>
struct minimum_of : extremum_keys<T, which_extrema::minimum, rank> {
  using self = minimum_of;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, T* out) const
    requires native_float<T>
  {
    return extrema_of_groups<T, false, rank>(groups, out);
  }
  T finish(const typename extremum_keys<T, which_extrema::minimum, rank>::state& s) const {
    require_elements(s.any, "min");
    return this->lowest(s);
  }
};
template <class T, nan_rank rank>
struct maximum_of : extremum_keys<T, which_extrema::maximum, rank> {
  using self = maximum_of;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, T* out) const
    requires native_float<T>
  {
    return extrema_of_groups<T, true, rank>(groups, out);
  }
  T finish(const typename extremum_keys<T, which_extrema::maximum, rank>::state& s) const {
    require_elements(s.any, "max");
    return this->highest(s);
  }
};

}  // namespace detail

/// IEEE 754-2019 minimum: NaN if any element is, and -0 below +0. Throws `errc::empty_range` for no elements.
template <real_number T>
using min_of = detail::minimum_of<T, detail::nan_rank::lowest>;
/// IEEE 754-2019 maximum.
template <real_number T>
using max_of = detail::maximum_of<T, detail::nan_rank::highest>;
/// IEEE 754-2019 minimumNumber: NaN only if all elements are.
template <real_number T>
using min_number_of = detail::minimum_of<T, detail::nan_rank::highest>;
/// IEEE 754-2019 maximumNumber.
template <real_number T>
using max_number_of = detail::maximum_of<T, detail::nan_rank::lowest>;

/// Both extrema in one pass.
template <real_number T>
struct minmax_of : detail::extremum_keys<T, detail::which_extrema::both, detail::nan_rank::lowest> {
  using base = detail::extremum_keys<T, detail::which_extrema::both, detail::nan_rank::lowest>;
  using self = minmax_of;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, minmax_result<T>* out) const
    requires native_float<T>
  {
    constexpr std::size_t most = kernels::short_groups<T>::most;
    T lowest[most];
    T highest[most];
    const std::uint64_t left = kernels::short_extrema(false, detail::nan_rank::lowest, groups, lowest) |
                               kernels::short_extrema(true, detail::nan_rank::highest, groups, highest);
    for (std::size_t k = 0; k < groups.count; ++k) {
      if ((left >> k & 1) == 0) out[k] = {lowest[k], highest[k]};
    }
    return left;
  }
  minmax_result<T> finish(const typename base::state& s) const {
    detail::require_elements(s.any, "minmax");
    const T low = base::lowest(s);
    const bool nan = detail::ordered_key<typename base::carrier>::is_nan(s.lowest, detail::nan_rank::lowest);
    return {low, nan ? low : base::highest(s)};
  }
};

/// The largest |x_i|: of |re| + |im| for complex numbers, as BLAS's iamax has it. Zero for no elements; NaN propagates.
template <number T>
struct norm_inf_of {
  using carrier = carrier_t<T>;
  using magnitude = std::conditional_t<integer<T>, std::uint64_t, detail::real_total_t<T>>;
  using state = magnitude;
  using accumulator = magnitude;
  static constexpr bool order_free = true;
  static constexpr bool any_tiles = true;

  state empty() const { return 0; }
  accumulator start() const { return 0; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    detail::require_tile_of<carrier, Tile>();
    if (t.size == 0) return true;
    if constexpr (complex_number<T>) {
      for (std::size_t i = 0; i < t.size; ++i) merge(a, kernels::manhattan(t.data[i]));
    } else {
      constexpr auto rank = detail::nan_rank::lowest;
      const auto keys = detail::tile_keys(t.data, t.size, detail::which_extrema::both, rank);
      using key = detail::ordered_key<carrier>;
      merge(a, magnitude_of(key::decode(keys.lowest, rank)));
      merge(a, magnitude_of(key::decode(keys.highest, rank)));
    }
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator& a, state& s) const { merge(s, a); }
  void merge(state& a, const state& b) const {
    if constexpr (integer<T>) {
      a = b > a ? b : a;
    } else {  // non-negative floats and NaN compare as their bits do
      using bits = detail::ordered_key_t<magnitude>;
      if (std::bit_cast<bits>(b) > std::bit_cast<bits>(a)) a = b;
    }
  }
  std::string kind() const { return detail::kind_text("norm_inf", detail::type_name<T>()); }
  void normalize(state& s) const {
    if constexpr (!integer<T>) s = detail::canonical_zero_and_nan(s);
  }
  auto finish(const state& s) const {
    if constexpr (integer<T>) {
      return static_cast<std::uint64_t>(s);
    } else {
      using key = detail::ordered_key<magnitude>;
      constexpr auto rank = detail::nan_rank::highest;
      return key::decode(key::encode(s, rank), rank);  // any NaN becomes the canonical one
    }
  }

 private:
  static magnitude magnitude_of(carrier x) {
    if constexpr (integer<T>) {
      return detail::magnitude(x);
    } else {
      using bits = detail::ordered_key_t<carrier>;
      return std::bit_cast<carrier>(static_cast<bits>(std::bit_cast<bits>(x) & std::numeric_limits<bits>::max()));
    }
  }
};

namespace detail {

/// An extremum's key and the lowest index that has it.
template <class T>
struct key_position {
  using key = ordered_key_t<T>;
  key value = 0;
  std::size_t index = 0;
  bool any = false;
};

/// Index of the first element of a tile that has its extreme key, or of the first NaN if that is one, in canonical_key's form.
template <class T>
std::size_t find_extreme(const T* x, std::size_t n, ordered_key_t<T> target, bool largest, nan_rank rank) {
  if constexpr (integer<T>) {
    return kernels::first_extreme(reinterpret_cast<const fixed_width_t<T>*>(x), n, largest, rank, target);
  } else {
    const bool nan = ordered_key<T>::is_nan(target, rank);
    return kernels::first_extreme(x, n, largest, rank, nan ? ordered_key<T>::last_nan(rank) : target);
  }
}

/// Positions of extrema: a tile is searched for the position only when it beats what was found before.
template <class T, which_extrema which>
struct extremum_positions {
  using carrier = carrier_t<T>;
  struct state {
    key_position<carrier> lowest;
    key_position<carrier> highest;
  };
  using accumulator = state;
  static constexpr bool order_free = true;
  static constexpr bool any_tiles = true;
  static constexpr bool ignores_repeats = true;  // the lowest index wins
  static constexpr bool takes_all_narrow = true;
  // NaN wins both searches: it ranks lowest for the minimum and highest for the maximum.
  static constexpr nan_rank low_rank = nan_rank::lowest;
  static constexpr nan_rank high_rank = nan_rank::highest;

  state empty() const { return {}; }
  accumulator start() const { return {}; }
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    require_tile_of<carrier, Tile>();
    find(a, t, [](auto k, nan_rank) { return k; });
    return true;
  }
  /// Of 16-bit floats as they are.
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires(small_float<T> && std::is_same_v<Tile, tile<T>>)
  {
    find(a, t, [](auto k, nan_rank rank) { return canonical_key<carrier>(widened_key<T>(k, rank), rank); });
    return true;
  }
  template <class Tile>
  void refold(accumulator&, state&, const Tile&) const {}
  void drain(accumulator& a, state& s) const { merge(s, a); }
  void merge(state& a, const state& b) const {
    const auto take = [](auto& left, const auto& right, bool better) {
      const bool tie = left.any && right.any && left.value == right.value && right.index < left.index;
      if (right.any && (!left.any || better || tie)) left = right;
    };
    take(a.lowest, b.lowest, b.lowest.value < a.lowest.value);
    take(a.highest, b.highest, b.highest.value > a.highest.value);
  }
  std::string kind() const {
    const char* const name = which == which_extrema::minimum ? "argmin" : which == which_extrema::maximum ? "argmax" : "argminmax";
    return kind_text(name, type_name<T>());
  }
  void normalize(state& s) const {
    if (!s.lowest.any || which == which_extrema::maximum) s.lowest = {};
    if (!s.highest.any || which == which_extrema::minimum) s.highest = {};
  }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    const auto visit_position = [&](auto& p) {
      visit(p.value);
      visit(p.index);
      visit(p.any);
    };
    visit_position(s.lowest);
    visit_position(s.highest);
  }
  /// As if the elements stood `first` places further on.
  void move_positions(state& s, std::size_t first) const {
    if (s.lowest.any) s.lowest.index += first;
    if (s.highest.any) s.highest.index += first;
  }

 private:
  /// `to_carrier(k, rank)`: the key of a carrier.
  template <class Element, class ToCarrier>
  static void find(accumulator& a, const tile<Element>& t, const ToCarrier& to_carrier) {
    if (t.size == 0) return;
    if constexpr (which != which_extrema::maximum) {
      const auto k = canonical_key<Element>(tile_keys(t.data, t.size, which_extrema::minimum, low_rank).lowest, low_rank);
      const auto value = to_carrier(k, low_rank);
      if (!a.lowest.any || value < a.lowest.value) a.lowest = {value, t.first + find_extreme(t.data, t.size, k, false, low_rank), true};
    }
    if constexpr (which != which_extrema::minimum) {
      const auto k = canonical_key<Element>(tile_keys(t.data, t.size, which_extrema::maximum, high_rank).highest, high_rank);
      const auto value = to_carrier(k, high_rank);
      if (!a.highest.any || value > a.highest.value) a.highest = {value, t.first + find_extreme(t.data, t.size, k, true, high_rank), true};
    }
  }

 protected:
  static position<T> lowest(const state& s) {
    require_elements(s.lowest.any, "argmin");
    return {to_element<T>(ordered_key<carrier>::decode(s.lowest.value, low_rank)), s.lowest.index};
  }
  static position<T> highest(const state& s) {
    require_elements(s.highest.any, "argmax");
    return {to_element<T>(ordered_key<carrier>::decode(s.highest.value, high_rank)), s.highest.index};
  }
};

}  // namespace detail

/// The minimum and its lowest index; the first NaN if there is one.
template <real_number T>
struct argmin_of : detail::extremum_positions<T, detail::which_extrema::minimum> {
  using self = argmin_of;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, position<T>* out) const
    requires native_float<T>
  {
    return detail::positions_of_groups<T, false>(groups, out);
  }
  position<T> finish(const typename detail::extremum_positions<T, detail::which_extrema::minimum>::state& s) const {
    return this->lowest(s);
  }
};
/// The maximum and its lowest index; the first NaN if there is one.
template <real_number T>
struct argmax_of : detail::extremum_positions<T, detail::which_extrema::maximum> {
  using self = argmax_of;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, position<T>* out) const
    requires native_float<T>
  {
    return detail::positions_of_groups<T, true>(groups, out);
  }
  position<T> finish(const typename detail::extremum_positions<T, detail::which_extrema::maximum>::state& s) const {
    return this->highest(s);
  }
};
/// Both positions in one pass.
template <real_number T>
struct argminmax_of : detail::extremum_positions<T, detail::which_extrema::both> {
  using self = argminmax_of;
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, minmax_positions<T>* out) const
    requires native_float<T>
  {
    constexpr std::size_t most = kernels::short_groups<T>::most;
    position<T> lowest[most];
    position<T> highest[most];
    const std::uint64_t left =
        detail::positions_of_groups<T, false>(groups, lowest) | detail::positions_of_groups<T, true>(groups, highest);
    for (std::size_t k = 0; k < groups.count; ++k) {
      if ((left >> k & 1) == 0) out[k] = {lowest[k], highest[k]};
    }
    return left;
  }
  minmax_positions<T> finish(const typename detail::extremum_positions<T, detail::which_extrema::both>::state& s) const {
    return {this->lowest(s), this->highest(s)};
  }
};

}  // namespace accrue
