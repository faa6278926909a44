// SPDX-License-Identifier: BSD-3-Clause
// Sums and products over the ordered tree.
#include "accrue/backends/cuda/kernels/family.cuh"

namespace accrue::cuda_backend {

using namespace simt;

template <class T, class R, chunk_term what>
using sum = kernel_of<ordered_sum<T, R, what>, array<T>>;
template <class T, class R>
using dot = kernel_of<ordered_sum<pair_of<T>, R, chunk_term::product>, array_pair<T>>;
template <class T>
using complex_sum = kernel_of<ordered_complex_sum<T>, array<std::complex<T>>>;
template <class T>
using complex_dot = kernel_of<ordered_complex_dot<T>, array_pair<std::complex<T>>>;

template <class R, class... T>
std::vector<kernel_row> in() {
  return rows_of(family<sum<T, R, chunk_term::value>..., sum<T, R, chunk_term::magnitude>..., sum<T, R, chunk_term::square>...,
                        sum<T, R, chunk_term::factor>..., dot<T, R>...>{});
}
std::vector<kernel_row> ordered_sums() {
  auto all = in<double, double, float, half, bfloat16>();
  for (const auto& more : {in<float, double, float, half, bfloat16>(),
                           rows_of(family<complex_sum<float>, complex_sum<double>, complex_dot<float>, complex_dot<double>>{})}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace accrue::cuda_backend
