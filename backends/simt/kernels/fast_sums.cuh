// SPDX-License-Identifier: BSD-3-Clause
// Sums and products in any order.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T, class R, chunk_term what>
using sum = kernel_of<fast_sum<T, R, what>, array<T>>;
template <class T, class R>
using dot = kernel_of<fast_sum<pair_of<T>, R, chunk_term::product>, array_pair<T>>;
template <class T>
using complex_sum = kernel_of<fast_complex_sum<T>, array<std::complex<T>>>;
template <class T>
using complex_dot = kernel_of<fast_complex_dot<T>, array_pair<std::complex<T>>>;

template <class R, class... T>
using in = family<sum<T, R, chunk_term::value>..., sum<T, R, chunk_term::magnitude>..., sum<T, R, chunk_term::square>...,
                  sum<T, R, chunk_term::factor>..., dot<T, R>...>;

template <class Space>
std::vector<kernel_row> fast_sums() {
  return rows_of<Space>(in<double, double, float, half, bfloat16>{}, in<float, float, half, bfloat16>{},
                        family<complex_sum<float>, complex_sum<double>, complex_dot<float>, complex_dot<double>>{});
}

}  // namespace accrue::simt::families
