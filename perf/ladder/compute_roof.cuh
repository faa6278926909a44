// SPDX-License-Identifier: BSD-3-Clause
// The compute roof of a reduction: additions of values in registers, enough of them independent to fill the pipelines.
#pragma once

#include <cstddef>

namespace ladder {

constexpr unsigned addition_chains = 8;

/// Each thread makes 2 * addition_chains * steps additions: a += b, then b += a, which no compiler can shorten.
template <class T>
__global__ void only_add(T* out, unsigned steps, T seed) {
  T a[addition_chains];
  T b[addition_chains];
#pragma unroll
  for (unsigned k = 0; k < addition_chains; ++k) {
    a[k] = seed + static_cast<T>(threadIdx.x);
    b[k] = seed + static_cast<T>(k);
  }
#pragma unroll 4
  for (unsigned i = 0; i < steps; ++i) {
#pragma unroll
    for (unsigned k = 0; k < addition_chains; ++k) {
      a[k] += b[k];
      b[k] += a[k];
    }
  }
  T sum{};
#pragma unroll
  for (unsigned k = 0; k < addition_chains; ++k) sum += b[k];
  out[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

}  // namespace ladder
