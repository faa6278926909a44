// SPDX-License-Identifier: BSD-3-Clause
// What callers can pass and what they get back: views, errors, calls from many threads.
#include "suite.hpp"

#include <array>
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
  float mutable_elements[] = {1, 2};
  float* mutable_pointer = mutable_elements;
  CHECK(accrue::sum(accrue::serial{}, mutable_pointer, 2) == 3);
  CHECK(accrue::dot(accrue::serial{}, mutable_pointer, mutable_pointer, 2u) == 5);
  CHECK(accrue::sum(space, r.data(), 3, accrue::ordered) == 6);
  CHECK(accrue::sum(space, accrue::view(r.data(), 2)) == 3);
  CHECK(accrue::dot(space, r.data(), r.data(), 2) == 5);
  CHECK(accrue::min(space, r.data(), 4u) == 1);
  const float array[] = {1, 2, 3};
  CHECK(accrue::sum(accrue::serial{}, array) == 6);
  CHECK(accrue::sum(accrue::serial{}, array, 2) == 3);
}

TEST_CASE("strides, matrices and slices of a pointer's elements", "[views]") {
  const auto space = hook::make();
  std::vector<double> host(60);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<double>(i);
  const hook::array<double> there(space, host);
  const double* p = there.get().data();
  CHECK(accrue::sum(space, accrue::view(p + 1, 4, 3)) == 1 + 4 + 7 + 10);
  CHECK(accrue::argmin(space, accrue::view(p + 59, 20, -3)).index == 19);
  CHECK(accrue::sum(space, accrue::view(p + 5, 7, 0)) == 35);
  CHECK(accrue::sum(space, accrue::view(p + 2, 5, 1, 12)) == 2 + 14 + 26 + 38 + 50);  // a column
  CHECK(accrue::sum(space, accrue::view(p, 2, 3, 10)) == 0 + 1 + 2 + 10 + 11 + 12);
  CHECK(accrue::sum(space, accrue::view(p + 50, 2, 3, -10)) == 50 + 51 + 52 + 40 + 41 + 42);
  CHECK(accrue::dot(space, accrue::view(p, 3, 2), accrue::view(p + 1, 3, 2)) == 0 + 2 * 3 + 4 * 5);
  CHECK(accrue::sum(space, accrue::slice(there.get(), 10, 3)) == 10 + 11 + 12);
  CHECK(accrue::argmax(space, accrue::slice(accrue::view(p, 2, 3, 10), 2, 3)).index == 2);
  CHECK(accrue::sum(space, accrue::slice(accrue::slice(there.get(), 10, 20), 5, 2)) == 15 + 16);
  CHECK(accrue::sum(space, accrue::slice(there.get(), 60, 0)) == 0);
  CHECK(accrue::sum(space, accrue::view(p, 0, 5)) == 0);
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
  CHECK(code_of([&] { accrue::sum(space, some.get().data(), -1); }) == errc::invalid_argument);
  CHECK(code_of([&] { accrue::dot(space, some.get().data(), some.get().data(), -3L); }) == errc::invalid_argument);
  CHECK(code_of([&] { accrue::view(some.get().data(), 4, -2, 2); }) == errc::invalid_argument);
  CHECK(code_of([&] { accrue::view(null, 4, 2); }) == errc::null_data);
  CHECK(code_of([&] { accrue::view(some.get().data(), std::size_t{1} << 40, std::size_t{1} << 40, 2); }) == errc::size_overflow);
  CHECK(code_of([&] { accrue::slice(some.get(), 2, 2); }) == errc::out_of_range);
  CHECK(code_of([&] { accrue::slice(some.get(), std::size_t{4}, 0); }) == errc::out_of_range);
  CHECK(code_of([&] { accrue::slice(some.get(), 0, -1); }) == errc::invalid_argument);
  CHECK(code_of([&] { accrue::dot(space, some.get(), empty.get()); }) == errc::size_mismatch);
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
  try {
    accrue::sum(space, some.get().data(), -5);
  } catch (const accrue::error& e) {
    CHECK(std::string(e.what()) == "accrue::sum: -5 elements");
  }
  // The call after a failure works.
  CHECK(accrue::sum(space, some.get()) == 6);
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
