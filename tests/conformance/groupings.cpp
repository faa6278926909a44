// SPDX-License-Identifier: BSD-3-Clause
// Groupings: each result has the bits of the same call on its elements alone.
#include "shown.hpp"
#include "suite.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

#include "golden/groups.hpp"
#include "support/golden_file.hpp"

using namespace test;

namespace {

constexpr bool on_host = accrue::host_space<hook::space>;
template <class Space>
constexpr bool over_ranks = requires(const Space& s) { s.ranks; };
/// Kernels that the host plays take a millisecond a group.
constexpr bool played = !on_host && !accrue::asynchronous_space<hook::space>;  // or on ranks, where an ordered group takes messages
constexpr std::size_t most_groups = played ? 12 : 100000;

struct is_positive {
  constexpr bool operator()(double v) const { return v > 0; }
};
struct spread_of {  // a user's reducer
  struct state {
    double low = 1e300;
    double high = -1e300;
  };
  static constexpr bool order_free = true;
  constexpr state start() const { return {}; }
  constexpr void fold(state& s, double x) const {
    s.low = x < s.low ? x : s.low;
    s.high = x > s.high ? x : s.high;
  }
  constexpr void merge(state& a, const state& b) const {
    fold(a, b.low);
    fold(a, b.high);
  }
  constexpr double finish(const state& s) const { return s.high - s.low; }
};

/// The results that `call(out)` writes for so many groups, and what stands behind them is left alone.
template <class Result, class Call>
std::vector<std::string> results_of(const hook::space& space, std::size_t groups, const Call& call) {
  std::vector<unsigned char> before((groups + 1) * sizeof(Result), 0x5a);
  const hook::array<unsigned char> memory(space, before);
  auto* out = reinterpret_cast<Result*>(const_cast<unsigned char*>(memory.get().data()));
  call(std::span(out, groups));
  const std::vector<unsigned char> after = memory.host();
  for (std::size_t k = groups * sizeof(Result); k < after.size(); ++k) REQUIRE(after[k] == 0x5a);
  std::vector<std::string> text;
  for (std::size_t k = 0; k < groups; ++k) {
    Result r;
    std::memcpy(static_cast<void*>(&r), after.data() + k * sizeof(Result), sizeof(Result));
    text.push_back(shown(r));
  }
  return text;
}

/// A call with a grouping against calls with its groups, which `group(k)` has in host memory.
template <class Grouping, class Group, class Call>
void check(const hook::space& space, std::size_t groups, const Grouping& grouping, const Group& group, const Call& call) {
  using result = decltype(call(accrue::serial{}, group(0)));
  std::vector<std::string> expected;
  for (std::size_t k = 0; k < groups; ++k) expected.push_back(shown(call(accrue::serial{}, group(k))));
  CHECK(results_of<result>(space, groups, [&](auto out) { call(space, grouping, out); }) == expected);
}

/// The reductions that all groupings go through.
template <class T, class Grouping, class Group>
void check_all(const hook::space& space, std::size_t groups, bool empty, const Grouping& grouping, const Group& group) {
  const auto run = [&](const auto& call) { check(space, groups, grouping, group, call); };
  run([](const auto& s, const auto&... x) { return accrue::sum(s, x...); });
  run([](const auto& s, const auto&... x) { return accrue::norm2(s, x...); });
  if constexpr (on_host || std::is_same_v<T, double>) {  // kernels take long to compile
    run([](const auto& s, const auto&... x) { return accrue::sum(s, x..., accrue::ordered); });
  }
  if (empty) return;
  run([](const auto& s, const auto&... x) { return accrue::mean(s, x...); });
  run([](const auto& s, const auto&... x) { return accrue::argmax(s, x...); });
  if constexpr (std::is_same_v<T, double>) {
    run([](const auto& s, const auto&... x) { return accrue::moments(s, x...); });
  }
}

/// As an mdspan of rank 3.
struct tensor3 {
  const double* p;
  std::size_t extents[3];
  std::ptrdiff_t strides[3];
  static constexpr std::size_t rank() { return 3; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t d) const { return strides[d]; }
  [[nodiscard]] const double* data_handle() const { return p; }
};

/// A few ways of running; hosts have dozens, which differ in how a group that a whole team shares is merged.
std::vector<hook::space> few_variants() {
  if (played) return {hook::make()};
  std::vector<hook::space> all = hook::variants();
  if (!on_host || all.size() < 4) return all;
  return {all.front(), hook::make(), all[all.size() / 2], all.back()};
}

struct shape {
  std::size_t rows;
  std::size_t columns;
  std::size_t padding;
};
constexpr shape shapes[] = {{1, 1, 0},   {7, 3, 0}, {300, 1, 0},  {300, 2, 0},   {100, 8, 0},    {37, 33, 2},
                            {9, 257, 0}, {2, 9, 4}, {4, 5000, 1}, {1, 40000, 0}, {30000, 3, 0}, {5000, 90, 3}};

}  // namespace

TEMPLATE_TEST_CASE("rows and columns of a matrix", "[groupings]", double, accrue::half, std::int32_t) {
  for (const shape& s : shapes) {
    const std::size_t rows = s.rows;
    const std::size_t columns = s.columns;
    const std::size_t stride = columns + s.padding;
    const auto x = sequence<TestType>(distribution::wide, next_seed(), rows * stride);
    CAPTURE(rows, columns, stride);
    for (const auto& space : few_variants()) {
      const hook::array<TestType> there(space, x);
      const auto matrix = accrue::view(there.get().data(), rows, columns, stride);
      if (rows <= most_groups) {
        check_all<TestType>(space, rows, false, accrue::rows(matrix),
                            [&](std::size_t k) { return accrue::view(x.data() + k * stride, columns); });
      }
      if (columns <= most_groups) {
        check_all<TestType>(space, columns, false, accrue::columns(matrix),
                            [&](std::size_t k) { return accrue::view(x.data() + k, rows, stride); });
      }
    }
  }
}

TEST_CASE("lines of an array of rank 3", "[groupings]") {
  const std::size_t shapes_of_three[][3] = {{3, 2, 2}, {2, 5000, 3}, {1, 4, 2}, {40, 30, 70}};
  for (const auto& e : shapes_of_three) {
    if (played && e[0] > 3) continue;
    const std::size_t padded = e[2] + 1;
    const auto x = sequence<double>(distribution::wide, next_seed(), e[0] * e[1] * padded);
    const auto space = hook::make();
    const hook::array<double> there(space, x);
    const auto by = static_cast<std::ptrdiff_t>(padded);
    const tensor3 t{there.get().data(), {e[0], e[1], e[2]}, {static_cast<std::ptrdiff_t>(e[1]) * by, by, 1}};
    CAPTURE(e[0], e[1], e[2]);
    const auto line = [&](std::size_t d, std::size_t k) {  // group k along dimension d
      const std::size_t fast = e[d == 2 ? 1 : 2];
      std::size_t at[3] = {};
      at[d == 2 ? 1 : 2] = k % fast;
      at[d == 0 ? 1 : 0] = k / fast;
      return accrue::view(x.data() + (at[0] * e[1] + at[1]) * padded + at[2], e[d], t.strides[d]);
    };
    const auto along = [&]<std::size_t d>(std::integral_constant<std::size_t, d>) {
      const std::size_t groups = e[0] * e[1] * e[2] / e[d];
      if (groups > (played ? 20 : most_groups)) return;
      check_all<double>(space, groups, false, accrue::axis<d>(t), [&](std::size_t k) { return line(d, k); });
    };
    along(std::integral_constant<std::size_t, 0>{});
    along(std::integral_constant<std::size_t, 1>{});
    along(std::integral_constant<std::size_t, 2>{});
  }
}

TEMPLATE_TEST_CASE("segments: empty ones, and a giant among many", "[groupings]", std::int32_t, std::uint64_t) {
  for (const auto kind : {distribution::normal, distribution::wide, distribution::nan}) {
    const std::size_t n = 50000;
    const auto x = sequence<double>(kind, next_seed(), n);
    std::vector<TestType> offsets{0, 0, 1};
    const auto seed = next_seed();
    while (offsets.back() < 8000 && offsets.size() < most_groups) {
      const std::uint64_t r = random_bits(seed, offsets.size());
      offsets.push_back(static_cast<TestType>(static_cast<std::uint64_t>(offsets.back()) + r % (r % 7 == 0 ? 300 : 9)));
    }
    offsets.push_back(static_cast<TestType>(n - 10));  // the giant
    offsets.push_back(static_cast<TestType>(n));
    const std::size_t groups = offsets.size() - 1;
    for (const auto& space : hook::variants()) {
      const hook::array<double> there(space, x);
      const hook::array<TestType> at(space, offsets);
      const auto grouping = accrue::segments(there.get(), at.get());
      const auto segment = [&](std::size_t k) { return accrue::slice(x, offsets[k], offsets[k + 1] - offsets[k]); };
      if constexpr (on_host || std::is_same_v<TestType, std::int32_t>) {
        check_all<double>(space, groups, true, grouping, segment);
      } else {  // kernels take long to compile
        check(space, groups, grouping, segment, [](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
      }
      if constexpr (!on_host) break;
    }
  }
}

TEST_CASE("segments for a whole device, more than it lists, among short ones", "[groupings]") {
  const std::size_t giants = played ? 2 : 10;
  const std::size_t giant = (std::size_t{1} << 18) + 1;
  const auto x = sequence<double>(distribution::wide, next_seed(), giants * (giant + 3));
  std::vector<std::int64_t> offsets{0};
  for (std::size_t k = 0; k < giants; ++k) {
    for (const std::size_t n : {std::size_t{1}, giant + k % 2, 2 - k % 2}) offsets.push_back(offsets.back() + static_cast<std::int64_t>(n));
  }
  const auto space = hook::make();
  const hook::array<double> there(space, x);
  const hook::array<std::int64_t> at(space, offsets);
  const auto segment = [&](std::size_t k) {
    return accrue::slice(x, static_cast<std::size_t>(offsets[k]), static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
  };
  const auto grouping = accrue::segments(there.get(), at.get());
  const std::size_t groups = offsets.size() - 1;
  for (int again = 0; again < 2; ++again) {  // the memory of the calls is as it was
    check(space, groups, grouping, segment, [](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
    check(space, groups, grouping, segment, [](const auto& s, const auto&... v) { return accrue::max(s, v...); });
  }
}

TEST_CASE("sums of short groups that few doubles hold, almost or not", "[groupings]") {
  const auto space = hook::make();
  for (const std::size_t columns : {1u, 2u, 5u, 40u}) {
    const std::size_t rows = played ? 45 : 300;
    std::vector<double> x(rows * columns);
    std::vector<double> y(rows * columns);
    const std::uint64_t seed = next_seed();
    for (std::size_t k = 0; k < rows; ++k) {
      for (std::size_t i = k * columns; i < (k + 1) * columns; ++i) {
        const double v = element<double>(distribution::log_uniform, seed, i, k % 7 == 0 ? 4096 : 20 * (k % 7));
        const bool cancels = i > k * columns && random_bits(seed + 1, i) % 3 == 0;
        x[i] = cancels ? std::nextafter(-x[i - 1], v) : k % 11 == 0 ? std::round(normal(seed, i) * 4) : v;
        y[i] = element<double>(distribution::log_uniform, seed + 2, i, k % 5 == 0 ? 4096 : 40);
      }
    }
    std::vector<float> f(x.begin(), x.end());
    CAPTURE(columns, seed);
    const auto check_rows = [&](const auto& values, const auto& call) {
      const hook::array<typename std::remove_cvref_t<decltype(values)>::value_type> there(space, values);
      const auto matrix = accrue::view(there.get().data(), rows, columns, static_cast<std::ptrdiff_t>(columns));
      check(space, rows, accrue::rows(matrix), [&](std::size_t k) { return accrue::slice(values, k * columns, columns); }, call);
      const auto turned = accrue::view(there.get().data(), columns, rows, static_cast<std::ptrdiff_t>(rows));
      check(space, rows, accrue::columns(turned),
            [&](std::size_t k) { return accrue::view(values.data() + k, columns, static_cast<std::ptrdiff_t>(rows)); }, call);
    };
    const auto check_both = [&](const auto& call) {
      check_rows(x, call);
      check_rows(f, call);
    };
    check_both([](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
    check_both([](const auto& s, const auto&... v) { return accrue::mean(s, v...); });
    check_rows(f, [](const auto& s, const auto&... v) { return accrue::sum_abs(s, v...); });
    check_both([](const auto& s, const auto&... v) { return accrue::norm2(s, v...); });
    const hook::array<double> dx(space, x), dy(space, y);
    const auto a = accrue::rows(accrue::view(dx.get().data(), rows, columns, static_cast<std::ptrdiff_t>(columns)));
    const auto b = accrue::rows(accrue::view(dy.get().data(), rows, columns, static_cast<std::ptrdiff_t>(columns)));
    std::vector<std::string> expected;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto row = [&](const auto& values) { return accrue::slice(values, k * columns, columns); };
      expected.push_back(shown(accrue::dot(accrue::serial{}, row(x), row(y))));
    }
    CHECK(results_of<double>(space, rows, [&](auto out) { accrue::dot(space, a, b, out); }) == expected);
  }
}

TEST_CASE("rows whose sums overflow at the end, or not quite", "[groupings]") {
  const double most = std::numeric_limits<double>::max();
  const std::vector<double> x{most, 0x1p969, 0x1p969, -most, -0x1p969, -0x1p969, most, 0x1p969, 0x1.fffffffffffffp968,
                              most, most,    -most,   most,  0x1p970,  -0x1p970,  most, -most,   0x1p-1074};
  const auto space = hook::make();
  const hook::array<double> there(space, x);
  const auto row = [&](std::size_t k) { return accrue::slice(x, 3 * k, 3); };
  for (const std::size_t rows : {2u, 6u}) {  // the last four take another way, and the others with them
    const auto matrix = accrue::view(there.get().data(), rows, 3, 3);
    check(space, rows, accrue::rows(matrix), row, [](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
    check(space, rows, accrue::rows(matrix), row, [](const auto& s, const auto&... v) { return accrue::mean(s, v...); });
  }
}

TEST_CASE("groupings of two inputs, of complex numbers, fused and with users' reducers", "[groupings]") {
  const std::size_t rows = played ? 5 : 41;
  const std::size_t columns = 97;
  const auto x = sequence<double>(distribution::normal, next_seed(), rows * columns);
  const auto y = sequence<double>(distribution::wide, next_seed(), rows * columns);
  const auto space = hook::make();
  const hook::array<double> dx(space, x), dy(space, y);
  const auto a = accrue::view(dx.get().data(), rows, columns, columns);
  const auto b = accrue::view(dy.get().data(), rows, columns, columns);
  const auto row = [&](const std::vector<double>& v, std::size_t k) { return accrue::view(v.data() + k * columns, columns); };

  std::vector<std::string> dots, spreads, both, norms;
  const auto fused = accrue::fuse(accrue::sum_of<double>{}, accrue::argmin_of<double>{});
  const auto numbers = [&](std::size_t k) {
    return accrue::view(reinterpret_cast<const std::complex<double>*>(x.data()) + k * (columns / 2), columns / 2);
  };
  for (std::size_t k = 0; k < rows; ++k) {
    dots.push_back(shown(accrue::dot(accrue::serial{}, row(x, k), row(y, k))));
    spreads.push_back(shown(accrue::reduce(accrue::serial{}, row(x, k), spread_of{})));
    both.push_back(shown(accrue::reduce(accrue::serial{}, row(x, k), fused)));
    norms.push_back(shown(accrue::norm2(accrue::serial{}, numbers(k))));
  }
  CHECK(results_of<double>(space, rows, [&](auto out) { accrue::dot(space, accrue::rows(a), accrue::rows(b), out); }) == dots);
  CHECK(results_of<double>(space, rows, [&](auto out) { accrue::reduce(space, accrue::rows(a), spread_of{}, out); }) == spreads);
  using tuple = decltype(accrue::reduce(space, dx.get(), fused));
  CHECK(results_of<tuple>(space, rows, [&](auto out) { accrue::reduce(space, accrue::rows(a), fused, out); }) == both);
  const auto in_order = accrue::fuse(accrue::min_of<double>{}, accrue::sum_of<double, double, accrue::ordered_t>{});
  using ordered_tuple = decltype(accrue::reduce(space, dx.get(), in_order));
  std::vector<std::string> ordered_too;
  for (std::size_t k = 0; k < rows; ++k) ordered_too.push_back(shown(accrue::reduce(accrue::serial{}, row(x, k), in_order)));
  CHECK(results_of<ordered_tuple>(space, rows, [&](auto out) { accrue::reduce(space, accrue::rows(a), in_order, out); }) == ordered_too);
  const auto z = accrue::view(reinterpret_cast<const std::complex<double>*>(dx.get().data()), rows, columns / 2, columns / 2);
  CHECK(results_of<double>(space, rows, [&](auto out) { accrue::norm2(space, accrue::rows(z), out); }) == norms);
  norms.clear();
  for (std::size_t k = 0; k < columns / 2; ++k) {
    const auto* column = reinterpret_cast<const std::complex<double>*>(x.data()) + k;
    norms.push_back(shown(accrue::norm2(accrue::serial{}, accrue::view(column, rows, columns / 2))));
  }
  CHECK(results_of<double>(space, columns / 2, [&](auto out) { accrue::norm2(space, accrue::columns(z), out); }) == norms);

  std::vector<int> offsets{0};
  for (std::size_t k = 0; k < rows; ++k) offsets.push_back(static_cast<int>((k + 1) * columns));
  const hook::array<int> at(space, offsets);
  std::vector<std::string> masked_dots;
  for (std::size_t k = 0; k < rows; ++k) {
    masked_dots.push_back(shown(accrue::dot(accrue::serial{}, accrue::where(row(x, k), is_positive{}), row(y, k))));
  }
  CHECK(results_of<double>(space, rows, [&](auto out) {
          accrue::dot(space, accrue::segments(accrue::where(dx.get(), is_positive{}), at.get()), accrue::segments(dy.get(), at.get()), out);
        }) == masked_dots);
}

TEMPLATE_TEST_CASE("groups by keys in any order", "[groupings]", std::int32_t, std::uint8_t, std::int64_t) {
  struct {
    std::size_t n;
    std::size_t groups;
  } const cases[] = {{0, 3}, {1, 1}, {5, 200}, {3000, 7}, {1000, 260}, {70000, 120}, {40000, 8191}, {40000, 9000}};
  for (const auto& c : cases) {
    if (c.groups > (played ? 300 : most_groups) || c.groups > static_cast<std::size_t>(std::numeric_limits<TestType>::max())) continue;
    const auto x = sequence<double>(distribution::wide, next_seed(), c.n);
    const auto seed = next_seed();
    for (const bool ascending : {false, true}) {
      std::vector<TestType> keys(c.n);
      for (std::size_t i = 0; i < c.n; ++i) {  // half of them in few groups
        const std::uint64_t r = random_bits(seed, i);
        keys[i] = static_cast<TestType>((r & 1) != 0 ? (r >> 1) % c.groups : (r >> 1) % (c.groups / 50 + 1));
      }
      if (ascending) std::sort(keys.begin(), keys.end());
      std::vector<std::vector<double>> members(c.groups);
      for (std::size_t i = 0; i < c.n; ++i) members[static_cast<std::size_t>(keys[i])].push_back(x[i]);
      const auto group = [&](std::size_t k) { return std::span<const double>(members[k]); };
      CAPTURE(c.n, c.groups, ascending, seed);
      for (const auto& space : few_variants()) {
        const hook::array<double> there(space, x);
        const hook::array<TestType> at(space, keys);
        const auto grouping = accrue::grouped(there.get(), at.get(), c.groups);
        check(space, c.groups, grouping, group, [](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
        if constexpr (on_host || std::is_same_v<TestType, std::int32_t>) {  // kernels take long to compile
          check(space, c.groups, grouping, group, [](const auto& s, const auto&... v) { return accrue::sum(s, v..., accrue::ordered); });
        }
      }
    }
  }
}

TEST_CASE("groups by keys: two inputs, masks, other elements, keys to skip, one group with everything special", "[groupings]") {
  const std::size_t n = 20000;
  const std::size_t groups = 11;
  const auto x = sequence<double>(distribution::normal, next_seed(), n);
  auto y = sequence<double>(distribution::wide, next_seed(), n);
  const auto h = sequence<accrue::half>(distribution::uniform, next_seed(), n);
  std::vector<int> keys(n);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(random_bits(seed, i) % (groups + 3)) - 2;  // -2, -1 and 11 are no group's
  for (std::size_t i = 0; i < n; i += 13) {
    if (keys[i] == 5) y[i] = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  }
  std::vector<std::vector<double>> xs(groups), ys(groups);
  std::vector<std::vector<accrue::half>> hs(groups);
  for (std::size_t i = 0; i < n; ++i) {
    if (keys[i] < 0 || keys[i] >= static_cast<int>(groups)) continue;
    xs[static_cast<std::size_t>(keys[i])].push_back(x[i]);
    ys[static_cast<std::size_t>(keys[i])].push_back(y[i]);
    hs[static_cast<std::size_t>(keys[i])].push_back(h[i]);
  }
  std::vector<std::string> dots, sums, masked, tuples, places, halves;
  const auto fused = accrue::fuse(accrue::sum_of<double>{}, accrue::min_of<double>{});
  for (std::size_t k = 0; k < groups; ++k) {
    const accrue::serial alone;
    dots.push_back(shown(accrue::dot(alone, xs[k], ys[k])));
    sums.push_back(shown(accrue::sum(alone, ys[k])));
    masked.push_back(shown(accrue::sum(alone, accrue::where(xs[k], is_positive{}))));
    tuples.push_back(shown(accrue::reduce(alone, xs[k], fused)));
    places.push_back(shown(accrue::argmin(alone, xs[k])));
    halves.push_back(shown(accrue::sum(alone, hs[k])));
  }
  for (const auto& space : few_variants()) {
    const hook::array<double> dx(space, x), dy(space, y);
    const hook::array<accrue::half> dh(space, h);
    const hook::array<int> at(space, keys);
    const auto by_key = [&](const auto& v) { return accrue::grouped(v, at.get(), groups, accrue::skip_other_keys); };
    CHECK(results_of<double>(space, groups, [&](auto out) { accrue::dot(space, by_key(dx.get()), by_key(dy.get()), out); }) == dots);
    CHECK(results_of<double>(space, groups, [&](auto out) { accrue::sum(space, by_key(dy.get()), out); }) == sums);
    if constexpr (on_host || played) {  // kernels take long to compile
      CHECK(results_of<float>(space, groups, [&](auto out) { accrue::sum(space, by_key(dh.get()), out); }) == halves);
      using tuple = decltype(accrue::reduce(space, dx.get(), fused));
      CHECK(results_of<tuple>(space, groups, [&](auto out) { accrue::reduce(space, by_key(dx.get()), fused, out); }) == tuples);
    }
    CHECK(results_of<double>(space, groups, [&](auto out) {
            accrue::sum(space, by_key(accrue::where(dx.get(), is_positive{})), out);
          }) == masked);
    using position = accrue::position<double>;
    CHECK(results_of<position>(space, groups, [&](auto out) { accrue::argmin(space, by_key(dx.get()), out); }) == places);
    const hook::array<double> memory(space, std::vector<double>(groups, 0.0));
    auto* out = const_cast<double*>(memory.get().data());
    CHECK(code_of([&] {
            accrue::sum(space, accrue::grouped(dx.get(), at.get(), groups), out);
            space.synchronize();
          }) == accrue::errc::out_of_range);
    const hook::array<int> others(space, keys);
    CHECK(code_of([&] {
            accrue::dot(space, by_key(dx.get()), accrue::grouped(dy.get(), others.get(), groups, accrue::skip_other_keys), out);
          }) == accrue::errc::invalid_argument);
    CHECK(code_of([&] { accrue::sum(space, accrue::grouped(dx.get(), accrue::slice(at.get(), 0, 5), groups), out); }) ==
          accrue::errc::size_mismatch);
  }
}

namespace {

/// What partial results give when their states are ended in the space's memory.
template <class R>
std::vector<std::string> ended_there(const hook::space& space, const accrue::partial_results<R>& p) {
  using state = typename R::state;
  const std::vector<state> states(p.states().begin(), p.states().end());
  using result = decltype(p[0].finish());
  return results_of<result>(space, p.size(), [&](auto out) {
    if constexpr (requires { finish_groups_on_device(space, p.reducer(), states.data(), p.size(), out.data()); }) {
      finish_groups_on_device(space, p.reducer(), states.data(), p.size(), out.data());
    } else {
      const hook::array<state> there(space, states);
      accrue::finish_into(space, p.reducer(), there.get().data(), p.size(), out.data());
      space.synchronize();
    }
  });
}
template <class R>
std::vector<std::string> finished(const accrue::partial_results<R>& p) {
  std::vector<decltype(p[0].finish())> results(p.size());
  p.finish(results);
  std::vector<std::string> text;
  for (const auto& r : results) text.push_back(shown(r));
  return text;
}
/// Merges the partial results of pieces, by way of bytes, as if they came from other processes.
template <class R>
accrue::partial_results<R> merged(const std::vector<accrue::partial_results<R>>& pieces) {
  accrue::partial_results<R> all(pieces[0].size(), pieces[0].reducer());
  for (std::size_t k = pieces.size(); k-- > 0;) all += accrue::partial_results<R>::from_bytes(pieces[k].to_bytes());
  return all;
}

}  // namespace

TEST_CASE("partial results of groupings merge to the bits of one call", "[groupings]") {
  const std::size_t rows = played ? 9 : 130;
  const std::size_t columns = 61;
  const std::size_t cuts[] = {0, 7, 7, 40, columns};  // a piece without elements among them
  for (const auto kind : {distribution::normal, distribution::wide, distribution::infinity}) {
    auto x = sequence<double>(kind, next_seed(), rows * columns);
    if (kind == distribution::infinity) x[columns * 3] = std::numeric_limits<double>::quiet_NaN();
    const auto space = hook::make();
    const hook::array<double> there(space, x);
    using sum_reducer = accrue::sum_of<double>;
    using place_reducer = accrue::argmin_of<double>;
    std::vector<accrue::partial_results<sum_reducer>> sums;
    std::vector<accrue::partial_results<place_reducer>> places;
    for (std::size_t c = 0; c + 1 < std::size(cuts); ++c) {
      const auto piece = accrue::view(there.get().data() + cuts[c], rows, cuts[c + 1] - cuts[c], columns);
      sums.push_back(accrue::partial(space, accrue::rows(piece), sum_reducer{}));
      places.push_back(accrue::partial(space, accrue::rows(piece), place_reducer{}));
      places.back().move_positions(cuts[c]);
    }
    std::vector<std::string> expected_sums, expected_places;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto row = accrue::slice(x, k * columns, columns);
      expected_sums.push_back(shown(accrue::sum(accrue::serial{}, row)));
      expected_places.push_back(shown(accrue::argmin(accrue::serial{}, row)));
    }
    const auto all_sums = merged(sums);
    const auto all_places = merged(places);
    CHECK(finished(all_sums) == expected_sums);
    CHECK(finished(all_places) == expected_places);
    CHECK(ended_there(space, all_sums) == expected_sums);
    CHECK(ended_there(space, all_places) == expected_places);
    CHECK(shown(all_sums[rows - 1].finish()) == expected_sums.back());
    const auto at_once = accrue::partial(accrue::serial{}, accrue::rows(accrue::view(x.data(), rows, columns, columns)), sum_reducer{});
    CHECK(at_once.to_bytes() == all_sums.to_bytes());
    if (kind == distribution::normal) CHECK(all_sums.to_bytes().size() < 64 + 64 * rows);
    auto words = accrue::partial_results<sum_reducer>(rows);
    for (const auto& p : sums) {
      auto copy = p;
      for (std::size_t w = 0; w < words.words().size(); ++w) words.words()[w] += copy.words()[w];
    }
    CHECK(finished(words) == expected_sums);
    auto one = accrue::partial_results<sum_reducer>(rows);
    one.merge(rows / 2, accrue::partial(accrue::serial{}, accrue::slice(x, rows / 2 * columns, columns), sum_reducer{}));
    CHECK(finished(one)[rows / 2] == expected_sums[rows / 2]);
  }
}

TEST_CASE("partial results of segments, keys and two inputs", "[groupings]") {
  const std::size_t n = played ? 900 : 9000;
  const std::size_t groups = 11;
  const auto x = sequence<double>(distribution::wide, next_seed(), n);
  const auto y = sequence<double>(distribution::normal, next_seed(), n);
  std::vector<int> offsets{0};
  for (std::size_t k = 1; k < groups; ++k) offsets.push_back(static_cast<int>(k == 3 ? offsets.back() : k * n / groups));
  offsets.push_back(static_cast<int>(n));
  std::vector<int> keys(n);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(random_bits(seed, i) % groups);
  const auto space = hook::make();
  const hook::array<double> dx(space, x), dy(space, y);
  const hook::array<int> at(space, offsets), by(space, keys);
  using dots = accrue::dot_of<double>;
  using sums = accrue::sum_of<double>;
  const auto here = [](const auto&... a) { return finished(accrue::partial(accrue::serial{}, a...)); };
  CHECK(finished(accrue::partial(space, accrue::segments(dx.get(), at.get()), accrue::segments(dy.get(), at.get()), dots{})) ==
        here(accrue::segments(x, offsets), accrue::segments(y, offsets), dots{}));
  CHECK(finished(accrue::partial(space, accrue::grouped(dx.get(), by.get(), groups), sums{})) ==
        here(accrue::grouped(x, keys, groups), sums{}));
  if constexpr (on_host || played) {  // kernels take long to compile
    const auto several = accrue::fuse(accrue::sum_of<double>{}, accrue::max_of<double>{}, accrue::argmin_of<double>{});
    const auto p = accrue::partial(space, accrue::rows(accrue::view(dx.get().data(), 9, n / 9, n / 9)), several);
    CHECK(finished(p) == here(accrue::rows(accrue::view(x.data(), 9, n / 9, n / 9)), several));
    CHECK(ended_there(space, p) == finished(p));
  }
  const auto totals = accrue::partial(space, accrue::grouped(dx.get(), by.get(), groups), sums{});
  std::vector<double> direct(groups), merged_twice(groups);
  accrue::sum(accrue::serial{}, accrue::grouped(x, keys, groups), direct);
  (totals + totals).finish(merged_twice);
  for (std::size_t k = 0; k < groups; ++k) CHECK(bits(merged_twice[k]) == bits(2 * direct[k]));
}

TEST_CASE("positions that count in the whole", "[groupings]") {
  if (over_ranks<hook::space>) return;  // where the front door refuses it
  const std::size_t e[3] = {3, 7, 4};
  const auto x = sequence<double>(distribution::normal, next_seed(), e[0] * e[1] * e[2]);
  const auto space = hook::make();
  const hook::array<double> there(space, x);
  const auto whole_of = [&](std::size_t groups, const auto& grouping) {
    std::vector<accrue::position<double>> found(groups);
    (void)results_of<accrue::position<double>>(space, groups, [&](auto out) {
      accrue::argmax(space, accrue::whole_positions(grouping), out);
      space.synchronize();
      space.copy(found.data(), out.data(), groups * sizeof(found[0]));
      space.synchronize();
    });
    return found;
  };
  /// Each names the element that it says, and the largest of its group.
  const auto check_places = [&](std::size_t groups, const auto& grouping, const auto& of_group) {
    std::vector<accrue::position<double>> largest(groups);
    for (std::size_t i = x.size(); i-- > 0;) {
      if (const std::size_t k = of_group(i); k < groups && (largest[k].index == 0 || x[i] >= largest[k].value)) largest[k] = {x[i], i + 1};
    }
    const auto found = whole_of(groups, grouping);
    for (std::size_t k = 0; k < groups; ++k) {
      CHECK(found[k].index == largest[k].index - 1);
      CHECK(bits(found[k].value) == bits(x[found[k].index]));
    }
  };
  const auto matrix = accrue::view(there.get().data(), 12, 7, 7);
  check_places(12, accrue::rows(matrix), [](std::size_t i) { return i / 7; });
  check_places(7, accrue::columns(matrix), [](std::size_t i) { return i % 7; });
  const tensor3 t{there.get().data(), {e[0], e[1], e[2]}, {28, 4, 1}};
  check_places(12, accrue::axis<1>(t), [](std::size_t i) { return i / 28 * 4 + i % 4; });
  const std::vector<int> offsets{0, 10, 11, 84};
  const hook::array<int> at(space, offsets);
  check_places(3, accrue::segments(there.get(), at.get()), [](std::size_t i) { return i < 10 ? 0u : i < 11 ? 1u : 2u; });
  std::vector<int> keys(x.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>((7 * i + i / 9) % 5);
  const hook::array<int> by(space, keys);
  check_places(5, accrue::grouped(there.get(), by.get(), 5), [&](std::size_t i) { return static_cast<std::size_t>(keys[i]); });
  const std::vector<std::span<const double>> arrays{there.get().subspan(0, 20), there.get().subspan(20, 1), there.get().subspan(21)};
  check_places(3, accrue::batch(arrays), [](std::size_t i) { return i < 20 ? 0u : i < 21 ? 1u : 2u; });
  if constexpr (on_host) {
    const auto both = accrue::fuse(accrue::sum_of<double>{}, accrue::argminmax_of<double>{});
    std::vector<decltype(accrue::reduce(accrue::serial{}, x, both))> results(12);
    accrue::reduce(space, accrue::whole_positions(accrue::rows(matrix)), both, results);
    for (std::size_t k = 0; k < 12; ++k) {
      CHECK(bits(x[std::get<1>(results[k]).min.index]) == bits(std::get<1>(results[k]).min.value));
      CHECK(std::get<1>(results[k]).max.index / 7 == k);
    }
  }
}

TEST_CASE("golden bits of groupings", "[groupings][golden]") {
  const auto golden = read_golden("groups.txt");
  const auto space = hook::make();
  const auto [a, b, c] = golden_extents;
  const hook::array<std::int32_t> offsets(space, golden_offsets());
  std::vector<std::int32_t> of_elements(golden_elements);
  for (std::size_t i = 0; i < of_elements.size(); ++i) of_elements[i] = golden_key(i);
  const hook::array<std::int32_t> keys(space, of_elements);
  for (const distribution kind : golden_kinds) {
    const hook::array<double> x(space, golden_elements_of(kind));
    const auto check_line = [&](const std::string& name, const auto& grouping) {
      const std::size_t groups = grouping.count();
      if (groups > 200 && played) return;
      const auto hash = [&](auto result, const auto& call) {
        using result_type = decltype(result);
        std::vector<result_type> there(groups);
        (void)results_of<result_type>(space, groups, [&](auto out) {
          call(out);
          space.copy(there.data(), out.data(), groups * sizeof(result_type));
          space.synchronize();
        });
        golden_hash h;
        for (const result_type& r : there) {
          if constexpr (std::is_same_v<result_type, double>) {
            h.add(std::isnan(r) ? "nan" : bits(r));
          } else {
            h.add(std::to_string(r.index));
          }
        }
        return h.text();
      };
      std::string line = "sum " + hash(0.0, [&](auto out) { accrue::sum(space, grouping, out); });
      line += " norm2 " + hash(0.0, [&](auto out) { accrue::norm2(space, grouping, out); });
      line += " ordered " + hash(0.0, [&](auto out) { accrue::sum(space, grouping, out, accrue::ordered); });
      std::string expected = golden.at(std::string(to_string(kind)) + " " + name);
      if (expected.ends_with("-") || over_ranks<hook::space>) {
        expected.resize(expected.find(" argmax"));
      } else {
        line += " argmax " + hash(accrue::position<double>{},
                                  [&](auto out) { accrue::argmax(space, accrue::whole_positions(grouping), out); });
      }
      CAPTURE(name);
      CHECK(line == expected);
    };
    const auto* data = x.get().data();
    const auto matrix = accrue::view(data, a, b * c, b * c);
    check_line("rows", accrue::rows(matrix));
    check_line("columns", accrue::columns(matrix));
    const tensor3 tensor{data, {a, b, c}, {static_cast<std::ptrdiff_t>(b * c), static_cast<std::ptrdiff_t>(c), 1}};
    check_line("axis<1>", accrue::axis<1>(tensor));
    check_line("segments", accrue::segments(x.get(), offsets.get()));
    check_line("grouped", accrue::grouped(x.get(), keys.get(), golden_keys));
  }
}

TEST_CASE("a batch of many arrays, long ones among them", "[groupings]") {
  const std::size_t count = played ? 5 : 300;
  const std::size_t longest = played ? 3000 : (std::size_t{1} << 19) + 77;
  const auto x = sequence<double>(distribution::wide, next_seed(), longest + 4000);
  const auto space = hook::make();
  const hook::array<double> there(space, x);
  std::vector<std::span<const double>> arrays, here;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t n = k % 149 == 2 ? longest : random_bits(next_seed(), k) % 900;
    arrays.push_back(there.get().subspan(k % 2000, n));
    here.push_back(std::span(x).subspan(k % 2000, n));
  }
  const auto array = [&](std::size_t k) { return here[k]; };
  check(space, count, accrue::batch(arrays), array, [](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
  check(space, count, accrue::batch(arrays), array, [](const auto& s, const auto&... v) { return accrue::norm_inf(s, v...); });
  if constexpr (!played) {
    const auto ordered_sum = [](const auto& s, const auto&... v) { return accrue::sum(s, v..., accrue::ordered); };
    check(space, count, accrue::batch(arrays), array, ordered_sum);
  }
}

TEST_CASE("bytes that are no partial results of groups are refused", "[groupings]") {
  using reducer = accrue::sum_of<double>;
  using accrue::errc;
  using results = accrue::partial_results<reducer>;
  const std::vector<double> x{1.5, -3e300, 1e-300, 2.0, -5e-324, 7.0};
  const auto read = [](const std::vector<std::byte>& b) { return code_of([&] { (void)results::from_bytes(b); }); };
  const auto p = accrue::partial(accrue::serial{}, accrue::rows(accrue::view(x.data(), 3, 2, 2)), reducer{});
  const auto good = p.to_bytes();
  CHECK(read(good) == errc::success);
  CHECK(read({}) == errc::bad_input);
  CHECK(read(p[0].to_bytes()) == errc::bad_input);
  CHECK(code_of([&] { (void)accrue::partial_result<reducer>::from_bytes(good); }) == errc::bad_input);
  CHECK(code_of([&] { (void)accrue::partial_results<accrue::sum_abs_of<double>>::from_bytes(good); }) == errc::bad_input);
  const auto seed = next_seed();
  for (std::uint64_t k = 0; k < 2000; ++k) {
    auto bad = good;
    bad[random_bits(seed, k) % bad.size()] ^= std::byte{1} << random_bits(seed + 1, k) % 8;
    if (read(bad) != errc::bad_input) FAIL("a damaged bit went unseen");
  }
  const std::size_t header = 48;
  for (std::size_t kept = 0; kept < good.size() - header - 8; ++kept) {  // cut short, with a right length and checksum
    std::vector<std::byte> bad(good.begin(), good.begin() + 40);
    accrue::detail::byte_writer{bad}(static_cast<std::uint64_t>(kept));
    bad.insert(bad.end(), good.begin() + header, good.begin() + static_cast<std::ptrdiff_t>(header + kept));
    accrue::detail::byte_writer{bad}(accrue::detail::checksum(bad));
    if (read(bad) != errc::bad_input) FAIL("bytes that end early went unseen");
  }
  auto two = results(2);
  CHECK(code_of([&] { two += p; }) == errc::size_mismatch);
  CHECK(code_of([&] { (void)two[2]; }) == errc::out_of_range);
  std::vector<double> out(3);
  CHECK(code_of([&] { two.finish(out); }) == errc::size_mismatch);
  std::vector<double> none;
  results().finish(none);
  const auto empty = accrue::partial_results<accrue::min_of<double>>(1);
  CHECK(code_of([&] { empty.finish(out.data()); }) == errc::empty_range);
}

TEST_CASE("what groupings refuse", "[groupings]") {
  const auto space = hook::make();
  const hook::array<double> x(space, std::vector<double>(12, 1.0));
  const auto matrix = accrue::view(x.get().data(), 3, 4, 4);
  const hook::array<double> memory(space, std::vector<double>(8, 0.0));
  auto* out = const_cast<double*>(memory.get().data());
  CHECK(code_of([&] { accrue::sum(space, accrue::rows(matrix), std::span(out, 4)); }) == accrue::errc::size_mismatch);
  CHECK(code_of([&] { accrue::dot(space, accrue::rows(matrix), accrue::columns(matrix), out); }) == accrue::errc::size_mismatch);
  const auto finished = [&](const auto& call) {
    return code_of([&] {
      call();
      space.synchronize();
    });
  };
  const hook::array<int> empty(space, std::vector<int>{0, 5, 5, 12}), beyond(space, std::vector<int>{0, 5, 13}),
      falling(space, std::vector<int>{0, 6, 5, 12});
  CHECK(finished([&] { accrue::sum(space, accrue::segments(x.get(), empty.get()), out); }) == accrue::errc::success);
  CHECK(finished([&] { accrue::min(space, accrue::segments(x.get(), empty.get()), out); }) == accrue::errc::empty_range);
  CHECK(finished([&] { accrue::mean(space, accrue::segments(x.get(), empty.get()), out, accrue::ordered); }) == accrue::errc::empty_range);
  CHECK(finished([&] { accrue::sum(space, accrue::segments(x.get(), beyond.get()), out); }) == accrue::errc::out_of_range);
  CHECK(finished([&] { accrue::sum(space, accrue::segments(x.get(), falling.get()), out); }) == accrue::errc::out_of_range);
  const hook::array<int> late(space, std::vector<int>{1, 5, 12}), early(space, std::vector<int>{0, 5, 11});
  CHECK(finished([&] { accrue::sum(space, accrue::segments(x.get(), late.get()), out); }) == accrue::errc::out_of_range);
  CHECK(finished([&] { accrue::sum(space, accrue::segments(x.get(), early.get()), out); }) == accrue::errc::out_of_range);
}
