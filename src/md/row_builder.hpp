// SPDX-License-Identifier: BSD-3-Clause
// The rows of a neighbour list: each particle's partners, found by scanning runs of cells.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "accrue/md/detail/cell_grid.hpp"
#include "neighbor_data.hpp"

namespace accrue::detail {

/// Keeps a row of `size` entries, of which those from `inner` on may cross a boundary. `found` has room for what the row is padded with.
inline void keep_row(neighbor_data& d, row_pages& pages, std::size_t row, std::vector<std::uint32_t>& found, std::size_t size,
                     std::size_t inner) {
  const std::size_t padded = (size + kernels::row_multiple - 1) / kernels::row_multiple * kernels::row_multiple;
  for (std::size_t k = size; k < padded; ++k) found[k] = static_cast<std::uint32_t>(d.size);
  std::uint32_t* kept = pages.take(padded);
  std::copy(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(padded), kept);
  d.rows[row] = kept;
  d.counts[row] = static_cast<std::uint32_t>(size);
  const std::size_t whole = inner == size ? padded : inner / kernels::row_multiple * kernels::row_multiple;
  d.extents[row] = {static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(padded)};
}

/// One thread's way through its rows.
class row_builder {
 public:
  row_builder(neighbor_data& d, const cell_grid& grid, row_pages& pages)
      : d_(d), grid_(grid), pages_(pages), reach2_(d.reach() * d.reach()) {
    pages_.rewind();
    for (std::size_t k = 0; k < 3; ++k) regular_ = regular_ && (!d.box.periodic[k] || grid.count[k] >= 3);
  }

  void build(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    std::size_t cell =
        static_cast<std::size_t>(std::upper_bound(d_.cell_begin.begin(), d_.cell_begin.end(), begin) - d_.cell_begin.begin()) - 1;
    for (std::size_t i = begin; i < end; ++cell) {
      const std::size_t stop = std::min<std::size_t>(end, d_.cell_begin[cell + 1]);
      if (i >= stop) continue;
      enter(cell);
      note_near(i / group_rows, d_.cell_begin[cell], d_.cell_begin[cell + 1]);
      for (const auto* runs : {&runs_, &shifted_runs_}) {
        for (const auto& run : *runs) note_near(i / group_rows, run.begin, run.end);
      }
      for (; i < stop; ++i) finish_row(i, regular_ ? scan_runs(i) : scan_images(i));
    }
  }

  std::size_t entries = 0;
  std::optional<std::pair<std::size_t, std::size_t>> coincident;

 private:
  /// Notes that rows of a group may have entries in [begin, end).
  void note_near(std::size_t group, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    const group_range r{static_cast<std::uint32_t>(begin / group_rows), static_cast<std::uint32_t>((end - 1) / group_rows)};
    auto& ranges = d_.near_groups[group];
    for (group_range& known : ranges) {
      if (r.first > known.last + 1 || known.first > r.last + 1) continue;
      known = {std::min(known.first, r.first), std::max(known.last, r.last)};
      return;
    }
    ranges.push_back(r);
  }

  /// Finds the runs of particles that the rows of a cell look at.
  void enter(std::size_t cell) {
    const std::size_t cx = cell % grid_.count[0];
    const std::size_t cy = cell / grid_.count[0] % grid_.count[1];
    const std::size_t cz = cell / grid_.count[0] / grid_.count[1];
    runs_.clear();
    shifted_runs_.clear();
    if (!regular_) {
      find_image_cells(cx, cy, cz);
      return;
    }
    const bool half = d_.kind == list_kind::half;
    own_end_ = d_.cell_begin[cell + 1];
    std::size_t most = own_end_ - d_.cell_begin[cell];
    for (int dz = half ? 0 : -1; dz <= 1; ++dz) {
      for (int dy = half && dz == 0 ? 0 : -1; dy <= 1; ++dy) {
        double shift[3]{};
        std::size_t y = 0;
        std::size_t z = 0;
        if (!step(1, cy, dy, y, shift[1]) || !step(2, cz, dz, z, shift[2])) continue;
        const bool own = half && dz == 0 && dy == 0;
        const std::size_t line = (z * grid_.count[1] + y) * grid_.count[0];
        for (int dx = own ? 1 : -1; dx <= 1; ++dx) {
          std::size_t x = 0;
          if (!step(0, cx, dx, x, shift[0])) continue;
          kernels::cell_run run{d_.cell_begin[line + x], d_.cell_begin[line + x + 1], {shift[0], shift[1], shift[2]}};
          most += run.end - run.begin;
          auto& runs = is_shifted(run) ? shifted_runs_ : runs_;
          if (!runs.empty() && runs.back().end == run.begin && std::equal(run.shift, run.shift + 3, runs.back().shift)) {
            runs.back().end = run.end;
          } else if (run.begin != run.end) {
            runs.push_back(run);
          }
        }
      }
    }
    if (found_.size() < most + 2 * kernels::row_multiple) found_.resize(2 * most + 2 * kernels::row_multiple);
  }

  /// The cell `by` steps on, with what its particles' coordinates are to be shifted by; false outside an open box.
  bool step(std::size_t k, std::size_t from, int by, std::size_t& to, double& shift) const {
    const auto n = static_cast<std::ptrdiff_t>(grid_.count[k]);
    auto at = static_cast<std::ptrdiff_t>(from) + by;
    shift = 0;
    if (at < 0 || at >= n) {
      if (!d_.box.periodic[k]) return false;
      shift = at < 0 ? -d_.box.length[k] : d_.box.length[k];
      at += at < 0 ? n : -n;
    }
    to = static_cast<std::size_t>(at);
    return true;
  }

  std::size_t scan_runs(std::size_t i) {
    const double point[3] = {d_.x[i], d_.y[i], d_.z[i]};
    const kernels::coordinates all{d_.x.data(), d_.y.data(), d_.z.data()};
    std::size_t size = 0;
    bool touching = false;
    if (d_.kind == list_kind::half) {
      const kernels::cell_run own{i + 1, own_end_, {0, 0, 0}};
      size = kernels::find_near(all, {&own, 1}, point, reach2_, found_.data(), touching);
    }
    size += kernels::find_near(all, runs_, point, reach2_, found_.data() + size, touching);
    inner_ = size;
    size += kernels::find_near(all, shifted_runs_, point, reach2_, found_.data() + size, touching);
    if (d_.kind == list_kind::full) {  // a particle is near itself
      const auto self =
          std::find(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(size), static_cast<std::uint32_t>(i));
      std::copy(self + 1, found_.begin() + static_cast<std::ptrdiff_t>(size), self);
      --size;
      --inner_;
    }
    if (touching) note_coincident(i, size);
    return size;
  }

  static bool is_shifted(const kernels::cell_run& r) { return r.shift[0] != 0 || r.shift[1] != 0 || r.shift[2] != 0; }

  /// Boxes of fewer than three cells in a periodic direction: each cell once, distances to nearest images.
  void find_image_cells(std::size_t cx, std::size_t cy, std::size_t cz) {
    const std::size_t at[3] = {cx, cy, cz};
    std::size_t axis[3][3];
    std::size_t axis_size[3]{};
    for (std::size_t k = 0; k < 3; ++k) {
      for (int by = -1; by <= 1; ++by) {
        std::size_t to = 0;
        double shift = 0;
        if (!step(k, at[k], by, to, shift)) continue;
        to %= grid_.count[k];
        std::size_t* const end = axis[k] + axis_size[k];
        std::size_t* const place = std::lower_bound(axis[k], end, to);
        if (place != end && *place == to) continue;
        std::copy_backward(place, end, end + 1);
        *place = to;
        ++axis_size[k];
      }
    }
    std::size_t most = 0;
    for (std::size_t z = 0; z < axis_size[2]; ++z) {
      for (std::size_t y = 0; y < axis_size[1]; ++y) {
        for (std::size_t x = 0; x < axis_size[0]; ++x) {
          const std::size_t cell = (axis[2][z] * grid_.count[1] + axis[1][y]) * grid_.count[0] + axis[0][x];
          runs_.push_back({d_.cell_begin[cell], d_.cell_begin[cell + 1], {0, 0, 0}});
          most += runs_.back().end - runs_.back().begin;
        }
      }
    }
    if (found_.size() < most + 2 * kernels::row_multiple) found_.resize(2 * most + 2 * kernels::row_multiple);
  }

  std::size_t scan_images(std::size_t i) {
    std::size_t size = 0;
    bool touching = false;
    for (const auto& run : runs_) {
      for (std::size_t j = run.begin; j < run.end; ++j) {
        if (j == i || (d_.kind == list_kind::half && j < i)) continue;
        const double r2 = distance_squared(i, j);
        if (r2 < reach2_) found_[size++] = static_cast<std::uint32_t>(j);
        touching = touching || r2 == 0;
      }
    }
    inner_ = 0;
    if (touching) note_coincident(i, size);
    return size;
  }

  [[nodiscard]] double distance_squared(std::size_t i, std::size_t j) const {
    const double from[3] = {d_.x[i], d_.y[i], d_.z[i]};
    const double to[3] = {d_.x[j], d_.y[j], d_.z[j]};
    double r2 = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      double d = from[k] - to[k];
      if (d_.box.periodic[k]) d -= d_.box.length[k] * std::nearbyint(d / d_.box.length[k]);
      r2 += d * d;
    }
    return r2;
  }

  void note_coincident(std::size_t i, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) {
      if (distance_squared(i, found_[k]) != 0) continue;
      const std::size_t a = d_.order[i];
      const std::size_t b = d_.order[found_[k]];
      const auto pair = std::minmax(a, b);
      if (!coincident || std::pair<std::size_t, std::size_t>(pair) < *coincident) coincident = pair;
    }
  }

  void finish_row(std::size_t i, std::size_t size) {
    keep_row(d_, pages_, i, found_, size, inner_);
    entries += size;
  }

  neighbor_data& d_;
  const cell_grid& grid_;
  row_pages& pages_;
  double reach2_;
  bool regular_ = true;
  std::size_t inner_ = 0;      // entries before the first that crosses a boundary
  std::size_t own_end_ = 0;
  std::vector<kernels::cell_run> runs_;          // of particles that are where they are
  std::vector<kernels::cell_run> shifted_runs_;  // of images across a boundary
  std::vector<std::uint32_t> found_;
};

}  // namespace accrue::detail
