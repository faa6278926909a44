// SPDX-License-Identifier: BSD-3-Clause
// Slices of views: the bits of a copy of their elements, whatever lies around them.
#include "suite.hpp"

#include <complex>

using namespace test;
using accrue::detail::slice;

namespace {

/// Ranges of n elements, empty and whole ones among them.
std::vector<std::pair<std::size_t, std::size_t>> ranges(std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> all{{0, 0}, {n, 0}, {0, n}};
  for (int k = 0; k < 12; ++k) {
    const std::size_t first = random_bits(next_seed(), 0) % (n + 1);
    all.emplace_back(first, random_bits(next_seed(), 0) % (n - first + 1));
  }
  return all;
}

template <class T>
std::vector<T> part(const std::vector<T>& x, std::size_t first, std::size_t count) {
  return {x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

/// Reductions of a slice against those of a copy.
template <class View, class T>
void check(const hook::space& space, const View& v, const std::vector<T>& copy) {
  const accrue::serial serial;
  REQUIRE(v.size() == copy.size());
  CHECK(bits(accrue::sum(space, v)) == bits(accrue::sum(serial, copy)));
  CHECK(bits(accrue::sum(space, v, accrue::ordered)) == bits(accrue::sum(serial, copy, accrue::ordered)));
  if (copy.empty()) return;
  const auto p = accrue::argmin(space, v);
  const auto expected = accrue::argmin(serial, copy);
  CHECK(bits(p.value) == bits(expected.value));
  CHECK(p.index == expected.index);
}

}  // namespace

TEMPLATE_TEST_CASE("slices of arrays reduce as copies do", "[slices]", double, float, accrue::half) {
  using T = TestType;
  const std::size_t rows = 37;
  const std::size_t columns = 251;
  const std::size_t stride = 260;
  const auto x = sequence<T>(distribution::log_uniform, next_seed(), rows * stride);
  std::vector<T> matrix;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) matrix.push_back(x[i * stride + j]);
  }
  for (const auto& space : hook::variants()) {
    const hook::array<T> there(space, x);
    const auto flat = accrue::view(there.get().data(), x.size());
    const accrue::detail::strided_view<T> strided{there.get().data(), rows, columns, stride, 1};
    for (const auto& [first, count] : ranges(matrix.size())) {
      CAPTURE(first, count);
      check(space, slice(flat, first, count), part(x, first, count));
      check(space, slice(strided, first, count), part(matrix, first, count));
      const std::size_t half = count / 2;
      check(space, slice(slice(strided, first, count), half, count - half), part(matrix, first + half, count - half));
      const auto pairs =
          slice(accrue::detail::zip(accrue::detail::carried(strided), accrue::detail::carried(strided), "slice"), first, count);
      const auto copy = part(matrix, first, count);
      CHECK(bits(accrue::reduce(space, pairs, accrue::dot_of<T>{})) == bits(accrue::dot(accrue::serial{}, copy, copy)));
    }
  }
}

TEST_CASE("slices of complex numbers reduce as copies do", "[slices]") {
  using C = std::complex<double>;
  const auto x = sequence<double>(distribution::normal, next_seed(), 12002);
  std::vector<C> z;
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) z.emplace_back(x[i], x[i + 1]);
  for (const auto& space : hook::variants()) {
    const hook::array<C> there(space, z);
    const accrue::detail::strided_view<C> strided{there.get().data(), z.size() / 3, 2, 3, 1};
    std::vector<C> gathered;
    for (std::size_t i = 0; i < z.size() / 3; ++i) gathered.insert(gathered.end(), {z[3 * i], z[3 * i + 1]});
    for (const auto& [first, count] : ranges(gathered.size())) {
      const auto copy = part(gathered, first, count);
      const auto v = slice(strided, first, count);
      CHECK(bits(accrue::norm2(space, v)) == bits(accrue::norm2(accrue::serial{}, copy)));
      CHECK(bits(accrue::sum(space, v)) == bits(accrue::sum(accrue::serial{}, copy)));
      CHECK(bits(accrue::norm2(space, slice(accrue::view(there.get().data(), z.size()), first, count))) ==
            bits(accrue::norm2(accrue::serial{}, part(z, first, count))));
    }
  }
}
