// SPDX-License-Identifier: BSD-3-Clause
// The calls of accrue/drop_in/global_sum.hpp on arrays of rank 1 to 5, with padding, ranges and masks: against the oracle over all
// ranks' elements.
// With ACCRUE_TEST_KOKKOS on Kokkos's Views, else on arrays of the test's own; with ACCRUE_TEST_HOOK these are in a device's memory.
#if defined(ACCRUE_TEST_KOKKOS)
#include <Kokkos_Core.hpp>
#endif
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include <accrue/kokkos.hpp>
#endif
#include <accrue/drop_in/global_sum.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>

#include "golden/bits.hpp"
#include "golden/random.hpp"
#include "support/oracle.hpp"
#include "own_rank.hpp"

#if defined(ACCRUE_TEST_HOOK)
#include ACCRUE_TEST_HOOK
#endif

using namespace test;
using accrue::drop_in::globalMaskedSum;
using accrue::drop_in::globalMaxVal;
using accrue::drop_in::globalMinVal;
using accrue::drop_in::globalSum;

namespace {

#if defined(ACCRUE_TEST_KOKKOS)
template <class T, int rank>
struct pointers : pointers<T*, rank - 1> {};
template <class T>
struct pointers<T, 0> {
  using type = T;
};
template <class T, int rank>
using array_of = Kokkos::View<typename pointers<T, rank>::type, Kokkos::LayoutStride, Kokkos::DefaultExecutionSpace>;
template <class T, int rank>
array_of<T, rank> over(T* data, const std::array<std::size_t, 5>& extents, const std::array<std::size_t, 5>& strides) {
  Kokkos::LayoutStride layout;
  for (int d = 0; d < rank; ++d) {
    layout.dimension[d] = extents[static_cast<std::size_t>(d)];
    layout.stride[d] = strides[static_cast<std::size_t>(d)];
  }
  return array_of<T, rank>(data, layout);
}
#else
template <class T, int dimensions>
struct array_of {
  T* first;
  std::array<std::size_t, 5> extents;
  std::array<std::size_t, 5> strides;
  static constexpr std::size_t rank() { return dimensions; }
  [[nodiscard]] T* data_handle() const { return first; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::size_t stride(std::size_t d) const { return strides[d]; }
};
template <class T, int rank>
array_of<T, rank> over(T* data, const std::array<std::size_t, 5>& extents, const std::array<std::size_t, 5>& strides) {
  return {data, extents, strides};
}
#endif

}  // namespace

#if defined(ACCRUE_TEST_HOOK)
template <class T, int dimensions>
struct accrue::drop_in::space_of<array_of<T, dimensions>> {
  using type = decltype(hook::make());
};
#endif

namespace {

/// Where the calls read an array: a copy in a device's memory, which `kept` owns, or the host's own.
using owners = std::vector<std::shared_ptr<void>>;
template <class T>
T* there(std::vector<T>& here, [[maybe_unused]] owners& kept) {
#if defined(ACCRUE_TEST_HOOK)
  const auto copy = std::make_shared<hook::array<T>>(hook::make(), here);
  kept.push_back(copy);
  return const_cast<T*>(copy->get().data());
#elif defined(ACCRUE_TEST_KOKKOS)
  using execution = Kokkos::DefaultExecutionSpace;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, execution::memory_space>::accessible) return here.data();
  const auto copy = std::make_shared<Kokkos::View<T*, execution>>("copy", here.size());
  Kokkos::deep_copy(*copy, Kokkos::View<T*, Kokkos::HostSpace>(here.data(), here.size()));
  kept.push_back(copy);
  return copy->data();
#else
  return here.data();
#endif
}

/// An array of some rank on each MPI rank, with a padded last dimension; each has its own extents, and one of them may be 0.
template <class T, int rank>
struct field {
  std::array<std::size_t, 5> extents{};
  std::array<std::size_t, 5> strides{};
  std::vector<T> data;
  owners kept;

  field(std::uint64_t seed, int of_process) {
    std::size_t size = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const auto k = static_cast<std::size_t>(d);
      extents[k] = 2 + random_bits(seed, static_cast<std::uint64_t>(100 * of_process + d)) % (rank == 1 ? 300 : 6);
      strides[k] = size;
      size *= extents[k] + (d == rank - 1 ? 1 : 0);
    }
    if (rank == 1 && of_process == 1) extents[0] = 0;
    data.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      if constexpr (std::is_integral_v<T>) {
        data[i] = static_cast<T>(random_bits(seed + 1 + static_cast<std::uint64_t>(of_process), i) % 41) - 20;
      } else {
        data[i] = element<T>(distribution::wide, seed + 1 + static_cast<std::uint64_t>(of_process), i, size);
      }
    }
  }
  array_of<T, rank> view() { return over<T, rank>(there(data, kept), extents, strides); }
  /// Calls use(value, indices) for each element between the range's ends.
  void for_each(const std::vector<std::int32_t>& range, const std::function<void(T, const std::array<std::size_t, 5>&)>& use) const {
    std::array<std::size_t, 5> at{};
    const std::function<void(int, std::size_t)> walk = [&](int d, std::size_t offset) {
      if (d == rank) return use(data[offset], at);
      const auto k = static_cast<std::size_t>(d);
      const std::int64_t begin = range.empty() ? 0 : range[2 * k];
      const std::int64_t end = range.empty() ? static_cast<std::int64_t>(extents[k]) : range[2 * k + 1] + std::int64_t{1};
      for (std::int64_t i = begin; i < end; ++i) {
        at[k] = static_cast<std::size_t>(i);
        walk(d + 1, offset + at[k] * strides[k]);
      }
    };
    walk(0, 0);
  }
};

/// Whether there is a device, if one is wanted.
bool can_read() {
  try {
    field<double, 1>(1, 0).view();
  } catch (const accrue::error&) {
    return false;
  }
  return true;
}

template <class T>
T rounded(const oracle& sum) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(sum.round<double>());
  } else {
    return sum.round<T>();
  }
}

template <class T, int rank>
void check(std::uint64_t seed) {
  const int mine = rank_of();
  for (const bool whole : {true, false}) {
    std::vector<std::int32_t> range;  // the same on every rank: all extents are two or more
    if (!whole) {
      for (int d = 0; d < rank; ++d) {
        range.push_back(d % 2);
        range.push_back(1);
      }
      if (rank == 1) continue;  // where one rank has no elements
    }
    accrue::drop_in::index_range given = whole ? nullptr : &range;
    oracle sum, products, other_sum, masked, masked_cells;
    T least = std::numeric_limits<T>::max();
    T most = std::numeric_limits<T>::lowest();
    const auto is_taken = [&](std::size_t i, std::size_t j) { return random_bits(seed + 99, 10 * i + j) % 3 != 0; };
    for (int p = 0; p < ranks_of(); ++p) {
      const field<T, rank> x(seed, p);
      field<T, rank> y(seed, p);
      for (T& v : y.data) v = static_cast<T>(v / 2 + 1);
      std::vector<T> of_y;
      y.for_each(range, [&](T v, const auto&) { of_y.push_back(v); });
      std::size_t k = 0;
      x.for_each(range, [&](T v, const auto& at) {
        sum.add(static_cast<double>(v));
        other_sum.add(static_cast<double>(of_y[k]));
        products.add_product(static_cast<double>(v), static_cast<double>(of_y[k++]));
        const std::size_t cell = at[rank >= 2 ? rank - 2 : 0];
        if (is_taken(cell, rank >= 2 ? at[rank - 1] : 0)) masked.add(static_cast<double>(v));
        if (is_taken(cell, 7)) masked_cells.add(static_cast<double>(v));
        least = std::min(least, v);
        most = std::max(most, v);
      });
    }
    field<T, rank> x(seed, mine), y(seed, mine);
    for (T& v : y.data) v = static_cast<T>(v / 2 + 1);
    const auto a = x.view();
    const auto b = y.view();
    CAPTURE(rank, whole, seed);
    CHECK(bits(globalSum(a, MPI_COMM_WORLD, given)) == bits(rounded<T>(sum)));
    CHECK(bits(globalSum(a, b, MPI_COMM_WORLD, given)) == bits(rounded<T>(products)));
    const std::vector<std::remove_const_t<decltype(a)>> several{a, b, a}, others{b, b, a};
    CHECK(globalSum(several, MPI_COMM_WORLD, given) == std::vector<T>{rounded<T>(sum), rounded<T>(other_sum), rounded<T>(sum)});
    CHECK(bits(globalSum(several, others, MPI_COMM_WORLD, given)[0]) == bits(rounded<T>(products)));
    CHECK(bits(globalMinVal(a, MPI_COMM_WORLD, given)) == bits(least));
    CHECK(bits(globalMaxVal(a, MPI_COMM_WORLD, given)) == bits(most));

    std::array<std::size_t, 5> cells{}, levels{};
    cells[0] = rank >= 2 ? x.extents[rank - 2] : x.extents[0];
    levels[0] = cells[0];
    levels[1] = rank >= 2 ? x.extents[rank - 1] : 1;
    std::vector<std::int32_t> of_cells(cells[0] + 1), of_levels(levels[0] * levels[1] + 1);
    for (std::size_t i = 0; i < cells[0]; ++i) {
      of_cells[i] = is_taken(i, 7) ? 1 : 0;
      for (std::size_t j = 0; j < levels[1]; ++j) of_levels[i * levels[1] + j] = is_taken(i, j) ? 2 : 0;
    }
    owners kept;
    const auto cell_mask = over<std::int32_t, 1>(there(of_cells, kept), cells, {1});
    CHECK(bits(globalMaskedSum(a, cell_mask, MPI_COMM_WORLD, given)) == bits(rounded<T>(masked_cells)));
    if constexpr (rank >= 2) {
      const auto mask = over<std::int32_t, 2>(there(of_levels, kept), levels, {levels[1], 1});
      CHECK(bits(globalMaskedSum(a, mask, MPI_COMM_WORLD, given)) == bits(rounded<T>(masked)));
    }
  }
}

}  // namespace

#if defined(ACCRUE_TEST_HOOK)  // whose kernels take long to compile
using element_types = std::tuple<double, std::int32_t>;
#else
using element_types = std::tuple<double, float, std::int32_t, std::int64_t>;
#endif
TEMPLATE_LIST_TEST_CASE("globalSum of arrays of rank 1 to 5", "[global_sum][many_messages]", element_types) {
  if (!can_read()) SKIP("no device");
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    check<TestType, 1>(seed);
    check<TestType, 2>(seed);
    check<TestType, 3>(seed);
    check<TestType, 4>(seed);
    check<TestType, 5>(seed);
  }
}

TEST_CASE("globalSum as the page on ranks shows it", "[global_sum]") {
  if (!can_read()) SKIP("no device");
  field<double, 2> temperature(5, rank_of()), volume(5, rank_of());
  const auto t = temperature.view();
  const auto v = volume.view();
  std::vector<std::int32_t> ocean(temperature.extents[0], 1);
  owners kept;
  const auto is_ocean = over<std::int32_t, 1>(there(ocean, kept), {ocean.size()}, {1});
  const MPI_Comm comm = MPI_COMM_WORLD;
  //! [global_sum]
  const std::vector<std::int32_t> owned{0, 1, 0, 1};           // first and last cell, first and last level
  double heat  = globalSum(t, v, comm, &owned);                // the sum of t * v, with all bits of each product, rounded once
  double mean  = globalMaskedSum(t, is_ocean, comm) / globalSum(double(t.extent(0) * t.extent(1)), comm);
  auto several = globalSum(std::vector{t, v}, comm, &owned);   // several fields: one exchange
  //! [global_sum]
  CHECK(several[0] == globalSum(t, comm, &owned));
  CHECK((heat == globalSum(v, t, comm, &owned) && mean == mean));
}

TEST_CASE("globalSum of numbers, and what all ranks are told", "[global_sum]") {
  if (!can_read()) SKIP("no device");
  const int mine = rank_of();
  const int all = ranks_of();
  CHECK(globalSum(mine + 0.5, MPI_COMM_WORLD) == all * (all - 1) / 2 + 0.5 * all);
  CHECK(globalSum(std::vector<std::int32_t>{1, mine}, MPI_COMM_WORLD) == std::vector<std::int32_t>{all, all * (all - 1) / 2});
  CHECK(globalMinVal(mine, MPI_COMM_WORLD) == 0);
  CHECK(globalMaxVal(mine, MPI_COMM_WORLD) == all - 1);
  const auto code = [](const auto& f) {
    try {
      f();
    } catch (const accrue::error& e) {
      return e.code();
    }
    return accrue::errc::success;
  };
  field<double, 2> x(3, mine);
  const auto a = x.view();
  const std::vector<std::int32_t> short_one{0, 1, 0}, beyond{0, mine == 0 ? 99 : 1, 0, 1}, none{1, 0, 0, 1};
  CHECK(code([&] { globalSum(a, MPI_COMM_WORLD, &short_one); }) == accrue::errc::size_mismatch);
  CHECK(code([&] { globalSum(a, MPI_COMM_WORLD, &beyond); }) == accrue::errc::out_of_range);  // of rank 0 alone: all are told
  CHECK(globalSum(a, MPI_COMM_WORLD, &none) == 0);
  CHECK(code([&] { globalMinVal(a, MPI_COMM_WORLD, &none); }) == accrue::errc::empty_range);
  CHECK(code([&] { globalSum(std::numeric_limits<std::int32_t>::max(), MPI_COMM_WORLD); }) ==
        (all > 1 ? accrue::errc::integer_overflow : accrue::errc::success));
}
