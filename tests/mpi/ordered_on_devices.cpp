// SPDX-License-Identifier: BSD-3-Clause
// Ordered reductions of ranks whose data are on a device: the bits of all elements one rank after the other.
#include ACCRUE_TEST_HOOK

#include <accrue/mpi.hpp>
#include <catch2/catch_test_macros.hpp>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"
#include "own_rank.hpp"

using namespace test;

namespace {

using accrue::ordered;

/// Sums in the order of the tree, for which no name exists.
struct alternating_sum final {
  struct state {
    double sum;
    double last;
  };
  constexpr state start() const { return {0, 1}; }
  constexpr void fold(state& s, double x) const { s = {s.sum + s.last * x, -s.last}; }
  constexpr void merge(state& a, const state& b) const { a = {a.sum + a.last * b.sum, a.last * b.last}; }
  constexpr double finish(const state& s) const { return s.sum * 2; }
};
struct squared_less_one {
  constexpr double operator()(double x) const { return x * x - 1; }
};
struct near_one {
  constexpr double operator()(double x) const { return 1 + x / 4096; }
};
struct moved_by {  // which each rank's own data may be by another distance
  double distance;
  constexpr double operator()(double x) const { return x + distance; }
};
struct weighted_by {
  double weight;
  constexpr double operator()(double x, double y) const { return weight * x * y; }
  constexpr double operator()(double x, double y, double z) const { return weight * x * y - z; }
};
struct of_three {
  constexpr double operator()(double x, double y, double z) const { return x * y - z; }
};
struct to_bfloat16 {
  float distance;
  constexpr accrue::bfloat16 operator()(accrue::bfloat16 x) const { return accrue::bfloat16(static_cast<float>(x) + distance); }
};
struct of_two {
  constexpr double operator()(double x, double y) const { return x * x - y; }
};

bool device_is_there() {
  try {
    const hook::array<double> x(hook::make(), std::vector<double>(1));
    return true;
  } catch (const accrue::error&) {
    return false;
  }
}

template <class T>
std::vector<T> elements(distribution kind, std::uint64_t seed, std::size_t n) {
  if constexpr (accrue::complex_number<T>) {
    const auto parts = sequence<typename T::value_type>(kind, seed, 2 * n);
    std::vector<T> z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = {parts[2 * i], parts[2 * i + 1]};
    return z;
  } else {
    return sequence<T>(kind, seed, n);
  }
}
/// Where each rank's elements begin, and the last one's end: even, all on one rank, few on the first ones, none on some.
std::vector<std::size_t> cuts(std::size_t n, int kind) {
  const auto ranks = static_cast<std::size_t>(ranks_of());
  std::vector<std::size_t> at(ranks + 1, n);
  for (std::size_t r = 0; r < ranks; ++r) {
    at[r] = kind == 0 ? n / ranks * r : kind == 1 ? (r <= ranks / 2 ? 0 : n) : kind == 2 ? std::min(n, 700 * r) : n - n / (r + 1);
  }
  return at;
}

/// Calls check(views of this rank's part in device memory, elements apart from each other; all elements on the host).
template <class T, class Check>
void on_all_splits(accrue::execution_space auto const& space, std::size_t n, std::size_t apart, const Check& check) {
  const auto all = elements<T>(distribution::uniform, n + apart, n);
  const auto more = elements<T>(distribution::normal, n + apart + 1, n);
  for (int kind = 0; kind < 4; ++kind) {
    INFO(n << " elements, split " << kind << ", " << apart << " apart");
    const auto at = cuts(n, kind);
    const auto rank = static_cast<std::size_t>(rank_of());
    const std::size_t size = at[rank + 1] - at[rank];
    const auto spread = [&](const std::vector<T>& x) {
      std::vector<T> some(size * apart);
      for (std::size_t i = 0; i < size; ++i) some[i * apart] = x[at[rank] + i];
      return some;
    };
    const hook::array<T> x(space, spread(all));
    const hook::array<T> y(space, spread(more));
    const auto stride = static_cast<std::ptrdiff_t>(apart);
    check(accrue::view(x.get().data(), size, stride), accrue::view(y.get().data(), size, stride), all, more);
  }
}

}  // namespace

TEST_CASE("ordered reductions of ranks on devices") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const accrue::serial one;
  for (const std::size_t n : {1u, 4096u, 9000u, 40000u, 150001u}) {
    for (const std::size_t apart : {1u, 3u}) {
      on_all_splits<double>(ranks.space, n, apart, [&](const auto& x, const auto& y, const auto& all, const auto& more) {
        CHECK(bits(accrue::sum(ranks, x, ordered)) == bits(accrue::sum(one, all, ordered)));
        CHECK(bits(accrue::norm2(ranks, x, ordered)) == bits(accrue::norm2(one, all, ordered)));
        CHECK(bits(accrue::mean(ranks, x, ordered)) == bits(accrue::mean(one, all, ordered)));
        CHECK(bits(accrue::dot(ranks, x, y, ordered)) == bits(accrue::dot(one, all, more, ordered)));
        const auto scaled = accrue::scaled_product(ranks, x);
        const auto expected = accrue::scaled_product(one, all);
        CHECK((scaled.significand == expected.significand && scaled.exponent == expected.exponent));
      });
    }
  }
  on_all_splits<double>(ranks.space, 700, 12, [&](const auto& x, const auto& y, const auto& all, const auto& more) {  // far apart
    CHECK(bits(accrue::dot(ranks, x, y, ordered)) == bits(accrue::dot(one, all, more, ordered)));
  });
  on_all_splits<float>(ranks.space, 30000, 1, [&](const auto& x, const auto& y, const auto& all, const auto& more) {
    CHECK(bits(accrue::sum(ranks, x, ordered)) == bits(accrue::sum(one, all, ordered)));
    CHECK(bits(accrue::dot(ranks, x, y, ordered)) == bits(accrue::dot(one, all, more, ordered)));
  });
  on_all_splits<accrue::bfloat16>(ranks.space, 30000, 2, [&](const auto& x, const auto&, const auto& all, const auto&) {
    CHECK(bits(accrue::sum(ranks, x, ordered)) == bits(accrue::sum(one, all, ordered)));
    CHECK(bits(accrue::mean(ranks, x, ordered)) == bits(accrue::mean(one, all, ordered)));
  });
  on_all_splits<std::complex<double>>(ranks.space, 30000, 1, [&](const auto& x, const auto& y, const auto& all, const auto& more) {
    CHECK(accrue::sum(ranks, x, ordered) == accrue::sum(one, all, ordered));
    CHECK(bits(accrue::norm2(ranks, x, ordered)) == bits(accrue::norm2(one, all, ordered)));
    CHECK(accrue::dot_conjugated(ranks, x, y, ordered) == accrue::dot_conjugated(one, all, more, ordered));
  });
}

TEST_CASE("ordered reductions of ranks on devices: reducers and functions of the caller's") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const accrue::serial one;
  const accrue::sum_of<double, double, accrue::ordered_t> sum{};
  on_all_splits<double>(ranks.space, 50001, 1, [&](const auto& x, const auto& y, const auto& all, const auto& more) {
    CHECK(bits(accrue::reduce(ranks, x, alternating_sum{})) == bits(accrue::reduce(one, all, alternating_sum{})));
    const accrue::product_of<double> product{};
    CHECK(bits(accrue::transform_reduce(ranks, x, product, near_one{})) == bits(accrue::transform_reduce(one, all, product, near_one{})));
    CHECK(bits(accrue::transform_reduce(ranks, x, sum, squared_less_one{})) ==
          bits(accrue::transform_reduce(one, all, sum, squared_less_one{})));
    CHECK(bits(accrue::transform_reduce(ranks, x, y, sum, of_two{})) == bits(accrue::transform_reduce(one, all, more, sum, of_two{})));
    CHECK(bits(accrue::transform_reduce(ranks, sum, of_three{}, x, y, x)) ==
          bits(accrue::transform_reduce(one, sum, of_three{}, all, more, all)));
  });
}

TEST_CASE("ordered reductions of ranks on devices: functions with captures") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const accrue::serial one;
  const accrue::sum_of<double, double, accrue::ordered_t> sum{};
  const auto distance_of = [](int rank) { return 0.1 * (rank + 1); };
  on_all_splits<double>(ranks.space, 4500, 2, [&](const auto& x, const auto&, const auto& all, const auto&) {
    std::vector<double> moved(all);  // by what each rank's function has, whoever adds
    for (std::size_t rank = 0, i = 0; rank < static_cast<std::size_t>(ranks_of()); ++rank) {
      std::uint64_t size = x.size();
      MPI_Bcast(&size, 1, MPI_UINT64_T, static_cast<int>(rank), MPI_COMM_WORLD);
      for (std::size_t k = 0; k < size; ++k, ++i) moved[i] += distance_of(static_cast<int>(rank));
    }
    CHECK(bits(accrue::transform_reduce(ranks, x, sum, moved_by{distance_of(rank_of())})) == bits(accrue::sum(one, moved, ordered)));
  });
  on_all_splits<double>(ranks.space, 700, 1, [&](const auto& x, const auto& y, const auto& all, const auto& more) {
    const weighted_by f{0.3};
    CHECK(bits(accrue::transform_reduce(ranks, x, y, sum, f)) == bits(accrue::transform_reduce(one, all, more, sum, f)));
    CHECK(bits(accrue::transform_reduce(ranks, sum, f, x, y, x)) == bits(accrue::transform_reduce(one, sum, f, all, more, all)));
  });
  using T = accrue::bfloat16;
  on_all_splits<T>(ranks.space, 700, 1, [&](const auto& x, const auto&, const auto& all, const auto&) {
    const accrue::sum_of<T, float, accrue::ordered_t> of_narrow{};
    const to_bfloat16 f{0.5f};
    CHECK(bits(accrue::transform_reduce(ranks, x, of_narrow, f)) == bits(accrue::transform_reduce(one, all, of_narrow, f)));
  });
}

TEST_CASE("ordered reductions of ranks on devices: fuse of ordered reducers and others") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const accrue::serial one;
  const auto several = accrue::fuse(accrue::sum_of<double, double, accrue::ordered_t>{}, accrue::argmin_of<double>{},
                                    accrue::sum_of<double>{}, alternating_sum{});
  const auto check = [&](const auto& got, const auto& expected) {
    CHECK(bits(std::get<0>(got)) == bits(std::get<0>(expected)));
    CHECK(bits(std::get<1>(got).value) == bits(std::get<1>(expected).value));
    CHECK(std::get<1>(got).index == std::get<1>(expected).index);
    CHECK(bits(std::get<2>(got)) == bits(std::get<2>(expected)));
    CHECK(bits(std::get<3>(got)) == bits(std::get<3>(expected)));
  };
  for (const std::size_t n : {1u, 4096u, 50001u}) {
    on_all_splits<double>(ranks.space, n, 1, [&](const auto& x, const auto&, const auto& all, const auto&) {
      check(accrue::reduce(ranks, x, several), accrue::reduce(one, all, several));
      check(accrue::transform_reduce(ranks, x, several, squared_less_one{}),
            accrue::transform_reduce(one, all, several, squared_less_one{}));
    });
  }
  using T = accrue::bfloat16;
  on_all_splits<T>(ranks.space, 30000, 2, [&](const auto& x, const auto&, const auto& all, const auto&) {
    const auto two = accrue::fuse(accrue::mean_of<T, float, accrue::ordered_t>{}, accrue::max_of<T>{});
    const auto got = accrue::reduce(ranks, x, two);
    const auto expected = accrue::reduce(one, all, two);
    CHECK(bits(std::get<0>(got)) == bits(std::get<0>(expected)));
    CHECK(bits(std::get<1>(got)) == bits(std::get<1>(expected)));
  });
}

TEST_CASE("ordered reductions of ranks with devices and ranks without") {
  if (!device_is_there()) SKIP("no device");
  const std::size_t n = 30001;
  const auto all = elements<double>(distribution::uniform, 1, n);
  const auto more = elements<double>(distribution::normal, 2, n);
  const accrue::serial one;
  for (int kind = 0; kind < 4; ++kind) {
    const auto at = cuts(n, kind);
    const auto rank = static_cast<std::size_t>(rank_of());
    const auto mine = [&](const std::vector<double>& x) { return std::span(x).subspan(at[rank], at[rank + 1] - at[rank]); };
    const auto check = [&](const auto& ranks, const auto& x, const auto& y) {
      const accrue::sum_of<double, double, accrue::ordered_t> sum{};
      CHECK(bits(accrue::dot(ranks, x, y, ordered)) == bits(accrue::dot(one, all, more, ordered)));
      CHECK(bits(accrue::transform_reduce(ranks, x, sum, squared_less_one{})) ==
            bits(accrue::transform_reduce(one, all, sum, squared_less_one{})));
      CHECK(bits(accrue::transform_reduce(ranks, x, y, sum, of_two{})) == bits(accrue::transform_reduce(one, all, more, sum, of_two{})));
      CHECK(bits(accrue::transform_reduce(ranks, x, sum, moved_by{0.7})) == bits(accrue::transform_reduce(one, all, sum, moved_by{0.7})));
      const auto several = accrue::fuse(sum, accrue::argmin_of<double>{}, accrue::sum_of<double>{});
      CHECK(accrue::reduce(ranks, x, several) == accrue::reduce(one, all, several));
      const auto scaled = accrue::scaled_product_difference(ranks, x, y);
      const auto expected = accrue::scaled_product_difference(one, all, more);
      CHECK((scaled.significand == expected.significand && scaled.exponent == expected.exponent));
    };
    if ((rank + static_cast<std::size_t>(kind)) % 2 == 0) {
      check(accrue::mpi(MPI_COMM_WORLD, one), mine(all), mine(more));
    } else {
      const auto space = hook::make();
      const hook::array<double> x(space, mine(all));
      const hook::array<double> y(space, mine(more));
      check(accrue::mpi(MPI_COMM_WORLD, space), x.get(), y.get());
    }
  }
}

namespace {

/// Checks an ordered reduction of groups, for each of which `in_group(k)` gives the places of its elements among a rank's.
template <class T, class R, class Make, class InGroup>
void check_groups(const R& reducer, std::size_t n, std::size_t groups, const Make& make, const InGroup& in_group) {
  using result = decltype(accrue::reduce(accrue::serial{}, std::vector<T>{}, reducer));
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const auto of_rank = [&](int r) { return elements<T>(distribution::uniform, static_cast<std::uint64_t>(r), n); };
  const hook::array<T> x(ranks.space, of_rank(rank_of()));
  const std::unique_ptr<result[]> zeros(new result[groups]());
  const hook::array<result> results(ranks.space, std::span<const result>(zeros.get(), groups));
  accrue::reduce(ranks, make(x.get()), reducer, const_cast<result*>(results.get().data()));
  const auto got = results.host();
  for (std::size_t k = 0; k < groups; ++k) {
    std::vector<T> all;
    for (int r = 0; r < ranks_of(); ++r) {
      const auto own = of_rank(r);
      for (const std::size_t i : in_group(k)) all.push_back(own[i]);
    }
    CHECK(got[k] == accrue::reduce(accrue::serial{}, all, reducer));
  }
}
/// As an mdspan of rank 2, stored by rows.
struct matrix_of_rows {
  const double* p;
  std::size_t extents[2];
  static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::size_t stride(std::size_t d) const { return d == 0 ? extents[1] : 1; }
  [[nodiscard]] const double* data_handle() const { return p; }
};
/// As an mdspan of rank 3, of matrices whose columns are stored one behind the other.
struct blocks_of_columns {
  const double* p;
  std::size_t extents[3];
  static constexpr std::size_t rank() { return 3; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::size_t stride(std::size_t d) const { return d == 0 ? extents[1] * extents[2] : d == 1 ? 1 : extents[1]; }
  [[nodiscard]] const double* data_handle() const { return p; }
};
std::vector<std::size_t> places(std::size_t first, std::size_t count, std::size_t apart) {
  std::vector<std::size_t> at(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = first + i * apart;
  return at;
}

}  // namespace

TEST_CASE("ordered groupings of ranks on devices") {
  if (!device_is_there()) SKIP("no device");
  const std::size_t groups = 3;
  const std::size_t each = 5000;
  const std::size_t n = groups * each;
  const accrue::sum_of<double, double, accrue::ordered_t> sum{};
  const auto as_rows = [&](const auto& x) { return accrue::rows(accrue::view(x.data(), groups, each, static_cast<std::ptrdiff_t>(each))); };
  const auto row = [&](std::size_t k) { return places(k * each, each, 1); };
  const auto column = [&](std::size_t k) { return places(k, each, groups); };
  check_groups<double>(sum, n, groups, as_rows, row);
  check_groups<accrue::bfloat16>(accrue::sum_of<accrue::bfloat16, float, accrue::ordered_t>{}, n, groups, as_rows, row);
  const auto matrix = [&](const auto& x) { return matrix_of_rows{x.data(), {each, groups}}; };
  check_groups<double>(sum, n, groups, [&](const auto& x) { return accrue::columns(matrix(x)); }, column);
  check_groups<double>(sum, n, groups, [&](const auto& x) { return accrue::axis<0>(matrix(x)); }, column);
  std::vector<blocks_of_columns> arrays;
  const auto as_batch = [&](const auto& x) {
    arrays = {{x.data(), {1, 5, 1000}}, {x.data() + each, {1, 1000, 5}}, {x.data() + 2 * each, {1, 1, each}}};
    return accrue::batch(arrays);
  };
  check_groups<double>(sum, n, groups, as_batch, [&](std::size_t k) {
    std::vector<std::size_t> at;
    const auto& e = arrays[k].extents;
    for (std::size_t i = 0; i < e[1]; ++i) {
      for (std::size_t j = 0; j < e[2]; ++j) at.push_back(k * each + i + j * e[1]);
    }
    return at;
  });
  const std::vector<std::int64_t> offsets{0, 7, 7, static_cast<std::int64_t>(n)};
  const hook::array<std::int64_t> offsets_there(hook::make(), offsets);
  check_groups<double>(sum, n, groups, [&](const auto& x) { return accrue::segments(x, offsets_there.get()); }, [&](std::size_t k) {
    return places(static_cast<std::size_t>(offsets[k]), static_cast<std::size_t>(offsets[k + 1] - offsets[k]), 1);
  });
}

TEST_CASE("ordered reductions of ranks on devices: arrays of rank 3, and fast ones of floats") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const accrue::serial one;
  const std::size_t blocks = 3 + static_cast<std::size_t>(rank_of()) % 3;  // of 900 elements, whose columns are stored one behind the other
  const auto of_rank = [](int r) { return elements<double>(distribution::uniform, 70 + static_cast<std::uint64_t>(r), 6000); };
  const hook::array<double> x(ranks.space, of_rank(rank_of()));
  std::vector<double> all;
  for (int r = 0; r < ranks_of(); ++r) {
    const auto own = of_rank(r);
    for (std::size_t i = 0; i < (3 + static_cast<std::size_t>(r) % 3) * 900; ++i) {
      all.push_back(own[i / 900 * 900 + i % 900 / 30 + i % 30 * 30]);
    }
  }
  const blocks_of_columns array{x.get().data(), {blocks, 30, 30}};
  CHECK(bits(accrue::sum(ranks, array, ordered)) == bits(accrue::sum(one, all, ordered)));
  CHECK(bits(accrue::sum(ranks, array)) == bits(accrue::sum(one, all)));

  std::vector<double> moved(all);
  for (double& v : moved) v += 0.3;
  const accrue::sum_of<double, double, accrue::ordered_t> sum{};
  CHECK(bits(accrue::transform_reduce(ranks, array, sum, moved_by{0.3})) == bits(accrue::sum(one, moved, ordered)));

  const std::vector<float> factors{2, 3};
  const hook::array<float> there(ranks.space, factors);
  CHECK(accrue::product(ranks, there.get(), accrue::fast) == std::pow(6.0f, static_cast<float>(ranks_of())));
}

TEST_CASE("ordered groups by keys of ranks on devices") {
  if (!device_is_there()) SKIP("no device");
  const std::size_t n = 1500;  // few, each of which is a group on simulated devices
  const std::size_t groups = 5;
  const std::size_t most = 3;  // has more than a chunk on four ranks; group 1 is empty
  std::vector<std::int16_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int16_t>(i % 7 < 5 ? most : i % 7 == 5 ? i % 2 * 4 : i % 3 == 1 ? 2 : -1);
  const hook::array<std::int16_t> keys_there(hook::make(), keys);
  const auto with_key = [&](std::size_t k) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] == static_cast<int>(k)) at.push_back(i);
    }
    return at;
  };
  const auto by_keys = [&](const auto& x) { return accrue::grouped(x, keys_there.get(), groups, accrue::skip_other_keys); };
  check_groups<double>(accrue::sum_of<double, double, accrue::ordered_t>{}, n, groups, by_keys, with_key);
  check_groups<double>(alternating_sum{}, n, groups, by_keys, with_key);
  check_groups<accrue::bfloat16>(accrue::sum_of<accrue::bfloat16, float, accrue::ordered_t>{}, n, groups, by_keys, with_key);

  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const auto of_rank = [&](int r, std::uint64_t which) {
    return elements<double>(distribution::uniform, 2 * static_cast<std::uint64_t>(r) + which, n);
  };
  const hook::array<double> x(ranks.space, of_rank(rank_of(), 0));
  const hook::array<double> y(ranks.space, of_rank(rank_of(), 1));
  const hook::array<double> results(ranks.space, std::vector<double>(groups));
  const hook::array<bool> flags(ranks.space, std::array<bool, 3>{true, false, true});
  const std::span<double> of_flags(const_cast<double*>(results.get().data()), 2);
  accrue::sum(ranks, accrue::grouped(x.get().first(3), flags.get(), 2), of_flags, ordered);
  const auto by_flag = results.host();
  std::vector<double> middle;
  for (int r = 0; r < ranks_of(); ++r) middle.push_back(of_rank(r, 0)[1]);
  CHECK(bits(by_flag[0]) == bits(accrue::sum(accrue::serial{}, middle, ordered)));
  accrue::dot(ranks, by_keys(x.get()), by_keys(y.get()), std::span<double>(const_cast<double*>(results.get().data()), groups), ordered);
  const auto got = results.host();
  for (std::size_t k = 0; k < groups; ++k) {
    std::vector<double> all_x;
    std::vector<double> all_y;
    for (int r = 0; r < ranks_of(); ++r) {
      const auto own_x = of_rank(r, 0);
      const auto own_y = of_rank(r, 1);
      for (const std::size_t i : with_key(k)) {
        all_x.push_back(own_x[i]);
        all_y.push_back(own_y[i]);
      }
    }
    CHECK(bits(got[k]) == bits(accrue::dot(accrue::serial{}, all_x, all_y, ordered)));
  }
}

TEST_CASE("ordered reductions of ranks on devices: what one rank cannot reduce, all throw") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const accrue::error& e) {
      return e.code();
    }
    return accrue::errc::success;
  };
  const hook::array<double> x(ranks.space, std::vector<double>(5000, 1.0));
  const double* const nothing = rank_of() == ranks_of() - 1 ? nullptr : x.get().data();
  CHECK(code_of([&] { (void)accrue::sum(ranks, nothing, 5000, ordered); }) == accrue::errc::null_data);
  const bool last = rank_of() == ranks_of() - 1;
  const hook::array<std::int64_t> offsets(ranks.space, std::vector<std::int64_t>{0, last ? 9000 : 7, 5000});
  const hook::array<double> out(ranks.space, std::vector<double>(2));
  const std::span<double> results(const_cast<double*>(out.get().data()), 2);
  CHECK(code_of([&] { accrue::sum(ranks, accrue::segments(x.get(), offsets.get()), results, ordered); }) ==
        accrue::errc::out_of_range);
  const hook::array<std::int64_t> empty(ranks.space, std::vector<std::int64_t>{0, 0, 5000});
  const std::size_t here = rank_of() == 0 ? 2 : 0;
  CHECK(code_of([&] { accrue::mean(accrue::to_root(ranks), accrue::segments(x.get(), empty.get()), results.first(here), ordered); }) ==
        accrue::errc::empty_range);
  const hook::array<std::uint32_t> keys(ranks.space, std::vector<std::uint32_t>(5000, last ? 2 : 1));
  CHECK(code_of([&] { accrue::sum(ranks, accrue::grouped(x.get(), keys.get(), 2), results, ordered); }) == accrue::errc::out_of_range);
  CHECK(accrue::sum(ranks, x.get(), ordered) == 5000.0 * ranks_of());
}
