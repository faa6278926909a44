// SPDX-License-Identifier: BSD-3-Clause
// OpenBLAS: dot and asum. The name says whose kernels it took: a processor that it does not know gets those of an old one, serial.
#include <cblas.h>

#include <limits>
#include <string>

#include "contender.hpp"

namespace perf {

namespace {

template <class T, class Dot, class Asum>
void add(Dot dot, Asum asum) {
  auto& all = host_contenders<T>();
  const auto put = [&](operation what, auto run) {
    all.push_back({.name = std::string("OpenBLAS ") + openblas_get_corename(),
                   .what = what,
                   .run = run,
                   .most = std::numeric_limits<blasint>::max()});
  };
  put(operation::dot, [dot](const place& at, const T* x, const T* y, std::size_t n, T* result) {
    openblas_set_num_threads(at.threads);
    *result = dot(static_cast<blasint>(n), x, 1, y, 1);
  });
  put(operation::sum_abs, [asum](const place& at, const T* x, const T*, std::size_t n, T* result) {
    openblas_set_num_threads(at.threads);
    *result = asum(static_cast<blasint>(n), x, 1);
  });
}

const bool added = (add<float>(cblas_sdot, cblas_sasum), add<double>(cblas_ddot, cblas_dasum), true);

}  // namespace

}  // namespace perf
