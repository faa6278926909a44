// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of squares and products.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T>
using squares = kernel_of<exact_sum<T, term::square>, array<T>>;
template <class T>
using dot = kernel_of<exact_sum<pair_of<T>, term::product>, array_pair<T>>;
template <class T>
using complex_dot = kernel_of<exact_complex_dot<T>, array_pair<std::complex<T>>>;

template <class Space>
std::vector<kernel_row> exact_products() {
  return rows_of<Space>(family<squares<double>, squares<float>, squares<half>, squares<bfloat16>, dot<double>, dot<float>,
                               dot<half>, dot<bfloat16>, complex_dot<float>, complex_dot<double>>{});
}

}  // namespace accrue::simt::families
