// SPDX-License-Identifier: BSD-3-Clause
// The compiled CPU kernels of pair forces. They work on batches: some hundreds of pairs within the cut-off, gathered from the rows of
// a neighbour list into arrays that stay in the first-level cache while a potential and the sums pass over them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace accrue::kernels {

/// Rows of a neighbour list are padded to a multiple of this with the number of a particle that is nowhere.
inline constexpr std::size_t row_multiple = 8;

/// Positions, and forces with energies, are kept as xyzw: x, y, z and a fourth number of a particle side by side.
inline constexpr std::size_t xyzw_size = 4;

/// Pairs [begin, end) of a batch, all of one row; from `turn` on they may cross a periodic boundary. The end is that of a vector,
/// which fillers make full.
struct row_piece {
  std::uint32_t row;
  std::uint32_t begin;
  std::uint32_t turn;
  std::uint32_t end;
};

/// The types of a pair's two particles, the row's first.
struct type_pair {
  std::uint8_t first;
  std::uint8_t second;
};
inline constexpr std::size_t most_particle_types = 256;

struct pair_batch {
  static constexpr std::size_t capacity = 320;  ///< candidates
  static constexpr std::size_t most_rows = 12;
  static constexpr std::size_t places = capacity + 8 * most_rows;  ///< each row ends with a full vector

  alignas(64) double dx[places];
  alignas(64) double dy[places];
  alignas(64) double dz[places];
  alignas(64) double r2[places];
  alignas(64) double energy[places];
  alignas(64) double force_over_r[places];
  alignas(64) double spare[places];
  alignas(64) std::uint32_t other[places];
  type_pair types[places];  ///< where particles have types
  row_piece rows[most_rows];
  std::size_t row_count;
  std::size_t size;  ///< a multiple of the vector width

  /// The energies, and where `apply_pairs` leaves the virial's terms xx, yy, zz, xy, xz, yz: in place of what it has used up.
  [[nodiscard]] std::array<const double*, 7> terms() const { return {energy, dx, dy, dz, r2, force_over_r, spare}; }
};

/// A row's entries, both numbers multiples of `row_multiple`: those before `inner` are where they are, of those from there on some
/// cross a periodic boundary.
struct row_extent {
  std::uint32_t inner;
  std::uint32_t padded;
};

/// What the search for pairs reads. Row i's candidates are rows[i][0 .. extents[i].padded).
struct pair_search {
  const double* positions;       ///< xyzw; that of particle `nowhere` holds NaN
  const float* rough_positions;  ///< the same in single precision, or null
  float rough_limit;             ///< every pair within the cut-off is below this by rough positions
  const std::uint32_t* const* rows;
  const row_extent* extents;
  std::uint32_t nowhere;
  double cutoff_squared;
  double length[3];  ///< of the box; 0 where it is open
  double inverse_length[3];
};

/// How far a search has come.
struct row_cursor {
  std::size_t row;
  std::size_t offset;  ///< into the row
};

/// Fills the batch with pairs from `at` on, up to row `end`; answers false when there are no rows left. A batch may come out empty.
/// What is in it but not within the cut-off, fillers of vectors for one, has no extent and the cut-off's square for r2.
bool find_pairs(const pair_search& search, row_cursor& at, std::size_t end, pair_batch& batch);

/// What is done with a batch's forces.
struct pair_action {
  bool to_both;   ///< to both partners (half lists), or to the row's particle alone (full lists)
  bool virial;    ///< leave the virial's terms in the batch
  bool energies;  ///< part of each pair's energy into the fourth number of xyzw
  double energy_share;  ///< that part
};

/// Sets energy and force of what is in the batch but not within the cut-off to zero: a potential may be infinite there.
void clear_fillers(pair_batch& batch, double cutoff_squared);

/// Bounds of a pair's force |f|, and of its energy.
struct pair_limits {
  double force = std::numeric_limits<double>::infinity();
  double energy = std::numeric_limits<double>::infinity();
  double nearer_squared = std::numeric_limits<double>::infinity();  ///< of pairs nearer than this alone
};
/// Whether all pairs of the batch are below the limits, and nothing is NaN.
bool all_below(const pair_batch& batch, const pair_limits& limits);

/// Adds the batch's forces to xyzw.
void apply_pairs(pair_batch& batch, pair_action action, double* xyzw);
/// The same in integers that count units of 2^exponent; forces and energies must be below 2^(exponent + 51).
void apply_pairs(pair_batch& batch, pair_action action, int exponent, std::int64_t* xyzw);

/// Exact totals of terms below 2^tame_exponent, by vector lanes, in two integers each: high * 2^high_unit + low * 2^low_unit. Good
/// for 2^9 batches.
struct tame_totals {
  static constexpr int tame_exponent = 9;
  static constexpr int high_unit = -35;
  static constexpr int low_unit = -80;
  alignas(64) std::int64_t high[8]{};
  alignas(64) std::int64_t low[8]{};
};
/// Whether the energies of the batch, and the virial's terms (before they replace what they are made of), are below 2^tame_exponent.
bool all_tame(const pair_batch& batch);
/// Adds some arrays of a batch's terms, all below 2^tame_exponent, to a total each. An array with bits below 2^low_unit is left out;
/// the answer has a bit for each that was. `size` is a multiple of the vector width, at most pair_batch::places.
unsigned add_tame(const double* const* terms, std::size_t arrays, std::size_t size, tame_totals* totals);

/// Lennard-Jones terms of a batch: energy and force/r as functions of r^2. See lennard_jones.hpp.
struct lennard_jones_terms {
  double sigma_squared;
  double four_epsilon;
  double shift;  ///< subtracted from the energy
  double slope;  ///< dU/dr at the cut-off if the force is shifted too, else 0
  double cutoff;

  bool operator==(const lennard_jones_terms&) const = default;
};
void evaluate_lennard_jones(const lennard_jones_terms& terms, const double* r2, std::size_t size, double* energy,
                            double* force_over_r);
/// Those of pairs of types, a and b's at [a * types + b]; beyond its own cut-off a pair has neither energy nor force.
struct lennard_jones_table {
  const lennard_jones_terms* terms;
  std::size_t types;
  bool sloped;  ///< whether any slope is not 0
};
void evaluate_lennard_jones(const lennard_jones_table& table, const double* r2, const type_pair* types, std::size_t size,
                            double* energy, double* force_over_r);

/// Coordinates of particles sorted by cell.
struct coordinates {
  const double* x;
  const double* y;
  const double* z;
};
/// Particles [begin, end), to be taken `shift` away from where they are: an image of theirs.
struct cell_run {
  std::size_t begin;
  std::size_t end;
  double shift[3];
};
/// The particles of the runs within reach of the point: their numbers are written to `found`, which has room for `row_multiple`
/// more than all of them, and counted. `coincident` is raised if one lies on the point.
std::size_t find_near(const coordinates& all, std::span<const cell_run> runs, const double (&point)[3], double reach_squared,
                      std::uint32_t* found, bool& coincident);

}  // namespace accrue::kernels
