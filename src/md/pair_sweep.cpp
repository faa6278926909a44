// SPDX-License-Identifier: BSD-3-Clause
// One sweep over a neighbour list: positions gathered four numbers a particle, pairs in batches, forces merged by the strategy asked for.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/md/pair_forces.hpp"
#include "group_queue.hpp"
#include "neighbor_data.hpp"
#include "pair_sums.hpp"
#include "sizes_seen.hpp"

namespace accrue::detail {

namespace {

using kernels::xyzw_size;

static_assert(private_copies<double>::group == group_rows);

int floor_log2(double x) { return std::ilogb(x); }

[[noreturn]] void refuse(errc code, const std::string& why) { throw error(code, "accrue::pair_forces: " + why); }

}  // namespace

class pair_sweep {
 public:
  pair_result run(const host_team& team, const neighbor_list& list, const pair_function& function, const particle_view& particles,
                  const force_view& forces, const scalar_view& energies, const pair_options& options) {
    if (list.rows_on_device() != nullptr)
      refuse(errc::invalid_argument, "the neighbour list was built on a device: build it with a host space");
    list_ = &list.data();
    function_ = function;
    energies_ = energies;
    types_from_ = particles.types;
    check(particles.positions, forces, options);
    action_ = {list_->kind == list_kind::half, options.virial, energies.data != nullptr, 0.5};
    sum_energy_ = options.energy;
    pair_result result;
    try {
      std::visit([&](const auto& from, const auto& to) { run(team, from, to, options.largest_force, result); }, particles.positions,
                 forces);
    } catch (...) {
      forget();  // the potential may have thrown in the middle of a sweep
      throw;
    }
    return result;
  }

 private:
  void check(const position_view& positions, const force_view& forces, const pair_options& options) {
    const auto size_of = [](const auto& v) { return v.size; };
    const std::size_t n = list_->size;
    const auto same_size = [n](std::size_t size, const char* what) {
      if (size != n)
        refuse(errc::size_mismatch, std::to_string(size) + " " + what + " for a list of " + std::to_string(n) + " particles");
    };
    if (list_->builds == 0) refuse(errc::invalid_argument, "the neighbour list has not been built");
    same_size(std::visit(size_of, positions), "positions");
    same_size(std::visit(size_of, forces), "forces");
    if (energies_.data != nullptr) same_size(energies_.size, "energies");
    if (function_.cutoff > list_->cutoff) {
      refuse(errc::invalid_argument, "the potential's cut-off of " + std::to_string(function_.cutoff) + " is beyond the list's, " +
                                         std::to_string(list_->cutoff));
    }
    if (list_->coincident) {
      refuse(errc::invalid_argument, "particles " + std::to_string(list_->coincident->first) + " and " +
                                         std::to_string(list_->coincident->second) + " are at the same place");
    }
    if (function_.types > kernels::most_particle_types || (types_from_.bytes != 0 && function_.types == 0)) {
      refuse(errc::invalid_argument, "a potential of " + std::to_string(function_.types) + " types, where 1 to 256 may be");
    }
    const bool full = list_->kind == list_kind::full;
    strategy_ = options.strategy;
    if (strategy_ == strategy::automatic) strategy_ = full ? strategy::gather : strategy::replicated;
    if (strategy_ != strategy::fixed_point && full != (strategy_ == strategy::gather)) {
      refuse(errc::invalid_argument,
             "the strategy " + std::string(to_string(strategy_)) + " needs a " + (full ? "half" : "full") + " neighbour list");
    }
    const double bound = options.largest_force;
    if (bound != 0 && !(bound >= 0x1p-400 && bound <= 0x1p40)) {
      refuse(errc::invalid_argument, "largest_force must be 0 or between 2^-400 and 2^40");
    }
  }

  template <class From, class To>
  void run(const host_team& team, const From& from, const To& to, double largest_force, pair_result& result) {
    const int threads = team.threads();
    prepare(threads);
    if (strategy_ != strategy::fixed_point) {
      attempt(team, from, to, result);
      return;
    }
    const force_units units = units_for(function_.scale, largest_force);
    action_.energy_share = std::ldexp(0.5, -units.energy_shift);
    // A sum of most_partners terms must fit 62 bits; the rounding to units works up to 51.
    const int bits = std::min(51, 62 - floor_log2(static_cast<double>(list_->most_partners) + 1) - 1);
    for (int exponent = units.first; exponent <= units.last; exponent += units.step) {
      two_limbs_ = false;
      unit_ = exponent - bits;
      fixed_range_ = std::ldexp(1.0, exponent);
      watched_ = units.watched && exponent == units.first;
      integers_.reserve(threads, list_->size + 1, xyzw_size);
      if (attempt(team, from, to, result)) return;
      integers_.clear();
    }
    if (!units.widens) refuse(errc::out_of_range, "a force or an energy beyond largest_force, or not a number");
    two_limbs_ = true;
    unit_ = units.two_limb_unit;
    // A sum of most_partners terms must fit 126 bits, of which this leaves one.
    const int range = std::min(50, 61 - floor_log2(static_cast<double>(list_->most_partners) + 1));
    two_limb_range_ = std::ldexp(1.0, range + 64 + unit_);
    wide_.reserve(threads, list_->size + 1, xyzw_size);
    if (attempt(team, from, to, result)) return;
    wide_.clear();
    refuse(errc::out_of_range, too_large);
  }

  /// Leaves the workspace as if it were new.
  void forget() {
    positions_ = {};
    rough_positions_ = {};
    types_ = {};
    floats_ = {};
    integers_ = {};
    wide_ = {};
    shared_ = {};
    threads_.clear();
  }

  void prepare(int threads) {
    const std::size_t n = list_->size;
    if (positions_.size() != xyzw_size * (n + 1)) {
      auto positions = zeroed_array<double>(xyzw_size * (n + 1));
      auto rough = zeroed_array<float>(xyzw_size * (n + 1));
      for (std::size_t k = 0; k < xyzw_size; ++k) {
        positions[xyzw_size * n + k] = std::numeric_limits<double>::quiet_NaN();
        rough[xyzw_size * n + k] = std::numeric_limits<float>::quiet_NaN();
      }
      positions_ = std::move(positions);
      rough_positions_ = std::move(rough);
    }
    if (function_.types != 0) types_.resize(n + 1);  // the last is nobody's
    if (threads_.size() < static_cast<std::size_t>(threads)) threads_.resize(static_cast<std::size_t>(threads));
    const bool copies = strategy_ == strategy::critical || strategy_ == strategy::triangle || strategy_ == strategy::replicated;
    if (copies) floats_.reserve(threads, n + 1, xyzw_size);
    if (strategy_ != strategy::replicated && strategy_ != strategy::fixed_point && shared_.size() != xyzw_size * (n + 1)) {
      shared_ = zeroed_array<double>(xyzw_size * (n + 1));
    }
  }

  /// The whole sweep; false if a force did not fit the fixed-point format, in which case nothing was written.
  template <class From, class To>
  bool attempt(const host_team& team, const From& from, const To& to, pair_result& result) {
    const stopwatch watch;
    std::mutex section;
    pair_totals totals;
    sizes_seen seen;
    std::atomic<bool> fits{true};
    std::atomic<int> stale{-1};
    std::atomic<std::size_t> merged_bytes{0};
    double section_s = 0;
    int team_size = 1;
    const double step = strategy_ == strategy::triangle ? calibration_.step() : 0;
    result = {};
    result.report.timelines.resize(static_cast<std::size_t>(team.threads()));

    auto member = [&](int rank, int size, team_barrier& barrier) {
      const fp_environment environment;
      thread_timeline& timeline = result.report.timelines[static_cast<std::size_t>(rank)];
      timeline.begin(watch.now_s());
      if (rank == 0) team_size = size;
      per_thread& mine = *own(rank);
      mine.share = staircase_share(list_->cost_before, rank, size, step);
      mine.queue.fill(mine.share);
      mine.seen = {};
      const share slice = staircase_share(list_->cost_before, rank, size, 0);
      if (!take_positions(from, slice) || !take_types(slice)) stale.store(rank, std::memory_order_relaxed);
      timeline.end(phase::preparing, watch.now_s());
      barrier.wait(size);
      if (stale.load(std::memory_order_relaxed) >= 0) return;
      timeline.end(phase::waiting, watch.now_s());

      const double begun = watch.now_s();
      if (!compute(rank, size, mine, fits)) fits.store(false, std::memory_order_relaxed);
      {
        const std::lock_guard lock(section_of_totals_);
        mine.sums.drain(totals);
        seen.add(mine.seen);
      }
      const double computed = watch.now_s();
      timeline.end(phase::computing, computed);
      std::size_t bytes = 0;

      if (strategy_ == strategy::critical || strategy_ == strategy::triangle) {
        {
          const std::lock_guard lock(section);
          const double entered = watch.now_s();
          timeline.end(phase::waiting, entered);
          bytes = floats_.merge_copy(rank, [&](std::size_t first, std::size_t count, const double* v) {
            for (std::size_t k = 0; k < count * xyzw_size; ++k) shared_[first * xyzw_size + k] += v[k];
          });
          section_s += watch.now_s() - entered;
        }
        timeline.end(phase::merging, watch.now_s());
        mine.work_s = mine.work() > 0 ? (computed - begun) / mine.work() : 0;
      }
      barrier.wait(size);
      timeline.end(phase::waiting, watch.now_s());
      if (fits.load(std::memory_order_relaxed)) bytes += write_forces(to, slice);
      timeline.end(phase::merging, watch.now_s());
      merged_bytes.fetch_add(bytes, std::memory_order_relaxed);
    };
    team.run(member);
    if (stale.load() >= 0) explain_stale();
    if (!fits.load()) return false;
    if (seen.force.lost() || (action_.energies && seen.energy.lost())) {
      refuse(errc::out_of_range, too_small(seen.force.lost(), unit_));
    }

    if (strategy_ == strategy::triangle) {
      double work_s = 0;
      for (int t = 0; t < team_size; ++t) work_s += own(t)->work_s / team_size;
      calibration_.learn(section_s / team_size, work_s);
    }
    finish(totals, result);
    result.report.timelines.resize(static_cast<std::size_t>(team_size));
    result.report.used = strategy_;
    result.report.threads = team_size;
    result.report.merged_bytes = merged_bytes.load();
    result.report.workspace_bytes = floats_.bytes() + integers_.bytes() + wide_.bytes();
    result.report.merge_s = section_s / team_size;
    result.report.elapsed_s = watch.now_s();
    return true;
  }

  void finish(const pair_totals& totals, pair_result& result) const {
    const auto of_pairs = [&](superaccumulator<double> total) {
      if (list_->kind == list_kind::full) total.sink().halve();  // which holds each pair twice
      return partial_result<sum_of<double>>({}, total);
    };
    if (sum_energy_) result.energy_partial = of_pairs(totals[0]);
    if (action_.virial) {
      for (std::size_t k = 0; k < 6; ++k) result.virial_partial[k] = of_pairs(totals[1 + k]);
    }
    result.round_sums();
    if (strategy_ == strategy::fixed_point) result.unit_exponent = unit_;
  }

  struct per_thread {
    detail::share share{0, 0};
    double work_s = 0;
    const std::vector<double>* cost_before = nullptr;
    group_queue queue;
    pair_sums sums;
    sizes_seen seen;
    kernels::pair_batch batch;
    [[nodiscard]] double work() const { return (*cost_before)[share.end] - (*cost_before)[share.begin]; }
  };

  per_thread* own(int rank) {
    auto& p = threads_[static_cast<std::size_t>(rank)];
    if (!p) p = std::make_unique<per_thread>();
    p->cost_before = &list_->cost_before;
    return p.get();
  }

  /// Positions of whole groups of rows, near where they were when the list was built. False if one has moved too far.
  template <class From>
  bool take_positions(const From& from, share groups) {
    const neighbor_data& d = *list_;
    double half[3];
    double inverse[3];
    for (std::size_t k = 0; k < 3; ++k) {
      half[k] = d.box.periodic[k] ? d.box.length[k] / 2 : std::numeric_limits<double>::infinity();
      inverse[k] = d.box.periodic[k] ? 1 / d.box.length[k] : 0;
    }
    const std::vector<double>* then[3] = {&d.x, &d.y, &d.z};
    const decltype(from.x) now[3] = {from.x, from.y, from.z};
    const double limit = d.skin * d.skin / 4;
    const std::size_t end = std::min(d.size, groups.end * group_rows);
    bool all_near = true;
    for (std::size_t i = groups.begin * group_rows; i < end; ++i) {
      const std::size_t at = d.order[i] * from.stride;
      double moved = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        auto x = static_cast<double>(now[k][at]);
        const double was = (*then[k])[i];
        if (std::fabs(x - was) > half[k]) x = nearest_to(x, was, d.box.length[k], inverse[k]);
        moved += (x - was) * (x - was);
        positions_[xyzw_size * i + k] = x;
        rough_positions_[xyzw_size * i + k] = static_cast<float>(x);
      }
      all_near = all_near && moved <= limit;
    }
    return all_near;
  }

  /// Types of whole groups of rows. False if the potential lacks one.
  bool take_types(share groups) {
    if (function_.types == 0) return true;
    bool all_known = true;
    for (std::size_t i = groups.begin * group_rows; i < std::min(list_->size, groups.end * group_rows); ++i) {
      const std::uint32_t type = type_of(types_from_, list_->order[i]);
      all_known = all_known && type < function_.types;
      types_[i] = static_cast<std::uint8_t>(type);
    }
    return all_known;
  }

  /// Says which particle a sweep cannot be done with.
  [[noreturn]] void explain_stale() const {
    const neighbor_data& d = *list_;
    for (std::size_t i = 0; function_.types != 0 && i < d.size; ++i) {
      if (type_of(types_from_, i) < function_.types) continue;
      refuse(errc::bad_input,
             "the type of particle " + std::to_string(i) + " is none of the potential's " + std::to_string(function_.types));
    }
    for (std::size_t i = 0; i < d.size; ++i) {
      const double* p = positions_.data() + xyzw_size * i;
      const double step[3] = {p[0] - d.x[i], p[1] - d.y[i], p[2] - d.z[i]};
      const double squared = 0 + step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
      if (squared <= d.skin * d.skin / 4) continue;
      const double moved = std::sqrt(squared);
      const std::string who = "particle " + std::to_string(d.order[i]);
      if (!std::isfinite(moved)) refuse(errc::bad_input, "the position of " + who + " is not finite");
      refuse(errc::invalid_argument, who + " has moved by " + std::to_string(moved) +
                                         " since the neighbour list was built, further than half the skin of " +
                                         std::to_string(d.skin) + ": build it again");
    }
    refuse(errc::internal, "a particle has moved, and none was found");
  }

  [[nodiscard]] kernels::pair_search search() const {
    const neighbor_data& d = *list_;
    kernels::pair_search s{};
    s.positions = positions_.data();
    s.rows = d.rows.data();
    s.extents = d.extents.data();
    s.nowhere = static_cast<std::uint32_t>(d.size);
    s.cutoff_squared = function_.cutoff * function_.cutoff;
    // Single precision is off by some units of 2^-24 of coordinates and box lengths; this allows for eight of them in each
    // component.
    double size = d.largest_coordinate + d.skin;
    for (std::size_t k = 0; k < 3; ++k) size += d.box.periodic[k] ? d.box.length[k] : 0;
    const double rough_cutoff = function_.cutoff + 0x1p-20 * size;
    // Beyond these sizes squares would overflow or underflow.
    s.rough_positions = size < 0x1p50 && function_.cutoff > 0x1p-40 ? rough_positions_.data() : nullptr;
    s.rough_limit = s.rough_positions != nullptr
                        ? static_cast<float>(std::min(rough_cutoff, 0x1p52) * std::min(rough_cutoff, 0x1p52) * (1 + 0x1p-18))
                        : 0;
    for (std::size_t k = 0; k < 3; ++k) {
      s.length[k] = d.box.periodic[k] ? d.box.length[k] : 0;
      s.inverse_length[k] = d.box.periodic[k] ? 1 / d.box.length[k] : 0;
    }
    return s;
  }

  /// The pairs of the thread's share, and of what others have left where that changes no bits. False if a force did not fit the
  /// fixed-point format.
  bool compute(int rank, int size, per_thread& mine, const std::atomic<bool>& fits) {
    const kernels::pair_search s = search();
    if (!may_help()) return compute_groups(rank, s, mine, mine.share, fits);
    share part{};
    while (mine.queue.take_front(part)) {
      if (!compute_groups(rank, s, mine, part, fits)) return false;
    }
    for (int k = 1; k < size; ++k) {
      while (threads_[static_cast<std::size_t>((rank + k) % size)]->queue.take_back(part)) {
        if (!compute_groups(rank, s, mine, part, fits)) return false;
      }
    }
    return true;
  }

  /// Whether any thread may do any part of the work: where the bits do not depend on it, or on everything anyway.
  [[nodiscard]] bool may_help() const {
    return strategy_ == strategy::fixed_point || strategy_ == strategy::gather || strategy_ == strategy::atomic;
  }

  bool compute_groups(int rank, const kernels::pair_search& s, per_thread& mine, share groups, const std::atomic<bool>& fits) {
    mark_touched(rank, groups);
    const std::size_t end = std::min(list_->size, groups.end * group_rows);
    kernels::row_cursor at{groups.begin * group_rows, 0};
    kernels::pair_batch& batch = mine.batch;
    const share wanted{sum_energy_ ? 0u : 1u, action_.virial ? 7u : 1u};  // of batch.terms()
    while (at.row < end && fits.load(std::memory_order_relaxed) && kernels::find_pairs(s, at, end, batch)) {
      if (function_.types != 0) name_types(batch);
      function_.evaluate(function_.potential, batch.r2, batch.types, batch.size, batch.energy, batch.force_over_r);
      kernels::clear_fillers(batch, s.cutoff_squared);
      const bool tame = wanted.begin != wanted.end && kernels::all_tame(batch);
      if (!apply(rank, batch)) return false;
      if (wanted.begin != wanted.end) mine.sums.add(batch, wanted.begin, wanted.end, tame);
    }
    return true;
  }

  void name_types(kernels::pair_batch& batch) const {
    for (std::size_t p = 0; p < batch.row_count; ++p) {
      const kernels::row_piece piece = batch.rows[p];
      const std::uint8_t own = types_[piece.row];
      for (std::size_t k = piece.begin; k < piece.end; ++k) batch.types[k] = {own, types_[batch.other[k]]};
    }
  }

  bool apply(int rank, kernels::pair_batch& batch) {
    switch (strategy_) {
      case strategy::gather:
        kernels::apply_pairs(batch, action_, shared_.data());
        return true;
      case strategy::atomic:
        add_each(batch,
                 [&](std::size_t at, double v) { std::atomic_ref<double>(shared_[at]).fetch_add(v, std::memory_order_relaxed); });
        return true;
      case strategy::fixed_point:
        if (two_limbs_) return apply_two_limbs(batch, wide_.values(rank));
        if (!kernels::all_below(batch, {.force = fixed_range_ * (1 - 0x1p-40), .energy = fixed_range_ * (0.5 / action_.energy_share)})) {
          return false;
        }
        if (watched_) own(rank)->seen.look_at(batch, watched_squared(function_.cutoff), std::ldexp(1.0, unit_ + force_units::least_bits));
        kernels::apply_pairs(batch, action_, unit_, integers_.values(rank));
        return true;
      default:
        kernels::apply_pairs(batch, action_, floats_.values(rank));
        return true;
    }
  }

  /// Pair by pair: `add(place, value)` for both partners, then the virial's terms.
  template <class Add>
  void add_each(kernels::pair_batch& t, const Add& add) const {
    for (std::size_t p = 0; p < t.row_count; ++p) {
      const kernels::row_piece piece = t.rows[p];
      for (std::size_t k = piece.begin; k < piece.end; ++k) {
        const double d[3] = {t.dx[k], t.dy[k], t.dz[k]};
        const double f[3] = {t.force_over_r[k] * d[0], t.force_over_r[k] * d[1], t.force_over_r[k] * d[2]};
        if (t.other[k] != list_->size) {
          const std::size_t other = t.other[k];
          for (std::size_t c = 0; c < 3; ++c) {
            add(xyzw_size * piece.row + c, f[c]);
            if (action_.to_both) add(xyzw_size * other + c, -f[c]);
          }
          if (action_.energies) {
            add(xyzw_size * piece.row + 3, t.energy[k] * action_.energy_share);
            if (action_.to_both) add(xyzw_size * other + 3, t.energy[k] * action_.energy_share);
          }
        }
        if (!action_.virial) continue;
        t.dx[k] = f[0] * d[0];
        t.dy[k] = f[1] * d[1];
        t.dz[k] = f[2] * d[2];
        t.r2[k] = f[0] * d[1];
        t.force_over_r[k] = f[0] * d[2];
        t.spare[k] = f[1] * d[2];
      }
    }
  }

  bool apply_two_limbs(kernels::pair_batch& batch, int128* xyzw) const {
    bool fits = true;
    add_each(batch, [&](std::size_t at, double v) {
      if (!(std::fabs(v) < two_limb_range_)) {
        fits = false;
        return;
      }
      xyzw[at] += static_cast<int128>(std::nearbyint(std::ldexp(v, -unit_)));
    });
    return fits;
  }

  /// Marks what the rows of some groups may write to in the thread's private copy.
  void mark_touched(int rank, share groups) {
    if (strategy_ == strategy::gather || strategy_ == strategy::atomic) return;
    bool* touched = strategy_ != strategy::fixed_point ? floats_.touched(rank)
                    : two_limbs_                       ? wide_.touched(rank)
                                                       : integers_.touched(rank);
    for (std::size_t g = groups.begin; g < groups.end; ++g) {
      for (const auto& range : list_->near_groups[g]) std::fill(touched + range.first, touched + range.last + 1, true);
    }
  }

  /// Merges what lies in private copies and writes the results of whole groups of rows to the caller's arrays, in the caller's
  /// order.
  template <class To>
  std::size_t write_forces(const To& to, share groups) {
    const neighbor_data& d = *list_;
    using T = std::remove_reference_t<decltype(*to.x)>;
    const auto write = [&](std::size_t first, std::size_t count, const auto* v, double unit) {
      const std::size_t last = std::min(d.size, first + count);
      for (std::size_t i = first; i < last; ++i) {
        double q[xyzw_size] = {0, 0, 0, 0};
        if (v != nullptr) {
          for (std::size_t c = 0; c < xyzw_size; ++c) q[c] = static_cast<double>(v[xyzw_size * (i - first) + c]) * unit;
        }
        const std::size_t at = d.order[i] * to.stride;
        to.x[at] = static_cast<T>(q[0]);
        to.y[at] = static_cast<T>(q[1]);
        to.z[at] = static_cast<T>(q[2]);
        if (energies_.data != nullptr) energies_.data[d.order[i]] = q[3] * (0.5 / action_.energy_share);
      }
    };
    std::size_t bytes = 0;
    for (std::size_t g = groups.begin; g < groups.end; ++g) {
      switch (strategy_) {
        case strategy::fixed_point:
          if (two_limbs_) {
            bytes += wide_.merge_group(g, std::plus<>(), [&](std::size_t first, std::size_t count, const int128* v) {
              write(first, count, v, std::ldexp(1.0, unit_));
            });
          } else {
            bytes += integers_.merge_group(g, std::plus<>(), [&](std::size_t first, std::size_t count, const std::int64_t* v) {
              write(first, count, v, std::ldexp(1.0, unit_));
            });
          }
          break;
        case strategy::replicated:
          bytes += floats_.merge_group(g, std::plus<>(),
                                       [&](std::size_t first, std::size_t count, const double* v) { write(first, count, v, 1.0); });
          break;
        default: {
          const std::size_t first = g * group_rows;
          const std::size_t count = std::min(group_rows, d.size - first);
          double* v = shared_.data() + xyzw_size * first;
          write(first, count, static_cast<const double*>(v), 1.0);
          std::fill(v, v + xyzw_size * count, 0.0);
        }
      }
    }
    return bytes;
  }

  const neighbor_data* list_ = nullptr;
  pair_function function_{};
  scalar_view energies_{};
  type_view types_from_{};
  strategy strategy_ = strategy::automatic;
  kernels::pair_action action_{};
  bool sum_energy_ = true;
  bool two_limbs_ = false;
  bool watched_ = false;  ///< whether sizes are looked at
  int unit_ = 0;
  double fixed_range_ = 0;
  double two_limb_range_ = 0;

  zeroed_array<double> positions_;
  zeroed_array<float> rough_positions_;
  std::vector<std::uint8_t> types_;
  zeroed_array<double> shared_;  ///< zero between sweeps
  private_copies<double> floats_;
  private_copies<std::int64_t> integers_;
  private_copies<int128> wide_;
  std::vector<std::unique_ptr<per_thread>> threads_;
  std::mutex section_of_totals_;
  staircase_calibration calibration_;
};

std::shared_ptr<pair_sweep> make_pair_sweep() { return std::make_shared<pair_sweep>(); }

pair_result run_pair_sweep(pair_sweep& sweep, const host_team& team, const neighbor_list& list, const pair_function& function,
                           const particle_view& particles, const force_view& forces, const scalar_view& energies,
                           const pair_options& options) {
  return sweep.run(team, list, function, particles, forces, energies, options);
}

}  // namespace accrue::detail
