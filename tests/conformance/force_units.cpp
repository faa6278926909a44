// SPDX-License-Identifier: BSD-3-Clause
// fixed_point's units follow the size of a potential's forces, and forces that a unit does not tell are refused: energies and lengths in
// units of any size, such as joules and metres.
#include <cmath>
#include <string>
#include <vector>

#include "conformance/forces.hpp"

using namespace test;

namespace {

std::string all_bits(const evaluated& e) {
  std::string all = force_bits(e) + scalar_bits(e.result);
  for (const double u : e.energies) all += bits(u);
  return all;
}

}  // namespace

TEST_CASE("Lennard-Jones in units of any size has the bits of reduced units", "[forces]") {
  const particles liquid = fcc(4, 0.8442, 0.12, next_seed());
  particles widened = liquid;
  widened.x[1] = {widened.x[0][0] + 0.6, widened.x[0][1], widened.x[0][2]};
  particles in_two_words = liquid;
  in_two_words.x[1] = {in_two_words.x[0][0] + 0.15, in_two_words.x[0][1], in_two_words.x[0][2]};
  for (const particles& p : {liquid, widened, in_two_words}) {
    for (const strategy s : {strategy::fixed_point, strategy::gather, strategy::replicated}) {
      pair_forces reduced{lennard_jones(2.1, truncation::shifted)};
      const evaluated expected = evaluate(hook::make(), p, reduced, with(s), 0.25);
      for (const other_units& units : {si, other_units{0, -69}, other_units{-32, 0}, other_units{40, 60}}) {
        pair_forces scaled{units.lennard_jones_of(2.1)};
        CAPTURE(to_string(s), units.length, units.energy);
        const evaluated e = evaluate(hook::make(), units.of(p), scaled, with(s), std::ldexp(0.25, units.length));
        CHECK(all_bits(e) == all_bits(units.of(expected)));
        if (s == strategy::fixed_point) CHECK(e.result.unit_exponent == expected.result.unit_exponent + units.energy - units.length);
      }
    }
  }
}

TEST_CASE("a stated bound is one of a pair's force, not of its components", "[forces]") {
  const double direction = 1 / std::sqrt(3.0);
  const auto at_distance = [&](double r) {
    particles p;
    p.box = {{0, 0, 0}, {20, 20, 20}, {false, false, false}};
    p.x = {{5, 5, 5}, {5 + r * direction, 5 + r * direction, 5 + r * direction}};
    return p;
  };
  const auto force_at = [](double r) { return 24 * (2 * std::pow(r, -13.0) - std::pow(r, -7.0)); };
  pair_options stated = with(strategy::fixed_point);
  stated.largest_force = 500;  // so that what is below 512 fits
  pair_forces forces{lennard_jones(2.5)};
  const double fits = 0.8235;
  const double larger = 0.81;
  REQUIRE(force_at(fits) < 512);
  REQUIRE(force_at(fits) > 500);
  REQUIRE(force_at(larger) > 512);
  REQUIRE(force_at(larger) * direction < 500);
  const evaluated e = evaluate(hook::make(), at_distance(fits), forces, stated, 0.25);
  CHECK(std::fabs(e.f[0][0] + force_at(fits) * direction) < 1e-9);
  CHECK(code_of([&] { evaluate(hook::make(), at_distance(larger), forces, stated, 0.25); }) == accrue::errc::out_of_range);
}

TEST_CASE("Lennard-Jones with a stated bound, and as a twelfth power alone", "[forces]") {
  const particles p = fcc(4, 0.8442, 0.12, next_seed());
  pair_options stated = with(strategy::fixed_point);
  stated.largest_force = 600;
  pair_forces reduced{lennard_jones(2.1, truncation::shifted)};
  const evaluated expected = evaluate(accrue::serial{}, p, reduced, stated, 0.25);
  stated.largest_force = std::ldexp(600, si.energy - si.length);
  pair_forces scaled{si.lennard_jones_of(2.1)};
  CHECK(all_bits(evaluate(hook::make(), si.of(p), scaled, stated, std::ldexp(0.25, si.length))) == all_bits(si.of(expected)));

  particles near = p;  // 4 / r^12, of which sigma and epsilon say little
  near.x[1] = {near.x[0][0] + 0.9, near.x[0][1], near.x[0][2]};
  pair_forces steep{lennard_jones(2.1, truncation::plain, 1e-12, 10)};
  const evaluated counted = evaluate(hook::make(), near, steep, with(strategy::fixed_point), 0.25);
  const evaluated added = evaluate(hook::make(), near, steep, with(strategy::replicated), 0.25);
  for (std::size_t i = 0; i < near.x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(counted.f[i][k] - added.f[i][k]) < 1e-9);
  }
}

TEST_CASE("a mixture's unit follows the largest of its forces", "[forces]") {
  const particles p = si.of(fcc(3, 0.7, 0.1, next_seed()));
  const std::vector<int> types(p.x.size(), 1);
  const double epsilon = std::ldexp(1.0, si.energy);
  const double sigma = std::ldexp(1.0, si.length);
  const lennard_jones alone(2 * sigma, truncation::plain, epsilon, sigma);
  accrue::lennard_jones_mixture mixture({{epsilon / 64, sigma}, {epsilon, sigma}}, 2 * sigma);
  mixture.set(0, 1, {0, sigma});
  pair_forces of_one{alone};
  pair_forces of_types{mixture};
  neighbor_list list(p.box, 2 * sigma, 0.1 * sigma);
  list.build(hook::make(), p.x);
  evaluated a{{}, std::vector<point>(p.x.size()), std::vector<double>(p.x.size())};
  evaluated b = a;
  a.result = of_one.compute(hook::make(), list, p.x, a.f, a.energies, with(strategy::fixed_point));
  b.result = of_types.compute(hook::make(), list, with_types(p.x, types), b.f, b.energies, with(strategy::fixed_point));
  CHECK(all_bits(a) == all_bits(b));
  CHECK(a.result.unit_exponent == b.result.unit_exponent);
}

TEST_CASE("forces of a functor that the unit does not tell are refused", "[forces]") {
  const particles p = fcc(3, 2, 0.05, next_seed());
  const particles touching = two_that_touch();
  const auto outcome_of = [&](const particles& p, const soft_spheres& potential, double largest, bool energies) {
    pair_forces forces{potential};
    pair_options options = with(strategy::fixed_point);
    options.largest_force = largest;
    neighbor_list list(p.box, potential.cutoff(), 0.2);
    list.build(hook::make(), p.x);
    std::vector<point> f(p.x.size());
    std::vector<double> of_particles(energies ? p.x.size() : 0);
    return code_of([&] { forces.compute(hook::make(), list, p.x, f, std::span(of_particles), options); });
  };
  const auto outcome = [&](const soft_spheres& potential, double largest, bool energies) {
    return outcome_of(p, potential, largest, energies);
  };
  using accrue::errc;
  for (const bool energies : {false, true}) {
    CAPTURE(energies);
    CHECK(outcome_of(touching, {1}, 0, energies) == errc::success);  // where the potential ends forces are small
    CHECK(outcome({1}, 100, energies) == errc::success);
    CHECK(outcome({0x1p-20}, 0x1p40, energies) == errc::out_of_range);  // a bound far above all forces
    CHECK(outcome({1}, 0, energies) == errc::success);
    CHECK(outcome({0}, 0, energies) == errc::success);  // no forces at all
    CHECK(outcome({0x1p-30}, 0, energies) == errc::success);
    CHECK(outcome({0x1p-38}, 0, energies) == errc::out_of_range);
    CHECK(outcome({0x1p-60}, 0, energies) == errc::out_of_range);  // of which nothing would be left
    CHECK(outcome({0x1p-60}, 0x1p-55, energies) == errc::success);
    CHECK(outcome({0x1p-60}, 0x1p-10, energies) == errc::out_of_range);
    CHECK(outcome({1, 0x1p-60}, 0, energies) == (energies ? errc::out_of_range : errc::success));
    CHECK(outcome({1, 0}, 0, energies) == errc::success);
    CHECK(outcome({1, 1, 0x1p-60}, 0, energies) == errc::success);  // of others much is left
    CHECK(outcome({0x1p-38, 1, 0x1p-10}, 0, energies) == errc::out_of_range);
  }
  pair_forces tiny{soft_spheres{0x1p-60}};
  std::string said;
  try {
    evaluate(hook::make(), p, tiny, with(strategy::fixed_point), 0.2);
  } catch (const accrue::error& e) {
    said = e.what();
  }
  CHECK(said.find("state largest_force") != std::string::npos);
}
