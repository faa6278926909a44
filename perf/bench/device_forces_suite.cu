// SPDX-License-Identifier: BSD-3-Clause
// Neighbour lists and pair forces on a device: the standard Lennard-Jones benchmark's melt, copied side by side for larger systems.
// Positions are taken from the caller's array and forces written back there in every call.
#include <accrue/accrue.hpp>
#include <accrue/md/devices.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accrue_contenders.hpp"
#include "device_numbers.hpp"
#include "lj_system.hpp"
#include "suites.hpp"

namespace perf::device_forces {

using accrue::list_kind;
using accrue::strategy;
using device_space = accrue::default_space;

constexpr double cutoff = 2.5;
constexpr double skin = 0.3;
constexpr int melted_cells = 20;
constexpr std::size_t most_of_own_list = std::size_t{3} << 20;  ///< atoms: more would take gigabytes of the host

/// Which list: one that was searched, or the full one as a caller's own.
enum class list_of { half, full, own };

struct cube {
  double length = 0;
  std::vector<double> positions;
  [[nodiscard]] std::size_t size() const { return positions.size() / 3; }
};

/// Density 0.8442 after a hundred steps of 0.005 from the lattice at temperature 1.44, so many copies along each edge.
cube melt(int copies) {
  auto c = accrue::program::face_centred_cubic(melted_cells, 0.8442);
  accrue::program::lj_system system(c, {});
  system.draw_velocities(1.44, 87287);
  for (int k = 0; k < 100; ++k) system.step(false);
  const std::vector<double>& one = system.positions();
  cube all{c.length[0] * copies, {}};
  for (int k = 0; k < copies * copies * copies; ++k) {
    const double shift[3] = {k % copies * c.length[0], k / copies % copies * c.length[0], k / copies / copies * c.length[0]};
    for (std::size_t i = 0; i < one.size(); ++i) all.positions.push_back(one[i] + shift[i % 3]);
  }
  return all;
}

/// A user's functor that costs what the library's potential does.
struct functor {
  [[nodiscard]] constexpr double cutoff() const { return device_forces::cutoff; }
  constexpr void operator()(double /*r_squared*/, double inverse, double& energy, double& force_over_r) const {
    const double s6 = inverse * inverse * inverse;
    energy = 4 * s6 * (s6 - 1);
    force_over_r = 24 * inverse * s6 * (2 * s6 - 1);
  }
};
/// One that divides by itself.
struct dividing_functor {
  [[nodiscard]] constexpr double cutoff() const { return device_forces::cutoff; }
  constexpr void operator()(double r_squared, double& energy, double& force_over_r) const {
    functor()(r_squared, 1 / r_squared, energy, force_over_r);
  }
};

/// The same melt on its way: steps of 0.005, lists when they are needed, no energies.
class trajectory {
 public:
  static constexpr std::size_t steps_a_call = 40;  ///< so that a call has several builds

  trajectory(const device_space& space, const cube& of)
      : space_(space),
        x_(space, of.positions),
        v_(space, accrue::program::drawn_velocities(of.size(), 0.72, 87287)),
        f_(space, std::vector<double>(of.positions.size())),
        list_({{0, 0, 0}, {of.length, of.length, of.length}, {true, true, true}}, cutoff, skin, list_kind::full),
        at_first_(energy()) {}
  void run() {
    for (std::size_t k = 0; k < steps_a_call; ++k) {
      accrue::program::add_scaled(space_, v_, timestep, f_);
      accrue::program::add_scaled(space_, x_, timestep, v_);
      sweep(false);
    }
  }
  /// Of all its energy a particle has as much as in the beginning, but for what half a step changes.
  [[nodiscard]] bool keeps_energy() {
    return std::fabs(energy() - at_first_) < 0.05 * static_cast<double>(list_.size());
  }

 private:
  static constexpr double timestep = 0.005;
  double sweep(bool sums) {
    if (list_.needs_rebuild(space_, x_.vectors())) list_.build(space_, x_.vectors());
    accrue::pair_options options;
    options.strategy = strategy::fixed_point;
    options.energy = options.virial = sums;
    return forces_.compute(space_, list_, x_.vectors(), f_.vectors(), options).energy;
  }
  double energy() { return sweep(true) + accrue::sum_squares(space_, v_.data(), v_.size()) / 2; }

  device_space space_;
  accrue::program::device_numbers<device_space> x_;
  accrue::program::device_numbers<device_space> v_;
  accrue::program::device_numbers<device_space> f_;
  accrue::neighbor_list list_;
  accrue::pair_forces<accrue::lennard_jones> forces_{accrue::lennard_jones(cutoff)};
  double at_first_;  ///< after all that it is computed with
};

/// One size: the system on the host and on the device, its lists, and what the host makes of it.
class problem {
 public:
  [[nodiscard]] std::size_t size() const { return cube_.size(); }
  [[nodiscard]] device_space space() const { return space_at<device_space>(on_.place(0)); }
  [[nodiscard]] accrue::orthorhombic_box box() const { return {{0, 0, 0}, {cube_.length, cube_.length, cube_.length}, {true, true, true}}; }
  [[nodiscard]] auto positions() const { return accrue::array_of_structures(static_cast<const double*>(x_.get()), size()); }
  [[nodiscard]] auto forces() const { return accrue::array_of_structures(static_cast<double*>(f_.get()), size()); }

  problem(const stage& on, int copies) : on_(on), cube_(melt(copies)) {
    const std::size_t bytes = cube_.positions.size() * sizeof(double);
    x_ = on.allocate(bytes);
    f_ = on.allocate(bytes);
    on.copy(x_.get(), cube_.positions.data(), bytes);
    types_ = on.allocate(size());
    std::vector<std::uint8_t> types(size());
    for (std::size_t i = 0; i < size(); ++i) types[i] = static_cast<std::uint8_t>(i % 3);
    on.copy(types_.get(), types.data(), size());
    for (auto& list : lists_) list->build(space(), positions());
    std::vector<std::array<double, 3>> f(size());
    accrue::neighbor_list list(box(), cutoff, skin);
    const auto x = accrue::array_of_structures<const double>(cube_.positions.data(), size());
    list.build(accrue::default_host_space{}, x);
    accrue::pair_forces forces{accrue::lennard_jones(cutoff)};
    accrue::pair_options options;
    options.strategy = strategy::fixed_point;
    energy_ = forces.compute(accrue::default_host_space{}, list, x, f, options).energy;
    for (const auto& v : f) forces_.insert(forces_.end(), v.begin(), v.end());
    if (size() <= most_of_own_list) take_own_rows(x);
  }

  [[nodiscard]] accrue::neighbor_list& list(list_of which) {
    if (which == list_of::own && own_ == nullptr) assign();
    return which == list_of::own ? *own_ : *lists_[which == list_of::half ? 0 : 1];
  }
  void assign() {
    if (own_ == nullptr) own_ = std::make_unique<accrue::neighbor_list>(box(), cutoff, skin, list_kind::full);
    own_->assign(space(), positions(),
                 accrue::compressed_rows(std::span(static_cast<const std::uint32_t*>(offsets_.get()), size() + 1),
                                         std::span(static_cast<const std::uint32_t*>(partners_.get()), partners_size_)));
  }

  template <class Potential>
  accrue::pair_result compute(accrue::pair_forces<Potential>& of, list_of which, strategy s, bool sums) {
    accrue::pair_options options;
    options.strategy = s;
    options.energy = options.virial = sums;
    if constexpr (accrue::typed_pair_potential<Potential>) {
      const std::span types(static_cast<const std::uint8_t*>(types_.get()), size());
      return of.compute(space(), list(which), accrue::with_types(positions(), types), forces(), options);
    } else {
      return of.compute(space(), list(which), positions(), forces(), options);
    }
  }
  /// Whether the forces that the device has now are the host's: their bits, or but for rounding.
  [[nodiscard]] bool right(bool bits) const {
    std::vector<double> f(forces_.size());
    on_.copy(f.data(), f_.get(), f.size() * sizeof(double));
    for (std::size_t k = 0; k < f.size(); ++k) {
      if (bits ? f[k] != forces_[k] : !(std::fabs(f[k] - forces_[k]) < 1e-9)) return false;
    }
    return true;
  }
  [[nodiscard]] double energy() const { return energy_; }
  [[nodiscard]] trajectory& moving() {
    if (trajectory_ == nullptr) trajectory_ = std::make_unique<trajectory>(space(), cube_);
    return *trajectory_;
  }

 private:
  /// The rows of a full list by the host, as a caller has them.
  void take_own_rows(const accrue::vectors<const double>& x) {
    accrue::neighbor_list list(box(), cutoff, skin, list_kind::full);
    list.build(accrue::default_host_space{}, x);
    std::vector<std::uint32_t> place(size());
    for (std::size_t k = 0; k < size(); ++k) place[list.order()[k]] = static_cast<std::uint32_t>(k);
    std::vector<std::uint32_t> offsets{0};
    std::vector<std::uint32_t> partners;
    partners.reserve(list.entries());
    for (std::size_t i = 0; i < size(); ++i) {
      for (const std::uint32_t other : list.row(place[i])) partners.push_back(list.order()[other]);
      offsets.push_back(static_cast<std::uint32_t>(partners.size()));
    }
    partners_size_ = partners.size();
    const auto to_device = [&](const std::vector<std::uint32_t>& v) {
      auto there = on_.allocate(v.size() * sizeof(v[0]));
      on_.copy(there.get(), v.data(), v.size() * sizeof(v[0]));
      return there;
    };
    offsets_ = to_device(offsets);
    partners_ = to_device(partners);
  }

  const stage& on_;
  cube cube_;
  std::shared_ptr<void> x_;
  std::shared_ptr<void> f_;
  std::shared_ptr<void> types_;
  std::shared_ptr<void> offsets_;
  std::shared_ptr<void> partners_;
  std::size_t partners_size_ = 0;
  std::unique_ptr<accrue::neighbor_list> own_;
  std::unique_ptr<trajectory> trajectory_;
  std::unique_ptr<accrue::neighbor_list> lists_[2] = {std::make_unique<accrue::neighbor_list>(box(), cutoff, skin, list_kind::half),
                                                      std::make_unique<accrue::neighbor_list>(box(), cutoff, skin, list_kind::full)};
  double energy_ = 0;
  std::vector<double> forces_;
};

using problem_of_rows = std::shared_ptr<std::unique_ptr<problem>>;

template <class Potential>
row sweep(const stage& on, const problem_of_rows& made, std::size_t atoms, const Potential& potential, const char* by, list_of which,
          strategy s, bool sums, bool in_graph) {
  auto of = std::make_shared<accrue::pair_forces<Potential>>(potential);
  const bool bits = s == strategy::fixed_point && !std::is_same_v<Potential, functor> && !std::is_same_v<Potential, dividing_functor>;
  const char* const kind = which == list_of::half ? "half" : which == list_of::full ? "full" : "own full";
  return {.labels = {{"suite", "device_forces"}, {"where", on.name()}, {"what", "sweep"}, {"by", by}, {"n", atoms},
                     {"kind", kind}, {"strategy", to_string(s)}, {"sums", sums}, {"graph", in_graph}},
          .time = [=, begun = std::make_shared<bool>(false),
                   time = on.sampled([=](std::size_t) { (void)(*made)->compute(*of, which, s, sums); }, in_graph)](std::size_t calls) {
            if (!std::exchange(*begun, true)) (void)(*made)->compute(*of, which, s, sums);  // takes memory, which a capture may not
            return time(calls);
          },
          .check = [=] {
            const bool right = (*made)->right(bits);
            const double energy = (*made)->compute(*of, which, s, true).energy;
            return json{{"verified", right && (bits ? energy == (*made)->energy() : std::fabs(energy / (*made)->energy() - 1) < 1e-12)}};
          }};
}

void run(runner& r, const stage& on, const extent& e) {
  for (const int cells : e.cells) {
    if (cells % melted_cells != 0) throw std::runtime_error("device_forces: boxes are multiples of 20 unit cells");
    const std::size_t atoms = 4 * static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells);
    auto made = std::make_shared<std::unique_ptr<problem>>();
    std::vector<row> rows;
    const accrue::lennard_jones library(cutoff);
    for (const list_of which : {list_of::full, list_of::half}) {
      for (const strategy s : {strategy::fixed_point, which == list_of::full ? strategy::gather : strategy::atomic}) {
        for (const bool sums : {false, true}) {
          rows.push_back(sweep(on, made, atoms, library, "accrue", which, s, sums, !sums && on.has_graphs()));
        }
      }
      rows.push_back({.labels = {{"suite", "device_forces"}, {"where", on.name()}, {"what", "list"}, {"by", "accrue"}, {"n", atoms},
                                 {"kind", which == list_of::full ? "full" : "half"}},
                      .time = on.sampled([=](std::size_t) { (*made)->list(which).build((*made)->space(), (*made)->positions()); }, false),
                      .check = [=] { return json{{"verified", (*made)->list(which).entries() > 30 * atoms}}; }});
    }
    rows.push_back(sweep(on, made, atoms, functor{}, "a functor given 1/r^2", list_of::full, strategy::fixed_point, false,
                         on.has_graphs()));
    rows.push_back(sweep(on, made, atoms, dividing_functor{}, "a functor", list_of::full, strategy::fixed_point, false, on.has_graphs()));
    const accrue::lennard_jones_mixture mixture({{}, {}, {}}, cutoff);  // of like types, so that the bits are the host's
    rows.push_back(sweep(on, made, atoms, mixture, "three types", list_of::full, strategy::fixed_point, false, on.has_graphs()));
    if (atoms <= most_of_own_list) {
      rows.push_back(sweep(on, made, atoms, library, "accrue", list_of::own, strategy::fixed_point, false, on.has_graphs()));
      rows.push_back({.labels = {{"suite", "device_forces"}, {"where", on.name()}, {"what", "list"}, {"by", "accrue"}, {"n", atoms},
                                 {"kind", "own full"}},
                      .time = on.sampled([=](std::size_t) { (*made)->assign(); }, false),
                      .check = [=] { return json{{"verified", (*made)->list(list_of::own).entries() > 60 * atoms}}; }});
    }
    rows.push_back({.labels = {{"suite", "device_forces"}, {"where", on.name()}, {"what", "trajectory"}, {"by", "accrue"}, {"n", atoms},
                               {"kind", "full"}, {"strategy", to_string(strategy::fixed_point)}, {"steps", trajectory::steps_a_call}},
                    .time = on.sampled([=](std::size_t) { (*made)->moving().run(); }, false),
                    .check = [=] { return json{{"verified", (*made)->moving().keeps_energy()}}; }});
    r.measure(std::move(rows), [=, &on] { *made = std::make_unique<problem>(on, cells / melted_cells); });
  }
}

const bool added = (device_suites().push_back({"device_forces", run}), true);

}  // namespace perf::device_forces
