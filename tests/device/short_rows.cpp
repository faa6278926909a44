// SPDX-License-Identifier: BSD-3-Clause
// Sums, means, squares and norms of rows of a few elements, which threads add up alone, and of some hundred, which lanes read by vectors:
// elements of every kind, against each row alone.
#include "device/sums_of_groups.hpp"

#include <limits>
#include <utility>

#include "accrue/backends/simt/runtime/short_rows_launch.cuh"

using namespace test;

namespace {

/// As an mdspan of rank 2.
template <class T>
struct matrix2 {
  const T* p;
  std::size_t extents[2];
  static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t d) const { return d == 0 ? static_cast<std::ptrdiff_t>(extents[1]) : 1; }
  [[nodiscard]] const T* data_handle() const { return p; }
};

/// The sums by the device, of rows and results that begin so many elements behind the beginning of an array; as rows, or the last axis.
template <class T>
std::vector<std::string> rows_by_device(const std::vector<T>& x, std::size_t length, sums what, std::size_t skip,
                                        std::size_t results_at, bool as_axis = false) {
  const hook::space space = hook::make();
  std::vector<T> moved(skip, std::numeric_limits<T>::quiet_NaN());
  moved.insert(moved.end(), x.begin(), x.end());
  moved.insert(moved.end(), 16, std::numeric_limits<T>::quiet_NaN());  // behind the rows
  const std::size_t count = x.size() / length;
  constexpr T untouched = 7;
  const hook::array<T> there(space, moved);
  const hook::array<T> out(space, std::vector<T>(results_at + count + 4, untouched));
  const T* const first = there.get().data() + skip;
  const std::span<T> results(const_cast<T*>(out.get().data()) + results_at, count);
  if (as_axis) {
    sum_of(what, space, accrue::axis<1>(matrix2<T>{first, {count, length}}), results);
  } else {
    sum_of(what, space, accrue::rows(accrue::view(first, count, length, length)), results);
  }
  space.synchronize();
  const auto all = out.host();
  for (std::size_t k = 0; k < results_at; ++k) CHECK(all[k] == untouched);
  for (std::size_t k = results_at + count; k < all.size(); ++k) CHECK(all[k] == untouched);
  std::vector<std::string> text;
  for (std::size_t k = 0; k < count; ++k) text.push_back(bits(all[results_at + k]));
  return text;
}

/// Numbers whose sums are hard: powers of two around a tie and beside it, signed, at both ends of the range, and no numbers.
template <class T>
T hard_number(std::uint64_t random) {
  using limits = std::numeric_limits<T>;
  const T epsilon = limits::epsilon();
  const T all[] = {T(1), T(1) + epsilon, epsilon / 2, epsilon / 4, T(1) - epsilon / 2, T(3), T(0), limits::denorm_min(), limits::min(),
                   limits::max(), epsilon / 2 * (T(1) + epsilon), limits::max() / 2, epsilon * epsilon, limits::min() * (T(1) + epsilon),
                   limits::infinity(), limits::quiet_NaN()};
  const std::size_t kinds = random % 16 == 0 ? 16 : random % 16 < 5 ? 14 : 7;
  const T v = random % 16 == 15 ? limits::max() / T(1 + (random >> 8) % 2) : all[(random >> 8) % kinds];
  return (random >> 32 & 1) != 0 ? -v : v;
}

template <class T>
std::vector<T> elements_of_rows(std::size_t n, std::size_t length, int kind) {
  std::vector<T> x(n);
  const auto seed = next_seed();
  constexpr int exponents[] = {1, 30, std::numeric_limits<T>::max_exponent - 2};
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = random_bits(seed, i);
    if (kind == 3) {
      x[i] = hard_number<T>(r);
    } else if (kind == 5) {  // means halfway between two numbers
      const T more = std::numeric_limits<T>::epsilon();
      const std::size_t k = i % length;
      x[i] = k < (length + 1) / 2 ? T(1) + more : k + 1 == length && length % 2 != 0 ? T(1) - more / 2 : T(1);
      x[i] = std::ldexp(i / length % 2 != 0 ? -x[i] : x[i], static_cast<int>(i / length % 40));
    } else if (kind == 4 && i % length == 1) {  // what it adds to nearly cancels
      x[i] = -x[i - 1] * (T(1) + std::numeric_limits<T>::epsilon() * static_cast<T>(r % 3));
    } else {
      const int most = kind == 4 ? 40 : exponents[kind];
      x[i] = std::ldexp(static_cast<T>(static_cast<std::int64_t>(r)) * T(0x1p-63), static_cast<int>(r % (2 * most)) - most);
    }
  }
  return x;
}

/// Where rows end, and the first begins.
std::vector<std::size_t> ends_of_rows(std::size_t rows, std::size_t length) {
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k <= rows; ++k) ends.push_back(k * length);
  return ends;
}
constexpr sums all_sums[] = {sums::values, sums::magnitudes, sums::means, sums::squares, sums::norms};

}  // namespace

TEMPLATE_TEST_CASE("rows of a few elements", "[rows]", double, float) {
  for (std::size_t length = 1; length <= accrue::simt::longest_short_row + 1; ++length) {
    // A block's rows, and a few more, so that the last ones do not fill a vector.
    const std::size_t block = accrue::simt::short_row_threads * 64 / (sizeof(TestType) * (length == 1 ? 1 : length));
    for (int kind = 0; kind < 6; ++kind) {
      const std::size_t more = 1 + (length + static_cast<unsigned>(kind)) % 4;
      const std::size_t rows = kind == 0 ? more : (!played ? 9 * block : kind == 1 ? block : block / 4) + more;
      const auto x = elements_of_rows<TestType>(rows * length, length, kind);
      const auto ends = ends_of_rows(rows, length);
      for (const sums what : all_sums) {
        if (played && (length + static_cast<std::size_t>(kind) + static_cast<std::size_t>(what) + Catch::getSeed()) % 2 != 0) continue;
        INFO("rows of " << length << ", kind " << kind << ", what " << static_cast<int>(what));
        const auto expected = each_alone(x, ends, what);
        CHECK(rows_by_device(x, length, what, 0, 0) == expected);
        if (kind != 4) continue;
        CHECK(rows_by_device(x, length, what, 1, 0) == expected);
        CHECK(rows_by_device(x, length, what, 0, 1) == expected);
        CHECK(rows_by_device(x, length, what, 0, 0, true) == expected);
      }
    }
  }
}

TEMPLATE_TEST_CASE("sums of squares beside a tie, of which what is far below decides", "[rows]", double, float) {
  constexpr std::size_t rows = 60;
  for (std::size_t length = 4; length <= accrue::simt::longest_short_row; ++length) {
    std::vector<TestType> x(rows * length);
    for (std::size_t k = 0; k < rows; ++k) {
      const bool half = sizeof(TestType) == 8;  // two squares are half a last bit of the first one's, or one is
      TestType* const row = x.data() + k * length;
      const auto scale = static_cast<TestType>(std::ldexp(k % 2 == 0 ? 1.0 : -1.0, static_cast<int>(k % 7)));
      row[k % 3] = scale;
      row[(k + 1) % 3] = scale * static_cast<TestType>(half ? 0x1p-27 : 0x1p-12);
      row[(k + 2) % 3] = half ? scale * TestType(0x1p-27) : TestType(0);
      if (k % 5 != 0) row[3 + k % (length - 3)] = scale * static_cast<TestType>(std::ldexp(1.0, -40 - static_cast<int>(k)));
    }
    const auto expected = each_alone(x, ends_of_rows(rows, length), sums::squares);
    CHECK(rows_by_device(x, length, sums::squares, 0, 0) == expected);
  }
}

TEMPLATE_TEST_CASE("rows that lanes read by vectors", "[rows]", double, float) {
  const auto least = std::exchange(accrue::simt::least_bytes_of_vector_rows, 0);
  for (const std::size_t length : {16, 20, 24, 28, 32, 34, 36, 40, 60, 64, 100, 128, 200, 256, 512}) {
    for (const int kind : {0, 1, 2, 3, 5}) {
      const std::size_t rows = (played ? 3 : 700) * (1 + static_cast<std::size_t>(kind)) + 1;
      const auto x = elements_of_rows<TestType>(rows * length, length, kind);
      const auto ends = ends_of_rows(rows, length);
      for (const sums what : all_sums) {
        INFO("rows of " << length << ", kind " << kind << ", what " << static_cast<int>(what));
        const auto expected = each_alone(x, ends, what);
        CHECK(rows_by_device(x, length, what, 0, 0) == expected);
        if (kind == 1) CHECK(rows_by_device(x, length, what, 0, 1, true) == expected);
      }
    }
  }
  accrue::simt::least_bytes_of_vector_rows = least;
}
