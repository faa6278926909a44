// SPDX-License-Identifier: BSD-3-Clause
// The launches of pair forces on a device. `neighbor_list` and `pair_forces` of accrue/md lead here.
#pragma once

#include <optional>
#include <vector>

#include "accrue/backends/simt/kernel/pair_force_kernel.cuh"
#include "accrue/backends/simt/runtime/neighbor_launch.cuh"
#include "accrue/md/pair_forces.hpp"

namespace accrue::simt {

/// What is read back.
struct sweep_report {
  sweep_facts facts;
  pair_totals totals;
};

/// What a sweep keeps from call to call.
template <class Space>
struct sweep_memory : detail::device_part {
  sweep_memory(const Space& s, int on) : device(on), now(s), types(s), table(s), shared(s), report(s) {}
  int device;
  kept_memory<Space> now;
  kept_memory<Space> types;
  kept_memory<Space> table;  ///< of a mixture: `terms`
  std::vector<kernels::lennard_jones_terms> terms;
  /// What `calm_from` has made of bounds: of a mixture it takes a while.
  struct calm_distance {
    double force, energy, squared;
  };
  std::optional<calm_distance> calm, small;
  kept_memory<Space> shared;
  kept_memory<Space> report;
};

/// One sweep. `Potential`: as a device calls it.
template <class Space, class Device, class Potential, class From, class To>
class pair_force_sweep {
 public:
  pair_force_sweep(const Device& device, sweep_memory<Space>& memory, const neighbor_list& list,
                   const Potential& potential, double cutoff, std::size_t types, const detail::force_scale& scale,
                   const vectors<const From>& positions,
                   const detail::type_view& types_from, const vectors<To>& forces, double* energies, const pair_options& options)
      : device_(device),
        memory_(memory),
        list_(list),
        rows_(rows_for<Space>(device, list, "pair_forces")),
        positions_(positions),
        types_from_(types_from),
        types_(types),
        options_(options),
        request_(device.request()),
        cutoff_(cutoff),
        plan_{rows_.geometry, rows_.rows, {}, rows_.order.template as<std::uint32_t>(),
              potential, cutoff * cutoff, is_roomy(rows_.geometry, rows_.rows, list.cutoff() + list.skin(), list.skin()),
              image_reach_of(list), forces, energies,
              0, 0, 0, 0, 0, 0.5, detail::watched_squared(cutoff), {}, 0, false, nullptr, nullptr, nullptr, request_.status},
        scale_(scale) {}

  pair_result run() {
    check();
    pair_result result;
    result.report.used = strategy_;
    result.report.threads = 1;
    if (in_units_) choose_unit();
    if (rows_.size == 0) {
      result.round_sums();
      result.unit_exponent = plan_.unit;
      return result;
    }
    prepare();
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>((rows_.size + neighbor_threads) / neighbor_threads, 1 << 20));
    early_launch<Space, take_particles_kernel<From>>::run(
        *request_.device, blocks, neighbor_threads, 0, request_.stream, rows_.geometry, rows_.rows, positions_, types_from_,
        static_cast<unsigned>(types_), plan_.order, rows_.places(), list_.skin() * list_.skin() / 4, plan_.now, plan_.facts, plan_.status);
    const bool sums = reads_back() || plan_.energies != nullptr;
    if constexpr (Potential::is_tame) {
      if (in_units_) plan_.calm_squared = calm_beyond(memory_.calm, std::sqrt(plan_.force_squared), plan_.energy);
      if (sums) plan_.small_squared = calm_beyond(memory_.small, std::numeric_limits<double>::infinity(), pair_term_sums::beyond);
    }
    if (half_) {
      in_units_ ? sweep<force_sum::units, true>(sums) : sweep<force_sum::doubles, true>(sums);
      launch(in_units_ ? write_shared_kernel<force_sum::units, To, Potential> : write_shared_kernel<force_sum::doubles, To, Potential>,
             blocks, plan_);
    } else {
      in_units_ ? sweep<force_sum::units, false>(sums) : sweep<force_sum::doubles, false>(sums);
      if (plan_.widens) widen();
    }
    if (plan_.units.watched && !reads_back()) launch(judge_sizes_kernel<To, Potential>, 1, plan_);
    result.report.workspace_bytes = memory_.now.bytes() + memory_.types.bytes() + memory_.table.bytes() + memory_.shared.bytes() +
                                    memory_.report.bytes();
    if (reads_back()) {
      finish(result);
    } else if (in_units_) {
      result.unit_exponent = plan_.unit;
    }
    return result;
  }

 private:
  template <class... Parameters>
  void launch(void (*kernel)(Parameters...), unsigned blocks, std::type_identity_t<Parameters>... arguments) const {
    launch_kernel<Space>(kernel, blocks, neighbor_threads, 0, request_.stream, arguments...);
  }
  [[noreturn]] static void refuse(errc code, const std::string& why) { throw error(code, "accrue::pair_forces: " + why); }

  void check() {
    const auto same_size = [&](std::size_t size, const char* what) {
      if (size != rows_.size) {
        refuse(errc::size_mismatch,
               std::to_string(size) + " " + what + " for a list of " + std::to_string(rows_.size) + " particles");
      }
    };
    same_size(positions_.size, "positions");
    same_size(plan_.forces.size, "forces");
    if (Potential::has_types && (types_ == 0 || types_ > kernels::most_particle_types)) {
      refuse(errc::invalid_argument, "a potential of " + std::to_string(types_) + " types, where 1 to 256 may be");
    }
    if (cutoff_ >= too_far) refuse(errc::invalid_argument, "a cut-off of 2^98 or more");
    if (cutoff_ > list_.cutoff()) refuse(errc::invalid_argument, "the potential's cut-off is beyond the list's");
    if (rows_.coincident) {
      refuse(errc::invalid_argument, "particles " + std::to_string(rows_.coincident->first) + " and " +
                                         std::to_string(rows_.coincident->second) + " are at the same place");
    }
    half_ = list_.kind() == list_kind::half;
    strategy_ = options_.strategy == strategy::automatic ? strategy::fixed_point : options_.strategy;
    in_units_ = strategy_ == strategy::fixed_point;
    if (!in_units_ && strategy_ != (half_ ? strategy::atomic : strategy::gather)) {
      refuse(errc::invalid_argument, "on a device full lists take fixed_point and gather, half lists fixed_point and atomic; not " +
                                         std::string(to_string(strategy_)));
    }
    const double bound = options_.largest_force;
    if (bound != 0 && !(bound >= 0x1p-400 && bound <= 0x1p40)) {
      refuse(errc::invalid_argument, "largest_force must be 0 or between 2^-400 and 2^40");
    }
  }

  /// A particle's image within the cut-off of one that is so far inside is where the particle is: that was in the box when the list was
  /// built, and has moved by half the skin.
  static double image_reach_of(const neighbor_list& list) { return (list.cutoff() + list.skin()) * (1 + 0x1p-10); }

  double calm_beyond(std::optional<typename sweep_memory<Space>::calm_distance>& known, double force, double energy) const {
    if (!known || known->force != force || known->energy != energy) known = {force, energy, calm_from(plan_.potential, force, energy)};
    return known->squared;
  }
  [[nodiscard]] int partner_bits() const { return rows_.rows.partner_bits; }
  [[nodiscard]] int bits() const { return std::min(51, 62 - partner_bits() - 1); }
  [[nodiscard]] double two_limb_range() const { return two_to(std::min(50, 61 - partner_bits()) + 64 + plan_.units.two_limb_unit); }
  [[nodiscard]] bool reads_back() const { return options_.energy || options_.virial; }

  void prepare() {
    const std::size_t n = rows_.size;
    const bool grows = !memory_.now.holds(3 * (n + 1) * sizeof(double)) || !memory_.report.holds(sizeof(sweep_report)) ||
                       (half_ && !memory_.shared.holds(4 * n * sizeof(std::uint64_t))) ||
                       (types_ != 0 && !memory_.types.holds(n + 1));
    if (grows) device_.refuse_capture("pair_forces: its first sweep, and one of more particles, takes memory");
    if (reads_back()) device_.refuse_capture("pair_forces: energy and virial are read back");
    plan_.now.places = components_of(memory_.now.template reserve<double>(3 * (n + 1)), n + 1);
    if (types_ != 0) plan_.now.types = memory_.types.template reserve<std::uint8_t>(n + 1);
    auto* const report = memory_.report.template reserve<sweep_report>(1);
    plan_.facts = &report->facts;
    plan_.totals = &report->totals;
    const bool sums = reads_back() || plan_.energies != nullptr;
    if (reads_back()) plan_.status = nullptr;
    if (sums || grows) device_.zero(report, sizeof(sweep_report));
    if (half_) {
      plan_.shared = memory_.shared.template reserve<std::uint64_t>(4 * n);
      device_.zero(plan_.shared, 4 * n * sizeof(std::uint64_t));
    }
  }
  void choose_unit() {
    const detail::force_units units = detail::units_for(scale_, options_.largest_force);
    plan_.units = units;
    plan_.bits = bits();
    plan_.unit = units.first - plan_.bits;
    plan_.energy_share = std::ldexp(0.5, -units.energy_shift);
    plan_.energy = two_to(units.first + units.energy_shift);
    plan_.force_squared = bound_squared(units.first);
    plan_.widens = units.widens && !half_;
  }
  /// A little less than 2^exponent, squared: so that no component rounds to more units than there is room for.
  static double bound_squared(int exponent) {
    const double force = two_to(exponent) * (1 - 0x1p-40);
    return force * force;
  }

  static constexpr unsigned all_blocks = 1u << 20;
  template <force_sum how, bool to_both>
  void sweep(bool sums) const {
    if constexpr (!to_both) {
      if (in_bricks()) {
        return sums ? launch_sweep<partners_in_tile, pair_force_kernel<how, false, true, partners_in_tile, To, Potential>, 512>(all_blocks)
                    : launch_sweep<partners_in_tile, pair_force_kernel<how, false, false, partners_in_tile, To, Potential>, 1024>(
                          all_blocks);
      }
    }
    sums ? launch_sweep<partners_in_memory, pair_force_kernel<how, to_both, true, partners_in_memory, To, Potential>>(all_blocks)
         : launch_sweep<partners_in_memory, pair_force_kernel<how, to_both, false, partners_in_memory, To, Potential>>(all_blocks);
  }
  void widen() const {
    const unsigned blocks = 2 * request_.device->multiprocessors;  // which have nothing to do but in rare cases
    if (in_bricks()) {
      launch_sweep<partners_in_tile, widened_force_kernel<partners_in_tile, To, Potential>, 512>(blocks, two_limb_range());
    } else {
      launch_sweep<partners_in_memory, widened_force_kernel<partners_in_memory, To, Potential>>(blocks, two_limb_range());
    }
  }
  [[nodiscard]] std::size_t tile_size() const {
    return Potential::has_types ? typed_tile_bytes(rows_.rows.tiles.room) : tile_bytes(rows_.rows.tiles.room);
  }
  [[nodiscard]] bool in_bricks() const { return rows_.rows.tiles.bricks != 0; }
  /// A block for each brick, with its tile; or for some strips. `most_threads`: that have registers on a multiprocessor.
  template <class Partners, auto kernel, unsigned most_threads = 0, class... Arguments>
  void launch_sweep(unsigned most_blocks, const Arguments&... arguments) const {
    if constexpr (std::is_same_v<Partners, partners_in_tile>) {
      static occupancy_cache allowed;  // the shared memory: asked for once a device
      const std::size_t bytes = tile_size();
      const unsigned threads = threads_for_tiles(most_threads);
      (void)allowed.get(kernel, request_.device->device, threads,
                        [&] { return kernel_api<Space>::occupancy(kernel, *request_.device, threads, bytes) + 1; });
      early_launch<Space, kernel>::run(*request_.device, std::min(rows_.rows.tiles.bricks, most_blocks), threads, bytes, request_.stream,
                                       plan_, arguments...);
    } else {
      constexpr std::size_t each = neighbor_threads / strip_lanes;
      const auto blocks = static_cast<unsigned>(std::min<std::size_t>((rows_.rows.strips() + each - 1) / each, most_blocks));
      early_launch<Space, kernel>::run(*request_.device, blocks, neighbor_threads, 0, request_.stream, plan_, arguments...);
    }
  }
  /// The threads of a block, of which a multiprocessor has registers for `most`: those that are busy there shall be many. Towards the end
  /// of a block half of them are not.
  [[nodiscard]] unsigned threads_for_tiles(unsigned most) const {
    const device_facts& device = *request_.device;
    const brick_tiles& tiles = rows_.rows.tiles;
    const std::size_t rows = (rows_.size + tiles.bricks - 1) / tiles.bricks;  // of a brick, on average
    const std::size_t lanes = (rows + rows_.rows.rows_a_strip() - 1) / rows_.rows.rows_a_strip() * strip_lanes;
    const std::size_t by_memory = device.shared_bytes / (tile_size() + beside_tile);
    unsigned best = device.warp_width;
    std::size_t most_work = 0;
    for (unsigned threads = device.warp_width; threads <= std::min(most, tile_threads); threads += device.warp_width) {
      const std::size_t busy = std::min<std::size_t>(threads, lanes);
      const std::size_t work = std::min<std::size_t>(most / threads, by_memory) * busy * lanes / (lanes + busy / 2);
      if (work > most_work) {
        best = threads;
        most_work = work;
      }
    }
    return best;
  }

  /// Reads back the sums, and what went wrong.
  void finish(pair_result& result) {
    sweep_report report{};
    device_.read(&report, memory_.report.template as<sweep_report>(), sizeof(report));
    const sweep_facts& facts = report.facts;
    const pair_totals& totals = report.totals;
    if (facts.other_list != 0) refuse(errc::invalid_argument, "the list was built again while its forces were computed");
    if (facts.no_type != 0) {
      refuse(errc::bad_input, "the type of particle " + std::to_string(~facts.no_type) + " is none of the potential's " +
                                  std::to_string(types_));
    }
    if (facts.not_finite != 0) {
      refuse(errc::bad_input, "the position of particle " + std::to_string(~facts.not_finite) + " is not finite");
    }
    if (facts.stale != 0) {
      refuse(errc::invalid_argument, "particle " + std::to_string(~facts.stale) + " has moved further than half the skin of " +
                                         std::to_string(list_.skin()) + " since the neighbour list was built: build it again");
    }
    if (facts.refused != 0) {
      refuse(errc::out_of_range,
             plan_.widens ? detail::too_large
             : options_.largest_force > 0
                 ? "a force or an energy beyond largest_force, or not a number"
                 : "a force or an energy beyond 2^" + std::to_string(plan_.units.first) +
                       ", or not a number: state largest_force, or build a full list");
    }
    if (tells_too_little(plan_, facts)) {
      refuse(errc::out_of_range, detail::too_small(facts.lost(some_force, some_large_force), plan_.unit));
    }
    const auto total = [&](unsigned k) {
      superaccumulator<double> sum;
      for (unsigned u = 0; u < 2; ++u) {
        detail::int128 units = 0;
        for (const auto& copy : totals.units) {
          units += static_cast<detail::int128>(static_cast<std::int64_t>(copy[k][2 * u])) * (std::int64_t{1} << 32);
          units += static_cast<std::int64_t>(copy[k][2 * u + 1]);
        }
        sum.add_integer(units, u == 0 ? pair_totals::high_unit : pair_totals::low_unit);
      }
      for (unsigned d = 0; d < pair_totals::digits; ++d) {
        if (totals.far[k][d] != 0) sum.add_integer(static_cast<std::int64_t>(totals.far[k][d]), static_cast<int>(32 * d) - 1074);
      }
      constexpr double infinity = std::numeric_limits<double>::infinity();
      for (const auto& [bit, value] : {std::pair{1u, infinity}, {2u, -infinity}, {4u, std::numeric_limits<double>::quiet_NaN()}}) {
        if ((totals.special[k] & bit) != 0) sum.add(value);
      }
      if (rows_.halved) sum.sink().halve();
      return partial_result<sum_of<double>>({}, sum);
    };
    if (options_.energy) result.energy_partial = total(0);
    if (options_.virial) {
      for (unsigned k = 0; k < 6; ++k) result.virial_partial[k] = total(1 + k);
    }
    result.round_sums();
    if (in_units_) result.unit_exponent = unit_of(facts);
  }
  /// The unit that the kernels took.
  [[nodiscard]] int unit_of(const sweep_facts& facts) const {
    if (!plan_.widens) return plan_.unit;
    const auto most_force = std::bit_cast<double>(facts.most_force_squared);
    const auto most_energy = std::bit_cast<double>(facts.most_energy);
    const detail::force_units& units = plan_.units;
    for (int e = units.first; e <= units.last; e += units.step) {
      if (most_force < bound_squared(e) && most_energy < two_to(e + units.energy_shift)) return e - plan_.bits;
    }
    return units.two_limb_unit;
  }

  const Device& device_;
  sweep_memory<Space>& memory_;
  const neighbor_list& list_;
  const rows_of_space<Space>& rows_;
  vectors<const From> positions_;
  detail::type_view types_from_;
  std::size_t types_;
  const pair_options& options_;
  launch_request request_;
  double cutoff_;
  sweep_plan<To, Potential> plan_;
  detail::force_scale scale_;
  strategy strategy_ = strategy::fixed_point;
  bool half_ = false;
  bool in_units_ = true;
};

/// A mixture's terms on the device, as device_lennard_jones_mixture has them; written where they are others than those of the call before.
template <class Space, class Device>
const double* table_of(const Device& device, sweep_memory<Space>& memory, const lennard_jones_mixture& of) {
  if (!std::ranges::equal(memory.terms, of.terms())) {
    device.refuse_capture("pair_forces: the first sweep of a mixture writes its parameters");
    memory.terms.clear();  // until they are there
    std::vector<double> numbers;
    for (const auto number : {&kernels::lennard_jones_terms::sigma_squared, &kernels::lennard_jones_terms::four_epsilon,
                              &kernels::lennard_jones_terms::shift, &kernels::lennard_jones_terms::slope,
                              &kernels::lennard_jones_terms::cutoff}) {
      for (const kernels::lennard_jones_terms& terms : of.terms()) numbers.push_back(terms.*number);
    }
    device.write(memory.table.template reserve<double>(numbers.size()), numbers.data(), numbers.size() * sizeof(double));
    memory.terms.assign(of.terms().begin(), of.terms().end());
  }
  return memory.table.template as<double>();
}

template <class Space, class Device, class Potential>
pair_result compute_pair_forces(const Space& space, const Device& device, std::shared_ptr<detail::device_part>& kept,
                                const neighbor_list& list, const Potential& potential, const detail::particle_view& particles,
                                const detail::force_view& forces, const detail::scalar_view& energies, const pair_options& options) {
  auto memory = std::dynamic_pointer_cast<sweep_memory<Space>>(kept);
  const int here = device.request().device->device;
  if (memory == nullptr || memory->device != here) kept = memory = std::make_shared<sweep_memory<Space>>(space, here);
  if (energies.data != nullptr && energies.size != list.size()) {
    throw error(errc::size_mismatch, "accrue::pair_forces: " + std::to_string(energies.size) + " energies for a list of " +
                                         std::to_string(list.size()) + " particles");
  }
  std::size_t types = 0;
  if constexpr (typed_pair_potential<Potential>) types = potential.types();
  const auto run = [&]<class From, class To>(const vectors<const From>& from, const vectors<To>& to) {
    const auto sweep = [&]<class OnDevice>(const OnDevice& of) {
      return pair_force_sweep<Space, Device, OnDevice, From, To>(device, *memory, list, of, potential.cutoff(), types,
                                                                 detail::scale_of(potential), from,
                                                                 particles.types, to, energies.data, options).run();
    };
    if constexpr (std::is_same_v<Potential, lennard_jones>) {
      if (potential.terms().slope != 0) return sweep(device_lennard_jones<true>{potential.terms()});
      return sweep(device_lennard_jones<false>{potential.terms()});
    } else if constexpr (std::is_same_v<Potential, lennard_jones_mixture>) {
      const double* const table = table_of(device, *memory, potential);
      const auto count = static_cast<unsigned>(types);
      const double cutoff = potential.cutoff();
      const bool same = std::ranges::all_of(potential.terms(), [&](const auto& terms) { return terms.cutoff == cutoff; });
      const bool sloped = std::ranges::any_of(potential.terms(), [](const auto& terms) { return terms.slope != 0; });
      if (sloped) return sweep(device_lennard_jones_mixture<true>{table, count, same, &potential});
      return sweep(device_lennard_jones_mixture<false>{table, count, same, &potential});
    } else {
      return sweep(device_potential<Potential>{potential});
    }
  };
  return std::visit(run, particles.positions, forces);
}

// Called by accrue/md for spaces of devices.

/// Throws unless the device reaches all components.
template <class Device, class View>
void check_vectors(const Device& device, const View& view) {
  const auto check = [&](const auto& v) {
    if (v.size == 0) return;
    device.check_reachable(v.x);
    device.check_reachable(v.y);
    device.check_reachable(v.z);
  };
  std::visit(check, view);
}
template <class Space, class Stream>
std::unique_ptr<detail::device_rows> build_rows_on_device(const device_space<Space, Stream>& space, neighbor_list& list,
                                                          const detail::position_view& positions) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));  // its device is current meanwhile
  call.refuse_capture("neighbor_list: a build reads back how much it found");
  const accumulating_device<Space> device(static_cast<const Space&>(space));
  check_vectors(device, positions);
  return make_rows(static_cast<const Space&>(space), device, list, positions, nullptr);
}
template <class Space, class Stream>
std::unique_ptr<detail::device_rows> assign_rows_on_device(const device_space<Space, Stream>& space, neighbor_list& list,
                                                           const detail::position_view& positions, const detail::row_view& rows) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  call.refuse_capture("neighbor_list: a caller's rows are checked, and what was found is read back");
  const accumulating_device<Space> device(static_cast<const Space&>(space));
  check_vectors(device, positions);
  if (rows.rows != 0) device.check_reachable(rows.bounds);
  if (rows.places != 0) device.check_reachable(rows.partners);
  return make_rows(static_cast<const Space&>(space), device, list, positions, &rows);
}
template <class Space, class Stream>
bool has_moved_on_device(const device_space<Space, Stream>& space, const neighbor_list& list, const detail::position_view& positions) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  call.refuse_capture("neighbor_list: whether particles have moved is read back");
  const accumulating_device<Space> device(static_cast<const Space&>(space));
  check_vectors(device, positions);
  return has_moved(static_cast<const Space&>(space), device, list, positions);
}
template <class Space, class Stream, class Potential>
pair_result pair_forces_on_device(const device_space<Space, Stream>& space, std::shared_ptr<detail::device_part>& kept,
                                  const neighbor_list& list, const Potential& potential, const detail::particle_view& particles,
                                  const detail::force_view& forces, const detail::scalar_view& energies, const pair_options& options) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  const accumulating_device<Space> device(static_cast<const Space&>(space));
  check_vectors(device, particles.positions);
  if (particles.types.size != 0) device.check_reachable(particles.types.data);
  check_vectors(device, forces);
  if (energies.data != nullptr && energies.size != 0) device.check_reachable(energies.data);
  return compute_pair_forces(static_cast<const Space&>(space), device, kept, list, potential, particles, forces, energies, options);
}

}  // namespace accrue::simt
