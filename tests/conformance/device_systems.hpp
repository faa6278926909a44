// SPDX-License-Identifier: BSD-3-Clause
// What tests of pair forces on a device share: arrays there, the host's answer, and all strategies against it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "conformance/forces.hpp"
#if defined(ACCRUE_SIMT_DIALECT)
#include "hooks/simt_forces.hpp"
#endif
#include <accrue/md/devices.hpp>

namespace test {

/// One that tells types apart: soft spheres of three sizes.
struct soft_mixture {
  [[nodiscard]] constexpr double cutoff() const { return 1.5; }
  [[nodiscard]] constexpr std::size_t types() const { return 3; }
  constexpr void operator()(double r_squared, unsigned a, unsigned b, double& energy, double& force_over_r) const {
    const double left = 2.25 - 0.25 * (a + b) - r_squared;
    energy = left > 0 ? left * left : 0;
    force_over_r = left > 0 ? 4 * left : 0;
  }
};
inline lennard_jones_mixture three_types(truncation end) {
  lennard_jones_mixture mixture({{1, 1}, {0.5, 0.88}, {1.25, 1.1}}, 2.1, end);
  mixture.set(0, 1, {1.5, 0.8}, 1.6).set(2, 2, {0.25, 1.2});
  return mixture;
}

/// Arrays of a device, as a caller has them.
struct device_arrays {
  hook::array<double> x;
  hook::array<double> f;
  hook::array<double> energies;
  std::size_t n;

  device_arrays(const hook::space& space, const std::vector<point>& positions)
      : x(space, std::span(positions.empty() ? nullptr : positions[0].data(), 3 * positions.size())),
        f(space, std::vector<double>(3 * positions.size(), -7.0)),
        energies(space, std::vector<double>(positions.size(), -7.0)),
        n(positions.size()) {}

  [[nodiscard]] auto positions() const { return accrue::array_of_structures(x.get().data(), n); }
  [[nodiscard]] auto forces() const { return accrue::array_of_structures(const_cast<double*>(f.get().data()), n); }
  [[nodiscard]] std::span<double> of_particles() const { return {const_cast<double*>(energies.get().data()), n}; }
};

inline std::vector<int> types_for(const particles& p) {
  std::vector<int> types(p.x.size());
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = static_cast<int>(random_unit(78, i) * 3);
  return types;
}
/// The positions, with types where the potential tells them apart.
template <class Potential, class Positions>
auto with_types_for(const Potential&, const Positions& positions, [[maybe_unused]] const int* types, [[maybe_unused]] std::size_t n) {
  if constexpr (accrue::typed_pair_potential<Potential>) {
    return with_types(positions, std::span(types, n));
  } else {
    return positions;
  }
}

template <class Potential>
evaluated evaluated_on_host(const particles& p, const std::vector<point>& now, pair_forces<Potential>& forces, double skin,
                  const pair_options& options) {
  neighbor_list list(p.box, forces.potential().cutoff(), skin, list_kind::half);
  const accrue::serial space;
  list.build(space, p.x);
  evaluated e{{}, std::vector<point>(p.x.size()), std::vector<double>(p.x.size())};
  const std::vector<int> types = types_for(p);
  e.result = forces.compute(space, list, with_types_for(forces.potential(), now, types.data(), types.size()), e.f, e.energies, options);
  return e;
}

inline std::string bits_of(const std::vector<double>& v) {
  std::string all;
  for (const double x : v) all += bits(x);
  return all;
}
inline std::string bits_of(const std::vector<point>& v) {
  std::string all;
  for (const point& x : v) {
    for (const double c : x) all += bits(c);
  }
  return all;
}
inline std::string sums_of(const pair_result& r) {
  std::string all = bits(r.energy);
  for (const double v : r.virial) all += bits(v);
  return all;
}
template <class A, class B>
double worst_difference(const A& a, const std::vector<B>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) worst = std::max(worst, std::fabs(a[3 * i + k] - b[i][k]));
  }
  return worst;
}

/// Has full lists be read from tiles wherever these fit, or never.
class with_tiles {
 public:
  explicit with_tiles(bool wherever) { accrue::simt::least_bricks = wherever ? 0 : std::size_t{1} << 32; }
  with_tiles(const with_tiles&) = delete;
  with_tiles& operator=(const with_tiles&) = delete;
  ~with_tiles() { accrue::simt::least_bricks = before_; }

 private:
  std::size_t before_ = accrue::simt::least_bricks;
};
inline accrue::simt::strip_rows rows_of(const neighbor_list& list) {
  const auto* const rows = dynamic_cast<const accrue::simt::rows_of_space<hook::space>*>(list.rows_on_device());
  REQUIRE(rows != nullptr);
  return rows->rows;
}

/// All strategies against the host's fixed_point, with positions as the list saw them and moved a little; full lists in tiles and without.
template <class Potential>
void check_system(const particles& p, const Potential& potential, double skin,
                  const std::vector<list_kind>& kinds = {list_kind::full, list_kind::half}) {
  const auto space = hook::make();
  pair_forces<Potential> host_forces(potential);
  pair_forces<Potential> forces(potential);
  std::vector<point> moved = p.x;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      moved[i][k] += skin / 4 * (random_unit(77, 3 * i + k) - 0.5) + (p.box.periodic[k] ? p.box.length[k] * static_cast<double>(i % 3) : 0);
    }
  }
  const device_arrays then(space, p.x);
  const std::vector<int> types = types_for(p);
  const hook::array<int> types_there(space, types);
  const auto typed = [&](const auto& positions) { return with_types_for(potential, positions, types_there.get().data(), types.size()); };
  for (const auto& [kind, tiled] : {std::pair{list_kind::full, true}, {list_kind::full, false}, {list_kind::half, false}}) {
    if (std::ranges::find(kinds, kind) == kinds.end()) continue;
    const with_tiles tiles(tiled);
    neighbor_list list(p.box, potential.cutoff(), skin, kind);
    CHECK(list.needs_rebuild(space, then.positions()));
    list.build(space, then.positions());
    CHECK(!list.needs_rebuild(space, then.positions()));
    for (const std::vector<point>* now : {&p.x, static_cast<const std::vector<point>*>(&moved)}) {
      const device_arrays arrays(space, *now);
      CHECK(!list.needs_rebuild(space, arrays.positions()));
      const evaluated expected = evaluated_on_host(p, *now, host_forces, skin, with(strategy::fixed_point));
      double size = 1;
      for (const point& f : expected.f) size = std::max({size, std::fabs(f[0]), std::fabs(f[1]), std::fabs(f[2])});
      const auto of_units = forces.compute(space, list, typed(arrays.positions()), arrays.forces(), arrays.of_particles());
      CHECK(of_units.report.used == strategy::fixed_point);
      CHECK(of_units.unit_exponent == expected.result.unit_exponent);
      CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
      CHECK(bits_of(arrays.energies.host()) == bits_of(expected.energies));
      CHECK(sums_of(of_units) == sums_of(expected.result));
      const strategy in_doubles = kind == list_kind::full ? strategy::gather : strategy::atomic;
      const auto of_doubles = forces.compute(space, list, typed(arrays.positions()), arrays.forces(), with(in_doubles));
      CHECK(worst_difference(arrays.f.host(), expected.f) < 1e-11 * size);
      CHECK(sums_of(of_doubles) == sums_of(expected.result));
      pair_options forces_alone = with(in_doubles);
      forces_alone.energy = forces_alone.virial = false;
      const device_arrays again(space, *now);
      if (in_doubles == strategy::gather) {
        (void)forces.compute(space, list, typed(again.positions()), again.forces(), forces_alone);
        CHECK(bits_of(again.f.host()) == bits_of(arrays.f.host()));
      }
      forces_alone.strategy = strategy::fixed_point;
      const auto alone = forces.compute(space, list, typed(again.positions()), again.forces(), forces_alone);
      CHECK(alone.energy == 0);
      CHECK(bits_of(again.f.host()) == bits_of(expected.f));
    }
  }
}

}  // namespace test
