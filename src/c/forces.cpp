// SPDX-License-Identifier: BSD-3-Clause
// Pair forces from C.
#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "accrue/md/md.hpp"
#include "handles.hpp"

namespace accrue::c {

strategy checked_strategy(int s, const char* call);

namespace {

/// A potential of the caller's.
struct called_potential {
  double largest;
  accrue_pair_potential function;
  void* context;

  [[nodiscard]] double cutoff() const { return largest; }
  void operator()(double r_squared, double& energy, double& force_over_r) const { function(r_squared, &energy, &force_over_r, context); }
};

orthorhombic_box box_of(const double* lengths) {
  if (lengths == nullptr) throw error(errc::null_data, "accrue_forces_create: the box is NULL");
  orthorhombic_box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.length[d] = lengths[d];
    box.periodic[d] = lengths[d] != 0;
  }
  return box;
}

}  // namespace
}  // namespace accrue::c

struct accrue_forces {
  accrue::neighbor_list list;
  std::variant<accrue::pair_forces<accrue::lennard_jones>, accrue::pair_forces<accrue::c::called_potential>> forces;
  accrue::pair_options options;
  size_t particles = 0;
};

namespace accrue::c {
namespace {

template <class Potential>
void create(const double* lengths, double cutoff, double skin, int strategy_code, Potential potential, accrue_forces** out) {
  auto& place = required(out, "accrue_forces_create: no place for the forces");
  place = nullptr;
  pair_options options;
  options.strategy = checked_strategy(strategy_code, "accrue_forces_create");
  const list_kind kind = options.strategy == strategy::gather ? list_kind::full : list_kind::half;
  place = new accrue_forces{neighbor_list(box_of(lengths), cutoff, skin, kind), pair_forces<Potential>(std::move(potential)), options};
}

}  // namespace
}  // namespace accrue::c

using namespace accrue::c;

accrue_status accrue_forces_create(const double box[3], double cutoff, double skin, accrue_strategy strategy,
                                   accrue_pair_potential potential, void* context, accrue_forces** forces) {
  return guarded([&] {
    if (potential == nullptr) throw accrue::error(accrue::errc::invalid_argument, "accrue_forces_create: the potential is NULL");
    create(box, cutoff, skin, strategy, called_potential{cutoff, potential, context}, forces);
  });
}
accrue_status accrue_forces_create_lennard_jones(const double box[3], double cutoff, double skin, accrue_strategy strategy,
                                                 double epsilon, double sigma, accrue_forces** forces) {
  return guarded([&] {
    create(box, cutoff, skin, strategy, accrue::lennard_jones(cutoff, accrue::truncation::plain, epsilon, sigma), forces);
  });
}
void accrue_forces_destroy(accrue_forces* forces) { delete forces; }
accrue_status accrue_forces_set_largest(accrue_forces* forces, double largest_force) {
  return guarded([&] { required(forces, "accrue_forces_set_largest: the forces are NULL").options.largest_force = largest_force; });
}

accrue_status accrue_forces_compute(accrue_forces* forces, const accrue_space* space, const double* positions, size_t n, double* result,
                                    accrue_pair_result* sums) {
  constexpr const char* call = "accrue_forces_compute";
  return guarded([&] {
    auto& f = required(forces, "accrue_forces_compute: the forces are NULL");
    const auto& host = host_space_of(space, call);
    if (n != 0 && (positions == nullptr || result == nullptr)) accrue::detail::throw_null_data(call, n);
    const auto x = accrue::array_of_structures(positions, n);
    const auto to = accrue::array_of_structures(result, n);
    if (n != f.particles || f.list.needs_rebuild(host, x)) {
      f.list.build(host, x);
      f.particles = n;
    }
    accrue::pair_options options = f.options;
    options.energy = options.virial = sums != nullptr;
    const auto r = std::visit([&](auto& p) { return p.compute(host, f.list, x, to, options); }, f.forces);
    if (sums == nullptr) return;
    sums->energy = r.energy;
    std::copy(r.virial.begin(), r.virial.end(), sums->virial);
  });
}
