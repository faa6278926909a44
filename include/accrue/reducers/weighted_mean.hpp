// SPDX-License-Identifier: BSD-3-Clause
// The weighted mean, correctly rounded from two exact sums.
#pragma once

#include <array>

#include "accrue/reducers/moments.hpp"

namespace accrue {

/// (sum of w_i x_i) / (sum of w_i), rounded once, over pairs (x_i, w_i) of floating elements. Weights may have any sign; where they add
/// up to zero the result is that of IEEE 754's division by zero. Throws `errc::empty_range` for no elements.
template <class T, native_float R = total_t<T>>
  requires(native_float<T> || small_float<T>)
struct weighted_mean_of : detail::two_exact_sums<detail::exact_terms<carrier_t<T>, detail::term::product>,
                                                 detail::exact_terms<carrier_t<T>, detail::term::value>> {
  using base = detail::two_exact_sums<detail::exact_terms<carrier_t<T>, detail::term::product>,
                                      detail::exact_terms<carrier_t<T>, detail::term::value>>;
  using state = typename base::state;
  using accumulator = typename base::accumulator;
  using result = R;

  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    detail::require_tile_of<carrier_t<T>, Tile, true>();
    return base::fold_both(a, t, weights(t));
  }
  using self = weighted_mean_of;
  /// Of 16-bit floats as they are, both sums or none; false where they have to be widened.
  template <class Tile>
  bool fold_narrow(accumulator& a, const Tile& t) const
    requires std::is_same_v<carrier_t<T>, float>
  {
    auto products = a.first.narrow;
    const bool products_held = products.fold(detail::term::product, detail::to_operands(t));
    const bool held = products_held && a.second.narrow.fold(detail::term::value, detail::to_operands(weights(t)));
    detail::took(held ? detail::way::narrow_tile : detail::way::widened_tile);
    if (held || !products_held) a.first.narrow = products;  // which remembers that it refused
    if (held) a.count += static_cast<std::int64_t>(t.size);
    return held;
  }
  template <class Tile>
  void refold(accumulator& a, state& s, const Tile& t) const {
    base::refold_both(a, s, t, weights(t));
  }
  std::string kind() const { return detail::kind_text("weighted_mean", detail::type_name<carrier_t<T>>()); }
  R finish(const state& s) const {
    detail::require_elements(s.count > 0, "weighted_mean");
    const auto products = s.first.magnitude();
    const auto weights = s.second.magnitude();
    std::array<std::uint32_t, superaccumulator<carrier_t<T>>::limbs + 2> remainder{};
    return detail::round_ratio<R>(s.first.value(products), s.second.value(weights), remainder);
  }

 private:
  template <class Tile>
  static auto weights(const Tile& t) {
    return tile<std::remove_cvref_t<decltype(*t.y)>>{t.y, t.size, t.first};
  }
};

}  // namespace accrue
