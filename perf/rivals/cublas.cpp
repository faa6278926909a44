// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS: dot and asum, results in device memory.
#include <cstdint>
#include <cublas_v2.h>

#include "contender.hpp"
#include "device_memory.hpp"

namespace perf {

namespace {

void check(cublasStatus_t s) {
  if (s != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(s));
}

cublasHandle_t handle_on(void* stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t h = nullptr;
    check(cublasCreate(&h));
    check(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    at_the_end().push_back([h] { (void)cublasDestroy(h); });
    return h;
  }();
  check(cublasSetStream(handle, static_cast<cudaStream_t>(stream)));
  return handle;
}

template <class T, class Dot, class Asum>
void add(Dot dot, Asum asum) {
  auto& all = device_contenders<T>();
  const auto put = [&](operation what, auto run) { all.push_back({.name = "cuBLAS", .what = what, .run = run}); };
  put(operation::dot, [dot](const place& at, const T* x, const T* y, std::size_t n, T* result) {
    check(dot(handle_on(at.stream), static_cast<std::int64_t>(n), x, 1, y, 1, result));
  });
  put(operation::sum_abs, [asum](const place& at, const T* x, const T*, std::size_t n, T* result) {
    check(asum(handle_on(at.stream), static_cast<std::int64_t>(n), x, 1, result));
  });
}

const bool added = (add<float>(cublasSdot_64, cublasSasum_64), add<double>(cublasDdot_64, cublasDasum_64), true);

}  // namespace

}  // namespace perf
