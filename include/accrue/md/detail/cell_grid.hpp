// SPDX-License-Identifier: BSD-3-Clause
// The cells that particles are sorted by.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "accrue/md/neighbors.hpp"

namespace accrue::detail {

/// Cells along each direction, x fastest.
struct cell_grid {
  std::size_t count[3]{1, 1, 1};
  double low[3]{};
  double inverse_edge[3]{};

  [[nodiscard]] std::size_t cells() const { return count[0] * count[1] * count[2]; }
  [[nodiscard]] std::size_t along(int k, double x) const {
    const double c = (x - low[k]) * inverse_edge[k];
    const auto last = static_cast<double>(count[k] - 1);
    return static_cast<std::size_t>(c > 0 ? (c < last ? c : last) : 0);
  }
};

/// What is so far outside of the box that moving it by box lengths leaves it elsewhere, by rounding, is moved again. Each time the error is
/// smaller by 2^-52.
inline constexpr int rounds_of_wrapping = 3;

/// Extent of the particles.
struct bounds {
  double low[3]{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                std::numeric_limits<double>::infinity()};
  double high[3]{-low[0], -low[0], -low[0]};

  void add(const bounds& b) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], b.low[k]);
      high[k] = std::max(high[k], b.high[k]);
    }
  }
};

/// Cells for lists of so many particles in that extent, wrapped into the box.
inline cell_grid make_grid(const orthorhombic_box& box, double reach, std::size_t particles, const bounds& extent) {
  cell_grid g;
  // Somewhat above the reach, so that rounding cannot put two particles within reach of each other two cells apart.
  const double edge = reach * (1 + 0x1p-30);
  // More cells than that would be empty for the most part, or not be counted in 32 bits.
  double most = std::min(2.0 * static_cast<double>(particles) + 64, 0x1p30);
  for (std::size_t k = 0; k < 3; ++k) {
    const bool periodic = box.periodic[k];
    g.low[k] = periodic ? box.low[k] : extent.low[k];
    const double length = periodic ? box.length[k] : extent.high[k] - extent.low[k];
    g.count[k] = static_cast<std::size_t>(std::clamp(std::floor(length / edge), 1.0, most));
  }
  while (static_cast<double>(g.count[0]) * static_cast<double>(g.count[1]) * static_cast<double>(g.count[2]) > most) {
    std::size_t& longest = *std::max_element(g.count, g.count + 3);
    longest = (longest + 1) / 2;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double length = box.periodic[k] ? box.length[k] : extent.high[k] - extent.low[k];
    g.inverse_edge[k] = length > 0 ? static_cast<double>(g.count[k]) / length : 0;
  }
  return g;
}

}  // namespace accrue::detail
