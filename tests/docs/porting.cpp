// SPDX-License-Identifier: BSD-3-Clause
// docs/porting.md: loops with OpenMP and calls of BLAS, before and after, with the same data.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#if ACCRUE_TEST_CBLAS
#include <cblas.h>
#endif

namespace {

const std::size_t n = 10000;
const std::size_t bins = 64;
std::vector<double> waves(double step) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(step * static_cast<double>(i + 1));
  return v;
}
const std::vector<double> x = waves(0.37);
const std::vector<double> y = waves(1.91);
std::size_t bin(double v) { return static_cast<std::size_t>((v + 1) / 2 * (bins - 1)); }
bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

TEST_CASE("loops with OpenMP become calls", "[docs]") {
  double energy_before = 0;
  double largest_before = 0;
  std::vector<double> spectrum_before(bins);
  {
    std::vector<double>& spectrum = spectrum_before;
    //! [openmp-before]
    double energy = 0;
    double largest = -HUGE_VAL;
    #pragma omp parallel for reduction(+ : energy) reduction(max : largest)
    for (std::size_t i = 0; i < n; ++i) {
      energy += 0.5 * x[i] * x[i];
      largest = std::fmax(largest, x[i]);
    }
    double* const s = spectrum.data();
    #pragma omp parallel for reduction(+ : s[:bins])
    for (std::size_t i = 0; i < n; ++i) s[bin(x[i])] += y[i];
    //! [openmp-before]
    energy_before = energy;
    largest_before = largest;
  }
  std::vector<double> spectrum(bins);
  //! [openmp-after]
  const accrue::openmp space;
  double energy  = accrue::transform_reduce(space, x, accrue::plus{}, [](double v) { return 0.5 * v * v; });
  double largest = accrue::max_number(space, x);
  accrue::accumulate(space, spectrum, n, [&](std::size_t i, auto& out) { out.add(bin(x[i]), y[i]); }, accrue::strategy::fixed_point);
  //! [openmp-after]
  CHECK(near(energy, energy_before));
  CHECK(largest == largest_before);
  for (std::size_t b = 0; b < bins; ++b) CHECK(near(spectrum[b], spectrum_before[b]));
}

#if ACCRUE_TEST_CBLAS
TEST_CASE("calls of BLAS become calls", "[docs]") {
  double before[5];
  {
    //! [blas-before]
    double d = cblas_ddot(n, x.data(), 1, y.data(), 1);
    double s = cblas_ddot(n / 2, x.data(), 2, y.data(), 2);
    double r = cblas_dnrm2(n, x.data(), 1);
    double a = cblas_dasum(n, x.data(), 1);
    auto   i = cblas_idamax(n, x.data(), 1);
    //! [blas-before]
    before[0] = d, before[1] = s, before[2] = r, before[3] = a, before[4] = static_cast<double>(i);
  }
  //! [blas-after]
  const accrue::default_space space;
  double d = accrue::dot(space, x, y);
  double s = accrue::dot(space, accrue::view(x.data(), n / 2, 2), accrue::view(y.data(), n / 2, 2));
  double r = accrue::norm2(space, x);
  double a = accrue::sum_abs(space, x);
  auto   i = accrue::transform_reduce(space, x, accrue::argmax_of<double>{}, [](double v) { return std::abs(v); }).index;
  //! [blas-after]
  CHECK((near(d, before[0]) && near(s, before[1]) && near(r, before[2]) && near(a, before[3]) && static_cast<double>(i) == before[4]));
}
#endif
