// SPDX-License-Identifier: BSD-3-Clause
// Pair forces against what is known: published values, an oracle in extended precision, exact sums of the pairs' terms,
// derivatives.
#include <algorithm>
#include <cmath>
#include <optional>

#include "conformance/forces.hpp"

using namespace test;

namespace {

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

/// Terms as large as the short way of the sums takes them, in every pair alike.
struct plateau {
  double cutoff() const { return 1.5; }
  void operator()(double, double& energy, double& force_over_r) const {
    energy = 511.75 - 0x1p-40;
    force_over_r = 227.0;
  }
};

}  // namespace

TEST_CASE("NIST's Lennard-Jones configurations: published energy, virial and corrections, by every strategy", "[long][values][forces]") {
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

TEST_CASE("forces, energies and virial of random systems against extended precision", "[forces][values]") {
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

TEST_CASE("energy and virial are the exact sums of the pairs' terms", "[forces][values]") {
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

TEST_CASE("exact sums of many large terms", "[forces][values]") {
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

TEST_CASE("the standard Lennard-Jones benchmark: lattice energy, and the melted liquid's forces", "[forces][long]") {
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

TEST_CASE("the large liquid: every strategy agrees", "[forces][long]") {
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
