// SPDX-License-Identifier: BSD-3-Clause
// CUDA's own types as inputs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_vector.h>

#include <cuda/std/complex>
#include <accrue/md/devices.hpp>  // which docs/forces.cu has too: two source files of a program may

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
