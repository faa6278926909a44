// SPDX-License-Identifier: BSD-3-Clause
// Functions that only host threads can call: those that count their calls, and those that throw.
#include "suite.hpp"

#include <atomic>
#include <ranges>
#include <stdexcept>

using namespace test;

TEST_CASE("a function is called once for each element, whichever way the sum takes", "[reduce]") {
  for (const std::size_t n : {2u, 100u, 2048u, 5000u}) {
    auto x = sequence<double>(distribution::log_uniform, next_seed(), n);
    for (const auto& space : hook::variants()) {
      std::atomic<std::size_t> calls{0};
      const auto counting = [&](double v) {
        ++calls;
        return v;
      };
      on(space, x, [&](const auto& s, auto r) {
        accrue::transform_reduce(s, r, accrue::plus{}, counting);
        CHECK(calls.exchange(0) == n);
        (void)accrue::transform_partial(s, r, accrue::plus{}, counting);
        CHECK(calls == n);
      });
    }
  }
}

namespace {

/// A reducer that changes how a named one folds.
struct negated_sum_of_bf16 : accrue::sum_of<accrue::bfloat16> {
  using base = accrue::sum_of<accrue::bfloat16>;
  template <class Tile>
  bool fold(accumulator& a, const Tile& t) const {
    std::vector<float> negative(t.size);
    for (std::size_t i = 0; i < t.size; ++i) negative[i] = -t.data[i];
    return base::fold(a, Tile{negative.data(), t.size, t.first});
  }
};

}  // namespace

TEST_CASE("a reducer that changes how a named one folds 16-bit floats is asked", "[reduce]") {
  const std::vector<accrue::bfloat16> x(10000, accrue::bfloat16(1.0f));
  for (const auto& space : hook::variants()) {
    on(space, x, [&](const auto& s, auto r) {
      CHECK(accrue::reduce(s, r, negated_sum_of_bf16{}) == -10000.0f);
      CHECK(std::get<0>(accrue::reduce(s, r, accrue::fuse(negated_sum_of_bf16{}, accrue::min_of<accrue::bfloat16>{}))) == -10000.0f);
    });
  }
}

TEST_CASE("an exception from a user's function reaches the caller", "[errors]") {
  const auto x = sequence<double>(distribution::uniform, next_seed(), 30000);
  for (const auto& space : hook::variants()) {
    on(space, x, [&](const auto& s, auto r) {
      CHECK_THROWS_AS(accrue::transform_reduce(s, r, accrue::plus{},
                                               [](double v) {
                                                 if (v > 0.999) throw std::domain_error("too large");
                                                 return v;
                                               }),
                      std::domain_error);
      CHECK(accrue::sum(s, r) > 0);
    });
  }
}

#if !defined(__clang__) || __clang_major__ >= 16  // before, clang does not compile the standard library's views
TEST_CASE("ranges of iterators are read as their copy is", "[reduce]") {
  const std::size_t n = 30001;
  const auto x = sequence<double>(distribution::wide, next_seed(), n);
  const auto y = sequence<double>(distribution::normal, next_seed(), n);
  const auto seed = next_seed();
  std::vector<bool> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = random_bits(seed, i) % 3 == 0;
  const auto twice = x | std::views::transform([](double v) { return 2 * v; });
  const auto backwards = x | std::views::reverse;
  std::vector<double> doubled, reversed, chosen;
  for (std::size_t i = 0; i < n; ++i) {
    doubled.push_back(2 * x[i]);
    reversed.push_back(x[n - 1 - i]);
    if (flags[i]) chosen.push_back(x[i]);
  }
  for (const auto& space : hook::variants()) {
    CHECK(bits(accrue::sum(space, twice)) == bits(accrue::sum(space, doubled)));
    CHECK(bits(accrue::sum(space, twice, accrue::ordered)) == bits(accrue::sum(space, doubled, accrue::ordered)));
    CHECK(bits(accrue::dot(space, backwards, y)) == bits(accrue::dot(space, reversed, y)));
    CHECK(accrue::argmin(space, backwards).index == accrue::argmin(space, reversed).index);
    CHECK(accrue::sum(space, std::views::iota(1, 100001)) == 5000050000);
    CHECK(bits(accrue::sum(space, accrue::slice(backwards, 17, 20000))) ==
          bits(accrue::sum(space, accrue::slice(reversed, 17, 20000))));
    CHECK(accrue::sum(space, flags) == chosen.size());
    CHECK(bits(accrue::mean(space, accrue::where(x, flags))) == bits(accrue::mean(space, chosen)));
  }
}
#endif

TEST_CASE("functions are called for elements that a mask takes, and no others", "[masks]") {
  const auto x = sequence<double>(distribution::normal, next_seed(), 20000);
  const auto positive = [](double v) { return v > 0; };
  for (const auto& space : hook::variants()) {
    std::atomic<bool> others{false};
    const double roots = accrue::transform_reduce(space, accrue::where(x, positive), accrue::plus{}, [&](double v) {
      if (!(v > 0)) others = true;
      return std::sqrt(v);
    });
    CHECK(roots > 0);
    CHECK(!others);
  }
}

TEST_CASE("batches of arrays of any sizes", "[groupings]") {
  std::vector<std::vector<float>> arrays;
  for (const std::size_t n : {3u, 1u, 70000u, 12u, 5000u}) arrays.push_back(sequence<float>(distribution::normal, next_seed(), n));
  for (const auto& space : hook::variants()) {
    std::vector<float> means(arrays.size());
    accrue::mean(space, accrue::batch(arrays), means);
    for (std::size_t k = 0; k < arrays.size(); ++k) CHECK(bits(means[k]) == bits(accrue::mean(accrue::serial{}, arrays[k])));
  }
}
