// SPDX-License-Identifier: BSD-3-Clause
// What both ways of filling a neighbour list do: by search, and by a caller's rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accrue/detail/shares.hpp"
#include "accrue/md/detail/cell_grid.hpp"
#include "neighbor_data.hpp"

namespace accrue::detail {

template <class T>
class list_filler {
 protected:
  list_filler(neighbor_data& d, const vectors<const T>& from, int threads)
      : d_(d), from_(from), parts_(static_cast<std::size_t>(threads)) {
    const std::size_t n = from.size;
    d.size = n;
    d.order.resize(n);
    d.x.resize(n);
    d.y.resize(n);
    d.z.resize(n);
    d.rows.resize(n);
    d.counts.resize(n);
    d.extents.resize(n);
    d.cost_before.assign((n + group_rows - 1) / group_rows + 1, 0);
    d.near_groups.resize(d.cost_before.size() - 1);
    d.coincident.reset();
    while (d.pages.size() < static_cast<std::size_t>(threads)) d.pages.push_back(std::make_unique<row_pages>());
  }

  /// What a thread has found.
  struct alignas(64) part {
    bounds extent;
    std::size_t entries = 0;
    std::uint64_t balance = 0;
    std::uint64_t to_rows = 0;  ///< entries that are particles with rows
    std::optional<std::pair<std::size_t, std::size_t>> coincident;
  };

  /// A coordinate of the caller's, wrapped into the box where that is periodic.
  [[nodiscard]] double coordinate(int k, std::size_t i) const {
    const T* p = k == 0 ? from_.x : k == 1 ? from_.y : from_.z;
    const auto x = static_cast<double>(p[i * from_.stride]);
    if (!d_.box.periodic[static_cast<std::size_t>(k)]) return x;
    const double low = d_.box.low[static_cast<std::size_t>(k)];
    const double length = d_.box.length[static_cast<std::size_t>(k)];
    const auto wrap = [&](double v) { return v - length * std::floor((v - low) / length); };
    double wrapped = wrap(x);
    for (int again = 0; again < rounds_of_wrapping && !(std::fabs(wrapped - low - length * 0.5) < length * 0.75); ++again) {
      wrapped = wrap(wrapped);  // from far outside rounding leaves it elsewhere
    }
    return wrapped;
  }
  void check(share s, bounds& extent) const {
    for (std::size_t i = s.begin; i < s.end; ++i) {
      for (int k = 0; k < 3; ++k) {
        const double x = coordinate(k, i);
        if (!std::isfinite(x)) {
          throw error(errc::bad_input, "accrue::neighbor_list: the position of particle " + std::to_string(i) + " is not finite");
        }
        extent.low[k] = std::min(extent.low[k], x);
        extent.high[k] = std::max(extent.high[k], x);
      }
    }
  }
  /// The bounds of all threads' particles.
  bounds whole_extent(int size) {
    bounds extent;
    for (int t = 0; t < size; ++t) extent.add(parts_[static_cast<std::size_t>(t)].extent);
    d_.largest_coordinate = 0;
    for (int k = 0; k < 3 && d_.size != 0; ++k)
      d_.largest_coordinate = std::max({d_.largest_coordinate, std::fabs(extent.low[k]), std::fabs(extent.high[k])});
    return extent;
  }
  void place(std::size_t to, std::size_t particle) {
    d_.order[to] = static_cast<std::uint32_t>(particle);
    d_.x[to] = coordinate(0, particle);
    d_.y[to] = coordinate(1, particle);
    d_.z[to] = coordinate(2, particle);
  }
  /// Fills whole groups of rows, so that no two threads write the costs of one group: `fill(begin, end)` gives rows, `entries()` tells how
  /// many entries they have so far.
  template <class Fill, class Entries>
  void fill_groups(int rank, int size, const Fill& fill, const Entries& entries) {
    const auto groups = staircase_share(d_.cost_before.size() - 1, rank, size, 0);
    for (std::size_t g = groups.begin; g < groups.end; ++g) {
      const std::size_t before = entries();
      const std::size_t begin = g * group_rows;
      const std::size_t end = std::min(d_.size, begin + group_rows);
      d_.near_groups[g].clear();
      fill(begin, end);
      // A row costs its candidates, and about eight more for what is done once for it.
      d_.cost_before[g + 1] = static_cast<double>(entries() - before + 8 * (end - begin));
    }
  }
  /// Adds up what threads have found.
  void add_parts() {
    d_.entries = 0;
    for (const part& p : parts_) {
      d_.entries += p.entries;
      if (p.coincident && (!d_.coincident || *p.coincident < *d_.coincident)) d_.coincident = p.coincident;
    }
    for (std::size_t g = 1; g < d_.cost_before.size(); ++g) d_.cost_before[g] += d_.cost_before[g - 1];
    ++d_.builds;
  }

  neighbor_data& d_;
  const vectors<const T>& from_;
  std::vector<part> parts_;
};

}  // namespace accrue::detail
