// SPDX-License-Identifier: BSD-3-Clause
// Groupings of two inputs, of complex numbers, fused, and with functions and reducers of the user's, which device compilers must see.
#include "results_of_groups.hpp"

#include <complex>

using namespace test;

namespace {

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

}  // namespace

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
    masked_dots.push_back(shown(accrue::dot(accrue::serial{}, accrue::where(row(x, k), positive_element{}), row(y, k))));
  }
  CHECK(results_of<double>(space, rows, [&](auto out) {
          const auto masked = accrue::where(dx.get(), positive_element{});
          accrue::dot(space, accrue::segments(masked, at.get()), accrue::segments(dy.get(), at.get()), out);
        }) == masked_dots);
}
