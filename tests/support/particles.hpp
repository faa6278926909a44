// SPDX-License-Identifier: BSD-3-Clause
// Particle systems for the tests: lattices, random gases, the reference configurations, and the pairs of a system by brute force.
#pragma once

#include <accrue/md/neighbors.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "golden/random.hpp"

namespace test {

using point = std::array<double, 3>;

struct particles {
  accrue::orthorhombic_box box;
  std::vector<point> x;
  std::vector<point> f;  ///< reference forces, if there are any
};

/// cells^3 face-centred cubic unit cells at that number density, each position displaced by up to `jitter` unit cells.
inline particles fcc(int cells, double density, double jitter = 0, std::uint64_t seed = 1) {
  const double a = std::cbrt(4 / density);
  particles p{{{0, 0, 0}, {a * cells, a * cells, a * cells}, {true, true, true}}, {}, {}};
  constexpr double basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      for (int k = 0; k < cells; ++k) {
        for (const auto& b : basis) {
          const std::uint64_t n = 3 * p.x.size();
          p.x.push_back({(k + b[0] + jitter * random_unit(seed, n)) * a, (j + b[1] + jitter * random_unit(seed, n + 1)) * a,
                         (i + b[2] + jitter * random_unit(seed, n + 2)) * a});
        }
      }
    }
  }
  return p;
}

/// n particles anywhere in the box, or up to `outside` box lengths beyond it.
inline particles gas(std::size_t n, const accrue::orthorhombic_box& box, std::uint64_t seed, double outside = 0) {
  particles p{box, std::vector<point>(n), {}};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      p.x[i][k] = box.low[k] + box.length[k] * (random_unit(seed, 3 * i + k) * (1 + 2 * outside) - outside);
    }
  }
  return p;
}

inline std::string data_file(const std::string& name) { return std::string(ACCRUE_DATA_DIR) + "/" + name; }

/// A NIST Lennard-Jones sample configuration.
inline particles nist_configuration(int number) {
  std::ifstream in(data_file("nist_lj/lj_sample_config_periodic" + std::to_string(number) + ".txt"));
  particles p;
  std::size_t n = 0;
  in >> p.box.length[0] >> p.box.length[1] >> p.box.length[2] >> n;
  p.x.resize(n);
  std::size_t id = 0;
  for (auto& x : p.x) in >> id >> x[0] >> x[1] >> x[2];
  if (!in) throw std::runtime_error("the NIST configuration cannot be read");
  for (std::size_t k = 0; k < 3; ++k) p.box.low[k] = -p.box.length[k] / 2;
  return p;
}

/// 32000 atoms and their forces as LAMMPS wrote them after 100 steps of the standard Lennard-Jones benchmark.
inline particles melted_liquid() {
  std::ifstream in(data_file("lj_liquid/lammps_32000_step100.dump"));
  std::string line;
  for (int k = 0; k < 5; ++k) std::getline(in, line);
  particles p;
  for (std::size_t k = 0; k < 3; ++k) {
    double high = 0;
    in >> p.box.low[k] >> high;
    p.box.length[k] = high - p.box.low[k];
  }
  std::getline(in, line);
  std::getline(in, line);
  p.x.resize(32000);
  p.f.resize(32000);
  std::size_t id = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i)
    in >> id >> p.x[i][0] >> p.x[i][1] >> p.x[i][2] >> p.f[i][0] >> p.f[i][1] >> p.f[i][2];
  if (!in) throw std::runtime_error("the melted liquid cannot be read");
  return p;
}

/// The 64000-atom liquid in extended XYZ.
inline particles large_liquid() {
  std::ifstream in(data_file("lj_liquid/hoomd_64000.xyz"));
  particles p;
  std::size_t n = 0;
  in >> n;
  p.x.resize(n);
  std::string line;
  std::getline(in, line);
  std::getline(in, line);
  for (std::size_t k = 0; k < 3; ++k) {
    p.box.length[k] = 55.1293488;
    p.box.low[k] = -p.box.length[k] / 2;
  }
  std::string species;
  for (auto& x : p.x) in >> species >> x[0] >> x[1] >> x[2];
  if (!in || n != 64000) throw std::runtime_error("the large liquid cannot be read");
  return p;
}

/// The difference of two coordinates, to the nearest image, in extended precision.
inline long double nearest(const accrue::orthorhombic_box& box, std::size_t k, long double d) {
  return box.periodic[k] ? d - static_cast<long double>(box.length[k]) * std::nearbyint(d / static_cast<long double>(box.length[k]))
                         : d;
}
inline long double distance_squared(const accrue::orthorhombic_box& box, const point& a, const point& b) {
  long double r2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const long double d = nearest(box, k, static_cast<long double>(a[k]) - static_cast<long double>(b[k]));
    r2 += d * d;
  }
  return r2;
}

/// All pairs within reach, and those so near to it that rounding may decide.
struct brute_force_pairs {
  std::set<std::pair<std::size_t, std::size_t>> inside;
  std::set<std::pair<std::size_t, std::size_t>> undecided;

  brute_force_pairs(const particles& p, double reach) {
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      for (std::size_t j = i + 1; j < p.x.size(); ++j) {
        const long double r = std::sqrt(distance_squared(p.box, p.x[i], p.x[j]));
        if (std::fabs(r / static_cast<long double>(reach) - 1) < 1e-9L) {
          undecided.emplace(i, j);
        } else if (r < static_cast<long double>(reach)) {
          inside.emplace(i, j);
        }
      }
    }
  }
};

}  // namespace test
