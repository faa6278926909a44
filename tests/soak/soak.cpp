// SPDX-License-Identifier: BSD-3-Clause
// Adversarial sums by the thousand or the million, by one backend, against superaccumulators; half of them are changes of recipes that
// took a way through the kernels which few cases take. Fails where a bit is wrong, or where a way of the backend was never taken.
//
//     soak_serial --cases 1000000 --seed 7        soak_serial --only 3,1,2,900,0,7,40,63,12,9,1,77     (one recipe)
#include ACCRUE_TEST_HOOK

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <string>
#include <typeinfo>

#include "soak/recipe.hpp"
#include "support/oracle.hpp"

#include ACCRUE_SOAK_WAYS

namespace {

using accrue::detail::way;
using soak::recipe;
using soak::counts;
using soak::ways_so_far;

constexpr bool on_device = !accrue::host_space<hook::space>;
constexpr bool played = on_device && !accrue::asynchronous_space<hook::space>;  // kernels that the host runs

bool belongs_here(way w) { return (w >= way::small_pair) == on_device; }

// --- One case

/// Memory for inputs, in the space.
struct inputs {
  const hook::space space = hook::make();
  std::size_t bytes;
  unsigned char* first = static_cast<unsigned char*>(space.allocate(bytes));
  unsigned char* second = static_cast<unsigned char*>(space.allocate(bytes));

  explicit inputs(std::size_t most) : bytes(most) {}
  inputs(const inputs&) = delete;
  inputs& operator=(const inputs&) = delete;
  ~inputs() {
    space.deallocate(first);
    space.deallocate(second);
  }
  template <class T>
  const T* put(unsigned char* to, std::size_t shift, const std::vector<T>& x) const {
    T* const p = reinterpret_cast<T*>(to) + shift;
    space.copy(p, x.data(), x.size() * sizeof(T));
    space.synchronize();
    return p;
  }
};

template <class R>
std::string shown(R x) {
  char text[64];
  std::snprintf(text, sizeof(text), "%a", static_cast<double>(x));
  return text;
}
template <class R>
bool same(R a, R b) {
  return std::memcmp(&a, &b, sizeof(R)) == 0 || (a != a && b != b);
}

/// What is wrong with the result; nothing for most.
template <class T>
std::string run(const inputs& memory, const hook::space& space, const recipe& r, std::size_t n) {
  using carrier = accrue::carrier_t<T>;
  const auto what = static_cast<soak::operation>(r.below(recipe::what, soak::operations));
  const std::size_t shift = r.below(recipe::shift, 17);
  const std::vector<T> x = soak::elements_of<T>(r, n, false);
  const std::vector<T> y = what == soak::operation::dot ? soak::elements_of<T>(r, n, true) : std::vector<T>();
  const T* const px = memory.put(memory.first, shift, x);
  const T* const py = memory.put(memory.second, r.below(recipe::period, 5), y);

  accrue::superaccumulator<carrier> sum;
  accrue::product_superaccumulator<carrier> products;
  test::oracle by_mpfr;  // of short inputs, which says whether the last rounding is right too
  const bool is_short = n < 300;
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(static_cast<carrier>(x[i]));
    switch (what) {
      case soak::operation::sum:
      case soak::operation::mean:
        sum.add(v);
        if (is_short) by_mpfr.add(v);
        break;
      case soak::operation::sum_abs: sum.add(std::fabs(v)); break;
      case soak::operation::sum_squares:
      case soak::operation::norm2:
        products.add_product(v, v);
        if (is_short) by_mpfr.add_product(v, v);
        break;
      case soak::operation::dot:
        products.add_product(v, static_cast<double>(static_cast<carrier>(y[i])));
        if (is_short) by_mpfr.add_product(v, static_cast<double>(static_cast<carrier>(y[i])));
        break;
      case soak::operation::moments:
        sum.add(v);
        products.add_product(v, v);
        break;
    }
  }
  const auto compare = [&](auto got, auto expected) {
    return same(got, expected) ? std::string() : shown(got) + " and not " + shown(expected);
  };
  switch (what) {
    case soak::operation::sum: {
      auto got = accrue::sum(space, px, n);
      return compare(got, is_short ? by_mpfr.round<decltype(got)>() : sum.template round<decltype(got)>());
    }
    case soak::operation::sum_abs: {
      auto got = accrue::sum_abs(space, px, n);
      return compare(got, sum.template round<decltype(got)>());
    }
    case soak::operation::sum_squares: {
      auto got = accrue::sum_squares(space, px, n);
      return compare(got, is_short ? by_mpfr.round<decltype(got)>() : products.template round<decltype(got)>());
    }
    case soak::operation::dot: {
      auto got = accrue::dot(space, px, py, n);
      return compare(got, is_short ? by_mpfr.round<decltype(got)>() : products.template round<decltype(got)>());
    }
    case soak::operation::norm2: {
      auto got = accrue::norm2(space, px, n);
      return compare(got, is_short ? by_mpfr.root<decltype(got)>() : products.template round_square_root<decltype(got)>());
    }
    case soak::operation::mean: {
      if (n == 0) return {};
      auto got = accrue::mean(space, px, n);
      return compare(got, is_short ? by_mpfr.quotient<decltype(got)>(n) : sum.template round_quotient<decltype(got)>(n));
    }
    case soak::operation::moments: {
      if (n == 0) return {};
      const auto got = accrue::moments(space, px, n);
      const accrue::moments_of<T> reducer;
      const auto expected = reducer.finish({sum, products, static_cast<std::int64_t>(n)});
      if (got.count != expected.count) return "another count";
      if (!same(got.mean, expected.mean)) return compare(got.mean, expected.mean);
      if (!same(got.variance, expected.variance)) return compare(got.variance, expected.variance);
      if (!same(got.standard_deviation, expected.standard_deviation)) return compare(got.standard_deviation, expected.standard_deviation);
      return compare(got.population_variance, expected.population_variance);
    }
  }
  return {};
}

std::string run(const inputs& memory, const recipe& r, std::size_t longest) {
  const std::size_t n = soak::size_of(r, longest);
  static const auto spaces = hook::variants();
  // Half of the cases in the usual shape.
  const std::uint32_t set = r.below(recipe::set, 64);
  const hook::space& space = spaces[set % 2 == 0 ? 0 : set / 2 % spaces.size()];
  accrue::limit_instruction_set(static_cast<accrue::instruction_set>(on_device ? 2 : set % 3));
  switch (static_cast<soak::element_type>(r.below(recipe::type, 4))) {
    case soak::element_type::f64: return run<double>(memory, space, r, n);
    case soak::element_type::f32: return run<float>(memory, space, r, n);
    case soak::element_type::f16: return run<accrue::half>(memory, space, r, n);
    case soak::element_type::bf16: return run<accrue::bfloat16>(memory, space, r, n);
  }
  return {};
}

std::string text_of(const recipe& r) {
  std::string text;
  for (const std::uint32_t k : r.n) text += (text.empty() ? "" : ",") + std::to_string(k);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t cases = 10000;
  std::uint64_t seed = 1;
  std::size_t longest = played ? 30000 : 100000;
  std::vector<std::uint32_t> only;
  CLI::App app("adversarial sums against superaccumulators");
  app.add_option("--cases", cases, "how many");
  app.add_option("--seed", seed, "another for other cases");
  app.add_option("--longest", longest, "elements of the longest input");
  app.add_option("--only", only, "one recipe alone")->delimiter(',')->expected(recipe::fields);
  CLI11_PARSE(app, argc, argv);

  const inputs memory((longest + 32) * sizeof(double));
  if (!only.empty()) {
    recipe r;
    std::copy(only.begin(), only.end(), r.n.begin());
    const std::string wrong = run(memory, r, longest);
    std::printf("%zu elements: %s\n", soak::size_of(r, longest), wrong.empty() ? "right" : wrong.c_str());
    return wrong.empty() ? 0 : 1;
  }

  constexpr std::size_t pool_size = 512;
  std::vector<recipe> rare;
  counts taken{};  // cases that took a way
  counts before = ways_so_far(memory.space, memory.first);
  std::uint64_t wrong_cases = 0;
  std::uint64_t elements = 0;
  for (std::uint64_t k = 0; k < cases; ++k) {
    const std::uint64_t bits = test::random_bits(seed, 3 * k);
    const bool changes = !rare.empty() && (bits & 1) != 0;
    const recipe r = changes ? rare[(bits >> 1) % rare.size()].changed(test::random_bits(seed, 3 * k + 1))
                             : recipe::random(test::random_bits(seed, 3 * k + 1));
    const std::string wrong = run(memory, r, longest);
    elements += soak::size_of(r, longest);
    if (!wrong.empty() && ++wrong_cases <= 20) {
      std::printf("wrong: %s, --longest %zu --only %s\n", wrong.c_str(), longest, text_of(r).c_str());
    }
    const counts now = ways_so_far(memory.space, memory.first);
    bool is_rare = false;
    for (unsigned w = 0; w < now.size(); ++w) {
      if (now[w] == before[w]) continue;
      ++taken[w];
      is_rare = is_rare || taken[w] < k / 50 + 1;
    }
    before = now;
    if (!is_rare) continue;
    if (rare.size() < pool_size) {
      rare.push_back(r);
    } else {
      rare[test::random_bits(seed, 3 * k + 2) % pool_size] = r;
    }
  }

  const auto shown_count = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%s: %llu cases, %llu elements, %llu wrong, seed %llu\n", hook::space::name, shown_count(cases), shown_count(elements),
              shown_count(wrong_cases), shown_count(seed));
  bool all_taken = true;
  for (unsigned w = 0; w < taken.size(); ++w) {
    if (!belongs_here(static_cast<way>(w))) continue;
    std::printf("  %-16s in %llu cases\n", accrue::detail::way_names[w], shown_count(taken[w]));
    all_taken = all_taken && taken[w] != 0;
  }
  if (!all_taken) std::printf("a way was never taken\n");
  return wrong_cases == 0 && all_taken ? 0 : 1;
}
