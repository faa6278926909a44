// SPDX-License-Identifier: BSD-3-Clause
// Pair forces over a neighbour list: forces, energies and virial from one sweep.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "accrue/accumulation_report.hpp"
#include "accrue/md/detail/force_units.hpp"
#include "accrue/md/lennard_jones.hpp"
#include "accrue/md/lennard_jones_mixture.hpp"
#include "accrue/md/neighbors.hpp"
#include "accrue/md/particles.hpp"
#include "accrue/partial_result.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/space.hpp"
#include "accrue/strategy.hpp"
#include "accrue/vectors.hpp"

namespace accrue {

namespace detail {
/// Potentials that are given 1/r^2 beside r^2.
template <class P>
concept takes_inverse = requires(const P& p, double& out) { p(1.0, 1.0, out, out); };
}  // namespace detail

/// A functor of r^2 <= cutoff()^2 that sets the energy U(r) and the force divided by the distance, -U'(r)/r: p(r_squared, energy,
/// force_over_r), or p(r_squared, inverse, energy, force_over_r), which is given 1/r^2 too, rounded to nearest: on devices that takes fewer
/// operations than a division. At the cut-off itself, which is asked for where a vector is not full, what it sets is not used. It is called
/// from many threads at once. One with `evaluate(r_squared, size, energy, force_over_r)` is given many pairs at a time.
template <class P>
concept pair_potential = requires(const P& p, double& out) {
  { p.cutoff() } -> std::convertible_to<double>;
  requires detail::takes_inverse<P> || requires { p(1.0, out, out); };
};

/// One that tells types of particles apart: a functor of r^2 and the two types, below types(), at most 256; the same for both orders.
/// One with `evaluate(r_squared, pairs_of_types, size, energy, force_over_r)` is given many pairs at a time on hosts.
template <class P>
concept typed_pair_potential = requires(const P& p, double& out) {
  { p.cutoff() } -> std::convertible_to<double>;
  { p.types() } -> std::convertible_to<std::size_t>;
  p(1.0, 0u, 0u, out, out);
};

/// What a sweep is to compute, and how.
struct pair_options {
  accrue::strategy strategy = accrue::strategy::automatic;
  bool energy = true;  ///< the total energy
  bool virial = true;  ///< the total virial
  /// fixed_point: the largest size |f| of a pair's force that must be accepted, and of its energy: the same, or for Lennard-Jones
  /// potentials sigma times as much (the power of two below). The unit is 2^-51 of the next power of two (more if a particle may have more
  /// than some two thousand partners). 0: 2^9 times epsilon / sigma for Lennard-Jones potentials (their largest; the powers of two below
  /// them, as far as they are between 2^-400 and 2^400), 2^9 for functors; and wider where a sweep meets something larger, up to integers
  /// of 128 bits; the unit then is a function of the configuration alone. What is below the unit is lost: a functor of which no force, or
  /// no energy where these are asked for by particles, reaches 2^10 units, though pairs nearer than 0.7 of its cut-off have some, is
  /// refused, as in SI units, until this is stated.
  double largest_force = 0;
};

struct pair_result {
  /// Sum of U over the pairs: the exact sum of the pairs' energies, rounded once.
  double energy = 0;
  /// Sum of r_ab * f_ab over the pairs, components xx, yy, zz, xy, xz, yz: exact sums of the pairs' terms, rounded once.
  std::array<double, 6> virial{};
  /// fixed_point: the exponent of the unit that forces were counted in, a power of two.
  int unit_exponent = 0;
  accumulation_report report;

  /// The sums behind `energy` and `virial`.
  partial_result<sum_of<double>> energy_partial;
  std::array<partial_result<sum_of<double>>, 6> virial_partial;

  /// W = sum of r . f.
  [[nodiscard]] double virial_trace() const { return virial[0] + virial[1] + virial[2]; }

  /// Adds the sums of other pairs, such as another rank's: energy and virial become those of all, rounded once.
  void merge(const pair_result& other) {
    energy_partial += other.energy_partial;
    for (std::size_t k = 0; k < virial.size(); ++k) virial_partial[k] += other.virial_partial[k];
    round_sums();
  }
  /// Sets `energy` and `virial` from the sums behind them: after words of theirs were added in place, by MPI for one.
  void round_sums() {
    energy = energy_partial.finish();
    for (std::size_t k = 0; k < virial.size(); ++k) virial[k] = virial_partial[k].finish();
  }
};

namespace detail {

using force_view = std::variant<vectors<double>, vectors<float>>;
struct scalar_view {
  double* data = nullptr;
  std::size_t size = 0;
};

/// A potential as the compiled sweep sees it.
struct pair_function {
  const void* potential;
  double cutoff;
  std::size_t types;  ///< 0 where it does not tell them apart
  force_scale scale;
  void (*evaluate)(const void* potential, const double* r_squared, const kernels::type_pair* types, std::size_t size, double* energy,
                   double* force_over_r);
};

class pair_sweep;

}  // namespace detail

/// Forces of a pair potential. The object keeps its workspace, so that no step allocates once sizes have settled.
///
///     accrue::neighbor_list list(box, 2.5, 0.3);
///     accrue::pair_forces forces(accrue::lennard_jones(2.5));
///     for (...) {
///       if (list.needs_rebuild(space, x)) list.build(space, x);
///       auto r = forces.compute(space, list, x, f);
///     }
///
/// Strategies: `gather` needs a full list, `fixed_point` takes either, all others a half list; on hosts `automatic` takes `gather` for a
/// full list and `replicated` for a half one: the fastest of those tables that are in docs/forces.md, or within some percent of it.
///
/// Guarantee, for lists built from the same positions: energy and virial are exact sums of the pairs' terms, the same bits for
/// every strategy and number of threads. Forces: `fixed_point` the same bits for any number of threads and, with the shipped
/// potentials, on any machine; `gather` for any number of threads on machines of one vector width; `replicated` for a given number
/// of threads; the others vary in the last bits. `fixed_point` forces sum to exactly zero before they are rounded to the caller's
/// type, but over full lists with ghosts (neighbor_list::assign).
///
/// Potentials that tell types apart (`lennard_jones_mixture`, any typed_pair_potential) take `with_types(positions, types)` for positions.
///
/// On devices (accrue/md/devices.hpp), over lists built there: positions, types, forces and energies in device memory; full lists take
/// `fixed_point` and `gather`, half lists `fixed_point` and `atomic`; `automatic` is `fixed_point`, with the bits of the host's; over half
/// lists it refuses forces beyond `largest_force`, or the first range. Without energy and virial it is asynchronous, may be captured after
/// one of as many particles, and tells failures later; `unit_exponent` is then that of a sweep that did not widen. One object is used on
/// one stream at a time.
///
/// Memory: 48 bytes a particle, and 32 for each thread's private copy (or for the one shared array of `critical`, `triangle`,
/// `atomic` and `gather`, the first two of which have both); twice that for integers of 128 bits.
///
/// Errors: `size_mismatch` for arrays of another length than the list's; `invalid_argument` for a list of the wrong kind or a
/// cut-off beyond the list's, coincident particles, or a particle that has moved further than half the skin since the list was
/// built; `out_of_range` from `fixed_point` for a force beyond `largest_force`, infinite or NaN, and where the unit is too large for all
/// forces of a functor. After an error the forces are unspecified.
template <class Potential>
  requires pair_potential<Potential> || typed_pair_potential<Potential>
class pair_forces {
 public:
  explicit pair_forces(Potential potential);
  pair_forces(pair_forces&&) noexcept = default;
  pair_forces& operator=(pair_forces&&) noexcept = default;

  [[nodiscard]] const Potential& potential() const { return potential_; }

  /// f_i = sum over j of the force of j on i, written to `forces`; positions and forces are vectors<float or double> or contiguous
  /// ranges of std::array<T, 3>, and do not overlap; positions may have types (`with_types`), which the potential must ask for.
  template <class Space, class Positions, class Forces>
  pair_result compute(const Space& space, const neighbor_list& list, const Positions& positions, Forces&& forces,
                      const pair_options& options = {});

  /// The same, with half of each pair's energy added up for both partners: `energies[i]`, as many as there are particles.
  template <class Space, class Positions, class Forces>
  pair_result compute(const Space& space, const neighbor_list& list, const Positions& positions, Forces&& forces,
                      std::span<double> energies, const pair_options& options = {});

 private:
  Potential potential_;
  std::shared_ptr<detail::pair_sweep> sweep_;
  std::shared_ptr<detail::device_part> device_;
};

namespace detail {

/// The compiled sweep and its workspace.
std::shared_ptr<pair_sweep> make_pair_sweep();
pair_result run_pair_sweep(pair_sweep& sweep, const host_team& team, const neighbor_list& list, const pair_function& function,
                           const particle_view& particles, const force_view& forces, const scalar_view& energies,
                           const pair_options& options);

template <class P>
pair_function as_function(const P& p) {
  if constexpr (typed_pair_potential<P>) {
    return {&p, static_cast<double>(p.cutoff()), static_cast<std::size_t>(p.types()), detail::scale_of(p),
            [](const void* potential, const double* r_squared, const kernels::type_pair* types, std::size_t size, double* energy,
               double* force_over_r) {
              const P& u = *static_cast<const P*>(potential);
              if constexpr (requires { u.evaluate(r_squared, types, size, energy, force_over_r); }) {
                u.evaluate(r_squared, types, size, energy, force_over_r);
              } else {
                for (std::size_t k = 0; k < size; ++k) u(r_squared[k], types[k].first, types[k].second, energy[k], force_over_r[k]);
              }
            }};
  } else {
    return {&p, static_cast<double>(p.cutoff()), 0, detail::scale_of(p),
            [](const void* potential, const double* r_squared, const kernels::type_pair*, std::size_t size, double* energy,
               double* force_over_r) {
              const P& u = *static_cast<const P*>(potential);
              if constexpr (requires { u.evaluate(r_squared, size, energy, force_over_r); }) {
                u.evaluate(r_squared, size, energy, force_over_r);
              } else if constexpr (takes_inverse<P>) {
                for (std::size_t k = 0; k < size; ++k) u(r_squared[k], 1 / r_squared[k], energy[k], force_over_r[k]);
              } else {
                for (std::size_t k = 0; k < size; ++k) u(r_squared[k], energy[k], force_over_r[k]);
              }
            }};
  }
}

}  // namespace detail

template <class Potential>
  requires pair_potential<Potential> || typed_pair_potential<Potential>
pair_forces<Potential>::pair_forces(Potential potential) : potential_(std::move(potential)), sweep_(detail::make_pair_sweep()) {}

template <class Potential>
  requires pair_potential<Potential> || typed_pair_potential<Potential>
template <class Space, class Positions, class Forces>
pair_result pair_forces<Potential>::compute(const Space& space, const neighbor_list& list, const Positions& positions,
                                            Forces&& forces, std::span<double> energies, const pair_options& options) {
  static_assert(detail::has_types<Positions> || !typed_pair_potential<Potential>,
                "accrue: this potential tells types of particles apart: pass with_types(positions, types) for positions");
  static_assert(!detail::has_types<Positions> || typed_pair_potential<Potential>,
                "accrue: this potential takes no types: pass the positions alone");
  const detail::particle_view from = detail::as_particles(positions);
  const detail::force_view to = detail::as_vectors(forces);
  const detail::scalar_view of_particles{energies.data(), energies.size()};
  if constexpr (requires { pair_forces_on_device(space, device_, list, potential_, from, to, of_particles, options); }) {
    return pair_forces_on_device(space, device_, list, potential_, from, to, of_particles, options);
  } else {
    return detail::run_pair_sweep(*sweep_, detail::host_team_of(space), list, detail::as_function(potential_), from, to, of_particles,
                                  options);
  }
}
template <class Potential>
  requires pair_potential<Potential> || typed_pair_potential<Potential>
template <class Space, class Positions, class Forces>
pair_result pair_forces<Potential>::compute(const Space& space, const neighbor_list& list, const Positions& positions,
                                            Forces&& forces, const pair_options& options) {
  return compute(space, list, positions, std::forward<Forces>(forces), std::span<double>{}, options);
}

}  // namespace accrue
