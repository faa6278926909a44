// SPDX-License-Identifier: BSD-3-Clause
// accumulate into Views: through Kokkos's ScatterView, in fixed point, or by accrue's own teams where a strategy needs one.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "accrue/accumulate.hpp"
#include "accrue/backends/kokkos/fixed_point.hpp"
#include "accrue/backends/kokkos/kokkos.hpp"

namespace accrue {

namespace on_kokkos {

/// A View added to as it is: for `gather`, whose work items keep apart.
template <class View>
struct plain_access {
  View view;
  KOKKOS_FUNCTION auto& operator()(std::size_t j, std::size_t d = 0) const { return element_of(view, j, d); }
};
template <class Access>
inline constexpr bool own_target_alone = false;
template <class View>
inline constexpr bool own_target_alone<plain_access<View>> = true;

/// What a body adds to: `out.add(j, v)`, and for D = 3 `out.add(j, x, y, z)`.
template <class Access, class T, std::size_t D, bool checked>
class view_contributor {
 public:
  KOKKOS_FUNCTION view_contributor(const Access& access, std::size_t item, std::size_t size, int* faults)
      : access_(access), item_(item), size_(size), faults_(faults) {}

  template <class... V>
    requires(sizeof...(V) == D && (std::is_convertible_v<V, T> && ...))
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t j, V... v) const {
    const T values[D] = {static_cast<T>(v)...};
    add_values(j, values);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t j, const std::array<T, D>& v) const requires(D > 1) {
    T values[D];
    for (std::size_t d = 0; d < D; ++d) values[d] = v[d];
    add_values(j, values);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_values(std::size_t j, const T (&v)[D]) const {
    if constexpr (own_target_alone<Access>) {
      if (j != item_) {
        Kokkos::atomic_fetch_or(faults_, static_cast<int>(index_out_of_range));
        return;
      }
    }
    if constexpr (checked) {
      if (j >= size_) {
        Kokkos::atomic_fetch_or(faults_, static_cast<int>(index_out_of_range));
        return;
      }
    }
    for (std::size_t d = 0; d < D; ++d) {
      if constexpr (requires { access_(j); } && D == 1) {
        access_(j) += v[d];
      } else {
        access_(j, d) += v[d];
      }
    }
  }

  const Access& access_;
  std::size_t item_;
  std::size_t size_;
  int* faults_;
};

template <bool checked, class Scatter, class Body, class T, std::size_t D>
struct accumulation_kernel {
  Scatter scatter;
  Body body;
  std::size_t size;
  int* faults;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if constexpr (requires { scatter.access(); }) {
      const auto& access = scatter.access();
      view_contributor<std::remove_cvref_t<decltype(access)>, T, D, checked> out(access, i, size, faults);
      body(i, out);
    } else {
      view_contributor<Scatter, T, D, checked> out(scatter, i, size, faults);
      body(i, out);
    }
  }
};

template <class View>
inline constexpr std::size_t width_of = detail::rank_of<View>() == 1 ? 1 : detail::columns_of<View>();

/// Runs the body over [0, n) with a way to add. Where indices are checked it throws for those beyond the View, and for `gather` always for
/// those of other items.
template <bool checked, class E, class View, class Scatter, class Body>
void run_accumulation(const kokkos<E>& space, const View& y, const Scatter& scatter, std::size_t n, const Body& body) {
  using fault_view = Kokkos::View<int, typename View::memory_space>;
  constexpr bool watched = checked || own_target_alone<Scatter>;
  const fault_view faults = watched ? fault_view("accrue::accumulate faults") : fault_view();
  using kernel = accumulation_kernel<checked, Scatter, Body, typename View::non_const_value_type, width_of<View>>;
  Kokkos::parallel_for("accrue::accumulate", Kokkos::RangePolicy<E>(space.instance, 0, n),
                       kernel{scatter, body, y.extent(0), faults.data()});
  if constexpr (!watched) return;
  int found = 0;
  Kokkos::deep_copy(space.instance, found, faults);
  space.instance.fence();
  if (found == 0) return;
  throw error(errc::out_of_range, "accrue::accumulate: a contribution to a target beyond the View, or under `gather` to another item's");
}

template <bool checked, class Duplication, class Contribution, class E, class View, class Body>
void accumulate_scattered(const kokkos<E>& space, const View& y, std::size_t n, const Body& body) {
  namespace experimental = Kokkos::Experimental;
  using scatter_view = experimental::ScatterView<typename View::data_type, typename View::array_layout,
                                                 Kokkos::Device<E, typename View::memory_space>, experimental::ScatterSum,
                                                 Duplication, Contribution>;
  scatter_view scatter(y);
  run_accumulation<checked>(space, y, scatter, n, body);
  scatter.contribute_into(space.instance, y);
  space.instance.fence();
}

/// The same in integers of kokkos_fixed_point.
struct accumulated_units {
  std::size_t bytes;
  bool all_left;  ///< whether every contribution but zeros left something
};
template <bool checked, class E, class View, class Body>
accumulated_units accumulate_units(const kokkos<E>& space, const View& y, std::size_t n, const Body& body, double largest) {
  kokkos_fixed_point<View> sum(y, largest);
  run_accumulation<checked>(space, y, sum, n, body);
  const bool all_left = sum.contribute_into(y, space.instance);
  return {sum.bytes(), all_left};
}

}  // namespace on_kokkos

/// y[j] += v for every contribution (j, v) of n work items, y a View of float, double or integers of rank 1, or of rank 2 with three or a
/// fixed number of columns; see accumulate.hpp. `body(i, out)` runs in a Kokkos kernel; on devices it is a function object whose
/// call operator is a KOKKOS_FUNCTION template.
///
/// Strategies: `atomic` and `replicated` are Kokkos's ScatterView, atomic and duplicated; `fixed_point` is integers, on devices
/// those of kokkos_fixed_point; `gather` adds plainly on devices, and what an item adds to another's target is `out_of_range`.
/// `critical` and `triangle`, and `replicated`, need threads of the host.
/// `automatic`: on devices `atomic`, else as on other host spaces. Guarantees and errors as there; `weights` count for `critical`
/// and `triangle` alone.
template <bool checked = ACCRUE_CHECK_INDICES != 0, class E, class View, std::integral N, class Body>
  requires Kokkos::is_view<std::remove_cvref_t<View>>::value
accumulation_report accumulate(const kokkos<E>& space, View&& target, N items, const Body& body, const accumulate_options& options = {}) {
  const std::size_t n = detail::count_of(items, "accumulate");
  using view_type = std::remove_cvref_t<View>;
  using T = typename view_type::value_type;
  namespace experimental = Kokkos::Experimental;
  static_assert(detail::accumulable<T>, "accrue accumulates float, double and integers");
  static_assert(Kokkos::SpaceAccessibility<E, typename view_type::memory_space>::accessible,
                "accrue::accumulate: the execution space cannot reach this View");
  constexpr bool on_host = on_kokkos::host_space<E>;
  constexpr bool is_strided = std::is_same_v<typename view_type::array_layout, Kokkos::LayoutStride>;
  on_kokkos::require_initialized("accumulate");
  if (target.data() == nullptr && target.extent(0) != 0) throw error(errc::null_data, "accrue::accumulate: null data");
  if (detail::rank_of<view_type>() == 2 && target.extent(1) != on_kokkos::width_of<view_type>) {
    throw error(errc::size_mismatch, "accrue::accumulate: a View of another width than 3");
  }
  strategy how = options.strategy;
  if (how == strategy::automatic) {
    how = strategy::atomic;
    if constexpr (on_host) {
      how = detail::choose_strategy(n, target.size(), static_cast<int>(space.instance.concurrency()));
    }
  }
  if (!on_host && how == strategy::fixed_point && !native_float<T>) how = strategy::atomic;  // integers are exact anyway
  const detail::stopwatch watch;
  accumulation_report report;
  report.used = how;
  report.threads = static_cast<int>(space.instance.concurrency());
  if constexpr (on_host) {
    if ((how == strategy::replicated && is_strided) || how == strategy::critical || how == strategy::triangle ||
        how == strategy::fixed_point || how == strategy::gather || on_kokkos::inside_region<E>()) {
      accumulate_options same = options;
      same.strategy = how;
      const auto made = detail::make_contributions<checked>(target);
      return detail::accumulate_on<checked>(team_of(space), n, body, same, detail::shared_calibration<Body>(), *made);
    }
    const std::lock_guard lock(on_kokkos::dispatch_mutex<E>());
    if constexpr (!is_strided) {
      if (how == strategy::replicated) {
        on_kokkos::accumulate_scattered<checked, experimental::ScatterDuplicated, experimental::ScatterNonAtomic>(space, target, n,
                                                                                                                  body);
        report.workspace_bytes = target.span() * sizeof(T) * static_cast<std::size_t>(report.threads);
        report.elapsed_s = watch.now_s();
        return report;
      }
    }
  }
  switch (how) {
    case strategy::atomic:
      on_kokkos::accumulate_scattered<checked, experimental::ScatterNonDuplicated, experimental::ScatterAtomic>(space, target, n,
                                                                                                                body);
      break;
    case strategy::gather:
      on_kokkos::run_accumulation<checked>(space, target, on_kokkos::plain_access<view_type>{target}, n, body);
      break;
    case strategy::fixed_point:
      if constexpr (native_float<T>) {
        const auto units = on_kokkos::accumulate_units<checked>(space, target, n, body, options.largest);
        if (!units.all_left) {
          throw error(errc::out_of_range, "accrue::accumulate: a contribution below half of the unit, 2^-50 of `largest`");
        }
        report.workspace_bytes = units.bytes;
      }
      break;
    default:
      throw error(errc::invalid_argument, "accrue::accumulate: on a device " + std::string(to_string(how)) +
                                              " would need a private copy for each of its threads");
  }
  report.elapsed_s = watch.now_s();
  return report;
}

}  // namespace accrue
