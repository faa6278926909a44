// SPDX-License-Identifier: BSD-3-Clause
// Pair forces: published values, an oracle in extended precision, exact sums of the pairs' terms, conservation, and every strategy.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "conformance/suite.hpp"
#include "support/particles.hpp"

using namespace test;
using accrue::lennard_jones;
using accrue::list_kind;
using accrue::neighbor_list;
using accrue::pair_forces;
using accrue::pair_options;
using accrue::pair_result;
using accrue::strategy;
using accrue::truncation;

namespace {

pair_options with(strategy s) {
  pair_options o;
  o.strategy = s;
  return o;
}

/// A list of the kind a strategy needs.
neighbor_list list_for(strategy s, const particles& p, double cutoff, double skin) {
  return {p.box, cutoff, skin, s == strategy::gather ? list_kind::full : list_kind::half};
}

struct evaluated {
  pair_result result;
  std::vector<point> f;
  std::vector<double> energies;
};

template <class Space, class Potential>
evaluated evaluate(const Space& space, const particles& p, pair_forces<Potential>& forces, const pair_options& options,
                   double skin) {
  neighbor_list list = list_for(options.strategy, p, forces.potential().cutoff(), skin);
  list.build(space, p.x);
  evaluated e{{}, std::vector<point>(p.x.size(), point{1e30, 1e30, 1e30}), std::vector<double>(p.x.size(), 1e30)};
  e.result = forces.compute(space, list, p.x, e.f, std::span<double>(e.energies), options);
  return e;
}

std::string scalar_bits(const pair_result& r) {
  std::string all = bits(r.energy);
  for (const double w : r.virial) all += bits(w);
  return all;
}
std::string force_bits(const evaluated& e) {
  std::string all;
  for (const auto& f : e.f) all += bits(f[0]) + bits(f[1]) + bits(f[2]);
  for (const double u : e.energies) all += bits(u);
  return all;
}

/// Lennard-Jones of all pairs in extended precision.
struct all_pairs {
  std::vector<std::array<long double, 3>> f;
  std::vector<long double> energies;
  long double energy = 0;
  long double virial = 0;

  all_pairs(const particles& p, double cutoff, truncation end) : f(p.x.size()), energies(p.x.size()) {
    const auto u = [](long double r) { return 4 * (std::pow(r, -12.0L) - std::pow(r, -6.0L)); };
    const auto slope = [](long double r) { return -48 * std::pow(r, -13.0L) + 24 * std::pow(r, -7.0L); };
    const long double rc = cutoff;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      for (std::size_t j = i + 1; j < p.x.size(); ++j) {
        const long double r = std::sqrt(distance_squared(p.box, p.x[i], p.x[j]));
        if (r >= rc) continue;
        long double e = u(r);
        long double s = slope(r);
        if (end != truncation::plain) e -= u(rc);
        if (end == truncation::shifted_force) {
          e -= (r - rc) * slope(rc);
          s -= slope(rc);
        }
        energy += e;
        virial += -s * r;
        energies[i] += e / 2;
        energies[j] += e / 2;
        for (std::size_t k = 0; k < 3; ++k) {
          const long double d = nearest(p.box, k, static_cast<long double>(p.x[i][k]) - static_cast<long double>(p.x[j][k]));
          f[i][k] += -s / r * d;
          f[j][k] -= -s / r * d;
        }
      }
    }
  }
};

/// A potential that the library does not know: Morse's, D ((1 - exp(-a (r - r0)))^2 - 1).
struct morse {
  double cutoff() const { return 2.2; }
  void operator()(double r2, double& energy, double& force_over_r) const {
    const double r = std::sqrt(r2);
    const double x = std::exp(-2 * (r - 1.1));
    energy = 3 * ((1 - x) * (1 - x) - 1);
    force_over_r = -3 * 2 * (1 - x) * 2 * x / r;
  }
};

/// Terms as large as the short way of the sums takes them, in every pair alike.
struct plateau {
  double cutoff() const { return 1.5; }
  void operator()(double, double& energy, double& force_over_r) const {
    energy = 511.75 - 0x1p-40;
    force_over_r = 227.0;
  }
};

}  // namespace

TEST_CASE("NIST's Lennard-Jones configurations: published energy, virial and corrections, by every strategy", "[forces]") {
  struct row {
    int configuration;
    double cutoff, energy, virial, correction;
    const char* energy_nist;
    const char* virial_nist;
  };
  std::ifstream csv(data_file("nist_lj/reference.csv"));
  std::string line;
  std::getline(csv, line);
  int rows = 0;
  while (std::getline(csv, line)) {
    row r{};
    char energy_nist[32];
    char virial_nist[32];
    REQUIRE(std::sscanf(line.c_str(), "%d,%*d,%*f,%lf,%lf,%lf,%lf,%31[^,],%31[^,\r\n]", &r.configuration, &r.cutoff, &r.energy,
                        &r.virial, &r.correction, energy_nist, virial_nist) == 7);
    ++rows;
    const particles p = nist_configuration(r.configuration);
    pair_forces forces{lennard_jones(r.cutoff)};
    std::optional<std::string> scalars;
    for (const strategy s : accrue::all_strategies) {
      for (const auto& space : hook::teams()) {
        const auto e = evaluate(space, p, forces, with(s), std::min(0.3, p.box.length[0] / 2 - r.cutoff));
        INFO(line << ", " << accrue::to_string(s));
        char printed[32];
        std::snprintf(printed, sizeof printed, "%.4E", e.result.energy);
        CHECK(std::string(printed) == energy_nist);
        std::snprintf(printed, sizeof printed, "%.4E", e.result.virial_trace());
        CHECK(std::string(printed) == virial_nist);
        CHECK(std::fabs(e.result.energy - r.energy) < 1e-11 * std::fabs(r.energy) + 1e-12);
        CHECK(std::fabs(e.result.virial_trace() - r.virial) < 1e-6);
        if (!scalars) scalars = scalar_bits(e.result);
        CHECK(scalar_bits(e.result) == *scalars);
        CHECK(e.result.report.used == s);
      }
    }
    CHECK(std::fabs(forces.potential().energy_correction(p.x.size(), p.box.volume()) - r.correction) <
          3e-6 * std::fabs(r.correction));  // as printed
  }
  CHECK(rows == 8);
}

TEST_CASE("forces, energies and virial of random systems against extended precision", "[forces]") {
  for (const truncation end : {truncation::plain, truncation::shifted, truncation::shifted_force}) {
    for (const int shape : {0, 1, 2}) {
      const std::uint64_t seed = next_seed();
      INFO("seed " << seed << ", shape " << shape);
      particles p = fcc(4, 0.8, 0.12, seed);
      if (shape == 1) p.box.periodic = {false, true, false};
      if (shape == 2) p.box.periodic = {false, false, false};
      for (auto& x : p.x) x[1] += p.box.length[1] * (p.box.periodic[1] ? 3 : 0);
      const double cutoff = 2.1;
      const all_pairs expected(p, cutoff, end);
      pair_forces forces{lennard_jones(cutoff, end)};
      for (const strategy s : accrue::all_strategies) {
        for (const auto& space : hook::teams()) {
          const auto e = evaluate(space, p, forces, with(s), 0.2);
          INFO(accrue::to_string(s));
          double worst = 0;
          double size = 0;
          for (std::size_t i = 0; i < p.x.size(); ++i) {
            for (std::size_t k = 0; k < 3; ++k) {
              worst = std::max(worst, std::fabs(static_cast<double>(expected.f[i][k]) - e.f[i][k]));
              size = std::max(size, std::fabs(e.f[i][k]));
            }
            worst = std::max(worst, std::fabs(static_cast<double>(expected.energies[i]) - e.energies[i]));
          }
          CHECK(worst < 1e-11 * size);
          CHECK(std::fabs(static_cast<double>(expected.energy) - e.result.energy) < 1e-12 * std::fabs(e.result.energy));
          CHECK(std::fabs(static_cast<double>(expected.virial) - e.result.virial_trace()) <
                1e-11 * (std::fabs(e.result.virial_trace()) + 100));
        }
      }
    }
  }
}

TEST_CASE("energy and virial are the exact sums of the pairs' terms", "[forces]") {
  for (const double density : {0.05, 0.8442, 1.6}) {  // the densest has terms far beyond the ordinary
    const particles p = fcc(5, density, 0.2, next_seed());
    const double cutoff = std::min(2.5, p.box.length[0] / 2 * 0.9);
    const lennard_jones potential(cutoff);
    neighbor_list list(p.box, cutoff, 0);
    list.build(hook::make(), p.x);
    oracle energy;
    oracle virial[6];
    const auto order = list.order();
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (const std::uint32_t other : list.row(k)) {
        double d[3];
        for (std::size_t c = 0; c < 3; ++c) {
          // As the neighbour list keeps them: wrapped into the box.
          const double length = p.box.length[c];
          const auto wrapped = [&](double x) { return x - length * std::floor(x / length); };
          d[c] = wrapped(p.x[order[k]][c]) - wrapped(p.x[order[other]][c]);
          d[c] = d[c] - length * std::nearbyint(d[c] * (1 / length));
        }
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(r2 < cutoff * cutoff)) continue;
        double e = 0;
        double f = 0;
        potential(r2, e, f);
        energy.add(e);
        const double force[3] = {f * d[0], f * d[1], f * d[2]};
        virial[0].add(force[0] * d[0]);
        virial[1].add(force[1] * d[1]);
        virial[2].add(force[2] * d[2]);
        virial[3].add(force[0] * d[1]);
        virial[4].add(force[0] * d[2]);
        virial[5].add(force[1] * d[2]);
      }
    }
    pair_forces forces{potential};
    for (const strategy s : accrue::all_strategies) {
      for (const auto& space : hook::teams()) {
        const auto e = evaluate(space, p, forces, with(s), 0);
        INFO(accrue::to_string(s) << " at density " << density);
        CHECK(bits(e.result.energy) == bits(energy.round<double>()));
        for (std::size_t c = 0; c < 6; ++c) CHECK(bits(e.result.virial[c]) == bits(virial[c].round<double>()));
      }
    }
  }
}

TEST_CASE("exact sums of many large terms", "[forces]") {
  const particles p = gas(3000, {{0, 0, 0}, {6, 6, 6}, {true, true, true}}, next_seed());
  pair_forces forces{plateau{}};
  neighbor_list list(p.box, 1.5, 0);
  list.build(hook::make(), p.x);
  std::vector<point> f(p.x.size());
  for (const auto& space : hook::teams()) {
    const auto r = forces.compute(space, list, p.x, f, with(strategy::replicated));
    oracle energy;
    for (std::size_t k = 0; k < list.entries(); ++k) energy.add(511.75 - 0x1p-40);
    CHECK(std::fabs(r.energy - energy.round<double>()) < 600);  // a pair may lie on the cut-off
    const double pairs = std::nearbyint(r.energy / 511.75);
    CHECK(bits(r.energy) == bits(static_cast<double>(static_cast<long double>(pairs) * (511.75L - 0x1p-40L))));
  }
}

TEST_CASE("the standard Lennard-Jones benchmark: lattice energy, and the melted liquid's forces", "[forces]") {
  pair_forces forces{lennard_jones(2.5)};
  const particles start = fcc(20, 0.8442);
  CHECK(std::fabs(evaluate(hook::make(), start, forces, with(strategy::automatic), 0.3).result.energy / 32000 + 6.7733681) < 5e-8);

  const particles p = melted_liquid();
  std::optional<std::string> scalars;
  std::optional<std::string> fixed;
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      const auto e = evaluate(space, p, forces, with(s), 0.3);
      INFO(accrue::to_string(s));
      double worst = 0;
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        const double size = std::hypot(p.f[i][0], p.f[i][1], p.f[i][2]);
        for (std::size_t k = 0; k < 3; ++k) worst = std::max(worst, std::fabs(e.f[i][k] - p.f[i][k]) / size);
      }
      CHECK(worst < 1e-11);
      CHECK(std::fabs(e.result.energy / 32000 + 5.7585055) < 5e-8);
      // P = (N_f T + W) / 3V with 3N - 3 degrees of freedom, as printed beside the configuration
      CHECK(std::fabs((3.0 * 31999 * 0.7574531 + e.result.virial_trace()) / (3 * p.box.volume()) - 0.20726105) < 2e-7);
      if (!scalars) scalars = scalar_bits(e.result);
      CHECK(scalar_bits(e.result) == *scalars);
      if (s != strategy::fixed_point) continue;
      if (!fixed) fixed = force_bits(e);
      CHECK(force_bits(e) == *fixed);
    }
  }
}

TEST_CASE("the large liquid: every strategy agrees", "[forces]") {
  const particles p = large_liquid();
  pair_forces forces{lennard_jones(3.0)};
  const auto expected = evaluate(hook::make(), p, forces, with(strategy::fixed_point), 0.4);
  for (const strategy s : accrue::all_strategies) {
    const auto e = evaluate(hook::teams().back(), p, forces, with(s), 0.4);
    INFO(accrue::to_string(s));
    CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
    double worst = 0;
    double size = 0;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        worst = std::max(worst, std::fabs(e.f[i][k] - expected.f[i][k]));
        size = std::max(size, std::fabs(e.f[i][k]));
      }
    }
    CHECK(worst < 1e-12 * size + 30 * std::ldexp(1.0, expected.result.unit_exponent));
  }
}

TEST_CASE("forces are minus the derivative of the energy", "[forces]") {
  particles p = fcc(4, 0.8, 0.1, next_seed());
  for (const truncation end : {truncation::shifted_force, truncation::shifted}) {
    pair_forces forces{lennard_jones(2.3, end)};
    const auto at_rest = evaluate(hook::make(), p, forces, with(strategy::automatic), 0.2);
    for (const std::size_t i : {std::size_t{0}, std::size_t{100}, std::size_t{255}}) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double h = 1e-5;
        particles moved = p;
        moved.x[i][k] = p.x[i][k] + h;
        const double up = evaluate(hook::make(), moved, forces, with(strategy::automatic), 0.2).result.energy;
        moved.x[i][k] = p.x[i][k] - h;
        const double down = evaluate(hook::make(), moved, forces, with(strategy::automatic), 0.2).result.energy;
        // The energy is rounded to some 1e-13; the shifted potential also loses its kinks at the cut-off.
        CHECK(std::fabs(-(up - down) / (2 * h) - at_rest.f[i][k]) <
              2e-6 * (1 + std::fabs(at_rest.f[i][k])) + (end == truncation::shifted ? 0.1 : 0));
      }
    }
  }
}

TEST_CASE("fixed point: Newton's third law exactly, one answer for any team", "[forces]") {
  const particles p = fcc(6, 0.8442, 0.15, next_seed());
  pair_forces forces{lennard_jones(2.5)};
  std::optional<std::string> expected;
  for (const auto& space : hook::teams()) {
    const auto e = evaluate(space, p, forces, with(strategy::fixed_point), 0.3);
    for (std::size_t k = 0; k < 3; ++k) {
      oracle sum;
      for (const auto& f : e.f) sum.add(f[k]);
      CHECK(sum.round<double>() == 0);
    }
    if (!expected) expected = force_bits(e);
    CHECK(force_bits(e) == *expected);
  }
}

TEST_CASE("fixed point: wider units where forces are large, refusal where they do not fit", "[forces]") {
  particles p = fcc(4, 0.8, 0.05, next_seed());
  pair_forces forces{lennard_jones(2.1)};
  const int ordinary = evaluate(hook::make(), p, forces, with(strategy::fixed_point), 0.2).result.unit_exponent;
  std::vector<int> units;
  const point home = p.x[10];
  for (const double gap : {0.7, 0.5, 0.3, 0.1}) {
    p.x[10] = {p.x[11][0] + gap, p.x[11][1], p.x[11][2]};
    std::optional<std::string> expected;
    const auto loose = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.2);
    for (const auto& space : hook::teams()) {
      const auto e = evaluate(space, p, forces, with(strategy::fixed_point), 0.2);
      if (!expected) {
        expected = force_bits(e);
        units.push_back(e.result.unit_exponent);
        double worst = 0;
        for (std::size_t i = 0; i < p.x.size(); ++i) {
          for (std::size_t k = 0; k < 3; ++k)
            worst = std::max(worst, std::fabs(e.f[i][k] - loose.f[i][k]) / (1e-3 + std::fabs(loose.f[i][k])));
        }
        CHECK(worst < 1e-4);
        CHECK(bits(e.result.energy) == bits(loose.result.energy));
      }
      CHECK(force_bits(e) == *expected);
    }
  }
  CHECK(units[0] > ordinary);
  CHECK(units[1] > units[0]);
  CHECK(units.back() == -64);                             // two limbs
  p.x[10] = {p.x[11][0] + 0.01, p.x[11][1], p.x[11][2]};  // a force of 1e28
  pair_options bounded = with(strategy::fixed_point);
  CHECK(code_of([&] { evaluate(hook::make(), p, forces, with(strategy::fixed_point), 0.2); }) == accrue::errc::out_of_range);
  bounded.largest_force = 100;
  for (const auto& space : hook::teams()) {
    CHECK(code_of([&] { evaluate(space, p, forces, bounded, 0.2); }) == accrue::errc::out_of_range);
  }
  // and the object still works
  p.x[10] = home;
  CHECK(code_of([&] { evaluate(hook::make(), p, forces, bounded, 0.2); }) == accrue::errc::success);
}

TEST_CASE("a user's potential, without and with energies", "[forces]") {
  const particles p = fcc(5, 1.0, 0.1, next_seed());
  pair_forces forces{morse{}};
  std::optional<evaluated> expected;
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      const auto e = evaluate(space, p, forces, with(s), 0.2);
      if (!expected) expected = e;
      CHECK(scalar_bits(e.result) == scalar_bits(expected->result));
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(e.f[i][k] - expected->f[i][k]) < 1e-10);
      }
      long double half = 0;
      for (const double u : e.energies) half += static_cast<long double>(u);
      CHECK(std::fabs(static_cast<double>(half) - e.result.energy) < 1e-10 * std::fabs(e.result.energy));
    }
  }
}

/// Infinite where it ends: -0.5 k R^2 ln(1 - (r/R)^2), of bonds that cannot break. Throws when told to.
struct fene {
  std::shared_ptr<std::atomic<bool>> fail = std::make_shared<std::atomic<bool>>(false);
  double cutoff() const { return 1.9; }
  void operator()(double r2, double& energy, double& force_over_r) const {
    if (*fail && r2 < 1.3) throw std::runtime_error("told to");
    const double left = 1 - r2 / (1.9 * 1.9);
    energy = -0.5 * std::log(left);
    force_over_r = -1 / (1.9 * 1.9) / left;
  }
};

TEST_CASE("open directions whose lengths mean nothing, and units of any size", "[forces]") {
  particles p = fcc(4, 0.8, 0.1, next_seed());
  p.box.periodic = {false, false, false};
  pair_forces forces{lennard_jones(2.5)};
  const auto expected = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.2);
  for (const double length : {-1e6, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    p.box.length = {length, length, length};
    const auto e = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.2);
    CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
    neighbor_list list(p.box, 2.5, 0.2);
    list.build(hook::make(), p.x);
    CHECK(!list.needs_rebuild(hook::make(), p.x));
  }
  for (const int power : {-150, -90, -75, -60, -45, 45, 60, 200}) {  // lengths in units of 2^-power
    particles scaled = p;
    scaled.box.length = {};
    for (auto& x : scaled.x) {
      for (double& c : x) c = std::ldexp(c, power);
    }
    const double unit = std::ldexp(1.0, power);
    pair_forces small{lennard_jones(2.5 * unit, truncation::plain, 1, unit)};
    CHECK(bits(evaluate(hook::make(), scaled, small, with(strategy::replicated), 0.2 * unit).result.energy) ==
          bits(expected.result.energy));
  }
}

TEST_CASE("a potential that is infinite at its cut-off, and one that throws in the middle", "[forces]") {
  const particles p = fcc(4, 0.9, 0.1, next_seed());
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      pair_forces forces{fene{}};
      const auto before = evaluate(space, p, forces, with(s), 0.2);
      CHECK(std::isfinite(before.result.energy));
      for (const auto& f : before.f) CHECK((std::isfinite(f[0]) && std::isfinite(f[1]) && std::isfinite(f[2])));
      *forces.potential().fail = true;
      CHECK_THROWS_AS(evaluate(space, p, forces, with(s), 0.2), std::runtime_error);
      *forces.potential().fail = false;
      const auto after = evaluate(space, p, forces, with(s), 0.2);
      CHECK(scalar_bits(after.result) == scalar_bits(before.result));
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(after.f[i][k] - before.f[i][k]) < 1e-9);
      }
    }
  }
}

TEST_CASE("forces into foreign arrays: strides, separate arrays, single precision; energies and sums on request", "[forces]") {
  const particles p = fcc(5, 0.8, 0.1, next_seed());
  const std::size_t n = p.x.size();
  pair_forces forces{lennard_jones(2.5)};
  for (const strategy s : accrue::all_strategies) {
    const auto expected = evaluate(hook::make(), p, forces, with(s), 0.2);
    neighbor_list list = list_for(s, p, 2.5, 0.2);
    list.build(hook::make(), p.x);
    std::vector<double> strided(4 * n, 7);
    std::vector<float> single(3 * n);
    std::vector<double> column[3] = {std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
    pair_options bare = with(s);
    bare.energy = bare.virial = false;
    const auto r = forces.compute(hook::make(), list, p.x, accrue::array_of_structures(strided.data(), n, 4), bare);
    CHECK(r.energy == 0);
    CHECK(r.virial == std::array<double, 6>{});
    forces.compute(hook::make(), list, p.x, accrue::array_of_structures(single.data(), n), with(s));
    forces.compute(hook::make(), list, p.x, accrue::structure_of_arrays(column[0].data(), column[1].data(), column[2].data(), n),
                   with(s));
    const bool same_order = s == strategy::replicated || s == strategy::gather || s == strategy::fixed_point;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (same_order) {
          CHECK(strided[4 * i + k] == expected.f[i][k]);
          CHECK(column[k][i] == expected.f[i][k]);
          CHECK(single[3 * i + k] == static_cast<float>(expected.f[i][k]));
        } else {
          CHECK(std::fabs(strided[4 * i + k] - expected.f[i][k]) < 1e-9);
        }
      }
      CHECK(strided[4 * i + 3] == 7);
    }
  }
}

TEST_CASE("no particles, one, and none within reach", "[forces]") {
  pair_forces forces{lennard_jones(1.5)};
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      for (const std::size_t n : {0u, 1u, 2u}) {
        particles p{{{0, 0, 0}, {9, 9, 9}, {true, true, true}}, {}, {}};
        for (std::size_t i = 0; i < n; ++i) p.x.push_back({4.0 * static_cast<double>(i), 1, 1});
        const auto e = evaluate(space, p, forces, with(s), 0.3);
        CHECK(bits(e.result.energy) == bits(0.0));
        CHECK(e.result.virial == std::array<double, 6>{});
        for (const auto& f : e.f) CHECK(f == point{0, 0, 0});
      }
    }
  }
}

TEST_CASE("velocity Verlet keeps the energy, and fixed point gives one trajectory", "[forces]") {
  const particles start = fcc(5, 0.8442, 0.02, 42);
  const std::size_t n = start.x.size();
  std::optional<std::string> expected;
  const auto teams = hook::teams();
  for (const std::size_t team : {0u, 1u, 2u, 7u}) {  // 1, 2, 3 and 8 threads, where there are that many
    if (team >= teams.size()) continue;
    const auto& space = teams[team];
    auto x = start.x;
    std::vector<point> v(n, point{0, 0, 0});
    std::vector<point> f(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) v[i][k] = normal(7, 3 * i + k);
    }
    neighbor_list list(start.box, 2.2, 0.3);
    pair_forces forces{lennard_jones(2.2, truncation::shifted_force)};
    const double dt = 0.001;
    int builds = 0;
    const auto compute = [&] {
      if (list.needs_rebuild(space, x)) {
        list.build(space, x);
        ++builds;
      }
      return forces.compute(space, list, x, f, with(strategy::fixed_point)).energy;
    };
    const auto kinetic = [&] {
      double twice = 0;
      for (const auto& u : v) twice += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      return twice / 2;
    };
    double potential = compute();
    const double initial = potential + kinetic();
    double drift = 0;
    for (int step = 0; step < 1000; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          v[i][k] += dt / 2 * f[i][k];
          x[i][k] += dt * v[i][k];
        }
      }
      potential = compute();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < 3; ++k) v[i][k] += dt / 2 * f[i][k];
      }
      drift = std::max(drift, std::fabs(potential + kinetic() - initial));
    }
    CHECK(builds > 3);
    CHECK(drift / static_cast<double>(n) < 1e-4);
    std::string all = bits(potential);
    for (const auto& u : x) all += bits(u[0]) + bits(u[1]) + bits(u[2]);
    if (!expected) expected = all;
    CHECK(all == *expected);
  }
}

TEST_CASE("triangle learns its staircase and stays right", "[forces]") {
  const particles p = fcc(12, 0.8442, 0.1, next_seed());
  pair_forces forces{lennard_jones(2.5)};
  const auto expected = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.3);
  for (const auto& space : hook::teams()) {
    pair_forces triangle{lennard_jones(2.5)};
    for (int call = 0; call < 4; ++call) {
      const auto e = evaluate(space, p, triangle, with(strategy::triangle), 0.3);
      CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
      for (std::size_t i = 0; i < p.x.size(); ++i) CHECK(std::fabs(e.f[i][0] - expected.f[i][0]) < 1e-9);
      CHECK(e.result.report.merge_s > 0);
      CHECK(e.result.report.timelines.size() == static_cast<std::size_t>(e.result.report.threads));
      CHECK(e.result.report.total_s(accrue::phase::computing) > 0);
    }
  }
}

TEST_CASE("what pair_forces refuses", "[forces]") {
  particles p = fcc(4, 0.8, 0.05, next_seed());
  const std::size_t n = p.x.size();
  std::vector<point> f(n);
  pair_forces forces{lennard_jones(2.0)};
  neighbor_list half(p.box, 2.0, 0.2);
  neighbor_list full(p.box, 2.0, 0.2, list_kind::full);
  neighbor_list narrow(p.box, 1.9, 0.2);
  for (const auto& space : hook::teams()) {
    const auto code = [&](const neighbor_list& list, const auto& x, auto& to, strategy s) {
      return code_of([&] { forces.compute(space, list, x, to, with(s)); });
    };
    CHECK(code(neighbor_list(p.box, 2.0, 0.2), p.x, f, strategy::automatic) == accrue::errc::invalid_argument);  // not built
    half.build(space, p.x);
    full.build(space, p.x);
    narrow.build(space, p.x);
    std::vector<point> fewer(n - 1);
    CHECK(code(half, p.x, fewer, strategy::automatic) == accrue::errc::size_mismatch);
    CHECK(code(half, fewer, f, strategy::automatic) == accrue::errc::size_mismatch);
    CHECK(code(half, p.x, f, strategy::gather) == accrue::errc::invalid_argument);
    for (const strategy s : accrue::all_strategies) {
      if (s != strategy::gather) CHECK(code(full, p.x, f, s) == accrue::errc::invalid_argument);
    }
    CHECK(code(narrow, p.x, f, strategy::automatic) == accrue::errc::invalid_argument);
    auto moved = p.x;
    moved[200][0] += 0.11;
    CHECK(code(half, moved, f, strategy::replicated) == accrue::errc::invalid_argument);
    moved[200][0] = std::numeric_limits<double>::quiet_NaN();
    CHECK(code(half, moved, f, strategy::replicated) == accrue::errc::bad_input);
    CHECK(code(half, p.x, f, strategy::replicated) == accrue::errc::success);
    auto touching = p.x;
    touching[3] = touching[9];
    neighbor_list coincident(p.box, 2.0, 0.2);
    coincident.build(space, touching);
    CHECK(code(coincident, touching, f, strategy::replicated) == accrue::errc::invalid_argument);
  }
  CHECK(code_of([] { lennard_jones(-1); }) == accrue::errc::invalid_argument);
}
