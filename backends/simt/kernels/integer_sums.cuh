// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of integers and of their magnitudes, and bitwise reductions.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T, term what>
using sum = kernel_of<exact_sum<T, what>, array<T>>;
template <template <class> class Reducer, class T>
using bits = kernel_of<of_elements<Reducer<T>, T, true>, array<T>>;

template <class... T>
using for_elements = family<sum<T, term::value>..., sum<T, term::magnitude>..., bits<bit_and_of, T>..., bits<bit_or_of, T>...,
                            bits<bit_xor_of, T>...>;

template <class Space>
std::vector<kernel_row> integer_sums() {
  return rows_of<Space>(for_elements<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                     std::uint32_t, std::uint64_t>{});
}

}  // namespace accrue::simt::families
