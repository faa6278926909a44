// SPDX-License-Identifier: BSD-3-Clause
// Sums of elements and of their products, of floats and shorter, whose sizes stand at the bounds up to which few doubles hold them: large
// ones of one sign or that cancel, small ones at each distance below, in tiles whose sizes change.
#include "suite.hpp"

using namespace test;

namespace {

template <class T>
constexpr int significand_bits = std::is_same_v<T, accrue::half> ? 11 : std::is_same_v<T, accrue::bfloat16> ? 8 : 24;
/// Just below 2^(exponent + 1).
template <class T>
T just_below(int exponent) {
  if constexpr (sizeof(T) == 8) {
    return std::ldexp(2 - 0x1p-52, exponent);
  } else {
    return static_cast<T>(std::ldexp(2 - std::ldexp(1.0f, 1 - significand_bits<T>), exponent));
  }
}
template <class T>
constexpr int lowest_bit = std::is_same_v<T, accrue::half> ? -24 : std::is_same_v<T, accrue::bfloat16> ? -133 : -149;

/// All bits set but some between the first and the last, below 2^(exponent + 1), or the smallest number where that is too small.
template <class T>
T number(std::uint64_t random, int exponent, bool minus) {
  const std::uint64_t ones = (std::uint64_t{1} << significand_bits<T>) - 1;
  const auto significand = static_cast<float>((random & ones) | 1 | std::uint64_t{1} << (significand_bits<T> - 1));
  const int last = exponent + 1 - significand_bits<T>;
  const float magnitude = last >= lowest_bit<T> ? std::ldexp(significand, last) : std::ldexp(1.0f, lowest_bit<T>);
  return static_cast<T>(minus ? -magnitude : magnitude);
}

enum class shape { growing, cancelling, one_small, blocks };

/// x: large elements near 2^top and two small ones `distance` binades below; y: the other factors of products.
template <class T>
struct factors {
  std::vector<T> x, y;

  factors(std::uint64_t seed, shape kind, std::size_t n, int top, int distance) : x(n), y(n) {
    const auto random = [&](std::uint64_t i) { return random_bits(seed, i); };
    const auto minus = [](T v) { return static_cast<T>(-static_cast<float>(v)); };
    for (std::size_t i = 0; i < n; ++i) {
      const auto lower = static_cast<int>((random(i) >> 50) % 4);
      x[i] = number<T>(random(i), top - lower, (random(i) >> 40) % 2 != 0);
      if (kind == shape::growing) {  // of one sign, as large as they get, after a tile or two of smaller ones: sums grow the most
        x[i] = number<T>(~std::uint64_t{0}, i < 2500 ? top - distance % 14 : top, false);
      } else if (kind == shape::blocks && (i / 1500) % 3 == 1) {
        x[i] = number<T>(random(i), top - distance, (random(i) >> 40) % 2 != 0);
      }
      y[i] = kind == shape::cancelling ? number<T>(random(i / 2), top - 1, false) : x[n - 1 - i];
      if (kind == shape::cancelling && i % 2 != 0) x[i] = minus(x[i - 1]);
    }
    if (kind == shape::growing || kind == shape::blocks) return;
    if (kind == shape::cancelling && n % 2 != 0) x[n - 1] = T{};
    const T small = number<T>(random(n), top - distance, false);
    for (int k = 0; k < 2; ++k) {
      const std::size_t place = random_bits(~seed, static_cast<std::uint64_t>(k)) % n & ~std::size_t{1};
      x[place] = small;
      y[place] = number<T>(random(n + 1), top - distance, false);
      if (k != 0) {  // all but its last bit, so that the sum is that bit alone
        const int last = std::max(top - distance + 1 - significand_bits<T>, lowest_bit<T>);
        x[place] = static_cast<T>(std::ldexp(1.0f, last) - static_cast<float>(small));
      }
      if (kind == shape::cancelling && place + 1 < n) x[place + 1] = T{};
    }
  }
};

template <class T>
void check(const std::vector<T>& x, const std::vector<T>& y) {
  using R = accrue::fraction_t<T>;
  oracle sum, squares, products;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = as_double(x[i]);
    sum.add(a);
    squares.add_product(a, a);
    products.add_product(a, as_double(y[i]));
  }
  const std::uint64_t n = x.size();
  for (const auto& space : two_variants()) {
    const hook::array<T> dx(space, x);
    const hook::array<T> dy(space, y);
    const auto m = accrue::moments(space, dx.get());
    CHECK(m.count == n);
    CHECK(bits(m.mean) == bits(sum.template quotient<R>(n)));
    CHECK(bits(m.variance) == bits(squares.template variance<R>(sum, n, n - 1, false)));
    CHECK(bits(m.population_variance) == bits(squares.template variance<R>(sum, n, n, false)));
    CHECK(bits(m.standard_deviation) == bits(squares.template variance<R>(sum, n, n - 1, true)));
    CHECK(bits(accrue::sum_squares<double>(space, dx.get())) == bits(squares.template round<double>()));
    CHECK(bits(accrue::dot<double>(space, dx.get(), dy.get())) == bits(products.template round<double>()));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("moments and products at the bounds of what a few doubles hold", "[exact][cancelling]", float, accrue::half,
                   accrue::bfloat16) {
  constexpr bool is_half = std::is_same_v<TestType, accrue::half>;
  const auto is_bound = [](int distance) {
    if (sizeof(TestType) == 4) return distance >= 14 && distance < 34;
    return is_half ? distance > 35 || (distance >= 13 && distance < 20) : distance >= 16 && distance < 48;
  };
  std::vector<int> distances;
  for (int distance = 0; distance < (is_half ? 40 : 70); ++distance) {
    distances.insert(distances.end(), sizeof(TestType) == 4 && distance >= 19 && distance < 23 ? 6 : 1, distance);
  }
  for (const int distance : distances) {
    const auto seed = next_seed();
    if (!is_bound(distance) && random_bits(seed, 1) % (played ? 16 : 4) != 0) continue;
    for (const auto kind : {shape::growing, shape::cancelling, shape::one_small, shape::blocks}) {
      // In the longest a warp's lanes have more terms than are added before a reading.
      constexpr std::size_t lengths[] = {5, 70, 600, 2100, 9000, 24000};
      const std::size_t any_length = lengths[random_bits(seed + static_cast<unsigned>(kind), 2) % std::size(lengths)];
      const std::size_t length = kind == shape::growing ? 24000 : any_length;
      const std::size_t n = length + random_bits(seed, 3) % 9;
      // Elements whose products are not floats any more among them: too small, or too large.
      const int low[] = {-60, 58, 0, 0, 0};
      const int width[] = {40, 10, 60, 60, 60};
      const std::size_t where = random_bits(seed, 4) % std::size(low);
      const int top = is_half ? 15 : low[where] + static_cast<int>(random_bits(seed, 5) % static_cast<unsigned>(width[where]));
      CAPTURE(seed, distance, static_cast<int>(kind), n, top);
      const factors<TestType> f(seed + 1, kind, n, top, distance);
      check(f.x, f.y);
    }
  }
}

TEMPLATE_TEST_CASE("moments of tiles that follow each other at any size, with what is not finite", "[exact][cancelling]", float,
                   accrue::half, accrue::bfloat16) {
  for (int round = 0; round < 12; ++round) {
    const auto seed = next_seed();
    std::vector<TestType> x(16000 + random_bits(seed, 0) % 100);
    const std::size_t length = round % 2 == 0 ? 1700 : 4096;  // a little of a tile of CPUs, or all of it
    int top = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % length == 0) {
        constexpr int most = std::is_same_v<TestType, accrue::half> ? 38 : 240;
        top = lowest_bit<TestType> + significand_bits<TestType> + static_cast<int>(random_bits(seed, i) % most);
        if (most == 240) top = std::min(top, 120);
      }
      const std::uint64_t random = random_bits(seed + 1, i);
      x[i] = number<TestType>(random, top - static_cast<int>((random >> 50) % 6), (random >> 40) % 2 != 0);
    }
    if (round % 4 == 3) x[random_bits(seed, 1) % x.size()] = static_cast<TestType>(std::numeric_limits<float>::infinity());
    if (round % 4 == 2) x[random_bits(seed, 2) % x.size()] = static_cast<TestType>(std::numeric_limits<float>::quiet_NaN());
    CAPTURE(seed, round);
    check(x, x);
  }
}

TEMPLATE_TEST_CASE("tiles that stretch a window, and behind them tiles that it holds", "[exact][cancelling]", double, float, accrue::half,
                   accrue::bfloat16) {
  // Of each length that a warp may take at a time: two tiles that set the windows, one that is larger, and one at the bound of what its
  // size says. Some have a small element in each lane, which windows of fewer bits do not take.
  for (const std::size_t length : {256u, 512u, 1024u}) {
    for (int k = 0; k < 72; ++k) {
      const int larger = 1 + k % 6;
      const int bound = k / 6 % 6;
      const bool small = k / 36 != 0;
      const int lowest = std::is_same_v<TestType, accrue::half> ? -13 : -36;
      std::vector<TestType> x(4 * length);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t tile = i / length;
        x[i] = tile < 2 ? just_below<TestType>(-1) : just_below<TestType>((tile == 2 ? larger : bound) - 1);
        if (small && i % 16 == 0) x[i] = static_cast<TestType>(std::ldexp(1.0f, lowest));
      }
      CAPTURE(length, larger, bound, small);
      check(x, x);
    }
  }
}
