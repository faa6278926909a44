// SPDX-License-Identifier: BSD-3-Clause
// Kernels of a caller's own that add to what `scatter` gives them: arrays and an exact total beside them, several times over.
#include "conformance/suite.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "accrue/backends/simt/runtime/accumulate_launch.cuh"

using namespace test;
using accrue::strategy;

namespace {

namespace simt = accrue::simt;

ACCRUE_DEVICE std::size_t first_item() { return std::size_t{simt::block()} * simt::threads() + simt::thread(); }
ACCRUE_DEVICE std::size_t all_threads() { return std::size_t{simt::blocks()} * simt::threads(); }

template <class ToForces, class ToEnergy>
ACCRUE_KERNEL(256, 1)
add_forces_kernel(ToForces forces, ToEnergy energy, const double* value, const int* at, std::size_t n) {
  for (std::size_t i = first_item(); i < n; i += all_threads()) {
    const auto j = static_cast<std::size_t>(at[i]);
    forces.add(j, value[i], -value[i], value[i] * 0.25);
    energy.add(value[i]);
  }
}
template <class ToForces, class ToEnergy>
void launch_forces(unsigned blocks, unsigned threads, const std::tuple<ToForces, ToEnergy>& to, const hook::array<double>& values,
                   const hook::array<int>& at) {
  const auto& [to_forces, to_energy] = to;
  simt::launch_kernel<hook::space>(add_forces_kernel<ToForces, ToEnergy>, blocks, threads, 0, nullptr, to_forces, to_energy,
                                   values.get().data(), at.get().data(), values.get().size());
}
template <class Out>
ACCRUE_KERNEL(256, 1)
count_kernel(Out out, const int* at, std::size_t n) {
  for (std::size_t i = first_item(); i < n; i += all_threads()) {
    out.add(static_cast<std::size_t>(at[i]), 1);
  }
}

constexpr std::size_t targets = 40;

std::vector<int> places(std::uint64_t seed, std::size_t n) {
  std::vector<int> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<int>(random_bits(seed, i) % targets);
  return at;
}

}  // namespace

TEST_CASE("scatter on a device: an array and an exact total in one kernel, again and again", "[accumulate]") {
  const std::size_t n = 3000;
  const auto space = hook::make();
  for (const strategy how : {strategy::automatic, strategy::atomic, strategy::fixed_point}) {
    accrue::accumulate_options options = how;
    if (how == strategy::fixed_point) options.largest = 64;
    const hook::array<double> y(space, std::vector<double>(3 * targets, 0.5));
    auto forces = accrue::array_of_structures(const_cast<double*>(y.get().data()), targets);
    accrue::exact_total energy;
    energy.add(0.125);
    oracle sum;
    sum.add(0.125);
    std::vector<accrue::superaccumulator<double>> rounded(3 * targets);
    std::vector<double> expected(3 * targets, 0.5);
    auto both = accrue::scatter(space, accrue::targets(forces, energy), options);
    for (int step = 0; step < 3; ++step) {
      const auto v = sequence<double>(distribution::normal, next_seed(), n);
      const auto at = places(next_seed(), n);
      const hook::array<double> values(space, v);
      const hook::array<int> places_there(space, at);
      launch_forces(5, 128, both.local(), values, places_there);
      both.finish();
      std::vector<oracle> sums(3 * targets);
      for (std::size_t i = 0; i < n; ++i) {
        const double parts[] = {v[i], -v[i], v[i] * 0.25};
        for (std::size_t d = 0; d < 3; ++d) {
          const std::size_t k = 3 * static_cast<std::size_t>(at[i]) + d;
          accrue::detail::int128 units = 0;
          REQUIRE(accrue::detail::to_fixed(parts[d], accrue::detail::wide_fixed_unit(64), units));
          rounded[k].add_integer(units, accrue::detail::wide_fixed_unit(64));
          sums[k].add(parts[d]);
        }
        sum.add(v[i]);
      }
      CHECK(bits(energy.value()) == bits(sum.round<double>()));
      const auto after = y.host();
      for (std::size_t k = 0; k < expected.size(); ++k) {
        if (how == strategy::fixed_point) {
          expected[k] += rounded[k].round<double>();
          rounded[k] = {};
          CHECK(bits(after[k]) == bits(expected[k]));
        } else {
          expected[k] += sums[k].round<double>();
          CHECK(std::abs(after[k] - expected[k]) < 1e-10);
        }
      }
    }
  }
}

TEST_CASE("scatter on a device: an exact total takes any double", "[accumulate]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto space = hook::make();
  const hook::array<double> y(space, std::vector<double>(3));
  auto forces = accrue::array_of_structures(const_cast<double*>(y.get().data()), 1);
  for (const std::vector<double>& v :
       {std::vector<double>{0x1p1023, 5e-324, -0x1p1023}, std::vector<double>(1000, std::numeric_limits<double>::max()),
        {0x1p-1074, -0x1p-1074, 0x1p900}, {-0x1p1023, -0x1p1023, 3}, {1, infinity, -7}, {infinity, -infinity}, {-infinity, 5},
        {std::numeric_limits<double>::quiet_NaN(), 1}, {}, sequence<double>(distribution::log_uniform, next_seed(), 2000)}) {
    accrue::exact_total energy;
    auto both = accrue::scatter(space, accrue::targets(forces, energy));
    const hook::array<double> values(space, v);
    const hook::array<int> at(space, std::vector<int>(v.size()));
    launch_forces(3, 64, both.local(), values, at);
    both.finish();
    oracle sum;
    for (const double x : v) sum.add(x);
    const double expected = sum.round<double>();
    if (std::isnan(expected)) {
      CHECK(std::isnan(energy.value()));
    } else {
      CHECK(bits(energy.value()) == bits(expected));
    }
  }
}

TEST_CASE("scatter on a device: counts, and what it does not take", "[accumulate]") {
  const std::size_t n = 2000;
  const auto space = hook::make();
  const auto at = places(next_seed(), n);
  const hook::array<int> places_there(space, at);
  const hook::array<std::int32_t> y(space, std::vector<std::int32_t>(targets));
  std::span<std::int32_t> counts(const_cast<std::int32_t*>(y.get().data()), targets);
  auto acc = accrue::scatter(space, counts);
  simt::launch_kernel<hook::space>(count_kernel<decltype(acc.local())>, 4, 64, 0, nullptr, acc.local(), places_there.get().data(), n);
  acc.finish();
  std::vector<std::int32_t> expected(targets);
  for (const int j : at) ++expected[static_cast<std::size_t>(j)];
  CHECK(y.host() == expected);

  const hook::array<double> z(space, std::vector<double>(targets));
  std::span<double> sums(const_cast<double*>(z.get().data()), targets);
  for (const strategy how : {strategy::fixed_point, strategy::replicated, strategy::gather, strategy::critical}) {  // the first: no bound
    CHECK(code_of([&] { (void)accrue::scatter(space, sums, how); }) == accrue::errc::invalid_argument);
  }
}
