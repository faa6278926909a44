// SPDX-License-Identifier: BSD-3-Clause
// Masks: a reduction of the elements that one takes has the bits of a reduction of their copy, and positions in the whole.
#include "shown.hpp"
#include "suite.hpp"

#include <complex>

using namespace test;

namespace {

struct above_zero {
  template <class T>
  constexpr bool operator()(const T& v) const {
    return v > T{};
  }
};
struct product_of_three {
  constexpr double operator()(double a, double b, float c) const { return a * b * static_cast<double>(c); }
};
struct only_even {  // what the mask hides would divide by zero
  constexpr std::int32_t operator()(std::int32_t v) const { return 1000 / (1 - (v & 1)); }
};
struct is_small {
  constexpr bool operator()(std::int32_t v) const { return v % 7 == 0; }
};
struct below_two {
  constexpr bool operator()(double v) const { return v < 2 && v > -2; }
};
struct bits_seen {  // a user's reducer
  using state = std::uint64_t;
  static constexpr bool order_free = true;
  constexpr state start() const { return 0; }
  constexpr void fold(state& s, double x) const { s += std::bit_cast<std::uint64_t>(x) >> 20; }
  constexpr void merge(state& a, const state& b) const { a += b; }
  constexpr std::uint64_t finish(const state& s) const { return s; }
};

/// A mask that takes every element in `one_of` on average; 0: none, 1: all.
template <class Flag>
std::vector<Flag> random_mask(std::size_t n, unsigned one_of) {
  std::vector<Flag> m(n);
  const std::uint64_t seed = next_seed();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random_bits(seed, i);
    if (one_of != 0 && bits % one_of == 0) m[i] = static_cast<Flag>(Flag(1) << (sizeof(Flag) > 1 ? bits >> 32 & 7 : 0));
  }
  return m;
}
template <class T, class Flag>
std::vector<T> taken(const std::vector<T>& x, const std::vector<Flag>& m) {
  std::vector<T> t;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (m[i] != Flag{}) t.push_back(x[i]);
  }
  return t;
}
/// Index in the whole of the taken element k.
template <class Flag>
std::size_t place_of(const std::vector<Flag>& m, std::size_t k) {
  std::size_t i = 0;
  while (m[i] == Flag{} || k-- != 0) ++i;
  return i;
}

/// Both calls give the same, or throw the same.
template <class Masked, class Copied>
void check_same(const Masked& masked, const Copied& copied) {
  const accrue::errc expected = code_of([&] { (void)copied(); });
  const accrue::errc code = code_of([&] { (void)masked(); });
  CHECK(code == expected);
  if (code == accrue::errc::success && expected == code) CHECK(shown(masked()) == shown(copied()));
}

struct sized_mask {
  std::size_t size;
  unsigned one_of;
};
constexpr sized_mask sized_masks[] = {{0, 2}, {1, 1}, {1, 0}, {100, 2}, {2049, 0}, {4097, 1}, {5000, 3}, {20000, 50}, {40961, 2}};

}  // namespace

TEMPLATE_TEST_CASE("a mask hides elements from every reduction", "[masks]", double, accrue::half, std::int32_t) {
  for (const auto& [n, one_of] : sized_masks) {
    const auto x = sequence<TestType>(distribution::normal, next_seed(), n);
    const auto m = random_mask<std::uint8_t>(n, one_of);
    const auto t = taken(x, m);
    CAPTURE(n, one_of);
    for (const auto& space : hook::variants()) {
      const hook::array<TestType> dx(space, x, 1);
      const hook::array<std::uint8_t> dm(space, m);
      const hook::array<TestType> dt(space, t);
      const auto hidden = accrue::where(dx.get(), dm.get());
      const auto copy = dt.get();
      const auto compare = [&](auto reduction) { check_same([&] { return reduction(hidden); }, [&] { return reduction(copy); }); };
      compare([&](const auto& r) { return accrue::sum(space, r); });
      compare([&](const auto& r) { return accrue::mean(space, r); });
      compare([&](const auto& r) { return accrue::min(space, r); });
      compare([&](const auto& r) { return accrue::norm2(space, r); });
      compare([&](const auto& r) { return accrue::moments(space, r).variance; });
      if (t.empty()) {
        CHECK(code_of([&] { accrue::argmax(space, hidden); }) == accrue::errc::empty_range);
      } else {
        auto expected = accrue::argmax(space, copy);
        expected.index = place_of(m, expected.index);
        CHECK(shown(accrue::argmax(space, hidden)) == shown(expected));
      }
    }
  }
}

TEST_CASE("masks hide special values and ties", "[masks]") {
  for (const auto kind : {distribution::nan, distribution::infinities, distribution::ill_conditioned, distribution::constant}) {
    const auto x = sequence<double>(kind, next_seed(), 9000);
    const auto m = random_mask<std::int32_t>(x.size(), 2);
    const auto t = taken(x, m);
    for (const auto& space : hook::variants()) {
      const hook::array<double> dx(space, x);
      const hook::array<std::int32_t> dm(space, m);
      const hook::array<double> dt(space, t);
      const auto hidden = accrue::where(dx.get(), dm.get());
      CHECK(shown(accrue::sum(space, hidden)) == shown(accrue::sum(space, dt.get())));
      auto [low, high] = accrue::argminmax(space, dt.get());
      low.index = place_of(m, low.index);
      high.index = place_of(m, high.index);
      const auto found = accrue::argminmax(space, hidden);
      CHECK(shown(found.min) == shown(low));
      CHECK(shown(found.max) == shown(high));
    }
  }
}

TEST_CASE("of two inputs those pairs take part that all masks take", "[masks]") {
  const std::size_t n = 6001;
  const auto x = sequence<double>(distribution::wide, next_seed(), n);
  const auto y = sequence<double>(distribution::normal, next_seed(), n);
  const auto w = sequence<float>(distribution::normal, next_seed(), n);
  const auto m = random_mask<std::uint8_t>(n, 2);
  const auto k = random_mask<std::int64_t>(n, 3);
  auto both = m;
  for (std::size_t i = 0; i < n; ++i) both[i] = m[i] != 0 && k[i] != 0;
  for (const auto& space : hook::variants()) {
    const hook::array<double> dx(space, x), dy(space, y);
    const hook::array<float> dw(space, w);
    const hook::array<std::uint8_t> dm(space, m);
    const hook::array<std::int64_t> dk(space, k);
    const hook::array<double> tx(space, taken(x, m)), ty(space, taken(y, m)), bx(space, taken(x, both)), by(space, taken(y, both));
    const hook::array<float> bw(space, taken(w, both));
    const auto masked_x = accrue::where(dx.get(), dm.get());
    const auto masked_y = accrue::where(dy.get(), dm.get());
    const auto other_y = accrue::where(dy.get(), dk.get());
    const auto twice_masked_x = accrue::where(masked_x, dk.get());
    const auto dot = [&](const auto& u, const auto& v) { return shown(accrue::dot(space, u, v)); };
    CHECK(dot(masked_x, dy.get()) == dot(tx.get(), ty.get()));
    CHECK(dot(dx.get(), masked_y) == dot(tx.get(), ty.get()));
    CHECK(dot(masked_x, other_y) == dot(bx.get(), by.get()));
    CHECK(shown(accrue::weighted_mean(space, twice_masked_x, dy.get())) == shown(accrue::weighted_mean(space, bx.get(), by.get())));
    const auto products = [&](const auto& u, const auto& v, const auto& c) {
      return shown(accrue::transform_reduce(space, accrue::plus{}, product_of_three{}, u, v, c));
    };
    CHECK(products(dx.get(), masked_y, accrue::where(dw.get(), dk.get())) == products(bx.get(), by.get(), bw.get()));
  }
}

TEST_CASE("masks go with functions, fusion, users' reducers and partial results", "[masks]") {
  const std::size_t n = 7001;
  const auto x = sequence<double>(distribution::normal, next_seed(), n);
  const auto i32 = sequence<std::int32_t>(distribution::uniform, next_seed(), n);
  std::vector<std::uint8_t> even(n), positive(n);
  for (std::size_t i = 0; i < n; ++i) {
    even[i] = i32[i] % 2 == 0;
    positive[i] = x[i] > 0;
  }
  const auto t = taken(x, positive);
  for (const auto& space : hook::variants()) {
    const hook::array<double> dx(space, x), dt(space, t);
    const hook::array<std::int32_t> di(space, i32), dj(space, taken(i32, even));
    const hook::array<std::uint8_t> de(space, even);
    const auto hidden = accrue::where(dx.get(), above_zero{});
    CHECK(shown(accrue::sum(space, hidden)) == shown(accrue::sum(space, dt.get())));
    const auto where_even = accrue::where(di.get(), de.get());
    CHECK(accrue::transform_reduce(space, where_even, accrue::plus{}, only_even{}) ==
          static_cast<std::int64_t>(1000 * taken(i32, even).size()));
    CHECK(accrue::count_if(space, where_even, is_small{}) == accrue::count_if(space, dj.get(), is_small{}));
    CHECK(accrue::any_of(space, where_even, is_small{}) == accrue::any_of(space, dj.get(), is_small{}));
    CHECK(accrue::bit_xor(space, where_even) == accrue::bit_xor(space, dj.get()));
    CHECK(accrue::reduce(space, hidden, bits_seen{}) == accrue::reduce(space, dt.get(), bits_seen{}));
    const auto [total, last, seen] =
        accrue::reduce(space, hidden, accrue::fuse(accrue::sum_of<double>{}, accrue::argmax_of<double>{}, bits_seen{}));
    auto expected = accrue::argmax(space, dt.get());
    expected.index = place_of(positive, expected.index);
    CHECK(shown(total) == shown(accrue::sum(space, dt.get())));
    CHECK(shown(last) == shown(expected));
    CHECK(seen == accrue::reduce(space, dt.get(), bits_seen{}));
    auto p = accrue::partial(space, accrue::slice(hidden, 0, n / 3), accrue::mean_of<double>{});
    p += accrue::partial(space, accrue::slice(hidden, n / 3, n - n / 3), accrue::mean_of<double>{});
    CHECK(shown(p.finish()) == shown(accrue::mean(space, dt.get())));
  }
}

TEST_CASE("masks take arrays with strides and complex numbers", "[masks]") {
  const std::size_t n = 3000;
  const auto parts = sequence<double>(distribution::normal, next_seed(), 2 * n);
  std::vector<std::complex<double>> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = {parts[2 * i], parts[2 * i + 1]};
  const auto m = random_mask<std::uint8_t>(2 * n, 2);
  std::vector<std::uint8_t> every_other(n);
  for (std::size_t i = 0; i < n; ++i) every_other[i] = m[2 * i];
  for (const auto& space : hook::variants()) {
    const hook::array<std::complex<double>> dz(space, z), dt(space, taken(z, every_other));
    const hook::array<std::uint8_t> dm(space, m);
    const auto hidden = accrue::where(dz.get(), accrue::view(dm.get().data(), n, 2));
    CHECK(shown(accrue::sum(space, hidden)) == shown(accrue::sum(space, dt.get())));
    CHECK(shown(accrue::norm2(space, hidden)) == shown(accrue::norm2(space, dt.get())));
  }
}

namespace {
struct inverse_is_large {  // must not be asked about zero
  constexpr bool operator()(std::int32_t v) const { return 1000 / v > 10; }
};
}  // namespace
TEST_CASE("a predicate within a mask is asked about what the mask takes alone", "[masks]") {
  std::vector<std::int32_t> x(3000);
  std::vector<std::uint8_t> m(x.size());
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::int32_t>(i % 200);
    m[i] = x[i] != 0;
    if (x[i] != 0 && 1000 / x[i] > 10 && x[i] % 7 == 0) expected += x[i];
  }
  const auto space = hook::make();
  const hook::array<std::int32_t> dx(space, x);
  const hook::array<std::uint8_t> dm(space, m);
  CHECK(accrue::sum(space, accrue::where(accrue::where(accrue::where(dx.get(), dm.get()), inverse_is_large{}), is_small{})) == expected);
}

TEST_CASE("fast sums take masks, and what does not fit throws", "[masks]") {
  const auto x = sequence<std::int32_t>(distribution::uniform, next_seed(), 4000);
  std::vector<double> whole(x.begin(), x.end());
  const auto m = random_mask<std::uint8_t>(x.size(), 2);
  const auto space = hook::make();
  const hook::array<double> dx(space, whole);
  const hook::array<std::uint8_t> dm(space, m), shorter(space, std::vector<std::uint8_t>(m.begin(), m.end() - 1));
  const auto hidden = accrue::where(dx.get(), dm.get());
  CHECK(accrue::sum(space, hidden, accrue::fast) == accrue::sum(space, hidden));
  CHECK(accrue::mean(space, hidden, accrue::fast) == accrue::mean(space, hidden));
  const auto [product, total] = accrue::reduce(space, accrue::where(dx.get(), below_two{}),
                                               accrue::fuse(accrue::product_of<double>{}, accrue::sum_of<double>{}), accrue::fast);
  double expected = 1;
  for (const double v : whole) expected *= below_two{}(v) ? v : 1;
  CHECK(product == expected);
  CHECK(total == accrue::sum(space, accrue::where(dx.get(), below_two{})));
  CHECK(code_of([&] { accrue::where(dx.get(), shorter.get()); }) == accrue::errc::size_mismatch);
}
