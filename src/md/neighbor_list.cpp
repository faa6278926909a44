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
#include "row_taker.hpp"

namespace accrue {

namespace detail {

namespace {

/// The whole build; every member of the team runs `member`.
template <class T>
class list_builder : list_filler<T> {
 public:
  list_builder(neighbor_data& d, const vectors<const T>& from, int threads) : list_filler<T>(d, from, threads) {
    d.cell_of.resize(from.size);
  }

  void operator()(int rank, int size, team_barrier& barrier) {
    const fp_environment environment;
    const auto whole = staircase_share(d_.size, rank, size, 0);
    part& mine = parts_[static_cast<std::size_t>(rank)];
    this->check(whole, mine.extent);
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
    this->fill_groups(rank, size, [&](std::size_t begin, std::size_t end) { rows.build(begin, end); }, [&] { return rows.entries; });
    mine.entries = rows.entries;
    mine.coincident = rows.coincident;
  }

  void finish() {
    this->add_parts();
    std::size_t fullest = 0;
    for (std::size_t c = 0; c + 1 < d_.cell_begin.size(); ++c)
      fullest = std::max<std::size_t>(fullest, d_.cell_begin[c + 1] - d_.cell_begin[c]);
    d_.most_partners = std::min(d_.size, 27 * fullest);
  }

 private:
  using list_filler<T>::d_;
  using list_filler<T>::parts_;
  using typename list_filler<T>::part;

  [[nodiscard]] double coordinate(int k, std::size_t i) const { return list_filler<T>::coordinate(k, i); }

  void lay_out(int size) {
    const bounds extent = this->whole_extent(size);
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
      this->place(place[d_.cell_of[i]]++, i);
    }
  }

  cell_grid grid_;
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

template <template <class> class Filler, class... Arguments>
void neighbor_list::fill_on(const detail::host_team& team, const detail::position_view& positions, const Arguments&... arguments) {
  std::visit(
      [&]<class T>(const vectors<const T>& from) {
        if (from.size > detail::most_particles)
          throw error(errc::invalid_argument, "accrue::neighbor_list: more than 2^31 - 64 particles");
        rows_.reset();
        // A thread for some hundred particles at least: fewer are built sooner than a team is woken.
        const auto useful = static_cast<int>(std::min<std::size_t>(from.size / 256 + 1, static_cast<std::size_t>(team.threads())));
        try {
          Filler<T> filler(*data_, from, useful, arguments...);
          team.with(useful).run(filler);
          filler.finish();
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

void neighbor_list::build_on(const detail::host_team& team, const detail::position_view& positions) {
  fill_on<detail::list_builder>(team, positions);
}
void neighbor_list::assign_on(const detail::host_team& team, const detail::position_view& positions, const detail::row_view& rows) {
  fill_on<detail::row_taker>(team, positions, rows);
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
