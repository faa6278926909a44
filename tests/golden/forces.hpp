// SPDX-License-Identifier: BSD-3-Clause
// Lennard-Jones forces in fixed point of NIST's configurations, as lines of golden/forces.txt: what every instruction set, processor and
// later version must reproduce. The library itself wrote the file; that its forces are right is the conformance suite's affair.
#pragma once

#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <accrue/md/md.hpp>
#include <string>
#include <vector>

#include "golden/bits.hpp"
#include "support/particles.hpp"

namespace test {

struct golden_forces {
  std::string name;
  std::string bits;
};

/// A checksum of texts (FNV-1a, 64 bits).
class checksum {
 public:
  void add(const std::string& text) {
    for (const char c : text) sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  [[nodiscard]] std::string text() const { return bits(sum_); }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

/// What pair_forces makes of the particles in fixed point.
struct fixed_point_forces {
  accrue::pair_result sums;
  std::vector<point> forces;
  std::vector<double> energies;
};

inline fixed_point_forces compute_in_fixed_point(const particles& p, const accrue::lennard_jones& potential) {
  accrue::neighbor_list list(p.box, potential.cutoff(), 0.3);
  list.build(accrue::serial{}, p.x);
  accrue::pair_forces forces{potential};
  accrue::pair_options options;
  options.strategy = accrue::strategy::fixed_point;
  fixed_point_forces r{{}, std::vector<point>(p.x.size()), std::vector<double>(p.x.size())};
  r.sums = forces.compute(accrue::serial{}, list, p.x, r.forces, std::span<double>(r.energies), options);
  return r;
}

inline std::vector<golden_forces> compute_golden_forces() {
  std::vector<golden_forces> all;
  for (const int number : {1, 2, 3, 4}) {
    for (const auto end : {accrue::truncation::plain, accrue::truncation::shifted_force}) {
      const auto r = compute_in_fixed_point(nist_configuration(number), accrue::lennard_jones(3.0, end));
      std::string text = "energy " + bits(r.sums.energy) + " virial";
      for (const double w : r.sums.virial) text.append(" ").append(bits(w));
      checksum of_forces;
      checksum of_energies;
      for (const auto& v : r.forces) of_forces.add(bits(v[0]) + bits(v[1]) + bits(v[2]));
      for (const double e : r.energies) of_energies.add(bits(e));
      const bool plain = end == accrue::truncation::plain;
      all.push_back({"nist " + std::to_string(number) + (plain ? " plain" : " shifted_force"),
                     text + " forces " + of_forces.text() + " energies " + of_energies.text()});
    }
  }
  return all;
}

}  // namespace test
