// SPDX-License-Identifier: BSD-3-Clause
// What a neighbour list holds, for the code that builds it and the code that sweeps over it.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "accrue/md/detail/cell_grid.hpp"
#include "accrue/md/detail/pair_kernels.hpp"
#include "accrue/md/neighbors.hpp"

namespace accrue::detail {

/// Rows of one thread, in blocks of memory that stay from build to build. A row never spans two blocks.
class row_pages {
 public:
  void rewind() {
    page_ = 0;
    used_ = 0;
  }
  /// Room for `size` entries.
  std::uint32_t* take(std::size_t size) {
    while (page_ < pages_.size() && used_ + size > pages_[page_].size) {
      ++page_;
      used_ = 0;
    }
    if (page_ == pages_.size()) {
      const std::size_t room = size > page_entries ? size : page_entries;
      pages_.push_back({std::unique_ptr<std::uint32_t[]>(new std::uint32_t[room]), room});
      bytes_ += room * sizeof(std::uint32_t);
    }
    std::uint32_t* p = pages_[page_].entries.get() + used_;
    used_ += size;
    return p;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t page_entries = std::size_t{1} << 18;
  struct page {
    std::unique_ptr<std::uint32_t[]> entries;
    std::size_t size;
  };
  std::vector<page> pages_;
  std::size_t page_ = 0;
  std::size_t used_ = 0;
  std::size_t bytes_ = 0;
};

/// Rows come in groups of this many, the unit of shares and of touched ranges.
inline constexpr std::size_t group_rows = 64;

/// Groups [first, last].
struct group_range {
  std::uint32_t first;
  std::uint32_t last;
};

struct neighbor_data {
  orthorhombic_box box;
  double cutoff = 0;
  double skin = 0;
  list_kind kind = list_kind::half;

  std::uint64_t builds = 0;
  std::size_t size = 0;
  std::size_t entries = 0;
  std::size_t most_partners = 0;  ///< no particle has more of them, counting both rows of a pair
  double largest_coordinate = 0;  ///< in size, of wrapped positions
  std::vector<std::uint32_t> order;
  std::vector<double> x, y, z;  ///< wrapped into the box, when the list was built
  std::vector<const std::uint32_t*> rows;
  std::vector<std::uint32_t> counts;  ///< of entries, without padding
  std::vector<kernels::row_extent> extents;
  std::vector<double> cost_before;                    ///< of each group of rows, in candidates
  std::vector<std::vector<group_range>> near_groups;  ///< of each group of rows: where their entries may lie, its own rows included
  std::vector<std::unique_ptr<row_pages>> pages;
  std::optional<std::pair<std::size_t, std::size_t>> coincident;

  // Scratch of the build.
  std::vector<std::uint32_t> cell_of;
  std::vector<std::uint32_t> cell_begin;
  std::vector<std::uint32_t> histogram;

  [[nodiscard]] double reach() const { return list_reach(cutoff, skin); }
};

/// x moved by whole box lengths to within half a box of `near`.
inline double nearest_to(double x, double near, double length, double inverse_length) {
  return x - length * std::nearbyint((x - near) * inverse_length);
}

}  // namespace accrue::detail
