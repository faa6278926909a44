// SPDX-License-Identifier: BSD-3-Clause
// The plain loops that accrue is measured against: OpenMP SIMD reductions as the compiler makes them with -ffast-math. The same
// source is compiled for AVX2 and for AVX-512 on x86-64, and once for what the compiler assumes elsewhere.
#pragma once

#include <cstddef>

namespace plain {

#define ACCRUE_PLAIN_LOOPS(set)                                        \
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
ACCRUE_PLAIN_LOOPS(avx2)
ACCRUE_PLAIN_LOOPS(avx512)
#else
ACCRUE_PLAIN_LOOPS(assumed)
#endif
#undef ACCRUE_PLAIN_LOOPS

}  // namespace plain
