// SPDX-License-Identifier: BSD-3-Clause
// Accumulation into Views: every strategy against the oracle, fixed point against the other backends' bits, and what is refused.
#include "kokkos_suite.hpp"

#include <cmath>
#include <limits>

using namespace test;
using accrue::accumulate_options;
using accrue::strategy;

namespace bodies {

/// Item i adds x[3 i + k] times 1, -2, 0.5 to target j[3 i + k].
struct add_vectors {
  Kokkos::View<double*, memory> x;
  Kokkos::View<std::size_t*, memory> j;
  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t i, Out& out) const {
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) out.add(j(k), x(k), -2 * x(k), 0.5 * x(k));
  }
};
template <class T>
struct add_numbers {
  Kokkos::View<T*, memory> x;
  Kokkos::View<std::size_t*, memory> j;
  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t i, Out& out) const {
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) out.add(j(k), x(k));
  }
};
struct add_own {
  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t i, Out& out) const {
    out.add(i, static_cast<double>(i % 20));
  }
};
struct add_value {
  double value;
  std::size_t target;
  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t, Out& out) const {
    out.add(target, value);
  }
};

struct count_of_seven {
  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t i, Out& out) const {
    out.add(i % 7, 1);
  }
};

/// Item i adds to its own target many times, and once to another.
template <class Fixed>
struct own_target {
  Fixed out;
  Kokkos::View<double*, memory> x;
  std::size_t targets;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto own = out.target(i % targets);
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
      own(0) += x(k);
      own(1) -= 2 * x(k);
      own(2) += 0.5 * x(k);
    }
    own.close();
  }
};

/// In a loop of the caller's, as with a ScatterView.
template <class Fixed>
struct own_loop {
  Fixed out;
  Kokkos::View<double*, memory> x;
  Kokkos::View<std::size_t*, memory> j;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
      out(j(k), 0) += x(k);
      out(j(k), 1) -= 2 * x(k);
      out(j(k), 2) += 0.5 * x(k);
    }
  }
};

template <class Fixed>
struct add_to_first {
  Fixed out;
  double value;
  KOKKOS_FUNCTION void operator()(std::size_t) const { out(0) += value; }
};

}  // namespace bodies
using namespace bodies;

namespace {

accumulate_options fixed(double largest) {
  accumulate_options o = strategy::fixed_point;
  o.largest = largest;
  return o;
}
std::vector<accumulate_options> ways() {
  std::vector<accumulate_options> all{strategy::automatic, strategy::atomic, fixed(0), fixed(32)};
  if (accrue::on_kokkos::host_space<exec>) {
    for (const strategy s : {strategy::critical, strategy::triangle, strategy::replicated}) all.emplace_back(s);
  }
  return all;
}

struct contributions {
  std::vector<double> x;
  std::vector<std::size_t> j;
  contributions(std::size_t items, std::size_t targets) : x(sequence<double>(distribution::normal, next_seed(), 3 * items)) {
    for (std::size_t k = 0; k < x.size(); ++k) j.push_back(random_bits(7, k) % targets);
  }
};

constexpr std::array<double, 3> start{0.25, 0.5, -1};
/// What the serial backend makes of it: exact sums, rounded once.
std::vector<std::array<double, 3>> serial_vectors(const contributions& c, std::size_t targets) {
  std::vector<std::array<double, 3>> y(targets, start);
  accrue::accumulate(
      accrue::serial{}, y, c.x.size() / 3,
      [&](std::size_t i, auto& out) {
        for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) out.add(c.j[k], {c.x[k], -2 * c.x[k], 0.5 * c.x[k]});
      },
      strategy::fixed_point);
  return y;
}
/// What a fixed unit promises: every contribution rounded to a multiple of it, their sum rounded once, and added.
std::vector<std::array<double, 3>> vectors_at_unit(const contributions& c, std::size_t targets, int unit) {
  using accrue::detail::int128;
  std::vector<std::array<int128, 3>> sums(targets, std::array<int128, 3>{});
  for (std::size_t k = 0; k < c.x.size(); ++k) {
    const double values[] = {c.x[k], -(2 * c.x[k]), 0.5 * c.x[k]};
    for (std::size_t d = 0; d < 3; ++d) {
      int128 units = 0;
      CHECK(accrue::detail::to_fixed(values[d], unit, units));
      sums[c.j[k]][d] += units;
    }
  }
  std::vector<std::array<double, 3>> y(targets, start);
  for (std::size_t j = 0; j < targets; ++j) {
    for (std::size_t d = 0; d < 3; ++d) {
      accrue::superaccumulator<double> total;
      total.add_integer(sums[j][d], unit);
      y[j][d] += total.round<double>();
    }
  }
  return y;
}

std::vector<std::array<double, 3>> fixed_vectors(const contributions& c, std::size_t targets, double largest) {
  return vectors_at_unit(c, targets, accrue::detail::fixed_unit(largest));
}

/// What serial_vectors starts from.
template <class View>
void set_start(const View& y) {
  const auto mirror = Kokkos::create_mirror_view(y);
  for (std::size_t k = 0; k < y.extent(0); ++k) {
    for (std::size_t d = 0; d < 3; ++d) mirror(k, d) = start[d];
  }
  Kokkos::deep_copy(y, mirror);
}

template <class Layout>
void check_vectors(std::size_t items, std::size_t targets) {
  const contributions c(items, targets);
  const add_vectors body{to_view(c.x), to_view(c.j)};
  const auto exact = serial_vectors(c, targets);
  const auto same = [&](double largest) {
    return largest == 0 ? exact : vectors_at_unit(c, targets, accrue::detail::wide_fixed_unit(largest));
  };
  for (const auto& options : ways()) {
    const Kokkos::View<double* [3], Layout, memory> y("y", targets);
    set_start(y);
    const auto report = accrue::accumulate(hook::make(), y, items, body, options);
    INFO(accrue::to_string(report.used) << ", largest " << options.largest << ", " << items << " items, " << targets << " targets");
    const auto got = to_host(y);
    for (std::size_t k = 0; k < targets; ++k) {
      for (std::size_t d = 0; d < 3; ++d) CHECK(std::fabs(got[3 * k + d] - exact[k][d]) < 1e-10);
    }
    if (options.strategy == strategy::fixed_point) {
      const auto wanted = same(options.largest);
      std::string expected, all;
      for (std::size_t k = 0; k < 3 * targets; ++k) {
        expected += bits(wanted[k / 3][k % 3]);
        all += bits(got[k]);
      }
      CHECK(all == expected);
    }
  }
}

template <class T>
void check_numbers() {
  const std::size_t targets = 501;
  const contributions c(4000, targets);
  std::vector<T> x;
  for (const double v : c.x) x.push_back(static_cast<T>(v));
  std::vector<oracle> sums(targets);
  for (std::size_t k = 0; k < x.size(); ++k) sums[c.j[k]].add(x[k]);
  for (const auto& options : ways()) {
    const Kokkos::View<T*, memory> y("y", targets);
    accrue::accumulate(hook::make(), y, 4000, add_numbers<T>{to_view(x), to_view(c.j)}, options);
    const auto got = to_host(y);
    for (std::size_t k = 0; k < targets; ++k) {
      CHECK(std::fabs(got[k] - sums[k].template round<T>()) < 2000 * std::numeric_limits<T>::epsilon());
    }
  }
}

}  // namespace

TEST_CASE("accumulate into Views: every strategy, with the bits of the serial backend in fixed point", "[kokkos]") {
  for (const std::size_t items : {0u, 1u, 1000u, 20000u}) {
    check_vectors<Kokkos::LayoutRight>(items, 700);
    check_vectors<Kokkos::LayoutLeft>(items, 64);
  }
  check_numbers<double>();
  check_numbers<float>();
}

TEST_CASE("accumulate into strided Views, and by gather", "[kokkos]") {
  const Kokkos::View<double**, Kokkos::LayoutRight, memory> m("m", 100, 5);
  const auto column = Kokkos::subview(m, Kokkos::ALL, 2);
  auto options = ways();
  options.emplace_back(strategy::gather);
  for (const auto& how : options) {
    Kokkos::deep_copy(m, 1.0);
    accrue::accumulate(hook::make(), column, 100, add_own{}, how);
    const auto got = to_host(m);
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(got[5 * i + 2] == 1 + static_cast<double>(i % 20));
      CHECK(got[5 * i + 1] == 1);
    }
  }
}

TEST_CASE("fixed point in a caller's own loop", "[kokkos]") {
  using view = Kokkos::View<double* [3], memory>;
  const std::size_t targets = 333;
  const contributions c(5000, targets);
  for (const double largest : {0.0, 32.0}) {
    const view y("y", targets);
    accrue::kokkos_fixed_point<view> sum(y, largest);
    for (int turn = 0; turn < 2; ++turn) {  // the second starts anew
      set_start(y);
      Kokkos::parallel_for(Kokkos::RangePolicy<exec>(0, 5000),
                           own_loop<accrue::kokkos_fixed_point<view>>{sum.access(), to_view(c.x), to_view(c.j)});
      CHECK(sum.contribute_into(y));
      const auto got = to_host(y);
      const auto expected = fixed_vectors(c, targets, largest);
      std::string a, b;
      for (std::size_t k = 0; k < 3 * targets; ++k) {
        a += bits(got[k]);
        b += bits(expected[k / 3][k % 3]);
      }
      CHECK(a == b);
    }
    // Through one_target, against the same contributions one by one.
    contributions same = c;
    for (std::size_t k = 0; k < same.j.size(); ++k) same.j[k] = k / 3 % targets;
    const view z("z", targets);
    Kokkos::parallel_for(Kokkos::RangePolicy<exec>(0, 5000),
                         own_target<accrue::kokkos_fixed_point<view>>{sum.access(), to_view(c.x), targets});
    CHECK(sum.contribute_into(z));
    Kokkos::parallel_for(Kokkos::RangePolicy<exec>(0, 5000),
                         own_loop<accrue::kokkos_fixed_point<view>>{sum.access(), to_view(same.x), to_view(same.j)});
    const view one_by_one("one by one", targets);
    CHECK(sum.contribute_into(one_by_one));
    CHECK(to_host(z) == to_host(one_by_one));
  }
}

TEST_CASE("fixed point in a caller's own loop: what is refused, and what leaves nothing", "[kokkos]") {
  using view = Kokkos::View<double*, memory>;
  const view y("y", 10);
  const auto add = [&](double value, double largest) {
    accrue::kokkos_fixed_point<view> sum(y, largest);
    Kokkos::parallel_for(Kokkos::RangePolicy<exec>(0, 1), add_to_first<accrue::kokkos_fixed_point<view>>{sum.access(), value});
    return sum.contribute_into(y);
  };
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 0x1p62, 1e-21, -1e-21, 0x1.0000001p-42}) {
    CHECK(code_of([&] { add(bad, 0); }) == accrue::errc::out_of_range);
  }
  for (const double good : {0x1p60, 1e-9, 0x1p-60, -0x1p-64, 0.0}) CHECK(add(good, 0));
  CHECK(code_of([&] { add(8.5, 8); }) == accrue::errc::out_of_range);
  CHECK(code_of([&] { add(1, -1); }) == accrue::errc::invalid_argument);
  CHECK(add(8, 8));
  CHECK(add(1e-12, 8));
  CHECK(!add(1e-20, 8));
  CHECK(add(0, 8));
}

TEST_CASE("accumulate into Views of integers", "[kokkos]") {
  const Kokkos::View<std::int64_t*, memory> y("y", 7);
  for (const strategy how : {strategy::automatic, strategy::atomic, strategy::fixed_point}) {
    Kokkos::deep_copy(y, -3);
    accrue::accumulate(hook::make(), y, 1000, count_of_seven{}, how);
    const auto got = to_host(y);
    for (std::size_t k = 0; k < 7; ++k) CHECK(got[k] == static_cast<std::int64_t>((1000 - k + 6) / 7) - 3);
  }
}

TEST_CASE("accumulate into Views: what is refused", "[kokkos]") {
  using accrue::errc;
  const auto space = hook::make();
  const Kokkos::View<double*, memory> y("y", 10);
  const auto refused = [&](double value, std::size_t target, const accumulate_options& how) {
    return code_of([&] {
      accrue::accumulate(space, y, 3, add_value{value, target}, how);
      space.synchronize();
    });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double largest : {0.0, 8.0}) {
    const errc no_number = largest == 0 ? errc::success : errc::out_of_range;
    CHECK(refused(nan, 0, fixed(largest)) == no_number);
    CHECK(refused(std::numeric_limits<double>::infinity(), 0, fixed(largest)) == no_number);
    CHECK(refused(1, 10, fixed(largest)) == errc::out_of_range);
    CHECK(refused(1, 9, fixed(largest)) == errc::success);
  }
  CHECK(refused(8.5, 0, fixed(8)) == errc::out_of_range);
  CHECK(refused(1e-20, 0, fixed(8)) == errc::out_of_range);  // would leave nothing
  CHECK(refused(1, 0, strategy::gather) == errc::out_of_range);  // of items 1 and 2
  CHECK(code_of([&] { accrue::accumulate(space, y, -1, add_value{1, 0}); }) == errc::invalid_argument);
  CHECK(refused(0x1p62, 0, fixed(0)) == errc::success);
  CHECK(refused(1e-21, 0, fixed(0)) == errc::success);
  CHECK(refused(1, 10, strategy::atomic) == errc::out_of_range);
  if (!accrue::on_kokkos::host_space<exec>) CHECK(refused(1, 0, strategy::triangle) == errc::invalid_argument);
  CHECK(code_of([&] {
          accrue::kokkos_fixed_point<Kokkos::View<double*, memory>> sum(y);
          (void)sum.contribute_into(Kokkos::View<double*, memory>("other", 11));
        }) == errc::size_mismatch);
}
