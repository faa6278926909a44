// SPDX-License-Identifier: BSD-3-Clause
// Reducers, functions and predicates of the user's own, and fused reducers. The functions are constexpr, so that every device compiler
// takes them.
#include "reference_tree.hpp"
#include "suite.hpp"

#include <algorithm>
#include <array>

using namespace test;

namespace user {

struct range_length {  // a user's order-free reducer with a state of its own
  using state = std::array<double, 2>;
  static constexpr bool order_free = true;
  constexpr state start() const { return {1e300, -1e300}; }
  constexpr void fold(state& s, double x) const { s = {std::min(s[0], x), std::max(s[1], x)}; }
  constexpr void merge(state& a, const state& b) const { a = {std::min(a[0], b[0]), std::max(a[1], b[1])}; }
  constexpr double finish(const state& s) const { return s[1] - s[0]; }
  std::string kind() const { return "range length"; }
  template <class State, class Visit>
  void fields(State& s, const Visit& visit) const {
    visit(s[0]);
    visit(s[1]);
  }
};

struct negated_count : accrue::count_true {  // what derives from a reducer of accrue's is the user's own
  constexpr std::int64_t finish(const state& s) const { return -static_cast<std::int64_t>(s); }
};
template <class T>
struct negated_sum : accrue::sum_of<T> {
  auto finish(const typename accrue::sum_of<T>::state& s) const { return -accrue::sum_of<T>::finish(s); }
};
struct even {
  constexpr bool operator()(std::int32_t v) const { return v % 2 == 0; }
};

struct first_bits {  // a user's reducer over 16-bit elements as they are
  using state = std::uint64_t;
  constexpr state start() const { return 1; }
  constexpr void fold(state& s, accrue::half x) const { s = s * 31 + x.bits; }
  constexpr void merge(state& a, const state& b) const { a = a * 17 + b; }
  constexpr std::uint64_t finish(const state& s) const { return s; }
};

struct concatenate {  // a user's reducer that shows the order it ran in
  struct state {
    std::uint64_t hash = 7;
  };
  constexpr state start() const { return {}; }
  constexpr void fold(state& s, double x) const { s.hash = s.hash * 1000003 + std::bit_cast<std::uint64_t>(x); }
  constexpr void merge(state& a, const state& b) const { a.hash = a.hash * 998244353 + b.hash * 31 + 1; }
  constexpr std::uint64_t finish(const state& s) const { return s.hash; }
};

struct three_times_plus_one {
  constexpr double operator()(double v) const { return v * 3 + 1; }
};
struct difference {
  constexpr double operator()(double a, double b) const { return a - b; }
};
struct weighted_difference {
  constexpr double operator()(double a, double b, float w) const { return (a - b) * static_cast<double>(w); }
};
struct four_products {
  constexpr double operator()(double a, double b, float w, std::int32_t n) const { return a * b * static_cast<double>(w) * n; }
};
struct halved {
  template <class T>
  constexpr T operator()(T v) const {
    return T(static_cast<float>(v) / 2);
  }
};
struct negative {
  constexpr double operator()(double v) const { return -v; }
};
struct is_positive {
  constexpr int operator()(double v) const { return v > 0 ? 1 : 0; }
};
struct multiple_of_three {
  constexpr bool operator()(int v) const { return v % 3 == 0; }
};
struct below_zero {
  constexpr bool operator()(int v) const { return v < 0; }
};
struct not_below_zero {
  constexpr bool operator()(int v) const { return v >= 0; }
};
struct equals {
  int value;
  constexpr bool operator()(int v) const { return v == value; }
};
struct differs_from {
  int value;
  constexpr bool operator()(int v) const { return v != value; }
};

}  // namespace user

using namespace user;

TEST_CASE("fuse gives each reducer the bits it has alone", "[fuse]") {
  for (const distribution d : {distribution::normal, distribution::log_uniform, distribution::nan}) {
    const auto x = sequence<double>(d, next_seed(), 20001);
    for (const auto& space : hook::variants()) {
      on(space, x, [&](const auto& s, auto r) {
        const auto [sum, low, high, squares, product, count] = accrue::reduce(
            s, r,
            accrue::fuse(accrue::sum_of<double>{}, accrue::min_of<double>{}, accrue::max_of<double>{},
                         accrue::sum_squares_of<double>{}, accrue::product_of<double>{}, accrue::moments_of<double>{}));
        CHECK(bits(sum) == bits(accrue::sum(s, r)));
        CHECK(bits(low) == bits(accrue::min(s, r)));
        CHECK(bits(high) == bits(accrue::max(s, r)));
        CHECK(bits(squares) == bits(accrue::sum_squares(s, r)));
        CHECK(bits(product) == bits(accrue::product(s, r)));
        CHECK(bits(count.variance) == bits(accrue::moments(s, r).variance));
      });
    }
  }
}

TEMPLATE_TEST_CASE("fuse gives each reducer of 16-bit floats what it makes of them as float", "[fuse][values]", accrue::half,
                   accrue::bfloat16) {
  for (const distribution d : {distribution::normal, distribution::log_uniform, distribution::nan}) {
    auto x = sequence<TestType>(distribution::normal, next_seed(), 30001);
    const auto others = sequence<TestType>(d, next_seed(), 9000);  // whole tiles, of other sizes
    std::copy(others.begin(), others.end(), x.begin() + 9000);
    std::vector<float> wide(x.size());
    std::transform(x.begin(), x.end(), wide.begin(), [](TestType v) { return static_cast<float>(v); });
    const accrue::serial host;
    for (const auto& space : hook::variants()) {
      on(space, x, [&](const auto& s, auto r) {
        const auto [sum, low, high] =
            accrue::reduce(s, r, accrue::fuse(accrue::sum_of<TestType>{}, accrue::min_of<TestType>{}, accrue::max_of<TestType>{}));
        CHECK(bits(sum) == bits(accrue::sum(host, wide)));
        CHECK(bits(static_cast<float>(low)) == bits(accrue::min(host, wide)));
        CHECK(bits(static_cast<float>(high)) == bits(accrue::max(host, wide)));
        const auto [squares, moments, least] = accrue::reduce(
            s, r, accrue::fuse(accrue::sum_squares_of<TestType>{}, accrue::moments_of<TestType>{}, accrue::min_of<TestType>{}));
        CHECK(bits(squares) == bits(accrue::sum_squares(host, wide)));
        CHECK(bits(moments.variance) == bits(accrue::moments(host, wide).variance));
        CHECK(bits(static_cast<float>(least)) == bits(accrue::min(host, wide)));
        const auto [exact, fast] =
            accrue::reduce(s, r, accrue::fuse(accrue::sum_abs_of<TestType>{}, accrue::sum_abs_of<TestType, float, accrue::fast_t>{}));
        CHECK(bits(exact) == bits(accrue::sum_abs(host, wide)));
        if (exact < 0x1p100f) CHECK(std::fabs(fast / exact - 1) < 1e-3f);
      });
    }
  }
}

TEST_CASE("user reducers, transforms and reduce_into", "[reduce]") {
  const auto x = sequence<double>(distribution::normal, next_seed(), 7000);
  const auto y = sequence<double>(distribution::uniform, next_seed(), 7000);
  const auto expected = range_length{}.finish([&] {
    auto s = range_length{}.start();
    for (const double v : x) range_length{}.fold(s, v);
    return s;
  }());
  oracle cubes, mixed;
  for (std::size_t i = 0; i < x.size(); ++i) {
    cubes.add(x[i] * 3 + 1);
    mixed.add(x[i] - y[i]);
  }
  const auto alone = hook::make();
  const hook::array<double> shorter(alone, std::vector<double>{1});
  const hook::array<double> longer(alone, std::vector<double>{1, 2});
  CHECK(code_of([&] { accrue::transform_reduce(alone, shorter.get(), longer.get(), accrue::plus{}, difference{}); }) ==
        accrue::errc::size_mismatch);
  for (const auto& space : hook::variants()) {
    const hook::array<double> a(space, x);
    const hook::array<double> b(space, y);
    CHECK(accrue::reduce(space, a.get(), range_length{}) == expected);
    CHECK(accrue::reduce(space, a.get(), range_length{}, accrue::fast) == expected);
    const hook::array<double> result(space, std::vector<double>{0});
    accrue::reduce_into(space, a.get(), range_length{}, const_cast<double*>(result.get().data()));
    CHECK(result.host() == std::vector{expected});
    CHECK(bits(accrue::transform_reduce(space, a.get(), accrue::plus{}, three_times_plus_one{})) ==
          bits(cubes.round<double>()));
    CHECK(bits(accrue::transform_reduce(space, a.get(), b.get(), accrue::plus{}, difference{})) ==
          bits(mixed.round<double>()));
    CHECK(accrue::transform_reduce(space, a.get(), accrue::maximum{}, negative{}) == -accrue::min(space, a.get()));
    CHECK(accrue::transform_reduce(space, a.get(), accrue::plus{}, is_positive{}) ==
          static_cast<std::int64_t>(accrue::count_if(space, a.get(), is_positive{})));
  }
}

TEST_CASE("user reducers over 16-bit floats, alone and fused", "[reduce]") {
  const auto x = sequence<accrue::half>(distribution::normal, next_seed(), 300);
  const auto alone = on(x, [](const auto& s, auto r) { return accrue::reduce(s, r, first_bits{}); });
  CHECK(on(x, [](const auto& s, auto r) { return accrue::reduce(s, r, accrue::detail::tiled<first_bits>{}); }) == alone);
  const auto [sum] =
      on(x, [](const auto& s, auto r) { return accrue::reduce(s, r, accrue::fuse(accrue::sum_of<accrue::half>{})); });
  CHECK(bits(sum) == bits(on(x, [](const auto& s, auto r) { return accrue::sum(s, r); })));
}

TEMPLATE_TEST_CASE("functions that return 16-bit floats", "[reduce]", accrue::half, accrue::bfloat16) {
  using T = TestType;
  const auto x = sequence<T>(distribution::normal, next_seed(), 9000);
  std::vector<T> y;
  for (const T v : x) y.push_back(user::halved{}(v));
  const auto space = hook::make();
  const hook::array<T> there(space, x);
  const accrue::sum_of<T, float, accrue::ordered_t> in_order{};
  CHECK(bits(accrue::transform_reduce(space, there.get(), accrue::plus{}, user::halved{})) == bits(accrue::sum(accrue::serial{}, y)));
  CHECK(bits(accrue::transform_reduce(space, there.get(), in_order, user::halved{})) ==
        bits(accrue::sum(accrue::serial{}, y, accrue::ordered)));
}

TEST_CASE("partial results of user reducers, of transforms and of several reducers", "[partial]") {
  const auto x = sequence<double>(distribution::wide, next_seed(), 5001);
  const std::vector<double> left(x.begin(), x.begin() + 1200);
  const std::vector<double> right(x.begin() + 1200, x.end());
  const auto check = [&](const auto& reducer, const auto& expected) {
    auto p = on(right, [&](const auto& s, auto r) { return accrue::partial(s, r, reducer); });
    if constexpr (accrue::detail::has_positions<std::remove_cvref_t<decltype(reducer)>>) p.move_positions(left.size());
    p += accrue::partial(accrue::serial{}, left, reducer);
    p = decltype(p)::from_bytes(p.to_bytes(), reducer);
    CHECK(p.finish() == expected);
    for (const auto& space : hook::variants()) CHECK(ended(space, p) == expected);
  };
  const accrue::serial serial;
  check(user::range_length{}, accrue::reduce(serial, x, user::range_length{}));
  const auto named = accrue::fuse(accrue::sum_of<double>{}, accrue::argmin_of<double>{}, accrue::mean_of<double>{});
  check(named, accrue::reduce(serial, x, named));
  const auto mixed = accrue::fuse(user::range_length{}, accrue::max_of<double>{});
  check(mixed, accrue::reduce(serial, x, mixed));
  const auto own = accrue::fuse(user::range_length{}, user::range_length{});
  check(own, accrue::reduce(serial, x, own));
  const std::vector<std::int32_t> n{1, 2, 3, 4, 6};
  const auto count = on(n, [](const auto& s, auto r) { return accrue::transform_partial(s, r, accrue::count_true{}, user::even{}); });
  CHECK(count.finish() == 3);
  CHECK(count.words().size() == 1);
}

TEST_CASE("a reducer that derives from another runs as itself", "[reduce]") {
  const std::vector<std::int32_t> n{1, 2, 3, 4, 6};
  on(n, [](const auto& s, auto r) { CHECK(accrue::transform_reduce(s, r, user::negated_count{}, user::even{}) == -3); });
  const accrue::serial serial;
  for (const std::size_t size : {std::size_t{3}, std::size_t{5000}}) {  // one tile, and several
    const std::vector<std::int32_t> ones(size, 1);
    const std::vector<double> halves(size, 0.5);
    CHECK(accrue::reduce(serial, ones, user::negated_sum<std::int32_t>{}) == -static_cast<std::int64_t>(size));
    CHECK(accrue::reduce(serial, halves, user::negated_sum<double>{}) == -0.5 * static_cast<double>(size));
  }
}

TEST_CASE("functions of three and four arrays", "[reduce]") {
  for (const std::size_t n : {0u, 1u, 77u, 5000u}) {
    const auto seed = next_seed();
    std::vector<double> x(n);
    std::vector<double> y(n);
    std::vector<float> w(n);
    std::vector<std::int32_t> k(n);
    oracle differences;
    oracle products;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = random_unit(seed, i) - 0.5;
      y[i] = random_unit(seed + 1, i) - 0.25;
      w[i] = static_cast<float>(random_unit(seed + 2, i));
      k[i] = static_cast<std::int32_t>(i % 7) - 3;
      differences.add(user::weighted_difference{}(x[i], y[i], w[i]));
      products.add(user::four_products{}(x[i], y[i], w[i], k[i]));
    }
    for (const auto& space : hook::variants()) {
      const hook::array<double> a(space, x);
      const hook::array<double> b(space, y);
      const hook::array<float> c(space, w);
      const hook::array<std::int32_t> d(space, k);
      const accrue::plus plus;
      const auto total = accrue::transform_reduce(space, plus, user::weighted_difference{}, a.get(), b.get(), c.get());
      CHECK(bits(total) == bits(differences.round<double>()));
      CHECK(bits(accrue::transform_reduce(space, plus, user::four_products{}, a.get(), b.get(), c.get(), d.get())) ==
            bits(products.round<double>()));
      const auto part = accrue::transform_partial(space, plus, user::weighted_difference{}, a.get(), b.get(), c.get());
      CHECK(bits(part.finish()) == bits(differences.round<double>()));
    }
  }
}

TEST_CASE("predicates", "[integers]") {
  for (const std::size_t n : sizes) {
    std::vector<std::int32_t> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::int32_t>(i);
    for (const auto& space : hook::variants()) {
      on(space, x, [&](const auto& s, auto r) {
        const auto last = static_cast<std::int32_t>(n) - 1;
        CHECK(accrue::count_if(s, r, multiple_of_three{}) == (n + 2) / 3);
        CHECK(accrue::any_of(s, r, equals{last}) == (n != 0));
        CHECK(!accrue::any_of(s, r, below_zero{}));
        CHECK(accrue::all_of(s, r, not_below_zero{}));
        CHECK(accrue::all_of(s, r, differs_from{last}) == (n == 0));
        CHECK(accrue::none_of(s, r, below_zero{}));
        CHECK(accrue::none_of(s, r, equals{last}) == (n == 0));
      });
    }
  }
}
TEST_CASE("user reducers run over the tree unless they are order-free", "[ordered]") {
  const concatenate r;
  for (const std::size_t n : {0u, 1u, 255u, 256u, 300u, 4096u, 4097u, 50000u}) {
    const auto x = sequence<double>(distribution::normal, next_seed(), n);
    const auto expected = reference_tree(n, concatenate::state{}, [&](auto s, std::size_t i) { r.fold(s, x[i]); return s; },
                                         [&](auto a, auto b) { r.merge(a, b); return a; });
    for (const auto& space : hook::variants()) {
      CHECK(on(space, x, [&](const auto& s, auto v) { return accrue::reduce(s, v, r); }) == expected.hash);
    }
  }
}
