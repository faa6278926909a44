// SPDX-License-Identifier: BSD-3-Clause
// accumulate into Views: on devices by accrue's native backend; on hosts through Kokkos's ScatterView, or by accrue's own teams where a
// strategy needs one.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <array>
#include <cstddef>
#include <type_traits>

#include "accrue/accumulate.hpp"
#include "accrue/backends/kokkos/fixed_point.hpp"
#include "accrue/backends/kokkos/kokkos.hpp"

namespace accrue {

namespace on_kokkos {

/// What a body adds to: `out.add(j, v)`, and for D = 3 `out.add(j, x, y, z)`.
template <class Access, class T, std::size_t D, bool checked>
class view_contributor {
 public:
  KOKKOS_FUNCTION view_contributor(const Access& access, std::size_t size, int* faults) : access_(access), size_(size), faults_(faults) {}

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
    const auto& access = scatter.access();
    view_contributor<std::remove_cvref_t<decltype(access)>, T, D, checked> out(access, size, faults);
    body(i, out);
  }
};

template <class View>
inline constexpr std::size_t width_of = detail::rank_of<View>() == 1 ? 1 : detail::columns_of<View>();

/// Throws, where indices are checked, for those beyond the View.
template <bool checked, class Duplication, class Contribution, class E, class View, class Body>
void accumulate_scattered(const kokkos<E>& space, const View& y, std::size_t n, const Body& body) {
  namespace experimental = Kokkos::Experimental;
  using scatter_view = experimental::ScatterView<typename View::data_type, typename View::array_layout,
                                                 Kokkos::Device<E, typename View::memory_space>, experimental::ScatterSum,
                                                 Duplication, Contribution>;
  scatter_view scatter(y);
  using fault_view = Kokkos::View<int, typename View::memory_space>;
  const fault_view faults = checked ? fault_view("accrue::accumulate faults") : fault_view();
  using kernel = accumulation_kernel<checked, scatter_view, Body, typename View::non_const_value_type, width_of<View>>;
  Kokkos::parallel_for("accrue::accumulate", Kokkos::RangePolicy<E>(space.instance, 0, n),
                       kernel{scatter, body, y.extent(0), faults.data()});
  scatter.contribute_into(space.instance, y);
  space.instance.fence();
  if constexpr (checked) {
    if (faults() != 0) throw error(errc::out_of_range, "accrue::accumulate: a contribution to a target beyond the View");
  }
}

}  // namespace on_kokkos

/// y[j] += v for every contribution (j, v) of n work items, y a View of float, double or integers of rank 1, or of rank 2 with three or a
/// fixed number of columns; see accumulate.hpp. `body(i, out)` runs in a Kokkos kernel.
///
/// Strategies: `atomic` and `replicated` are Kokkos's ScatterView, atomic and duplicated; others run on accrue's teams.
/// `automatic`: as on other host spaces. Guarantees and errors as there; `weights` count for `critical` and `triangle` alone.
///
/// On devices (the overload of accumulate.hpp) all is as on accrue's native space: `body` is a function object whose call operator is a
/// KOKKOS_FUNCTION template, called from that backend's kernel on the instance's stream.
template <bool checked = ACCRUE_CHECK_INDICES != 0, on_kokkos::host_space E, class View, std::integral N, class Body>
  requires Kokkos::is_view<std::remove_cvref_t<View>>::value
accumulation_report accumulate(const kokkos<E>& space, View&& target, N items, const Body& body, const accumulate_options& options = {}) {
  const std::size_t n = detail::count_of(items, "accumulate");
  using view_type = std::remove_cvref_t<View>;
  using T = typename view_type::value_type;
  namespace experimental = Kokkos::Experimental;
  static_assert(detail::accumulable<T>, "accrue accumulates float, double and integers");
  static_assert(Kokkos::SpaceAccessibility<E, typename view_type::memory_space>::accessible,
                "accrue::accumulate: the execution space cannot reach this View");
  constexpr bool is_strided = std::is_same_v<typename view_type::array_layout, Kokkos::LayoutStride>;
  on_kokkos::require_initialized("accumulate");
  if (target.data() == nullptr && target.extent(0) != 0) throw error(errc::null_data, "accrue::accumulate: null data");
  if (detail::rank_of<view_type>() == 2 && target.extent(1) != on_kokkos::width_of<view_type>) {
    throw error(errc::size_mismatch, "accrue::accumulate: a View of another width than 3");
  }
  const detail::stopwatch watch;
  accumulation_report report;
  report.threads = static_cast<int>(space.instance.concurrency());
  report.used = options.strategy;
  if (report.used == strategy::automatic) report.used = detail::choose_strategy(n, target.size(), report.threads);
  const bool by_kokkos = report.used == strategy::atomic || (report.used == strategy::replicated && !is_strided);
  if (!by_kokkos || on_kokkos::inside_region<E>()) {
    accumulate_options same = options;
    same.strategy = report.used;
    const auto made = detail::make_contributions<checked>(target);
    return detail::accumulate_on<checked>(team_of(space), n, body, same, detail::shared_calibration<Body>(), *made);
  }
  const std::lock_guard lock(on_kokkos::dispatch_mutex<E>());
  if (report.used == strategy::atomic) {
    on_kokkos::accumulate_scattered<checked, experimental::ScatterNonDuplicated, experimental::ScatterAtomic>(space, target, n, body);
  } else if constexpr (!is_strided) {
    on_kokkos::accumulate_scattered<checked, experimental::ScatterDuplicated, experimental::ScatterNonAtomic>(space, target, n, body);
    report.workspace_bytes = target.span() * sizeof(T) * static_cast<std::size_t>(report.threads);
  }
  report.elapsed_s = watch.now_s();
  return report;
}

// Called by accrue/accumulate.hpp, as those of the native spaces are.

template <on_kokkos::device_space E, class Target, class Body>
accumulation_report accumulate_on_device(const kokkos<E>& space, Target& target, std::size_t n, const Body& body,
                                         const accumulate_options& options) {
  on_kokkos::require_initialized("accumulate");
  const on_kokkos::tool_kernel<E> shown("accrue::accumulate", space.instance);
  return accumulate_on_device(space.native(), target, n, body, options);
}
template <on_kokkos::device_space E, class Target>
auto scatter_on_device(const kokkos<E>& space, Target& target, const accumulate_options& options) {
  on_kokkos::require_initialized("scatter");
  return scatter_on_device(space.native(), target, options);
}

}  // namespace accrue
