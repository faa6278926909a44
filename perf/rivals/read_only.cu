// SPDX-License-Identifier: BSD-3-Clause
// The limit on the device: the kernel that accrue info measures, which only reads.
#include <accrue/accrue.hpp>

#include "accrue/backends/simt/library/device_info.cuh"
#include "contender.hpp"
#include "device_memory.hpp"

namespace perf {

namespace {

template <class T>
void add() {
  device_contenders<T>().push_back(
      {.name = "read only", .what = operation::read, .run = [](const place& at, const T* x, const T*, std::size_t n, T* result) {
         static const int multiprocessors = [] {
           int count = 0;
           check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "read only");
           return count;
         }();
         accrue::simt::read_kernel<<<multiprocessors * 8, 512, 0, static_cast<cudaStream_t>(at.stream)>>>(
             reinterpret_cast<const accrue::simt::vector16*>(x), n * sizeof(T) / 16, reinterpret_cast<unsigned*>(result));
         check(cudaGetLastError(), "read only");
       }});
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
