// SPDX-License-Identifier: BSD-3-Clause
// The units of fixed_point on a device: forces of any size, units as wide as they need, and forces that no unit tells.
#include "conformance/device_systems.hpp"

using namespace test;

TEST_CASE("forces beyond 2^9 on a device widen the unit as on the host", "[device_forces]") {
  const auto space = hook::make();
  particles p = fcc(4, 0.8, 0.05, 3);
  const double skin = 0.2;
  const lennard_jones potential(2.1);
  for (const double distance : {0.8, 0.6, 0.45, 0.3, 0.12}) {
    p.x[17] = {p.x[90][0] + distance, p.x[90][1], p.x[90][2]};
    pair_forces host_forces(potential);
    pair_forces forces(potential);
    const evaluated expected = evaluated_on_host(p, p.x, host_forces, skin, with(strategy::fixed_point));
    neighbor_list list(p.box, 2.1, skin, list_kind::full);
    const device_arrays arrays(space, p.x);
    list.build(space, arrays.positions());
    const auto r = forces.compute(space, list, arrays.positions(), arrays.forces(), arrays.of_particles(), with(strategy::fixed_point));
    CHECK(r.unit_exponent == expected.result.unit_exponent);
    CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
    CHECK(bits_of(arrays.energies.host()) == bits_of(expected.energies));
    CHECK(sums_of(r) == sums_of(expected.result));
    pair_options stated = with(strategy::fixed_point);
    stated.largest_force = 0x1p8;
    if (distance < 0.8) {
      CHECK(code_of([&] { (void)forces.compute(space, list, arrays.positions(), arrays.forces(), stated); }) == accrue::errc::out_of_range);
    }
    CHECK(code_of([&] { (void)forces.compute(space, list, arrays.positions(), arrays.forces()); }) == accrue::errc::success);
  }
}

TEST_CASE("sweeps on a device that follow one which widened its unit do not", "[device_forces]") {
  const auto space = hook::make();
  const particles calm = fcc(4, 0.8, 0.05, next_seed());
  particles strong = calm;
  strong.x[17] = {strong.x[90][0] + 0.3, strong.x[90][1], strong.x[90][2]};
  pair_forces host_forces(lennard_jones(2.1));
  pair_forces forces(lennard_jones(2.1));
  for (const bool alone : {true, false, true}) {
    pair_options options = with(strategy::fixed_point);
    options.energy = options.virial = !alone;
    for (const particles* p : {&static_cast<const particles&>(strong), &calm}) {
      const evaluated expected = evaluated_on_host(*p, p->x, host_forces, 0.2, with(strategy::fixed_point));
      const device_arrays arrays(space, p->x);
      neighbor_list list(p->box, 2.1, 0.2, list_kind::full);
      list.build(space, arrays.positions());
      (void)forces.compute(space, list, arrays.positions(), arrays.forces(), options);
      CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
    }
  }
}

TEST_CASE("pair forces on a device: strong and weak pairs, units of any size", "[device_forces]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  constexpr std::pair<double, double> units[] = {{50, 1}, {22, 1}, {120, 1}, {0, 1}, {1, 0.04}, {1e-30, 1}, {1e-24, 1e-24}, {1, 1e21}};
  for (const auto& [epsilon, sigma] : units) {
    for (const truncation end : {truncation::plain, truncation::shifted_force}) {
      particles p = fcc(4, 1.25, 0.06, seed);  // neighbours from 0.9 sigma on
      for (point& x : p.x) {
        for (double& c : x) c *= sigma;
      }
      for (double& length : p.box.length) length *= sigma;
      CAPTURE(epsilon, sigma);
      const std::vector<list_kind> full{list_kind::full};  // half lists refuse forces beyond 2^9
      check_system(p, lennard_jones(1.7 * sigma, end, epsilon, sigma), 0.2 * sigma, full);
    }
  }
}

TEST_CASE("units of a device's fixed_point follow the size of forces, and do not lose them unseen", "[device_forces]") {
  const particles liquid = fcc(3, 0.8442, 0.12, next_seed());
  particles widened = liquid;
  widened.x[1] = {widened.x[0][0] + 0.6, widened.x[0][1], widened.x[0][2]};
  particles in_two_words = liquid;
  in_two_words.x[1] = {in_two_words.x[0][0] + 0.15, in_two_words.x[0][1], in_two_words.x[0][2]};
  for (const particles& p : {liquid, widened, in_two_words}) {
    const bool wide = p.x[1] != liquid.x[1];  // half lists take no more than 2^9 there
    const std::vector<list_kind> kinds = wide ? std::vector{list_kind::full} : std::vector{list_kind::full, list_kind::half};
    for (const other_units& units : {si, other_units{0, -69}}) {
      check_system(units.of(p), units.lennard_jones_of(1.6), std::ldexp(0.2, units.length), kinds);
    }
  }

  const auto space = hook::make();
  const particles dense = fcc(3, 2, 0.05, next_seed());
  const particles touching = two_that_touch();
  for (const list_kind kind : {list_kind::full, list_kind::half}) {
    for (const bool sums : {false, true}) {
      for (const bool energies : {false, true}) {
        const auto outcome_of = [&](const particles& p, const soft_spheres& potential, double largest) {
          const device_arrays arrays(space, p.x);
          neighbor_list list(p.box, 1.5, 0.2, kind);
          list.build(space, arrays.positions());
          pair_forces forces(potential);
          pair_options options;
          options.energy = options.virial = sums;
          options.largest_force = largest;
          const auto of_particles = energies ? arrays.of_particles() : std::span<double>{};
          return code_of([&] {
            (void)forces.compute(space, list, arrays.positions(), arrays.forces(), of_particles, options);
            space.synchronize();
          });
        };
        const auto outcome = [&](const soft_spheres& potential, double largest) { return outcome_of(dense, potential, largest); };
        using accrue::errc;
        CAPTURE(kind == list_kind::full, sums, energies);
        CHECK(outcome_of(touching, {1}, 0) == errc::success);
        CHECK(outcome({1}, 0) == errc::success);
        CHECK(outcome({0x1p-20}, 0x1p40) == errc::out_of_range);
        CHECK(outcome({0}, 0) == errc::success);
        CHECK(outcome({0x1p-30}, 0) == errc::success);
        CHECK(outcome({0x1p-38}, 0) == errc::out_of_range);
        CHECK(outcome({0x1p-60}, 0) == errc::out_of_range);
        CHECK(outcome({0x1p-60}, 0x1p-55) == errc::success);
        CHECK(outcome({1, 0x1p-60}, 0) == (energies ? errc::out_of_range : errc::success));
        CHECK(outcome({1, 0}, 0) == errc::success);
        CHECK(outcome({1, 1, 0x1p-60}, 0) == errc::success);
        CHECK(outcome({0x1p-38, 1, 0x1p-10}, 0) == errc::out_of_range);
      }
    }
  }
}

TEST_CASE("largest_force on a device takes what it names, and tells what is larger", "[device_forces]") {
  const auto space = hook::make();
  for (const double distance : {1.3, 1.15, 1.08, 1.02, 0.98, 0.9, 0.8}) {
    particles p{};
    p.box = {{0, 0, 0}, {12, 12, 12}, {true, true, true}};
    p.x = {{5, 5, 5}, {5 + distance, 5, 5}, {1, 2, 3}};
    const lennard_jones potential(2.5);
    double energy = 0;
    double force_over_r = 0;
    potential(distance * distance, energy, force_over_r);
    neighbor_list list(p.box, 2.5, 0.3, list_kind::full);
    const device_arrays arrays(space, p.x);
    list.build(space, arrays.positions());
    for (const double largest : {0.6, 3.0, 10.0, 30.0, 200.0, 900.0}) {
      pair_forces forces(potential);
      pair_options stated = with(strategy::fixed_point);
      stated.largest_force = largest;
      const double bound = std::ldexp(1.0, std::ilogb(largest) + 1);
      const bool fits = std::fabs(force_over_r * distance) < bound * (1 - 0x1p-30) && std::fabs(energy) < bound;
      CAPTURE(distance, largest);
      const auto compute = [&] { (void)forces.compute(space, list, arrays.positions(), arrays.forces(), stated); };
      CHECK(code_of(compute) == (fits ? accrue::errc::success : accrue::errc::out_of_range));
      if (fits) CHECK(std::fabs(arrays.f.host()[3] - force_over_r * distance) <= bound * 0x1p-40);
    }
  }
}
