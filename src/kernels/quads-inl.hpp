// SPDX-License-Identifier: BSD-3-Clause
// Between quads (x, y, z, w of one particle side by side) and vectors (x of several particles), for the instruction set being
// compiled. Included once for each instruction set.

#if defined(ACCRUE_QUADS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_QUADS_INL
#undef ACCRUE_QUADS_INL
#else
#define ACCRUE_QUADS_INL
#endif

#include <hwy/highway.h>

#include "lane_tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using d64 = hn::ScalableTag<double>;
using i64 = hn::RebindToSigned<d64>;
using V = hn::Vec<d64>;
inline constexpr std::size_t width = hn::MaxLanes(d64());

/// One number of each particle, by lane.
struct quad_lanes {
  V x;
  V y;
  V z;
  V w;
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2

#if HWY_TARGET == HWY_AVX3
/// A bit for each lane of the mask.
HWY_INLINE unsigned lane_bits(hn::Mask<d64> mask) { return mask.raw; }

/// Copies those of eight numbers whose bits are set, in order; writes up to eight.
HWY_INLINE void copy_chosen(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), all));
}

HWY_INLINE __m512d load_two(const double* low, const double* high) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}
/// The first three numbers of the quads of `index[0 .. width)`.
template <class Index>
HWY_INLINE quad_lanes load_quads(const double* quads, const Index* index) {
  const auto at = [&](int k) { return quads + std::size_t{4} * static_cast<std::size_t>(index[k]); };
  const __m512d a = load_two(at(0), at(4));
  const __m512d b = load_two(at(1), at(5));
  const __m512d c = load_two(at(2), at(6));
  const __m512d d = load_two(at(3), at(7));
  const __m512d xz_ab = _mm512_unpacklo_pd(a, b);
  const __m512d xz_cd = _mm512_unpacklo_pd(c, d);
  const __m512d y_ab = _mm512_unpackhi_pd(a, b);
  const __m512d y_cd = _mm512_unpackhi_pd(c, d);
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  quad_lanes out;
  out.x = V{_mm512_permutex2var_pd(xz_ab, first, xz_cd)};
  out.y = V{_mm512_permutex2var_pd(y_ab, first, y_cd)};
  out.z = V{_mm512_permutex2var_pd(xz_ab, second, xz_cd)};
  return out;
}
/// The quads of all lanes.
struct quad_set {
  __m256d q[width];
};
HWY_INLINE quad_set to_quads(const quad_lanes& v) {
  const __m512d xy_even = _mm512_unpacklo_pd(v.x.raw, v.y.raw);
  const __m512d xy_odd = _mm512_unpackhi_pd(v.x.raw, v.y.raw);
  const __m512d zw_even = _mm512_unpacklo_pd(v.z.raw, v.w.raw);
  const __m512d zw_odd = _mm512_unpackhi_pd(v.z.raw, v.w.raw);
  const __m512i lower = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i upper = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const __m512d q02 = _mm512_permutex2var_pd(xy_even, lower, zw_even);
  const __m512d q46 = _mm512_permutex2var_pd(xy_even, upper, zw_even);
  const __m512d q13 = _mm512_permutex2var_pd(xy_odd, lower, zw_odd);
  const __m512d q57 = _mm512_permutex2var_pd(xy_odd, upper, zw_odd);
  return {{_mm512_castpd512_pd256(q02), _mm512_castpd512_pd256(q13), _mm512_extractf64x4_pd(q02, 1), _mm512_extractf64x4_pd(q13, 1),
           _mm512_castpd512_pd256(q46), _mm512_castpd512_pd256(q57), _mm512_extractf64x4_pd(q46, 1),
           _mm512_extractf64x4_pd(q57, 1)}};
}
#else
HWY_INLINE unsigned lane_bits(hn::Mask<d64> mask) {
  return static_cast<unsigned>(_mm256_movemask_pd(hn::VecFromMask(d64(), mask).raw));
}

HWY_INLINE void copy_chosen(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
  const auto copy_four = [](unsigned chosen, const std::uint32_t* p, std::uint32_t* q) HWY_ATTR {
    const __m128i front = _mm_load_si128(reinterpret_cast<const __m128i*>(front_of_four[chosen].data()));
    _mm_storeu_ps(reinterpret_cast<float*>(q), _mm_permutevar_ps(_mm_loadu_ps(reinterpret_cast<const float*>(p)), front));
  };
  copy_four(bits & 15, from, to);
  copy_four(bits >> 4, from + 4, to + __builtin_popcount(bits & 15));
}

template <class Index>
HWY_INLINE quad_lanes load_quads(const double* quads, const Index* index) {
  const auto at = [&](int k) { return quads + std::size_t{4} * static_cast<std::size_t>(index[k]); };
  const __m256d a = _mm256_loadu_pd(at(0));
  const __m256d b = _mm256_loadu_pd(at(1));
  const __m256d c = _mm256_loadu_pd(at(2));
  const __m256d d = _mm256_loadu_pd(at(3));
  const __m256d xz_ab = _mm256_unpacklo_pd(a, b);
  const __m256d xz_cd = _mm256_unpacklo_pd(c, d);
  const __m256d y_ab = _mm256_unpackhi_pd(a, b);
  const __m256d y_cd = _mm256_unpackhi_pd(c, d);
  quad_lanes out;
  out.x = V{_mm256_permute2f128_pd(xz_ab, xz_cd, 0x20)};
  out.y = V{_mm256_permute2f128_pd(y_ab, y_cd, 0x20)};
  out.z = V{_mm256_permute2f128_pd(xz_ab, xz_cd, 0x31)};
  return out;
}
struct quad_set {
  __m256d q[width];
};
HWY_INLINE quad_set to_quads(const quad_lanes& v) {
  const __m256d xy_even = _mm256_unpacklo_pd(v.x.raw, v.y.raw);
  const __m256d xy_odd = _mm256_unpackhi_pd(v.x.raw, v.y.raw);
  const __m256d zw_even = _mm256_unpacklo_pd(v.z.raw, v.w.raw);
  const __m256d zw_odd = _mm256_unpackhi_pd(v.z.raw, v.w.raw);
  return {{_mm256_permute2f128_pd(xy_even, zw_even, 0x20), _mm256_permute2f128_pd(xy_odd, zw_odd, 0x20),
           _mm256_permute2f128_pd(xy_even, zw_even, 0x31), _mm256_permute2f128_pd(xy_odd, zw_odd, 0x31)}};
}
#endif

/// The first three numbers of eight single-precision quads.
struct rough_lanes {
  __m256 x;
  __m256 y;
  __m256 z;
};
HWY_INLINE __m256 load_two(const float* low, const float* high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
HWY_INLINE rough_lanes load_rough(const float* quads, const std::uint32_t* index) {
  const auto at = [&](int k) { return quads + std::size_t{4} * index[k]; };
  const __m256 a = load_two(at(0), at(4));
  const __m256 b = load_two(at(1), at(5));
  const __m256 c = load_two(at(2), at(6));
  const __m256 d = load_two(at(3), at(7));
  const __m256d xy_ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
  const __m256d xy_cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
  const __m256d z_ab = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
  const __m256d z_cd = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
  return {_mm256_castpd_ps(_mm256_unpacklo_pd(xy_ab, xy_cd)), _mm256_castpd_ps(_mm256_unpackhi_pd(xy_ab, xy_cd)),
          _mm256_castpd_ps(_mm256_unpacklo_pd(z_ab, z_cd))};
}

/// A bit for each of eight distances below the limit.
HWY_INLINE unsigned bits_below(__m256 distance, __m256 limit) {
#if HWY_TARGET == HWY_AVX3
  return _mm256_cmp_ps_mask(distance, limit, _CMP_LT_OQ);
#else
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(distance, limit, _CMP_LT_OQ)));
#endif
}

HWY_INLINE __m256d plus(__m256d a, __m256d b, double) { return _mm256_add_pd(a, b); }
HWY_INLINE __m256d plus(__m256d a, __m256d b, std::int64_t) {
  return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(b)));
}
HWY_INLINE __m256d minus(__m256d a, __m256d b, double) { return _mm256_sub_pd(a, b); }
HWY_INLINE __m256d minus(__m256d a, __m256d b, std::int64_t) {
  return _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(b)));
}

/// quads[index[k]] -= lane k, for lanes of double or, in the same bits, of int64. The indices of a vector differ, except that the
/// last may be repeated with lanes that are zero.
template <class T>
HWY_INLINE void subtract_quads(T* quads, const std::uint32_t* index, const quad_lanes& v) {
  const quad_set s = to_quads(v);
  for (std::size_t k = 0; k < width; ++k) {
    double* p = reinterpret_cast<double*>(quads) + std::size_t{4} * index[k];
    _mm256_storeu_pd(p, minus(_mm256_loadu_pd(p), s.q[k], T{}));
  }
}
/// quads[index] += the sum of all lanes.
template <class T>
HWY_INLINE void add_quad(T* quads, std::size_t index, const quad_lanes& v) {
  const quad_set s = to_quads(v);
  __m256d sum = plus(plus(s.q[0], s.q[1], T{}), plus(s.q[2], s.q[3], T{}), T{});
  if constexpr (width == 8) sum = plus(sum, plus(plus(s.q[4], s.q[5], T{}), plus(s.q[6], s.q[7], T{}), T{}), T{});
  double* p = reinterpret_cast<double*>(quads) + 4 * index;
  _mm256_storeu_pd(p, plus(_mm256_loadu_pd(p), sum, T{}));
}

#else  // one lane

HWY_INLINE unsigned lane_bits(hn::Mask<d64> mask) { return hn::AllTrue(d64(), mask) ? 1 : 0; }

HWY_INLINE void copy_chosen(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
  for (unsigned k = 0; k < 8; ++k) {
    *to = from[k];
    to += bits >> k & 1;
  }
}

template <class Index>
HWY_INLINE quad_lanes load_quads(const double* quads, const Index* index) {
  static_assert(width == 1);
  const double* p = quads + std::size_t{4} * static_cast<std::size_t>(index[0]);
  const d64 d;
  return {hn::Set(d, p[0]), hn::Set(d, p[1]), hn::Set(d, p[2]), hn::Set(d, 0.0)};
}
template <class T>
HWY_INLINE T lane(V v) {
  return hn::GetLane(hn::BitCast(hn::Rebind<T, d64>(), v));
}
template <class T>
HWY_INLINE void subtract_quads(T* quads, const std::uint32_t* index, const quad_lanes& v) {
  T* p = quads + std::size_t{4} * index[0];
  p[0] -= lane<T>(v.x);
  p[1] -= lane<T>(v.y);
  p[2] -= lane<T>(v.z);
  p[3] -= lane<T>(v.w);
}
template <class T>
HWY_INLINE void add_quad(T* quads, std::size_t index, const quad_lanes& v) {
  T* p = quads + 4 * index;
  p[0] += lane<T>(v.x);
  p[1] += lane<T>(v.y);
  p[2] += lane<T>(v.z);
  p[3] += lane<T>(v.w);
}

#endif

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
