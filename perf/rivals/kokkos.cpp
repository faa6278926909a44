// SPDX-License-Identifier: BSD-3-Clause
// Kokkos's own reductions: on its default execution space where that is a device, and on its default host space.
#include <type_traits>

#include "contender.hpp"
#include "kokkos_runtime.hpp"

namespace perf {

namespace {

template <class T>
struct add_values {
  const T* x;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& s) const { s += x[i]; }
};
template <class T>
struct add_products {
  const T* x;
  const T* y;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& s) const { s += x[i] * y[i]; }
};
template <class T>
struct add_magnitudes {
  const T* x;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& s) const { s += x[i] < T(0) ? -x[i] : x[i]; }
};
template <class T>
struct lower {
  const T* x;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& s) const { s = x[i] < s ? x[i] : s; }
};

template <class Exec, class T>
void add(std::vector<contender<T>>& all) {
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  using memory = typename Exec::memory_space;
  const auto put = [&](operation what, auto body, auto reducer) {
    all.push_back({.name = std::string("Kokkos ") + Exec::name(),
                   .what = what,
                   .run = [body, reducer](const place& at, const T* x, const T* y, std::size_t n, T* result) {
                     initialize_kokkos();
                     Kokkos::parallel_reduce("contender", policy(kokkos_instance<Exec>(at), 0, n), body(x, y), reducer(result));
                   }});
  };
  using result = Kokkos::View<T, memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto sum = [](T* r) { return Kokkos::Sum<T, memory>(result(r)); };
  const auto least = [](T* r) { return Kokkos::Min<T, memory>(result(r)); };
  put(
      operation::sum, [](const T* x, const T*) { return add_values<T>{x}; }, sum);
  put(
      operation::dot,
      [](const T* x, const T* y) {
        return add_products<T>{x, y};
      },
      sum);
  put(
      operation::sum_abs, [](const T* x, const T*) { return add_magnitudes<T>{x}; }, sum);
  put(
      operation::min, [](const T* x, const T*) { return lower<T>{x}; }, least);
}

template <class T>
void add() {
  using device = Kokkos::DefaultExecutionSpace;
  using host = Kokkos::DefaultHostExecutionSpace;
  add<host>(host_contenders<T>());
  if constexpr (!std::is_same_v<device, host>) add<device>(device_contenders<T>());
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
