// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of building neighbour lists: which of a run of particles lie within reach of a point.
#include "accrue/md/detail/pair_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbor_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "choose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

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
#if HWY_MAX_BYTES >= 16
  const d64 d;
  const choice_tag numbers;
  using V = hn::Vec<d64>;
  const V px = hn::Set(d, to[0]);
  const V py = hn::Set(d, to[1]);
  const V pz = hn::Set(d, to[2]);
  const V limit = hn::Set(d, reach_squared);
  auto zero = hn::FirstN(d, 0);
  auto number = hn::Load(numbers, lane_numbers) + hn::Set(numbers, static_cast<std::uint32_t>(i));
  for (; i + choice <= end; i += choice) {
    unsigned bits = 0;
    for (std::size_t u = 0; u < choice; u += width) {
      const V dx = hn::LoadU(d, x + i + u) - px;
      const V dy = hn::LoadU(d, y + i + u) - py;
      const V dz = hn::LoadU(d, z + i + u) - pz;
      const V r2 = dx * dx + dy * dy + dz * dz;
      zero = hn::Or(zero, r2 == hn::Zero(d));
      bits |= lane_bits(d, r2 < limit) << u;
    }
    size += store_chosen(bits, number, found + size);
    number = number + hn::Set(numbers, std::uint32_t{choice});
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
