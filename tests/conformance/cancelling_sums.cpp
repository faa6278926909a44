// SPDX-License-Identifier: BSD-3-Clause
// Sums whose large elements cancel, or end on a tie, with small ones at every distance below: both sides of the bounds up to which a
// short way holds, in a lane, a warp, a block or several.
#include "suite.hpp"

using namespace test;

namespace {

/// A significand in [1, 2) with all its bits, and a sign.
template <class T>
T full(std::uint64_t seed, std::uint64_t i) {
  constexpr int digits = std::numeric_limits<T>::digits;
  const std::uint64_t bits = random_bits(seed, i);
  const auto significand = static_cast<T>((bits >> (64 - digits)) | std::uint64_t{1} << (digits - 1) | 1);
  return std::ldexp((bits & 1) != 0 ? -significand : significand, 1 - digits);
}

enum class rest_of_large { none, tie, one };

/// n elements: pairs that cancel, near 2^top; what `rest` says; small ones at `distance` binades below, if they are above zero.
template <class T>
std::vector<T> cancelling(std::uint64_t seed, std::size_t n, int top, int distance, rest_of_large rest) {
  std::vector<T> x;
  if (rest != rest_of_large::none) {
    const T large = std::ldexp(full<T>(seed, 0), top);
    x.push_back(large);
    if (rest == rest_of_large::tie) x.push_back(std::ldexp(T{1}, top - std::numeric_limits<T>::digits));
  }
  const std::size_t small = 1 + random_bits(seed, 1) % 3;
  for (std::size_t k = 0; k < small; ++k) x.push_back(std::ldexp(full<T>(seed, 2 + k), top - distance));
  for (std::uint64_t i = 8; x.size() + 1 < n; i += 2) {
    const auto lower = static_cast<int>(random_bits(seed, i + 1) % 6);
    const T v = std::ldexp(full<T>(seed, i), top - lower);
    x.push_back(v);
    x.push_back(-v);
  }
  for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random_bits(~seed, i) % i]);
  return x;
}

template <class T>
void check_sums(const std::vector<T>& x) {
  oracle sum;
  oracle magnitude;
  for (const T v : x) {
    sum.add(v);
    magnitude.add(std::fabs(static_cast<double>(v)));
  }
  on(x, [&](const auto& s, auto r) {
    CHECK(bits(accrue::sum<double>(s, r)) == bits(sum.template round<double>()));
    CHECK(bits(accrue::sum<float>(s, r)) == bits(sum.template round<float>()));
    CHECK(bits(accrue::sum_abs<T>(s, r)) == bits(magnitude.template round<T>()));
    CHECK(bits(accrue::mean<T>(s, r)) == bits(sum.template quotient<T>(x.size())));
    return 0;
  });
  for (const auto& space : two_variants()) {
    CHECK(bits(on(space, x, [](const auto& s, auto r) { return accrue::moments(s, r).mean; })) ==
          bits(sum.template quotient<T>(x.size())));
  }
}

template <class T>
void check_products(const std::vector<T>& x, const std::vector<T>& y) {
  oracle products;
  oracle squares;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products.add_product(x[i], y[i]);
    squares.add_product(x[i], x[i]);
  }
  const auto space = hook::make();
  const hook::array<T> dx(space, x);
  const hook::array<T> dy(space, y);
  CHECK(bits(accrue::dot<double>(space, dx.get(), dy.get())) == bits(products.template round<double>()));
  CHECK(bits(accrue::dot<float>(space, dx.get(), dy.get())) == bits(products.template round<float>()));
  CHECK(bits(accrue::sum_squares<T>(space, dx.get())) == bits(squares.template round<T>()));
  CHECK(bits(accrue::norm2<T>(space, dx.get())) == bits(squares.template root<T>()));
}

}  // namespace

TEMPLATE_TEST_CASE("products that cancel, with small ones at every distance and of every size", "[exact][cancelling]", double, float) {
  constexpr int lowest = sizeof(TestType) == 8 ? -560 : -80;
  for (int distance = 0; distance < (sizeof(TestType) == 8 ? 130 : 60); distance += 1 + static_cast<int>(random_bits(next_seed(), 0) % 3)) {
    for (const auto rest : {rest_of_large::none, rest_of_large::one}) {
      const auto seed = next_seed();
      constexpr std::size_t lengths[] = {1, 3, 9, 17, 31, 60, 130, 500, 1100, 2000};
      const std::size_t n = lengths[random_bits(seed, 7) % std::size(lengths)] + random_bits(seed, 6) % 7;
      const int top = static_cast<int>(random_bits(seed, 5) % 40) + (random_bits(seed, 4) % 4 == 0 ? lowest : 0);
      CAPTURE(seed, distance, static_cast<int>(rest), n, top);
      auto x = cancelling<TestType>(seed, n, top, distance, rest);
      std::vector<TestType> y(x.size());
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = full<TestType>(seed + 1, random_bits(seed, 3) % 2 == 0 ? 0 : i);
      if (random_bits(seed, 2) % 3 == 0) {
        for (std::size_t i = 0; i < x.size(); i += 5) (i % 2 == 0 ? x : y)[i] = 0;
      }
      check_products(x, y);
    }
  }
}

TEMPLATE_TEST_CASE("products of 16-bit floats beside large ones that cancel", "[exact][cancelling]", accrue::half, accrue::bfloat16) {
  constexpr bool is_half = std::is_same_v<TestType, accrue::half>;
  constexpr int digits = is_half ? 11 : 8;
  const auto is_end = [](int distance) { return distance >= 68 && distance < 80; };  // of what two windows hold
  std::vector<int> distances;
  for (int d = 0; d < (is_half ? 42 : 200); d += is_end(d) ? 1 : 1 + static_cast<int>(random_bits(next_seed(), 0) % 5)) {
    distances.insert(distances.end(), is_end(d) ? 8 : 1, d);
  }
  for (const int distance : distances) {
    const auto seed = next_seed();
    const auto number = [&](std::uint64_t i, int exponent) {  // with its last bit set
      const std::uint64_t random = random_bits(seed, i);
      const float significand = static_cast<float>((random >> (64 - digits)) | std::uint64_t{1} << (digits - 1) | 1);
      return static_cast<TestType>(std::ldexp((random & 1) != 0 ? -significand : significand, exponent + 1 - digits));
    };
    constexpr std::size_t lengths[] = {3, 9, 31, 130, 500, 2000, 9000};
    const std::size_t n = lengths[random_bits(seed, 7) % std::size(lengths)] + 2 * (random_bits(seed, 6) % 4) + 1;
    const int top = is_half ? 7 : 20 + static_cast<int>(random_bits(seed, 5) % 40);
    std::vector<TestType> x(n), y(n, static_cast<TestType>(std::ldexp(1.0f, top)));
    oracle products;
    for (std::size_t i = 0; i < n / 2; ++i) {
      x[i] = number(100 + i, top);
      x[n - 1 - i] = static_cast<TestType>(-static_cast<float>(x[i]));
    }
    x[n / 2] = number(1, top - distance / 2);
    y[n / 2] = number(2, top - (distance + 1) / 2);
    const std::size_t place = random_bits(seed, 3) % n;
    std::swap(x[n / 2], x[place]);
    std::swap(y[n / 2], y[place]);
    for (std::size_t i = 0; i < n; ++i) products.add_product(static_cast<float>(x[i]), static_cast<float>(y[i]));
    CAPTURE(seed, distance, n, top);
    for (const auto& space : two_variants()) {
      const hook::array<TestType> dx(space, x), dy(space, y);
      CHECK(bits(accrue::dot<double>(space, dx.get(), dy.get())) == bits(products.template round<double>()));
      CHECK(bits(accrue::dot<float>(space, dx.get(), dy.get())) == bits(products.template round<float>()));
    }
  }
}

TEMPLATE_TEST_CASE("elements that grow, of one sign, and infinities among the largest", "[exact][cancelling]", double, float, accrue::half,
                   accrue::bfloat16) {
  const auto number = [](float x) { return static_cast<TestType>(x); };
  const auto largest = static_cast<float>(std::is_same_v<TestType, accrue::half> ? 0x1.ffcp15 : 0x1.fcp127);
  for (int growth = 0; growth < 14; ++growth) {
    for (const bool infinite : {false, true}) {
      std::vector<TestType> x(9000);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = number(infinite ? (i % 2 == 0 ? largest : -largest) : i < 4000 ? 1.0f : std::ldexp(1.9921875f, growth));
      }
      if (infinite) x[4000 + 331 * static_cast<std::size_t>(growth)] = number(std::numeric_limits<float>::infinity());
      oracle sum, squares;
      for (const TestType v : x) {
        sum.add(static_cast<float>(v));
        squares.add_product(static_cast<float>(v), static_cast<float>(v));
      }
      for (const auto& space : two_variants()) {
        const hook::array<TestType> dx(space, x);
        CAPTURE(growth, infinite);
        CHECK(bits(accrue::sum<double>(space, dx.get())) == bits(sum.template round<double>()));
        CHECK(bits(accrue::sum_squares<double>(space, dx.get())) == bits(squares.template round<double>()));
        CHECK(bits(accrue::dot<double>(space, dx.get(), dx.get())) == bits(squares.template round<double>()));
        const auto m = accrue::moments(space, dx.get());
        CHECK(bits(m.mean) == bits(sum.template quotient<decltype(m.mean)>(x.size())));
      }
    }
  }
}

TEMPLATE_TEST_CASE("a small element between large ones of alternating signs", "[exact][cancelling]", double, float) {
  // Half of the sum grows as far as it can before the other half takes it back.
  for (std::size_t n = 3; n < 1100; n += n / 2) {
    for (int distance = 0; distance < 60; ++distance) {
      const auto seed = next_seed();
      const TestType large = std::ldexp(TestType{2} - std::numeric_limits<TestType>::epsilon(), distance);
      std::vector<TestType> x(n | 1);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? large : -large;
      const std::size_t place = random_bits(seed, 0) % x.size() & ~std::size_t{1};
      x[place] = full<TestType>(seed, 1);
      CAPTURE(n, distance, place);
      CHECK(bits(on(x, [](const auto& s, auto r) { return accrue::sum(s, r); })) == bits(x[place]));
    }
  }
}

TEMPLATE_TEST_CASE("sums that cancel or tie, with small elements at every distance", "[exact][cancelling]", double, float) {
  constexpr int deepest = sizeof(TestType) == 8 ? 260 : 130;
  for (int distance = 0; distance < deepest; distance += 1 + static_cast<int>(random_bits(next_seed(), 0) % 3)) {
    for (const auto rest : {rest_of_large::none, rest_of_large::tie, rest_of_large::one}) {
      const auto seed = next_seed();
      constexpr std::size_t lengths[] = {3, 9, 31, 60, 130, 500, 1100, 2000, 4000, 9000};
      const std::size_t n = lengths[random_bits(seed, 7) % std::size(lengths)] + random_bits(seed, 6) % 7;
      CAPTURE(seed, distance, static_cast<int>(rest), n);
      check_sums(cancelling<TestType>(seed, n, static_cast<int>(random_bits(seed, 5) % 20), distance, rest));
    }
  }
}

TEMPLATE_TEST_CASE("long sums that cancel or tie, with small elements at many distances", "[exact][cancelling]", double, float) {
  for (int distance = static_cast<int>(random_bits(next_seed(), 0) % 24); distance < 240; distance += 24) {
    for (const auto rest : {rest_of_large::none, rest_of_large::tie}) {
      const auto seed = next_seed();
      const std::size_t n = 208000 / sizeof(TestType) + random_bits(seed, 6) % 1000;
      const int below = sizeof(TestType) == 8 ? distance : distance / 2;
      CAPTURE(seed, below, static_cast<int>(rest), n);
      check_sums(cancelling<TestType>(seed, n, static_cast<int>(random_bits(seed, 5) % 20), below, rest));
    }
  }
}

TEMPLATE_TEST_CASE("sums that cancel at both ends of the range", "[exact][cancelling]", double, float) {
  using limits = std::numeric_limits<TestType>;
  for (const int top : {limits::max_exponent - 1, limits::max_exponent - 5, limits::max_exponent - 12, limits::min_exponent + 40,
                        limits::min_exponent + 5}) {
    for (const int distance : {0, 1, 20, 30, 50, 90, 110, 200, 1000}) {
      for (const std::size_t n : {4u, 70u, 1500u, 9001u}) {
        const auto seed = next_seed();
        CAPTURE(seed, top, distance, n);
        check_sums(cancelling<TestType>(seed, n, top, distance, rest_of_large::none));
      }
    }
  }
}
