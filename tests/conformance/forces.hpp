// SPDX-License-Identifier: BSD-3-Clause
// What the tests of pair forces share: one evaluation of a system, and its bits.
#pragma once

#include <accrue/md/pair_forces.hpp>
#include <span>
#include <string>
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

template <class Space, class Potential>
evaluated evaluate(const Space& space, const particles& p, pair_forces<Potential>& forces, const pair_options& options,
                   double skin) {
  neighbor_list list = list_for(options.strategy, p, forces.potential().cutoff(), skin);
  list.build(space, p.x);
  evaluated e{{}, std::vector<point>(p.x.size(), point{1e30, 1e30, 1e30}), std::vector<double>(p.x.size(), 1e30)};
  e.result = forces.compute(space, list, p.x, e.f, std::span<double>(e.energies), options);
  return e;
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
