// SPDX-License-Identifier: BSD-3-Clause
// Pair forces over a neighbour list of the caller's, all of it in Views, on any Kokkos space. On host spaces `pair_forces` and
// `neighbor_list` (accrue/md) take Views too, and are faster.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accrue/md/neighbors.hpp"
#include "accrue/md/pair_forces.hpp"
#include "accrue/superaccumulator.hpp"
#include "accrue/backends/kokkos/accumulate_views.hpp"

namespace accrue {

/// Rows one behind the other: the neighbours of particle i are entries(k), offsets(i) <= k < offsets(i + 1).
template <class Offsets, class Entries>
struct kokkos_csr_rows {
  Offsets offsets;
  Entries entries;

  [[nodiscard]] std::size_t rows() const { return offsets.extent(0) != 0 ? offsets.extent(0) - 1 : 0; }
  KOKKOS_FUNCTION std::size_t size(std::size_t i) const { return static_cast<std::size_t>(offsets(i + 1) - offsets(i)); }
  KOKKOS_FUNCTION std::size_t neighbor(std::size_t i, std::size_t k) const {
    return static_cast<std::size_t>(entries(static_cast<std::size_t>(offsets(i)) + k));
  }
};

/// Rows of equal room: the neighbours of particle i are entries(i, k), k < counts(i).
template <class Counts, class Entries>
struct kokkos_padded_rows {
  Counts counts;
  Entries entries;

  [[nodiscard]] std::size_t rows() const { return counts.extent(0); }
  KOKKOS_FUNCTION std::size_t size(std::size_t i) const { return static_cast<std::size_t>(counts(i)); }
  KOKKOS_FUNCTION std::size_t neighbor(std::size_t i, std::size_t k) const { return static_cast<std::size_t>(entries(i, k)); }
};

/// A neighbour list built on the host, as rows in a memory space, by the caller's numbers.
template <class MemorySpace>
auto to_kokkos_rows(const neighbor_list& list) {
  Kokkos::View<std::uint32_t*, MemorySpace> offsets("accrue::row offsets", list.size() + 1);
  Kokkos::View<std::uint32_t*, MemorySpace> entries("accrue::row entries", list.entries());
  const auto host_offsets = Kokkos::create_mirror_view(offsets);
  const auto host_entries = Kokkos::create_mirror_view(entries);
  std::vector<std::size_t> place(list.size());  // of the particle that the caller calls i, in the list's order
  for (std::size_t k = 0; k < list.size(); ++k) place[list.order()[k]] = k;
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    host_offsets(i) = end;
    for (const std::uint32_t j : list.row(place[i])) host_entries(end++) = list.order()[j];
  }
  host_offsets(list.size()) = end;
  Kokkos::deep_copy(offsets, host_offsets);
  Kokkos::deep_copy(entries, host_entries);
  return kokkos_csr_rows<decltype(offsets), decltype(entries)>{offsets, entries};
}

/// Lennard-Jones on the host and on devices: see lennard_jones. Rounded as the caller's compiler rounds: where it contracts
/// products and sums, the last bits differ from the compiled library's.
class kokkos_lennard_jones {
 public:
  explicit kokkos_lennard_jones(const lennard_jones& u) : terms_(u.terms()) {}
  [[nodiscard]] KOKKOS_FUNCTION double cutoff() const { return terms_.cutoff; }
  KOKKOS_FUNCTION void operator()(double r_squared, double& energy, double& force_over_r) const {
    const double inverse = 1 / r_squared;
    const double s2 = terms_.sigma_squared * inverse;
    const double s6 = s2 * s2 * s2;
    energy = terms_.four_epsilon * (s6 * s6 - s6) - terms_.shift;
    force_over_r = 6 * terms_.four_epsilon * (2 * s6 * s6 - s6) * inverse;
    if (terms_.slope != 0) {
      const double r = std::sqrt(r_squared);
      energy -= (r - terms_.cutoff) * terms_.slope;
      force_over_r += terms_.slope / r;
    }
  }

 private:
  kernels::lennard_jones_terms terms_;
};

/// f_i += sum over j of the force of j on i, over rows of a half or a full list, with the exact energy and virial of the listed
/// pairs.
///
/// `positions` and `forces` are Views of n by 3, with at least as many rows as there are particles in the list; rows may be fewer,
/// where ghosts follow the particles of one's own. Distances are to the nearest image in the periodic directions of `box`; codes
/// with ghosts pass an open one. `potential` sets energy and force over r for r^2 < cutoff()^2, in a KOKKOS_FUNCTION. Half lists
/// take any strategy of `accumulate` but `gather`, full lists `gather` alone (`automatic` chooses); of a full list each pair's
/// energy and virial counts half at each of its entries.
///
/// Guarantee: energy and virial are exact sums of the pairs' terms. Forces: by the strategy (accumulate.hpp); `fixed_point` the
/// same bits in whatever order rows list their neighbours, for any number of threads; on hosts their exact sums, whatever
/// `largest_force`, on devices with the unit 2^`unit_exponent`. Waits for the result. Errors: as
/// `accumulate`.
template <class E, class Potential, class Rows, class Positions, class Forces>
pair_result compute_pair_forces(const kokkos<E>& space, const Potential& potential, const Rows& rows, list_kind kind,
                                const orthorhombic_box& box, const Positions& positions, const Forces& forces,
                                const pair_options& options = {});

namespace on_kokkos {

/// Exact totals that the threads of a kernel share, in several copies, so that they seldom meet.
template <std::size_t N, class MemorySpace>
class shared_totals {
  using sum = superaccumulator<double>;

 public:
  explicit shared_totals(std::size_t copies) : words_("accrue::totals", copies, N * sum::word_count) {}

  /// Terms of one work item on their way in: those of ordinary size by limbs of its own, the rest straight into the shared words.
  class item {
   public:
    KOKKOS_FUNCTION item(const shared_totals& all, std::size_t i) : shared_(&all.words_(i % all.words_.extent(0), 0)) {}

    KOKKOS_FUNCTION void add(std::size_t which, double x) {
      const auto bits = std::bit_cast<std::uint64_t>(x);
      const int field = static_cast<int>(bits >> 52) & 2047;
      if (field >= smallest_field && field <= largest_field) {
        detail::limb_sink{own_[which], limbs, lowest}.add(x);
      } else {
        add_shared(shared_ + which * sum::word_count, bits, field);
      }
    }
    /// Hands over what is left.
    KOKKOS_FUNCTION void close() const {
      for (std::size_t which = 0; which < N; ++which) {
        for (std::size_t k = 0; k < limbs; ++k) {
          if (own_[which][k] != 0) Kokkos::atomic_add(shared_ + which * sum::word_count + first_limb + k, own_[which][k]);
        }
      }
    }

   private:
    static constexpr std::size_t first_limb = 30;
    static constexpr std::size_t limbs = 6;
    static constexpr int lowest = sum::lowest_bit + 32 * static_cast<int>(first_limb);
    static constexpr int smallest_field = lowest + 1075;
    static constexpr int largest_field = smallest_field + 32 * (static_cast<int>(limbs) - 2) - 53;

    static KOKKOS_FUNCTION void add_shared(std::int64_t* words, std::uint64_t bits, int field) {
      std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
      const bool negative = (bits >> 63) != 0;
      if (field == 2047) {
        const auto which = significand != 0 ? detail::nans : negative ? detail::negative_infinities : detail::positive_infinities;
        Kokkos::atomic_add(words + sum::limbs + which, std::int64_t{1});
        return;
      }
      if (field != 0) significand |= std::uint64_t{1} << 52;
      if (significand == 0) return;
      const int position = (field != 0 ? field : 1) - 1075 - sum::lowest_bit;
      const auto shifted = static_cast<detail::uint128>(significand) << (position & 31);
      for (int k = 0; k < 3; ++k) {
        const auto digit = static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> (32 * k)));
        Kokkos::atomic_add(words + (position >> 5) + k, negative ? -digit : digit);
      }
    }

    std::int64_t* shared_;
    std::int64_t own_[N][limbs + detail::special_words] = {};
  };

  /// The totals. Waits.
  std::array<sum, N> get() const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), words_);
    std::array<sum, N> totals;
    for (std::size_t which = 0; which < N; ++which) {
      sum& total = totals[which];
      for (std::size_t copy = 0; copy < host.extent(0); ++copy) {
        auto part =
            sum::from_words(std::span<const std::int64_t, sum::word_count>(&host(copy, which * sum::word_count), sum::word_count));
        part.normalize();
        total += part;
      }
    }
    return totals;
  }

 private:
  Kokkos::View<std::int64_t**, Kokkos::LayoutRight, MemorySpace> words_;
};

/// One row of pair forces, as the body of an accumulation.
template <class Potential, class Rows, class Positions, class Totals>
struct pair_row {
  Potential potential;
  Rows rows;
  Positions x;
  Totals totals;
  double length[3];  ///< 0: open
  bool full;
  bool pair_by_pair;  ///< the row's own force too, so that no order shows
  bool energy;
  bool virial;

  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t i, Out& out) const {
    using T = typename Positions::non_const_value_type;
    typename Totals::item sums(totals, i);
    const double cutoff_squared = potential.cutoff() * potential.cutoff();
    double own[3] = {0, 0, 0};
    const std::size_t count = rows.size(i);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t j = rows.neighbor(i, k);
      double d[3];
      for (int c = 0; c < 3; ++c) {
        d[c] = static_cast<double>(x(i, c)) - static_cast<double>(x(j, c));
        if (length[c] > 0) d[c] -= length[c] * std::rint(d[c] / length[c]);
      }
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      if (!(r2 < cutoff_squared)) continue;
      double u = 0;
      double force_over_r = 0;
      potential(r2, u, force_over_r);
      const double f[3] = {d[0] * force_over_r, d[1] * force_over_r, d[2] * force_over_r};
      if (pair_by_pair) {
        out.add(i, static_cast<T>(f[0]), static_cast<T>(f[1]), static_cast<T>(f[2]));
      } else {
        for (int c = 0; c < 3; ++c) own[c] += f[c];
      }
      if (!full) out.add(j, static_cast<T>(-f[0]), static_cast<T>(-f[1]), static_cast<T>(-f[2]));
      const double part = full ? 0.5 : 1;
      if (energy) sums.add(0, part * u);
      if (virial) {
        for (int c = 0; c < 3; ++c) sums.add(1 + static_cast<std::size_t>(c), part * (d[c] * f[c]));
        sums.add(4, part * (d[0] * f[1]));
        sums.add(5, part * (d[0] * f[2]));
        sums.add(6, part * (d[1] * f[2]));
      }
    }
    if (!pair_by_pair) out.add(i, static_cast<T>(own[0]), static_cast<T>(own[1]), static_cast<T>(own[2]));
    sums.close();
  }
};

}  // namespace on_kokkos

template <class E, class Potential, class Rows, class Positions, class Forces>
pair_result compute_pair_forces(const kokkos<E>& space, const Potential& potential, const Rows& rows, list_kind kind,
                                const orthorhombic_box& box, const Positions& positions, const Forces& forces,
                                const pair_options& options) {
  using totals_type = on_kokkos::shared_totals<7, typename Forces::memory_space>;
  const bool full = kind == list_kind::full;
  if (positions.extent(0) != forces.extent(0) || positions.extent(1) != 3) {
    throw error(errc::size_mismatch, "accrue::compute_pair_forces: positions and forces are Views of n by 3");
  }
  if (rows.rows() > positions.extent(0)) throw error(errc::size_mismatch, "accrue::compute_pair_forces: more rows than positions");
  accumulate_options how = options.strategy;
  if (how.strategy == strategy::automatic) how.strategy = full ? strategy::gather : strategy::atomic;
  if (!on_kokkos::host_space<E>) how.largest = options.largest_force;  // hosts are exact
  if (full != (how.strategy == strategy::gather)) {
    throw error(errc::invalid_argument, "accrue::compute_pair_forces: full lists take gather, half lists the other strategies");
  }
  const totals_type totals(64);
  on_kokkos::pair_row<Potential, Rows, Positions, totals_type> row{
      potential, rows, positions, totals, {}, full, how.strategy == strategy::fixed_point, options.energy, options.virial};
  for (std::size_t c = 0; c < 3; ++c) row.length[c] = box.periodic[c] ? box.length[c] : 0;
  pair_result result;
  if (how.strategy == strategy::fixed_point && !on_kokkos::host_space<E>) {  // forces near zero may be below the unit
    result.report.used = how.strategy;
    result.report.threads = static_cast<int>(space.instance.concurrency());
    constexpr bool checked = ACCRUE_CHECK_INDICES != 0;
    result.report.workspace_bytes = on_kokkos::accumulate_units<checked>(space, forces, rows.rows(), row, how.largest).bytes;
  } else {
    result.report = accumulate(space, forces, rows.rows(), row, how);
  }
  const auto sums = totals.get();
  result.energy_partial = {{}, sums[0]};
  for (std::size_t c = 0; c < 6; ++c) result.virial_partial[c] = {{}, sums[1 + c]};
  result.round_sums();
  if (how.strategy == strategy::fixed_point && !on_kokkos::host_space<E>) result.unit_exponent = detail::fixed_unit(how.largest);
  return result;
}

}  // namespace accrue
