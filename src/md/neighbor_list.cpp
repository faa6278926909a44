// SPDX-License-Identifier: BSD-3-Clause
// Building neighbour lists: particles are checked, sorted by cell, and given their rows, by all threads of a team.
#include "accrue/md/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/md/detail/cell_grid.hpp"
#include "neighbor_data.hpp"
#include "row_builder.hpp"

namespace accrue {

namespace detail {

namespace {

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
    for (std::size_t c = 0; c + 1 < d_.cell_begin.size(); ++c)
      fullest = std::max<std::size_t>(fullest, d_.cell_begin[c + 1] - d_.cell_begin[c]);
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
    for (int k = 0; k < 3 && d_.size != 0; ++k)
      d_.largest_coordinate = std::max({d_.largest_coordinate, std::fabs(extent.low[k]), std::fabs(extent.high[k])});
    grid_ = make_grid(d_.box, d_.reach(), d_.size, extent);
    d_.cell_begin.assign(grid_.cells() + 1, 0);
    d_.histogram.assign(grid_.cells() * static_cast<std::size_t>(size), 0);
    slice_total_.assign(static_cast<std::size_t>(size) + 1, 0);
  }

  void count(share s, int rank) {
    std::uint32_t* histogram = d_.histogram.data() + static_cast<std::size_t>(rank) * grid_.cells();
    for (std::size_t i = s.begin; i < s.end; ++i) {
      const std::size_t cell =
          (grid_.along(2, coordinate(2, i)) * grid_.count[1] + grid_.along(1, coordinate(1, i))) * grid_.count[0] +
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
        const double x = d.box.periodic[k] ? nearest_to(now[k], then[k], d.box.length[k], inverse[k]) : now[k];
        const double step = x - then[k];
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
        if (from.size > detail::most_particles)
          throw error(errc::invalid_argument, "accrue::neighbor_list: more than 2^31 - 64 particles");
        rows_.reset();
        // A thread for some hundred particles at least: fewer are built sooner than a team is woken.
        const auto useful = static_cast<int>(std::min<std::size_t>(from.size / 256 + 1, static_cast<std::size_t>(team.threads())));
        try {
          detail::list_builder builder(*data_, from, useful);
          team.with(useful).run(builder);
          builder.finish();
        } catch (...) {  // what a failed build leaves is an empty list
          data_->size = 0;
          data_->entries = 0;
          data_->builds = 0;
          data_->coincident.reset();
          throw;
        }
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
void neighbor_list::forget_host_rows() {
  auto fresh = std::make_unique<detail::neighbor_data>();
  fresh->box = data_->box;
  fresh->cutoff = data_->cutoff;
  fresh->skin = data_->skin;
  fresh->kind = data_->kind;
  data_ = std::move(fresh);
}
std::size_t neighbor_list::size() const { return rows_ != nullptr ? rows_->size : data_->size; }
std::size_t neighbor_list::entries() const { return rows_ != nullptr ? rows_->entries : data_->entries; }
std::size_t neighbor_list::memory_bytes() const {
  const auto bytes = [](const auto&... v) { return (... + (v.capacity() * sizeof(v[0]))); };
  const auto& d = *data_;
  std::size_t total =
      bytes(d.order, d.x, d.y, d.z, d.rows, d.counts, d.extents, d.cost_before, d.cell_of, d.cell_begin, d.histogram);
  for (const auto& p : d.pages) total += p->bytes();
  if (rows_ != nullptr) total += rows_->bytes;
  for (const auto& g : d.near_groups) total += sizeof g + bytes(g);
  return total;
}
namespace {
void refuse_device_rows(const detail::device_rows* rows, const char* call) {
  if (rows == nullptr) return;
  throw error(errc::invalid_argument,
              std::string("accrue::neighbor_list::") + call + ": the list was built on a device, where its rows are");
}
}  // namespace
std::span<const std::uint32_t> neighbor_list::order() const {
  refuse_device_rows(rows_.get(), "order");
  return {data_->order.data(), data_->size};
}
std::span<const std::uint32_t> neighbor_list::row(std::size_t k) const {
  refuse_device_rows(rows_.get(), "row");
  return {data_->rows[k], data_->counts[k]};
}
std::optional<std::pair<std::size_t, std::size_t>> neighbor_list::coincident() const {
  return rows_ != nullptr ? rows_->coincident : data_->coincident;
}

}  // namespace accrue
