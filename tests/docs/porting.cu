// SPDX-License-Identifier: BSD-3-Clause
// docs/porting.md: CUB's calls, before and after, with the same data.
#include <accrue/accrue.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cub/cub.cuh>
#include <span>
#include <vector>

#include "hooks/cuda.hpp"

TEST_CASE("calls of CUB become calls", "[docs]") {
  const auto space = hook::make();
  const int n = 100000;
  const int rows = 1000;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[static_cast<std::size_t>(i)] = std::sin(0.37f * static_cast<float>(i));
  std::vector<int> host_offsets(rows + 1);
  for (int k = 0; k <= rows; ++k) host_offsets[static_cast<std::size_t>(k)] = k * (n / rows);
  const hook::array<float> x(space, host), one_before(space, std::vector<float>(1)), one_after(space, std::vector<float>(1));
  const hook::array<float> many_before(space, std::vector<float>(rows)), many_after(space, std::vector<float>(rows));
  const hook::array<int> offset_array(space, host_offsets);
  const float* const in = x.get().data();
  const int* const offsets = offset_array.get().data();
  const cudaStream_t stream = nullptr;
  {
    float* const out = const_cast<float*>(one_before.get().data());
    float* const sums = const_cast<float*>(many_before.get().data());
    //! [cub-before]
    void* temporary = nullptr;
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(temporary, bytes, in, out, n, stream);
    cudaMalloc(&temporary, bytes);
    cub::DeviceReduce::Sum(temporary, bytes, in, out, n, stream);
    cudaFree(temporary);

    temporary = nullptr;
    cub::DeviceSegmentedReduce::Sum(temporary, bytes, in, sums, rows, offsets, offsets + 1, stream);
    cudaMalloc(&temporary, bytes);
    cub::DeviceSegmentedReduce::Sum(temporary, bytes, in, sums, rows, offsets, offsets + 1, stream);
    cudaFree(temporary);
    //! [cub-before]
  }
  {
    float* const out = const_cast<float*>(one_after.get().data());
    float* const sums = const_cast<float*>(many_after.get().data());
    //! [cub-after]
    const accrue::cuda space(stream);
    accrue::reduce_into(space, accrue::view(in, n), accrue::sum_of<float>{}, out);

    accrue::sum(space, accrue::segments(std::span(in, n), std::span(offsets, rows + 1)), sums);
    //! [cub-after]
  }
  CHECK(std::abs(one_before.host()[0] - one_after.host()[0]) < 1e-2f);
  const auto before = many_before.host();
  const auto after = many_after.host();
  for (std::size_t k = 0; k < rows; ++k) CHECK(std::abs(before[k] - after[k]) < 1e-3f);
}
