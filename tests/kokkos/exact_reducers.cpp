// SPDX-License-Identifier: BSD-3-Clause
// Exact sums in the bodies of Kokkos's own loops: flat, nested, beside other reducers, on hard inputs.
#include "kokkos_suite.hpp"

using namespace test;

namespace bodies {

template <class T>
struct add_element {
  Kokkos::View<T*, memory> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, accrue::kokkos_total<T>& t) const { t += x(i); }
};

template <class T>
struct add_product {
  Kokkos::View<T*, memory> x;
  Kokkos::View<T*, memory> y;
  KOKKOS_FUNCTION void operator()(std::size_t i, accrue::kokkos_product_total<T>& t) const { t.add(x(i), y(i)); }
};

/// As many doubles' totals as a CUDA block has shared memory for.
inline constexpr std::size_t several = accrue::on_kokkos::host_space<exec> ? 4 : 2;

struct add_to_several {
  Kokkos::View<double*, memory> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, accrue::kokkos_totals<double, several>& t) const {
    t[0] += x(i);
    t[several - 1] -= x(i);
  }
};

#if !defined(ACCRUE_TEST_KOKKOS_SMALL_TEAM_VALUES)
/// Sums of rows, one a team: total of all rows, and each row's own.
struct sum_rows {
  using member = Kokkos::TeamPolicy<exec>::member_type;
  Kokkos::View<double**, Kokkos::LayoutRight, memory> m;
  Kokkos::View<double*, memory> rows;
  KOKKOS_FUNCTION void operator()(const member& team, accrue::kokkos_total<double>& all) const {
    const auto row = static_cast<std::size_t>(team.league_rank());
    accrue::kokkos_total<double> sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, m.extent(1)), [&](std::size_t j, accrue::kokkos_total<double>& t) { t += m(row, j); },
        accrue::kokkos_exact_sum<double>(sum));
    if (team.team_rank() == 0) {
      rows(row) = sum.value();
      all += sum;
    }
  }
};

#endif

#if KOKKOS_VERSION >= 40000
struct sum_and_least {
  Kokkos::View<double*, memory> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, accrue::kokkos_total<double>& t, double& least) const {
    t += x(i);
    least = x(i) < least ? x(i) : least;
  }
};
#endif

}  // namespace bodies
using namespace bodies;

namespace {

template <class T>
void check_sums() {
  for (const distribution d : all_distributions) {
    for (const std::size_t n : {0u, 1u, 100u, 20001u}) {
      const auto x = sequence<T>(d, next_seed(), n);
      const auto v = to_view(x);
      T total = 1;
      Kokkos::parallel_reduce("total", Kokkos::RangePolicy<exec>(0, n), add_element<T>{v}, accrue::kokkos_exact_sum<T>(total));
      INFO(to_string(d) << ", n = " << n);
      CHECK(bits(total) == bits(accrue::sum(accrue::serial{}, x)));
    }
  }
}

}  // namespace

TEST_CASE("exact sums in a parallel_reduce", "[kokkos]") {
  hook::start_kokkos();
  check_sums<double>();
  check_sums<float>();
}

TEST_CASE("exact dots, several sums, and results of other kinds", "[kokkos]") {
  const std::size_t n = 30011;
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), n);
  const auto y = sequence<double>(distribution::log_uniform, next_seed(), n);
  const auto v = to_view(x);
  const auto w = to_view(y);
  const Kokkos::RangePolicy<exec> policy(0, n);
  double dot = 0;
  Kokkos::parallel_reduce(policy, add_product<double>{v, w}, accrue::kokkos_exact_dot<double>(dot));
  CHECK(bits(dot) == bits(accrue::dot(accrue::serial{}, x, y)));

  accrue::kokkos_totals<double, several> sums;
  Kokkos::parallel_reduce(policy, add_to_several{v}, accrue::kokkos_exact_sums<double, several>(sums));
  CHECK(bits(sums[0].value()) == exact_bits(x));
  CHECK(bits(sums[several - 1].value()) == bits(-sums[0].value()));
  sums[0] += sums[several - 1];
  CHECK(sums[0].value() == 0);

  accrue::kokkos_total<double> total;
  Kokkos::parallel_reduce(policy, add_element<double>{v}, accrue::kokkos_exact_sum<double>(total));
  accrue::superaccumulator<double> elsewhere;
  for (const double e : x) elsewhere.add(e);
  CHECK(total.state() == elsewhere);

  const Kokkos::View<accrue::kokkos_total<double>, memory> result("result");
  Kokkos::parallel_reduce(policy, add_element<double>{v}, accrue::kokkos_exact_sum<double, memory>(result));
  Kokkos::fence();
  CHECK(to_host(result)[0].state() == elsewhere);
}

#if !defined(ACCRUE_TEST_KOKKOS_SMALL_TEAM_VALUES)
TEST_CASE("exact sums of teams, nested", "[kokkos]") {
  const std::size_t rows = 41;
  const std::size_t columns = 777;
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), rows * columns);
  const auto m = to_matrix<Kokkos::LayoutRight>(x, columns);
  const Kokkos::View<double*, memory> sums("sums", rows);
  double total = 0;
  Kokkos::parallel_reduce(Kokkos::TeamPolicy<exec>(static_cast<int>(rows), Kokkos::AUTO), sum_rows{m, sums},
                          accrue::kokkos_exact_sum<double>(total));
  CHECK(bits(total) == exact_bits(x));
  const auto host = to_host(sums);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r * columns);
    CHECK(bits(host[r]) == exact_bits(std::vector<double>(begin, begin + columns)));
  }
}

#endif

#if KOKKOS_VERSION >= 40000
TEST_CASE("an exact sum beside Kokkos's own reducers", "[kokkos]") {
  const auto x = sequence<double>(distribution::normal, next_seed(), 12345);
  const auto v = to_view(x);
  accrue::kokkos_total<double> total;
  double least = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<exec>(0, x.size()), sum_and_least{v}, accrue::kokkos_exact_sum<double>(total),
                          Kokkos::Min<double>(least));
  CHECK(bits(total.value()) == exact_bits(x));
  CHECK(least == accrue::min(accrue::serial{}, x));
}
#endif
