// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces on a device: the bits of the host's fixed_point, any box and layout, and what is refused.
#include <utility>

#include "conformance/device_systems.hpp"

using namespace test;

TEST_CASE("pair forces of several types on a device have the bits of the host", "[device_forces]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  for (const truncation end : {truncation::plain, truncation::shifted, truncation::shifted_force}) {
    check_system(fcc(5, 0.8442, 0.1, seed), three_types(end), 0.3);
    check_system(fcc(4, 0.8442, 0.22, seed), three_types(end), 0.3, {list_kind::full});  // whose forces widen the unit
    particles open = fcc(4, 0.4, 0.1, seed + 1);
    open.box.periodic[2] = false;
    check_system(open, three_types(end), 0.2);
  }
  check_system(fcc(4, 0.9, 0.25, seed + 2), soft_mixture{}, 0.2);
}
TEST_CASE("pair forces on a device over lists of the caller's own", "[device_forces]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  const auto space = hook::make();
  const double skin = 0.3;
  constexpr double calm = 0.05;  // pairs stay apart by 0.86 when they have moved: half lists do not widen the unit
  particles open = fcc(4, 0.5, 0.1, seed + 1);
  open.box.periodic = {true, false, true};
  particles outside = fcc(4, 0.8442, calm, seed + 2);
  for (std::size_t i = 0; i < outside.x.size(); ++i) outside.x[i][i % 3] += outside.box.length[0] * (static_cast<double>(i % 5) - 2);
  const lennard_jones potential(1.9);
  pair_forces host_forces(potential);
  pair_forces forces(potential);
  for (const particles& p : {fcc(3, 0.8442, calm, seed), open, outside}) {
    const std::size_t n = p.x.size();
    std::vector<point> moved = p.x;
    for (std::size_t i = 0; i < n; ++i) moved[i][i % 3] += skin * 0.49 * (2 * random_unit(seed, i) - 1);
    const device_arrays then(space, p.x);
    const device_arrays now(space, moved);
    const evaluated expected = evaluated_on_host(p, moved, host_forces, skin, with(strategy::fixed_point));
    for (const list_kind kind : {list_kind::full, list_kind::half}) {
      const own_rows rows(p, potential.cutoff() + skin, kind, seed + 3);
      const auto counts = rows.counts();
      const auto room = static_cast<std::size_t>(*std::ranges::max_element(counts));
      const hook::array<std::int64_t> offsets(space, rows.offsets);
      const hook::array<int> partners(space, rows.partners);
      const hook::array<int> counts_there(space, counts);
      const hook::array<std::uint32_t> side_by_side(space, rows.padded(room, true));
      const hook::array<std::uint32_t> first_ones_first(space, rows.padded(room, false));
      const auto range = [](const auto& a) { return std::span(a.get().data(), a.get().size()); };
      neighbor_list list(p.box, potential.cutoff(), skin, kind);
      for (const accrue::neighbor_rows& from : {accrue::compressed_rows(range(offsets), range(partners)),
                                                accrue::padded_rows(range(counts_there), range(side_by_side), room),
                                                accrue::padded_rows(range(counts_there), range(first_ones_first), 1, n)}) {
        list.assign(space, then.positions(), from);
        CHECK(list.entries() == rows.partners.size());
        CHECK(!list.needs_rebuild(space, now.positions()));
        const auto r = forces.compute(space, list, now.positions(), now.forces(), now.of_particles());
        CHECK(bits_of(now.f.host()) == bits_of(expected.f));
        CHECK(bits_of(now.energies.host()) == bits_of(expected.energies));
        CHECK(sums_of(r) == sums_of(expected.result));
        const auto of_doubles = forces.compute(space, list, now.positions(), now.forces(),
                                               with(kind == list_kind::full ? strategy::gather : strategy::atomic));
        CHECK(worst_difference(now.f.host(), expected.f) < 1e-9);
        CHECK(sums_of(of_doubles) == sums_of(expected.result));
      }

      const auto refuses = [&](accrue::errc code, const char* why, const std::vector<std::int64_t>& some_offsets,
                               const std::vector<int>& some_partners) {
        const hook::array<std::int64_t> o(space, some_offsets);
        const hook::array<int> q(space, some_partners);
        const auto run = [&] { list.assign(space, then.positions(), accrue::compressed_rows(range(o), range(q))); };
        CHECK(code_of(run) == code);
        CHECK(message_of(run).find(why) != std::string::npos);
      };
      auto wrong = rows.offsets;
      wrong[50] = -1;
      refuses(accrue::errc::bad_input, "row 49 does not lie within its room", wrong, rows.partners);
      wrong = rows.offsets;
      wrong.pop_back();
      refuses(accrue::errc::size_mismatch, "rows for", wrong, rows.partners);
      auto others = rows.partners;
      const auto of_row_40 = static_cast<std::size_t>(rows.offsets[40]);
      for (const int number : {static_cast<int>(n), -1}) {
        others[of_row_40] = number;
        refuses(accrue::errc::bad_input, "row 40 has a partner that is not there", rows.offsets, others);
      }
      const auto too_near = accrue::padded_rows(range(counts_there), range(side_by_side), room - 1);
      CHECK(code_of([&] { list.assign(space, then.positions(), too_near); }) == accrue::errc::bad_input);
      const auto why = message_of([&] { forces.compute(space, list, now.positions(), now.forces()); });
      CHECK(why.find("has not been built") != std::string::npos);
      CHECK(rows_of(list).number != 0);  // captured sweeps see that their list is gone
      if (kind == list_kind::half) {
        std::vector<std::int64_t> twice(n + 1, 0);
        for (std::size_t i = 2; i <= n; ++i) twice[i] = static_cast<std::int64_t>(2 * (i - 1));
        refuses(accrue::errc::bad_input, "as many partners as there are particles", twice, std::vector<int>(2 * n, 0));
      }
      others[of_row_40] = 40;
      refuses(accrue::errc::bad_input, "row 40 has its own particle", rows.offsets, others);
      const own_rows other(p, 2.2, kind == list_kind::full ? list_kind::half : list_kind::full, 1);
      refuses(accrue::errc::invalid_argument, kind == list_kind::full ? "in both rows" : "in one row", other.offsets, other.partners);
      CHECK(list.needs_rebuild(space, then.positions()));
    }
  }
  std::vector<point> together = open.x;
  together[30] = together[7];
  const device_arrays there(space, together);
  std::vector<int> counts(together.size(), 0);
  counts[30] = 1;
  const hook::array<int> of_rows(space, counts);
  const hook::array<int> seven(space, std::vector<int>(together.size(), 7));
  neighbor_list list(open.box, potential.cutoff(), skin);
  list.assign(space, there.positions(),
              accrue::padded_rows(std::span(of_rows.get().data(), counts.size()), std::span(seven.get().data(), counts.size()), 1));
  CHECK(list.coincident() == std::pair<std::size_t, std::size_t>(7, 30));
  CHECK(code_of([&] { forces.compute(space, list, there.positions(), there.forces()); }) == accrue::errc::invalid_argument);
}

TEST_CASE("pair forces on a device over a caller's list with ghosts", "[device_forces]") {
  const auto space = hook::make();
  const particles p = fcc(4, 0.8442, 0.05, next_seed());
  const lennard_jones potential(1.9);
  const double reach = 2.1;
  const system_with_ghosts g(p, reach);
  const device_arrays arrays(space, g.all.x);
  pair_forces host_forces(potential);
  pair_forces forces(potential);
  for (const list_kind kind : {list_kind::full, list_kind::half}) {
    const auto rows = g.rows_of(kind, reach);
    neighbor_list on_host(g.all.box, 1.9, reach - 1.9, kind);
    on_host.assign(accrue::serial{}, g.all.x, accrue::compressed_rows(rows.offsets, rows.partners).with_ghosts(g.ghosts()));
    evaluated expected{{}, std::vector<point>(g.all.x.size()), std::vector<double>(g.all.x.size())};
    expected.result =
        host_forces.compute(accrue::serial{}, on_host, g.all.x, expected.f, expected.energies, with(strategy::fixed_point));
    const hook::array<std::int64_t> offsets(space, rows.offsets);
    const hook::array<int> partners(space, rows.partners);
    const auto range = [](const auto& a) { return std::span(a.get().data(), a.get().size()); };
    const accrue::neighbor_rows from = accrue::compressed_rows(range(offsets), range(partners));
    neighbor_list list(g.all.box, 1.9, reach - 1.9, kind);
    list.assign(space, arrays.positions(), from.with_ghosts(g.ghosts()));
    CHECK(!list.needs_rebuild(space, arrays.positions()));
    for (const strategy s : {strategy::fixed_point, kind == list_kind::full ? strategy::gather : strategy::atomic}) {
      const auto r = forces.compute(space, list, arrays.positions(), arrays.forces(), arrays.of_particles(), with(s));
      CHECK(sums_of(r) == sums_of(expected.result));
      CHECK(worst_difference(arrays.f.host(), expected.f) < 1e-9);
      if (s != strategy::fixed_point) continue;
      CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
      CHECK(bits_of(arrays.energies.host()) == bits_of(expected.energies));
    }
    CHECK(message_of([&] { list.assign(space, arrays.positions(), from); }).find(" rows for ") != std::string::npos);
    CHECK(message_of([&] { list.assign(space, arrays.positions(), from.with_ghosts(1)); }).find("and 1 ghosts") != std::string::npos);
    if (kind == list_kind::full) {
      neighbor_list half(g.all.box, 1.9, reach - 1.9, list_kind::half);
      const auto why = message_of([&] { half.assign(space, arrays.positions(), from.with_ghosts(g.ghosts())); });
      CHECK(why.find("in one row") != std::string::npos);
    }
  }
  // Lists without ghosts behind one that had some.
  const particles q = fcc(3, 0.8442, 0.05, next_seed());
  const device_arrays others(space, q.x);
  neighbor_list list(q.box, 1.9, 0.2, list_kind::full);
  const system_with_ghosts few(q, 2.1);
  const auto rows = few.rows_of(list_kind::full, 2.1);
  const hook::array<std::int64_t> offsets(space, rows.offsets);
  const hook::array<int> partners(space, rows.partners);
  const device_arrays with_images(space, few.all.x);
  list.assign(space, with_images.positions(), accrue::compressed_rows(std::span(offsets.get().data(), rows.offsets.size()),
                                                                      std::span(partners.get().data(), rows.partners.size()))
                                                  .with_ghosts(few.ghosts()));
  list.build(space, others.positions());
  const evaluated expected = evaluated_on_host(q, q.x, host_forces, 0.2, with(strategy::fixed_point));
  CHECK(sums_of(forces.compute(space, list, others.positions(), others.forces())) == sums_of(expected.result));
}

TEST_CASE("types on a device: their sizes, and those that are not there", "[device_forces]") {
  const auto space = hook::make();
  const particles p = fcc(4, 0.8442, 0.15, next_seed());
  const device_arrays arrays(space, p.x);
  const std::size_t n = p.x.size();
  const std::vector<int> types = types_for(p);
  pair_forces<lennard_jones_mixture> host_forces(three_types(truncation::shifted));
  const evaluated expected = evaluated_on_host(p, p.x, host_forces, 0.2, with(strategy::fixed_point));
  pair_forces forces(three_types(truncation::shifted));
  for (const bool tiled : {true, false}) {
    const with_tiles tiles(tiled);
    neighbor_list list(p.box, 2.1, 0.2, list_kind::full);
    list.build(space, arrays.positions());
    const auto check = [&]<class Type>(Type) {
      const hook::array<Type> there(space, std::vector<Type>(types.begin(), types.end()));
      forces.compute(space, list, with_types(arrays.positions(), std::span(there.get().data(), n)), arrays.forces());
      CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
    };
    check(std::uint8_t{});
    check(std::int16_t{});
    check(std::uint32_t{});
    for (const int wrong : {3, 256, -1}) {
      std::vector<int> some = types;
      some[17] = some[200] = wrong;
      const hook::array<int> there(space, some);
      CHECK(message_of([&] {
              forces.compute(space, list, with_types(arrays.positions(), std::span(there.get().data(), n)), arrays.forces());
            }).find("the type of particle 17 is none of the potential's 3") != std::string::npos);
    }
  }
  CHECK(code_of([&] { with_types(arrays.positions(), std::span(types.data(), n - 1)); }) == accrue::errc::size_mismatch);
}

TEST_CASE("pair forces on a device have the bits of the host", "[device_forces]") {
  const lennard_jones plain(2.1);
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  SECTION("a melt, periodic") { check_system(fcc(5, 0.8, 0.12, seed), plain, 0.3); }
  SECTION("a melt in a box that is open in some directions") {
    particles p = fcc(4, 0.8, 0.12, seed);
    p.box.periodic = {false, true, false};
    check_system(p, lennard_jones(2.1, truncation::shifted_force), 0.2);
    p.box.periodic = {false, false, false};
    check_system(p, lennard_jones(2.1, truncation::shifted), 0.2);
  }
  SECTION("boxes of one and two cells, shifted, and particles outside of them") {
    for (const double length : {4.9, 9.9}) {
      particles p = gas(60, {{-1, 2, 100}, {length, 1.3 * length, length}, {true, true, true}}, seed, 2);
      check_system(p, soft_spheres{}, 0.2);
    }
  }
  SECTION("a dense cluster in a thin gas, longer rows than any at first") {
    particles p = gas(400, {{0, 0, 0}, {30, 30, 30}, {true, true, true}}, seed);
    for (std::size_t i = 0; i < 150; ++i) {
      for (double& c : p.x[i]) c = 15 + 0.05 * (c - 15);
    }
    check_system(p, soft_spheres{}, 0.1);
  }
  SECTION("a perfect crystal, and one whose particles are a hair off: terms that are zero, or tiny") {
    particles p = fcc(4, 0.8, 0, seed);
    check_system(p, plain, 0.3);
    p.x[0] = {3e-310, 0, -2e-160};
    for (std::size_t i = 1; i < p.x.size(); ++i) p.x[i][i % 3] += std::ldexp(1.0, -static_cast<int>(i % 50) - 2);
    check_system(p, plain, 0.3);
  }
  SECTION("one particle, and two") {
    check_system(gas(1, {{0, 0, 0}, {9, 9, 9}, {true, true, true}}, seed), plain, 0.3);
    check_system(gas(2, {{0, 0, 0}, {9, 9, 9}, {true, true, true}}, seed), plain, 0.3);
  }
}

TEST_CASE("particles far outside of the box have the host's forces, and none lie at 2^98", "[device_forces]") {
  const auto space = hook::make();
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  pair_options forces_alone = with(strategy::fixed_point);
  forces_alone.energy = forces_alone.virial = false;
  std::size_t checked = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    particles p = gas(30, {{0, 0, 0}, {10, 10, 10}, {true, true, true}}, seed + round);
    if (round == 0) {  // rounding leaves the first outside of the box when it is wrapped once, and near the second's image
      p.x = {{-0x1.a634829ff89a3p+54, -0x1.bcf100366ab19p+51, -0x1.6b82927d14b6ep+48},
             {0x1.5375d0f04f49cp+2, 0x1.161de81d0e788p-3, 0x1.dafc418b9ecafp+1}};
    }
    for (std::size_t i = 0; i < p.x.size() && round != 0; ++i) {
      const double far = i % 2 == 0 ? 0 : std::ldexp(1.0, 48 + static_cast<int>(round % 11));
      for (std::size_t k = 0; k < 3; ++k) p.x[i][k] += (random_unit(seed + round + 1, 3 * i + k) - 0.5) * far;
    }
    pair_forces host_forces(soft_spheres{});
    pair_forces forces(soft_spheres{});
    neighbor_list list(p.box, 1.5, 1.6, list_kind::full);
    const device_arrays arrays(space, p.x);
    list.build(space, arrays.positions());
    evaluated expected;
    // Rounding brings particles together there, or moves them by more than the skin, which is refused.
    if (code_of([&] { expected = evaluated_on_host(p, p.x, host_forces, 1.6, forces_alone); }) != accrue::errc::success) continue;
    ++checked;
    if (round == 0) CHECK(expected.f[0][0] > 2.8);
    (void)forces.compute(space, list, arrays.positions(), arrays.forces(), forces_alone);
    space.synchronize();  // which tells what was wrong with particles
    CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
  }
  CHECK(checked > 100);
  const device_arrays away(space, {{1, 2, 3}, {1, 0x1p98, 3}});
  neighbor_list open({{0, 0, 0}, {1, 1, 1}, {false, false, false}}, 1.5, 0.1, list_kind::full);
  CHECK(code_of([&] { open.build(space, away.positions()); }) == accrue::errc::bad_input);
}

TEST_CASE("a caller's list with a partner that wrapping leaves outside of the box", "[device_forces]") {
  const auto space = hook::make();
  particles p{{{0, 0, 0}, {11, 11, 11}, {true, true, true}}, {}, {}};
  for (int i = 0; i < 16; ++i) p.x.push_back({8.3, 2 + i % 4 * 2.2, 2 + i / 4 * 2.2});  // none near a boundary
  p.x.push_back({11 * 0x1p50 + 10, p.x[7][1] + 0.3, p.x[7][2]});  // wrapped to -2, and so at 9
  std::vector<std::int64_t> offsets(p.x.size() + 1, 0);
  for (std::size_t k = 8; k < offsets.size(); ++k) offsets[k] = 1;
  offsets.back() = 2;
  const std::vector<int> partners{16, 7};
  for (const double skin : {0.0, 0.1}) {
    neighbor_list on_host(p.box, 1.5, skin, list_kind::full);
    on_host.assign(accrue::serial{}, p.x, accrue::compressed_rows(offsets, partners));
    std::vector<point> expected(p.x.size());
    pair_forces host_forces(soft_spheres{});
    host_forces.compute(accrue::serial{}, on_host, p.x, expected, with(strategy::fixed_point));
    REQUIRE(expected[7][0] != 0);
    const device_arrays arrays(space, p.x);
    const hook::array<std::int64_t> o(space, offsets);
    const hook::array<int> q(space, partners);
    neighbor_list list(p.box, 1.5, skin, list_kind::full);
    list.assign(space, arrays.positions(),
                accrue::compressed_rows(std::span(o.get().data(), offsets.size()), std::span(q.get().data(), partners.size())));
    pair_forces forces(soft_spheres{});
    pair_options options = with(strategy::fixed_point);
    options.energy = options.virial = false;
    (void)forces.compute(space, list, arrays.positions(), arrays.forces(), options);
    CHECK(bits_of(arrays.f.host()) == bits_of(expected));
  }
}

TEST_CASE("memory and layout of a list change together, so that a captured sweep reads what it knows", "[device_forces]") {
  const auto space = hook::make();
  neighbor_list list({{0, 0, 0}, {12, 12, 12}, {true, true, true}}, 1.5, 0.1, list_kind::full);
  bool tiled = false;
  bool plain = false;
  std::map<std::uint32_t, accrue::simt::strip_rows> layout_of;
  struct build {
    std::size_t n;
    double from;
    bool wherever;
  };
  std::vector<build> builds{{500, 0, true}, {500, 0, true}, {500, 0.2, true}, {500, 0, false}, {400, 0, true}, {400, 0, false}};
  for (int k = 0; k < 48; ++k) builds.push_back({400, 0.25 * k, true});  // more and more in one part of the box
  builds.insert(builds.end(), {{400, 0, true}, {1200, 0, true}, {0, 0, true}, {500, 0, true}});
  for (const auto& [n, from, wherever] : builds) {
    const with_tiles tiles(wherever);
    particles p = gas(n, list.box(), 3);
    for (std::size_t i = 0; i < p.x.size() / 2; ++i) p.x[i][0] = from + p.x[i][0] * (1 - from / 12);
    const std::size_t size = list.size();
    const std::size_t memory = list.memory_bytes();
    const std::uint32_t number = size != 0 ? rows_of(list).number : 0;
    list.build(space, device_arrays(space, p.x).positions());
    if (n == 0) continue;
    CHECK(layout_of.try_emplace(rows_of(list).number, rows_of(list)).first->second == rows_of(list));
    tiled = tiled || rows_of(list).tiles.bricks != 0;
    plain = plain || rows_of(list).tiles.bricks == 0;
    CAPTURE(n, from, wherever);
    if (size == p.x.size() && list.memory_bytes() == memory) CHECK(rows_of(list).number == number);
  }
  CHECK(tiled);
  CHECK(plain);
}

TEST_CASE("the melted liquid on a device: the host's bits, and forces as LAMMPS has them", "[device_forces]") {
  const particles p = melted_liquid();
  const auto space = hook::make();
  const lennard_jones potential(2.5);
  pair_forces host_forces(potential);
  pair_forces forces(potential);
  const evaluated expected = evaluated_on_host(p, p.x, host_forces, 0.3, with(strategy::fixed_point));
  for (const list_kind kind : {list_kind::full, list_kind::half}) {
    neighbor_list list(p.box, 2.5, 0.3, kind);
    const device_arrays arrays(space, p.x);
    list.build(space, arrays.positions());
    const auto r = forces.compute(space, list, arrays.positions(), arrays.forces());
    CHECK(bits_of(arrays.f.host()) == bits_of(expected.f));
    CHECK(sums_of(r) == sums_of(expected.result));
    CHECK(r.unit_exponent == expected.result.unit_exponent);
    CHECK(worst_difference(arrays.f.host(), p.f) < 1e-4);  // the dump's positions have six digits
  }
}

TEST_CASE("pair forces of so many particles that rows have two lanes, and those of half lists one", "[device_forces][large]") {
  for (const int cells : {27, 64}) {  // above 2^16 and 2^19 particles
    check_system(fcc(cells, 0.8, 0.1, 5), lennard_jones(1.6), 0.2);
  }
}

TEST_CASE("a thousand sweeps have the same bits", "[device_forces][large]") {
  const auto space = hook::make();
  const particles p = fcc(20, 0.8442, 0.1, next_seed());
  const device_arrays arrays(space, p.x);
  pair_forces forces(lennard_jones(2.5));
  pair_forces host_forces(lennard_jones(2.5));
  const evaluated expected = evaluated_on_host(p, p.x, host_forces, 0.3, with(strategy::fixed_point));
  for (const bool tiled : {true, false}) {
    const with_tiles tiles(tiled);
    neighbor_list list(p.box, 2.5, 0.3, list_kind::full);
    for (const strategy s : {strategy::fixed_point, strategy::gather}) {
      std::vector<double> first;
      std::string first_sums;
      std::size_t other = 0;
      for (int k = 0; k < 1000; ++k) {
        if (k % 100 == 0) list.build(space, arrays.positions());
        const std::string sums = sums_of(forces.compute(space, list, arrays.positions(), arrays.forces(), with(s)));
        if (k == 0) first = arrays.f.host();
        if (k == 0) first_sums = sums;
        other += sums != first_sums || arrays.f.host() != first ? 1 : 0;
      }
      CHECK(other == 0);
      CHECK(first_sums == sums_of(expected.result));
      if (s == strategy::fixed_point) CHECK(bits_of(first) == bits_of(expected.f));
    }
  }
}

TEST_CASE("pair forces on a device: floats, arrays of components, no particles", "[device_forces]") {
  const auto space = hook::make();
  const particles p = fcc(4, 0.8, 0.1, 8);
  const std::size_t n = p.x.size();
  std::vector<std::array<float, 3>> x(n);
  std::vector<float> by_component(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) by_component[k * n + i] = x[i][k] = static_cast<float>(p.x[i][k]);
  }
  const lennard_jones potential(2.1);
  pair_forces host_forces(potential);
  neighbor_list host_list(p.box, 2.1, 0.2);
  host_list.build(accrue::serial{}, x);
  std::vector<std::array<float, 3>> expected(n);
  const auto e = host_forces.compute(accrue::serial{}, host_list, x, expected, with(strategy::fixed_point));
  const hook::array<float> dx(space, by_component), df(space, std::vector<float>(4 * n));
  const float* const q = dx.get().data();
  auto* const f = const_cast<float*>(df.get().data());
  neighbor_list list(p.box, 2.1, 0.2, list_kind::full);
  const auto positions = accrue::structure_of_arrays(q, q + n, q + 2 * n, n);
  list.build(space, positions);
  pair_forces forces(potential);
  const auto r = forces.compute(space, list, positions, accrue::array_of_structures(f, n, 4));
  CHECK(sums_of(r) == sums_of(e));
  const auto got = df.host();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) wrong += bits(got[4 * i + k]) == bits(expected[i][k]) ? 0 : 1;
    wrong += got[4 * i + 3] == 0 ? 0 : 1;
  }
  CHECK(wrong == 0);

  const device_arrays none(space, {});
  list.build(space, none.positions());
  CHECK(list.size() == 0);
  CHECK(!list.needs_rebuild(space, none.positions()));
  CHECK(forces.compute(space, list, none.positions(), none.forces()).energy == 0);
}

TEST_CASE("what pair forces on a device refuse", "[device_forces]") {
  using accrue::errc;
  const auto space = hook::make();
  const lennard_jones potential(2.1);
  particles p = fcc(4, 0.8, 0.1, 5);
  pair_forces forces(potential);
  neighbor_list list(p.box, 2.1, 0.2, list_kind::full);
  const device_arrays arrays(space, p.x);
  CHECK(code_of([&] { (void)forces.compute(space, list, arrays.positions(), arrays.forces()); }) == errc::invalid_argument);
  list.build(space, arrays.positions());
  CHECK(code_of([&] { (void)list.row(0); }) == errc::invalid_argument);
  CHECK(code_of([&] { (void)forces.compute(accrue::serial{}, list, p.x, p.x); }) == errc::invalid_argument);
  for (const strategy s : {strategy::atomic, strategy::triangle}) {
    CHECK(code_of([&] { (void)forces.compute(space, list, arrays.positions(), arrays.forces(), with(s)); }) == errc::invalid_argument);
  }
  const device_arrays fewer(space, {p.x.begin(), p.x.end() - 1});
  CHECK(code_of([&] { (void)forces.compute(space, list, fewer.positions(), arrays.forces()); }) == errc::size_mismatch);
  CHECK(list.needs_rebuild(space, fewer.positions()));

  {
    particles close = p;
    close.x[3] = {close.x[9][0] + 0.5, close.x[9][1], close.x[9][2]};
    neighbor_list half(p.box, 2.1, 0.2, list_kind::half);
    const device_arrays a(space, close.x);
    half.build(space, a.positions());
    CHECK(code_of([&] { (void)forces.compute(space, half, a.positions(), a.forces()); }) == errc::out_of_range);
    CHECK(code_of([&] { (void)forces.compute(space, half, a.positions(), a.forces(), with(strategy::atomic)); }) == errc::success);
  }
  std::vector<point> far = p.x;
  far[41][1] += 0.11;
  const device_arrays stale(space, far);
  CHECK(list.needs_rebuild(space, stale.positions()));
  CHECK(code_of([&] { (void)forces.compute(space, list, stale.positions(), arrays.forces()); }) == errc::invalid_argument);
  pair_options asynchronous;
  asynchronous.energy = asynchronous.virial = false;
  const auto told_later = [&](const device_arrays& a) {
    return code_of([&] {
      (void)forces.compute(space, list, a.positions(), arrays.forces(), asynchronous);
      space.synchronize();
    });
  };
  CHECK(told_later(stale) == errc::invalid_argument);
  CHECK(told_later(arrays) == errc::success);
  far[41][1] = std::numeric_limits<double>::quiet_NaN();
  const device_arrays infinite(space, far);
  CHECK(code_of([&] { (void)forces.compute(space, list, infinite.positions(), arrays.forces()); }) == errc::bad_input);
  CHECK(told_later(infinite) == errc::bad_input);
  CHECK(code_of([&] { list.build(space, infinite.positions()); }) == errc::bad_input);
  far[41] = far[7];
  const device_arrays together(space, far);
  list.build(space, together.positions());
  CHECK(list.coincident() == std::pair<std::size_t, std::size_t>(7, 41));
  CHECK(code_of([&] { (void)forces.compute(space, list, together.positions(), arrays.forces()); }) == errc::invalid_argument);
  list.build(accrue::serial{}, p.x);  // and back to the host
  CHECK(list.row(0).size() > 10);
}
