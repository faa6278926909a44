// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose data are on a device: single results and groupings. Several ranks may share a device.
#include <accrue/mpi.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"
#include "own_rank.hpp"

using namespace test;

namespace {

std::size_t own_rank() { return static_cast<std::size_t>(rank_of()); }
std::size_t all_ranks() { return static_cast<std::size_t>(ranks_of()); }

/// A copy of an array in the device's memory.
template <class T>
class on_device {
 public:
  explicit on_device(std::span<const T> x) : size_(x.size()), p_(static_cast<T*>(accrue::cuda{}.allocate((x.size() + 1) * sizeof(T)))) {
    accrue::cuda{}.copy(p_.get(), x.data(), x.size_bytes());
    accrue::cuda{}.synchronize();
  }
  [[nodiscard]] std::span<const T> get() const { return {p_.get(), size_}; }
  [[nodiscard]] std::span<T> writable() const { return {p_.get(), size_}; }
  [[nodiscard]] std::vector<T> copied() const {
    std::vector<T> x(size_);
    accrue::cuda{}.copy(x.data(), p_.get(), size_ * sizeof(T));
    accrue::cuda{}.synchronize();
    return x;
  }

 private:
  struct release {
    void operator()(T* p) const { accrue::cuda{}.deallocate(p); }
  };
  std::size_t size_;
  std::unique_ptr<T, release> p_;
};

bool device_is_there() {
  try {
    const on_device<double> x(std::vector<double>(1));
    return true;
  } catch (const accrue::error&) {
    return false;
  }
}

/// The same number of elements for each of `groups` groups on every rank, which all ranks make alike.
template <class T>
struct shared_groups {
  std::size_t groups;
  std::size_t each;
  std::vector<T> all;  ///< of rank 0, of rank 1, ...

  shared_groups(distribution kind, std::size_t group_count, std::size_t length)
      : groups(group_count), each(length), all(sequence<T>(kind, group_count + length, group_count * length * all_ranks())) {}
  [[nodiscard]] std::span<const T> mine() const { return std::span(all).subspan(own_rank() * groups * each, groups * each); }
  /// Group k of all ranks, its elements `apart` from each other and `between` from those of the next group.
  [[nodiscard]] std::vector<T> group(std::size_t k, std::size_t apart, std::size_t between) const {
    std::vector<T> x;
    for (std::size_t r = 0; r < all_ranks(); ++r) {
      for (std::size_t i = 0; i < each; ++i) x.push_back(all[r * groups * each + k * between + i * apart]);
    }
    return x;
  }
};

/// Checks rows, or columns, of all ranks.
template <bool by_columns, class R>
void check(const R& reducer, const shared_groups<double>& g) {
  const accrue::mpi ranks(MPI_COMM_WORLD, accrue::cuda{});
  using result = decltype(accrue::reduce(accrue::serial{}, g.group(0, 1, 1), reducer));
  const on_device<double> x(g.mine());
  const on_device<result> results(std::vector<result>(g.groups));
  const auto stride = static_cast<std::ptrdiff_t>(by_columns ? g.groups : g.each);
  if constexpr (by_columns) {
    accrue::reduce(ranks, accrue::columns(accrue::view(x.get().data(), g.each, g.groups, stride)), reducer, results.writable());
  } else {
    accrue::reduce(ranks, accrue::rows(accrue::view(x.get().data(), g.groups, g.each, stride)), reducer, results.writable());
  }
  const auto got = results.copied();
  for (std::size_t k = 0; k < g.groups; ++k) {
    CHECK(got[k] == accrue::reduce(accrue::serial{}, by_columns ? g.group(k, g.groups, 1) : g.group(k, 1, g.each), reducer));
  }
}

}  // namespace

TEST_CASE("one result of all ranks' elements on devices") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, accrue::cuda{});
  for (const auto kind : {distribution::uniform, distribution::wide}) {
    for (const std::size_t n : {2u, 1000u, 100003u}) {
      const shared_groups<double> g(kind, 1, n);
      const auto all = g.group(0, 1, 1);
      const on_device<double> x(g.mine());
      CHECK(bits(accrue::sum(ranks, x.get())) == bits(accrue::sum(accrue::serial{}, all)));
      CHECK(bits(accrue::norm2(ranks, x.get())) == bits(accrue::norm2(accrue::serial{}, all)));
      CHECK(accrue::moments(ranks, x.get()) == accrue::moments(accrue::serial{}, all));
      CHECK(accrue::argmin(ranks, x.get()) == accrue::argmin(accrue::serial{}, all));
      auto pending = accrue::dot(accrue::begin(ranks), x.get(), x.get());
      CHECK(bits(pending.get()) == bits(accrue::dot(accrue::serial{}, all, all)));
    }
  }
}

TEST_CASE("groups of all ranks' elements on devices") {
  if (!device_is_there()) SKIP("no device");
  for (const auto kind : {distribution::uniform, distribution::wide}) {
    for (const std::size_t groups : {1u, 7u, 7u, 300u}) {
      const shared_groups<double> g(kind, groups, 1 + 1000 / groups);
      check<false>(accrue::sum_of<double>{}, g);
      check<true>(accrue::sum_of<double>{}, g);
      check<false>(accrue::moments_of<double>{}, g);
      check<false>(accrue::min_of<double>{}, g);
      check<true>(accrue::argmax_of<double>{}, g);
      check<false>(accrue::argminmax_of<double>{}, g);
      check<true>(accrue::fuse(accrue::sum_of<double>{}, accrue::argmin_of<double>{}), g);
    }
  }
}

TEST_CASE("segments, keys, products and shares of ranks with devices") {
  if (!device_is_there()) SKIP("no device");
  const accrue::mpi ranks(MPI_COMM_WORLD, accrue::cuda{});
  const std::size_t n = 5000;
  const shared_groups<double> g(distribution::wide, 1, n);
  const on_device<double> x(g.mine());
  std::vector<std::int64_t> offsets{0, 0, 17, 1000, 4999, 5000};
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i * 7919 % 5);
  const on_device<std::int64_t> offsets_there(offsets);
  const on_device<std::int32_t> keys_there(keys);
  const on_device<double> out(std::vector<double>(5));
  const auto elements = [&](const auto& in_group) {
    std::vector<double> some;
    for (std::size_t r = 0; r < all_ranks(); ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        if (in_group(i)) some.push_back(g.all[r * n + i]);
      }
    }
    return some;
  };
  const auto key_of = [&](std::size_t k) { return elements([&](std::size_t i) { return keys[i] == static_cast<std::int32_t>(k); }); };

  accrue::sum(ranks, accrue::segments(x.get(), offsets_there.get()), out.writable());
  auto got = out.copied();
  for (std::size_t k = 0; k < 5; ++k) {
    const auto all = elements([&](std::size_t i) {
      return static_cast<std::int64_t>(i) >= offsets[k] && static_cast<std::int64_t>(i) < offsets[k + 1];
    });
    CHECK(bits(got[k]) == bits(accrue::sum(accrue::serial{}, all)));
  }
  accrue::sum(ranks, accrue::grouped(x.get(), keys_there.get(), 5), out.writable());
  got = out.copied();
  for (std::size_t k = 0; k < 5; ++k) CHECK(bits(got[k]) == bits(accrue::sum(accrue::serial{}, key_of(k))));
  const auto rows = accrue::rows(accrue::view(x.get().data(), 5, n / 5, static_cast<std::ptrdiff_t>(n / 5)));
  accrue::dot(ranks, rows, rows, out.writable());
  got = out.copied();
  for (std::size_t k = 0; k < 5; ++k) {
    const auto all = elements([&](std::size_t i) { return i / (n / 5) == k; });
    CHECK(bits(got[k]) == bits(accrue::dot(accrue::serial{}, all, all)));
  }

  const auto shares = accrue::scattered(ranks);
  const auto here = shares.here(5);
  accrue::sum(shares, accrue::grouped(x.get(), keys_there.get(), 5), out.writable().first(here.size()));
  got = out.copied();
  for (std::size_t k = here.begin; k < here.end; ++k) CHECK(bits(got[k - here.begin]) == bits(accrue::sum(accrue::serial{}, key_of(k))));
  accrue::sum(accrue::to_root(ranks, 0), accrue::grouped(x.get(), keys_there.get(), 5), out.writable());
  got = out.copied();
  if (rank_of() == 0) {
    for (std::size_t k = 0; k < 5; ++k) CHECK(bits(got[k]) == bits(accrue::sum(accrue::serial{}, key_of(k))));
  }

  const on_device<accrue::position<double>> places(std::vector<accrue::position<double>>(5));
  accrue::argmin(ranks, accrue::grouped(x.get(), keys_there.get(), 5), places.writable());
  auto found = places.copied();
  for (std::size_t k = 0; k < 5; ++k) CHECK(found[k] == accrue::argmin(accrue::serial{}, key_of(k)));
  const auto first_end = [&](std::size_t rank) { return rank == 0 && all_ranks() > 1 ? 0 : 5; };  // none on one rank
  const std::vector<std::int32_t> own_offsets{0, first_end(own_rank()), 17, 1000, 4999, 5000};
  const on_device<std::int32_t> own_offsets_there(own_offsets);
  accrue::argmax(ranks, accrue::segments(x.get(), own_offsets_there.get()), places.writable());
  found = places.copied();
  for (std::size_t k = 0; k < 5; ++k) {
    std::vector<double> all;
    for (std::size_t r = 0; r < all_ranks(); ++r) {
      const std::int32_t ends[] = {0, first_end(r), 17, 1000, 4999, 5000};
      all.insert(all.end(), &g.all[r * n] + ends[k], &g.all[r * n] + ends[k + 1]);
    }
    CHECK(found[k] == accrue::argmax(accrue::serial{}, all));
  }
  accrue::min(ranks, accrue::segments(x.get(), own_offsets_there.get()), out.writable());
  got = out.copied();
  for (std::size_t k = 0; k < 5; ++k) CHECK((got[k] <= found[k].value && std::isfinite(got[k])));
  accrue::errc code = accrue::errc::success;
  try {  // offsets of one rank that are wrong, which its device finds
    offsets[2] = rank_of() == 0 ? 6000 : 17;
    const on_device<std::int64_t> wrong(offsets);
    accrue::sum(ranks, accrue::segments(x.get(), wrong.get()), out.writable());
  } catch (const accrue::error& e) {
    code = e.code();
  }
  CHECK(code == accrue::errc::out_of_range);
  CHECK(bits(accrue::sum(ranks, x.get())) == bits(accrue::sum(accrue::serial{}, g.group(0, 1, 1))));
}
