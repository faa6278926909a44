// SPDX-License-Identifier: BSD-3-Clause
// CUB's reductions of floats and doubles, for comparison, behind functions so that its headers compile once, and so that two
// releases can be measured in one program.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace perf {

enum class cub_order { run_to_run, gpu_to_gpu, not_guaranteed };

/// One release of CUB. Sums and minima of n elements go to *out on the stream; the temporary memory is allocated once for all
/// calls.
class cub_rival {
 public:
  virtual ~cub_rival() = default;
  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual bool has_orders() const = 0;
  virtual void sum(const float* x, float* out, std::size_t n, cudaStream_t stream,
                   cub_order order = cub_order::run_to_run) const = 0;
  virtual void sum(const double* x, double* out, std::size_t n, cudaStream_t stream,
                   cub_order order = cub_order::run_to_run) const = 0;
  virtual void min(const float* x, float* out, std::size_t n, cudaStream_t stream) const = 0;
  virtual void min(const double* x, double* out, std::size_t n, cudaStream_t stream) const = 0;
};

/// The toolkit's.
const cub_rival& toolkit_cub();
/// That of the CCCL checkout the build was told of (ACCRUE_PERF_CCCL).
const cub_rival& newest_cub();

}  // namespace perf
