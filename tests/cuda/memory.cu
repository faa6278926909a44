// SPDX-License-Identifier: BSD-3-Clause
// CUDA's own types and kinds of memory as inputs, and the errors of wrong ones.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>

#include <cuda/std/complex>

#include "conformance/suite.hpp"

using namespace test;

TEST_CASE("CUDA's types are taken as they are", "[memory]") {
  const accrue::cuda space;
  const accrue::serial serial;
  const auto h = sequence<accrue::half>(distribution::normal, next_seed(), 5001);
  const auto b = sequence<accrue::bfloat16>(distribution::normal, next_seed(), 5001);
  const auto re = sequence<float>(distribution::normal, next_seed(), 5001);
  std::vector<std::complex<float>> z(5001);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {re[i], re[z.size() - 1 - i]};
  const hook::array<accrue::half> dh(space, h);
  const hook::array<accrue::bfloat16> db(space, b);
  const hook::array<std::complex<float>> dz(space, z);
  const std::span native_half(reinterpret_cast<const __half*>(dh.get().data()), h.size());
  const auto* native_bfloat16 = reinterpret_cast<const __nv_bfloat16*>(db.get().data());
  const auto* native_complex = reinterpret_cast<const cuda::std::complex<float>*>(dz.get().data());
  CHECK(bits(accrue::sum(space, native_half)) == bits(accrue::sum(serial, h)));
  CHECK(bits(accrue::dot(space, native_half, native_half)) == bits(accrue::sum_squares(serial, h)));
  CHECK(bits(accrue::min(space, native_half)) == bits(accrue::min(serial, h)));
  CHECK(bits(accrue::sum(space, native_bfloat16, b.size())) == bits(accrue::sum(serial, b)));
  CHECK(bits(accrue::sum(space, native_complex, z.size())) == bits(accrue::sum(serial, z)));
  CHECK(bits(accrue::norm2(space, accrue::view(native_complex, z.size()))) == bits(accrue::norm2(serial, z)));
  const thrust::device_vector<float> v(re.begin(), re.end());
  CHECK(bits(accrue::sum(space, v)) == bits(accrue::sum(serial, re)));
  CHECK(bits(accrue::sum(space, thrust::raw_pointer_cast(v.data()), v.size())) == bits(accrue::sum(serial, re)));
}

TEST_CASE("managed and pinned memory", "[memory]") {
  const accrue::cuda space;
  const auto x = sequence<double>(distribution::wide, next_seed(), 30001);
  const double expected = accrue::sum(accrue::serial{}, x);
  double* managed = nullptr;
  REQUIRE(cudaMallocManaged(&managed, x.size() * sizeof(double)) == cudaSuccess);
  std::copy(x.begin(), x.end(), managed);
  CHECK(accrue::sum(space, managed, x.size()) == expected);
  cudaFree(managed);
  double* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, x.size() * sizeof(double)) == cudaSuccess);
  std::copy(x.begin(), x.end(), pinned);
  CHECK(accrue::sum(space, pinned, x.size()) == expected);
  double* result = nullptr;
  REQUIRE(cudaMallocHost(&result, sizeof(double)) == cudaSuccess);
  accrue::reduce_into(space, accrue::view(pinned, x.size()), accrue::sum_of<double>{}, result);
  space.synchronize();
  CHECK(*result == expected);
  cudaFreeHost(result);
  cudaFreeHost(pinned);
}

TEST_CASE("wrong memory, earlier errors and exhausted memory are told, and the next call works", "[memory]") {
  using accrue::errc;
  const accrue::cuda space;
  const std::vector<double> host{1, 2, 3};
  const hook::array<double> device(space, host);
  const auto works = [&] { return accrue::sum(space, device.get()) == 6; };
  CHECK(code_of([&] { accrue::sum(space, host); }) == errc::wrong_space);
  CHECK(works());
  CHECK(code_of([&] { accrue::dot(space, device.get(), host); }) == errc::wrong_space);
  double on_host = 0;
  CHECK(code_of([&] { accrue::reduce_into(space, device.get(), accrue::sum_of<double>{}, &on_host); }) == errc::wrong_space);
  CHECK(works());
  // An error that someone else's launch left behind.
  (void)cudaFuncSetAttribute(static_cast<const void*>(nullptr), cudaFuncAttributeMaxDynamicSharedMemorySize, 1);
  CHECK(code_of([&] { accrue::sum(space, device.get()); }) != errc::success);
  CHECK(works());
  CHECK(code_of([&] { (void)space.allocate(std::size_t{1} << 50); }) == errc::out_of_memory);
  CHECK(works());
  CHECK(code_of([&] { accrue::sum(accrue::cuda(4096), device.get()); }) == errc::no_device);
  CHECK(works());
  accrue::cuda ragged;
  ragged.threads = 33;
  CHECK(code_of([&] { accrue::sum(ragged, device.get()); }) == errc::invalid_argument);
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices > 1) {
    CHECK(code_of([&] { accrue::sum(accrue::cuda(1), device.get()); }) == errc::wrong_space);
    CHECK(works());
  }
}

TEMPLATE_TEST_CASE("every alignment of both inputs", "[memory]", double, float, accrue::half, std::int8_t) {
  const accrue::cuda space;
  const accrue::serial serial;
  constexpr std::size_t n = 40000;
  std::vector<TestType> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<TestType>) {
      x[i] = static_cast<TestType>(random_bits(5, i));
    } else {
      x[i] = element<TestType>(distribution::normal, next_seed(), i, n);
    }
  }
  for (std::size_t a = 0; a < 16; a += a < 8 ? 1 : 3) {
    for (const std::size_t b : {std::size_t{0}, std::size_t{1}, a}) {
      const hook::array<TestType> left(space, x, a);
      const hook::array<TestType> right(space, x, b);
      CHECK(bits(accrue::sum(space, left.get())) == bits(accrue::sum(serial, x)));
      CHECK(bits(accrue::dot(space, left.get(), right.get())) == bits(accrue::dot(serial, x, x)));
      CHECK(bits(accrue::sum(space, left.get(), accrue::ordered)) == bits(accrue::sum(serial, x, accrue::ordered)));
      CHECK(accrue::argmin(space, left.get()).index == accrue::argmin(serial, x).index);
    }
  }
}

TEST_CASE("five billion 16-bit floats", "[large]") {
  // Three periods that do not divide the block's tile, so that swapped or repeated reads change the total.
  constexpr std::size_t n = 5000000019;
  const accrue::cuda space;
  constexpr std::size_t period = 1000003;
  const auto one = sequence<accrue::bfloat16>(distribution::wide, next_seed(), period);
  auto* x = static_cast<accrue::bfloat16*>(space.allocate(n * sizeof(accrue::bfloat16)));
  space.copy(x, one.data(), period * 2);
  for (std::size_t filled = period; filled < n; filled *= 2) space.copy(x + filled, x, std::min(filled, n - filled) * 2);
  accrue::superaccumulator<float> period_sum, rest;
  for (const auto v : one) period_sum.add(static_cast<float>(v));
  for (std::size_t i = 0; i < n % period; ++i) rest.add(static_cast<float>(one[i]));
  auto total = rest;
  for (std::size_t k = 0; k < n / period; ++k) total += period_sum;
  CHECK(bits(accrue::sum(space, x, n)) == bits(total.round<float>()));
  accrue::cuda few;
  few.blocks = 5;
  few.threads = 96;
  CHECK(bits(accrue::sum(few, x, n)) == bits(total.round<float>()));
  const accrue::bfloat16 low(-1e38f);
  space.copy(x + n - 1, &low, 2);
  CHECK(accrue::argmin(space, x, n).index == n - 1);
  space.deallocate(x);
}
