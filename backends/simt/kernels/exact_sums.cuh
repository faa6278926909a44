// SPDX-License-Identifier: BSD-3-Clause
// Exact sums of values and magnitudes.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T, term what>
using sum = kernel_of<exact_sum<T, what>, array<T>>;
template <class T>
using complex_sum = kernel_of<exact_complex_sum<T>, array<std::complex<T>>>;

template <class Space>
std::vector<kernel_row> exact_sums() {
  return rows_of<Space>(
      family<sum<double, term::value>, sum<float, term::value>, sum<half, term::value>, sum<bfloat16, term::value>,
             sum<double, term::magnitude>, sum<float, term::magnitude>, sum<half, term::magnitude>, sum<bfloat16, term::magnitude>,
             complex_sum<float>, complex_sum<double>>{});
}

}  // namespace accrue::simt::families
