// SPDX-License-Identifier: BSD-3-Clause
// The kernels whose loads check_resources.py looks at: each element size, one array and two, both kinds of kernel.
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

template __global__ void fold_kernel(exact_sum<double, term::value>, array<double>, cut, call_memory);
template __global__ void fold_kernel(exact_sum<half, term::value>, array<half>, cut, call_memory);
template __global__ void fold_kernel(exact_sum<pair_of<float>, term::product>, array_pair<float>, cut, call_memory);
template __global__ void fold_kernel(fast_sum<float, float, chunk_term::value>, array<float>, cut, call_memory);
template __global__ void fold_kernel(fast_sum<bfloat16, float, chunk_term::value>, array<bfloat16>, cut, call_memory);
template __global__ void fold_kernel(exact_sum<std::int8_t, term::value>, array<std::int8_t>, cut, call_memory);
template __global__ void fold_kernel(extremum<std::int64_t>, array<std::int64_t>, cut, call_memory);
template __global__ void fold_kernel(extremum_position<double>, array<double>, cut, call_memory);
template __global__ void ordered_kernel(ordered_sum<double, double, chunk_term::value>, array<double>, ordered_cut, call_memory);
// Waves of 64 take 16-bit elements of the tree one by one.
using narrowest = std::conditional_t<warp_width == 32, half, float>;
template __global__ void ordered_kernel(ordered_sum<narrowest, float, chunk_term::value>, array<narrowest>, ordered_cut, call_memory);

}  // namespace accrue::simt
