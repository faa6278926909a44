// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the Kokkos backend share: Views filled from the host, and back. ACCRUE_TEST_KOKKOS_SPACE names the space.
#pragma once

#include <accrue/kokkos.hpp>

#include "conformance/suite.hpp"

namespace test {

using exec = Kokkos::ACCRUE_TEST_KOKKOS_SPACE;
using memory = exec::memory_space;

/// A View of rank 1 with these elements.
template <class Layout = Kokkos::LayoutRight, class T>
Kokkos::View<T*, Layout, memory> to_view(const std::vector<T>& x) {
  hook::start_kokkos();
  Kokkos::View<T*, Layout, memory> v("x", x.size());
  const auto mirror = Kokkos::create_mirror_view(v);
  for (std::size_t i = 0; i < x.size(); ++i) mirror(i) = x[i];
  Kokkos::deep_copy(v, mirror);
  return v;
}
/// A View of rank 2 whose rows are taken from x one after the other.
template <class Layout, class T>
Kokkos::View<T**, Layout, memory> to_matrix(const std::vector<T>& x, std::size_t columns) {
  hook::start_kokkos();
  Kokkos::View<T**, Layout, memory> v("x", x.size() / columns, columns);
  const auto mirror = Kokkos::create_mirror_view(v);
  for (std::size_t i = 0; i < x.size(); ++i) mirror(i / columns, i % columns) = x[i];
  Kokkos::deep_copy(v, mirror);
  return v;
}
template <class View>
std::vector<typename View::non_const_value_type> to_host(const View& v) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  std::vector<typename View::non_const_value_type> x;
  if constexpr (accrue::detail::rank_of<View>() == 0) {
    x.push_back(mirror());
  } else if constexpr (accrue::detail::rank_of<View>() == 1) {
    for (std::size_t i = 0; i < v.extent(0); ++i) x.push_back(mirror(i));
  } else {
    for (std::size_t i = 0; i < v.extent(0); ++i) {
      for (std::size_t j = 0; j < v.extent(1); ++j) x.push_back(mirror(i, j));
    }
  }
  return x;
}

template <class T>
std::string exact_bits(const std::vector<T>& x) {
  oracle sum;
  for (const T v : x) sum.add(v);
  return bits(sum.round<T>());
}

}  // namespace test
