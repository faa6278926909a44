// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists on a device: whom they hold, at the reach and at one place, their room, their bricks.
#include <map>
#include <utility>

#include "conformance/device_systems.hpp"

using namespace test;

TEST_CASE("lists on a device hold pairs at the very reach, in boxes of any size", "[device_forces]") {
  const auto space = hook::make();
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  const double reach = accrue::detail::list_reach(1.4, 0.1);
  for (const double length : {3.1, 7.0, 64.0, 1e4, 3e7, 1e13}) {
    for (const bool periodic : {true, false}) {
      particles p = gas(300, {{-0.3 * length, 5, 0}, {length, 1.1 * length, length}, {periodic, true, periodic}}, seed);
      for (std::size_t i = 0; i + 1 < p.x.size(); i += 2) {  // two by two at the reach, but for a little
        point way{};
        double size = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          way[k] = i % 6 == 0 && k != 1 ? 0 : random_unit(seed + 9, 3 * i + k) - 0.5;
          size += way[k] * way[k];
        }
        const double distance = reach * (1 + std::ldexp(static_cast<double>(i % 7) - 3.5, -44 + static_cast<int>(i % 32)));
        for (std::size_t k = 0; k < 3; ++k) p.x[i + 1][k] = p.x[i][k] + way[k] / std::sqrt(size) * distance;
      }
      // Pairs that are within reach, and those that may be, by what positions of this size are rounded.
      std::size_t within = 0;
      std::size_t perhaps = 0;
      const long double rounding = 0x1p-38L + 0x1p-49L * static_cast<long double>(length) / reach;
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          long double squared = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            long double d = static_cast<long double>(p.x[i][k]) - p.x[j][k];
            const long double edge = p.box.length[k];
            if (p.box.periodic[k]) d -= edge * std::rint(d / edge);
            squared += d * d;
          }
          within += std::sqrt(squared) < reach * (1 - rounding) ? 1 : 0;
          perhaps += std::sqrt(squared) < reach * (1 + rounding) ? 1 : 0;
        }
      }
      const device_arrays arrays(space, p.x);
      std::size_t pairs_of_full = 0;
      for (const auto& [kind, in_tiles] : {std::pair{list_kind::half, false}, {list_kind::full, false}, {list_kind::full, true}}) {
        const with_tiles tiles(in_tiles);
        neighbor_list list(p.box, 1.4, 0.1, kind);
        list.build(space, arrays.positions());
        const std::size_t pairs = kind == list_kind::full ? list.entries() / 2 : list.entries();
        CAPTURE(length, periodic, in_tiles);
        CHECK(pairs >= within);
        CHECK(pairs <= perhaps);
        if (in_tiles) CHECK(pairs == pairs_of_full);
        pairs_of_full = pairs;
      }
    }
  }
}

TEST_CASE("lists on a device tell of particles at one place", "[device_forces]") {
  const auto space = hook::make();
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  for (const bool in_tiles : {false, true}) {
    CAPTURE(in_tiles);
    const with_tiles tiles(in_tiles);
    particles p = gas(700, {{-3, 0.7, 40}, {9, 13, 9}, {true, true, true}}, seed, 1.0 / 16);
    neighbor_list list(p.box, 1.5, 0.1, list_kind::full);
    list.build(space, device_arrays(space, p.x).positions());
    REQUIRE((rows_of(list).tiles.bricks != 0) == in_tiles);
    CHECK(!list.coincident());
    const std::size_t one = 350 + seed % 300;
    p.x[one + 40] = p.x[one];
    list.build(space, device_arrays(space, p.x).positions());
    CHECK(list.coincident() == std::pair(one, one + 40));
    p.x[one + 20] = p.x[one];
    p.x[100 + seed % 100] = p.x[220];
    list.build(space, device_arrays(space, p.x).positions());
    CHECK(list.coincident() == std::pair(static_cast<std::size_t>(100 + seed % 100), std::size_t{220}));
  }
}

TEST_CASE("room for rows changes with a list's memory alone, whatever is listed", "[device_forces]") {
  const auto space = hook::make();
  std::map<double, std::size_t> entries_of;
  for (const bool in_tiles : {false, true}) {
    const with_tiles tiles(in_tiles);
    neighbor_list list({{0, 0, 0}, {20, 20, 20}, {true, true, true}}, 2.0, 0.2, list_kind::full);
    std::map<std::size_t, std::uint32_t> room_of;
    for (const double apart : {1.5, 1.2, 1.0, 0.9, 0.8, 0.7, 0.62, 0.55, 1.4}) {  // denser and denser in one part of the box
      particles p = gas(600, list.box(), 11);
      for (std::size_t i = 0; i < 343; ++i) {
        const auto at = [&](std::size_t k) { return 1 + apart * static_cast<double>(k); };
        p.x[i] = {at(i % 7), at(i / 7 % 7), at(i / 49)};
      }
      const device_arrays arrays(space, p.x);
      list.build(space, arrays.positions());
      const std::uint32_t room = rows_of(list).room;
      const auto known = room_of.try_emplace(list.memory_bytes(), room).first;
      CAPTURE(in_tiles, apart);
      CHECK(known->second == room);
      CHECK(entries_of.try_emplace(apart, list.entries()).first->second == list.entries());
    }
    for (const std::size_t n : {300, 3500}) {  // denser everywhere, whose rows are too long at first
      const particles p = gas(n, list.box(), 12);
      list.build(space, device_arrays(space, p.x).positions());
      CAPTURE(in_tiles, n);
      CHECK((rows_of(list).tiles.bricks != 0) == in_tiles);
      CHECK(entries_of.try_emplace(static_cast<double>(n), list.entries()).first->second == list.entries());
    }
  }
}

TEST_CASE("bricks of cells and their tiles, in boxes of all shapes", "[device_forces]") {
  const with_tiles tiles(true);
  const auto space = hook::make();
  const std::uint64_t seed = next_seed();
  INFO("seed " << seed);
  constexpr point shapes[] = {{22, 9, 9}, {9, 22, 9}, {9, 9, 22}, {17.5, 14, 3.3}, {3.3, 5.1, 40}, {8.4, 3.4, 30}, {6.9, 10.3, 13.7}};
  for (const point& lengths : shapes) {
    const auto step = 1 + seed % 3 + (played ? 2 : 0);
    for (auto open = seed / 3 % step; open < 8; open += step) {
      const std::array<bool, 3> periodic{(open & 1) == 0, (open & 2) == 0, (open & 4) == 0};
      const particles p = gas(700, {{-3, 0.7, 40}, lengths, periodic}, seed, 1.0 / 16);
      CAPTURE(lengths, open);
      check_system(p, soft_spheres{}, 0.1, {list_kind::full});
      neighbor_list list(p.box, 1.5, 0.1, list_kind::full);
      list.build(space, device_arrays(space, p.x).positions());
      // Of a partner across a boundary one image alone may be within reach.
      bool one_image = true;
      for (std::size_t k = 0; k < 3; ++k) one_image = one_image && (!periodic[k] || lengths[k] >= 3 * accrue::detail::list_reach(1.5, 0.1));
      CHECK((rows_of(list).tiles.bricks != 0) == one_image);
    }
  }
}
