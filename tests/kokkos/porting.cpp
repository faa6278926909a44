// SPDX-License-Identifier: BSD-3-Clause
// docs/porting.md: Kokkos's reductions, before and after, with the same data.
#include "kokkos_suite.hpp"

using namespace test;

namespace porting {  // whose functions device compilers may make kernels of

using view = Kokkos::View<double*, memory>;
struct results {
  double total;
  double lowest;
  std::int64_t where;
};

inline results before(const view& x) {
  //! [kokkos-before]
  const Kokkos::RangePolicy<exec> range(0, x.extent(0));
  double total = 0;
  Kokkos::parallel_reduce(range, KOKKOS_LAMBDA(std::int64_t i, double& t) { t += x(i); }, total);
  using min_loc = Kokkos::MinLoc<double, std::int64_t>;
  min_loc::value_type low;
  Kokkos::parallel_reduce(range, KOKKOS_LAMBDA(std::int64_t i, min_loc::value_type& m) {
    if (x(i) < m.val) {
      m.val = x(i);
      m.loc = i;
    }
  }, min_loc(low));
  //! [kokkos-before]
  return {total, low.val, low.loc};
}

inline results after(const view& x) {
  //! [kokkos-after]
  const accrue::kokkos<exec> space;
  double total = accrue::sum(space, x);
  auto [lowest, where] = accrue::argmin(space, x);
  //! [kokkos-after]
  return {total, lowest, static_cast<std::int64_t>(where)};
}

}  // namespace porting

TEST_CASE("Kokkos's reductions become calls", "[kokkos]") {
  const auto x = to_view(sequence<double>(distribution::normal, next_seed(), 20001));
  const auto a = porting::before(x);
  const auto b = porting::after(x);
  CHECK(std::abs(a.total - b.total) < 1e-9);
  CHECK(a.lowest == b.lowest);
  CHECK(a.where == b.where);
}
