// SPDX-License-Identifier: BSD-3-Clause
// Groupings: each result has the bits of the same call on its elements alone.
#include "results_of_groups.hpp"

#include <algorithm>
#include <limits>

using namespace test;

namespace {

/// What calls with groups alone give, in the order of the calls: computed once, and compared with on several spaces.
class results_alone {
 public:
  void start_again() { next_ = 0; }
  template <class Group, class Call>
  const std::vector<std::string>& of_next_call(std::size_t groups, const Group& group, const Call& call) {
    if (next_ == calls_.size()) {
      std::vector<std::string> all;
      for (std::size_t k = 0; k < groups; ++k) all.push_back(shown(call(accrue::serial{}, group(k))));
      calls_.push_back(std::move(all));
    }
    return calls_[next_++];
  }

 private:
  std::vector<std::vector<std::string>> calls_;
  std::size_t next_ = 0;
};

/// A call with a grouping against calls with its groups, which `group(k)` has in host memory.
template <class Grouping, class Group, class Call>
void check(const hook::space& space, results_alone& alone, std::size_t groups, const Grouping& grouping, const Group& group,
           const Call& call) {
  using result = decltype(call(accrue::serial{}, group(0)));
  const auto& expected = alone.of_next_call(groups, group, call);
  CHECK(results_of<result>(space, groups, [&](auto out) { call(space, grouping, out); }) == expected);
}
template <class Grouping, class Group, class Call>
void check(const hook::space& space, std::size_t groups, const Grouping& grouping, const Group& group, const Call& call) {
  results_alone alone;
  check(space, alone, groups, grouping, group, call);
}

/// The reductions that all groupings go through.
template <class T, class Grouping, class Group>
void check_all(const hook::space& space, results_alone& alone, std::size_t groups, bool empty, const Grouping& grouping,
               const Group& group) {
  alone.start_again();
  const auto run = [&](const auto& call) { check(space, alone, groups, grouping, group, call); };
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
template <class T, class Grouping, class Group>
void check_all(const hook::space& space, std::size_t groups, bool empty, const Grouping& grouping, const Group& group) {
  results_alone alone;
  check_all<T>(space, alone, groups, empty, grouping, group);
}

/// Elements of a group, one behind the other: one kind of input for the calls with groups alone.
template <class T>
std::vector<T> elements_at(const T* first, std::size_t n, std::ptrdiff_t stride) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = first[static_cast<std::ptrdiff_t>(i) * stride];
  return x;
}

/// A few ways of running; hosts have dozens, which differ in how a group that a whole team shares is merged.
std::vector<hook::space> few_variants() {
  if (played) return {hook::make()};
  std::vector<hook::space> all = hook::variants();
  if (!on_host || all.size() < 4) return all;
  return {all.front(), hook::make(), all[all.size() / 2], all.back()};
}

struct matrix_shape {
  std::size_t rows;
  std::size_t columns;
  std::size_t padding;
};
constexpr matrix_shape matrix_shapes[] = {{1, 1, 0},  {7, 3, 0}, {300, 1, 0},  {300, 2, 0}, {100, 8, 0},
                                          {37, 33, 2}, {9, 257, 0}, {2, 9, 4}, {4, 5000, 1}, {700, 100, 0}};
constexpr matrix_shape large_shapes[] = {{1, 40000, 0}, {30000, 3, 0}, {5000, 90, 3}, {4500, 9, 0}, {4500, 17, 0}};
/// Rows and columns of a matrix.
template <class T>
void check_matrix(const matrix_shape& s) {
  const std::size_t rows = s.rows;
  const std::size_t columns = s.columns;
  const std::size_t stride = columns + s.padding;
  const auto x = sequence<T>(distribution::wide, next_seed(), rows * stride);
  CAPTURE(rows, columns, stride);
  results_alone of_rows;
  results_alone of_columns;
  for (const auto& space : few_variants()) {
    const hook::array<T> there(space, x);
    const auto matrix = accrue::view(there.get().data(), rows, columns, stride);
    const auto row = [&](std::size_t k) { return elements_at(x.data() + k * stride, columns, 1); };
    const auto column = [&](std::size_t k) { return elements_at(x.data() + k, rows, static_cast<std::ptrdiff_t>(stride)); };
    if (rows <= most_groups) check_all<T>(space, of_rows, rows, false, accrue::rows(matrix), row);
    if (columns <= most_groups) check_all<T>(space, of_columns, columns, false, accrue::columns(matrix), column);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("rows and columns of a matrix", "[groupings]", double, accrue::half, std::int32_t) {
  for (const matrix_shape& s : matrix_shapes) check_matrix<TestType>(s);
}
TEMPLATE_TEST_CASE("rows and columns of a large matrix", "[groupings][long]", double, accrue::half, std::int32_t) {
  for (const matrix_shape& s : large_shapes) check_matrix<TestType>(s);
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
      return elements_at(x.data() + (at[0] * e[1] + at[1]) * padded + at[2], e[d], t.strides[d]);
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

TEST_CASE("columns of an array of rank 3 without gaps, and with", "[groupings]") {
  constexpr std::size_t extents[] = {1100, 3, 9};
  const auto space = hook::make();
  for (const std::size_t padded : {9u, 10u}) {
    CAPTURE(padded);
    const auto by = static_cast<std::ptrdiff_t>(padded);
    const auto x = sequence<double>(distribution::normal, next_seed(), extents[0] * 3 * padded);
    const auto y = sequence<double>(distribution::wide, next_seed(), extents[0] * 3 * padded);
    const hook::array<double> dx(space, x), dy(space, y);
    const auto tensor = [&](const auto& a) { return accrue::axis<0>(tensor3{a.get().data(), {1100, 3, 9}, {3 * by, by, 1}}); };
    const auto column = [&](const std::vector<double>& v, std::size_t k) {
      return elements_at(v.data() + k / 9 * padded + k % 9, extents[0], 3 * by);
    };
    check_all<double>(space, 27, false, tensor(dx), [&](std::size_t k) { return column(x, k); });
    std::vector<std::string> dots;
    for (std::size_t k = 0; k < 27; ++k) dots.push_back(shown(accrue::dot(accrue::serial{}, column(x, k), column(y, k))));
    CHECK(results_of<double>(space, 27, [&](auto out) { accrue::dot(space, tensor(dx), tensor(dy), out); }) == dots);
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
    results_alone alone;
    for (const auto& space : hook::variants()) {
      const hook::array<double> there(space, x);
      const hook::array<TestType> at(space, offsets);
      const auto grouping = accrue::segments(there.get(), at.get());
      const auto segment = [&](std::size_t k) {
        return elements_at(x.data() + offsets[k], static_cast<std::size_t>(offsets[k + 1] - offsets[k]), 1);
      };
      if constexpr (on_host || std::is_same_v<TestType, std::int32_t>) {
        check_all<double>(space, alone, groups, true, grouping, segment);
      } else {  // kernels take long to compile
        alone.start_again();
        check(space, alone, groups, grouping, segment, [](const auto& s, const auto&... v) { return accrue::sum(s, v...); });
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

TEST_CASE("sums of short groups that few doubles hold, almost or not", "[groupings][values]") {
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
    masked.push_back(shown(accrue::sum(alone, accrue::where(xs[k], positive_element{}))));
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
            accrue::sum(space, by_key(accrue::where(dx.get(), positive_element{})), out);
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
