// SPDX-License-Identifier: BSD-3-Clause
// Forces from one's own loop over one's own pairs: springs between neighbours on a ring, and their energy, exactly.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

int main() {
  using point = std::array<double, 3>;
  const std::size_t n = 10000;
  std::vector<point> x(n), f(n), again(n);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i);
    x[i] = {std::cos(0.01 * t), std::sin(0.01 * t), 0.001 * t};
    for (std::size_t k = 1; k <= 5; ++k) pairs.emplace_back(i, (i + k) % n);
  }
  const auto spring = [&](std::size_t k, auto& force, auto& energy) {
    const auto [i, j] = pairs[k];
    const point d{x[j][0] - x[i][0], x[j][1] - x[i][1], x[j][2] - x[i][2]};
    force.add(i, d);
    force.add(j, {-d[0], -d[1], -d[2]});
    energy.add(0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  };

  // accrue runs the loop. fixed_point: the same bits on any number of threads.
  accrue::exact_total energy;
  accrue::accumulate(accrue::openmp(), accrue::targets(f, energy), pairs.size(), spring, accrue::strategy::fixed_point);

  // The same inside a parallel loop of one's own.
  accrue::exact_total energy_again;
  auto sums = accrue::scatter(accrue::openmp(), accrue::targets(again, energy_again), accrue::strategy::fixed_point);
#pragma omp parallel
  {
    auto& force = std::get<0>(sums.local());  // this thread's
    auto& e = std::get<1>(sums.local());
#pragma omp for
    for (std::size_t k = 0; k < pairs.size(); ++k) spring(k, force, e);
  }
  sums.finish();

  std::printf("energy %.17g, force on the first %.17g %.17g %.17g\n", energy.value(), f[0][0], f[0][1], f[0][2]);
  return f == again && energy.value() == energy_again.value() ? 0 : 1;
}
