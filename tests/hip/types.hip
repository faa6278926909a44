// SPDX-License-Identifier: BSD-3-Clause
// HIP's own types as inputs.
#include <hip/hip_fp16.h>

#include "conformance/suite.hpp"

using namespace test;

TEST_CASE("HIP's half is taken as it is", "[memory]") {
  const accrue::hip space;
  const auto h = sequence<accrue::half>(distribution::normal, next_seed(), 5001);
  const hook::array<accrue::half> device(space, h);
  const std::span native(reinterpret_cast<const __half*>(device.get().data()), h.size());
  CHECK(bits(accrue::sum(space, native)) == bits(accrue::sum(accrue::serial{}, h)));
  CHECK(bits(accrue::min(space, native)) == bits(accrue::min(accrue::serial{}, h)));
}
