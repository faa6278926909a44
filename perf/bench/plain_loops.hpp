// SPDX-License-Identifier: BSD-3-Clause
// The plain loops that accrue is measured against: OpenMP SIMD reductions as the compiler makes them with -ffast-math. The same
// source is compiled for AVX2 and for AVX-512 on x86-64, and once for what the compiler assumes elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plain {

/// Segments of x by their offsets; or, without these, the rows or the columns of a matrix.
template <class T>
struct groups {
  const T* x;
  std::size_t rows;     ///< or segments
  std::size_t columns;
  const std::int64_t* offsets = nullptr;
  bool by_columns = false;
};

#define ACCRUE_PLAIN_LOOPS(set)                                        \
  namespace set {                                                    \
  double sum(const double* x, std::size_t n, int threads);           \
  float sum(const float* x, std::size_t n, int threads);             \
  double dot(const double* x, const double* y, std::size_t n, int threads); \
  double sum_squares(const double* x, std::size_t n, int threads);   \
  double min(const double* x, std::size_t n, int threads);           \
  double max(const double* x, std::size_t n, int threads);           \
  std::size_t argmin(const double* x, std::size_t n, int threads);   \
  void sum_groups(const groups<double>& g, double* out, int threads); \
  void sum_groups(const groups<float>& g, float* out, int threads);  \
  void sum_by_keys(const double* x, const std::uint32_t* keys, std::size_t n, double* out, std::size_t count, int threads); \
  void sum_by_keys(const float* x, const std::uint32_t* keys, std::size_t n, float* out, std::size_t count, int threads); \
  }
#if defined(__x86_64__)
ACCRUE_PLAIN_LOOPS(avx2)
ACCRUE_PLAIN_LOOPS(avx512)
#else
ACCRUE_PLAIN_LOOPS(assumed)
#endif
#undef ACCRUE_PLAIN_LOOPS

}  // namespace plain
