// SPDX-License-Identifier: BSD-3-Clause
// Exact sums, dots, norms, means and moments against the oracle: every distribution, size and alignment.
#include "suite.hpp"

using namespace test;

namespace {

template <class T>
struct truth {
  using R = accrue::total_t<T>;
  oracle sum, magnitude, squares;
  explicit truth(const std::vector<T>& x) {
    for (const T& v : x) {
      const double d = as_double(v);
      sum.add(d);
      magnitude.add(std::fabs(d));
      squares.add_product(d, d);
    }
  }
};

/// All reductions of one array against the oracle.
template <class T>
void check_all(const hook::space& space, const std::vector<T>& x, std::size_t shift = 0) {
  using R = accrue::total_t<T>;
  const truth<T> t(x);
  REQUIRE(t.sum.exact());
  REQUIRE(t.squares.exact());
  on(
      space, x,
      [&](const auto& s, auto r) {
        CHECK(bits(accrue::sum(s, r)) == bits(t.sum.template round<R>()));
        CHECK(bits(accrue::sum<double>(s, r)) == bits(t.sum.template round<double>()));
        CHECK(bits(accrue::sum<float>(s, r)) == bits(t.sum.template round<float>()));
        CHECK(bits(accrue::sum_abs(s, r)) == bits(t.magnitude.template round<R>()));
        CHECK(bits(accrue::norm1(s, r)) == bits(t.magnitude.template round<R>()));
        CHECK(bits(accrue::sum_squares(s, r)) == bits(t.squares.template round<R>()));
        CHECK(bits(accrue::dot(s, r, r)) == bits(t.squares.template round<R>()));
        CHECK(bits(accrue::norm2(s, r)) == bits(t.squares.template root<R>()));
        if (!x.empty()) {
          const std::uint64_t n = x.size();
          CHECK(bits(accrue::mean(s, r)) == bits(t.sum.template quotient<R>(n)));
          const auto m = accrue::moments(s, r);
          CHECK(m.count == n);
          CHECK(bits(m.mean) == bits(t.sum.template quotient<R>(n)));
          CHECK(bits(m.variance) == bits(t.squares.template variance<R>(t.sum, n, n - 1, false)));
          CHECK(bits(m.population_variance) == bits(t.squares.template variance<R>(t.sum, n, n, false)));
          CHECK(bits(m.standard_deviation) == bits(t.squares.template variance<R>(t.sum, n, n - 1, true)));
        }
      },
      shift);
}

}  // namespace

TEMPLATE_TEST_CASE("exact sums equal the oracle for every distribution", "[exact]", double, float, accrue::half, accrue::bfloat16) {
  for (const distribution d : all_distributions) {
    for (const std::size_t n : {1u, 5u, 100u, 2050u, 30011u}) {
      const auto seed = next_seed();
      CAPTURE(to_string(d), n, seed);
      check_all(hook::make(), sequence<TestType>(d, seed, n));
    }
  }
}

TEMPLATE_TEST_CASE("exact sums equal the oracle for every size", "[exact]", double, float, accrue::half, accrue::bfloat16) {
  for (const std::size_t n : sizes) {
    const auto seed = next_seed();
    const auto d = n % 2 != 0 ? distribution::normal : distribution::log_uniform;
    CAPTURE(to_string(d), n, seed);
    check_all(hook::make(), sequence<TestType>(d, seed, n));
  }
}

TEMPLATE_TEST_CASE("alignment changes no bit", "[exact]", double, float, accrue::half, accrue::bfloat16) {
  for (std::size_t shift = 1; shift < 8; ++shift) {
    const auto seed = next_seed();
    CAPTURE(shift, seed);
    check_all(hook::make(), sequence<TestType>(distribution::normal, seed, 5000), shift);
  }
}

TEMPLATE_TEST_CASE("threads, merge methods, order and splits change no bit", "[exact]", double, float) {
  for (const distribution d : {distribution::normal, distribution::wide, distribution::log_uniform, distribution::ill_conditioned,
                               distribution::infinity}) {
    const auto seed = next_seed();
    CAPTURE(to_string(d), seed);
    auto x = sequence<TestType>(d, seed, 10007);
    const truth<TestType> t(x);
    for (const auto& space : hook::variants()) {
      shuffle(x, next_seed());
      on(space, x, [&](const auto& s, auto r) {
        CHECK(bits(accrue::sum(s, r)) == bits(t.sum.template round<TestType>()));
        CHECK(bits(accrue::sum_squares(s, r)) == bits(t.squares.template round<TestType>()));
      });
    }
    // Random splits, merged in random order.
    std::vector<accrue::superaccumulator<TestType>> parts;
    for (std::size_t begin = 0; begin < x.size();) {
      const std::size_t end = std::min(x.size(), begin + random_bits(next_seed(), begin) % 700);
      accrue::superaccumulator<TestType> a;
      for (std::size_t i = begin; i < end; ++i) a.add(x[i]);
      if (random_bits(seed, end) % 2 != 0) a.normalize();
      parts.push_back(a);
      begin = end;
    }
    shuffle(parts, next_seed());
    accrue::superaccumulator<TestType> total;
    for (const auto& p : parts) total += p;
    CHECK(bits(total.template round<TestType>()) == bits(t.sum.template round<TestType>()));
  }
}

TEST_CASE("data that change character along the way", "[exact][long]") {
  // Long runs of each kind, so that an accumulator moves through all its ways and back.
  for (int round = 0; round < (played ? 2 : 6); ++round) {
    std::vector<double> x;
    for (int k = 0; k < 40; ++k) {
      const auto seed = next_seed();
      constexpr distribution kinds[] = {distribution::uniform,     distribution::normal,         distribution::wide,
                                        distribution::log_uniform, distribution::zeros,          distribution::subnormal,
                                        distribution::overflowing, distribution::ill_conditioned};
      const auto piece = sequence<double>(kinds[random_bits(seed, 0) % 8], seed, random_bits(seed, 1) % 30000);
      x.insert(x.end(), piece.begin(), piece.end());
    }
    check_all(hook::make(), x);
  }
}

TEMPLATE_TEST_CASE("exact dot products of two arrays", "[exact]", double, float, accrue::half, accrue::bfloat16) {
  using R = accrue::total_t<TestType>;
  for (const distribution d : all_distributions) {
    for (const std::size_t n : {3u, 1000u, 10000u}) {
      const auto seed = next_seed();
      CAPTURE(to_string(d), n, seed);
      const auto x = sequence<TestType>(d, seed, n);
      const auto y = sequence<TestType>(d == distribution::subnormal ? distribution::log_uniform : d, seed + 7, n);
      oracle t;
      for (std::size_t i = 0; i < n; ++i) t.add_product(as_double(x[i]), as_double(y[i]));
      REQUIRE(t.exact());
      const auto space = hook::make();
      const hook::array<TestType> a(space, x);
      const hook::array<TestType> b(space, y, 1);
      CHECK(bits(accrue::dot(space, a.get(), b.get())) == bits(t.template round<R>()));
      CHECK(bits(accrue::dot(space, a.get().data(), b.get().data(), n)) == bits(t.template round<R>()));
    }
  }
}

TEMPLATE_TEST_CASE("complex sums, norms and dots", "[exact]", double, float) {
  using Z = std::complex<TestType>;
  for (const distribution d :
       {distribution::normal, distribution::wide, distribution::log_uniform, distribution::zeros, distribution::infinity}) {
    for (const std::size_t n : {0u, 1u, 33u, 5000u}) {
      const auto seed = next_seed();
      CAPTURE(to_string(d), n, seed);
      const auto re = sequence<TestType>(d, seed, n);
      const auto im = sequence<TestType>(distribution::normal, seed + 3, n);
      std::vector<Z> z(n);
      std::vector<Z> w(n);
      oracle sum_re, sum_im, norm1, squares, dot_re, dot_im, conj_re, conj_im;
      for (std::size_t i = 0; i < n; ++i) {
        z[i] = {re[i], im[i]};
        w[i] = {im[n - 1 - i], re[n - 1 - i]};
        sum_re.add(re[i]);
        sum_im.add(im[i]);
        norm1.add(std::fabs(re[i]));
        norm1.add(std::fabs(im[i]));
        squares.add_product(re[i], re[i]);
        squares.add_product(im[i], im[i]);
        const double a = z[i].real(), b = z[i].imag(), c = w[i].real(), e = w[i].imag();
        dot_re.add_product(a, c);
        dot_re.add_product(-b, e);
        dot_im.add_product(a, e);
        dot_im.add_product(b, c);
        conj_re.add_product(a, c);
        conj_re.add_product(b, e);
        conj_im.add_product(a, e);
        conj_im.add_product(-b, c);
      }
      const auto space = hook::make();
      const hook::array<Z> dz(space, z);
      const hook::array<Z> dw(space, w);
      const auto both = [](const oracle& r, const oracle& i) { return bits(Z(r.round<TestType>(), i.round<TestType>())); };
      CHECK(bits(accrue::sum(space, dz.get())) == both(sum_re, sum_im));
      CHECK(bits(accrue::norm1(space, dz.get())) == bits(norm1.round<TestType>()));
      CHECK(bits(accrue::sum_squares(space, dz.get())) == bits(squares.round<TestType>()));
      CHECK(bits(accrue::norm2(space, dz.get())) == bits(squares.root<TestType>()));
      CHECK(bits(accrue::dot(space, dz.get(), dw.get())) == both(dot_re, dot_im));
      CHECK(bits(accrue::dot_conjugated(space, dz.get(), dw.get())) == both(conj_re, conj_im));
    }
  }
}

TEST_CASE("inputs on which binned reproducible sums go wrong", "[exact]") {
  const auto sum = [](const auto& x) { return on(x, [](const auto& s, auto r) { return accrue::sum(s, r); }); };
  CHECK(bits(sum(std::vector<float>(1000000, 0.0f))) == bits(0.0f));
  CHECK(bits(sum(std::vector<double>(1000000, 0.0))) == bits(0.0));
  std::vector<double> ones(1000, 1.0);
  ones[500] = std::numeric_limits<double>::infinity();
  CHECK(bits(sum(ones)) == bits(std::numeric_limits<double>::infinity()));
  CHECK(sum(std::vector<double>(4, 1e300)) == 4e300);
  CHECK(sum(std::vector<double>{1e308, 1e308, -1e308}) == 1e308);
  std::vector<float> hidden(4096, 1e-3f);
  hidden[0] = 1e10f;
  hidden[1] = -1e10f;
  oracle t;
  for (const float v : hidden) t.add(v);
  CHECK(bits(sum(hidden)) == bits(t.round<float>()));
}

TEST_CASE("more than 2^32 elements", "[large]") {
  const std::size_t n = (std::size_t{1} << 32) + 12345;
  const auto space = hook::make();
  auto* x = static_cast<std::uint8_t*>(space.allocate(n));
  space.fill(x, 1, n);
  const std::uint8_t two = 2;
  space.copy(x + n - 1, &two, 1);
  CHECK(accrue::sum(space, x, n) == n + 1);
  CHECK(accrue::argmax(space, x, n).index == n - 1);
  CHECK(accrue::mean(space, x, n) == static_cast<double>(n + 1) / static_cast<double>(n));
  space.deallocate(x);
}

TEST_CASE("many terms of one sign for each thread that fit no windows", "[exact][values]") {
  // Two scales in turn, so that every tile of a device's thread has both: on one warp, more than its digits hold between two flushes.
  std::vector<double> x(200001);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (1 + random_unit(seed, i)) * (i / 32 % 2 != 0 ? 0x1p-300 : 1);
  const truth<double> t(x);
  for (const auto& space : hook::variants()) {
    on(space, x, [&](const auto& s, auto r) { CHECK(bits(accrue::sum(s, r)) == bits(t.sum.round<double>())); });
  }
}

TEST_CASE("a term two to four times beyond the top window, of either sign", "[exact][values]") {
  // A window's anchor is 1.5 * 2^k: taking 3 * 2^k from it changes its sign and not its exponent.
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t seed = next_seed();
    INFO("seed " << seed);
    std::vector<double> x(std::size_t{1} << 15);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (2 * random_unit(seed, 2 * i) - 1) * std::ldexp(1.0, -static_cast<int>(random_bits(seed, 2 * i + 1) % 45));
    }
    for (std::uint64_t k = 0; k < 3; ++k) {
      const double sign = round % 2 == 0 ? -1 : 1;
      x[random_bits(seed + 1, k) % x.size()] = sign * (2.6 + 0.8 * random_unit(seed + 2, k)) * std::ldexp(1.0, 6 + round % 8);
    }
    oracle expected;
    for (const double v : x) expected.add(v);
    CHECK(bits(on(x, [](const auto& s, const auto& r) { return accrue::sum(s, r); })) == bits(expected.round<double>()));
  }
}

TEST_CASE("square roots next to the middle of two doubles", "[exact]") {
  // The sum of the squares is within some 2^-100 of the square of a number of 54 bits.
  const double x[] = {-0x1.d6ab13a07be45p+15, 0x1.838b6f648734bp+16, 0x1.ad2d791006508p+13};
  for (const int scale : {0, 1, -300, 317, -1040, 900}) {
    std::vector<double> v;
    oracle squares;
    for (const double e : x) {
      v.push_back(std::ldexp(e, scale));
      squares.add_product(v.back(), v.back());
    }
    for (const std::size_t n : {3u, 3000u, 100000u}) {
      v.resize(n);
      CAPTURE(scale, n);
      CHECK(bits(on(v, [](const auto& s, auto r) { return accrue::norm2(s, r); })) == bits(squares.root<double>()));
      CHECK(bits(on(v, [](const auto& s, auto r) { return accrue::partial(s, r, accrue::norm2_of<double>{}).finish(); })) ==
            bits(squares.root<double>()));
    }
  }
}
