// SPDX-License-Identifier: BSD-3-Clause
// Smallest and largest ordered key of a tile, and where they stand.
#include "accrue/detail/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "extrema_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "has_kernel.hpp"
#include "prefetch.hpp"
#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

template <class T>
HWY_INLINE hn::Vec<hn::ScalableTag<detail::ordered_key_t<T>>> load_keys(const T* x, detail::nan_rank rank) {
  using key = detail::ordered_key<T>;
  const hn::ScalableTag<typename key::type> d;
  if constexpr (!integer<T>) {
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto bits = hn::LoadU(d, reinterpret_cast<const typename key::type*>(x));
    const auto magnitude_if_negative = hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(du, hn::BroadcastSignBit(bits))));
    return hn::Xor(bits, magnitude_if_negative) + hn::Set(d, static_cast<typename key::type>(key::turn(rank)));
  } else {
    (void)rank;
    return hn::LoadU(d, x);
  }
}

template <bool minimum, bool maximum, class T>
HWY_INLINE void find(const T* x, std::size_t size, detail::nan_rank rank, const look_ahead& next, detail::ordered_key_t<T>& lowest,
                     detail::ordered_key_t<T>& highest) {
  using key = detail::ordered_key<T>;
  const hn::ScalableTag<typename key::type> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t unroll = 4;
  auto low = key::encode(x[0], rank);
  auto high = low;
  const auto take_keys = [&](const typename key::type* keys, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      if constexpr (minimum) low = keys[k] < low ? keys[k] : low;
      if constexpr (maximum) high = keys[k] > high ? keys[k] : high;
    }
  };
  typename key::type keys[lanes];
  if (size < lanes) {
    for (std::size_t i = 0; i < size; ++i) keys[i] = key::encode(x[i], rank);
    take_keys(keys, size);
  } else {
    hn::Vec<decltype(d)> a[unroll];
    hn::Vec<decltype(d)> b[unroll];
    for (std::size_t u = 0; u < unroll; ++u) a[u] = b[u] = load_keys(x, rank);
    constexpr std::size_t step = unroll * lanes;
    const auto take = [&](std::size_t u, std::size_t i) HWY_ATTR {
      const auto k = load_keys(x + i, rank);
      if constexpr (minimum) a[u] = hn::Min(a[u], k);
      if constexpr (maximum) b[u] = hn::Max(b[u], k);
    };
    // In two halves at once, which memory serves sooner.
    const std::size_t half = size / step * (step / 2);
    for (std::size_t i = 0; i < half; i += step / 2) {
      prefetch_next(x, i * sizeof(T), step / 2 * sizeof(T), next);
      prefetch_next(x, (half + i) * sizeof(T), step / 2 * sizeof(T), next);
      for (std::size_t u = 0; u < unroll; ++u) take(u, u % 2 * half + i + u / 2 * lanes);
    }
    std::size_t i = 2 * half;
    for (; i + lanes <= size; i += lanes) take(0, i);
    if (i < size) take(1, size - lanes);  // some of them again
    if constexpr (minimum) {
      hn::StoreU(hn::Min(hn::Min(a[0], a[1]), hn::Min(a[2], a[3])), d, keys);
      take_keys(keys, lanes);
    }
    if constexpr (maximum) {
      hn::StoreU(hn::Max(hn::Max(b[0], b[1]), hn::Max(b[2], b[3])), d, keys);
      take_keys(keys, lanes);
    }
  }
  if constexpr (minimum) lowest = low;
  if constexpr (maximum) highest = high;
}

/// The first element whose key is `bound` at most, or with `at_least` at least; the last one where there is none.
template <bool at_least, class T>
HWY_INLINE std::size_t search(const T* x, std::size_t size, detail::nan_rank rank, detail::ordered_key_t<T> bound) {
  using key = detail::ordered_key<T>;
  const hn::ScalableTag<typename key::type> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t unroll = 4;
  const auto limit = hn::Set(d, bound);
  const auto others = [&](std::size_t i) HWY_ATTR {
    const auto k = load_keys(x + i, rank);
    return at_least ? k < limit : k > limit;
  };
  std::size_t i = 0;
  for (; i + unroll * lanes <= size; i += unroll * lanes) {
    const auto all = hn::And(hn::And(others(i), others(i + lanes)), hn::And(others(i + 2 * lanes), others(i + 3 * lanes)));
    if (!hn::AllTrue(d, all)) break;
  }
  for (; i + lanes <= size; i += lanes) {
    const std::intptr_t found = hn::FindFirstTrue(d, hn::Not(others(i)));
    if (found >= 0) return i + static_cast<std::size_t>(found);
  }
  for (; i + 1 < size; ++i) {
    const auto k = key::encode(x[i], rank);
    if (at_least ? k >= bound : k <= bound) break;
  }
  return i < size ? i : size - 1;
}

template <class T>
HWY_INLINE void find_any(const T* x, std::size_t size, which_extrema which, detail::nan_rank rank, const look_ahead& next,
                         detail::ordered_key_t<T>& lowest, detail::ordered_key_t<T>& highest) {
  switch (which) {
    case which_extrema::minimum: return find<true, false>(x, size, rank, next, lowest, highest);
    case which_extrema::maximum: return find<false, true>(x, size, rank, next, lowest, highest);
    case which_extrema::both: return find<true, true>(x, size, rank, next, lowest, highest);
  }
}

#define ACCRUE_EXTREMA(name, T)                                                                                      \
  void name(const T* x, std::size_t size, which_extrema which, detail::nan_rank rank, const look_ahead& next,        \
            detail::ordered_key_t<T>& lowest, detail::ordered_key_t<T>& highest) {                                   \
    find_any(x, size, which, rank, next, lowest, highest);                                                           \
  }                                                                                                                  \
  std::size_t search_##name(const T* x, std::size_t size, bool largest, detail::nan_rank rank,                       \
                            detail::ordered_key_t<T> bound) {                                                        \
    return largest ? search<true>(x, size, rank, bound) : search<false>(x, size, rank, bound);                       \
  }
ACCRUE_EXTREMA(find_f32, float)
ACCRUE_EXTREMA(find_f64, double)
ACCRUE_EXTREMA(find_f16, half)
ACCRUE_EXTREMA(find_bf16, bfloat16)
ACCRUE_EXTREMA(find_i8, std::int8_t)
ACCRUE_EXTREMA(find_i16, std::int16_t)
ACCRUE_EXTREMA(find_i32, std::int32_t)
ACCRUE_EXTREMA(find_i64, std::int64_t)
ACCRUE_EXTREMA(find_u8, std::uint8_t)
ACCRUE_EXTREMA(find_u16, std::uint16_t)
ACCRUE_EXTREMA(find_u32, std::uint32_t)
ACCRUE_EXTREMA(find_u64, std::uint64_t)
#undef ACCRUE_EXTREMA

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

#define ACCRUE_EXTREMA(name, T)                                                                                      \
  HWY_EXPORT(name);                                                                                                  \
  HWY_EXPORT(search_##name);                                                                                         \
  template <>                                                                                                        \
  void tile_extrema(const T* x, std::size_t size, which_extrema which, detail::nan_rank rank, const look_ahead& next,\
                    detail::ordered_key_t<T>& lowest, detail::ordered_key_t<T>& highest) {                           \
    HWY_DYNAMIC_DISPATCH(name)(x, size, which, rank, next, lowest, highest);                                         \
  }                                                                                                                  \
  template <>                                                                                                        \
  std::size_t first_extreme(const T* x, std::size_t size, bool largest, detail::nan_rank rank,                       \
                            detail::ordered_key_t<T> bound) {                                                        \
    return HWY_DYNAMIC_DISPATCH(search_##name)(x, size, largest, rank, bound);                                       \
  }                                                                                                                  \
  template <>                                                                                                        \
  inline constexpr bool has_kernel<&tile_extrema<T>> = true;
ACCRUE_EXTREMA(find_f32, float)
ACCRUE_EXTREMA(find_f64, double)
ACCRUE_EXTREMA(find_f16, half)
ACCRUE_EXTREMA(find_bf16, bfloat16)
ACCRUE_EXTREMA(find_i8, std::int8_t)
ACCRUE_EXTREMA(find_i16, std::int16_t)
ACCRUE_EXTREMA(find_i32, std::int32_t)
ACCRUE_EXTREMA(find_i64, std::int64_t)
ACCRUE_EXTREMA(find_u8, std::uint8_t)
ACCRUE_EXTREMA(find_u16, std::uint16_t)
ACCRUE_EXTREMA(find_u32, std::uint32_t)
ACCRUE_EXTREMA(find_u64, std::uint64_t)
#undef ACCRUE_EXTREMA

static_assert(for_every_element([]<class T>(std::type_identity<T>) {
                if constexpr (real_number<T>) return has_kernel<&tile_extrema<T>>;
                return true;
              }),
              "an element of the closed set has no kernel that finds its extrema");

}  // namespace accrue::kernels
#endif
