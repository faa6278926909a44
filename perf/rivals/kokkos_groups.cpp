// SPDX-License-Identifier: BSD-3-Clause
// Kokkos's sums of groups by nested teams: a team for each row or segment, of which its threads take parts; and by ScatterView.
#include <Kokkos_ScatterView.hpp>
#include <string>
#include <type_traits>

#include "grouped_case.hpp"
#include "kokkos_runtime.hpp"

namespace perf {

namespace {

template <class Exec, class T>
struct sum_group {
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  const T* x;
  std::size_t length;
  const std::int64_t* offsets;
  T* out;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const auto k = static_cast<std::size_t>(team.league_rank());
    const T* const first = x + (offsets != nullptr ? static_cast<std::size_t>(offsets[k]) : k * length);
    const std::size_t size = offsets != nullptr ? static_cast<std::size_t>(offsets[k + 1] - offsets[k]) : length;
    T sum = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, size), [=](std::size_t i, T& s) { s += first[i]; }, sum);
    if (team.team_rank() == 0) out[k] = sum;
  }
};
template <class Scatter, class T>
struct add_by_key {
  Scatter to;
  const T* x;
  const std::uint32_t* keys;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { to.access()(keys[i]) += x[i]; }
};

template <class Exec, class T>
void sum_by_kokkos(const place& at, const grouped_data& d, void* results) {
  initialize_kokkos();
  const Exec& on = kokkos_instance<Exec>(at);
  const auto* const x = static_cast<const T*>(d.x);
  auto* const out = static_cast<T*>(results);
  if (!d.by_keys()) {
    const std::int64_t* const offsets = d.kind == grouping_kind::segments ? d.offsets : nullptr;
    Kokkos::parallel_for("teams", Kokkos::TeamPolicy<Exec>(on, static_cast<int>(d.groups), Kokkos::AUTO),
                         sum_group<Exec, T>{x, d.length, offsets, out});
    return;
  }
  Kokkos::View<T*, typename Exec::memory_space> sums(Kokkos::view_alloc(on, "sums"), d.groups);
  auto to = Kokkos::Experimental::create_scatter_view(sums);
  using elements = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("scatter", elements(on, 0, d.n), add_by_key<decltype(to), T>{to, x, d.keys});
  Kokkos::Experimental::contribute(sums, to);
  const Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> result(out, d.groups);
  Kokkos::deep_copy(on, result, sums);
}

template <class Exec, class T>
void add(std::vector<grouped_case>& all, const char* type) {
  const auto takes = [](const grouped_data& d) { return d.kind != grouping_kind::columns && d.groups < (std::size_t{1} << 31); };
  add_rival_sums(all, type, std::string("Kokkos ") + Exec::name(), takes, sum_by_kokkos<Exec, T>);
}
template <class T>
void add(const char* type) {
  using device = Kokkos::DefaultExecutionSpace;
  using host = Kokkos::DefaultHostExecutionSpace;
  add<host, T>(host_grouped_cases(), type);
  if constexpr (!std::is_same_v<device, host>) add<device, T>(device_grouped_cases(), type);
}

const bool added = (add<double>("f64"), add<float>("f32"), true);

}  // namespace

}  // namespace perf
