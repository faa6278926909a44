// SPDX-License-Identifier: BSD-3-Clause
// Pair forces of several types: against all pairs in extended precision, against one type, and what is refused.
#include <cmath>
#include <string>

#include <accrue/md/md.hpp>

#include "conformance/forces.hpp"

using namespace test;
using accrue::lennard_jones_parameters;

namespace {

template <class Type>
std::vector<Type> some_types(std::size_t n, unsigned types, std::uint64_t seed) {
  std::vector<Type> t(n);
  for (std::size_t i = 0; i < n; ++i) t[i] = static_cast<Type>(random_unit(seed, i) * types);
  return t;
}

template <class Space, class Potential, class Types>
evaluated evaluate_typed(const Space& space, const particles& p, const Types& types, pair_forces<Potential>& forces,
                         const pair_options& options, double skin) {
  neighbor_list list = list_for(options.strategy, p, forces.potential().cutoff(), skin);
  list.build(space, p.x);
  evaluated e{{}, std::vector<point>(p.x.size(), point{1e30, 1e30, 1e30}), std::vector<double>(p.x.size(), 1e30)};
  e.result = forces.compute(space, list, with_types(p.x, types), e.f, std::span<double>(e.energies), options);
  return e;
}

particles open_above(particles p) {
  p.box.periodic[2] = false;
  return p;
}

/// Parameters of each pair, as a user states them, apart from the library's table.
struct stated {
  long double epsilon, sigma, cutoff;
};

struct all_typed_pairs {
  std::vector<std::array<long double, 3>> f;
  long double energy = 0;

  template <class Types>
  all_typed_pairs(const particles& p, const Types& types, const std::vector<std::vector<stated>>& of, truncation end) : f(p.x.size()) {
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      for (std::size_t j = i + 1; j < p.x.size(); ++j) {
        const stated& s = of[static_cast<std::size_t>(types[i])][static_cast<std::size_t>(types[j])];
        const long double r = std::sqrt(distance_squared(p.box, p.x[i], p.x[j]));
        if (r >= s.cutoff) continue;
        const auto u = [&](long double x) { return 4 * s.epsilon * (std::pow(s.sigma / x, 12.0L) - std::pow(s.sigma / x, 6.0L)); };
        const auto slope = [&](long double x) {
          return 4 * s.epsilon * (-12 * std::pow(s.sigma / x, 12.0L) + 6 * std::pow(s.sigma / x, 6.0L)) / x;
        };
        long double force = -slope(r);
        energy += u(r);
        if (end != truncation::plain) energy -= u(s.cutoff);
        if (end == truncation::shifted_force) {
          energy -= (r - s.cutoff) * slope(s.cutoff);
          force += slope(s.cutoff);
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const long double d = nearest(p.box, k, static_cast<long double>(p.x[i][k]) - static_cast<long double>(p.x[j][k]));
          f[i][k] += force / r * d;
          f[j][k] -= force / r * d;
        }
      }
    }
  }
};

/// A functor of a caller's, which is called pair by pair.
struct harmonic_mixture {
  [[nodiscard]] double cutoff() const { return 1.4; }
  [[nodiscard]] std::size_t types() const { return 2; }
  void operator()(double r_squared, unsigned a, unsigned b, double& energy, double& force_over_r) const {
    const double left = (a == b ? 1.96 : 1.5) - r_squared;
    energy = left > 0 ? (1 + a + b) * left * left : 0;
    force_over_r = left > 0 ? 4 * (1 + a + b) * left : 0;
  }
};

}  // namespace

TEST_CASE("a mixture against all pairs in extended precision", "[forces][mixtures]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  for (const truncation end : {truncation::plain, truncation::shifted, truncation::shifted_force}) {
    lennard_jones_mixture mixture({{1, 1}, {0.5, 0.88}, {1.25, 1.1}}, 2.1, end);
    mixture.set(0, 1, {1.5, 0.8}, 1.6).set(2, 2, {0.25, 1.2});
    std::vector<std::vector<stated>> of(3, std::vector<stated>(3));
    const auto state = [&](std::size_t a, std::size_t b, stated s) { of[a][b] = of[b][a] = s; };
    state(0, 0, {1, 1, 2.1});
    state(1, 1, {0.5, 0.88, 2.1});
    state(2, 2, {0.25, 1.2, 2.1});
    state(0, 1, {1.5, 0.8, 1.6});
    state(0, 2, {std::sqrt(1.25L), 1.05L, 2.1});
    state(1, 2, {std::sqrt(0.625L), 0.99L, 2.1});
    pair_forces forces(mixture);
    for (const particles& p : {fcc(4, 0.8442, 0.15, seed), open_above(fcc(4, 0.4, 0.3, seed + 1))}) {
      const auto types = some_types<int>(p.x.size(), 3, seed + 2);
      const all_typed_pairs expected(p, types, of, end);
      long double size = 1;
      for (const auto& f : expected.f) size = std::max({size, std::fabs(f[0]), std::fabs(f[1]), std::fabs(f[2])});
      for (const strategy s : accrue::all_strategies) {
        INFO(accrue::to_string(s));
        const evaluated e = evaluate_typed(hook::make(), p, types, forces, with(s), 0.1);
        const double rounding = 1e-12 * static_cast<double>(size) * static_cast<double>(p.x.size());
        CHECK(std::fabs(e.result.energy - static_cast<double>(expected.energy)) < rounding);
        double worst = 0;
        for (std::size_t i = 0; i < p.x.size(); ++i) {
          for (std::size_t k = 0; k < 3; ++k) worst = std::max(worst, std::fabs(e.f[i][k] - static_cast<double>(expected.f[i][k])));
        }
        CHECK(worst < 1e-11 * static_cast<double>(size));
      }
    }
  }
}

TEST_CASE("a mixture of like types has the bits of one type, whatever holds the types", "[forces][mixtures]") {
  const particles p = fcc(4, 0.8442, 0.15, next_seed());
  const std::size_t n = p.x.size();
  for (const truncation end : {truncation::plain, truncation::shifted_force}) {
    pair_forces plain(lennard_jones(2.2, end, 1.5, 0.9));
    const std::vector<lennard_jones_parameters> same(256, {1.5, 0.9});
    lennard_jones_mixture mixture(same, 2.2, end);
    for (std::size_t a = 0; a < 256; a += 7) mixture.set(a, (a * 5) % 256, {1.5, 0.9});  // not by the rule, whose root may round
    for (std::size_t a = 0; a < 256; ++a) {
      for (std::size_t b = 0; b < a; ++b) mixture.set(a, b, {1.5, 0.9});
    }
    pair_forces typed(mixture);
    for (const strategy s : {strategy::gather, strategy::fixed_point, strategy::replicated}) {
      const evaluated expected = evaluate(accrue::serial{}, p, plain, with(s), 0.1);
      const auto check = [&](const auto& types) {
        const evaluated e = evaluate_typed(accrue::serial{}, p, types, typed, with(s), 0.1);
        CHECK(force_bits(e) == force_bits(expected));
        CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
      };
      check(some_types<std::uint8_t>(n, 256, 1));
      check(some_types<short>(n, 256, 2));
      check(some_types<unsigned>(n, 256, 3));
    }
  }
}

TEST_CASE("types of a caller's own potential: the same bits for any team, and both orders of a pair", "[forces][mixtures]") {
  const particles p = fcc(4, 1.0, 0.2, next_seed());
  const auto types = some_types<int>(p.x.size(), 2, 9);
  pair_forces forces(harmonic_mixture{});
  for (const strategy s : {strategy::fixed_point, strategy::gather}) {
    const evaluated first = evaluate_typed(accrue::serial{}, p, types, forces, with(s), 0.1);
    for (const auto& space : hook::teams()) CHECK(force_bits(evaluate_typed(space, p, types, forces, with(s), 0.1)) == force_bits(first));
    double energy = 0;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        double e = 0;
        double f = 0;
        const auto r2 = static_cast<double>(distance_squared(p.box, p.x[i], p.x[j]));
        if (r2 < 1.96) harmonic_mixture{}(r2, static_cast<unsigned>(types[i]), static_cast<unsigned>(types[j]), e, f);
        energy += e;
      }
    }
    CHECK(std::fabs(first.result.energy - energy) < 1e-9 * energy);
  }
}

TEST_CASE("what mixtures and types refuse", "[forces][mixtures]") {
  const std::vector<lennard_jones_parameters> like(300);
  const auto make = [&](std::size_t types) { return lennard_jones_mixture(std::span(like.data(), types), 2.0); };
  CHECK(code_of([&] { make(0); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { make(257); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { make(256); }) == accrue::errc::success);
  CHECK(code_of([&] { make(2).set(0, 2, {}); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { make(2).set(0, 1, {1, -1}); }) == accrue::errc::invalid_argument);
  CHECK(make(2).set(0, 1, {}, 3.0).cutoff() == 3.0);
  double e = 0;
  CHECK(code_of([&] { make(2)(1.0, 0, 2, e, e); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { make(std::size_t{1} << 40); }) == accrue::errc::invalid_argument);

  const particles p = fcc(3, 0.8442, 0.1, next_seed());
  pair_forces forces(make(2));
  for (const strategy s : {strategy::gather, strategy::fixed_point}) {
    neighbor_list list = list_for(s, p, 2.0, 0.1);
    list.build(hook::make(), p.x);
    std::vector<point> f(p.x.size());
    std::vector<signed char> small(p.x.size(), 0);
    small[5] = -1;
    CHECK(code_of([&] { forces.compute(hook::make(), list, with_types(p.x, small), f, with(s)); }) == accrue::errc::bad_input);
    pair_forces of_all(make(256));
    CHECK(code_of([&] { of_all.compute(hook::make(), list, with_types(p.x, small), f, with(s)); }) == accrue::errc::bad_input);
    for (const int wrong : {2, 256, -1}) {
      std::vector<int> types(p.x.size(), 1);
      types[70] = types[23] = wrong;
      const auto why = message_of([&] { forces.compute(hook::make(), list, with_types(p.x, types), f, with(s)); });
      CHECK(why == "accrue::pair_forces: the type of particle 23 is none of the potential's 2");
      types[70] = types[23] = 0;
      forces.compute(hook::make(), list, with_types(p.x, types), f, with(s));
    }
  }
  const std::vector<int> few(p.x.size() - 1);
  CHECK(code_of([&] { with_types(p.x, few); }) == accrue::errc::size_mismatch);
}
