// SPDX-License-Identifier: BSD-3-Clause
// What the tests of pair forces share: one evaluation of a system, and its bits.
#pragma once

#include <accrue/md/pair_forces.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suite.hpp"
#include "support/particles.hpp"

namespace test {

using accrue::lennard_jones;
using accrue::lennard_jones_mixture;
using accrue::with_types;
using accrue::list_kind;
using accrue::neighbor_list;
using accrue::pair_forces;
using accrue::pair_options;
using accrue::pair_result;
using accrue::strategy;
using accrue::truncation;

inline pair_options with(strategy s) {
  pair_options o;
  o.strategy = s;
  return o;
}

/// A list of the kind a strategy needs.
inline neighbor_list list_for(strategy s, const particles& p, double cutoff, double skin) {
  return {p.box, cutoff, skin, s == strategy::gather ? list_kind::full : list_kind::half};
}

struct evaluated {
  pair_result result;
  std::vector<point> f;
  std::vector<double> energies;
};

/// A potential of the caller's: soft spheres of any stiffness. It refuses a wrong 1/r^2.
struct soft_spheres {
  double stiffness = 1;
  double energy_factor = 1;
  double near_factor = 1;
  [[nodiscard]] constexpr double cutoff() const { return 1.5; }
  constexpr void operator()(double r_squared, double inverse, double& energy, double& force_over_r) const {
    const double left = 2.25 - r_squared;
    const double size = r_squared < 1.125 ? stiffness * near_factor : stiffness;
    energy = size * energy_factor * left * left;
    force_over_r = 4 * size * left;
    const double one = r_squared * inverse;
    if (!(one >= 1 - 0x1p-52 && one <= 1 + 0x1p-52)) force_over_r = std::numeric_limits<double>::quiet_NaN();  // which is refused
  }
};

/// Two of them that touch by very little, and one alone.
inline particles two_that_touch() {
  particles p{};
  p.box = {{0, 0, 0}, {12, 12, 12}, {true, true, true}};
  p.x = {{1, 1, 1}, {2.5 - 5e-12, 1, 1}, {7, 7, 7}};
  return p;
}

/// The same system in other units: lengths times 2^length, energies times 2^energy.
struct other_units {
  int length;
  int energy;

  [[nodiscard]] particles of(particles p) const {
    for (double& l : p.box.length) l = std::ldexp(l, length);
    for (double& o : p.box.low) o = std::ldexp(o, length);
    for (point& x : p.x) {
      for (double& c : x) c = std::ldexp(c, length);
    }
    return p;
  }
  [[nodiscard]] lennard_jones lennard_jones_of(double cutoff) const {
    return lennard_jones(std::ldexp(cutoff, length), truncation::shifted, std::ldexp(1.0, energy), std::ldexp(1.0, length));
  }
  [[nodiscard]] evaluated of(evaluated e) const {
    for (point& f : e.f) {
      for (double& c : f) c = std::ldexp(c, energy - length);
    }
    for (double& u : e.energies) u = std::ldexp(u, energy);
    e.result.energy = std::ldexp(e.result.energy, energy);
    for (double& v : e.result.virial) v = std::ldexp(v, energy);
    return e;
  }
};
inline constexpr other_units si{-32, -69};  // near argon's sigma and epsilon in metres and joules

template <class Space, class Potential>
evaluated evaluate(const Space& space, const particles& p, pair_forces<Potential>& forces, const pair_options& options,
                   double skin) {
  neighbor_list list = list_for(options.strategy, p, forces.potential().cutoff(), skin);
  list.build(space, p.x);
  evaluated e{{}, std::vector<point>(p.x.size(), point{1e30, 1e30, 1e30}), std::vector<double>(p.x.size(), 1e30)};
  e.result = forces.compute(space, list, p.x, e.f, std::span<double>(e.energies), options);
  return e;
}

/// A list as programs keep their own: partners in any order, half lists with pairs in either row, and pairs beyond all reach among them.
struct own_rows {
  std::vector<std::int64_t> offsets;
  std::vector<int> partners;

  own_rows(const particles& p, double reach, list_kind kind, std::uint64_t seed) {
    const std::size_t n = p.x.size();
    std::vector<std::vector<int>> rows(n);
    const long double limit = static_cast<long double>(reach) * static_cast<long double>(reach);
    std::uint64_t draw = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (distance_squared(p.box, p.x[i], p.x[j]) >= limit && random_unit(seed, draw++) > 0.01) continue;
        const bool first = random_unit(seed, draw++) < 0.5;
        if (first || kind == list_kind::full) rows[i].push_back(static_cast<int>(j));
        if (!first || kind == list_kind::full) rows[j].push_back(static_cast<int>(i));
      }
    }
    offsets.push_back(0);
    for (auto& row : rows) {
      for (std::size_t k = row.size(); k > 1; --k) {
        std::swap(row[k - 1], row[static_cast<std::size_t>(random_unit(seed, draw++) * static_cast<double>(k))]);
      }
      partners.insert(partners.end(), row.begin(), row.end());
      offsets.push_back(static_cast<std::int64_t>(partners.size()));
    }
  }
  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::vector<int> counts() const {
    std::vector<int> all;
    for (std::size_t i = 0; i < size(); ++i) all.push_back(static_cast<int>(offsets[i + 1] - offsets[i]));
    return all;
  }
  /// Rows with room for `room` partners; rows side by side, or first partners, then second ones, and so on.
  [[nodiscard]] std::vector<std::uint32_t> padded(std::size_t room, bool side_by_side) const {
    std::vector<std::uint32_t> all(room * size(), 0xdeadbeef);
    for (std::size_t i = 0; i < size(); ++i) {
      const auto first = static_cast<std::size_t>(offsets[i]);
      for (std::size_t k = 0; first + k < static_cast<std::size_t>(offsets[i + 1]); ++k) {
        all[side_by_side ? i * room + k : k * size() + i] = static_cast<std::uint32_t>(partners[first + k]);
      }
    }
    return all;
  }
};

/// A periodic system as programs with ghosts have it: its particles, behind them their images within reach, and no boundary.
struct system_with_ghosts {
  particles all;
  std::size_t own;

  system_with_ghosts(const particles& p, double reach) : all(p), own(p.x.size()) {
    all.box.periodic = {false, false, false};
    for (int image = 0; image < 27; ++image) {
      const int steps[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
      for (std::size_t i = 0; i < own && image != 13; ++i) {
        point x = p.x[i];
        bool near = true;
        for (std::size_t k = 0; k < 3; ++k) {
          x[k] += steps[k] * p.box.length[k];
          near = near && x[k] > p.box.low[k] - reach && x[k] < p.box.low[k] + p.box.length[k] + reach;
        }
        if (near) all.x.push_back(x);
      }
    }
  }
  [[nodiscard]] std::size_t ghosts() const { return all.x.size() - own; }

  struct rows {
    std::vector<std::int64_t> offsets{0};
    std::vector<int> partners;
  };
  /// Rows of the particles, to other particles and to ghosts.
  [[nodiscard]] rows rows_of(list_kind kind, double reach, bool to_ghosts = true) const {
    rows r;
    for (std::size_t i = 0; i < own; ++i) {
      for (std::size_t j = to_ghosts ? all.x.size() : own; j-- != 0;) {
        if (j == i || (kind == list_kind::half && j < i) || distance_squared(all.box, all.x[i], all.x[j]) >= reach * reach) continue;
        r.partners.push_back(static_cast<int>(j));
      }
      r.offsets.push_back(static_cast<std::int64_t>(r.partners.size()));
    }
    return r;
  }
};

/// Energy and virial, rounded, of half of the pairs of one list and half of those of another.
inline std::string half_of_both(const pair_result& a, const pair_result& b) {
  const auto half = [](const auto& x, const auto& y) { return bits((x + y).finish() / 2); };
  std::string all = half(a.energy_partial, b.energy_partial);
  for (std::size_t k = 0; k < 6; ++k) all += half(a.virial_partial[k], b.virial_partial[k]);
  return all;
}

inline std::string scalar_bits(const pair_result& r) {
  std::string all = bits(r.energy);
  for (const double w : r.virial) all += bits(w);
  return all;
}
inline std::string force_bits(const evaluated& e) {
  std::string all;
  for (const auto& f : e.f) all += bits(f[0]) + bits(f[1]) + bits(f[2]);
  for (const double u : e.energies) all += bits(u);
  return all;
}

}  // namespace test
