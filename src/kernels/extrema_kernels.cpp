// SPDX-License-Identifier: BSD-3-Clause
// Smallest and largest ordered key of a tile.
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
  std::size_t i = 0;
  if (size >= unroll * lanes) {
    hn::Vec<decltype(d)> a[unroll];
    hn::Vec<decltype(d)> b[unroll];
    for (std::size_t u = 0; u < unroll; ++u) a[u] = b[u] = load_keys(x + u * lanes, rank);
    constexpr std::size_t step = unroll * lanes;
    const auto take = [&](const auto& at) HWY_ATTR {
      for (std::size_t u = 0; u < unroll; ++u) {
        const auto k = load_keys(x + at(u), rank);
        if constexpr (minimum) a[u] = hn::Min(a[u], k);
        if constexpr (maximum) b[u] = hn::Max(b[u], k);
      }
    };
    // In two halves at once, which memory serves sooner.
    const std::size_t half = size / step * (step / 2);
    for (; i < half; i += step / 2) {
      prefetch_next(x, i * sizeof(T), step / 2 * sizeof(T), next);
      prefetch_next(x, (half + i) * sizeof(T), step / 2 * sizeof(T), next);
      take([=](std::size_t u) HWY_ATTR { return u % 2 * half + i + u / 2 * lanes; });
    }
    i = 2 * half;
    typename key::type keys[lanes];
    for (std::size_t u = 0; u < unroll; ++u) {
      hn::StoreU(a[u], d, keys);
      for (const auto k : keys) low = k < low ? k : low;
      hn::StoreU(b[u], d, keys);
      for (const auto k : keys) high = k > high ? k : high;
    }
  }
  for (; i < size; ++i) {
    const auto k = key::encode(x[i], rank);
    low = k < low ? k : low;
    high = k > high ? k : high;
  }
  if constexpr (minimum) lowest = low;
  if constexpr (maximum) highest = high;
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
  template <>                                                                                                        \
  void tile_extrema(const T* x, std::size_t size, which_extrema which, detail::nan_rank rank, const look_ahead& next,\
                    detail::ordered_key_t<T>& lowest, detail::ordered_key_t<T>& highest) {                           \
    HWY_DYNAMIC_DISPATCH(name)(x, size, which, rank, next, lowest, highest);                                         \
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
