// SPDX-License-Identifier: BSD-3-Clause
// Pair forces and neighbour lists on Views: against the serial backend, for every strategy, both kinds of rows, and both layouts.
#include "conformance/forces.hpp"
#include "kokkos_suite.hpp"

#include <accrue/md/kokkos.hpp>
#include <cmath>

using namespace test;

namespace {

std::vector<double> flat(const std::vector<point>& x) {
  std::vector<double> all;
  for (const auto& p : x) all.insert(all.end(), p.begin(), p.end());
  return all;
}

template <class Layout>
Kokkos::View<double* [3], Layout, memory> to_points(const std::vector<point>& x) {
  hook::start_kokkos();
  Kokkos::View<double* [3], Layout, memory> v("x", x.size());
  const auto mirror = Kokkos::create_mirror_view(v);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) mirror(i, d) = x[i][d];
  }
  Kokkos::deep_copy(v, mirror);
  return v;
}

void check_close(const std::vector<double>& got, const std::vector<point>& expected) {
  double worst = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    worst = std::max(worst, std::fabs(got[k] - expected[k / 3][k % 3]) / (1 + std::fabs(expected[k / 3][k % 3])));
  }
  CHECK(worst < 1e-11);
}

template <class Layout>
void check_views() {
  particles p = fcc(5, 0.8442, 0.08, next_seed());
  for (const bool periodic : {true, false}) {
    p.box.periodic = {periodic, periodic, periodic};
    for (const truncation end : {truncation::plain, truncation::shifted_force}) {
      const lennard_jones u(2.2, end);
      pair_forces<lennard_jones> reference(u);
      const auto expected = evaluate(accrue::serial{}, p, reference, with(strategy::replicated), 0.3);
      const auto x = to_points<Layout>(p.x);
      for (const list_kind kind : {list_kind::half, list_kind::full}) {
        neighbor_list list(p.box, 2.2, 0.3, kind);
        list.build(accrue::serial{}, p.x);
        const auto rows = accrue::to_kokkos_rows<memory>(list);
        std::vector<strategy> ways{strategy::atomic, strategy::fixed_point};
        if (accrue::on_kokkos::host_space<exec>) ways.insert(ways.end(), {strategy::replicated, strategy::triangle});
        if (kind == list_kind::full) ways = {strategy::gather};
        for (const strategy s : ways) {
          const auto f = to_points<Layout>(std::vector<point>(p.x.size(), point{0, 0, 0}));
          const auto r =
              accrue::compute_pair_forces(hook::make(), accrue::kokkos_lennard_jones(u), rows, kind, p.box, x, f, with(s));
          INFO(accrue::to_string(s) << (periodic ? ", periodic" : ", open"));
          check_close(to_host(f), expected.f);
          CHECK(std::fabs(r.energy - expected.result.energy) < 1e-10 * std::fabs(expected.result.energy));
          for (std::size_t c = 0; c < 6; ++c) {
            CHECK(std::fabs(r.virial[c] - expected.result.virial[c]) < 1e-10 * (1 + std::fabs(expected.result.virial_trace())));
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("pair forces over rows in Views", "[kokkos][forces]") {
  check_views<Kokkos::LayoutRight>();
  check_views<Kokkos::LayoutLeft>();
}

TEST_CASE("fixed-point forces, energy and virial do not show the order of the rows", "[kokkos][forces]") {
  const particles p = fcc(6, 0.8442, 0.08, next_seed());
  neighbor_list list(p.box, 2.5, 0.3);
  list.build(accrue::serial{}, p.x);
  const auto x = to_points<Kokkos::LayoutRight>(p.x);
  // The same pairs in padded rows, turned round and in another order.
  std::vector<std::vector<int>> mixed(p.x.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    for (const std::uint32_t other : list.row(k)) {
      const auto i = list.order()[k];
      const auto j = list.order()[other];
      (random_bits(3, i * 7919 + j) % 2 == 0 ? mixed[i] : mixed[j])
          .push_back(static_cast<int>(random_bits(3, i * 7919 + j) % 2 == 0 ? j : i));
    }
  }
  std::size_t widest = 0;
  for (auto& row : mixed) {
    std::reverse(row.begin(), row.end());
    widest = std::max(widest, row.size());
  }
  std::vector<int> counts;
  std::vector<int> entries(p.x.size() * widest);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    counts.push_back(static_cast<int>(mixed[i].size()));
    std::copy(mixed[i].begin(), mixed[i].end(), entries.begin() + static_cast<std::ptrdiff_t>(i * widest));
  }
  const auto padded = to_matrix<Kokkos::LayoutLeft>(entries, widest);
  const accrue::kokkos_padded_rows<Kokkos::View<int*, Kokkos::LayoutRight, memory>, decltype(padded)> other_rows{to_view(counts),
                                                                                                                 padded};
  const auto run = [&](const auto& rows, const pair_options& options, std::string& all) {
    const auto f = to_points<Kokkos::LayoutRight>(std::vector<point>(p.x.size(), point{0, 0, 0}));
    const auto r = accrue::compute_pair_forces(hook::make(), accrue::kokkos_lennard_jones(lennard_jones(2.5)), rows,
                                               list_kind::half, p.box, x, f, options);
    all = scalar_bits(r);
    for (const double v : to_host(f)) all += bits(v);
  };
  pair_options options = with(strategy::fixed_point);
  for (const double largest : {0.0, 1e6}) {
    options.largest_force = largest;
    std::string a, b;
    run(accrue::to_kokkos_rows<memory>(list), options, a);
    run(other_rows, options, b);
    CHECK(a == b);
  }
}

TEST_CASE("exact totals of a kernel take terms of any size", "[kokkos]") {
  hook::start_kokkos();
  if constexpr (accrue::on_kokkos::host_space<exec>) {
    for (const distribution d : all_distributions) {
      const auto x = sequence<double>(d, next_seed(), 4000);
      const accrue::on_kokkos::shared_totals<2, memory> totals(8);
      for (std::size_t i = 0; i < 40; ++i) {
        accrue::on_kokkos::shared_totals<2, memory>::item item(totals, i);
        for (std::size_t k = 0; k < 100; ++k) {
          item.add(0, x[100 * i + k]);
          item.add(1, -x[100 * i + k]);
        }
        item.close();
      }
      INFO(to_string(d));
      CHECK(bits(totals.get()[0].round<double>()) == bits(accrue::sum(accrue::serial{}, x)));
    }
  }
}

TEST_CASE("pair forces on Views: what is refused", "[kokkos][forces]") {
  using accrue::errc;
  const particles p = fcc(4, 0.8442, 0.05, next_seed());
  neighbor_list list(p.box, 1.5, 0.2);
  list.build(accrue::serial{}, p.x);
  const auto rows = accrue::to_kokkos_rows<memory>(list);
  const auto x = to_points<Kokkos::LayoutRight>(p.x);
  const auto refused = [&](const auto& positions, list_kind kind, const pair_options& options) {
    const auto f = to_points<Kokkos::LayoutRight>(p.x);
    return code_of([&] {
      accrue::compute_pair_forces(hook::make(), accrue::kokkos_lennard_jones(lennard_jones(1.5)), rows, kind, p.box, positions, f,
                                  options);
    });
  };
  CHECK(refused(x, list_kind::half, {}) == errc::success);
  CHECK(refused(to_points<Kokkos::LayoutRight>({p.x[0]}), list_kind::half, {}) == errc::size_mismatch);
  CHECK(refused(x, list_kind::full, with(strategy::atomic)) == errc::invalid_argument);
  CHECK(refused(x, list_kind::half, with(strategy::gather)) == errc::invalid_argument);
  pair_options narrow = with(strategy::fixed_point);
  narrow.largest_force = 1e-3;
  CHECK(refused(x, list_kind::half, narrow) == (accrue::on_kokkos::host_space<exec> ? errc::success : errc::out_of_range));
}

#if !defined(ACCRUE_TEST_KOKKOS_DEVICE)
TEST_CASE("neighbour lists and pair forces of the library take Views", "[kokkos][forces]") {
  const particles p = fcc(6, 0.8442, 0.08, next_seed());
  pair_forces<lennard_jones> forces(lennard_jones(2.5));
  const auto expected = evaluate(accrue::serial{}, p, forces, with(strategy::fixed_point), 0.3);
  const auto space = hook::make();
  const auto check = [&](const auto& x) {
    neighbor_list list(p.box, 2.5, 0.3);
    list.build(space, x);
    CHECK(!list.needs_rebuild(space, x));
    const auto f = to_points<Kokkos::LayoutLeft>(p.x);
    const auto r = forces.compute(space, list, x, f, with(strategy::fixed_point));
    CHECK(scalar_bits(r) == scalar_bits(expected.result));
    std::string a, b;
    for (const double v : to_host(f)) a += bits(v);
    for (const double v : flat(expected.f)) b += bits(v);
    CHECK(a == b);
  };
  check(to_points<Kokkos::LayoutRight>(p.x));
  check(to_points<Kokkos::LayoutLeft>(p.x));
  check(to_matrix<Kokkos::LayoutLeft>(flat(p.x), 3));
}
#endif
