// SPDX-License-Identifier: BSD-3-Clause
// The plain loops that accrue is measured against: OpenMP SIMD reductions as the compiler makes them with -ffast-math. The same
// source is compiled for AVX2 and for AVX-512 on x86-64, and once for what the compiler assumes elsewhere.
#pragma once

#include <cstddef>

namespace baseline {

#define ACCRUE_BASELINES(set)                                        \
  namespace set {                                                    \
  double sum(const double* x, std::size_t n, int threads);           \
  float sum(const float* x, std::size_t n, int threads);             \
  double dot(const double* x, const double* y, std::size_t n, int threads); \
  double sum_squares(const double* x, std::size_t n, int threads);   \
  double min(const double* x, std::size_t n, int threads);           \
  double max(const double* x, std::size_t n, int threads);           \
  std::size_t argmin(const double* x, std::size_t n, int threads);   \
  }
#if defined(__x86_64__)
ACCRUE_BASELINES(avx2)
ACCRUE_BASELINES(avx512)
#else
ACCRUE_BASELINES(assumed)
#endif
#undef ACCRUE_BASELINES

}  // namespace baseline
