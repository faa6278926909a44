// SPDX-License-Identifier: BSD-3-Clause
// Kinds of memory as inputs, and the errors of wrong ones.
#include "conformance/suite.hpp"
#include ACCRUE_TEST_GPU

using namespace test;

TEST_CASE("managed and pinned memory", "[memory]") {
  const hook::space space;
  const auto x = sequence<double>(distribution::wide, next_seed(), 30001);
  const double expected = accrue::sum(accrue::serial{}, x);
  auto* managed = static_cast<double*>(gpu::allocate_managed(x.size() * sizeof(double)));
  REQUIRE(managed != nullptr);
  std::copy(x.begin(), x.end(), managed);
  CHECK(accrue::sum(space, managed, x.size()) == expected);
  gpu::release(managed);
  auto* pinned = static_cast<double*>(gpu::allocate_pinned(x.size() * sizeof(double)));
  REQUIRE(pinned != nullptr);
  std::copy(x.begin(), x.end(), pinned);
  CHECK(accrue::sum(space, pinned, x.size()) == expected);
  auto* result = static_cast<double*>(gpu::allocate_pinned(sizeof(double)));
  REQUIRE(result != nullptr);
  accrue::reduce_into(space, accrue::view(pinned, x.size()), accrue::sum_of<double>{}, result);
  space.synchronize();
  CHECK(*result == expected);
  gpu::release_pinned(result);
  gpu::release_pinned(pinned);
}

TEST_CASE("wrong memory, earlier errors and exhausted memory are told, and the next call works", "[memory]") {
  using accrue::errc;
  const hook::space space;
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
  gpu::leave_error();
  CHECK(code_of([&] { accrue::sum(space, device.get()); }) != errc::success);
  CHECK(works());
  CHECK(code_of([&] { (void)space.allocate(std::size_t{1} << 50); }) == errc::out_of_memory);
  CHECK(works());
  CHECK(code_of([&] { accrue::sum(hook::space(4096), device.get()); }) == errc::no_device);
  CHECK(works());
  hook::space ragged;
  ragged.threads = 33;
  CHECK(code_of([&] { accrue::sum(ragged, device.get()); }) == errc::invalid_argument);
  if (gpu::devices() > 1) {
    CHECK(code_of([&] { accrue::sum(hook::space(1), device.get()); }) == errc::wrong_space);
    CHECK(works());
  }
}

TEMPLATE_TEST_CASE("every alignment of both inputs", "[memory]", double, float, accrue::half, std::int8_t) {
  const hook::space space;
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
  const hook::space space;
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
  hook::space few;
  few.blocks = 5;
  few.threads = 96;
  CHECK(bits(accrue::sum(few, x, n)) == bits(total.round<float>()));
  const accrue::bfloat16 low(-1e38f);
  space.copy(x + n - 1, &low, 2);
  CHECK(accrue::argmin(space, x, n).index == n - 1);
  space.deallocate(x);
}
