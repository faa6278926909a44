// SPDX-License-Identifier: BSD-3-Clause
// Exact moments of floating elements.
#include "accrue/backends/cuda/kernels/family.cuh"

namespace accrue::cuda_backend {

using namespace simt;

template <class T>
using moments = kernel_of<simt::exact_moments<T>, array<T>>;

std::vector<kernel_row> exact_moments() {
  return rows_of(family<moments<double>, moments<float>, moments<half>, moments<bfloat16>>{});
}

}  // namespace accrue::cuda_backend
