// SPDX-License-Identifier: BSD-3-Clause
// Products with their exponent apart.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T>
using product = kernel_of<scaled_product<T>, array<T>>;
template <class T>
using of_sums = kernel_of<scaled_product_of_sums<T>, array_pair<T>>;

template <class... T>
using for_elements = family<product<T>..., of_sums<T>...>;

template <class Space>
std::vector<kernel_row> scaled_products() {
  return rows_of<Space>(for_elements<double, float, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                     std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>{});
}

}  // namespace accrue::simt::families
