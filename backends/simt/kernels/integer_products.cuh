// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of squares and products of integers, their moments and their products.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T>
using squares = kernel_of<exact_sum<T, term::square>, array<T>>;
template <class T>
using dot = kernel_of<exact_sum<pair_of<T>, term::product>, array_pair<T>>;
template <class T>
using moments = kernel_of<simt::exact_moments<T>, array<T>>;
template <class T>
using product = kernel_of<integer_product<T>, array<T>>;

template <class... T>
using for_elements = family<squares<T>..., dot<T>..., moments<T>..., product<T>...>;

template <class Space>
std::vector<kernel_row> integer_products() {
  return rows_of<Space>(for_elements<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                     std::uint32_t, std::uint64_t>{});
}

}  // namespace accrue::simt::families
