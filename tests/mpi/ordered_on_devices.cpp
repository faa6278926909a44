// SPDX-License-Identifier: BSD-3-Clause
// Ordered reductions of ranks whose data are on a device: the bits of all elements one rank after the other.
#include ACCRUE_TEST_HOOK

#include <accrue/mpi.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <span>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"
#include "own_rank.hpp"

using namespace test;

namespace {

using accrue::ordered;

/// Sums in the order of the tree, for which no name exists.
struct alternating_sum {
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
  on_all_splits<double>(ranks.space, 50001, 1, [&](const auto& x, const auto& y, const auto& all, const auto& more) {
    CHECK(bits(accrue::reduce(ranks, x, alternating_sum{})) == bits(accrue::reduce(one, all, alternating_sum{})));
    const accrue::product_of<double> product{};
    CHECK(bits(accrue::transform_reduce(ranks, x, product, near_one{})) == bits(accrue::transform_reduce(one, all, product, near_one{})));
    const accrue::sum_of<double, double, accrue::ordered_t> sum{};
    CHECK(bits(accrue::transform_reduce(ranks, x, sum, squared_less_one{})) ==
          bits(accrue::transform_reduce(one, all, sum, squared_less_one{})));
    CHECK(bits(accrue::transform_reduce(ranks, x, y, sum, of_two{})) == bits(accrue::transform_reduce(one, all, more, sum, of_two{})));
  });
}

TEST_CASE("ordered groupings of ranks on devices, and what a rank cannot reduce") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, hook::make());
  const std::size_t groups = 3;
  const std::size_t each = 5000;
  const auto own = sequence<double>(distribution::uniform, static_cast<std::uint64_t>(rank_of()), groups * each);
  const hook::array<double> x(ranks.space, own);
  const hook::array<double> sums(ranks.space, std::vector<double>(groups));
  const auto rows = accrue::rows(accrue::view(x.get().data(), groups, each, each));
  accrue::sum(ranks, rows, std::span(const_cast<double*>(sums.get().data()), groups), ordered);
  const auto got = sums.host();
  for (std::size_t k = 0; k < groups; ++k) {
    std::vector<double> all;
    for (int r = 0; r < ranks_of(); ++r) {
      const auto of_rank = sequence<double>(distribution::uniform, static_cast<std::uint64_t>(r), groups * each);
      all.insert(all.end(), of_rank.begin() + static_cast<std::ptrdiff_t>(k * each), of_rank.begin() + static_cast<std::ptrdiff_t>((k + 1) * each));
    }
    CHECK(bits(got[k]) == bits(accrue::sum(accrue::serial{}, all, ordered)));
  }
  const double* const nothing = rank_of() == ranks_of() - 1 ? nullptr : x.get().data();
  try {
    (void)accrue::sum(ranks, nothing, each, ordered);
    FAIL("a rank without data");
  } catch (const accrue::error& e) {
    CHECK(e.code() == accrue::errc::null_data);
  }
}
