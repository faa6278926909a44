// SPDX-License-Identifier: BSD-3-Clause
// Positions of minima and maxima.
#include "accrue/backends/cuda/kernels/family.cuh"

namespace accrue::cuda_backend {

using namespace simt;

template <class T>
using one = kernel_of<extremum_position<T>, array<T>>;
template <class T>
using both = kernel_of<extrema_positions<T>, array<T>>;

template <class... T>
auto of() {
  return rows_of(family<one<T>..., both<T>...>{});
}
std::vector<kernel_row> positions() {
  return of<double, float, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
            std::uint32_t, std::uint64_t>();
}

}  // namespace accrue::cuda_backend
