// SPDX-License-Identifier: BSD-3-Clause
// What callers can pass and what they get back: views, fused and user reducers, transforms, errors.
#include "suite.hpp"

#include <array>
#include <atomic>
#include <thread>

using namespace test;

namespace {

/// The members of std::mdspan that accrue reads.
template <class T, std::size_t Rank>
struct fake_mdspan {
  const T* p;
  std::array<std::size_t, Rank> extents;
  std::array<std::size_t, Rank> strides;
  static constexpr std::size_t rank() { return Rank; }
  std::size_t extent(std::size_t k) const { return extents[k]; }
  std::size_t stride(std::size_t k) const { return strides[k]; }
  const T* data_handle() const { return p; }
};

/// The members of Kokkos::View that accrue reads.
template <class T>
struct fake_view {
  using non_const_value_type = T;
  static constexpr int rank = 1;
  const T* p;
  std::size_t n;
  std::size_t step;
  std::size_t extent(int) const { return n; }
  std::size_t stride(int) const { return step; }
  const T* data() const { return p; }
};

struct range_length {  // a user's order-free reducer with a state of its own
  using state = std::array<double, 2>;
  static constexpr bool order_free = true;
  state start() const { return {1e300, -1e300}; }
  void fold(state& s, double x) const { s = {std::min(s[0], x), std::max(s[1], x)}; }
  void merge(state& a, const state& b) const { a = {std::min(a[0], b[0]), std::max(a[1], b[1])}; }
  double finish(const state& s) const { return s[1] - s[0]; }
};

}  // namespace

TEST_CASE("arrays with strides are read row by row", "[views]") {
  const auto x = sequence<double>(distribution::normal, next_seed(), 6000);
  const auto space = hook::make();
  const hook::array<double> device(space, x);
  const double* p = device.get().data();
  const fake_mdspan<double, 2> row_major{p, {60, 100}, {100, 1}};
  const fake_mdspan<double, 2> column_major{p, {100, 60}, {1, 100}};
  const fake_mdspan<double, 1> every_third{p, {2000}, {3}};
  const fake_view<double> view{p, 3000, 2};
  CHECK(bits(accrue::sum(space, row_major)) == bits(accrue::sum(space, device.get())));
  CHECK(bits(accrue::sum(space, column_major)) == bits(accrue::sum(space, device.get())));
  CHECK(bits(accrue::sum(space, row_major, accrue::ordered)) == bits(accrue::sum(space, device.get(), accrue::ordered)));
  std::vector<double> transposed, third, even;
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 60; ++j) transposed.push_back(x[j * 100 + i]);
  }
  for (std::size_t i = 0; i < 6000; i += 3) third.push_back(x[i]);
  for (std::size_t i = 0; i < 6000; i += 2) even.push_back(x[i]);
  const auto ordered = [](const auto& s, auto r) { return accrue::sum(s, r, accrue::ordered); };
  CHECK(bits(accrue::sum(space, column_major, accrue::ordered)) == bits(on(transposed, ordered)));
  CHECK(accrue::argmin(space, column_major).index ==
        on(transposed, [](const auto& s, auto r) { return accrue::argmin(s, r).index; }));
  CHECK(bits(accrue::sum(space, every_third)) == bits(on(third, [](const auto& s, auto r) { return accrue::sum(s, r); })));
  CHECK(accrue::sum(space, fake_mdspan<double, 1>{p, {0}, {1}}) == 0);
  CHECK(accrue::sum(space, fake_mdspan<double, 2>{p, {5, 0}, {0, 1}}, accrue::ordered) == 0);
  CHECK(bits(accrue::sum(space, view)) == bits(on(even, [](const auto& s, auto r) { return accrue::sum(s, r); })));
  CHECK(bits(accrue::dot(space, view, view)) == bits(on(even, [](const auto& s, auto r) { return accrue::sum_squares(s, r); })));
}

TEST_CASE("pointers, spans, vectors, arrays", "[views]") {
  const auto space = hook::make();
  const std::vector<float> host{1, 2, 3, 4};
  const hook::array<float> device(space, host);
  const auto r = device.get();
  CHECK(accrue::sum(space, r) == 10);
  CHECK(accrue::sum(space, r.data(), r.size()) == 10);
  CHECK(accrue::sum(space, r.data(), 3, accrue::ordered) == 6);
  CHECK(accrue::sum(space, accrue::view(r.data(), 2)) == 3);
  CHECK(accrue::dot(space, r.data(), r.data(), 2) == 5);
  CHECK(accrue::min(space, r.data(), 4u) == 1);
  const float array[] = {1, 2, 3};
  CHECK(accrue::sum(accrue::serial{}, array) == 6);
  CHECK(accrue::sum(accrue::serial{}, array, 2) == 3);
}

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
  for (const auto& space : hook::variants()) {
    const hook::array<double> a(space, x);
    const hook::array<double> b(space, y);
    CHECK(accrue::reduce(space, a.get(), range_length{}) == expected);
    CHECK(accrue::reduce(space, a.get(), range_length{}, accrue::fast) == expected);
    double result = 0;
    accrue::reduce_into(space, a.get(), range_length{}, &result);
    CHECK(result == expected);
    CHECK(bits(accrue::transform_reduce(space, a.get(), accrue::plus{}, [](double v) { return v * 3 + 1; })) ==
          bits(cubes.round<double>()));
    CHECK(bits(accrue::transform_reduce(space, a.get(), b.get(), accrue::plus{}, [](double v, double w) { return v - w; })) ==
          bits(mixed.round<double>()));
    CHECK(accrue::transform_reduce(space, a.get(), accrue::maximum{}, [](double v) { return -v; }) == -accrue::min(space, a.get()));
    CHECK(accrue::transform_reduce(space, a.get(), accrue::plus{}, [](double v) { return v > 0 ? 1 : 0; }) ==
          static_cast<std::int64_t>(accrue::count_if(space, a.get(), [](double v) { return v > 0; })));
  }
}

namespace {

struct first_bits {  // a user's reducer over 16-bit elements as they are
  using state = std::uint64_t;
  state start() const { return 1; }
  void fold(state& s, accrue::half x) const { s = s * 31 + x.bits; }
  void merge(state& a, const state& b) const { a = a * 17 + b; }
  std::uint64_t finish(const state& s) const { return s; }
};

}  // namespace

TEST_CASE("a function is called once for each element, whichever way the sum takes", "[reduce]") {
  for (const std::size_t n : {2u, 100u, 2048u, 5000u}) {
    auto x = sequence<double>(distribution::log_uniform, next_seed(), n);
    for (const auto& space : hook::variants()) {
      std::atomic<std::size_t> calls{0};
      on(space, x, [&](const auto& s, auto r) {
        accrue::transform_reduce(s, r, accrue::plus{}, [&](double v) {
          ++calls;
          return v;
        });
      });
      CHECK(calls == n);
    }
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

TEST_CASE("errors say what was wrong", "[errors]") {
  using accrue::errc;
  const auto space = hook::make();
  const double* null = nullptr;
  const std::vector<double> none;
  const std::vector<double> three{1, 2, 3};
  const hook::array<double> empty(space, none);
  const hook::array<double> some(space, three);
  CHECK(code_of([&] { accrue::sum(space, null, 5); }) == errc::null_data);
  CHECK(code_of([&] { accrue::dot(space, some.get().data(), null, 3); }) == errc::null_data);
  CHECK(code_of([&] { accrue::reduce_into(space, some.get(), accrue::sum_of<double>{}, static_cast<double*>(nullptr)); }) ==
        errc::null_data);
  CHECK(accrue::sum(space, null, 0) == 0);
  CHECK(code_of([&] { accrue::sum(space, some.get().data(), std::size_t{1} << 61); }) == errc::size_overflow);
  CHECK(code_of([&] { accrue::dot(space, some.get(), empty.get()); }) == errc::size_mismatch);
  CHECK(code_of([&] {
          accrue::transform_reduce(space, some.get(), empty.get(), accrue::plus{}, [](double a, double) { return a; });
        }) == errc::size_mismatch);
  CHECK(code_of([&] { accrue::min(space, empty.get()); }) == errc::empty_range);
  CHECK(code_of([&] { accrue::max(space, empty.get()); }) == errc::empty_range);
  CHECK(code_of([&] { accrue::minmax(space, empty.get()); }) == errc::empty_range);
  CHECK(code_of([&] { accrue::argmin(space, empty.get()); }) == errc::empty_range);
  CHECK(code_of([&] { accrue::argminmax(space, empty.get()); }) == errc::empty_range);
  CHECK(code_of([&] { accrue::mean(space, empty.get()); }) == errc::empty_range);
  CHECK(code_of([&] { accrue::moments(space, empty.get()); }) == errc::empty_range);
  try {
    accrue::sum(space, null, 5);
  } catch (const accrue::error& e) {
    CHECK(std::string(e.what()) == "accrue::sum: null data with 5 elements");
  }
  // The call after a failure works.
  CHECK(accrue::sum(space, some.get()) == 6);
}

TEST_CASE("an exception from a user's function reaches the caller", "[errors]") {
  const auto x = sequence<double>(distribution::uniform, next_seed(), 30000);
  for (const auto& space : hook::variants()) {
    on(space, x, [&](const auto& s, auto r) {
      CHECK_THROWS_AS(accrue::transform_reduce(s, r, accrue::plus{},
                                               [](double v) {
                                                 if (v > 0.999) throw std::domain_error("too large");
                                                 return v;
                                               }),
                      std::domain_error);
      CHECK(accrue::sum(s, r) > 0);
    });
  }
}

TEST_CASE("calls from many host threads", "[threads]") {
  const auto x = sequence<double>(distribution::wide, next_seed(), 50000);
  const auto expected = on(x, [](const auto& s, auto r) { return bits(accrue::sum(s, r)); });
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  const auto shared = hook::make();
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) results[t] = on(shared, x, [](const auto& s, auto r) { return bits(accrue::sum(s, r)); });
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& r : results) CHECK(r == expected);
}
