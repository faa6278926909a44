// SPDX-License-Identifier: BSD-3-Clause
// The smallest or largest elements of groups of few, a group in each lane, and where they are.
#include "accrue/detail/kernels.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "short_extrema.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "double_double-inl.hpp"
#include "groups_in_lanes-inl.hpp"
#include "padded_groups.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

using double_key = detail::ordered_key<double>;
using K = hn::Vec<i64>;

/// The keys of ordered_key.hpp: a double's bits, with the magnitude of negatives complemented.
HWY_INLINE K turned(K bits) {
  return hn::Xor(bits, hn::BitCast(i64(), hn::ShiftRight<1>(hn::BitCast(u64(), hn::BroadcastSignBit(bits)))));
}

/// The best element of each lane's: the smallest key, or the largest.
template <bool largest, detail::nan_rank rank>
struct best_in_lanes {
  static constexpr auto turn = static_cast<std::int64_t>(double_key::turn(rank));
  K best = hn::Set(i64(), largest ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max());

  HWY_INLINE best_in_lanes() {}
  HWY_INLINE void start(const V*, const V*, std::size_t) {}
  static HWY_INLINE K key_of(V x) { return turned(hn::BitCast(i64(), x)) + hn::Set(i64(), turn); }
  template <std::size_t>
  HWY_INLINE void add(V x, V) {
    best = largest ? hn::Max(best, key_of(x)) : hn::Min(best, key_of(x));
  }
  /// Whether keys are NaN's.
  static HWY_INLINE auto are_nan(K k) {
    constexpr auto nans = static_cast<std::int64_t>(2 * double_key::nans);
    if constexpr (rank == detail::nan_rank::lowest) return k < hn::Set(i64(), std::numeric_limits<std::int64_t>::min() + nans);
    else return k > hn::Set(i64(), std::numeric_limits<std::int64_t>::max() - nans);
  }
  [[nodiscard]] HWY_INLINE V element() const {
    const V x = hn::BitCast(d64(), turned(best - hn::Set(i64(), turn)));
    return hn::IfThenElse(hn::RebindMask(d64(), are_nan(best)), hn::Set(d64(), std::numeric_limits<double>::quiet_NaN()), x);
  }
  /// What loses against any element: the other infinity, or NaN where numbers win.
  static HWY_INLINE V absent() {
    constexpr bool numbers_win = largest == (rank == detail::nan_rank::lowest);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return hn::Set(d64(), numbers_win ? std::numeric_limits<double>::quiet_NaN() : largest ? -infinity : infinity);
  }
};

/// The same with the first place of the best; NaN wins, and all are alike.
template <bool largest>
struct best_places_in_lanes : best_in_lanes<largest, largest ? detail::nan_rank::highest : detail::nan_rank::lowest> {
  using base = best_in_lanes<largest, largest ? detail::nan_rank::highest : detail::nan_rank::lowest>;
  K place = hn::Zero(i64());
  K next = hn::Zero(i64());

  HWY_INLINE best_places_in_lanes() {}
  template <std::size_t>
  HWY_INLINE void add(V x, V) {
    const K extreme = hn::Set(i64(), largest ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min());
    const K found = base::key_of(x);
    const K k = hn::IfThenElse(base::are_nan(found), extreme, found);
    const auto better = largest ? k > this->best : k < this->best;
    this->best = hn::IfThenElse(better, k, this->best);
    place = hn::IfThenElse(better, next, place);
    next = next + hn::Set(i64(), 1);
  }
};

template <class T>
HWY_INLINE void store_elements(V x, std::size_t lanes, T* out) {
  const hn::Rebind<T, d64> narrow;
  T some[width];
  if constexpr (sizeof(T) == 4) hn::StoreU(hn::DemoteTo(narrow, x), narrow, some);
  else hn::StoreU(x, narrow, some);
  std::copy_n(some, lanes, out);
}

/// `give(best, first, lanes)` for vectors of groups.
template <class Best, class T, class Give>
HWY_INLINE void for_groups(const short_groups<T>& groups, const Give& give) {
  for (std::size_t first = 0; first < groups.count; first += width) {
    Best best;
    if (are_few(groups, first)) {
      add_few(groups.x[first], groups.sizes[0], best);
    } else {
      add_groups_and<false, true>(Best::absent(), groups, first, best);
    }
    give(best, first, std::min(width, groups.count - first));
  }
}

template <class T>
std::uint64_t empty_ones(const short_groups<T>& groups) {
  std::uint64_t empty = 0;
  for (std::size_t k = 0; k < groups.count; ++k) empty |= std::uint64_t{groups.sizes[k] == 0} << k;
  return empty;
}

template <bool largest, detail::nan_rank rank, class T>
HWY_INLINE void find_all(const short_groups<T>& groups, T* out) {
  for_groups<best_in_lanes<largest, rank>>(groups, [&](const auto& best, std::size_t first, std::size_t lanes) HWY_ATTR {
    store_elements(best.element(), lanes, out + first);
  });
}
template <class T>
std::uint64_t extrema_any(bool largest, detail::nan_rank rank, const short_groups<T>& groups, T* out) {
  if constexpr (!has_vectors) return bits_of_all(groups);
  using detail::nan_rank;
  if (largest) {
    rank == nan_rank::lowest ? find_all<true, nan_rank::lowest>(groups, out) : find_all<true, nan_rank::highest>(groups, out);
  } else {
    rank == nan_rank::lowest ? find_all<false, nan_rank::lowest>(groups, out) : find_all<false, nan_rank::highest>(groups, out);
  }
  return empty_ones(groups);
}

template <bool largest, class T>
HWY_INLINE void find_places(const short_groups<T>& groups, T* out, std::size_t* places) {
  for_groups<best_places_in_lanes<largest>>(groups, [&](const auto& best, std::size_t first, std::size_t lanes) HWY_ATTR {
    store_elements(best.element(), lanes, out + first);
    std::int64_t at[width];
    hn::StoreU(best.place, i64(), at);
    for (std::size_t k = 0; k < lanes; ++k) places[first + k] = static_cast<std::size_t>(at[k]);
  });
}
template <class T>
std::uint64_t places_any(bool largest, const short_groups<T>& groups, T* out, std::size_t* places) {
  if constexpr (!has_vectors) return bits_of_all(groups);
  largest ? find_places<true>(groups, out, places) : find_places<false>(groups, out, places);
  return empty_ones(groups);
}

std::uint64_t extrema_f32(bool largest, detail::nan_rank rank, const short_groups<float>& g, float* out) {
  return extrema_any(largest, rank, g, out);
}
std::uint64_t extrema_f64(bool largest, detail::nan_rank rank, const short_groups<double>& g, double* out) {
  return extrema_any(largest, rank, g, out);
}
std::uint64_t places_f32(bool largest, const short_groups<float>& g, float* out, std::size_t* places) {
  return places_any(largest, g, out, places);
}
std::uint64_t places_f64(bool largest, const short_groups<double>& g, double* out, std::size_t* places) {
  return places_any(largest, g, out, places);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(extrema_f32);
HWY_EXPORT(extrema_f64);
HWY_EXPORT(places_f32);
HWY_EXPORT(places_f64);

std::uint64_t short_extrema(bool largest, detail::nan_rank rank, short_groups<float>& groups, float* out) {
  return HWY_DYNAMIC_DISPATCH(extrema_f32)(largest, rank, padded(groups), out);
}
std::uint64_t short_extrema(bool largest, detail::nan_rank rank, short_groups<double>& groups, double* out) {
  return HWY_DYNAMIC_DISPATCH(extrema_f64)(largest, rank, padded(groups), out);
}
std::uint64_t short_extrema_places(bool largest, short_groups<float>& groups, float* out, std::size_t* places) {
  return HWY_DYNAMIC_DISPATCH(places_f32)(largest, padded(groups), out, places);
}
std::uint64_t short_extrema_places(bool largest, short_groups<double>& groups, double* out, std::size_t* places) {
  return HWY_DYNAMIC_DISPATCH(places_f64)(largest, padded(groups), out, places);
}

}  // namespace accrue::kernels
#endif
