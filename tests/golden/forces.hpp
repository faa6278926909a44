// SPDX-License-Identifier: BSD-3-Clause
// Lennard-Jones forces in fixed point of NIST's configurations, as lines of golden/forces.txt: what every instruction set, processor and
// later version must reproduce. The library itself wrote the file; that its forces are right is the conformance suite's affair.
#pragma once

#include <accrue/accrue.hpp>
#include <string>
#include <vector>

#include "support/bits.hpp"
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

inline std::vector<golden_forces> compute_golden_forces() {
  std::vector<golden_forces> all;
  for (const int number : {1, 2, 3, 4}) {
    for (const auto end : {accrue::truncation::plain, accrue::truncation::shifted_force}) {
      const particles p = nist_configuration(number);
      accrue::neighbor_list list(p.box, 3.0, 0.3);
      list.build(accrue::serial{}, p.x);
      accrue::pair_forces forces{accrue::lennard_jones(3.0, end)};
      accrue::pair_options options;
      options.strategy = accrue::strategy::fixed_point;
      std::vector<point> f(p.x.size());
      std::vector<double> energies(p.x.size());
      const auto r = forces.compute(accrue::serial{}, list, p.x, f, std::span<double>(energies), options);
      std::string text = "energy " + bits(r.energy) + " virial";
      for (const double w : r.virial) text.append(" ").append(bits(w));
      checksum of_forces;
      checksum of_energies;
      for (const auto& v : f) of_forces.add(bits(v[0]) + bits(v[1]) + bits(v[2]));
      for (const double e : energies) of_energies.add(bits(e));
      const bool plain = end == accrue::truncation::plain;
      all.push_back({"nist " + std::to_string(number) + (plain ? " plain" : " shifted_force"),
                     text + " forces " + of_forces.text() + " energies " + of_energies.text()});
    }
  }
  return all;
}

}  // namespace test
