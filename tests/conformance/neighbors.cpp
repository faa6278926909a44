// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists against brute force, on any number of threads.
#include <algorithm>
#include <array>
#include <limits>

#include "conformance/suite.hpp"
#include "support/particles.hpp"

using namespace test;
using accrue::list_kind;
using accrue::neighbor_list;
using accrue::orthorhombic_box;

namespace {

using pair_set = std::set<std::pair<std::size_t, std::size_t>>;

/// The list's pairs in the caller's numbers. Fails if a half list repeats one or a full list lacks a direction.
pair_set pairs_of(const neighbor_list& list) {
  pair_set once;
  pair_set ordered;
  const auto order = list.order();
  for (std::size_t k = 0; k < list.size(); ++k) {
    for (const std::uint32_t other : list.row(k)) {
      const std::size_t i = order[k];
      const std::size_t j = order[other];
      REQUIRE(i != j);
      REQUIRE(ordered.emplace(i, j).second);
      once.emplace(std::min(i, j), std::max(i, j));
    }
  }
  CHECK(ordered.size() == once.size() * (list.kind() == list_kind::full ? 2 : 1));
  CHECK(list.entries() == ordered.size());
  return once;
}

bool same_lists(const neighbor_list& a, const neighbor_list& b) {
  if (!std::ranges::equal(a.order(), b.order())) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!std::ranges::equal(a.row(k), b.row(k))) return false;
  }
  return true;
}

/// Builds on every team and compares with brute force and with each other.
void check_system(const particles& p, double cutoff, double skin) {
  const brute_force_pairs expected(p, cutoff + skin);
  for (const list_kind kind : {list_kind::half, list_kind::full}) {
    neighbor_list first(p.box, cutoff, skin, kind);
    for (const auto& space : hook::teams()) {
      neighbor_list list(p.box, cutoff, skin, kind);
      list.build(space, p.x);
      if (first.size() == 0) {
        const pair_set found = pairs_of(list);
        for (const auto& pair : expected.inside) CHECK(found.contains(pair));
        for (const auto& pair : found) CHECK((expected.inside.contains(pair) || expected.undecided.contains(pair)));
        first = std::move(list);
      } else {
        CHECK(same_lists(first, list));
      }
    }
  }
}

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("neighbour lists hold the pairs within reach, each once", "[neighbors]") {
  for (const std::uint64_t round : {0u, 1u, 2u, 3u, 4u, 5u}) {
    const std::uint64_t seed = next_seed();
    INFO("seed " << seed);
    const auto draw = [&](std::uint64_t k, double low, double high) { return low + (high - low) * random_unit(seed, k); };
    orthorhombic_box box{{draw(0, -5, 5), draw(1, -5, 5), draw(2, -5, 5)}, {draw(3, 2, 9), draw(4, 2, 9), draw(5, 2, 9)}, {}};
    for (std::size_t k = 0; k < 3; ++k) box.periodic[k] = (round >> k & 1) == 0;
    const double shortest = std::min({box.length[0], box.length[1], box.length[2]});
    check_system(gas(300, box, seed, 0.0), draw(6, 0.1, 0.4) * shortest, draw(7, 0, 0.1) * shortest);
    check_system(gas(300, box, seed, 2.5), 0.25 * shortest, 0);            // far outside
    check_system(gas(40, box, seed), shortest / 2 * (1 - 1e-12), 0);       // no more than two cells anywhere
    check_system(gas(700, box, seed), 0.04 * shortest, 0.005 * shortest);  // many cells
  }
}

TEST_CASE("neighbour lists of particles on faces, edges and corners", "[neighbors]") {
  particles p{{{0, 0, 0}, {6, 6, 6}, {true, true, true}}, {}, {}};
  for (const double x : {0.0, 6.0, 3.0, std::nextafter(6.0, 0.0), -1e-300, 2.0}) {
    for (const double y : {0.0, 6.0, 1.5}) p.x.push_back({x, y, x == 3.0 ? 6.0 : 0.0});
  }
  // Some coincide by periodicity: they are each other's neighbours like any.
  for (const double cutoff : {0.5, 1.9, 3.0}) check_system(p, cutoff, 0);
  p.box.periodic = {false, false, false};
  check_system(p, 2.0, 0.1);
}

TEST_CASE("neighbour lists of nothing, one and two particles", "[neighbors]") {
  const orthorhombic_box box{{0, 0, 0}, {5, 5, 5}, {true, true, true}};
  for (const auto& space : hook::teams()) {
    for (const list_kind kind : {list_kind::half, list_kind::full}) {
      neighbor_list list(box, 1, 0.2, kind);
      CHECK(list.needs_rebuild(space, std::vector<point>{}));
      list.build(space, std::vector<point>{});
      CHECK(list.size() == 0);
      CHECK(list.entries() == 0);
      list.build(space, std::vector<point>{{1, 1, 1}});
      CHECK(list.entries() == 0);
      list.build(space, std::vector<point>{{0.1, 1, 1}, {4.9, 1, 1}});
      CHECK(list.entries() == (kind == list_kind::half ? 1 : 2));
    }
  }
}

TEST_CASE("neighbour lists of very low and very high density", "[neighbors]") {
  const std::uint64_t seed = next_seed();
  check_system(gas(200, {{0, 0, 0}, {1e6, 1e6, 1e6}, {true, true, true}}, seed), 1000, 0);
  check_system(gas(200, {{0, 0, 0}, {1e9, 1e-3, 1e3}, {false, false, false}}, seed), 1e-2, 1e-3);
  check_system(gas(300, {{0, 0, 0}, {1, 1, 1}, {false, false, false}}, seed), 10, 1);  // rows longer than a tile
}
TEST_CASE("neighbour lists where everyone sees half of the others, and all", "[neighbors][values]") {
  const std::uint64_t seed = next_seed();
  check_system(gas(600, {{0, 0, 0}, {1, 1, 1}, {true, true, true}}, seed), 0.5, 0);
  check_system(gas(600, {{0, 0, 0}, {1, 1, 1}, {false, false, false}}, seed), 10, 1);
}

TEST_CASE("single precision, strides and separate arrays", "[neighbors]") {
  const auto p = gas(500, {{-2, -2, -2}, {7, 8, 9}, {true, true, false}}, next_seed());
  std::vector<float> padded(4 * p.x.size(), 1e30f);
  std::vector<double> column[3];
  particles rounded = p;
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      padded[4 * i + k] = static_cast<float>(p.x[i][k]);
      rounded.x[i][k] = padded[4 * i + k];
      column[k].push_back(rounded.x[i][k]);
    }
  }
  neighbor_list a(p.box, 1.5, 0.2);
  neighbor_list b(p.box, 1.5, 0.2);
  neighbor_list c(p.box, 1.5, 0.2);
  a.build(hook::make(), rounded.x);
  b.build(hook::make(), accrue::array_of_structures<const float>(padded.data(), p.x.size(), 4));
  c.build(hook::make(),
          accrue::structure_of_arrays<const double>(column[0].data(), column[1].data(), column[2].data(), p.x.size()));
  CHECK(same_lists(a, b));
  CHECK(same_lists(a, c));
  CHECK(!b.needs_rebuild(hook::make(), accrue::array_of_structures<const float>(padded.data(), p.x.size(), 4)));
}

TEST_CASE("coincident particles are reported", "[neighbors]") {
  for (const list_kind kind : {list_kind::half, list_kind::full}) {
    for (const double length : {9.0, 2.5}) {
      auto p = gas(100, {{0, 0, 0}, {length, length, length}, {true, true, true}}, next_seed());
      neighbor_list list(p.box, 1, 0.2, kind);
      list.build(hook::make(), p.x);
      CHECK(!list.coincident());
      p.x[80] = p.x[20];
      p.x[95] = {p.x[40][0] + length, p.x[40][1], p.x[40][2]};
      list.build(hook::make(), p.x);
      REQUIRE(list.coincident());
      CHECK(*list.coincident() == std::pair<std::size_t, std::size_t>(20, 80));
    }
  }
}

TEST_CASE("a list asks to be rebuilt after half the skin", "[neighbors]") {
  auto p = gas(400, {{0, 0, 0}, {8, 8, 8}, {true, true, true}}, next_seed());
  for (const auto& space : hook::teams()) {
    neighbor_list list(p.box, 1, 0.4);
    CHECK(list.needs_rebuild(space, p.x));
    list.build(space, p.x);
    CHECK(!list.needs_rebuild(space, p.x));
    auto moved = p.x;
    moved[123] = {moved[123][0] + 8, moved[123][1] - 16, moved[123][2]};  // whole boxes are no movement
    CHECK(!list.needs_rebuild(space, moved));
    moved[399][2] += 0.199;
    CHECK(!list.needs_rebuild(space, moved));
    moved[399][2] += 0.002;
    CHECK(list.needs_rebuild(space, moved));
    moved[399][2] = not_a_number;
    CHECK(list.needs_rebuild(space, moved));
    moved.pop_back();
    CHECK(list.needs_rebuild(space, moved));
  }
}

TEST_CASE("what a neighbour list refuses", "[neighbors]") {
  const orthorhombic_box box{{0, 0, 0}, {5, 5, 5}, {true, true, true}};
  CHECK(code_of([&] { neighbor_list(box, 2.4, 0.2); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { neighbor_list(box, 2.5, 0.0); }) == accrue::errc::success);
  CHECK(code_of([&] { neighbor_list(box, 0, 0.2); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { neighbor_list(box, not_a_number, 0.2); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { neighbor_list(box, 1, -0.1); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { neighbor_list({{0, 0, 0}, {5, 0, 5}, {true, true, true}}, 1, 0); }) == accrue::errc::invalid_argument);
  CHECK(code_of([&] { neighbor_list({{0, 0, 0}, {5, 0, 5}, {true, false, true}}, 1, 0); }) == accrue::errc::success);
  for (const auto& space : hook::teams()) {
    neighbor_list list(box, 1, 0.1);
    std::vector<point> x(1000, point{1, 1, 1});
    x[777][1] = not_a_number;
    CHECK(code_of([&] { list.build(space, x); }) == accrue::errc::bad_input);
    CHECK(list.size() == 0);
    CHECK(list.needs_rebuild(space, x));
    x[777][1] = std::numeric_limits<double>::infinity();
    CHECK(code_of([&] { list.build(space, x); }) == accrue::errc::bad_input);
  }
}
