// SPDX-License-Identifier: BSD-3-Clause
// The groupings behind golden/groups.txt: every backend must reproduce their results, now and later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"

namespace test {

/// An array of rank 3 whose last index runs fastest; with the last two as one, a matrix.
inline constexpr std::array<std::size_t, 3> golden_extents{24, 6, 50};
inline constexpr std::size_t golden_elements = golden_extents[0] * golden_extents[1] * golden_extents[2];
inline constexpr std::size_t golden_keys = 37;

inline std::vector<std::int32_t> golden_offsets() {
  std::vector<std::int32_t> offsets{0};
  for (std::uint64_t k = 0; offsets.back() < static_cast<std::int32_t>(golden_elements) - 200; ++k) {
    const std::uint64_t r = random_bits(77, k);
    offsets.push_back(offsets.back() + static_cast<std::int32_t>(r % 11 == 0 ? 0 : r % 13 == 0 ? r % 190 : r % 40));
  }
  offsets.push_back(golden_elements);
  return offsets;
}
inline std::int32_t golden_key(std::size_t i) { return static_cast<std::int32_t>(random_bits(78, i) % golden_keys); }

struct golden_grouping {
  std::string name;
  std::size_t groups;
  std::function<std::size_t(std::size_t)> group_of;  ///< of element i
};
inline std::vector<golden_grouping> golden_groupings() {
  const auto [a, b, c] = golden_extents;
  const auto offsets = golden_offsets();
  std::vector<std::size_t> segment_of(golden_elements);
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    for (auto i = static_cast<std::size_t>(offsets[k]); i < static_cast<std::size_t>(offsets[k + 1]); ++i) segment_of[i] = k;
  }
  return {{"rows", a, [b = b, c = c](std::size_t i) { return i / (b * c); }},
          {"columns", b * c, [b = b, c = c](std::size_t i) { return i % (b * c); }},
          {"axis<1>", a * c, [b = b, c = c](std::size_t i) { return i / (b * c) * c + i % c; }},
          {"segments", offsets.size() - 1, [segment_of](std::size_t i) { return segment_of[i]; }},
          {"grouped", golden_keys, [](std::size_t i) { return static_cast<std::size_t>(golden_key(i)); }}};
}
inline std::vector<double> golden_elements_of(distribution d) {
  std::vector<double> x(golden_elements);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = element<double>(d, 79, i, x.size());
  return x;
}
inline constexpr distribution golden_kinds[] = {distribution::normal, distribution::wide, distribution::log_uniform, distribution::nan};

/// Many results as one word: FNV-1a of their text.
class golden_hash {
 public:
  void add(const std::string& text) {
    for (const char c : text + ";") sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  [[nodiscard]] std::string text() const { return bits(std::bit_cast<double>(sum_)); }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

}  // namespace test
