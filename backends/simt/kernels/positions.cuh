// SPDX-License-Identifier: BSD-3-Clause
// Positions of minima and maxima.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T>
using one = kernel_of<extremum_position<T>, array<T>>;
template <class T>
using both = kernel_of<extrema_positions<T>, array<T>>;

template <class... T>
using for_elements = family<one<T>..., both<T>...>;

template <class Space>
std::vector<kernel_row> positions() {
  return rows_of<Space>(for_elements<double, float, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                     std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>{});
}

}  // namespace accrue::simt::families
