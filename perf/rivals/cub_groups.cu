// SPDX-License-Identifier: BSD-3-Clause
// CUB's sums of segments, by offsets, and by sorted keys; and atomic additions by any keys.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include "device_memory.hpp"
#include "grouped_case.hpp"

namespace perf {

namespace {

growing_memory temporary;
growing_memory keys_found;

/// A call of CUB, with the memory that it asks for.
template <class Call>
void call_cub(const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "CUB");
  check(call(temporary.get(bytes, "CUB"), bytes), "CUB");
}

template <class T>
void sum_segments(const place& at, const grouped_data& d, void* results) {
  call_cub([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, static_cast<const T*>(d.x), static_cast<T*>(results),
                                           static_cast<std::int64_t>(d.groups), d.offsets, d.offsets + 1,
                                           static_cast<cudaStream_t>(at.stream));
  });
}
template <class T>
void sum_by_sorted_keys(const place& at, const grouped_data& d, void* results) {
  auto* const found = static_cast<std::uint32_t*>(keys_found.get((d.groups + 1) * sizeof(std::uint32_t), "CUB"));
  call_cub([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, d.keys, found + 1, static_cast<const T*>(d.x), static_cast<T*>(results), found,
                                          cuda::std::plus<>(), static_cast<std::int64_t>(d.n), static_cast<cudaStream_t>(at.stream));
  });
}

template <class T>
__global__ void add_atomically(const T* x, const std::uint32_t* keys, std::size_t n, T* out) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x) {
    atomicAdd(out + keys[i], x[i]);
  }
}
template <class T>
void sum_atomically(const place& at, const grouped_data& d, void* results) {
  const auto stream = static_cast<cudaStream_t>(at.stream);
  check(cudaMemsetAsync(results, 0, d.groups * sizeof(T), stream), "atomicAdd");
  add_atomically<<<2048, 256, 0, stream>>>(static_cast<const T*>(d.x), d.keys, d.n, static_cast<T*>(results));
  check(cudaGetLastError(), "atomicAdd");
}

template <class T>
void add(const char* type) {
  auto& all = device_grouped_cases();
  const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                              std::to_string(CUB_SUBMINOR_VERSION);
  const auto takes = [](const grouped_data& d) { return d.kind != grouping_kind::columns && d.kind != grouping_kind::any_keys; };
  add_rival_sums(all, type, version, takes, [](const place& at, const grouped_data& d, void* results) {
    d.by_keys() ? sum_by_sorted_keys<T>(at, d, results) : sum_segments<T>(at, d, results);
  });
  add_rival_sums(all, type, "atomicAdd", [](const grouped_data& d) { return d.by_keys(); }, sum_atomically<T>);
}

const bool added = (add<double>("f64"), add<float>("f32"), true);

}  // namespace

}  // namespace perf
