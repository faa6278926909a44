// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces of Views, on hosts and devices: the serial backend's bits.
#include "conformance/forces.hpp"
#include "kokkos_suite.hpp"

#include <accrue/md/kokkos.hpp>

using namespace test;

namespace bodies {

/// A user's own potential: that of two charges, cut off.
struct repulsion {
  [[nodiscard]] double cutoff() const { return 2.0; }
  KOKKOS_FUNCTION void operator()(double r_squared, double& energy, double& force_over_r) const {
    const double inverse = 1 / r_squared;
    energy = inverse;
    force_over_r = 2 * inverse * inverse;
  }
};

}  // namespace bodies

namespace {

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
template <class Layout>
Kokkos::View<double* [3], Layout, memory> zeros(std::size_t n) {
  return to_points<Layout>(std::vector<point>(n, point{0, 0, 0}));
}
template <class View>
std::string bits_of_view(const View& v) {
  std::string all;
  for (const auto x : to_host(v)) all += bits(x);
  return all;
}
std::string bits_of_points(const std::vector<point>& x) {
  std::string all;
  for (const auto& p : x) all += bits(p[0]) + bits(p[1]) + bits(p[2]);
  return all;
}

/// Forces, energy and virial at `x` over `list` have these bits.
template <class Layout, class Potential>
void check_forces(const neighbor_list& list, const Potential& potential, const std::vector<point>& x, const evaluated& expected) {
  pair_forces<Potential> forces(potential);
  const auto f = zeros<Layout>(x.size());
  const auto r = forces.compute(hook::make(), list, to_points<Layout>(x), f, with(strategy::fixed_point));
  CHECK(scalar_bits(r) == scalar_bits(expected.result));
  CHECK(bits_of_view(f) == bits_of_points(expected.f));
}

template <class Potential>
void check_lists(const particles& p, const Potential& potential) {
  pair_forces<Potential> reference(potential);
  const auto expected = evaluate(accrue::serial{}, p, reference, with(strategy::fixed_point), 0.3);
  const auto space = hook::make();
  const auto x = to_points<Kokkos::LayoutLeft>(p.x);
  for (const list_kind kind : {list_kind::half, list_kind::full}) {
    INFO((kind == list_kind::half ? "half" : "full"));
    neighbor_list built(p.box, potential.cutoff(), 0.3, kind);
    built.build(space, x);
    CHECK(!built.needs_rebuild(space, x));
    check_forces<Kokkos::LayoutRight>(built, potential, p.x, expected);
    check_forces<Kokkos::LayoutLeft>(built, potential, p.x, expected);

    // The caller's own, in any order.
    const own_rows rows(p, potential.cutoff() + 0.3, kind, next_seed());
    const auto counts = rows.counts();
    const auto room = static_cast<std::size_t>(*std::ranges::max_element(counts));
    const auto offsets = to_view(rows.offsets);
    const auto partners = to_view(rows.partners);
    const auto row_sizes = to_view(counts);
    const auto side_by_side = to_matrix<Kokkos::LayoutRight>(rows.padded(room, true), room);
    const auto first_ones_first = to_matrix<Kokkos::LayoutLeft>(rows.padded(room, true), room);
    for (const accrue::neighbor_rows& from : {accrue::compressed_rows(offsets, partners), accrue::padded_rows(row_sizes, side_by_side),
                                              accrue::padded_rows(row_sizes, first_ones_first)}) {
      neighbor_list own(p.box, potential.cutoff(), 0.3, kind);
      own.assign(space, x, from);
      CHECK(own.entries() == rows.partners.size());
      check_forces<Kokkos::LayoutRight>(own, potential, p.x, expected);
    }
    neighbor_list narrow(p.box, potential.cutoff(), 0.3, kind);
    const auto too_narrow = Kokkos::subview(side_by_side, Kokkos::ALL, std::pair<std::size_t, std::size_t>(0, room - 1));
    CHECK(code_of([&] { narrow.assign(space, x, accrue::padded_rows(row_sizes, too_narrow)); }) == accrue::errc::bad_input);
  }
}

}  // namespace

TEST_CASE("neighbour lists and pair forces take Views", "[kokkos][forces]") {
  particles p = fcc(5, 0.8442, 0.05, next_seed());
  check_lists(p, lennard_jones(2.2));
  check_lists(p, bodies::repulsion{});
  p.box.periodic = {true, false, true};
  check_lists(p, lennard_jones(2.0, truncation::shifted_force));
}

TEST_CASE("every strategy takes Views", "[kokkos][forces]") {
  const particles p = fcc(5, 0.8442, 0.05, next_seed());
  const lennard_jones potential(2.2);
  pair_forces<lennard_jones> forces(potential);
  const auto expected = evaluate(accrue::serial{}, p, forces, with(strategy::fixed_point), 0.3);
  const auto space = hook::make();
  const auto x = to_points<Kokkos::LayoutRight>(p.x);
  std::vector<strategy> ways{strategy::atomic, strategy::gather};
  if (accrue::on_kokkos::host_space<exec>) ways.insert(ways.end(), {strategy::replicated, strategy::triangle, strategy::critical});
  for (const strategy how : ways) {
    INFO(accrue::to_string(how));
    neighbor_list list(p.box, 2.2, 0.3, how == strategy::gather ? list_kind::full : list_kind::half);
    list.build(space, x);
    const auto f = zeros<Kokkos::LayoutLeft>(p.x.size());
    pair_forces<lennard_jones> on_views(potential);
    const auto r = on_views.compute(space, list, x, f, with(how));
    CHECK(scalar_bits(r) == scalar_bits(expected.result));
    const auto got = to_host(f);
    for (std::size_t k = 0; k < got.size(); ++k) CHECK(std::fabs(got[k] - expected.f[k / 3][k % 3]) < 1e-9);
  }
}

TEST_CASE("forces over a program's own rows of Views, with ghosts", "[kokkos][forces]") {
  const particles p = fcc(4, 0.8442, 0.05, next_seed());
  const system_with_ghosts g(p, 2.1);
  const auto rows = g.rows_of(list_kind::full, 2.1);
  const auto space = hook::make();
  const auto x = to_points<Kokkos::LayoutRight>(g.all.x);
  const auto f = zeros<Kokkos::LayoutRight>(g.all.x.size());
  const auto offsets = to_view(rows.offsets);
  const auto partners = to_view(rows.partners);
  const std::size_t ghosts = g.ghosts();
  const accrue::orthorhombic_box box{{}, {}, {false, false, false}};
  //! [own-list]
  accrue::neighbor_list list(box, 2.0, 0.1, accrue::list_kind::full);  // an open box: ghosts stand for what is across its boundary
  list.assign(space, x, accrue::compressed_rows(offsets, partners).with_ghosts(ghosts));
  accrue::pair_forces forces(accrue::lennard_jones(2.0));              // or a functor of r^2 with a KOKKOS_FUNCTION
  auto r = forces.compute(space, list, x, f);
  //! [own-list]
  pair_forces<lennard_jones> reference(lennard_jones(2.0));
  const auto expected = evaluate(accrue::serial{}, p, reference, with(strategy::gather), 0.1);
  CHECK(std::fabs(r.energy - expected.result.energy) < 1e-9 * std::fabs(expected.result.energy));
  const auto got = to_host(f);
  for (std::size_t k = 0; k < 3 * g.own; ++k) CHECK(std::fabs(got[k] - expected.f[k / 3][k % 3]) < 1e-9);

  // The same in a padded View of more rows and columns than there are.
  std::vector<int> counts, padded((g.own + 5) * 100, -1);
  for (std::size_t i = 0; i < g.own; ++i) {
    const auto row = std::span(rows.partners).subspan(static_cast<std::size_t>(rows.offsets[i]));
    counts.push_back(static_cast<int>(rows.offsets[i + 1] - rows.offsets[i]));
    std::copy_n(row.begin(), counts.back(), padded.begin() + static_cast<std::ptrdiff_t>(100 * i));
  }
  const auto check_padded = [&](const auto& table) {
    list.assign(space, x, accrue::padded_rows(to_view(counts), table).with_ghosts(ghosts));
    const auto again = zeros<Kokkos::LayoutRight>(g.all.x.size());
    CHECK(scalar_bits(forces.compute(space, list, x, again)) == scalar_bits(r));
    if (!accrue::on_kokkos::host_space<exec>) CHECK(to_host(again) == got);  // fixed_point there
  };
  check_padded(to_matrix<Kokkos::LayoutRight>(padded, 100));
  check_padded(to_matrix<Kokkos::LayoutLeft>(padded, 100));
}

TEST_CASE("pair forces on Views: what is refused", "[kokkos][forces]") {
  using accrue::errc;
  const particles p = fcc(4, 0.8442, 0.05, next_seed());
  const auto space = hook::make();
  const auto x = to_points<Kokkos::LayoutRight>(p.x);
  neighbor_list list(p.box, 1.5, 0.2);
  list.build(space, x);
  pair_forces<lennard_jones> forces(lennard_jones(1.5));
  const auto refused = [&](const auto& positions, const auto& to, const pair_options& options) {
    return code_of([&] { forces.compute(space, list, positions, to, options); });
  };
  const auto f = zeros<Kokkos::LayoutRight>(p.x.size());
  CHECK(refused(x, f, {}) == errc::success);
  CHECK(refused(to_points<Kokkos::LayoutRight>({p.x[0]}), f, {}) == errc::size_mismatch);
  CHECK(refused(x, zeros<Kokkos::LayoutRight>(3), {}) == errc::size_mismatch);
  CHECK(refused(to_matrix<Kokkos::LayoutRight>(std::vector<double>(2 * p.x.size()), 2), f, {}) == errc::size_mismatch);
  CHECK(refused(x, f, with(strategy::gather)) == errc::invalid_argument);
  const Kokkos::View<int**, Kokkos::LayoutRight, memory> two("two", p.x.size() + 1, 2);
  const auto column = Kokkos::subview(two, Kokkos::ALL, 0);
  CHECK(code_of([&] { accrue::compressed_rows(column, column); }) == errc::invalid_argument);
  CHECK(code_of([&] { accrue::padded_rows(to_view(std::vector<int>(p.x.size() + 2)), two); }) == errc::size_mismatch);
  const Kokkos::View<int*, memory, Kokkos::MemoryUnmanaged> nothing(nullptr, 3);
  CHECK(code_of([&] { accrue::compressed_rows(nothing, nothing); }) == errc::null_data);
  const Kokkos::View<int**, memory, Kokkos::MemoryUnmanaged> nowhere(nullptr, 3, 2);
  CHECK(code_of([&] { accrue::padded_rows(to_view(std::vector<int>(3)), nowhere); }) == errc::null_data);
  const auto no_rows = accrue::padded_rows(to_view(std::vector<int>()), nowhere).with_ghosts(p.x.size());  // no one reads where nothing is
  list.assign(space, x, no_rows);
  CHECK(list.entries() == 0);
}
