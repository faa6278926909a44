// SPDX-License-Identifier: BSD-3-Clause
// CUB's reductions of floats and doubles, for comparison, behind functions so that its headers compile once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace perf {

enum class cub_order { run_to_run, gpu_to_gpu, not_guaranteed };

/// CUB's version as it writes it itself, and whether it offers levels of determinism.
int cub_version();
bool cub_has_orders();

/// Sums n elements into *out on the stream. The temporary memory is allocated once for all calls.
template <class T>
void cub_sum(const T* x, T* out, std::size_t n, cudaStream_t stream, cub_order order = cub_order::run_to_run);
template <class T>
void cub_min(const T* x, T* out, std::size_t n, cudaStream_t stream);

}  // namespace perf
