// SPDX-License-Identifier: BSD-3-Clause
// Integer reductions: exact totals, overflow instead of wrapping, bits and predicates.
#include "suite.hpp"

#include <gmp.h>

#include <string_view>

using namespace test;

namespace {

/// Exact integer sums from GMP, as text.
class big {
 public:
  big() { mpz_init(v_); }
  big(const big&) = delete;
  big& operator=(const big&) = delete;
  ~big() { mpz_clear(v_); }
  template <class T>
  void add_product(T a, T b) {
    mpz_t x, y;
    mpz_inits(x, y, nullptr);
    set(x, a);
    set(y, b);
    mpz_addmul(v_, x, y);
    mpz_clears(x, y, nullptr);
  }
  template <class T>
  bool fits() const {
    big low, high;
    set(low.v_, std::numeric_limits<T>::min());
    set(high.v_, std::numeric_limits<T>::max());
    return mpz_cmp(v_, low.v_) >= 0 && mpz_cmp(v_, high.v_) <= 0;
  }
  std::string text() const {
    char* s = mpz_get_str(nullptr, 10, v_);
    std::string r(s);
    std::free(s);
    return r;
  }

 private:
  template <class T>
  static void set(mpz_t z, T v) {
    if constexpr (std::is_signed_v<T>) {
      mpz_set_si(z, v);
    } else {
      mpz_set_ui(z, v);
    }
  }
  mpz_t v_;
};

template <class Call>
std::string text_or_overflow(Call call) {
  try {
    return bits(call());
  } catch (const accrue::overflow_error& e) {
    CHECK(e.code() == accrue::errc::integer_overflow);
    return "overflow";
  }
}

}  // namespace

TEMPLATE_TEST_CASE("integer totals are exact or overflow", "[integers]", std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, bool) {
  using R = accrue::total_t<TestType>;
  for (const std::size_t n : sizes) {
    for (const std::string_view kind : {"any", "smallest and largest", "largest"}) {
      const auto seed = next_seed();
      CAPTURE(n, kind, seed);
      const auto host = [&] {
        struct holder {
          std::unique_ptr<TestType[]> data;
          std::size_t n;
        } h{std::make_unique<TestType[]>(n), n};
        for (std::size_t i = 0; i < n; ++i) {
          const auto r = random_bits(seed, i);
          const bool largest = kind == "largest" || (r & 7) == 0;
          h.data[i] = kind == "any" ? static_cast<TestType>(r >> (r % 60))
                      : largest     ? std::numeric_limits<TestType>::max()
                                    : std::numeric_limits<TestType>::min();
        }
        return h;
      }();
      const std::span<const TestType> x(host.data.get(), n);
      big sum, magnitude, squares;
      for (const TestType v : x) {
        if constexpr (std::is_same_v<TestType, bool>) {
          sum.add_product(std::uint64_t{v}, std::uint64_t{1});
          magnitude.add_product(std::uint64_t{v}, std::uint64_t{1});
          squares.add_product(std::uint64_t{v}, std::uint64_t{v});
        } else {
          sum.add_product(v, TestType{1});
          magnitude.add_product(v, static_cast<TestType>(v < 0 ? -1 : 1));
          squares.add_product(v, v);
        }
      }
      const auto space = hook::make();
      const hook::array<TestType> device(space, x);
      const auto r = device.get();
      const auto expect = [](const big& b) { return b.template fits<R>() ? b.text() : std::string("overflow"); };
      CHECK(text_or_overflow([&] { return accrue::sum(space, r); }) == expect(sum));
      CHECK(text_or_overflow([&] { return accrue::sum_abs(space, r); }) == expect(magnitude));
      CHECK(text_or_overflow([&] { return accrue::sum_squares(space, r); }) == expect(squares));
      CHECK(text_or_overflow([&] { return accrue::dot(space, r, r); }) == expect(squares));
      if (n != 0) {
        oracle s, q;
        for (const TestType v : x) {
          if constexpr (sizeof(TestType) < 8) {
            s.add(static_cast<double>(v));
            q.add_product(static_cast<double>(v), static_cast<double>(v));
          }
        }
        if constexpr (sizeof(TestType) < 8) {
          CHECK(bits(accrue::mean(space, r)) == bits(s.quotient<double>(n)));
          CHECK(bits(accrue::norm2(space, r)) == bits(q.root<double>()));
          CHECK(bits(accrue::moments(space, r).variance) == bits(q.variance<double>(s, n, n - 1, false)));
        }
      }
    }
  }
}

TEST_CASE("integer products", "[integers]") {
  const auto product = [](const auto& x) { return on(x, [](const auto& s, auto r) { return accrue::product(s, r); }); };
  CHECK(product(std::vector<int>{}) == 1);
  CHECK(product(std::vector<int>{-2, 3, 7}) == -42);
  CHECK(product(std::vector<std::int64_t>{INT64_MIN, 1}) == INT64_MIN);
  CHECK_THROWS_AS(product(std::vector<std::int64_t>{INT64_MIN, -1}), accrue::overflow_error);
  CHECK_THROWS_AS(product(std::vector<std::uint32_t>(33, 4)), accrue::overflow_error);
  CHECK(product(std::vector<std::uint32_t>(31, 4)) == std::uint64_t{1} << 62);
  std::vector<std::int64_t> with_zero(1000, INT64_MAX);
  with_zero[900] = 0;
  CHECK(product(with_zero) == 0);
}

TEMPLATE_TEST_CASE("bitwise reductions", "[integers]", std::int8_t, std::uint16_t, std::int32_t, std::uint64_t) {
  for (const std::size_t n : sizes) {
    const auto seed = next_seed();
    std::vector<TestType> x(n);
    auto all = static_cast<TestType>(~TestType{0});
    TestType any = 0, parity = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<TestType>(random_bits(seed, i) | random_bits(seed + 1, i / 2));
      all = static_cast<TestType>(all & x[i]);
      any = static_cast<TestType>(any | x[i]);
      parity = static_cast<TestType>(parity ^ x[i]);
    }
    on(x, [&](const auto& s, auto r) {
      CHECK(accrue::bit_and(s, r) == all);
      CHECK(accrue::bit_or(s, r) == any);
      CHECK(accrue::bit_xor(s, r) == parity);
    });
  }
}

