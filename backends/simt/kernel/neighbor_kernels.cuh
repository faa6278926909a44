// SPDX-License-Identifier: BSD-3-Clause
// The kernels that build neighbour lists: particles are wrapped into the box, counted and sorted by cell, and given their rows. Every
// number is rounded as the host's builder rounds it, so that particles have the same order there.
#pragma once

#include <cmath>

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/backends/simt/kernel/limits.hpp"
#include "accrue/error.hpp"
#include "accrue/vectors.hpp"

namespace accrue::simt {

inline constexpr unsigned neighbor_threads = 128;  ///< of a block
inline constexpr unsigned scan_items = 8;          ///< counts of a thread, in a scan
inline constexpr unsigned strip_lanes = 32;        ///< of a strip, whatever the width of a warp
inline constexpr unsigned entries_at_once = 4;     ///< that a lane reads together

struct particle_place {
  double x, y, z;
};
/// Particles' places, component by component: neighbours of neighbours lie in few lines of memory.
struct particle_places {
  double* x;
  double* y;
  double* z;

  [[nodiscard]] ACCRUE_DEVICE particle_place at(std::size_t i) const { return {x[i], y[i], z[i]}; }
  ACCRUE_DEVICE void put(std::size_t i, const particle_place& p) const {
    x[i] = p.x;
    y[i] = p.y;
    z[i] = p.z;
  }
};

/// Where a particle is in the box, near enough to tell who may be a neighbour.
struct alignas(16) rough_place {
  float x, y, z;
  float unused;
};

/// A box and its cells. In open directions length and inverse_length are 0.
struct list_geometry {
  double low[3];
  double length[3];
  double inverse_length[3];
  double cell_low[3];
  double inverse_edge[3];
  std::uint32_t cells[3];
  bool periodic[3];

  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t all_cells() const { return cells[0] * cells[1] * cells[2]; }
};

/// What a build tells its caller. Zero before.
struct list_facts {
  std::uint64_t coincident;  ///< all bits turned, the smallest pair of particles at one place, the lower number above; or 0
  std::uint64_t entries;
  unsigned longest_row;
  unsigned fullest_cell;
  unsigned not_finite;
  unsigned unused;
};

/// Rows, each with the partners behind its particle in the order first, in strips of 32 lanes, of which `lanes_a_row` share a row: entry
/// e of a row is its lane e % lanes_a_row's at step e / lanes_a_row. A lane's steps lie four by four, beside those of the next lane.
/// All rows of a strip have the same number of steps, filled up with the particle behind the last, which is none.
struct strip_rows {
  std::uint32_t* entries;
  std::uint32_t* steps;  ///< of each strip, a multiple of `entries_at_once`; `crosses` where some pair crosses a boundary
  std::uint32_t* front;  ///< steps of each strip, likewise, behind which no lane has a partner behind its particle
  std::uint32_t room;    ///< steps of a strip
  std::uint32_t lanes_shift;  ///< log2 of the lanes of a row
  std::uint32_t size;  ///< particles

  static constexpr std::uint32_t crosses = 1u << 31;
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t lanes_a_row() const { return 1u << lanes_shift; }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t rows_a_strip() const { return strip_lanes >> lanes_shift; }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t strips() const { return (size + rows_a_strip() - 1) / rows_a_strip(); }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::size_t place(std::uint32_t strip, std::uint32_t step, std::uint32_t lane) const {
    return ((std::size_t{strip} * (room / entries_at_once) + step / entries_at_once) * strip_lanes + lane) * entries_at_once +
           step % entries_at_once;
  }
};

ACCRUE_DEVICE std::size_t first_item() { return std::size_t{block()} * threads() + thread(); }
ACCRUE_DEVICE std::size_t item_step() { return std::size_t{blocks()} * threads(); }

/// A coordinate of the caller's, wrapped into the box.
ACCRUE_DEVICE double wrapped(const list_geometry& g, int k, double x) {
  if (!g.periodic[k]) return x;
  return subtract(x, multiply(g.length[k], floor(divide(subtract(x, g.low[k]), g.length[k]))));
}
template <class T>
ACCRUE_DEVICE particle_place place_of(const vectors<const T>& from, std::size_t i) {
  const std::size_t at = i * from.stride;
  return {to_double(from.x[at]), to_double(from.y[at]), to_double(from.z[at])};
}
template <class T>
ACCRUE_DEVICE particle_place wrapped_place(const list_geometry& g, const vectors<const T>& from, std::size_t i) {
  const particle_place p = place_of(from, i);
  return {wrapped(g, 0, p.x), wrapped(g, 1, p.y), wrapped(g, 2, p.z)};
}
ACCRUE_DEVICE bool is_finite(const particle_place& p) {
  const double most = std::numeric_limits<double>::max();
  return magnitude(p.x) <= most && magnitude(p.y) <= most && magnitude(p.z) <= most;
}
ACCRUE_DEVICE std::uint32_t cell_along(const list_geometry& g, int k, double x) {
  const double c = multiply(subtract(x, g.cell_low[k]), g.inverse_edge[k]);
  const auto last = static_cast<double>(g.cells[k] - 1);
  return static_cast<std::uint32_t>(c > 0 ? (c < last ? c : last) : 0);
}

/// Each block's bounds of the wrapped positions: lowest x, y, z, highest x, y, z.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 1)
bounds_kernel(list_geometry g, vectors<const T> from, double (*bounds)[6]) {
  ACCRUE_SHARED double of_threads[neighbor_threads][6];
  const double infinity = std::numeric_limits<double>::infinity();
  double mine[6] = {infinity, infinity, infinity, -infinity, -infinity, -infinity};
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place p = wrapped_place(g, from, i);
    const double x[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
      mine[k] = x[k] < mine[k] ? x[k] : mine[k];
      mine[3 + k] = x[k] > mine[3 + k] ? x[k] : mine[3 + k];
    }
  }
  for (int k = 0; k < 6; ++k) of_threads[thread()][k] = mine[k];
  sync_block();
  if (thread() >= 6) return;
  double most = mine[0];
  for (unsigned t = 0; t < threads(); ++t) {
    const double other = of_threads[t][thread()];
    most = t == 0 || (thread() < 3 ? other < most : other > most) ? other : most;
  }
  bounds[block()][thread()] = most;
}

/// Each particle's cell, and how many a cell has.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
count_cells_kernel(list_geometry g, vectors<const T> from, std::uint32_t* cell_of, std::uint32_t* counts, list_facts* facts) {
  bool finite = true;
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place p = wrapped_place(g, from, i);
    finite = finite && is_finite(p);
    const std::uint32_t cell = (cell_along(g, 2, p.z) * g.cells[1] + cell_along(g, 1, p.y)) * g.cells[0] + cell_along(g, 0, p.x);
    cell_of[i] = cell;
    add_atomically(counts + cell, 1u);
  }
  if (!finite) raise_atomically(&facts->not_finite, 1);
}

/// The sum of the values of all threads of the block below. `scratch` has a place for each warp.
ACCRUE_DEVICE std::uint32_t sum_of_threads_below(std::uint32_t v, std::uint32_t* scratch, std::uint32_t& all) {
  std::uint32_t sum = v;
  for (unsigned distance = 1; distance < warp_width; distance *= 2) {
    const std::uint32_t other = shuffle(sum, lane() >= distance ? lane() - distance : lane());
    if (lane() >= distance) sum += other;
  }
  if (lane() == warp_width - 1) scratch[warp()] = sum;
  sync_block();
  std::uint32_t before = 0;
  all = 0;
  for (unsigned w = 0; w < warps(); ++w) {
    if (w < warp()) before += scratch[w];
    all += scratch[w];
  }
  sync_block();
  return before + sum - v;
}
/// Counts become how many stand before them in their block's part, and `totals` what each part has.
template <class Count>
ACCRUE_KERNEL(neighbor_threads, 4)
scan_parts_kernel(Count* counts, Count n, Count* totals, list_facts* facts) {
  ACCRUE_SHARED Count scratch[neighbor_threads / least_warp];
  const std::size_t first = (std::size_t{block()} * threads() + thread()) * scan_items;
  std::uint32_t mine[scan_items];
  std::uint32_t sum = 0;
  unsigned most = 0;
  for (unsigned k = 0; k < scan_items; ++k) {
    mine[k] = first + k < n ? counts[first + k] : 0;
    sum += mine[k];
    most = mine[k] > most ? mine[k] : most;
  }
  most = largest_in_warp(most);
  if (facts != nullptr && lane() == 0) raise_atomically(&facts->fullest_cell, most);
  std::uint32_t all = 0;
  std::uint32_t before = sum_of_threads_below(sum, scratch, all);
  for (unsigned k = 0; k < scan_items; ++k) {
    if (first + k < n) counts[first + k] = before;
    before += mine[k];
  }
  if (thread() == 0) totals[block()] = all;
}
/// Adds what stands before each part; `counts` has one more place, for all of them.
template <class Count>
ACCRUE_KERNEL(neighbor_threads, 4)
add_parts_kernel(Count* counts, Count n, const Count* totals_before, Count all) {
  const std::size_t first = (std::size_t{block()} * threads() + thread()) * scan_items;
  for (unsigned k = 0; k < scan_items && first + k < n; ++k) counts[first + k] += totals_before[block()];
  if (block() == 0 && thread() == 0) counts[n] = all;
}

/// Brings particles to their cells, in any order there. `next` is where each cell's next one goes.
template <class Index>
ACCRUE_KERNEL(neighbor_threads, 4)
gather_cells_kernel(Index n, const Index* cell_of, const Index* begin, Index* taken, Index* loose) {
  for (std::size_t i = first_item(); i < n; i += item_step()) {
    const Index cell = cell_of[i];
    loose[begin[cell] + fetch_add(taken + cell, Index{1})] = static_cast<Index>(i);
  }
}
/// Orders the particles of each cell by their number, and keeps where they are, exactly and roughly.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
order_cells_kernel(list_geometry g, vectors<const T> from, const std::uint32_t* cell_of, const std::uint32_t* begin,
                   const std::uint32_t* loose, std::uint32_t* order, particle_places places, rough_place* rough) {
  for (std::size_t at = first_item(); at < from.size; at += item_step()) {
    const std::uint32_t i = loose[at];
    const std::uint32_t cell = cell_of[i];
    std::uint32_t to = begin[cell];
    for (std::uint32_t k = begin[cell]; k < begin[cell + 1]; ++k) to += loose[k] < i ? 1 : 0;
    order[to] = i;
    const particle_place p = wrapped_place(g, from, i);
    places.put(to, p);
    const auto in_box = [&](int k, double x) { return static_cast<float>(subtract(x, g.periodic[k] ? g.low[k] : g.cell_low[k])); };
    rough[to] = {in_box(0, p.x), in_box(1, p.y), in_box(2, p.z), 0};
  }
}

/// The distance of two coordinates to the nearest image. `crosses` is set where that is another.
ACCRUE_DEVICE double to_nearest(const list_geometry& g, int k, double d, bool& crosses) {
  if (!g.periodic[k]) return d;
  const double images = rint(multiply(d, g.inverse_length[k]));
  crosses = crosses || images != 0;
  return subtract(d, multiply(g.length[k], images));
}
/// Calls `visit(begin, end)` for the runs of particles in the cells around one: each cell once.
template <class Visit>
ACCRUE_DEVICE void for_each_run(const list_geometry& g, const std::uint32_t* begin, const std::uint32_t (&own)[3], const Visit& visit) {
  int first[3];
  int last[3];
  for (int k = 0; k < 3; ++k) {
    const auto count = static_cast<int>(g.cells[k]);
    const auto at = static_cast<int>(own[k]);
    const bool all = count < 3;  // each of them once
    first[k] = all ? 0 : at - 1;
    last[k] = all ? count - 1 : at + 1;
    if (!all && !g.periodic[k]) {
      first[k] = first[k] < 0 ? 0 : first[k];
      last[k] = last[k] < count ? last[k] : count - 1;
    }
  }
  const auto in_box = [&](int k, int c) {
    const auto count = static_cast<int>(g.cells[k]);
    return static_cast<std::uint32_t>(c < 0 ? c + count : c >= count ? c - count : c);
  };
  for (int z = first[2]; z <= last[2]; ++z) {
    for (int y = first[1]; y <= last[1]; ++y) {
      const std::uint32_t line = (in_box(2, z) * g.cells[1] + in_box(1, y)) * g.cells[0];
      if (first[0] >= 0 && last[0] < static_cast<int>(g.cells[0])) {
        visit(begin[line + static_cast<std::uint32_t>(first[0])], begin[line + static_cast<std::uint32_t>(last[0]) + 1]);
      } else {
        for (int x = first[0]; x <= last[0]; ++x) visit(begin[line + in_box(0, x)], begin[line + in_box(0, x) + 1]);
      }
    }
  }
}

/// Writes the entries of one row, of so many lanes, one behind the other.
template <unsigned lanes_shift>
class row_writer {
 public:
  ACCRUE_DEVICE row_writer(const strip_rows& rows, std::uint32_t row)
      : filler_(rows.size), strip_(row / rows_a_strip), first_lane_((row % rows_a_strip) << lanes_shift), room_(rows.room << lanes_shift) {
    next_ = rows.entries + rows.place(strip_, 0, first_lane_);
  }

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t strip() const { return strip_; }
  [[nodiscard]] ACCRUE_DEVICE bool is_first() const { return first_lane_ == 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t size() const { return size_; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t steps() const { return (size_ + lanes - 1) >> lanes_shift; }

  /// Adds an entry, and forgets it where there is no room. Up to three of a lane that is alone are written with the next.
  ACCRUE_DEVICE void add(std::uint32_t other) {
    constexpr int each = entries_at_once;
    if constexpr (lanes == 1) {
      for (int k = 0; k + 1 < each; ++k) last_.word[k] = last_.word[k + 1];
      last_.word[each - 1] = other;
      if (++size_ % entries_at_once != 0) return;
      if (size_ <= room_) *reinterpret_cast<vector16*>(next_) = last_;
      next_ += int{strip_lanes} * each;
    } else {
      if (size_ < room_) *next_ = other;
      ++size_;
      // Four of a lane, and those of the row's other lanes beside them; then the strip's next four.
      if (size_ % (lanes * entries_at_once) == 0) {
        next_ += int{strip_lanes} * each - int{lanes} * each + 1;
      } else if (size_ % lanes == 0) {
        next_ += 1 - (int{lanes} - 1) * each;
      } else {
        next_ += each;
      }
    }
  }
  /// Fills the row up to so many steps with what is no particle.
  ACCRUE_DEVICE void fill(std::uint32_t steps) {
    while (size_ < steps << lanes_shift) add(filler_);
  }

 private:
  static constexpr std::uint32_t lanes = 1u << lanes_shift;
  static constexpr std::uint32_t rows_a_strip = strip_lanes >> lanes_shift;
  std::uint32_t* next_;
  std::uint32_t filler_;
  std::uint32_t strip_;
  std::uint32_t first_lane_;
  std::uint32_t room_;
  std::uint32_t size_ = 0;
  [[maybe_unused]] vector16 last_{};
};

/// Squares of distances in single precision: nearer than one and at least as far as another every pair is within reach, and beyond the third
/// none; between them double precision decides.
struct rough_reach {
  float least;
  float surely;
  float most;
};

/// Each particle's row: a lane for each. Half rows have the partners that come later in the order alone. Rows that are longer than there is
/// room for are told by `facts->longest_row`, and are no rows.
template <unsigned lanes_shift, class Index>
ACCRUE_KERNEL(neighbor_threads, 8)
build_rows_kernel(list_geometry g, strip_rows rows, bool half, double reach_squared, rough_reach reach, const Index* begin,
                  particle_places places, const rough_place* rough, const Index* order, list_facts* facts) {
  const std::uint32_t row = block() * threads() + thread();  // lanes without one fill the strip's places
  row_writer<lanes_shift> to(rows, row);
  std::uint32_t front_steps = 0;
  std::uint32_t found = 0;
  bool crosses = false;
  if (row < rows.size) {
    const rough_place own = rough[row];
    std::uint32_t cell[3];
    bool images = false;  // whether a partner may be another image
    {
      const particle_place p = places.at(row);
      const double x[3] = {p.x, p.y, p.z};
      for (int k = 0; k < 3; ++k) {
        cell[k] = cell_along(g, k, x[k]);
        images = images || (g.periodic[k] && (cell[k] == 0 || cell[k] + 1 == g.cells[k] || g.cells[k] < 5));
      }
    }
    const float length[3] = {static_cast<float>(g.length[0]), static_cast<float>(g.length[1]), static_cast<float>(g.length[2])};
    const float inverse[3] = {static_cast<float>(g.inverse_length[0]), static_cast<float>(g.inverse_length[1]),
                              static_cast<float>(g.inverse_length[2])};
    const auto is_within_reach = [&](std::uint32_t other) {
      const particle_place a = places.at(row);
      const particle_place b = places.at(other);
      const double x[3] = {subtract(a.x, b.x), subtract(a.y, b.y), subtract(a.z, b.z)};
      double r2 = 0;
      bool crossing = false;
      for (int k = 0; k < 3; ++k) {
        const double d = to_nearest(g, k, x[k], crossing);
        r2 = add(r2, multiply(d, d));
      }
      if (r2 == 0) {
        const std::uint64_t i = order[row];
        const std::uint64_t j = order[other];
        raise_atomically(&facts->coincident, ~((i < j ? i : j) << 32 | (i < j ? j : i)));
      }
      return r2 < reach_squared;
    };
    const auto look_at = [&](auto with_images, std::uint32_t from, std::uint32_t end) {
      rough_place next = rough[from];
#pragma unroll 2
      for (std::uint32_t other = from; other < end; ++other) {
        const rough_place p = next;
        next = rough[other + 1];  // there is one more than particles
        float d[3] = {own.x - p.x, own.y - p.y, own.z - p.z};
        if constexpr (with_images) {
          for (int k = 0; k < 3; ++k) d[k] -= length[k] * rint(d[k] * inverse[k]);
        }
        const float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 >= reach.most) continue;
        bool within = r2 >= reach.least && r2 < reach.surely;
        if (!within) within = is_within_reach(other);  // seldom
        if (within) to.add(other);
      }
    };
    for (int pass = 0; pass < (half ? 1 : 2); ++pass) {  // partners behind, then those before
      for_each_run(g, begin, cell, [&](std::uint32_t from, std::uint32_t end) {
        if (pass == 0) {
          from = from <= row ? row + 1 : from;
        } else {
          end = end < row ? end : row;
        }
        if (from >= end) return;
        images ? look_at(std::true_type{}, from, end) : look_at(std::false_type{}, from, end);
      });
      if (pass == 0) front_steps = to.steps();
    }
    found = to.size();
    crosses = images && found != 0;
  }
  std::uint32_t steps = to.steps();
  unsigned crossing = crosses ? 1 : 0;
  for (unsigned distance = 1; distance < strip_lanes >> lanes_shift; distance *= 2) {
    const std::uint32_t other = shuffle_xor(steps, distance);
    const std::uint32_t other_front = shuffle_xor(front_steps, distance);
    steps = other > steps ? other : steps;
    front_steps = other_front > front_steps ? other_front : front_steps;
    crossing |= shuffle_xor(crossing, distance);
  }
  const auto rounded = [](std::uint32_t n) { return (n + entries_at_once - 1) / entries_at_once * entries_at_once; };
  steps = rounded(steps);
  if (to.strip() < rows.strips() && steps <= rows.room) {
    to.fill(steps);
    if (to.is_first()) {
      rows.steps[to.strip()] = steps | (crossing != 0 ? strip_rows::crosses : 0);
      rows.front[to.strip()] = rounded(front_steps);
    }
  }
  std::uint64_t entries = found;
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) entries += shuffle_xor(entries, distance);
  const unsigned longest = largest_in_warp(found);
  if (lane() == 0) {
    add_atomically(&facts->entries, entries);
    raise_atomically(&facts->longest_row, longest);
  }
}

/// Whether some particle has moved further than the limit since the list was built, or is not finite.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
moved_kernel(list_geometry g, vectors<const T> from, const std::uint32_t* order, particle_places then, double limit_squared,
             unsigned* moved) {
  bool far = false;
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place now = place_of(from, order[i]);
    const particle_place was = then.at(i);
    const double d[3] = {subtract(now.x, was.x), subtract(now.y, was.y), subtract(now.z, was.z)};
    double squared = 0;
    for (int k = 0; k < 3; ++k) {
      const double x = k == 0 ? now.x : k == 1 ? now.y : now.z;
      const double w = k == 0 ? was.x : k == 1 ? was.y : was.z;
      double step = d[k];
      if (g.periodic[k]) {
        step = subtract(subtract(x, multiply(g.length[k], rint(multiply(step, g.inverse_length[k])))), w);
      }
      squared = add(squared, multiply(step, step));
    }
    far = far || !(squared <= limit_squared);
  }
  if (far) raise_atomically(moved, 1);
}

}  // namespace accrue::simt
