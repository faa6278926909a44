// SPDX-License-Identifier: BSD-3-Clause
// Between xyzw (four numbers of one particle side by side) and vectors (x of several particles), for the instruction set being
// compiled. Included once for each instruction set.

#if defined(ACCRUE_XYZW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_XYZW_INL
#undef ACCRUE_XYZW_INL
#else
#define ACCRUE_XYZW_INL
#endif

#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

using V = hn::Vec<d64>;

/// One number of each particle, by lane.
struct xyzw_lanes {
  V x;
  V y;
  V z;
  V w;
};

#if HWY_MAX_BYTES >= 32  // four or eight lanes: a particle or two in a vector

/// Blocks of 128 bits: a's first beside b's first, a's third beside b's third.
template <class W>
HWY_INLINE W even_blocks(W a, W b) {
  if constexpr (width == 4) return hn::ConcatLowerLower(hn::DFromV<W>(), b, a);
  return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
}
/// The same of the second and fourth.
template <class W>
HWY_INLINE W odd_blocks(W a, W b) {
  if constexpr (width == 4) return hn::ConcatUpperUpper(hn::DFromV<W>(), b, a);
  return hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
}

/// A vector of what is at `low` and, if it has twice as many lanes as `Half`, at `high`.
template <class D, class Half, class T>
HWY_INLINE hn::Vec<D> load_two(D d, Half half, const T* low, const T* high) {
  if constexpr (hn::MaxLanes(d) == hn::MaxLanes(half)) return hn::LoadU(d, low);
  else return hn::Combine(d, hn::LoadU(half, high), hn::LoadU(half, low));
}

/// x, y and z of particles `index[0 .. width)`.
template <class Index>
HWY_INLINE xyzw_lanes load_xyzw(const double* xyzw, const Index* index) {
  const d64 d;
  const auto load = [&](std::size_t k) HWY_ATTR {
    const auto at = [&](std::size_t lane) { return xyzw + std::size_t{4} * static_cast<std::size_t>(index[lane]); };
    return load_two(d, hn::CappedTag<double, 4>(), at(k), at(width == 8 ? k + 4 : k));
  };
  const V q0 = load(0);
  const V q1 = load(1);
  const V q2 = load(2);
  const V q3 = load(3);
  const V xz01 = hn::InterleaveLower(d, q0, q1);
  const V xz23 = hn::InterleaveLower(d, q2, q3);
  const V y01 = hn::InterleaveUpper(d, q0, q1);
  const V y23 = hn::InterleaveUpper(d, q2, q3);
  return {even_blocks(xz01, xz23), even_blocks(y01, y23), odd_blocks(xz01, xz23), hn::Zero(d)};
}

/// xyzw of all lanes, lane k + 4 beside lane k if there are eight.
template <class T>
struct xyzw_set {
  hn::Vec<hn::ScalableTag<T>> q[4];
};
template <class T>
HWY_INLINE xyzw_set<T> to_xyzw(const xyzw_lanes& v) {
  const hn::ScalableTag<T> d;
  const auto x = hn::BitCast(d, v.x);
  const auto y = hn::BitCast(d, v.y);
  const auto z = hn::BitCast(d, v.z);
  const auto w = hn::BitCast(d, v.w);
  const auto xy_even = hn::InterleaveLower(d, x, y);
  const auto xy_odd = hn::InterleaveUpper(d, x, y);
  const auto zw_even = hn::InterleaveLower(d, z, w);
  const auto zw_odd = hn::InterleaveUpper(d, z, w);
  return {{even_blocks(xy_even, zw_even), even_blocks(xy_odd, zw_odd), odd_blocks(xy_even, zw_even), odd_blocks(xy_odd, zw_odd)}};
}

/// xyzw[index[k]] -= lane k, for lanes of double or, in the same bits, of int64. The indices of a vector differ, except that the last
/// may be repeated with lanes that are zero.
template <class T>
HWY_INLINE void subtract_xyzw(T* xyzw, const std::uint32_t* index, const xyzw_lanes& v) {
  const hn::CappedTag<T, 4> one_particle;
  const xyzw_set<T> s = to_xyzw<T>(v);
  const auto subtract = [&](std::size_t lane, auto numbers) HWY_ATTR {
    T* p = xyzw + std::size_t{4} * index[lane];
    hn::StoreU(hn::LoadU(one_particle, p) - numbers, one_particle, p);
  };
  for (std::size_t k = 0; k < 4; ++k) {
    if constexpr (width == 4) {
      subtract(k, s.q[k]);
    } else {
      subtract(k, hn::LowerHalf(one_particle, s.q[k]));
      subtract(k + 4, hn::UpperHalf(one_particle, s.q[k]));
    }
  }
}
/// xyzw[index] += the sum of all lanes.
template <class T>
HWY_INLINE void add_xyzw(T* xyzw, std::size_t index, const xyzw_lanes& v) {
  const hn::CappedTag<T, 4> one_particle;
  const xyzw_set<T> s = to_xyzw<T>(v);
  const auto sum = (s.q[0] + s.q[1]) + (s.q[2] + s.q[3]);
  T* p = xyzw + 4 * index;
  if constexpr (width == 4) {
    hn::StoreU(hn::LoadU(one_particle, p) + sum, one_particle, p);
  } else {
    hn::StoreU(hn::LoadU(one_particle, p) + (hn::LowerHalf(one_particle, sum) + hn::UpperHalf(one_particle, sum)), one_particle, p);
  }
}

#elif HWY_MAX_BYTES == 16  // two lanes: half a particle in a vector

template <class Index>
HWY_INLINE xyzw_lanes load_xyzw(const double* xyzw, const Index* index) {
  const d64 d;
  const double* p0 = xyzw + std::size_t{4} * static_cast<std::size_t>(index[0]);
  const double* p1 = xyzw + std::size_t{4} * static_cast<std::size_t>(index[1]);
  const V xy0 = hn::LoadU(d, p0);
  const V xy1 = hn::LoadU(d, p1);
  return {hn::InterleaveLower(d, xy0, xy1), hn::InterleaveUpper(d, xy0, xy1),
          hn::InterleaveLower(d, hn::LoadU(d, p0 + 2), hn::LoadU(d, p1 + 2)), hn::Zero(d)};
}

/// The halves of a particle's four numbers.
template <class T>
struct xyzw_halves {
  hn::Vec<hn::ScalableTag<T>> xy;
  hn::Vec<hn::ScalableTag<T>> zw;
};
template <class T>
HWY_INLINE xyzw_halves<T> first_particle(const xyzw_lanes& v) {
  const hn::ScalableTag<T> d;
  return {hn::InterleaveLower(d, hn::BitCast(d, v.x), hn::BitCast(d, v.y)),
          hn::InterleaveLower(d, hn::BitCast(d, v.z), hn::BitCast(d, v.w))};
}
template <class T>
HWY_INLINE xyzw_halves<T> second_particle(const xyzw_lanes& v) {
  const hn::ScalableTag<T> d;
  return {hn::InterleaveUpper(d, hn::BitCast(d, v.x), hn::BitCast(d, v.y)),
          hn::InterleaveUpper(d, hn::BitCast(d, v.z), hn::BitCast(d, v.w))};
}
template <class T>
HWY_INLINE void subtract_xyzw(T* xyzw, const std::uint32_t* index, const xyzw_lanes& v) {
  const hn::ScalableTag<T> d;
  const auto subtract = [&](T* p, const xyzw_halves<T>& q) HWY_ATTR {
    hn::StoreU(hn::LoadU(d, p) - q.xy, d, p);
    hn::StoreU(hn::LoadU(d, p + 2) - q.zw, d, p + 2);
  };
  subtract(xyzw + std::size_t{4} * index[0], first_particle<T>(v));
  subtract(xyzw + std::size_t{4} * index[1], second_particle<T>(v));
}
template <class T>
HWY_INLINE void add_xyzw(T* xyzw, std::size_t index, const xyzw_lanes& v) {
  const hn::ScalableTag<T> d;
  const xyzw_halves<T> a = first_particle<T>(v);
  const xyzw_halves<T> b = second_particle<T>(v);
  T* p = xyzw + 4 * index;
  hn::StoreU(hn::LoadU(d, p) + (a.xy + b.xy), d, p);
  hn::StoreU(hn::LoadU(d, p + 2) + (a.zw + b.zw), d, p + 2);
}

#else  // one lane

template <class Index>
HWY_INLINE xyzw_lanes load_xyzw(const double* xyzw, const Index* index) {
  const double* p = xyzw + std::size_t{4} * static_cast<std::size_t>(index[0]);
  const d64 d;
  return {hn::Set(d, p[0]), hn::Set(d, p[1]), hn::Set(d, p[2]), hn::Zero(d)};
}
template <class T>
HWY_INLINE T lane(V v) {
  return hn::GetLane(hn::BitCast(hn::Rebind<T, d64>(), v));
}
template <class T>
HWY_INLINE void subtract_xyzw(T* xyzw, const std::uint32_t* index, const xyzw_lanes& v) {
  T* p = xyzw + std::size_t{4} * index[0];
  p[0] -= lane<T>(v.x);
  p[1] -= lane<T>(v.y);
  p[2] -= lane<T>(v.z);
  p[3] -= lane<T>(v.w);
}
template <class T>
HWY_INLINE void add_xyzw(T* xyzw, std::size_t index, const xyzw_lanes& v) {
  T* p = xyzw + 4 * index;
  p[0] += lane<T>(v.x);
  p[1] += lane<T>(v.y);
  p[2] += lane<T>(v.z);
  p[3] += lane<T>(v.w);
}

#endif

#if HWY_MAX_BYTES >= 16

/// Eight floats, or as many as fit a vector.
using rough_tag = hn::CappedTag<float, 8>;
inline constexpr std::size_t rough_width = hn::MaxLanes(rough_tag());
/// The first three numbers of `rough_width` particles in single precision.
struct rough_lanes {
  hn::Vec<rough_tag> x;
  hn::Vec<rough_tag> y;
  hn::Vec<rough_tag> z;
};
HWY_INLINE rough_lanes load_rough(const float* xyzw, const std::uint32_t* index) {
  const rough_tag d;
  const hn::RepartitionToWide<rough_tag> pairs;
  const auto at = [&](std::size_t k) { return xyzw + std::size_t{4} * index[k]; };
  const auto load = [&](std::size_t k) HWY_ATTR {
#if HWY_MAX_BYTES >= 32
    return load_two(d, hn::CappedTag<float, 4>(), at(k), at(k + 4));
#else
    return hn::LoadU(d, at(k));
#endif
  };
  const auto q0 = load(0);
  const auto q1 = load(1);
  const auto q2 = load(2);
  const auto q3 = load(3);
  const auto xy01 = hn::BitCast(pairs, hn::InterleaveLower(d, q0, q1));
  const auto xy23 = hn::BitCast(pairs, hn::InterleaveLower(d, q2, q3));
  const auto z01 = hn::BitCast(pairs, hn::InterleaveUpper(d, q0, q1));
  const auto z23 = hn::BitCast(pairs, hn::InterleaveUpper(d, q2, q3));
  return {hn::BitCast(d, hn::InterleaveLower(pairs, xy01, xy23)), hn::BitCast(d, hn::InterleaveUpper(pairs, xy01, xy23)),
          hn::BitCast(d, hn::InterleaveLower(pairs, z01, z23))};
}

#endif

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
