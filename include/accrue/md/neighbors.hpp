// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists: for each particle of a box, the others within reach.
#pragma once

#include "accrue/detail/language.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "accrue/md/neighbor_rows.hpp"
#include "accrue/md/particles.hpp"
#include "accrue/space.hpp"
#include "accrue/vectors.hpp"

namespace accrue {

/// An orthorhombic box, periodic or open in each direction. Where it is open, `low` and `length` mean nothing and particles may be
/// anywhere.
struct orthorhombic_box {
  std::array<double, 3> low{0, 0, 0};
  std::array<double, 3> length{0, 0, 0};
  std::array<bool, 3> periodic{true, true, true};

  /// The product of the lengths.
  [[nodiscard]] double volume() const { return length[0] * length[1] * length[2]; }
};

enum class list_kind {
  half,  ///< each pair once, in the row of one of its two particles
  full   ///< each pair in both rows; a pair with a ghost in the one row that it has
};

namespace detail {
struct neighbor_data;

/// Up to where pairs are listed: an allowance for rounding beyond cut-off and skin.
inline double list_reach(double cutoff, double skin) { return (cutoff + skin) * (1 + 0x1p-42); }
inline constexpr std::size_t most_particles = (std::size_t{1} << 31) - 64;

/// What a device backend keeps for an object of a caller's.
struct device_part {
  virtual ~device_part() = default;
};
/// A list in device memory, as the list's owner sees it.
struct device_rows : device_part {
  std::size_t size = 0;
  std::size_t entries = 0;
  std::size_t bytes = 0;
  std::optional<std::pair<std::size_t, std::size_t>> coincident;
  bool failed = false;  ///< nothing is there, but memory that captured sweeps may look at
};
}  // namespace detail

/// A Verlet neighbour list by linked cells (L. Verlet 1967; R. W. Hockney, J. W. Eastwood, *Computer Simulation Using Particles*).
///
/// Holds every pair at most `reach` = cutoff + skin apart, to nearest images, and none further than reach * (1 + 2^-40), the
/// allowance for rounding. Particles are renumbered by cell (`order`), rows list the renumbered partners; both are functions of the
/// positions alone, whatever the number of threads. Positions are in the caller's length unit, anywhere in space: periodic
/// directions wrap them.
///
/// Errors: `invalid_argument` for a cut-off that is not positive, a negative skin, a periodic length that is not positive, a reach
/// above half a periodic length (the nearest image would not be the only one), and more than 2^31 - 64 particles; `bad_input`
/// for positions that are not finite.
///
/// On devices (accrue/md/devices.hpp): the same order of particles and the same pairs, in device memory; `build` and `needs_rebuild` wait
/// for the device. A list is where it was built last: forces are computed there. A captured sweep over it holds for later builds of as many
/// particles as long as `memory_bytes` stays; one that meets other rows tells `invalid_argument`. Coordinates of 2^98 and more are
/// `bad_input` there.
///
/// Cost: linear in the number of particles at a given density. In open directions cells span all particles: one that is far from the
/// others makes the cells large and the build slow. Memory: 90 bytes a particle, and 4 for each of its row's entries,
/// which are padded to a multiple of 8; kept from build to build.
class neighbor_list {
 public:
  neighbor_list(const orthorhombic_box& box, double cutoff, double skin, list_kind kind = list_kind::half);
  ~neighbor_list();
  neighbor_list(neighbor_list&&) noexcept;
  neighbor_list& operator=(neighbor_list&&) noexcept;

  /// Lists the neighbours of `positions`: vectors<float or double>, or a contiguous range of std::array<T, 3>.
  template <class Space, class Positions>
  void build(const Space& space, const Positions& positions) {
    if constexpr (requires { build_rows_on_device(space, *this, detail::as_vectors(positions)); }) {
      forget_host_rows();
      rows_ = build_rows_on_device(space, *this, detail::as_vectors(positions));
    } else {
      build_on(detail::host_team_of(space), detail::as_vectors(positions));
    }
  }

  /// Takes a caller's own list instead: `compressed_rows` or `padded_rows` by the caller's numbers, with every pair that may come within
  /// the cut-off while no particle moves further than half the skin; others may be among them. A half list has each pair once, in the row
  /// of either particle, a full one in both rows. Particles keep their numbers (`order` is 0, 1, 2 and so on): those that are near each
  /// other should have numbers that are. What was passed is copied.
  ///
  /// Ghosts (`neighbor_rows::with_ghosts`) have positions and no rows. Over a half list they get forces, which their caller sends to their
  /// owners, and a pair with a ghost counts whole: it stands in one rank's list alone. Over a full list, where a pair of two ranks stands
  /// in both ranks' lists, ghosts' forces are zero and each entry counts as half a pair's energy and virial: the sums of all ranks merge to
  /// the system's.
  ///
  /// Errors: those of `build`; `size_mismatch` for other than a row for each position but the ghosts'; `bad_input` for a row that does not
  /// lie within its room, has as many partners as there are particles, or one that is not there or is the particle itself;
  /// `invalid_argument` for a full list of which a pair stands in one of its two rows alone, and for a half one that has all pairs in both.
  /// Pairs that are listed twice count twice.
  template <class Space, class Positions>
  void assign(const Space& space, const Positions& positions, const neighbor_rows& rows) {
    if constexpr (requires { assign_rows_on_device(space, *this, detail::as_vectors(positions), rows.view); }) {
      forget_host_rows();
      rows_ = assign_rows_on_device(space, *this, detail::as_vectors(positions), rows.view);
    } else {
      assign_on(detail::host_team_of(space), detail::as_vectors(positions), rows.view);
    }
  }

  /// Whether some particle has moved further than half the skin since the list was built, so that pairs may be missing. Periodic
  /// jumps by whole boxes do not count as movement. Also true before the first build.
  template <class Space, class Positions>
  [[nodiscard]] bool needs_rebuild(const Space& space, const Positions& positions) const {
    if constexpr (requires { has_moved_on_device(space, *this, detail::as_vectors(positions)); }) {
      return rows_ == nullptr || has_moved_on_device(space, *this, detail::as_vectors(positions));
    } else {
      return needs_rebuild_on(detail::host_team_of(space), detail::as_vectors(positions));
    }
  }

  [[nodiscard]] const orthorhombic_box& box() const;
  [[nodiscard]] double cutoff() const;
  [[nodiscard]] double skin() const;
  [[nodiscard]] list_kind kind() const;
  /// Particles in the list.
  [[nodiscard]] std::size_t size() const;
  /// Entries of all rows: pairs of a half list, twice the pairs of a full one.
  [[nodiscard]] std::size_t entries() const;
  [[nodiscard]] std::size_t memory_bytes() const;
  /// order()[k] is the caller's number of the particle that rows call k. Of lists on devices neither this nor `row` is to be had:
  /// `invalid_argument`.
  [[nodiscard]] std::span<const std::uint32_t> order() const;
  /// The neighbours of the particle that rows call k.
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t k) const;
  /// A pair of particles at the very same place, by the caller's numbers: the smallest such pair.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> coincident() const;

  [[nodiscard]] const detail::neighbor_data& data() const { return *data_; }
  /// The rows of a list that was built on a device, else null.
  [[nodiscard]] const detail::device_rows* rows_on_device() const { return rows_.get(); }
  [[nodiscard]] std::unique_ptr<detail::device_rows> take_rows_on_device() { return std::move(rows_); }
  void keep_rows_on_device(std::unique_ptr<detail::device_rows> rows) { rows_ = std::move(rows); }

 private:
  void build_on(const detail::host_team& team, const detail::position_view& positions);
  void assign_on(const detail::host_team& team, const detail::position_view& positions, const detail::row_view& rows);
  /// Runs filler(*data_, positions, threads, ...).
  template <template <class> class Filler, class... Arguments>
  void fill_on(const detail::host_team& team, const detail::position_view& positions, const Arguments&... arguments);
  [[nodiscard]] bool needs_rebuild_on(const detail::host_team& team, const detail::position_view& positions) const;

  void forget_host_rows();

  std::unique_ptr<detail::neighbor_data> data_;
  std::unique_ptr<detail::device_rows> rows_;
};

}  // namespace accrue
