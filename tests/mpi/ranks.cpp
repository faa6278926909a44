// SPDX-License-Identifier: BSD-3-Clause
// What ranks alone have: what they agree on, mistakes of one of them, reductions under way, communicators.
#include <accrue/mpi.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"
#include "own_rank.hpp"

using namespace test;

namespace {

/// The calling rank's part of n elements, of different lengths.
std::pair<std::size_t, std::size_t> part(std::size_t n) {
  const auto rank = static_cast<std::size_t>(rank_of());
  const auto size = static_cast<std::size_t>(ranks_of());
  const auto cut = [&](std::size_t r) { return r == size ? n : r == 0 ? 0 : n / size * r + n / (3 * size) * (r % 2); };
  return {cut(rank), cut(rank + 1)};
}
template <class T>
std::span<const T> mine(const std::vector<T>& all) {
  const auto [first, end] = part(all.size());
  return std::span(all).subspan(first, end - first);
}
struct failure {
  accrue::errc code = accrue::errc::success;
  std::string what;
};
template <class Run>
failure failure_of(const Run& run) {
  try {
    run();
  } catch (const accrue::error& e) {
    return {e.code(), e.what()};
  }
  return {};
}
struct throws_on_last {
  double operator()(double x) const {
    if (rank_of() == ranks_of() - 1) throw std::runtime_error("a function that fails");
    return x;
  }
};

struct merge_throws {
  struct state {
    double sum = 0;
  };
  static constexpr bool order_free = true;
  state start() const { return {}; }
  void fold(state& s, double x) const { s.sum += x; }
  void merge(state& a, const state& b) const {
    if (a.sum != 0 && b.sum != 0) throw std::runtime_error("a merge that fails");
    a.sum += b.sum;
  }
  double finish(const state& s) const { return s.sum; }
};

}  // namespace

TEST_CASE("a rank's mistake is every rank's error, and the next call works") {
  const accrue::mpi ranks;
  const int last = ranks_of() - 1;
  const bool bad = rank_of() == last;
  const std::vector<double> x(100, 1.5);
  const std::string on_last = "(on rank " + std::to_string(last) + ")";
  const auto check = [&](accrue::errc code, const std::string& text, const auto& run) {
    const failure f = failure_of(run);
    CHECK(f.code == code);
    CHECK(f.what.find(text) != std::string::npos);
    CHECK(accrue::sum(ranks, x) == 150.0 * ranks_of());
  };
  const double* const data = bad ? nullptr : x.data();
  check(accrue::errc::null_data, on_last, [&] { (void)accrue::sum(ranks, data, x.size()); });
  check(accrue::errc::null_data, on_last, [&] { (void)accrue::sum(ranks, data, x.size(), accrue::ordered); });
  check(accrue::errc::size_mismatch, on_last, [&] { (void)accrue::dot(ranks, x, std::span(x).first(bad ? 99 : 100)); });
  check(accrue::errc::internal, on_last, [&] { (void)accrue::transform_reduce(ranks, x, accrue::plus{}, throws_on_last{}); });
  check(accrue::errc::internal, on_last, [&] {
    (void)accrue::reduce(ranks, x | std::views::transform(throws_on_last{}), accrue::sum_of<double, double, accrue::ordered_t>{});
  });
  const auto matrix = accrue::view(x.data(), 10, 10, 10);
  std::vector<double> out(bad ? 9 : 10);
  check(accrue::errc::size_mismatch, on_last, [&] { accrue::sum(ranks, accrue::rows(matrix), out); });
  out.resize(10);
  const std::vector<int> offsets{0, 50, bad ? 40 : 70, 100};
  std::vector<double> three(3);
  check(accrue::errc::out_of_range, on_last, [&] { accrue::sum(ranks, accrue::segments(x, offsets), three); });
  check(accrue::errc::size_mismatch, on_last,
        [&] { (void)accrue::transform_reduce(ranks, x, std::span(x).first(bad ? 99 : 100), accrue::plus{}, std::multiplies<>{}); });
  check(accrue::errc::size_mismatch, on_last,
        [&] { (void)accrue::dot(accrue::begin(ranks), x, std::span(x).first(bad ? 99 : 100)).get(); });
  double one = 0;
  check(accrue::errc::null_data, on_last, [&] { accrue::reduce_into(ranks, x, accrue::sum_of<double>{}, bad ? nullptr : &one); });
  check(accrue::errc::internal, on_last, [&] {
    (void)accrue::transform_reduce(
        ranks, x, accrue::multiplies{}, [&](double v) { return bad ? throw 5 : v; });
  });
  check(accrue::errc::empty_range, "argmin", [&] { (void)accrue::argmin(ranks, std::vector<double>{}); });
  if (last != 0) {
    check(accrue::errc::internal, "merge", [&] { (void)accrue::reduce(ranks, x, merge_throws{}); });
    check(accrue::errc::size_mismatch, "different reductions", [&] {
      if (bad) {
        (void)accrue::max(ranks, x);
      } else {
        (void)accrue::sum(ranks, x);
      }
    });
    check(accrue::errc::size_mismatch, "different reductions", [&] {  // one sends elements, the others what it makes of them
      const double factor = 2;
      if (bad) {
        (void)accrue::transform_reduce(ranks, x, accrue::multiplies{}, [](double v) { return v * 2; });
      } else {
        (void)accrue::transform_reduce(ranks, x, accrue::multiplies{}, [factor](double v) { return v * factor; });
      }
    });
    check(accrue::errc::size_mismatch, "different reductions", [&] {  // and where what it makes is widened
      using T = accrue::bfloat16;
      const accrue::sum_of<T, float, accrue::ordered_t> sum{};
      const float factor = 2;
      if (bad) {
        (void)accrue::transform_reduce(ranks, x, sum, [](double v) { return T(static_cast<float>(v) * 2); });
      } else {
        (void)accrue::transform_reduce(ranks, x, sum, [factor](double v) { return T(static_cast<float>(v) * factor); });
      }
    });
    check(accrue::errc::size_mismatch, "different reductions", [&] {
      if (bad) {
        (void)accrue::reduce(ranks, std::vector<float>(3), accrue::fuse(accrue::sum_of<float>{}, accrue::sum_of<float>{}));
      } else {
        (void)accrue::reduce(ranks, x, accrue::fuse(accrue::sum_of<double>{}, accrue::sum_of<double>{}));
      }
    });
    check(accrue::errc::size_mismatch, "results", [&] {
      const std::vector<int> none(bad ? 1 : 2);  // no groups on the last rank
      std::vector<double> results(none.size() - 1);
      accrue::sum(ranks, accrue::segments(std::span(x).first(0), none), results);
    });
    std::vector<double> some(bad ? 4 : 5);
    const auto rows = accrue::rows(accrue::view(x.data(), some.size(), 3, 3));
    check(accrue::errc::size_mismatch, "results", [&] { accrue::sum(ranks, rows, some); });
  }
}

TEST_CASE("reductions under way at the same time, and blocking ones between") {
  const accrue::mpi ranks(MPI_COMM_WORLD, accrue::openmp(2));
  const auto x = sequence<double>(distribution::wide, 7, 20001);
  const auto y = sequence<double>(distribution::normal, 8, 20001);
  const accrue::serial alone;
  auto dot = accrue::dot(accrue::begin(ranks), mine(x), mine(y));
  auto norm = accrue::norm2(accrue::begin(ranks), mine(x));
  auto smallest = accrue::argmin(accrue::begin(ranks), mine(y));
  const double sum = accrue::sum(ranks, mine(x));
  auto moments = accrue::moments(accrue::begin(ranks), mine(y));
  (void)norm.ready();
  CHECK(bits(dot.get()) == bits(accrue::dot(alone, x, y)));
  CHECK(bits(norm.get()) == bits(accrue::norm2(alone, x)));
  CHECK(smallest.get().index == accrue::argmin(alone, y).index);
  CHECK(bits(moments.get().variance) == bits(accrue::moments(alone, y).variance));
  CHECK(bits(sum) == bits(accrue::sum(alone, x)));
  { auto dropped = accrue::sum(accrue::begin(ranks), mine(x)); }  // its part reaches the others all the same
  auto fails = accrue::min(accrue::begin(ranks), std::vector<double>{});
  CHECK(failure_of([&] { (void)fails.get(); }).code == accrue::errc::empty_range);
}

TEST_CASE("states too long for the first message, special values on one rank, sums that cancel across ranks") {
  const accrue::mpi ranks;
  const accrue::serial alone;
  auto x = sequence<double>(distribution::log_uniform, 11, 9000);
  const auto y = sequence<double>(distribution::log_uniform, 12, 9000);
  CHECK(bits(accrue::dot(ranks, mine(x), mine(y))) == bits(accrue::dot(alone, x, y)));
  CHECK(bits(accrue::moments(ranks, mine(x)).variance) == bits(accrue::moments(alone, x).variance));
  CHECK(bits(accrue::norm2(ranks, mine(x))) == bits(accrue::norm2(alone, x)));
  for (const double special : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -0.0, 5e-324}) {
    x.back() = special;
    CHECK(bits(accrue::sum(ranks, mine(x))) == bits(accrue::sum(alone, x)));
    CHECK(bits(accrue::min(ranks, mine(x))) == bits(accrue::min(alone, x)));
    CHECK(accrue::argmax(ranks, mine(x)).index == accrue::argmax(alone, x).index);
  }
  const double own = rank_of() == 0 ? 0x1p-1000 : rank_of() % 2 == 0 ? 1e300 : -1e300;
  const double all = accrue::sum(ranks, std::vector<double>{own});
  CHECK(bits(all) == bits(ranks_of() % 2 == 1 ? 0x1p-1000 : ranks_of() == 1 ? own : -1e300));
}

TEST_CASE("ordered fusions know positions among all ranks' elements") {
  const accrue::mpi ranks;
  auto x = sequence<double>(distribution::uniform, 21, 30000);
  x[25000] = -1;
  const auto fused = accrue::fuse(accrue::product_of<double>{}, accrue::argmin_of<double>{});
  CHECK(accrue::reduce(ranks, mine(x), fused) == accrue::reduce(accrue::serial{}, x, fused));
  std::vector<bool> flags(300, true);
  flags[200] = rank_of() != 0;
  std::unique_ptr<bool[]> all(new bool[3]);
  std::vector<unsigned char> bytes(flags.begin(), flags.end());
  const auto matrix = accrue::view(reinterpret_cast<const bool*>(bytes.data()), 3, 100, 100);
  accrue::bit_and(ranks, accrue::rows(matrix), all.get());
  CHECK((all[0] && all[1] && !all[2]));
}

namespace {

/// Whether a sum in the order of the tree is above zero.
struct sum_is_positive {
  using state = double;
  state start() const { return 0; }
  void fold(state& s, double x) const { s += x; }
  void merge(state& a, const state& b) const { a += b; }
  bool finish(const state& s) const { return s > 0; }
};

}  // namespace

TEST_CASE("ordered reductions of what means something on its own rank alone") {
  const accrue::mpi ranks;
  const auto x = sequence<double>(distribution::uniform, 31, 30000);
  const auto own = mine(x);
  std::vector<const double*> places;
  for (const double& v : own) places.push_back(&v);
  const accrue::sum_of<double, double, accrue::ordered_t> sum{};
  CHECK(bits(accrue::transform_reduce(ranks, places, sum, [](const double* p) { return *p; })) ==
        bits(accrue::sum(accrue::serial{}, x, accrue::ordered)));
  static const double* first;
  first = own.data();
  const auto indices = std::views::iota(std::size_t{0}, own.size());
  CHECK(bits(accrue::transform_reduce(ranks, indices, sum, [](std::size_t i) { return first[i]; })) ==
        bits(accrue::sum(accrue::serial{}, x, accrue::ordered)));
}

TEST_CASE("ordered groupings of 16-bit floats, and of results that are bool") {
  const accrue::mpi ranks;
  const std::size_t each = 5000;
  const auto own = sequence<accrue::bfloat16>(distribution::uniform, static_cast<std::uint64_t>(rank_of()), 2 * each);
  float sums[2];
  accrue::sum(ranks, accrue::rows(accrue::view(own.data(), 2, each, each)), sums, accrue::ordered);
  const std::vector<double> x(4, rank_of() == 0 ? -100.0 : 1.0);
  bool positive[2];
  accrue::reduce(ranks, accrue::segments(x, std::vector<int>{0, rank_of() == 0 ? 0 : 2, 4}), sum_is_positive{}, positive);
  CHECK(positive[0] == (ranks_of() > 1));
  CHECK(!positive[1]);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<accrue::bfloat16> all;
    for (int r = 0; r < ranks_of(); ++r) {
      const auto of_rank = sequence<accrue::bfloat16>(distribution::uniform, static_cast<std::uint64_t>(r), 2 * each);
      for (std::size_t i = 0; i < each; ++i) all.push_back(of_rank[k * each + i]);
    }
    CHECK(bits(sums[k]) == bits(accrue::sum(accrue::serial{}, all, accrue::ordered)));
  }
}

TEST_CASE("many results in one call") {
  const accrue::mpi ranks(MPI_COMM_WORLD, accrue::openmp(2));
  const std::size_t groups = 100000;
  const std::size_t each = 3;
  const auto rank = static_cast<std::uint64_t>(rank_of());
  const auto value = [&](std::uint64_t of_rank, std::size_t i) { return normal(of_rank, i) * (i % 7 == 0 ? 1e30 : 1); };
  std::vector<double> x(groups * each);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = value(rank, i);
  std::vector<double> sums(groups);
  std::vector<accrue::position<double>> smallest(groups);
  const auto rows = accrue::rows(accrue::view(x.data(), groups, each, each));
  accrue::argmin(ranks, rows, smallest);
  std::vector<double> as_of_many(groups);
  accrue::ranks::most_ranks_of_digits = 0;
  accrue::sum(ranks, rows, as_of_many);
  accrue::ranks::most_ranks_of_digits = 1 << 14;
  accrue::sum(ranks, rows, sums);
  CHECK(sums == as_of_many);
  for (std::size_t k = 0; k < groups; k += 997) {
    std::vector<double> all;
    for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(ranks_of()); ++r) {
      for (std::size_t j = 0; j < each; ++j) all.push_back(value(r, k * each + j));
    }
    CHECK(bits(sums[k]) == bits(accrue::sum(accrue::serial{}, all)));
    CHECK(smallest[k].index == accrue::argmin(accrue::serial{}, all).index);
  }
}

TEMPLATE_TEST_CASE("results on one rank, and each rank its share", "[many_messages]", accrue::sum_of<double>, accrue::argmax_of<double>,
                   accrue::moments_of<double>, (accrue::sum_of<double, double, accrue::ordered_t>)) {
  const accrue::mpi ranks(MPI_COMM_WORLD, accrue::openmp(2));
  const TestType reducer{};
  using result = decltype(accrue::reduce(ranks, std::vector<double>{}, reducer));
  const bool ordered = std::is_same_v<TestType, accrue::sum_of<double, double, accrue::ordered_t>>;  // several messages a group
  for (const std::size_t groups : {0, ordered ? 3 : 1000}) {
    const std::size_t each = 3;
    const auto x = sequence<double>(distribution::wide, static_cast<std::uint64_t>(rank_of()), groups * each);
    const auto rows = accrue::rows(accrue::view(x.data(), groups, each, each));
    std::vector<result> all(groups);
    accrue::reduce(ranks, rows, reducer, all);
    const int root = ranks_of() - 1;
    std::vector<result> there(rank_of() == root ? groups : 0);
    accrue::reduce(accrue::to_root(ranks, root), rows, reducer, there);
    CHECK(std::memcmp(there.data(), all.data(), there.size() * sizeof(result)) == 0);
    const auto shares = accrue::scattered(ranks);
    const auto here = shares.here(groups);
    for (const std::size_t most : {std::size_t{1} << 30, std::size_t{5000}}) {  // in one message, and in parts
      if (ordered && most < 10000) continue;  // which send no such messages
      const std::size_t before = std::exchange(accrue::ranks::most_message_bytes, most);
      std::vector<result> own(here.size());
      accrue::reduce(shares, rows, reducer, own);
      CHECK(std::memcmp(own.data(), all.data() + here.begin, own.size() * sizeof(result)) == 0);
      std::vector<result> again(groups);
      accrue::reduce(ranks, rows, reducer, again);
      CHECK(std::memcmp(again.data(), all.data(), groups * sizeof(result)) == 0);
      accrue::ranks::most_message_bytes = before;
    }
    CHECK(here.size() <= groups / static_cast<std::size_t>(ranks_of()) + 1);
  }
}

TEST_CASE("results on one rank: what is wrong there all ranks throw") {
  const accrue::mpi ranks;
  const std::vector<double> x(6, 1.0);
  const auto rows = accrue::rows(accrue::view(x.data(), 2, 3, 3));
  const int root = ranks_of() - 1;
  std::vector<double> out(rank_of() == root ? 3 : 2);
  CHECK(failure_of([&] { accrue::sum(accrue::to_root(ranks, root), rows, out); }).code == accrue::errc::size_mismatch);
  CHECK(failure_of([&] { accrue::sum(accrue::to_root(ranks, ranks_of()), rows, out); }).code == accrue::errc::invalid_argument);
  CHECK(failure_of([&] { accrue::sum(accrue::to_root(ranks, -1), rows, out); }).code == accrue::errc::invalid_argument);
  if (ranks_of() > 1) {
    out.resize(2);
    const auto different = accrue::to_root(ranks, rank_of() == 0 ? 0 : 1);
    CHECK(failure_of([&] { accrue::sum(different, rows, out); }).code == accrue::errc::size_mismatch);
    std::vector<double> none(5);
    CHECK(failure_of([&] { accrue::sum(accrue::scattered(ranks), rows, none); }).code == accrue::errc::size_mismatch);
  }
  CHECK(accrue::sum(accrue::to_root(ranks, root), x) == 6.0 * ranks_of());  // one result is on every rank
}

TEST_CASE("ranks of different spaces, parts of the world, and what is no communicator") {
  const auto x = sequence<double>(distribution::uniform, 5, 5000);
  const auto sum = [&](MPI_Comm comm, std::span<const double> v) {
    return rank_of() % 2 == 0 ? accrue::sum(accrue::mpi(comm, accrue::serial{}), v) : accrue::sum(accrue::mpi(comm, accrue::openmp(3)), v);
  };
  CHECK(bits(sum(MPI_COMM_WORLD, mine(x))) == bits(accrue::sum(accrue::serial{}, x)));
  for (int again = 0; again < 20; ++again) {  // with their duplicates
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_of() % 2, rank_of(), &half);
    CHECK(sum(half, std::vector<double>(3, 1.0)) == 3.0 * ranks_of(half));
    MPI_Comm_free(&half);
  }
  CHECK(failure_of([&] { (void)sum(MPI_COMM_NULL, x); }).code == accrue::errc::invalid_argument);
}
