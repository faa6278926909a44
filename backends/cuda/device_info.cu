// SPDX-License-Identifier: BSD-3-Clause
// What `accrue info` measures and tells of a device.
#include <algorithm>
#include <memory>

#include "accrue/backends/cuda/kernels/family.cuh"
#include "accrue/error.hpp"

namespace accrue::cuda_backend {

namespace {

/// Reads and does as good as nothing else: the limit of every reduction.
__global__ void __launch_bounds__(512, 4) read_kernel(const uint4* p, std::size_t vectors, unsigned* out) {
  unsigned x = 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * stride < vectors; i += 4 * stride) {
    uint4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(p + i + u * stride);
#pragma unroll
    for (int u = 0; u < 4; ++u) x ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
  }
  for (; i < vectors; i += stride) x ^= p[i].x;
  if (x == 0x2545f491) *out = x;
}

template <class T>
struct freed {
  void operator()(T* p) const { cudaFree(p); }
};
template <class T>
struct freed_host {
  void operator()(T* p) const { cudaFreeHost(p); }
};

/// Bytes a second of `run`, the median of seven.
template <class Run>
double rate(std::size_t bytes, const Run& run) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float ms[7];
  run();
  for (float& t : ms) {
    cudaEventRecord(begin);
    run();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&t, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  check_launch();
  std::nth_element(ms, ms + 3, ms + 7);
  return static_cast<double>(bytes) / (ms[3] * 1e-3);
}

}  // namespace

bandwidths measure_bandwidths(int device) {
  int previous = 0;
  cudaGetDevice(&previous);
  cudaSetDevice(device);
  check_launch();
  constexpr std::size_t bytes = std::size_t{256} << 20;
  std::size_t room = 0;
  std::size_t total = 0;
  cudaMemGetInfo(&room, &total);
  const std::size_t read_bytes = std::min<std::size_t>(std::size_t{2} << 30, room / 2 / 16 * 16);
  unsigned char* memory = nullptr;
  unsigned char* other = nullptr;
  unsigned char* pinned_memory = nullptr;
  cudaMalloc(&memory, std::max(read_bytes, bytes));
  const std::unique_ptr<unsigned char, freed<unsigned char>> a(memory);
  cudaMalloc(&other, bytes);
  const std::unique_ptr<unsigned char, freed<unsigned char>> b(other);
  cudaMallocHost(&pinned_memory, bytes);
  const std::unique_ptr<unsigned char, freed_host<unsigned char>> pinned(pinned_memory);
  check_launch();
  std::vector<unsigned char> pageable(bytes, 1);
  cudaMemset(memory, 1, std::max(read_bytes, bytes));
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  bandwidths r{};
  r.pageable_to_device = rate(bytes, [&] { cudaMemcpy(a.get(), pageable.data(), bytes, cudaMemcpyDefault); });
  r.device_to_pageable = rate(bytes, [&] { cudaMemcpy(pageable.data(), a.get(), bytes, cudaMemcpyDefault); });
  r.pinned_to_device = rate(bytes, [&] { cudaMemcpyAsync(a.get(), pinned.get(), bytes, cudaMemcpyDefault); });
  r.device_to_pinned = rate(bytes, [&] { cudaMemcpyAsync(pinned.get(), a.get(), bytes, cudaMemcpyDefault); });
  r.device_to_device = rate(2 * bytes, [&] { cudaMemcpyAsync(b.get(), a.get(), bytes, cudaMemcpyDefault); });
  r.read = rate(read_bytes, [&] {
    read_kernel<<<8 * multiprocessors, 512>>>(reinterpret_cast<const uint4*>(a.get()), read_bytes / 16,
                                              reinterpret_cast<unsigned*>(b.get()));
  });
  cudaSetDevice(previous);
  return r;
}

std::vector<simt::kernel_facts> kernels(int device) {
  int previous = 0;
  cudaGetDevice(&previous);
  cudaSetDevice(device);
  check_launch();
  std::string why;
  const simt::device_facts facts = devices(why)[static_cast<std::size_t>(device)].facts;
  std::vector<simt::kernel_facts> all;
  for (const auto list : {exact_sums, exact_products, exact_moments, integer_sums, integer_products, fast_sums, ordered_sums,
                          scaled_products, extrema, positions}) {
    for (const kernel_row& k : list()) all.push_back(k.facts(facts));
  }
  cudaSetDevice(previous);
  return all;
}

}  // namespace accrue::cuda_backend
