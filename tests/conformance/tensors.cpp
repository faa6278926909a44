// SPDX-License-Identifier: BSD-3-Clause
// Arrays of more dimensions than two, with any strides, against copies of their elements in order. Host spaces.
#include "shown.hpp"
#include "suite.hpp"

using namespace test;

namespace {

/// As an mdspan of rank 4.
struct tensor4 {
  const double* p = nullptr;
  std::size_t extents[4] = {};
  std::ptrdiff_t strides[4] = {};
  static constexpr std::size_t rank() { return 4; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t d) const { return strides[d]; }
  [[nodiscard]] const double* data_handle() const { return p; }
};

/// Lines along a dimension, against copies of each.
template <class Lines>
void check_lines(const hook::space& space, const Lines& lines, const std::vector<std::vector<double>>& copies) {
  std::vector<double> sums(copies.size());
  std::vector<double> ordered_sums(copies.size());
  std::vector<accrue::position<double>> largest(copies.size());
  accrue::sum(space, lines, sums);
  accrue::sum(space, lines, ordered_sums, accrue::ordered);
  accrue::argmax(space, lines, largest);
  const accrue::serial serial;
  for (std::size_t k = 0; k < copies.size(); ++k) {
    if (bits(sums[k]) != bits(accrue::sum(serial, copies[k]))) FAIL("sum " << k);
    if (bits(ordered_sums[k]) != bits(accrue::sum(serial, copies[k], accrue::ordered))) FAIL("ordered sum " << k);
    if (shown(largest[k]) != shown(accrue::argmax(serial, copies[k]))) FAIL("argmax " << k);
  }
}

}  // namespace

TEST_CASE("arrays of rank 3 and 4, whole and along each dimension", "[groupings][values]") {
  const auto seed = next_seed();
  for (std::size_t turn = 0; turn < 12; ++turn) {
    tensor4 t;  // random extents, an order of the dimensions in memory, padding, directions
    std::size_t order[4] = {0, 1, 2, 3};
    for (std::size_t k = 3; k > 0; --k) std::swap(order[k], order[random_bits(seed, 16 * turn + k) % (k + 1)]);
    std::ptrdiff_t stride = 1 + static_cast<std::ptrdiff_t>(turn % 2);
    std::size_t last = 0;
    for (const std::size_t d : order) {
      t.extents[d] = turn == 3 && d == 1 ? 1 : 1 + random_bits(seed, 16 * turn + 8 + d) % 23;
      t.strides[d] = stride;
      last += (t.extents[d] - 1) * static_cast<std::size_t>(stride);
      stride *= static_cast<std::ptrdiff_t>(t.extents[d] + (turn % 3 == 0 ? 0 : turn % 3));
    }
    const auto x = sequence<double>(distribution::wide, next_seed(), last + 1);
    t.p = x.data();
    if (turn >= 8) {
      t.p += last;
      for (auto& s : t.strides) s = -s;
    }
    const auto at = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
      const std::size_t index[4] = {i, j, k, l};
      std::ptrdiff_t offset = 0;
      for (std::size_t d = 0; d < 4; ++d) offset += static_cast<std::ptrdiff_t>(index[d]) * t.strides[d];
      return t.p[offset];
    };
    std::vector<double> all;
    std::vector<std::vector<double>> along[4];
    const auto& e = t.extents;
    for (std::size_t d = 0; d < 4; ++d) along[d].resize(e[0] * e[1] * e[2] * e[3] / e[d]);
    for (std::size_t i = 0; i < e[0]; ++i) {
      for (std::size_t j = 0; j < e[1]; ++j) {
        for (std::size_t k = 0; k < e[2]; ++k) {
          for (std::size_t l = 0; l < e[3]; ++l) {
            const double v = at(i, j, k, l);
            all.push_back(v);
            along[0][(j * e[2] + k) * e[3] + l].push_back(v);
            along[1][(i * e[2] + k) * e[3] + l].push_back(v);
            along[2][(i * e[1] + j) * e[3] + l].push_back(v);
            along[3][(i * e[1] + j) * e[2] + k].push_back(v);
          }
        }
      }
    }
    for (const auto& space : hook::teams()) {
      CHECK(bits(accrue::sum(space, t)) == bits(accrue::sum(accrue::serial{}, all)));
      CHECK(bits(accrue::sum(space, t, accrue::ordered)) == bits(accrue::sum(accrue::serial{}, all, accrue::ordered)));
      CHECK(accrue::argmax(space, t) == accrue::argmax(accrue::serial{}, all));
      check_lines(space, accrue::axis<0>(t), along[0]);
      check_lines(space, accrue::axis<1>(t), along[1]);
      check_lines(space, accrue::axis<2>(t), along[2]);
      check_lines(space, accrue::axis<3>(t), along[3]);
    }
  }
  tensor4 nothing;
  CHECK(accrue::sum(hook::make(), nothing) == 0);
  nothing.extents[1] = 3;
  nothing.extents[2] = std::size_t{1} << 62;
  nothing.extents[0] = nothing.extents[3] = 9;
  CHECK(code_of([&] { (void)accrue::sum(hook::make(), nothing); }) == accrue::errc::size_overflow);
}

TEST_CASE("a batch of short arrays of any strides, of matrices among them, and pairs of segments", "[groupings]") {
  const auto x = sequence<double>(distribution::normal, next_seed(), 4000);
  const auto space = hook::make();
  const accrue::serial serial;
  const auto check_batch = [&](const auto& arrays) {
    std::vector<double> sums(arrays.size());
    std::vector<double> norms(arrays.size());
    accrue::sum(space, accrue::batch(arrays), sums);
    accrue::norm2(space, accrue::batch(arrays), norms);
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      if (bits(sums[k]) != bits(accrue::sum(serial, arrays[k]))) FAIL("sum " << k);
      if (bits(norms[k]) != bits(accrue::norm2(serial, arrays[k]))) FAIL("norm " << k);
    }
  };
  std::vector<decltype(accrue::view(x.data(), 2, 2, 10))> matrices;
  std::vector<decltype(accrue::view(x.data(), 5, 2))> strided;
  for (std::size_t k = 0; k < 150; ++k) {
    const auto r = random_bits(5, k);
    matrices.push_back(accrue::view(x.data() + k, 1 + r % 3, 1 + r / 4 % 9, static_cast<std::ptrdiff_t>(10 + k % 2)));
    strided.push_back(accrue::view(x.data() + 1000 + k, 1 + r % 40, static_cast<std::ptrdiff_t>(k / 20 % 3 == 0 ? 1 : 1 + k % 5)));
  }
  check_batch(matrices);
  check_batch(strided);

  const std::vector<int> offsets{0, 3, 3, 50, 61, 300};
  const auto some = accrue::slice(x, 0, 300);
  const auto every_third = accrue::view(x.data(), 300, 3);
  std::vector<double> dots(5);
  accrue::dot(space, accrue::segments(some, offsets), accrue::segments(every_third, offsets), dots);
  for (std::size_t k = 0; k < 5; ++k) {
    const auto first = static_cast<std::size_t>(offsets[k]);
    const auto n = static_cast<std::size_t>(offsets[k + 1]) - first;
    CHECK(bits(dots[k]) == bits(accrue::dot(serial, accrue::slice(x, first, n), accrue::view(x.data() + 3 * first, n, 3))));
  }
}
