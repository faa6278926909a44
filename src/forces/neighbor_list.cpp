// SPDX-License-Identifier: BSD-3-Clause
// Building neighbour lists: particles sorted by cell, then each row by scanning runs of cells.
#include "accrue/neighbors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/shares.hpp"
#include "neighbor_data.hpp"

namespace accrue {

namespace detail {

namespace {

constexpr std::size_t most_particles = (std::size_t{1} << 31) - 64;

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

/// Extent of the particles.
struct bounds {
  double low[3]{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  double high[3]{-low[0], -low[0], -low[0]};

  void add(const bounds& b) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], b.low[k]);
      high[k] = std::max(high[k], b.high[k]);
    }
  }
};

cell_grid make_grid(const neighbor_data& d, const bounds& extent) {
  cell_grid g;
  // Somewhat above the reach, so that rounding cannot put two particles within reach of each other two cells apart.
  const double edge = d.reach() * (1 + 0x1p-30);
  double most = 2.0 * static_cast<double>(d.size) + 64;  // more cells than that would be empty for the most part
  for (int k = 0; k < 3; ++k) {
    const bool periodic = d.box.periodic[k];
    g.low[k] = periodic ? d.box.low[k] : extent.low[k];
    const double length = periodic ? d.box.length[k] : extent.high[k] - extent.low[k];
    g.count[k] = static_cast<std::size_t>(std::clamp(std::floor(length / edge), 1.0, most));
  }
  while (static_cast<double>(g.count[0]) * static_cast<double>(g.count[1]) * static_cast<double>(g.count[2]) > most) {
    std::size_t& longest = *std::max_element(g.count, g.count + 3);
    longest = (longest + 1) / 2;
  }
  for (int k = 0; k < 3; ++k) {
    const double length = d.box.periodic[k] ? d.box.length[k] : extent.high[k] - extent.low[k];
    g.inverse_edge[k] = length > 0 ? static_cast<double>(g.count[k]) / length : 0;
  }
  return g;
}

/// One thread's way through its rows.
class row_builder {
 public:
  row_builder(neighbor_data& d, const cell_grid& grid, row_pages& pages) : d_(d), grid_(grid), pages_(pages), reach2_(d.reach() * d.reach()) {
    pages_.rewind();
    for (int k = 0; k < 3; ++k) regular_ = regular_ && (!d.box.periodic[k] || grid.count[k] >= 3);
  }

  void build(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    std::size_t cell = static_cast<std::size_t>(std::upper_bound(d_.cell_begin.begin(), d_.cell_begin.end(), begin) - d_.cell_begin.begin()) - 1;
    for (std::size_t i = begin; i < end; ++cell) {
      const std::size_t stop = std::min<std::size_t>(end, d_.cell_begin[cell + 1]);
      if (i >= stop) continue;
      enter(cell);
      note_near(i / group_rows, d_.cell_begin[cell], d_.cell_begin[cell + 1]);
      for (const auto& run : runs_) note_near(i / group_rows, run.begin, run.end);
      for (; i < stop; ++i) finish_row(i, regular_ ? scan_runs(i) : scan_images(i));
    }
  }

  std::size_t entries = 0;
  std::size_t longest = 0;
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
          if (!runs_.empty() && runs_.back().end == run.begin && std::equal(run.shift, run.shift + 3, runs_.back().shift)) {
            runs_.back().end = run.end;
          } else if (run.begin != run.end) {
            runs_.push_back(run);
          }
        }
      }
    }
    const auto shifted = std::stable_partition(runs_.begin(), runs_.end(), [](const auto& r) { return !is_shifted(r); });
    unshifted_ = static_cast<std::size_t>(shifted - runs_.begin());
    if (found_.size() < most + 2 * kernels::row_multiple) found_.resize(2 * most + 2 * kernels::row_multiple);
  }

  /// The cell `by` steps on, with what its particles' coordinates are to be shifted by; false outside an open box.
  bool step(int k, std::size_t from, int by, std::size_t& to, double& shift) const {
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
    // Runs of particles that are where they are come first: `unshifted_` of them.
    const std::span<const kernels::cell_run> runs(runs_);
    size += kernels::find_near(all, runs.first(unshifted_), point, reach2_, found_.data() + size, touching);
    inner_ = size;
    size += kernels::find_near(all, runs.subspan(unshifted_), point, reach2_, found_.data() + size, touching);
    if (d_.kind == list_kind::full) {  // a particle is near itself
      const auto self = std::find(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(size), static_cast<std::uint32_t>(i));
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
    for (int k = 0; k < 3; ++k) {
      for (int by = -1; by <= 1; ++by) {
        std::size_t to = 0;
        double shift = 0;
        if (!step(k, at[k], by, to, shift)) continue;
        to %= grid_.count[k];
        if (std::find(axis[k], axis[k] + axis_size[k], to) == axis[k] + axis_size[k]) axis[k][axis_size[k]++] = to;
      }
      std::sort(axis[k], axis[k] + axis_size[k]);
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
    for (int k = 0; k < 3; ++k) {
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
    const std::size_t padded = (size + kernels::row_multiple - 1) / kernels::row_multiple * kernels::row_multiple;
    for (std::size_t k = size; k < padded; ++k) found_[k] = static_cast<std::uint32_t>(d_.size);
    std::uint32_t* row = pages_.take(padded);
    std::copy(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(padded), row);
    d_.rows[i] = row;
    d_.counts[i] = static_cast<std::uint32_t>(size);
    const std::size_t inner = inner_ == size ? padded : inner_ / kernels::row_multiple * kernels::row_multiple;
    d_.extents[i] = {static_cast<std::uint32_t>(inner), static_cast<std::uint32_t>(padded)};
    entries += size;
    longest = std::max(longest, size);
  }

  neighbor_data& d_;
  const cell_grid& grid_;
  row_pages& pages_;
  double reach2_;
  bool regular_ = true;
  std::size_t inner_ = 0;      // entries before the first that crosses a boundary
  std::size_t unshifted_ = 0;  // runs
  std::size_t own_end_ = 0;
  std::vector<kernels::cell_run> runs_;
  std::vector<std::uint32_t> found_;
};

/// The whole build; every member of the team runs `member`.
template <class T>
class list_builder {
 public:
  list_builder(neighbor_data& d, const vectors<const T>& from, int threads)
      : d_(d), from_(from), parts_(static_cast<std::size_t>(threads)) {
    const std::size_t n = from.size;
    d.size = n;
    d.order.resize(n);
    d.cell_of.resize(n);
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

  void operator()(int rank, int size, team_barrier& barrier) {
    const fp_environment environment;
    const auto whole = staircase_share(d_.size, rank, size, 0);
    part& mine = parts_[static_cast<std::size_t>(rank)];
    check(whole, mine.extent);
    barrier.wait(size);
    if (rank == 0) lay_out(size);
    barrier.wait(size);
    count(whole, rank);
    barrier.wait(size);
    number(rank, size, barrier);
    barrier.wait(size);
    sort(whole, rank);
    barrier.wait(size);
    row_builder rows(d_, grid_, *d_.pages[static_cast<std::size_t>(rank)]);
    // Whole groups of rows, so that no two threads write the costs of one group.
    const auto groups = staircase_share(d_.cost_before.size() - 1, rank, size, 0);
    for (std::size_t g = groups.begin; g < groups.end; ++g) {
      const std::size_t before = rows.entries;
      const std::size_t begin = g * group_rows;
      const std::size_t end = std::min(d_.size, begin + group_rows);
      d_.near_groups[g].clear();
      rows.build(begin, end);
      // A row costs its candidates, and about eight more for what is done once for it.
      d_.cost_before[g + 1] = static_cast<double>(rows.entries - before + 8 * (end - begin));
    }
    mine.entries = rows.entries;
    mine.longest = rows.longest;
    mine.coincident = rows.coincident;
  }

  void finish() {
    d_.entries = 0;
    std::size_t longest = 0;
    for (const part& p : parts_) {
      d_.entries += p.entries;
      longest = std::max(longest, p.longest);
      if (p.coincident && (!d_.coincident || *p.coincident < *d_.coincident)) d_.coincident = p.coincident;
    }
    for (std::size_t g = 1; g < d_.cost_before.size(); ++g) d_.cost_before[g] += d_.cost_before[g - 1];
    std::size_t fullest = 0;
    for (std::size_t c = 0; c + 1 < d_.cell_begin.size(); ++c) fullest = std::max<std::size_t>(fullest, d_.cell_begin[c + 1] - d_.cell_begin[c]);
    d_.most_partners = d_.kind == list_kind::full ? longest : std::min(d_.size, 27 * fullest);
    ++d_.builds;
  }

 private:
  struct alignas(64) part {
    bounds extent;
    std::size_t entries = 0;
    std::size_t longest = 0;
    std::optional<std::pair<std::size_t, std::size_t>> coincident;
  };

  /// A coordinate of the caller's, wrapped into the box where that is periodic.
  [[nodiscard]] double coordinate(int k, std::size_t i) const {
    const T* p = k == 0 ? from_.x : k == 1 ? from_.y : from_.z;
    const auto x = static_cast<double>(p[i * from_.stride]);
    if (!d_.box.periodic[static_cast<std::size_t>(k)]) return x;
    const double low = d_.box.low[static_cast<std::size_t>(k)];
    const double length = d_.box.length[static_cast<std::size_t>(k)];
    return x - length * std::floor((x - low) / length);
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

  void lay_out(int size) {
    bounds extent;
    for (int t = 0; t < size; ++t) extent.add(parts_[static_cast<std::size_t>(t)].extent);
    d_.largest_coordinate = 0;
    for (int k = 0; k < 3 && d_.size != 0; ++k) d_.largest_coordinate = std::max({d_.largest_coordinate, std::fabs(extent.low[k]), std::fabs(extent.high[k])});
    grid_ = make_grid(d_, extent);
    d_.cell_begin.assign(grid_.cells() + 1, 0);
    d_.histogram.assign(grid_.cells() * static_cast<std::size_t>(size), 0);
    slice_total_.assign(static_cast<std::size_t>(size) + 1, 0);
  }

  void count(share s, int rank) {
    std::uint32_t* histogram = d_.histogram.data() + static_cast<std::size_t>(rank) * grid_.cells();
    for (std::size_t i = s.begin; i < s.end; ++i) {
      const std::size_t cell = (grid_.along(2, coordinate(2, i)) * grid_.count[1] + grid_.along(1, coordinate(1, i))) * grid_.count[0] +
                               grid_.along(0, coordinate(0, i));
      d_.cell_of[i] = static_cast<std::uint32_t>(cell);
      ++histogram[cell];
    }
  }

  /// Turns counts into the first place of each thread's particles in each cell.
  void number(int rank, int size, team_barrier& barrier) {
    const std::size_t cells = grid_.cells();
    const auto slice = staircase_share(cells, rank, size, 0);
    const auto team = static_cast<std::size_t>(size);
    std::uint32_t total = 0;
    for (std::size_t c = slice.begin; c < slice.end; ++c) {
      for (std::size_t t = 0; t < team; ++t) total += d_.histogram[t * cells + c];
    }
    slice_total_[static_cast<std::size_t>(rank) + 1] = total;
    barrier.wait(size);
    std::uint32_t next = 0;
    for (int t = 0; t <= rank; ++t) next += slice_total_[static_cast<std::size_t>(t)];
    for (std::size_t c = slice.begin; c < slice.end; ++c) {
      d_.cell_begin[c] = next;
      for (std::size_t t = 0; t < team; ++t) {
        const std::uint32_t here = d_.histogram[t * cells + c];
        d_.histogram[t * cells + c] = next;
        next += here;
      }
    }
    if (rank == size - 1) d_.cell_begin[cells] = next;
  }

  void sort(share s, int rank) {
    std::uint32_t* place = d_.histogram.data() + static_cast<std::size_t>(rank) * grid_.cells();
    for (std::size_t i = s.begin; i < s.end; ++i) {
      const std::uint32_t to = place[d_.cell_of[i]]++;
      d_.order[to] = static_cast<std::uint32_t>(i);
      d_.x[to] = coordinate(0, i);
      d_.y[to] = coordinate(1, i);
      d_.z[to] = coordinate(2, i);
    }
  }

  neighbor_data& d_;
  const vectors<const T>& from_;
  cell_grid grid_;
  std::vector<part> parts_;
  std::vector<std::uint32_t> slice_total_;
};

template <class T>
double largest_displacement_squared(const neighbor_data& d, const vectors<const T>& from, const host_team& team) {
  double inverse[3];
  for (std::size_t k = 0; k < 3; ++k) inverse[k] = d.box.periodic[k] ? 1 / d.box.length[k] : 0;
  std::mutex mutex;
  double largest = 0;
  auto member = [&](int rank, int size) {
    const fp_environment environment;
    const auto s = staircase_share(d.size, rank, size, 0);
    double most = 0;
    bool all_finite = true;
    for (std::size_t i = s.begin; i < s.end; ++i) {
      const std::size_t at = d.order[i] * from.stride;
      const double now[3] = {static_cast<double>(from.x[at]), static_cast<double>(from.y[at]), static_cast<double>(from.z[at])};
      const double then[3] = {d.x[i], d.y[i], d.z[i]};
      double moved = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double step = nearest_to(now[k], then[k], d.box.length[k], inverse[k]) - then[k];
        moved += step * step;
      }
      all_finite = all_finite && moved <= std::numeric_limits<double>::max();
      most = std::max(most, moved);
    }
    const std::lock_guard lock(mutex);
    largest = all_finite ? std::max(largest, most) : std::numeric_limits<double>::infinity();
  };
  team.run(member);
  return largest;
}

}  // namespace
}  // namespace detail

neighbor_list::neighbor_list(const orthorhombic_box& box, double cutoff, double skin, list_kind kind)
    : data_(std::make_unique<detail::neighbor_data>()) {
  const auto refuse = [](const std::string& why) { throw error(errc::invalid_argument, "accrue::neighbor_list: " + why); };
  if (!(cutoff > 0) || !std::isfinite(cutoff)) refuse("the cut-off must be positive, not " + std::to_string(cutoff));
  if (!(skin >= 0) || !std::isfinite(skin)) refuse("the skin must not be negative, as " + std::to_string(skin) + " is");
  for (std::size_t k = 0; k < 3; ++k) {
    if (!box.periodic[k]) continue;
    if (!(box.length[k] > 0) || !std::isfinite(box.length[k]) || !std::isfinite(box.low[k])) {
      refuse("a periodic box length must be positive, not " + std::to_string(box.length[k]));
    }
    if (cutoff + skin > box.length[k] / 2) {
      refuse("cut-off and skin together, " + std::to_string(cutoff + skin) + ", exceed half the box length of " +
             std::to_string(box.length[k]) + ": the nearest image is not the only one within reach");
    }
  }
  data_->box = box;
  data_->cutoff = cutoff;
  data_->skin = skin;
  data_->kind = kind;
}
neighbor_list::~neighbor_list() = default;
neighbor_list::neighbor_list(neighbor_list&&) noexcept = default;
neighbor_list& neighbor_list::operator=(neighbor_list&&) noexcept = default;

void neighbor_list::build_on(const detail::host_team& team, const detail::position_view& positions) {
  std::visit(
      [&](const auto& from) {
        if (from.size > detail::most_particles) throw error(errc::invalid_argument, "accrue::neighbor_list: more than 2^31 - 64 particles");
        // A thread for some hundred particles at least: fewer are built sooner than a team is woken.
        const auto useful = static_cast<int>(std::min<std::size_t>(from.size / 256 + 1, static_cast<std::size_t>(team.threads())));
        data_->size = 0;  // what a failed build leaves is an empty list
        detail::list_builder builder(*data_, from, useful);
        try {
          team.with(useful).run(builder);
        } catch (...) {
          data_->size = 0;
          data_->builds = 0;
          throw;
        }
        builder.finish();
      },
      positions);
}

bool neighbor_list::needs_rebuild_on(const detail::host_team& team, const detail::position_view& positions) const {
  return std::visit(
      [&](const auto& from) {
        if (data_->builds == 0 || from.size != data_->size) return true;
        const double limit = data_->skin / 2;
        return detail::largest_displacement_squared(*data_, from, team) > limit * limit;
      },
      positions);
}

const orthorhombic_box& neighbor_list::box() const { return data_->box; }
double neighbor_list::cutoff() const { return data_->cutoff; }
double neighbor_list::skin() const { return data_->skin; }
list_kind neighbor_list::kind() const { return data_->kind; }
std::size_t neighbor_list::size() const { return data_->size; }
std::size_t neighbor_list::entries() const { return data_->entries; }
std::size_t neighbor_list::memory_bytes() const {
  const auto bytes = [](const auto&... v) { return (... + (v.capacity() * sizeof(v[0]))); };
  const auto& d = *data_;
  std::size_t total = bytes(d.order, d.x, d.y, d.z, d.rows, d.counts, d.extents, d.cost_before, d.cell_of, d.cell_begin, d.histogram);
  for (const auto& p : d.pages) total += p->bytes();
  for (const auto& g : d.near_groups) total += sizeof g + bytes(g);
  return total;
}
std::span<const std::uint32_t> neighbor_list::order() const { return {data_->order.data(), data_->size}; }
std::span<const std::uint32_t> neighbor_list::row(std::size_t k) const { return {data_->rows[k], data_->counts[k]}; }
std::optional<std::pair<std::size_t, std::size_t>> neighbor_list::coincident() const { return data_->coincident; }

}  // namespace accrue
