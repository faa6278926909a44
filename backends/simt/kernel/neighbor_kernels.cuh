// SPDX-License-Identifier: BSD-3-Clause
// The kernels that build neighbour lists: particles are wrapped into the box, counted and sorted by cell, and given their rows. Every
// number is rounded as the host's builder rounds it, so that particles have the same order there.
#pragma once

#include <cmath>

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/backends/simt/kernel/limits.hpp"
#include "accrue/error.hpp"
#include "accrue/md/detail/cell_grid.hpp"
#include "accrue/vectors.hpp"

namespace accrue::simt {

inline constexpr unsigned neighbor_threads = 128;  ///< of a block
inline constexpr unsigned scan_items = 8;          ///< counts of a thread, in a scan
inline constexpr unsigned strip_lanes = 32;        ///< of a strip, whatever the width of a warp
/// That a lane reads together, and that it works on together: sixteen bytes, and no more than there are likely to be.
template <class Entry>
inline constexpr unsigned entries_a_load = 16 / sizeof(Entry);
template <class Entry>
inline constexpr unsigned steps_at_once = sizeof(Entry) == 2 ? 2 : 4;

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
inline constexpr std::uint32_t rough_places_behind = 4;  ///< the last one, which are read and not looked at

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
  unsigned most_rows;    ///< of a brick
  unsigned most_places;  ///< of a tile
  unsigned outside;      ///< whether a wrapped particle is outside of the box (`is_outside`)
};

/// The tiles of a list whose rows are read from shared memory. Cells are gathered into bricks of `brick_cells`; a brick's tile are its
/// particles and those of the cells around it, a place for each: all that its rows can have as partners.
struct brick_tiles {
  std::uint32_t* source;   ///< of each place of a tile, `room` a brick: which particle is there
  std::uint32_t* places;   ///< of each tile: how many are taken
  std::uint32_t* rows;     ///< of each brick: how many rows it has
  std::uint32_t* row;      ///< of each row, as many a brick as its strips have: its particle; the number of particles where there is none.
                           ///< Behind them `strip_rows::caller`
  std::uint16_t* own;      ///< of each row: where in the tile its particle is, as an entry
  std::uint32_t* to_tile;  ///< of each cell of a tile, `most_cells` a brick: from a particle's number there to its place, modulo 2^32
  std::uint32_t bricks;
  std::uint32_t along[3];  ///< bricks in each direction, or 1
  std::uint32_t room;      ///< places of a tile, one more than particles
  std::uint32_t strips;    ///< of a brick

  static constexpr std::uint32_t brick_cells[3] = {4, 2, 2};
  static constexpr std::uint32_t most_cells = 6 * 4 * 4;
  static constexpr std::uint32_t most_places = 2720;  ///< whose entries have 16 bits
  bool operator==(const brick_tiles&) const = default;
};

/// Rows, each with the partners behind its particle in the order first, in strips of 32 lanes, of which `lanes_a_row` share a row: entry
/// e of a row is its lane e % lanes_a_row's at step e / lanes_a_row. The steps of a lane that are read together lie side by side, beside
/// those of the next lane. All rows of a strip have the same number of steps, filled up with the particle behind the last, which is none.
/// Entries are numbers of particles, of 32 bits; or, in bricks, of 16 bits: bytes in the brick's tile.
struct strip_rows {
  void* entries;
  std::uint32_t* steps;   ///< of each strip, a multiple of `steps_at_once`; `crosses` where some pair crosses a boundary
  std::uint32_t* front;   ///< of each row: how many partners are behind its particle, or count all the same
  std::uint32_t* layout;  ///< on the device: the `number` of the list that is there now
  std::uint32_t number;
  std::uint32_t room;  ///< steps of a strip
  std::uint32_t lanes_shift;  ///< log2 of the lanes of a row
  std::uint32_t size;  ///< particles
  int partner_bits;    ///< log2 of one more than the most partners that a particle can have, rounded down
  bool outside;        ///< whether some particle was so far away that wrapping left it outside of the box, as rounding alone does not
  brick_tiles tiles;   ///< `tiles.bricks` is 0 where entries are particles

  static constexpr std::uint32_t crosses = 1u << 31;
  bool operator==(const strip_rows&) const = default;
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t lanes_a_row() const { return 1u << lanes_shift; }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t rows_a_strip() const { return strip_lanes >> lanes_shift; }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t rows_a_brick() const { return tiles.strips << (5 - lanes_shift); }
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t strips() const {
    return tiles.bricks != 0 ? tiles.bricks * tiles.strips : (size + rows_a_strip() - 1) / rows_a_strip();
  }
  /// Of each row in bricks its particle, by the caller's number.
  [[nodiscard]] ACCRUE_HOST_DEVICE std::uint32_t* caller() const { return tiles.row + std::size_t{tiles.bricks} * rows_a_brick(); }
  template <class Entry>
  [[nodiscard]] ACCRUE_HOST_DEVICE std::size_t place(std::uint32_t strip, std::uint32_t step, std::uint32_t lane) const {
    constexpr auto each = static_cast<std::uint32_t>(entries_a_load<Entry>);
    return ((std::size_t{strip} * (room / each) + step / each) * strip_lanes + lane) * each + step % each;
  }
};

ACCRUE_DEVICE std::size_t first_item() { return std::size_t{block()} * threads() + thread(); }
ACCRUE_DEVICE std::size_t item_step() { return std::size_t{blocks()} * threads(); }

/// Outside of the box by a quarter of it or more.
ACCRUE_DEVICE bool is_astray(const list_geometry& g, int k, double x) {
  return g.periodic[k] && !(magnitude(subtract(subtract(x, g.low[k]), multiply(g.length[k], 0.5))) < multiply(g.length[k], 0.75));
}
/// A coordinate of the caller's, wrapped into the box.
ACCRUE_DEVICE double wrapped(const list_geometry& g, int k, double x) {
  if (!g.periodic[k]) return x;
  const auto wrap = [&](double v) { return subtract(v, multiply(g.length[k], floor(divide(subtract(v, g.low[k]), g.length[k])))); };
  x = wrap(x);
#pragma unroll 1
  for (int again = 0; again < detail::rounds_of_wrapping && is_astray(g, k, x); ++again) x = wrap(x);
  return x;
}
/// A coordinate moved by whole box lengths to within half a box of `near`.
ACCRUE_DEVICE double nearest_to(const list_geometry& g, int k, double x, double near) {
  return subtract(x, multiply(g.length[k], rint(multiply(subtract(x, near), g.inverse_length[k]))));
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
/// Coordinates from there on are refused: what is no particle is farther away.
inline constexpr double too_far = 0x1p98;
ACCRUE_DEVICE bool is_somewhere(const particle_place& p) {
  return magnitude(p.x) < too_far && magnitude(p.y) < too_far && magnitude(p.z) < too_far;
}
/// Of a wrapped particle: outside of the box by more than rounding near it explains.
ACCRUE_DEVICE bool is_outside(const list_geometry& g, const particle_place& p) {
  const double x[3] = {p.x, p.y, p.z};
  bool outside = false;
  for (int k = 0; k < 3; ++k) {
    const double from_center = subtract(subtract(x[k], g.low[k]), multiply(g.length[k], 0.5));
    outside = outside || (g.periodic[k] && !(magnitude(from_center) <= multiply(g.length[k], 0.5 + 0x1p-30)));
  }
  return outside;
}
/// Particles at one place, by the caller's numbers: the smallest pair is kept.
ACCRUE_DEVICE void tell_coincident(list_facts* facts, std::uint64_t i, std::uint64_t j) {
  raise_atomically(&facts->coincident, ~((i < j ? i : j) << 32 | (i < j ? j : i)));
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
  bool outside = false;
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place p = wrapped_place(g, from, i);
    finite = finite && is_somewhere(p);
    outside = outside || is_outside(g, p);
    const std::uint32_t cell = (cell_along(g, 2, p.z) * g.cells[1] + cell_along(g, 1, p.y)) * g.cells[0] + cell_along(g, 0, p.x);
    cell_of[i] = cell;
    add_atomically(counts + cell, 1u);
  }
  if (!finite) raise_atomically(&facts->not_finite, 1);
  if (outside) raise_atomically(&facts->outside, 1);
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
ACCRUE_DEVICE rough_place roughly(const list_geometry& g, const particle_place& p) {
  const auto in_box = [&](int k, double x) { return static_cast<float>(subtract(x, g.periodic[k] ? g.low[k] : g.cell_low[k])); };
  return {in_box(0, p.x), in_box(1, p.y), in_box(2, p.z), 0};
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
    rough[to] = roughly(g, p);
  }
}

/// The distance of two coordinates to the nearest image; itself in open directions.
ACCRUE_DEVICE double to_nearest(const list_geometry& g, int k, double d) {
  constexpr double whole = 0x1.8p52;  // adding it leaves whole numbers
  const double images = subtract(add(multiply(d, g.inverse_length[k]), whole), whole);
  return subtract(d, multiply(g.length[k], images));
}
/// The square of two particles' distance, to the nearest image.
ACCRUE_DEVICE double squared_distance(const list_geometry& g, const particle_place& a, const particle_place& b) {
  const double x[3] = {subtract(a.x, b.x), subtract(a.y, b.y), subtract(a.z, b.z)};
  double r2 = 0;
  for (int k = 0; k < 3; ++k) {
    const double d = to_nearest(g, k, x[k]);
    r2 = add(r2, multiply(d, d));
  }
  return r2;
}
/// Whether two particles are within reach of each other. Of two at one place it tells.
ACCRUE_DEVICE bool is_within_reach(const list_geometry& g, const particle_places& places, std::uint32_t i, std::uint32_t j,
                                   double reach_squared, const std::uint32_t* order, list_facts* facts) {
  const double squared = squared_distance(g, places.at(i), places.at(j));
  if (squared == 0) tell_coincident(facts, order[i], order[j]);
  return squared < reach_squared;
}
/// The cell of a particle; whether a partner may be another image.
ACCRUE_DEVICE bool find_cell(const list_geometry& g, const particle_place& p, std::uint32_t (&cell)[3]) {
  const double x[3] = {p.x, p.y, p.z};
  bool images = false;
  for (int k = 0; k < 3; ++k) {
    cell[k] = cell_along(g, k, x[k]);
    images = images || (g.periodic[k] && (cell[k] == 0 || cell[k] + 1 == g.cells[k] || g.cells[k] < 5));
  }
  return images;
}
/// Cells that lie side by side, of which the first is x, y, z. `around`: how many times the box lies between them and the particle that
/// looks at them.
struct cell_line {
  std::uint32_t x, y, z;
  std::uint32_t cells;
  int around[3];
};
/// The particles in such cells.
struct cell_run {
  cell_line line;
  std::uint32_t from;
  std::uint32_t end;
};
/// The runs of particles in the cells around one, each cell once: up to three by three lines of cells, each in one piece, or in up to three
/// where it goes around the box.
class runs_around {
 public:
  /// Of no cell none.
  ACCRUE_DEVICE runs_around() = default;
  ACCRUE_DEVICE runs_around(const list_geometry& g, const std::uint32_t (&own)[3]) {
    for (int k = 0; k < 3; ++k) {
      const auto count = static_cast<int>(g.cells[k]);
      const auto at = static_cast<int>(own[k]);
      const bool all = count < 3;  // each of them once
      first_[k] = all ? 0 : at - 1;
      last_[k] = all ? count - 1 : at + 1;
      if (!all && !g.periodic[k]) {
        first_[k] = first_[k] < 0 ? 0 : first_[k];
        last_[k] = last_[k] < count ? last_[k] : count - 1;
      }
    }
    in_pieces_ = first_[0] < 0 || last_[0] >= static_cast<int>(g.cells[0]);
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<int>(own[k]);
      inside_ = inside_ && first_[k] == at - 1 && last_[k] == at + 1 && at > 0 && last_[k] < static_cast<int>(g.cells[k]);
    }
  }
  [[nodiscard]] ACCRUE_DEVICE bool in_pieces() const { return in_pieces_; }
  /// Whether there are cells on all sides in the box: then all lines behind the middle one have particles behind the cell's, and all before
  /// it particles before them.
  [[nodiscard]] ACCRUE_DEVICE bool inside() const { return inside_; }
  /// The cells of a run, none where there is none.
  [[nodiscard]] ACCRUE_DEVICE cell_line cells_at(const list_geometry& g, int z, int y, int piece) const {
    const int first = in_pieces_ ? first_[0] + piece : first_[0];
    const int last = in_pieces_ ? first : last_[0];
    cell_line line{};
    if (first_[2] + z > last_[2] || first_[1] + y > last_[1] || last > last_[0] || (piece > 0 && !in_pieces_)) return line;
    line.x = in_box(g, 0, first, line.around[0]);
    line.y = in_box(g, 1, first_[1] + y, line.around[1]);
    line.z = in_box(g, 2, first_[2] + z, line.around[2]);
    line.cells = static_cast<std::uint32_t>(last - first + 1);
    return line;
  }
  /// Empty where there is none.
  [[nodiscard]] ACCRUE_DEVICE cell_run at(const list_geometry& g, const std::uint32_t* begin, int z, int y, int piece) const {
    cell_run run{cells_at(g, z, y, piece), 0, 0};
    if (run.line.cells == 0) return run;
    const std::uint32_t cell = (run.line.z * g.cells[1] + run.line.y) * g.cells[0] + run.line.x;
    run.from = begin[cell];
    run.end = begin[cell + run.line.cells];
    return run;
  }

 private:
  static ACCRUE_DEVICE std::uint32_t in_box(const list_geometry& g, int k, int c, int& around) {
    const auto count = static_cast<int>(g.cells[k]);
    around = c < 0 ? 1 : c >= count ? -1 : 0;
    return static_cast<std::uint32_t>(c + around * count);
  }
  int first_[3] = {0, 0, 0};
  int last_[3] = {-1, -1, -1};
  bool in_pieces_ = false;
  bool inside_ = true;
};
/// The lines of cells around those of a warp's lanes, which go through them together.
class lines_of_warp {
 public:
  explicit ACCRUE_DEVICE lines_of_warp(const runs_around& mine) : pieces_(any(mine.in_pieces()) ? 3 : 1), inside_(!any(!mine.inside())) {}
  /// Calls `visit(pass, z, y, piece)` for all that may have partners behind the lane's particle, in pass 0, or before it, in pass 1.
  template <class Visit>
  ACCRUE_DEVICE void visit(int pass, const Visit& visit) const {
    const int first = inside_ && pass == 0 ? 4 : 0;
    const int last = inside_ && pass == 1 ? 4 : 8;
    for (int line = first; line <= last; ++line) {
      for (int piece = 0; piece < pieces_; ++piece) visit(pass, line / 3, line % 3, piece);
    }
  }

 private:
  int pieces_;
  bool inside_;
};

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
        step = subtract(nearest_to(g, k, x, w), w);
      }
      squared = add(squared, multiply(step, step));
    }
    far = far || !(squared <= limit_squared);
  }
  if (far) raise_atomically(moved, 1);
}

}  // namespace accrue::simt
