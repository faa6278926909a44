// SPDX-License-Identifier: BSD-3-Clause
// A consumer outside the tree: plain C++, its own flags, no OpenMP.
#include <accrue/accrue.hpp>
#include <accrue/md/md.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> x(100001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (i % 2 != 0 ? 1 : -1) * std::ldexp(1.0, static_cast<int>(i % 120) - 60);
  x[7] = 0x1p-1074;
  accrue::superaccumulator<double> by_hand;
  for (const double v : x) by_hand.add(v);
  const double expected = by_hand.round<double>();
  const accrue::openmp team(3, accrue::merge_method::tree, 1);
  int wrong = 0;
  const auto check = [&](const char* what, bool good) {
    if (!good) std::printf("%s differs\n", what);
    wrong += good ? 0 : 1;
  };
  check("serial sum", accrue::sum(accrue::serial{}, x) == expected);
  check("openmp sum", accrue::sum(team, x) == expected);
  check("ordered sum", accrue::sum(team, x, accrue::ordered) == accrue::sum(accrue::serial{}, x, accrue::ordered));
  check("user's transform", accrue::transform_reduce(team, x, accrue::plus{}, [](double v) { return v; }) == expected);
  const auto [low, at] = accrue::argmin(accrue::default_space{}, x);
  check("argmin", low == x[at]);
  // Every term in the subnormal range: flush-to-zero, which -Ofast may switch on, would lose it.
  const std::vector<double> tiny(1000, 0x1p-1074);
  accrue::superaccumulator<double> thousand;
  for (const double v : tiny) thousand.add(v);
  auto difference = thousand;
  difference.add(-accrue::sum(accrue::serial{}, tiny));
  check("subnormal sum", difference == accrue::superaccumulator<double>{});
  // Two particles at distance 1: U = 0, f = 24.
  const std::vector<std::array<double, 3>> pair{{1, 1, 1}, {2, 1, 1}};
  std::vector<std::array<double, 3>> f(2);
  accrue::neighbor_list list({{0, 0, 0}, {10, 10, 10}}, 2.5, 0.3);
  list.build(team, pair);
  accrue::pair_forces forces(accrue::lennard_jones(2.5));
  const auto r = forces.compute(team, list, pair, f);
  check("pair energy", r.energy == 0 && f[0][0] == -24 && f[1][0] == 24);
  std::printf("accrue %s (%s): %s\n", ACCRUE_VERSION, accrue::backend_names, wrong == 0 ? "the same bits" : "WRONG");
  return wrong;
}
