// SPDX-License-Identifier: BSD-3-Clause
// Pair forces by every strategy in unusual places: fixed point's range, users' potentials, foreign arrays, trajectories, refusals.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "conformance/forces.hpp"

using namespace test;

namespace {

/// A potential that the library does not know: Morse's, D ((1 - exp(-a (r - r0)))^2 - 1).
struct morse {
  double cutoff() const { return 2.2; }
  void operator()(double r2, double& energy, double& force_over_r) const {
    const double r = std::sqrt(r2);
    const double x = std::exp(-2 * (r - 1.1));
    energy = 3 * ((1 - x) * (1 - x) - 1);
    force_over_r = -3 * 2 * (1 - x) * 2 * x / r;
  }
};

/// Infinite where it ends: -0.5 k R^2 ln(1 - (r/R)^2), of bonds that cannot break. Throws after so many calls.
struct fene {
  std::shared_ptr<std::atomic<long>> calls_left = std::make_shared<std::atomic<long>>(1L << 60);
  double cutoff() const { return 1.9; }
  void operator()(double r2, double& energy, double& force_over_r) const {
    if (--*calls_left < 0) throw std::runtime_error("told to");
    const double left = 1 - r2 / (1.9 * 1.9);
    energy = -0.5 * std::log(left);
    force_over_r = -1 / (1.9 * 1.9) / left;
  }
};

TEST_CASE("open directions whose lengths mean nothing, and units of any size", "[forces]") {
  particles p = fcc(4, 0.8, 0.1, next_seed());
  p.box.periodic = {false, false, false};
  pair_forces forces{lennard_jones(2.5)};
  const auto expected = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.2);
  for (const double length : {-1e6, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    p.box.length = {length, length, length};
    const auto e = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.2);
    CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
    neighbor_list list(p.box, 2.5, 0.2);
    list.build(hook::make(), p.x);
    CHECK(!list.needs_rebuild(hook::make(), p.x));
  }
  for (const int power : {-150, -90, -75, -60, -45, 45, 60, 200}) {  // lengths in units of 2^-power
    particles scaled = p;
    scaled.box.length = {};
    for (auto& x : scaled.x) {
      for (double& c : x) c = std::ldexp(c, power);
    }
    const double unit = std::ldexp(1.0, power);
    pair_forces small{lennard_jones(2.5 * unit, truncation::plain, 1, unit)};
    CHECK(bits(evaluate(hook::make(), scaled, small, with(strategy::replicated), 0.2 * unit).result.energy) ==
          bits(expected.result.energy));
  }
}

}  // namespace

TEST_CASE("fixed point: Newton's third law exactly, one answer for any team", "[forces]") {
  const particles p = fcc(6, 0.8442, 0.15, next_seed());
  pair_forces forces{lennard_jones(2.5)};
  std::optional<std::string> expected;
  for (const auto& space : hook::teams()) {
    const auto e = evaluate(space, p, forces, with(strategy::fixed_point), 0.3);
    for (std::size_t k = 0; k < 3; ++k) {
      oracle sum;
      for (const auto& f : e.f) sum.add(f[k]);
      CHECK(sum.round<double>() == 0);
    }
    if (!expected) expected = force_bits(e);
    CHECK(force_bits(e) == *expected);
  }
}

TEST_CASE("fixed point: wider units where forces are large, refusal where they do not fit", "[forces]") {
  particles p = fcc(4, 0.8, 0.05, next_seed());
  pair_forces forces{lennard_jones(2.1)};
  const int ordinary = evaluate(hook::make(), p, forces, with(strategy::fixed_point), 0.2).result.unit_exponent;
  std::vector<int> units;
  const point home = p.x[10];
  for (const double gap : {0.7, 0.5, 0.3, 0.1}) {
    p.x[10] = {p.x[11][0] + gap, p.x[11][1], p.x[11][2]};
    std::optional<std::string> expected;
    const auto loose = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.2);
    for (const auto& space : hook::teams()) {
      const auto e = evaluate(space, p, forces, with(strategy::fixed_point), 0.2);
      if (!expected) {
        expected = force_bits(e);
        units.push_back(e.result.unit_exponent);
        double worst = 0;
        for (std::size_t i = 0; i < p.x.size(); ++i) {
          for (std::size_t k = 0; k < 3; ++k)
            worst = std::max(worst, std::fabs(e.f[i][k] - loose.f[i][k]) / (1e-3 + std::fabs(loose.f[i][k])));
        }
        CHECK(worst < 1e-4);
        CHECK(bits(e.result.energy) == bits(loose.result.energy));
      }
      CHECK(force_bits(e) == *expected);
    }
  }
  CHECK(units[0] > ordinary);
  CHECK(units[1] > units[0]);
  CHECK(units.back() == -64);                             // two limbs
  p.x[10] = {p.x[11][0] + 0.01, p.x[11][1], p.x[11][2]};  // a force of 1e28
  pair_options bounded = with(strategy::fixed_point);
  CHECK(code_of([&] { evaluate(hook::make(), p, forces, with(strategy::fixed_point), 0.2); }) == accrue::errc::out_of_range);
  bounded.largest_force = 100;
  for (const auto& space : hook::teams()) {
    CHECK(code_of([&] { evaluate(space, p, forces, bounded, 0.2); }) == accrue::errc::out_of_range);
  }
  // and the object still works
  p.x[10] = home;
  CHECK(code_of([&] { evaluate(hook::make(), p, forces, bounded, 0.2); }) == accrue::errc::success);
}

TEST_CASE("a user's potential, without and with energies", "[forces]") {
  const particles p = fcc(5, 1.0, 0.1, next_seed());
  pair_forces forces{morse{}};
  std::optional<evaluated> expected;
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      const auto e = evaluate(space, p, forces, with(s), 0.2);
      if (!expected) expected = e;
      CHECK(scalar_bits(e.result) == scalar_bits(expected->result));
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(e.f[i][k] - expected->f[i][k]) < 1e-10);
      }
      long double half = 0;
      for (const double u : e.energies) half += static_cast<long double>(u);
      CHECK(std::fabs(static_cast<double>(half) - e.result.energy) < 1e-10 * std::fabs(e.result.energy));
    }
  }
}

TEST_CASE("a potential that is infinite at its cut-off, and one that throws in the middle", "[forces]") {
  const particles p = fcc(4, 0.9, 0.1, next_seed());
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      pair_forces forces{fene{}};
      const auto before = evaluate(space, p, forces, with(s), 0.2);
      CHECK(std::isfinite(before.result.energy));
      for (const auto& f : before.f) CHECK((std::isfinite(f[0]) && std::isfinite(f[1]) && std::isfinite(f[2])));
      *forces.potential().calls_left = 1500;  // several tiles are done by then
      CHECK_THROWS_AS(evaluate(space, p, forces, with(s), 0.2), std::runtime_error);
      *forces.potential().calls_left = 1L << 60;
      const auto after = evaluate(space, p, forces, with(s), 0.2);
      CHECK(scalar_bits(after.result) == scalar_bits(before.result));
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(after.f[i][k] - before.f[i][k]) < 1e-9);
      }
    }
  }
}

TEST_CASE("forces into foreign arrays: strides, separate arrays, single precision; energies and sums on request", "[forces]") {
  const particles p = fcc(5, 0.8, 0.1, next_seed());
  const std::size_t n = p.x.size();
  pair_forces forces{lennard_jones(2.5)};
  for (const strategy s : accrue::all_strategies) {
    const auto expected = evaluate(hook::make(), p, forces, with(s), 0.2);
    neighbor_list list = list_for(s, p, 2.5, 0.2);
    list.build(hook::make(), p.x);
    std::vector<double> strided(4 * n, 7);
    std::vector<float> single(3 * n);
    std::vector<double> column[3] = {std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
    pair_options bare = with(s);
    bare.energy = bare.virial = false;
    const auto r = forces.compute(hook::make(), list, p.x, accrue::array_of_structures(strided.data(), n, 4), bare);
    CHECK(r.energy == 0);
    CHECK(r.virial == std::array<double, 6>{});
    forces.compute(hook::make(), list, p.x, accrue::array_of_structures(single.data(), n), with(s));
    forces.compute(hook::make(), list, p.x, accrue::structure_of_arrays(column[0].data(), column[1].data(), column[2].data(), n),
                   with(s));
    const bool same_order = s == strategy::replicated || s == strategy::gather || s == strategy::fixed_point;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (same_order) {
          CHECK(strided[4 * i + k] == expected.f[i][k]);
          CHECK(column[k][i] == expected.f[i][k]);
          CHECK(single[3 * i + k] == static_cast<float>(expected.f[i][k]));
        } else {
          CHECK(std::fabs(strided[4 * i + k] - expected.f[i][k]) < 1e-9);
        }
      }
      CHECK(strided[4 * i + 3] == 7);
    }
  }
}

TEST_CASE("no particles, one, and none within reach", "[forces]") {
  pair_forces forces{lennard_jones(1.5)};
  for (const strategy s : accrue::all_strategies) {
    for (const auto& space : hook::teams()) {
      for (const std::size_t n : {0u, 1u, 2u}) {
        particles p{{{0, 0, 0}, {9, 9, 9}, {true, true, true}}, {}, {}};
        for (std::size_t i = 0; i < n; ++i) p.x.push_back({4.0 * static_cast<double>(i), 1, 1});
        const auto e = evaluate(space, p, forces, with(s), 0.3);
        CHECK(bits(e.result.energy) == bits(0.0));
        CHECK(e.result.virial == std::array<double, 6>{});
        for (const auto& f : e.f) CHECK(f == point{0, 0, 0});
      }
    }
  }
}

TEST_CASE("velocity Verlet keeps the energy, and fixed point gives one trajectory", "[forces][long]") {
  const particles start = fcc(5, 0.8442, 0.02, 42);
  const std::size_t n = start.x.size();
  std::optional<std::string> expected;
  const auto teams = hook::teams();
  for (const std::size_t team : {0u, 1u, 2u, 7u}) {  // 1, 2, 3 and 8 threads, where there are that many
    if (team >= teams.size()) continue;
    const auto& space = teams[team];
    auto x = start.x;
    std::vector<point> v(n, point{0, 0, 0});
    std::vector<point> f(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) v[i][k] = normal(7, 3 * i + k);
    }
    neighbor_list list(start.box, 2.2, 0.3);
    pair_forces forces{lennard_jones(2.2, truncation::shifted_force)};
    const double dt = 0.001;
    int builds = 0;
    const auto compute = [&] {
      if (list.needs_rebuild(space, x)) {
        list.build(space, x);
        ++builds;
      }
      return forces.compute(space, list, x, f, with(strategy::fixed_point)).energy;
    };
    const auto kinetic = [&] {
      double twice = 0;
      for (const auto& u : v) twice += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      return twice / 2;
    };
    double potential = compute();
    const double initial = potential + kinetic();
    double drift = 0;
    for (int step = 0; step < 1000; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          v[i][k] += dt / 2 * f[i][k];
          x[i][k] += dt * v[i][k];
        }
      }
      potential = compute();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < 3; ++k) v[i][k] += dt / 2 * f[i][k];
      }
      drift = std::max(drift, std::fabs(potential + kinetic() - initial));
    }
    CHECK(builds > 3);
    CHECK(drift / static_cast<double>(n) < 1e-4);
    std::string all = bits(potential);
    for (const auto& u : x) all += bits(u[0]) + bits(u[1]) + bits(u[2]);
    if (!expected) expected = all;
    CHECK(all == *expected);
  }
}

TEST_CASE("triangle learns its staircase and stays right", "[forces][long]") {
  const particles p = fcc(12, 0.8442, 0.1, next_seed());
  pair_forces forces{lennard_jones(2.5)};
  const auto expected = evaluate(hook::make(), p, forces, with(strategy::replicated), 0.3);
  for (const auto& space : hook::teams()) {
    pair_forces triangle{lennard_jones(2.5)};
    for (int call = 0; call < 4; ++call) {
      const auto e = evaluate(space, p, triangle, with(strategy::triangle), 0.3);
      CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
      for (std::size_t i = 0; i < p.x.size(); ++i) CHECK(std::fabs(e.f[i][0] - expected.f[i][0]) < 1e-9);
      CHECK(e.result.report.merge_s > 0);
      CHECK(e.result.report.timelines.size() == static_cast<std::size_t>(e.result.report.threads));
      CHECK(e.result.report.total_s(accrue::phase::computing) > 0);
    }
  }
}

TEST_CASE("fixed point over full lists has the bits of half ones", "[forces]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  particles open = fcc(4, 0.5, 0.1, seed + 1);
  open.box.periodic = {true, false, true};
  pair_forces forces{lennard_jones(1.9, truncation::shifted_force)};
  particles widened = fcc(5, 0.8442, 0.12, seed + 2);
  widened.x[1] = {widened.x[0][0] + 0.6, widened.x[0][1], widened.x[0][2]};
  particles in_two_words = widened;
  in_two_words.x[1][0] = in_two_words.x[0][0] + 0.15;
  struct system {
    particles p;
    double largest;
    int unit;
  };
  for (const auto& [p, largest, unit] : {system{fcc(3, 0.8442, 0.12, seed), 0, -42}, {open, 0, -42}, {open, 600, -41}, {widened, 0, -34},
                                         {in_two_words, 0, -64}}) {
    pair_options options = with(strategy::fixed_point);
    options.largest_force = largest;
    const auto compute = [&](const auto& space, const particles& of, list_kind kind) {
      neighbor_list list(of.box, 1.9, 0.1, kind);
      list.build(space, of.x);
      evaluated e{{}, std::vector<point>(of.x.size()), std::vector<double>(of.x.size())};
      e.result = forces.compute(space, list, of.x, e.f, e.energies, options);
      return e;
    };
    const evaluated half = compute(accrue::serial{}, p, list_kind::half);
    CHECK(half.result.unit_exponent == unit);
    for (const auto& space : hook::teams()) {
      const evaluated full = compute(space, p, list_kind::full);
      CHECK(force_bits(full) == force_bits(half));
      CHECK(scalar_bits(full.result) == scalar_bits(half.result));
      CHECK(full.result.unit_exponent == half.result.unit_exponent);
    }
  }
}

TEST_CASE("forces over a list of the caller's own", "[forces][own_lists]") {
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  particles open = fcc(4, 0.5, 0.1, seed + 1);
  open.box.periodic = {true, false, true};
  particles outside = fcc(4, 0.8442, 0.12, seed + 2);
  for (std::size_t i = 0; i < outside.x.size(); ++i) outside.x[i][i % 3] += outside.box.length[0] * (static_cast<double>(i % 5) - 2);
  const double cutoff = 1.9;
  const double skin = 0.3;
  pair_forces forces{lennard_jones(cutoff)};
  for (const particles& p : {fcc(3, 0.8442, 0.12, seed), open, outside}) {  // of two cells in each direction, and of three
    std::vector<point> moved = p.x;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i][i % 3] += skin * 0.49 * (2 * random_unit(seed, i) - 1);
    for (const strategy s : accrue::all_strategies) {
      const list_kind kind = s == strategy::gather ? list_kind::full : list_kind::half;
      const own_rows rows(p, cutoff + skin, kind, seed + 3);
      for (const auto& space : hook::teams()) {
        neighbor_list built(p.box, cutoff, skin, kind);
        built.build(space, p.x);
        neighbor_list own(p.box, cutoff, skin, kind);
        own.assign(space, p.x, accrue::compressed_rows(rows.offsets, rows.partners));
        CHECK(own.entries() == rows.partners.size());
        CHECK(!own.needs_rebuild(space, moved));
        for (const auto* x : {&p.x, static_cast<const std::vector<point>*>(&moved)}) {
          evaluated expected{{}, std::vector<point>(x->size()), std::vector<double>(x->size())};
          evaluated e = expected;
          expected.result = forces.compute(space, built, *x, expected.f, expected.energies, with(s));
          e.result = forces.compute(space, own, *x, e.f, e.energies, with(s));
          INFO(accrue::to_string(s));
          CHECK(scalar_bits(e.result) == scalar_bits(expected.result));
          if (s == strategy::fixed_point) CHECK(force_bits(e) == force_bits(expected));
          double worst = 0;
          double size = 1;
          for (std::size_t i = 0; i < x->size(); ++i) {
            for (std::size_t k = 0; k < 3; ++k) {
              worst = std::max(worst, std::fabs(e.f[i][k] - expected.f[i][k]));
              size = std::max(size, std::fabs(expected.f[i][k]));
            }
          }
          CHECK(worst <= 1e-12 * size);
        }
      }
    }
  }
}

TEST_CASE("a caller's rows in every form, and what is refused", "[forces][own_lists]") {
  const particles p = fcc(3, 0.8442, 0.1, next_seed());
  const std::size_t n = p.x.size();
  const auto space = hook::make();
  for (const list_kind kind : {list_kind::half, list_kind::full}) {
    const own_rows rows(p, 2.2, kind, next_seed());
    neighbor_list list(p.box, 2.0, 0.2, kind);
    const auto holds = [&](const accrue::neighbor_rows& from) {
      list.assign(space, p.x, from);
      bool same = list.entries() == rows.partners.size();
      for (std::size_t i = 0; i < n && same; ++i) {
        std::multiset<std::uint32_t> expected(rows.partners.begin() + rows.offsets[i], rows.partners.begin() + rows.offsets[i + 1]);
        same = std::multiset<std::uint32_t>(list.row(i).begin(), list.row(i).end()) == expected && list.order()[i] == i;
      }
      return same;
    };
    const std::vector<std::uint32_t> short_offsets(rows.offsets.begin(), rows.offsets.end());
    const auto counts = rows.counts();
    const auto room = static_cast<std::size_t>(*std::ranges::max_element(counts));
    CHECK(holds(accrue::compressed_rows(rows.offsets, rows.partners)));
    CHECK(holds(accrue::compressed_rows(short_offsets, rows.partners)));
    CHECK(holds(accrue::padded_rows(counts, rows.padded(room, true), room)));
    CHECK(holds(accrue::padded_rows(counts, rows.padded(room, false), 1, n)));

    const auto refuses = [&](accrue::errc code, const char* why, const auto& offsets, const auto& partners) {
      const auto run = [&] { list.assign(space, p.x, accrue::compressed_rows(offsets, partners)); };
      CHECK(code_of(run) == code);
      CHECK(message_of(run).find(why) != std::string::npos);
      CHECK(list.size() == 0);
      CHECK(list.needs_rebuild(space, p.x));
    };
    auto offsets = rows.offsets;
    offsets.back() += 1;
    refuses(accrue::errc::bad_input, "row 107 does not lie within its room", offsets, rows.partners);
    offsets = rows.offsets;
    offsets[50] = -1;
    refuses(accrue::errc::bad_input, "does not lie within its room", offsets, rows.partners);
    offsets.pop_back();
    refuses(accrue::errc::size_mismatch, "107 rows for 108 positions", offsets, rows.partners);
    auto partners = rows.partners;
    const auto of_row_40 = static_cast<std::size_t>(rows.offsets[40]);
    for (const int wrong : {108, -1}) {
      partners[of_row_40] = wrong;
      refuses(accrue::errc::bad_input, "row 40 has a partner that is not there", rows.offsets, partners);
    }
    partners[of_row_40] = 40;
    refuses(accrue::errc::bad_input, "row 40 has its own particle as a partner", rows.offsets, partners);
    const own_rows other(p, 2.2, kind == list_kind::full ? list_kind::half : list_kind::full, 1);
    refuses(accrue::errc::invalid_argument, kind == list_kind::full ? "in both rows" : "in one row", other.offsets, other.partners);
    const auto padded = rows.padded(room, true);
    const auto columns = rows.padded(room, false);
    const std::size_t huge = std::size_t{1} << 61;
    const std::pair<std::size_t, std::size_t> wrong_strides[] = {{room + 1, 1}, {room - 1, 1}, {1, n - 1},  {huge, 1},
                                                                 {1, huge},     {0, 1},        {room, 0}, {huge * 4, huge * 4}};
    for (const auto& strides : wrong_strides) {
      INFO(strides.first << " and " << strides.second);
      const auto from = accrue::padded_rows(counts, strides.first == 1 ? columns : padded, strides.first, strides.second);
      CHECK(code_of([&] { list.assign(space, p.x, from); }) == accrue::errc::bad_input);
    }
    // A row as long as there are particles repeats one; so do rows that name a particle more often than there are others.
    std::vector<std::int64_t> even(n + 1);
    for (std::size_t i = 0; i <= n; ++i) even[i] = static_cast<std::int64_t>(i * n);
    refuses(accrue::errc::bad_input, "row", even, std::vector<int>(n * n, 0));
    if (kind == list_kind::half) {
      for (std::size_t i = 0; i <= n; ++i) even[i] = static_cast<std::int64_t>(i < 2 ? 0 : 2 * (i - 1));
      refuses(accrue::errc::bad_input, "as many partners as there are particles", even, std::vector<int>(2 * n, 0));
    }
    CHECK(code_of([] { accrue::compressed_rows(std::vector<int>{}, std::vector<int>{}); }) == accrue::errc::size_mismatch);
    auto together = p.x;
    together[30] = together[7];
    if (kind == list_kind::half) {
      std::vector<std::int64_t> one(n + 1, 0);
      for (std::size_t i = 31; i <= n; ++i) one[i] = 1;
      list.assign(space, together, accrue::compressed_rows(one, std::vector<int>{7}));
      CHECK(list.coincident() == std::pair<std::size_t, std::size_t>(7, 30));
    }
  }
}

TEST_CASE("forces over a caller's list with ghosts", "[forces][own_lists]") {
  const particles p = fcc(4, 0.8442, 0.12, next_seed());
  const double cutoff = 1.9;
  const double reach = 2.1;
  const system_with_ghosts g(p, reach);
  const std::vector<point>& x = g.all.x;
  pair_forces forces{lennard_jones(cutoff)};
  const auto evaluate_rows = [&](const auto& space, list_kind kind, const auto& positions, const accrue::neighbor_rows& rows, strategy s) {
    neighbor_list list(g.all.box, cutoff, reach - cutoff, kind);
    list.assign(space, positions, rows);
    evaluated e{{}, std::vector<point>(positions.size()), std::vector<double>(positions.size())};
    e.result = forces.compute(space, list, positions, e.f, e.energies, with(s));
    return e;
  };
  const auto all_pairs = g.rows_of(list_kind::half, reach);
  const auto own_pairs = g.rows_of(list_kind::half, reach, false);
  const std::vector<point> own_x(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(g.own));
  const auto with_empty_rows = [&](auto rows) {
    rows.offsets.resize(x.size() + 1, rows.offsets.back());
    return rows;
  };
  const auto whole = with_empty_rows(all_pairs);
  const accrue::serial one;
  const auto fixed = strategy::fixed_point;
  const evaluated of_all = evaluate_rows(one, list_kind::half, x, accrue::compressed_rows(whole.offsets, whole.partners), fixed);
  const evaluated of_own =
      evaluate_rows(one, list_kind::half, own_x, accrue::compressed_rows(own_pairs.offsets, own_pairs.partners), fixed);
  const own_rows every_row(g.all, reach, list_kind::full, 1);
  const evaluated full = evaluate_rows(one, list_kind::full, x, accrue::compressed_rows(every_row.offsets, every_row.partners), fixed);
  pair_forces of_box{lennard_jones(cutoff)};
  const evaluated periodic = evaluate(one, p, of_box, with(strategy::gather), reach - cutoff);

  const auto own_entries = g.rows_of(list_kind::full, reach);
  for (const auto& space : hook::teams()) {
    for (const strategy s : accrue::all_strategies) {
      INFO(accrue::to_string(s));
      if (s != strategy::gather) {
        const auto from = accrue::compressed_rows(all_pairs.offsets, all_pairs.partners).with_ghosts(g.ghosts());
        const evaluated e = evaluate_rows(space, list_kind::half, x, from, s);
        CHECK(scalar_bits(e.result) == scalar_bits(of_all.result));
        if (s == fixed) CHECK(force_bits(e) == force_bits(of_all));
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::fabs(e.f[i][0] - of_all.f[i][0]) < 1e-9);
      }
      if (s != strategy::gather && s != fixed) continue;
      const auto from = accrue::compressed_rows(own_entries.offsets, own_entries.partners).with_ghosts(g.ghosts());
      evaluated e = evaluate_rows(space, list_kind::full, x, from, s);
      CHECK(scalar_bits(e.result) == half_of_both(of_all.result, of_own.result));
      CHECK(std::fabs(e.result.energy - periodic.result.energy) < 1e-9 * std::fabs(periodic.result.energy));
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(e.f[i][k] - (i < g.own ? periodic.f[i][k] : 0)) < 1e-9);
        if (s == fixed && i < g.own) {
          CHECK(bits(e.f[i][1]) == bits(full.f[i][1]));
          CHECK(bits(e.energies[i]) == bits(full.energies[i]));
        }
      }
    }
  }

  neighbor_list list(g.all.box, cutoff, reach - cutoff, list_kind::full);
  const auto rows = accrue::compressed_rows(own_entries.offsets, own_entries.partners);
  const auto refused = [&](const accrue::neighbor_rows& from) { return message_of([&] { list.assign(one, x, from); }); };
  const std::string counts = std::to_string(g.own) + " rows and " + std::to_string(g.ghosts() - 1) + " ghosts for ";
  CHECK(refused(rows.with_ghosts(g.ghosts() - 1)).find(counts) != std::string::npos);
  CHECK(refused(rows).find(std::to_string(g.own) + " rows for ") != std::string::npos);
  CHECK(refused(rows.with_ghosts(~std::size_t{0} - 5)).find(" ghosts for ") != std::string::npos);
  CHECK(refused(accrue::compressed_rows(all_pairs.offsets, all_pairs.partners).with_ghosts(g.ghosts())).find("in both rows") !=
        std::string::npos);
  neighbor_list half(g.all.box, cutoff, reach - cutoff, list_kind::half);
  CHECK(message_of([&] { half.assign(one, x, rows.with_ghosts(g.ghosts())); }).find("in one row") != std::string::npos);
  auto beyond = own_entries;
  beyond.partners.back() = static_cast<int>(x.size());
  CHECK(refused(accrue::compressed_rows(beyond.offsets, beyond.partners).with_ghosts(g.ghosts())).find("not there") != std::string::npos);

  // No rows but ghosts, and a half list of pairs with ghosts alone.
  const std::vector<std::int64_t> no_rows{0};
  const std::vector<int> no_partners;
  list.assign(one, x, accrue::compressed_rows(no_rows, no_partners).with_ghosts(x.size()));
  CHECK(list.size() == x.size());
  CHECK(list.entries() == 0);
  const std::vector<std::int64_t> one_each{0, 1, 2};
  const std::vector<int> to_ghosts{2, 2};
  const std::vector<point> three{{0, 0, 0}, {3, 0, 0}, {1.5, 0, 0}};
  half.assign(one, three, accrue::compressed_rows(one_each, to_ghosts).with_ghosts(1));
  CHECK(half.entries() == 2);
}

TEST_CASE("what pair_forces refuses", "[forces]") {
  particles p = fcc(4, 0.8, 0.05, next_seed());
  const std::size_t n = p.x.size();
  std::vector<point> f(n);
  pair_forces forces{lennard_jones(2.0)};
  neighbor_list half(p.box, 2.0, 0.2);
  neighbor_list full(p.box, 2.0, 0.2, list_kind::full);
  neighbor_list narrow(p.box, 1.9, 0.2);
  for (const auto& space : hook::teams()) {
    const auto code = [&](const neighbor_list& list, const auto& x, auto& to, strategy s) {
      return code_of([&] { forces.compute(space, list, x, to, with(s)); });
    };
    CHECK(code(neighbor_list(p.box, 2.0, 0.2), p.x, f, strategy::automatic) == accrue::errc::invalid_argument);  // not built
    half.build(space, p.x);
    full.build(space, p.x);
    narrow.build(space, p.x);
    std::vector<point> fewer(n - 1);
    CHECK(code(half, p.x, fewer, strategy::automatic) == accrue::errc::size_mismatch);
    CHECK(code(half, fewer, f, strategy::automatic) == accrue::errc::size_mismatch);
    CHECK(code(half, p.x, f, strategy::gather) == accrue::errc::invalid_argument);
    for (const strategy s : accrue::all_strategies) {
      const bool takes_full = s == strategy::gather || s == strategy::fixed_point;
      CHECK(code(full, p.x, f, s) == (takes_full ? accrue::errc::success : accrue::errc::invalid_argument));
    }
    CHECK(code(narrow, p.x, f, strategy::automatic) == accrue::errc::invalid_argument);
    auto moved = p.x;
    moved[200][0] += 0.11;
    CHECK(code(half, moved, f, strategy::replicated) == accrue::errc::invalid_argument);
    moved[200][0] = std::numeric_limits<double>::quiet_NaN();
    CHECK(code(half, moved, f, strategy::replicated) == accrue::errc::bad_input);
    CHECK(code(half, p.x, f, strategy::replicated) == accrue::errc::success);
    auto touching = p.x;
    touching[3] = touching[9];
    neighbor_list coincident(p.box, 2.0, 0.2);
    coincident.build(space, touching);
    CHECK(code(coincident, touching, f, strategy::replicated) == accrue::errc::invalid_argument);
  }
  CHECK(code_of([] { lennard_jones(-1); }) == accrue::errc::invalid_argument);
}
