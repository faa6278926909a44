// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients on -u'' + 0.1 u = f. With exact dot products the residuals have the same bits on any number of threads.
#include <accrue/accrue.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using vector = std::vector<double>;

void multiply(const vector& x, vector& y) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) y[i] = 2.1 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
}

/// The squares of the residuals, step by step.
vector residuals(const accrue::openmp& space, std::size_t n, int steps) {
  vector x(n), r(n), p, q(n), history;
  for (std::size_t i = 0; i < n; ++i) r[i] = std::sin(0.001 * static_cast<double>(i * i));
  p = r;
  double rr = accrue::dot(space, r, r);
  for (int k = 0; k < steps; ++k) {
    multiply(p, q);
    const double alpha = rr / accrue::dot(space, p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = accrue::dot(space, r, r);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
    history.push_back(rr);
  }
  return history;
}

}  // namespace

int main() {
  const vector one = residuals(accrue::openmp(1), 200000, 30);
  const vector four = residuals(accrue::openmp(4), 200000, 30);
  const char* verdict = one == four ? "the same bits" : "DIFFERENT BITS";
  std::printf("after 30 steps %.17g on one thread, %.17g on four: %s\n", one.back(), four.back(), verdict);
  return one == four ? 0 : 1;
}
