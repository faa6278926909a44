// SPDX-License-Identifier: BSD-3-Clause
// Minima, maxima and largest magnitudes.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T>
using one = kernel_of<extremum<T>, array<T>>;
template <class T>
using both = kernel_of<simt::extrema<T>, array<T>>;
template <class T>
using complex_norm = kernel_of<complex_norm_inf<T>, array<std::complex<T>>>;

template <class... T>
using for_elements = family<one<T>..., both<T>..., complex_norm<float>, complex_norm<double>>;

template <class Space>
std::vector<kernel_row> extrema() {
  return rows_of<Space>(for_elements<double, float, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                     std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>{});
}

}  // namespace accrue::simt::families
