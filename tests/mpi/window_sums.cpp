// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over ranks whose words travel in windows: that move with the data, in messages that grow with the number of results.
#include <accrue/mpi.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "golden/bits.hpp"
#include "own_rank.hpp"

using namespace test;

namespace {

int messages = 0;  ///< collective ones, of this rank

}  // namespace

// Instead of MPI's own, which they call.
extern "C" int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++messages;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

namespace {

/// Numbers of all ranks' fields, 2^lowest to 2^(lowest + spread), which each rank makes alike: those of a rank lie together.
template <class T>
struct fields {
  std::size_t count;
  std::size_t each;
  std::vector<T> all;

  fields(std::size_t fields_wanted, std::size_t on_each_rank, int lowest, int spread, std::uint64_t seed)
      : count(fields_wanted), each(on_each_rank), all(count * each * static_cast<std::size_t>(ranks_of())) {
    std::mt19937_64 random(seed);
    for (T& x : all) {
      const double significand = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
      const int exponent = lowest + static_cast<int>(random() % static_cast<std::uint64_t>(spread + 1));
      x = static_cast<T>(std::ldexp((random() & 1) != 0 ? significand : -significand, exponent));
    }
  }
  [[nodiscard]] const T* of_rank(std::size_t rank) const { return all.data() + rank * count * each; }
  [[nodiscard]] auto mine() const {
    return accrue::rows(accrue::view(of_rank(static_cast<std::size_t>(rank_of())), count, each, static_cast<std::ptrdiff_t>(each)));
  }
  [[nodiscard]] std::vector<T> field(std::size_t f) const {
    std::vector<T> x;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_of()); ++r) {
      x.insert(x.end(), of_rank(r) + f * each, of_rank(r) + (f + 1) * each);
    }
    return x;
  }
};

template <class R, class T>
void check_all(const R& reducer, const fields<T>& f) {
  const accrue::mpi ranks;
  using result = decltype(accrue::reduce(accrue::serial{}, f.field(0), reducer));
  std::vector<result> results(f.count);
  accrue::reduce(ranks, f.mine(), reducer, results);
  for (std::size_t k = 0; k < f.count; ++k) CHECK(bits(results[k]) == bits(accrue::reduce(accrue::serial{}, f.field(k), reducer)));
}

/// A state that is more than the sum it derives from.
struct counted_sum {
  struct state : accrue::superaccumulator<double> {
    std::int64_t count = 0;
  };
  static constexpr bool order_free = true;
  static constexpr bool additive = true;
  state start() const { return {}; }
  void fold(state& s, double x) const {
    s.add(x);
    ++s.count;
  }
  void merge(state& a, const state& b) const {
    a += b;
    a.count += b.count;
  }
  double finish(const state& s) const { return s.round<double>() / static_cast<double>(s.count); }
};
/// A sum of more words than the first message has bits for.
struct long_sum {
  using state = accrue::basic_superaccumulator<-3000, 200>;
  static constexpr bool order_free = true;
  static constexpr bool additive = true;
  state start() const { return {}; }
  void fold(state& s, double x) const { s.add(x); }
  void merge(state& a, const state& b) const { a += b; }
  double finish(const state& s) const { return s.round<double>(); }
};
/// A sum whose partial sums have the one representation of their value, as those that devices hand out.
struct normal_sum {
  using state = accrue::superaccumulator<double>;
  static constexpr bool order_free = true;
  static constexpr bool additive = true;
  state start() const { return {}; }
  void fold(state& s, double x) const {
    s.add(x);
    s.normalize();
  }
  void merge(state& a, const state& b) const {
    a += b;
    a.normalize();
  }
  double finish(const state& s) const { return s.round<double>(); }
};

}  // namespace

TEMPLATE_TEST_CASE("users' sums, alone and in groups", "", counted_sum, long_sum, normal_sum) {
  const accrue::mpi ranks;
  for (const std::size_t count : {1, 4, 4, 300}) {
    const fields<double> f(count, 6, -20, 40, count);
    check_all(TestType{}, f);
    CHECK(bits(accrue::reduce(ranks, f.mine().group(0), TestType{})) == bits(accrue::reduce(accrue::serial{}, f.field(0), TestType{})));
  }
}

TEMPLATE_TEST_CASE("windows follow the data, whatever they were before", "[many_messages]", double, float) {
  constexpr bool is_double = sizeof(TestType) == sizeof(double);
  std::uint64_t seed = 1;
  for (const int lowest : {0, -40, 200, 205, -300, 480, -500, -500, 0}) {
    for (const int spread : {20, 200}) {
      for (const std::size_t count : {1, 5, 5}) {
        const fields<TestType> f(count, 7, is_double ? lowest : lowest / 8, is_double ? spread : spread / 4, ++seed);
        check_all(accrue::sum_of<TestType>{}, f);
        check_all(accrue::sum_squares_of<TestType>{}, f);
        check_all(accrue::norm2_of<TestType>{}, f);
      }
    }
  }
}

TEST_CASE("messages grow with the number of results and shrink again", "[many_messages]") {
  std::uint64_t seed = 100;
  const accrue::mpi ranks;
  for (const std::size_t count : {1, 3, 4, 4, 4, 1, 126, 126, 127, 127, 500, 500, 4, 4, 127, 1, 1}) {
    check_all(accrue::sum_of<double>{}, fields<double>(count, 3, -20, 40, ++seed));
    const fields<std::int32_t> integers(count, 3, 5, 20, ++seed);
    check_all(accrue::sum_of<std::int32_t, std::int64_t>{}, integers);
    check_all(accrue::max_of<double>{}, fields<double>(count, 2, -20, 40, ++seed));  // others' first message is as long then
    check_all(accrue::mean_of<double>{}, fields<double>(count, 2, -20, 40, ++seed));
    const fields<double> some(1, 50, 0, 10, ++seed);
    auto pending = accrue::sum(accrue::begin(ranks), some.mine().group(0));  // and those under way have their own length
    check_all(accrue::sum_of<double>{}, fields<double>(count, 3, -20, 40, ++seed));
    CHECK(bits(pending.get()) == bits(accrue::sum(accrue::serial{}, some.field(0))));
  }
}

TEST_CASE("numbers of one rank, or of one field, that no window holds", "[many_messages]") {
  const auto last = static_cast<std::size_t>(ranks_of() - 1);
  std::uint64_t seed = 1000;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t count : {1, 4, 4, 200}) {
    for (const double odd : {1e300, -1e300, 5e-324, 0x1p-179, infinity, -infinity, std::nan("")}) {
      for (int again = 0; again < 2; ++again) {
        fields<double> f(count, 5, -10, 20, ++seed);
        f.all[(last * count + count / 2) * f.each + 2] = odd;
        check_all(accrue::sum_of<double>{}, f);
        check_all(accrue::sum_of<double>{}, fields<double>(count, 5, -10, 20, ++seed));
      }
    }
    fields<double> both(count, 5, -10, 20, ++seed);  // infinities of both signs, of different ranks
    both.all[0] = infinity;
    both.all[last * count * both.each + 1] = -infinity;
    check_all(accrue::sum_of<double>{}, both);
    fields<double> cancelling(count, 2, 0, 0, ++seed);
    for (std::size_t k = 0; k < cancelling.all.size(); k += 2) {
      cancelling.all[k] = 1e200;
      cancelling.all[k + 1] = -1e200;
    }
    cancelling.all[0] = std::nextafter(1e200, 2e200);
    check_all(accrue::sum_of<double>{}, cancelling);
  }
}

TEST_CASE("one message for sums like those before, two at worst") {
  const accrue::mpi ranks;
  const auto messages_of = [&](std::size_t count, int lowest, int spread) {
    const fields<double> f(count, 3, lowest, spread, count);
    std::vector<double> sums(count);
    const int before = messages;
    accrue::sum(ranks, f.mine(), sums);
    return messages - before;
  };
  const auto messages_of_one = [&](int lowest) {
    const fields<double> f(1, 300, lowest, 20, 5);
    const int before = messages;
    (void)accrue::sum(ranks, f.mine().group(0));
    return messages - before;
  };
  for (const int lowest : {0, 700, -900}) {
    (void)messages_of_one(lowest);
    CHECK(messages_of_one(lowest) == 1);
    (void)messages_of(3, lowest, 20);
    CHECK(messages_of(3, lowest, 20) == 1);
    (void)messages_of(126, lowest, 20);
    CHECK(messages_of(126, lowest, 20) == 1);
    CHECK(messages_of_one(lowest) == 1);  // and does not have to be told of the shorter ones
    CHECK(messages_of(126, lowest, 20) == 1);
    CHECK(messages_of(1000, lowest, 20) == 2);
    CHECK(messages_of(1000, lowest, 20) == 2);
    CHECK(messages_of(5, -lowest, 300) == 2);
    CHECK(messages_of(5, lowest, 20) <= 2);
    CHECK(messages_of(5, lowest, 20) == 1);
    for (int spread = 290; spread < 340; ++spread) {  // sums of up to some 383 bits
      const int least = lowest == 0 ? -160 : lowest < 0 ? lowest : lowest - spread;
      (void)messages_of(5, least, spread);
      CHECK(messages_of(5, least, spread) <= (spread < 320 ? 1 : 2));
    }
  }
}

TEST_CASE("sums at the end of a window") {
  MPI_Comm fresh = MPI_COMM_NULL;  // whose windows are where the first calls' are
  REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &fresh) == MPI_SUCCESS);
  {
    const accrue::mpi ranks(fresh);
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> x;
      std::vector<int> offsets{0};
      for (int k = 0; k < 5; ++k) {  // of which two doubles are left that are 2^47 of the last digit's units each
        for (const double v : {0x1p259, 0x1p205, -0x1p259, 0x1p205}) x.push_back(sign * v);
        offsets.push_back(static_cast<int>(x.size()));
      }
      std::vector<double> sums(5);
      accrue::sum(ranks, accrue::segments(x, offsets), sums);
      for (const double s : sums) CHECK(s == sign * 0x1p206 * ranks_of());
    }
  }
  REQUIRE(MPI_Comm_free(&fresh) == MPI_SUCCESS);
}

/// A user's own, though it derives from a sum.
struct tenth_of_sum : accrue::sum_of<double> {
  using state = accrue::sum_of<double>::state;
  double finish(const state& s) const { return s.round_quotient<double>(10); }
};
TEST_CASE("what derives from a sum finishes as it says") {
  const accrue::mpi ranks;
  const std::vector<double> x(100, 1.0);
  CHECK(accrue::reduce(ranks, x, tenth_of_sum{}) == 10.0 * ranks_of());
  auto pending = accrue::reduce(accrue::begin(ranks), x, tenth_of_sum{});
  CHECK(pending.get() == 10.0 * ranks_of());
  std::vector<double> results(2);
  accrue::reduce(ranks, accrue::rows(accrue::view(x.data(), 2, 50, 50)), tenth_of_sum{}, results);
  CHECK(results == std::vector<double>(2, 5.0 * ranks_of()));
}

TEST_CASE("negative sums, normalised ones and those under way take one message too") {
  const accrue::mpi ranks;
  const std::vector<double> x(10, -1.5);
  for (int again = 0; again < 2; ++again) {
    const int before = messages;
    CHECK(accrue::reduce(ranks, x, normal_sum{}) == -15.0 * ranks_of());
    CHECK(accrue::sum(ranks, x) == -15.0 * ranks_of());
    CHECK((again == 0 || messages - before == 2));
  }
  const std::vector<double> large(10, -0x1p500);
  for (int again = 0; again < 2; ++again) {
    const int before = messages;
    auto pending = accrue::sum(accrue::begin(ranks), large);
    CHECK(pending.get() == -10 * 0x1p500 * ranks_of());
    CHECK(messages - before == 1 - again);  // the first time a second one in full
  }
}

TEST_CASE("ranks that differ, behind calls with long messages, are told, and go on") {
  const accrue::mpi ranks;
  const std::vector<double> x(300, 1.0);
  std::vector<double> sums(100);
  const auto rows_of = [&](std::size_t count) { return accrue::rows(accrue::view(x.data(), count, 3, 3)); };
  for (int again = 0; again < 3; ++again) {
    for (int k = 0; k < 3; ++k) accrue::sum(ranks, rows_of(50), std::span(sums).first(50));
    CHECK(sums[49] == 3.0 * ranks_of());
    if (ranks_of() == 1) continue;
    const std::size_t count = rank_of() == 0 ? 40 : 50;
    accrue::errc code = accrue::errc::success;
    try {
      if (again == 2 && rank_of() == 0) {
        (void)accrue::min(ranks, x);
      } else {
        accrue::sum(ranks, rows_of(count), std::span(sums).first(count));
      }
    } catch (const accrue::error& e) {
      code = e.code();
    }
    CHECK(code == accrue::errc::size_mismatch);
    CHECK(accrue::sum(ranks, x) == 300.0 * ranks_of());
  }
}

TEST_CASE("sums on one rank and in shares, in the first message") {
  const accrue::mpi ranks;
  const fields<double> f(9, 4, -20, 40, 7);
  std::vector<double> all(9);
  for (int again = 0; again < 3; ++again) {
    accrue::sum(ranks, f.mine(), all);
    std::vector<double> there(rank_of() == 0 ? 9 : 0);
    accrue::sum(accrue::to_root(ranks, 0), f.mine(), there);
    if (rank_of() == 0) CHECK(there == all);
    const auto shares = accrue::scattered(ranks);
    const auto here = shares.here(9);
    std::vector<double> own(here.size());
    accrue::sum(shares, f.mine(), own);
    for (std::size_t k = 0; k < own.size(); ++k) CHECK(own[k] == all[here.begin + k]);
  }
}
