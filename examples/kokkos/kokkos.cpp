// SPDX-License-Identifier: BSD-3-Clause
// Views, and an exact sum in one's own Kokkos loop.
//! [kokkos]
#include <accrue/kokkos.hpp>
//! [kokkos]
#include <cstdio>

int main() {
  const Kokkos::ScopeGuard kokkos;
  const std::size_t n = 1000000;
  Kokkos::View<double*> x("x", n);
  Kokkos::View<double* [3]> f("f", n);
  Kokkos::parallel_for(n, KOKKOS_LAMBDA(std::size_t i) { x(i) = 1.0 / (1.0 + static_cast<double>(i)); });

  //! [kokkos]
  accrue::kokkos<> space;                                     // or accrue::kokkos<Kokkos::OpenMP>{instance}
  double total = accrue::sum(space, x);                       // exact: the same bits on every space
  auto [low, high] = accrue::minmax(space, x);
  Kokkos::View<double> norm("norm");
  accrue::reduce_into(space, x, accrue::norm2_of<double>{}, norm);  // stays on the device

  double again = 0;                                           // an exact sum in one's own loop
  Kokkos::parallel_reduce(n, KOKKOS_LAMBDA(std::size_t i, accrue::kokkos_total<double>& t) { t += x(i); },
                          accrue::kokkos_exact_sum<double>(again));

  accrue::kokkos_fixed_point<Kokkos::View<double* [3]>> sum(f);  // contributions that add up to the same bits in any order
  Kokkos::parallel_for(n, KOKKOS_LAMBDA(std::size_t i) { sum((7 * i) % n, 0) += x(i); });
  if (!sum.contribute_into(f)) return 1;                          // false: less than half a unit of a bound
  //! [kokkos]
  const double scattered = accrue::sum(space, Kokkos::subview(f, Kokkos::ALL, 0));

  std::printf("%.17g %.17g %.17g, %g to %g\n", total, again, scattered, low, high);
  return total == again && low == 1e-6 && high == 1 && std::abs(scattered - total) < 1e-12 ? 0 : 1;
}
