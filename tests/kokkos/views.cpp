// SPDX-License-Identifier: BSD-3-Clause
// Views as arguments: ranks, layouts, strides, constness, element types; results in Views; what Kokkos's tools are told.
#include "kokkos_suite.hpp"

#include <complex>
#include <set>

using namespace test;

namespace {

template <class T, class Layout>
void check_matrix() {
  const auto x = sequence<T>(distribution::log_uniform, next_seed(), 60 * 37);
  const auto space = hook::make();
  const auto m = to_matrix<Layout>(x, 37);
  const auto flat = to_view(x);
  CHECK(bits(accrue::sum(space, m)) == exact_bits(x));
  CHECK(bits(accrue::sum(space, m, accrue::ordered)) == bits(accrue::sum(space, flat, accrue::ordered)));
  CHECK(accrue::argmax(space, m).index == accrue::argmax(space, flat).index);
  CHECK(bits(accrue::dot(space, m, flat)) == bits(accrue::sum_squares(space, flat)));
  // A block in the middle, a row, a column.
  const auto block = Kokkos::subview(m, std::pair(3, 41), std::pair(5, 30));
  std::vector<T> inside;
  std::vector<T> column;
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 37; ++j) {
      if (i >= 3 && i < 41 && j >= 5 && j < 30) inside.push_back(x[i * 37 + j]);
      if (j == 11) column.push_back(x[i * 37 + j]);
    }
  }
  CHECK(bits(accrue::sum(space, block)) == exact_bits(inside));
  CHECK(bits(accrue::sum(space, Kokkos::subview(m, 7, Kokkos::ALL))) ==
        exact_bits(std::vector<T>(x.begin() + 7 * 37, x.begin() + 8 * 37)));
  CHECK(bits(accrue::sum(space, Kokkos::subview(m, Kokkos::ALL, 11))) == exact_bits(column));
}

}  // namespace

TEST_CASE("Views of rank 2 in any layout, and their subviews", "[kokkos]") {
  check_matrix<double, Kokkos::LayoutLeft>();
  check_matrix<double, Kokkos::LayoutRight>();
  check_matrix<float, Kokkos::LayoutLeft>();
  check_matrix<float, Kokkos::LayoutRight>();
}

TEST_CASE("Views of rank 1: const, unmanaged, strided, empty, and what is no View", "[kokkos]") {
  const auto x = sequence<double>(distribution::normal, next_seed(), 100001);
  const auto space = hook::make();
  const auto v = to_view(x);
  const auto expected = exact_bits(x);
  const Kokkos::View<const double*, memory> read_only = v;
  const Kokkos::View<double*, memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(v.data(), v.extent(0));
  const Kokkos::View<const double*, Kokkos::LayoutStride, memory> strided = v;
  CHECK(bits(accrue::sum(space, v)) == expected);
  CHECK(bits(accrue::sum(space, read_only)) == expected);
  CHECK(bits(accrue::sum(space, unmanaged)) == expected);
  CHECK(bits(accrue::sum(space, strided)) == expected);
  CHECK(bits(accrue::sum(space, std::span<const double>(v.data(), v.extent(0)))) == expected);
  CHECK(bits(accrue::sum(space, v.data(), v.extent(0))) == expected);
  CHECK(accrue::sum(space, Kokkos::View<double*, memory>()) == 0);
  CHECK(accrue::sum(space, Kokkos::View<double*, memory>("none", 0), accrue::ordered) == 0);
  CHECK(code_of([&] { (void)accrue::min(space, Kokkos::View<double*, memory>()); }) == accrue::errc::empty_range);
  CHECK(code_of([&] { (void)accrue::dot(space, v, Kokkos::subview(v, std::pair(0, 5))); }) == accrue::errc::size_mismatch);
}

TEST_CASE("Kokkos's element types", "[kokkos]") {
  const auto space = hook::make();
  const auto parts = sequence<double>(distribution::normal, next_seed(), 2 * 5003);
  std::vector<Kokkos::complex<double>> z;
  std::vector<std::complex<double>> same;
  for (std::size_t k = 0; k < parts.size(); k += 2) {
    z.emplace_back(parts[k], parts[k + 1]);
    same.emplace_back(parts[k], parts[k + 1]);
  }
  CHECK(accrue::sum(space, to_view(z)) == accrue::sum(accrue::serial{}, same));
  CHECK(bits(accrue::norm2(space, to_view(z))) == bits(accrue::norm2(accrue::serial{}, same)));
  // 16-bit floats, which are float where Kokkos has none.
  std::vector<Kokkos::Experimental::half_t> h;
  oracle sum;
  for (int k = 0; k < 3000; ++k) {
    const auto v = static_cast<Kokkos::Experimental::half_t>(static_cast<float>(parts[static_cast<std::size_t>(k)]));
    h.push_back(v);
    sum.add(static_cast<float>(v));
  }
  CHECK(bits(accrue::sum(space, to_view(h))) == bits(sum.round<float>()));
  CHECK(accrue::sum(space, to_view(std::vector<int>{1, 2, -5})) == -2);
}

TEST_CASE("results in Views", "[kokkos]") {
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), 70000);
  const auto v = to_view(x);
  for (const auto& space : hook::variants()) {
    const Kokkos::View<double, memory> total("total");
    const Kokkos::View<double, memory> least("least");
    accrue::reduce_into(space, v, accrue::sum_of<double>{}, total);
    accrue::reduce_into(space, v, accrue::min_of<double>{}, least);
    space.synchronize();
    CHECK(bits(to_host(total)[0]) == exact_bits(x));
    CHECK(bits(to_host(least)[0]) == bits(accrue::min(accrue::serial{}, x)));
  }
}

namespace {

std::multiset<std::string> seen;

}  // namespace

TEST_CASE("tools see every kernel under its reducer's name", "[kokkos]") {
  const auto space = hook::make();
  const auto v = to_view(sequence<double>(distribution::normal, next_seed(), 40000));
  seen.clear();
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(
      [](const char* name, std::uint32_t, std::uint64_t*) { seen.insert(std::string(name).substr(0, 27)); });
  (void)accrue::sum(space, v);
  (void)accrue::sum(space, Kokkos::subview(v, std::pair(0, 10)));
  (void)accrue::sum(space, v, accrue::ordered);
  (void)accrue::minmax(space, v);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
  CHECK(seen.count("accrue::detail::sum_reducer") == 3);
  CHECK(seen.count("accrue::minmax_of<double>") == 1);
  CHECK(seen.size() == 4);
}
