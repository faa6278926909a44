// SPDX-License-Identifier: BSD-3-Clause
// docs/forces.md: pair forces on a device, and embedded atoms by accumulation in two passes.
#include <accrue/accumulate.hpp>
#include <accrue/md/devices.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "hooks/cuda.hpp"

//! [embedded-bodies]
struct pair_of_atoms {
  const double* x;                       // of each atom x, y, z
  const std::uint32_t* first;            // of each pair its atoms
  const std::uint32_t* second;

  __device__ double distance(std::size_t pair, double (&d)[3]) const {
    for (int k = 0; k < 3; ++k) d[k] = x[3 * first[pair] + k] - x[3 * second[pair] + k];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  }
};
struct add_density {                     // rho_i = sum over j of exp(-r_ij)
  pair_of_atoms pairs;
  template <class Density>
  __device__ void operator()(std::size_t pair, Density& rho) const {
    double d[3];
    const double density = exp(-pairs.distance(pair, d));
    rho.add(pairs.first[pair], density);
    rho.add(pairs.second[pair], density);
  }
};
struct add_forces {                      // of the energy -sum over i of sqrt(rho_i)
  pair_of_atoms pairs;
  const double* rho;
  template <class Forces>
  __device__ void operator()(std::size_t pair, Forces& f) const {
    double d[3];
    const std::uint32_t i = pairs.first[pair];
    const std::uint32_t j = pairs.second[pair];
    const double r = pairs.distance(pair, d);
    const double slope = -0.5 * (1 / sqrt(rho[i]) + 1 / sqrt(rho[j]));
    const double over_r = slope * exp(-r) / r;
    f.add(i, over_r * d[0], over_r * d[1], over_r * d[2]);
    f.add(j, -over_r * d[0], -over_r * d[1], -over_r * d[2]);
  }
};
//! [embedded-bodies]

TEST_CASE("pair forces on a device as the page shows them", "[docs]") {
  const std::size_t n = 1000;
  std::vector<double> host(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    host[3 * i] = 2.0 * static_cast<double>(i % 10);
    host[3 * i + 1] = 2.0 * static_cast<double>(i / 10 % 10);
    host[3 * i + 2] = 2.0 * static_cast<double>(i / 100) + 0.1 * std::sin(static_cast<double>(i));
  }
  const auto made = hook::make();
  const hook::array<double> positions(made, host), results(made, std::vector<double>(3 * n));
  const double* const x = positions.get().data();
  double* const f = const_cast<double*>(results.get().data());
  const cudaStream_t stream = nullptr;
  const accrue::orthorhombic_box box{{0, 0, 0}, {20, 20, 20}};
  //! [device-forces]
  const accrue::cuda space(stream);
  accrue::neighbor_list list(box, 2.5, 0.3, accrue::list_kind::full);
  accrue::pair_forces forces(accrue::lennard_jones(2.5));    // or any functor of r^2 that the device can call
  const auto atoms = accrue::array_of_structures(x, n);      // x: on the device, three numbers an atom
  if (list.needs_rebuild(space, atoms)) list.build(space, atoms);
  auto r = forces.compute(space, list, atoms, accrue::array_of_structures(f, n));
  //! [device-forces]
  accrue::neighbor_list host_list(box, 2.5, 0.3);
  std::vector<std::array<double, 3>> on_host(n);
  const auto host_atoms = accrue::array_of_structures<const double>(host.data(), n);
  host_list.build(accrue::serial{}, host_atoms);
  CHECK(forces.compute(accrue::serial{}, host_list, host_atoms, on_host).energy == r.energy);
}

TEST_CASE("embedded atoms on a device as the page shows them", "[docs]") {
  const std::size_t n = 300;
  std::vector<double> host(3 * n);
  for (std::size_t k = 0; k < 3 * n; ++k) host[k] = 5 + 5 * std::sin(1.7 * static_cast<double>(k * k % 1009));
  std::vector<std::uint32_t> i, j;
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = a + 1; b < n; ++b) {
      i.push_back(a);
      j.push_back(b);
    }
  }
  const std::size_t pairs = i.size();
  const auto space = hook::make();
  const hook::array<double> positions(space, host);
  const hook::array<std::uint32_t> first(space, i), second(space, j);
  std::vector<double> before;
  for (const bool turned : {false, true}) {  // the same bits from the pairs in any order
    std::vector<std::uint32_t> a(i), b(j);
    if (turned) {
      std::reverse(a.begin(), a.end());
      std::reverse(b.begin(), b.end());
    }
    const hook::array<std::uint32_t> da(space, a), db(space, b);
    const hook::array<double> densities(space, std::vector<double>(n)), results(space, std::vector<double>(3 * n));
    const pair_of_atoms atoms{positions.get().data(), da.get().data(), db.get().data()};
    double* const rho = const_cast<double*>(densities.get().data());
    double* const f = const_cast<double*>(results.get().data());
    //! [embedded]
    accrue::accumulate(space, std::span(rho, n), pairs, add_density{atoms}, accrue::strategy::fixed_point);
    accrue::accumulate(space, accrue::array_of_structures(f, n), pairs, add_forces{atoms, rho}, accrue::strategy::fixed_point);
    //! [embedded]
    const auto now = results.host();
    double total = 0;
    for (const double v : now) total += v;
    CHECK(std::abs(total) < 1e-9);
    if (turned) CHECK(now == before);
    before = now;
  }
}
