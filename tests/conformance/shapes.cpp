// SPDX-License-Identifier: BSD-3-Clause
// Arrays of two dimensions and more as a whole, wherever their elements lie, against copies of their elements in order.
#include "shown.hpp"
#include "suite.hpp"

#include <array>
#include <complex>

using namespace test;

namespace {

/// As an mdspan.
template <class T, std::size_t Rank>
struct shaped_array {
  const T* p = nullptr;
  std::array<std::size_t, Rank> extents{};
  std::array<std::ptrdiff_t, Rank> strides{};
  static constexpr std::size_t rank() { return Rank; }
  [[nodiscard]] std::size_t extent(std::size_t k) const { return extents[k]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t k) const { return strides[k]; }
  [[nodiscard]] const T* data_handle() const { return p; }
};
/// Its elements, read from a copy of the memory that begins at `memory` there.
template <class T, std::size_t Rank>
std::vector<T> elements_in_order(const shaped_array<T, Rank>& a, const T* memory, const std::vector<T>& copy) {
  std::size_t n = 1;
  for (const std::size_t e : a.extents) n *= e;
  std::vector<T> all;
  for (std::size_t i = 0; i < n; ++i) {
    std::ptrdiff_t at = a.p - memory;
    for (std::size_t d = Rank, rest = i; d-- > 0; rest /= a.extents[d]) {
      at += static_cast<std::ptrdiff_t>(rest % a.extents[d]) * a.strides[d];
    }
    all.push_back(copy[static_cast<std::size_t>(at)]);
  }
  return all;
}

struct lies_above_zero {
  constexpr bool operator()(double x) const { return x > 0; }
};
struct quarter_product {
  constexpr double operator()(double x, double y) const { return x * y / 4; }
};

}  // namespace

TEST_CASE("arrays of rank 2 to 4 as a whole, wherever their elements lie", "[views]") {
  constexpr std::size_t n = 9000;
  using tensor = shaped_array<double, 4>;
  using extents = std::array<std::size_t, 4>;
  using strides = std::array<std::ptrdiff_t, 4>;
  const auto space = hook::make();
  const accrue::serial serial;
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), n);
  const auto y = sequence<double>(distribution::normal, next_seed(), n);
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = static_cast<std::uint8_t>(random_bits(next_seed(), i) % 3);
  const hook::array<double> x_there(space, x);
  const hook::array<double> y_there(space, y);
  const hook::array<std::uint8_t> flags_there(space, flags);
  const double* const p = x_there.get().data();
  struct {
    const char* name;
    extents e;
    strides s;
    std::ptrdiff_t begin;
    bool two_strides;  // at most, in the order of the indices
  } const shapes[] = {{"contiguous", {3, 4, 5, 11}, {220, 55, 11, 1}, 0, true},
                      {"blocks with gaps", {3, 4, 5, 11}, {300, 55, 11, 1}, 7, true},
                      {"gaps everywhere", {3, 4, 5, 11}, {2000, 300, 17, 2}, 0, false},
                      {"the first index fastest", {11, 5, 4, 3}, {1, 11, 55, 220}, 0, false},
                      {"the same with gaps", {11, 5, 4, 3}, {1, 13, 70, 2000}, 5, false},
                      {"backwards", {3, 4, 5, 11}, {-300, 60, -12, 1}, 2000, false},
                      {"dimensions of one", {1, 4, 1, 11}, {1, 1, 1, 20}, 0, true},
                      {"no elements", {3, 0, 5, 11}, {300, 55, 11, 1}, 0, true}};
  const auto ordered_sum = [](const auto& s, const auto& v) { return accrue::sum(s, v, accrue::ordered); };
  for (const auto& [name, e, s, begin, two_strides] : shapes) {
    CAPTURE(name);
    const tensor a{p + begin, e, s};
    const tensor b{y_there.get().data() + begin, e, s};
    const auto block = static_cast<std::ptrdiff_t>(e[2] * e[3]);
    const auto row = static_cast<std::ptrdiff_t>(e[3]);
    const tensor c{y_there.get().data(), e, {block * static_cast<std::ptrdiff_t>(e[1]) + 20, block + 5, row, 1}};
    const shaped_array<std::uint8_t, 4> taken{flags_there.get().data() + begin, e, s};
    const auto all = elements_in_order(a, p, x);
    const auto more = elements_in_order(b, y_there.get().data(), y);
    const auto others = elements_in_order(c, y_there.get().data(), y);
    const auto mask = elements_in_order(taken, flags_there.get().data(), flags);

    CHECK(bits(accrue::sum(space, a)) == bits(accrue::sum(serial, all)));
    CHECK(bits(accrue::partial(space, a, accrue::norm2_of<double>{}).finish()) == bits(accrue::norm2(serial, all)));
    CHECK(bits(accrue::dot(space, a, b)) == bits(accrue::dot(serial, all, more)));
    CHECK(bits(accrue::dot(space, a, c)) == bits(accrue::dot(serial, all, others)));
    CHECK(bits(accrue::sum(space, accrue::where(a, taken))) == bits(accrue::sum(serial, accrue::where(all, mask))));
    CHECK(bits(accrue::sum(space, accrue::where(c, taken))) == bits(accrue::sum(serial, accrue::where(others, mask))));
    CHECK(bits(accrue::dot(space, accrue::where(b, lies_above_zero{}), c)) ==
          bits(accrue::dot(serial, accrue::where(more, lies_above_zero{}), others)));
    CHECK(bits(accrue::transform_reduce(space, b, c, accrue::sum_of<double>{}, quarter_product{})) ==
          bits(accrue::transform_reduce(serial, more, others, accrue::sum_of<double>{}, quarter_product{})));
    const auto fused = accrue::fuse(accrue::sum_of<double>{}, accrue::max_of<double>{});
    if (all.empty()) continue;
    CHECK(accrue::reduce(space, b, fused) == accrue::reduce(serial, more, fused));
    CHECK(shown(accrue::argmax(space, b)) == shown(accrue::argmax(serial, more)));
    CHECK(accrue::reduce(space, c, accrue::fuse(accrue::argmin_of<double>{}, accrue::sum_of<double>{})) ==
          accrue::reduce(serial, others, accrue::fuse(accrue::argmin_of<double>{}, accrue::sum_of<double>{})));
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, all.size() / 3}) {
      const std::size_t count = all.size() - first - all.size() / 5;
      CHECK(bits(accrue::mean(space, accrue::slice(a, first, count))) == bits(accrue::mean(serial, accrue::slice(all, first, count))));
      CHECK(shown(accrue::argmin(space, accrue::slice(b, first, count))) ==
            shown(accrue::argmin(serial, accrue::slice(more, first, count))));
    }
    const auto ordered_here = [&] { return ordered_sum(space, a); };
    if (accrue::host_space<hook::space> || two_strides) {
      CHECK(bits(ordered_here()) == bits(ordered_sum(serial, all)));
    } else {
      CHECK(code_of(ordered_here) == accrue::errc::invalid_argument);
    }
  }
}

TEST_CASE("matrices whose columns are stored one behind the other", "[views]") {
  const auto space = hook::make();
  const accrue::serial serial;
  const auto x = sequence<float>(distribution::wide, next_seed(), 20000);
  const hook::array<float> there(space, x);
  const shaped_array<float, 2> columns{there.get().data(), {130, 70}, {1, 150}};
  const auto all = elements_in_order(columns, there.get().data(), x);
  CHECK(bits(accrue::sum(space, columns)) == bits(accrue::sum(serial, all)));
  CHECK(bits(accrue::dot(space, columns, columns)) == bits(accrue::sum_squares(serial, all)));
  CHECK(bits(accrue::sum(space, columns, accrue::ordered)) == bits(accrue::sum(serial, all, accrue::ordered)));
  CHECK(shown(accrue::argmin(space, columns)) == shown(accrue::argmin(serial, all)));
  const shaped_array<float, 2> one_row{there.get().data() + 3, {130, 70}, {0, 1}};  // for each row of the others
  CHECK(bits(accrue::dot(space, one_row, columns)) ==
        bits(accrue::dot(serial, elements_in_order(one_row, there.get().data(), x), all)));
  const shaped_array<float, 3> pairs{there.get().data(), {2, 90, 60}, {1, 2, 200}};  // few components of many places
  CHECK(bits(accrue::norm2(space, pairs)) == bits(accrue::norm2(serial, elements_in_order(pairs, there.get().data(), x))));
  const auto flat = accrue::view(there.get().data(), 130 * 70);  // another array, of the same size but not of that shape
  CHECK(bits(accrue::dot(space, columns, flat)) ==
        bits(accrue::dot(serial, all, std::vector<float>(x.begin(), x.begin() + 130 * 70))));
}

TEMPLATE_TEST_CASE("arrays of rank 3 of other types, and what any order is accepted for", "[views]", float, accrue::half, std::int16_t,
                   std::complex<float>) {
  using T = TestType;
  const auto space = hook::make();
  const accrue::serial serial;
  std::vector<T> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto v = static_cast<float>(static_cast<int>(random_bits(11, i) % 2001) - 1000);
    if constexpr (std::is_same_v<T, std::complex<float>>) {
      x[i] = {v, v / 2 + 1};
    } else if constexpr (std::is_same_v<T, std::int16_t>) {
      x[i] = static_cast<T>(v);
    } else {
      x[i] = T(1 + v / 4096);
    }
  }
  const hook::array<T> there(space, x);
  for (const auto& s : {std::array<std::ptrdiff_t, 3>{350, 40, 2}, {2, 24, 320}}) {
    const shaped_array<T, 3> a{there.get().data(), {9, 7, 15}, s};
    const auto all = elements_in_order(a, there.get().data(), x);
    CHECK(shown(accrue::sum(space, a)) == shown(accrue::sum(serial, all)));
    if constexpr (std::is_same_v<T, std::complex<float>>) {
      CHECK(shown(accrue::dot_conjugated(space, a, a)) == shown(accrue::dot_conjugated(serial, all, all)));
    } else if constexpr (!std::is_integral_v<T>) {
      const auto product = accrue::product(space, a, accrue::fast);
      const auto expected = accrue::product(serial, all);
      CHECK(std::fabs(product - expected) <= 1e-3 * std::fabs(expected));
      CHECK(std::fabs(accrue::sum(space, a, accrue::fast) - accrue::sum(serial, all)) <= 1e-3 * static_cast<double>(all.size()));
    }
  }
}
