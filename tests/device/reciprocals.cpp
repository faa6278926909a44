// SPDX-License-Identifier: BSD-3-Clause
// Reciprocals without a branch against the host's division.
#include "conformance/suite.hpp"

#include "accrue/backends/simt/runtime/launch.cuh"

using namespace test;

namespace {

namespace simt = accrue::simt;

ACCRUE_KERNEL(256, 1) reciprocals_kernel(const double* x, double* result, std::size_t n) {
  for (std::size_t i = std::size_t{simt::block()} * simt::threads() + simt::thread(); i < n; i += simt::blocks() * simt::threads()) {
    result[i] = simt::reciprocal_of_normal(x[i]);
  }
}

}  // namespace

TEST_CASE("reciprocal_of_normal rounds as division does", "[device]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  constexpr std::uint64_t ones = (std::uint64_t{1} << 52) - 1;
  std::vector<double> x;
  for (std::uint64_t k = 0; k < 1 << 21; ++k) {  // significands near powers of two and anywhere
    const auto random = static_cast<std::uint64_t>(std::ldexp(random_unit(seed, 2 * k), 52));
    const std::uint64_t few_bits = random & ~std::uint64_t{0x3ffffff};
    const std::uint64_t significand = k % 4 == 0 ? random : k % 4 == 1 ? k / 4 : k % 4 == 2 ? ones - k / 4 : few_bits;
    const int exponent = static_cast<int>(random_unit(seed, 2 * k + 1) * 2042) - 1021;
    x.push_back(std::ldexp(std::bit_cast<double>(std::uint64_t{1023} << 52 | significand), k % 8 < 4 ? exponent : 0));
  }
  for (int exponent = -1021; exponent <= 1020; ++exponent) {
    for (std::uint64_t below = 0; below < 4; ++below) {
      x.push_back(std::ldexp(std::bit_cast<double>(std::uint64_t{1023} << 52 | (ones - below)), exponent));
    }
  }
  const auto space = hook::make();
  const hook::array<double> from(space, x), to(space, std::vector<double>(x.size()));
  auto* const results = const_cast<double*>(to.get().data());
  simt::launch_kernel<hook::space>(reciprocals_kernel, 512, 256, 0, space.stream, from.get().data(), results, x.size());
  const std::vector<double> got = to.host();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (1 / x[i] < 0x1p-1022 || bits(got[i]) == bits(1 / x[i])) continue;
    if (++wrong == 1) CHECK(bits(got[i]) == bits(1 / x[i]));
  }
  CHECK(wrong == 0);
}
