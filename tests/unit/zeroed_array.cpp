// SPDX-License-Identifier: BSD-3-Clause
// Arrays of zeros, small ones and those of whole pages of the system's.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <new>

#include "accrue/detail/zeroed_array.hpp"

using accrue::detail::zeroed_array;

TEST_CASE("arrays of zeros: aligned, zero again each time, and an exception where there is no memory", "[zeroed_array]") {
  constexpr std::size_t page = std::size_t{1} << 21;
  constexpr std::size_t sizes[] = {0, 1, 1000, 2 * page - 1, 2 * page, 2 * page + 1, 5 * page - 8, 9 * page};
  for (const std::size_t bytes : sizes) {
    for (int round = 0; round < 2; ++round) {
      zeroed_array<unsigned char> first(bytes);
      CHECK(first.size() == bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % 64 == 0);
      CHECK(std::all_of(first.data(), first.data() + bytes, [](unsigned char x) { return x == 0; }));
      std::fill(first.data(), first.data() + bytes, std::uint8_t{255});
      const zeroed_array<unsigned char> moved = std::move(first);
      CHECK(std::all_of(moved.data(), moved.data() + bytes, [](unsigned char x) { return x == 255; }));
    }
  }
  CHECK_THROWS_AS(zeroed_array<unsigned char>(std::numeric_limits<std::size_t>::max() - 100), std::bad_alloc);
  CHECK_THROWS_AS(zeroed_array<unsigned char>(std::size_t{1} << 55), std::bad_alloc);
  CHECK_THROWS_AS(zeroed_array<double>((std::size_t{1} << 61) + 5), std::bad_alloc);
}
