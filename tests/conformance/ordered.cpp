// SPDX-License-Identifier: BSD-3-Clause
// The ordered tree against a reference written from its description alone, and fast sums against an error bound.
#include "reference_tree.hpp"
#include "suite.hpp"

using namespace test;

TEMPLATE_TEST_CASE("ordered sums, dots and products follow the documented tree", "[ordered]", double, float) {
  for (const std::size_t n : sizes) {
    const auto seed = next_seed();
    CAPTURE(n, seed);
    const auto x = sequence<TestType>(distribution::normal, seed, n);
    const auto plus = [](TestType a, TestType b) { return a + b; };
    const TestType zero = 0;
    const auto sum = reference_tree(n, zero, [&](TestType s, std::size_t i) { return s + x[i]; }, plus);
    const auto abs = reference_tree(n, zero, [&](TestType s, std::size_t i) { return s + std::fabs(x[i]); }, plus);
    const auto squares = reference_tree(n, zero, [&](TestType s, std::size_t i) {
      const volatile TestType p = x[i] * x[i];
      return s + p;
    }, plus);
    const auto product = reference_tree(n, TestType(1), [&](TestType s, std::size_t i) { return s * x[i]; },
                                        [](TestType a, TestType b) { return a * b; });
    for (const auto& space : hook::variants()) {
      on(space, x, [&](const auto& s, auto r) {
        CHECK(bits(accrue::sum(s, r, accrue::ordered)) == bits(sum));
        CHECK(bits(accrue::sum_abs(s, r, accrue::ordered)) == bits(abs));
        CHECK(bits(accrue::sum_squares(s, r, accrue::ordered)) == bits(squares));
        CHECK(bits(accrue::dot(s, r, r, accrue::ordered)) == bits(squares));
        CHECK(bits(accrue::product(s, r)) == bits(product));
      });
    }
  }
}

TEST_CASE("an ordered sum of so many chunks that devices join their nodes in several passes", "[ordered]") {
  const std::size_t n = 5000123;
  const auto x = sequence<float>(distribution::normal, next_seed(), n);
  const auto expected = reference_tree(n, 0.0f, [&](float s, std::size_t i) { return s + x[i]; }, [](float a, float b) { return a + b; });
  for (const std::size_t shift : {0u, 1u}) {  // by vectors, and one by one
    const auto space = hook::make();
    const hook::array<float> device(space, x, shift);
    CHECK(bits(accrue::sum(space, device.get(), accrue::ordered)) == bits(expected));
  }
}

TEST_CASE("ordered norms and dots of complex numbers follow their own description", "[ordered]") {
  for (const std::size_t n : {1u, 100u, 4096u, 4097u, 9000u}) {
    const auto re = sequence<double>(distribution::normal, next_seed(), n);
    const auto im = sequence<double>(distribution::normal, next_seed(), n);
    std::vector<std::complex<double>> z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = {re[i], im[i]};
    const auto chunk_tree = [](std::size_t size, auto term) {  // the tree inside one chunk, of however many elements
      std::vector<double> lane(std::min<std::size_t>(256, size), 0.0);
      for (std::size_t i = 0; i < size; ++i) {
        const volatile double t = term(i);
        lane[i % 256] = lane[i % 256] + t;
      }
      for (std::size_t half = 128; half != 0; half /= 2) {
        for (std::size_t l = half; l < lane.size(); ++l) lane[l - half] += lane[l];
        if (lane.size() > half) lane.resize(half);
      }
      return lane[0];
    };
    const auto over_chunks = [&](auto chunk) {
      std::vector<double> results;
      for (std::size_t first = 0; first < n; first += 4096) results.push_back(chunk(first, std::min<std::size_t>(4096, n - first)));
      while (results.size() > 1) {  // one level of the tree: pairs, the odd one out waits
        std::vector<double> next;
        for (std::size_t k = 0; k + 1 < results.size(); k += 2) next.push_back(results[k] + results[k + 1]);
        if (results.size() % 2 != 0) next.push_back(results.back());
        results = next;
      }
      return results[0];
    };
    const auto squares = over_chunks([&](std::size_t first, std::size_t size) {
      return chunk_tree(2 * size, [&](std::size_t i) {
        const double p = i % 2 == 0 ? re[first + i / 2] : im[first + i / 2];
        return p * p;
      });
    });
    const auto dot_re = over_chunks([&](std::size_t f, std::size_t size) {
      const double a = chunk_tree(size, [&](std::size_t i) { return re[f + i] * re[f + i]; });
      const double b = chunk_tree(size, [&](std::size_t i) { return -im[f + i] * im[f + i]; });
      return (0 + a) + b;
    });
    for (const auto& space : hook::variants()) {
      on(space, z, [&](const auto& s, auto r) {
        CHECK(bits(accrue::sum_squares(s, r, accrue::ordered)) == bits(squares));
        CHECK(bits(accrue::dot(s, r, r, accrue::ordered).real()) == bits(dot_re));
      });
    }
  }
}

TEMPLATE_TEST_CASE("fast sums are within the bound of recursive summation", "[fast]", double, float) {
  for (const std::size_t n : {0u, 1u, 7u, 100u, 4097u, 100000u}) {
    const auto x = sequence<TestType>(distribution::normal, next_seed(), n);
    oracle t;
    double magnitude = 0;
    for (const auto v : x) {
      t.add(v);
      magnitude += std::fabs(v);
    }
    const double bound = static_cast<double>(n) * std::numeric_limits<TestType>::epsilon() * magnitude;
    for (const auto& space : hook::variants()) {
      on(space, x, [&](const auto& s, auto r) {
        CHECK(std::fabs(accrue::sum(s, r, accrue::fast) - t.template round<double>()) <= bound);
        CHECK(std::fabs(accrue::product(s, r, accrue::fast) - accrue::product(s, r)) <=
              bound * std::fabs(accrue::product(s, r)) + std::numeric_limits<TestType>::min());
      });
    }
  }
}

TEST_CASE("a wider result type accumulates wider", "[ordered]") {
  const auto x = sequence<float>(distribution::normal, next_seed(), 9000);
  const auto expected = reference_tree(x.size(), 0.0, [&](double s, std::size_t i) { return s + static_cast<double>(x[i]); },
                                       [](double a, double b) { return a + b; });
  CHECK(bits(on(x, [](const auto& s, auto r) { return accrue::sum<double>(s, r, accrue::ordered); })) == bits(expected));
  CHECK(bits(on(x, [](const auto& s, auto r) { return accrue::mean<double>(s, r, accrue::ordered); })) == bits(expected / 9000));
}

TEST_CASE("scaled products neither overflow nor underflow", "[ordered]") {
  for (const std::size_t n : {0u, 1u, 500u, 10000u}) {
    const auto x = sequence<double>(distribution::log_uniform, next_seed(), n);
    double log2 = 0;
    bool negative = false;
    for (const double v : x) {
      log2 += std::log2(std::fabs(v));
      negative = negative != (v < 0);
    }
    std::string first;
    for (const auto& space : hook::variants()) {
      const auto p = on(space, x, [](const auto& s, auto r) { return accrue::scaled_product(s, r); });
      CHECK(std::fabs(p.significand) >= 1);
      CHECK(std::fabs(p.significand) < 2);
      CHECK((p.significand < 0) == negative);
      // log2 here is a sum of n rounded terms of up to 2^10.
      CHECK(std::fabs(std::log2(std::fabs(p.significand)) + static_cast<double>(p.exponent) - log2) <=
            1e-13 * 1024 * static_cast<double>(n + 1));
      const std::string text = bits(p.significand) + "/" + std::to_string(p.exponent);
      if (first.empty()) first = text;
      CHECK(text == first);
    }
  }
  const std::vector<double> a{1e308, 3, 0x1p-1074};
  const std::vector<double> b{1e308, -1, 0};
  const auto space = hook::make();
  const hook::array<double> x(space, a);
  const hook::array<double> y(space, b);
  const auto p = accrue::scaled_product_sum(space, x.get(), y.get());
  CHECK(std::ldexp(p.significand, static_cast<int>(p.exponent) + 51) == 1e308 * 0x1p-1023 * 4);
  const auto q = accrue::scaled_product_difference(space, x.get(), y.get());
  CHECK(q.significand == 0);
}

TEMPLATE_TEST_CASE("a NaN that arises on the way is the same on every backend", "[ordered]", double, float) {
  using T = TestType;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const std::string nan = bits(std::numeric_limits<T>::quiet_NaN());
  const std::vector<T> x{1, infinity, -infinity, 2};
  const std::vector<T> zero{1, infinity, 0, 2};
  const std::vector<std::complex<T>> z{{1, 2}, {infinity, -infinity}, {-infinity, infinity}};
  for (const auto& space : hook::variants()) {
    on(space, x, [&](const auto& s, auto r) {
      CHECK(bits(accrue::sum(s, r, accrue::ordered)) == nan);
      CHECK(bits(accrue::sum(s, r, accrue::fast)) == nan);
      CHECK(bits(accrue::mean(s, r, accrue::ordered)) == nan);
    });
    on(space, zero, [&](const auto& s, auto r) {
      CHECK(bits(accrue::product(s, r)) == nan);
      CHECK(bits(accrue::scaled_product(s, r).significand) == bits(std::numeric_limits<double>::quiet_NaN()));
    });
    on(space, z, [&](const auto& s, auto r) {
      CHECK(bits(accrue::sum(s, r, accrue::ordered)) == nan + "," + nan);
      CHECK(bits(accrue::sum(s, r, accrue::fast)) == nan + "," + nan);
    });
  }
}
