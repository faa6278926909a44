// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of building neighbour lists: which of a run of particles lie within reach of a point.
#include "accrue/detail/pair_kernels.hpp"
#include "lane_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbor_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE std::size_t scan(const coordinates& all, const cell_run& run, const double (&point)[3], double reach_squared,
                            std::uint32_t* found, bool& coincident) {
  const double* x = all.x;
  const double* y = all.y;
  const double* z = all.z;
  const double to[3] = {point[0] - run.shift[0], point[1] - run.shift[1], point[2] - run.shift[2]};
  std::size_t size = 0;
  std::size_t i = run.begin;
  const std::size_t end = run.end;
  bool touching = false;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t width = hn::MaxLanes(d);
  const V px = hn::Set(d, to[0]);
  const V py = hn::Set(d, to[1]);
  const V pz = hn::Set(d, to[2]);
  const V limit = hn::Set(d, reach_squared);
  auto zero = hn::FirstN(d, 0);
#if HWY_TARGET == HWY_AVX3
  __m256i number = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(i)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
#else
  __m128i number = _mm_add_epi32(_mm_set1_epi32(static_cast<int>(i)), _mm_setr_epi32(0, 1, 2, 3));
#endif
  for (; i + width <= end; i += width) {
    const V dx = hn::LoadU(d, x + i) - px;
    const V dy = hn::LoadU(d, y + i) - py;
    const V dz = hn::LoadU(d, z + i) - pz;
    const V r2 = dx * dx + dy * dy + dz * dz;
    const auto inside = r2 < limit;
    zero = hn::Or(zero, r2 == hn::Zero(d));
#if HWY_TARGET == HWY_AVX3
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(found + size), _mm256_maskz_compress_epi32(inside.raw, number));
    size += static_cast<std::size_t>(__builtin_popcount(inside.raw));
    number = _mm256_add_epi32(number, _mm256_set1_epi32(8));
#else
    const auto bits = static_cast<unsigned>(_mm256_movemask_pd(hn::VecFromMask(d, inside).raw));
    const __m128i front = _mm_load_si128(reinterpret_cast<const __m128i*>(front_of_four[bits].data()));
    const __m128 moved = _mm_permutevar_ps(_mm_castsi128_ps(number), front);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(found + size), _mm_castps_si128(moved));
    size += static_cast<std::size_t>(__builtin_popcount(bits));
    number = _mm_add_epi32(number, _mm_set1_epi32(4));
#endif
  }
  touching = !hn::AllFalse(d, zero);
#endif
  for (; i < end; ++i) {
    const double dx = x[i] - to[0];
    const double dy = y[i] - to[1];
    const double dz = z[i] - to[2];
    const double r2 = dx * dx + dy * dy + dz * dz;
    found[size] = static_cast<std::uint32_t>(i);
    size += r2 < reach_squared ? 1 : 0;
    touching = touching || r2 == 0;
  }
  coincident = coincident || touching;
  return size;
}

std::size_t near(const coordinates& all, std::span<const cell_run> runs, const double (&point)[3], double reach_squared,
                 std::uint32_t* found, bool& coincident) {
  std::size_t size = 0;
  for (const cell_run& run : runs) size += scan(all, run, point, reach_squared, found + size, coincident);
  return size;
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(near);

std::size_t find_near(const coordinates& all, std::span<const cell_run> runs, const double (&point)[3], double reach_squared,
                      std::uint32_t* found, bool& coincident) {
  return HWY_DYNAMIC_DISPATCH(near)(all, runs, point, reach_squared, found, coincident);
}

}  // namespace accrue::kernels
#endif
