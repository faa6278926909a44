// SPDX-License-Identifier: BSD-3-Clause
// Partial results: parts of the elements reduced apart, on this backend and on another, merged in any order.
#include "shown.hpp"
#include "suite.hpp"
#include "support/fp_state.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>

using namespace test;

namespace {

/// [0, n) cut at random places, pieces shuffled; some pieces are empty.
std::vector<std::pair<std::size_t, std::size_t>> random_pieces(std::uint64_t seed, std::size_t n, std::size_t count) {
  std::vector<std::size_t> cuts{0, n};
  for (std::size_t k = 1; k < count; ++k) cuts.push_back(n == 0 ? 0 : random_bits(seed, k) % (n + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) pieces.emplace_back(cuts[k], cuts[k + 1]);
  for (std::size_t k = pieces.size(); k > 1; --k) std::swap(pieces[k - 1], pieces[random_bits(seed + 1, k) % k]);
  return pieces;
}

// Comparisons of their own: in the check below, each of its many instances would have the test framework's code for them.
void check_same(const std::vector<std::byte>& got, const std::vector<std::byte>& expected) { CHECK(got == expected); }
void check_same(const std::string& got, const std::string& expected) { CHECK(got == expected); }

/// What merges, travels and ends: the pieces of x (and y) reduced on this space and on one thread in turn.
template <class R, class T, class... Second>
void check_pieces(const R& reducer, const std::vector<T>& x, const Second&... second) {
  INFO(reducer.kind());
  const auto seed = next_seed();
  const accrue::serial serial;
  const auto part = [](const auto& v, std::size_t begin, std::size_t end) {
    return std::vector(v.begin() + static_cast<std::ptrdiff_t>(begin), v.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const accrue::partial_result<R> whole = accrue::partial(serial, x, second..., reducer);
  const auto expected = whole.finish();
  const auto spaces = hook::variants();
  accrue::partial_result<R> merged(reducer);
  std::size_t turn = 0;
  for (const auto& range : random_pieces(seed, x.size(), 7)) {
    const std::size_t begin = range.first;
    const std::size_t end = range.second;
    const auto piece = part(x, begin, end);
    const auto& space = spaces[turn % spaces.size()];
    const auto on_space = [&](const auto&... inputs) {  // returned, or left in the space's memory
      if (turn % 3 == 0) return accrue::partial(space, inputs..., reducer);
      using state_type = typename R::state;
      auto* memory = static_cast<state_type*>(space.allocate(sizeof(state_type)));
      accrue::partial_into(space, inputs..., reducer, memory);
      state_type state;
      space.copy(&state, memory, sizeof(state_type));
      space.synchronize();
      space.deallocate(memory);
      return accrue::partial_result<R>(reducer, state);
    };
    auto p = [&] {
      if (turn % 3 == 2) return accrue::partial(serial, piece, part(second, begin, end)..., reducer);
      const hook::array<T> there(space, piece);
      if constexpr (sizeof...(second) == 0) {
        return on_space(there.get());
      } else {
        const auto other = part(std::get<0>(std::tie(second...)), begin, end);
        const hook::array<T> second_there(space, other);
        return on_space(there.get(), second_there.get());
      }
    }();
    ++turn;
    check_same(p.to_bytes(), accrue::partial(serial, piece, part(second, begin, end)..., reducer).to_bytes());
    if constexpr (accrue::detail::has_positions<R>) p.move_positions(begin);
    merged += accrue::partial_result<R>::from_bytes(p.to_bytes());
  }
  check_same(merged.to_bytes(), whole.to_bytes());
  check_same(shown(merged.finish()), shown(expected));
  for (const auto& space : spaces) check_same(shown(ended(space, merged)), shown(expected));
  if constexpr (accrue::detail::is_additive<R>()) {  // element by element, as MPI and NCCL do
    auto a = accrue::partial(serial, part(x, 0, x.size() / 3), part(second, 0, x.size() / 3)..., reducer);
    const auto b = accrue::partial(serial, part(x, x.size() / 3, x.size()), part(second, x.size() / 3, x.size())..., reducer);
    for (std::size_t k = 0; k < a.words().size(); ++k) a.words()[k] += b.words()[k];
    check_same(shown(a.finish()), shown(expected));
    check_same(a.to_bytes(), whole.to_bytes());
  }
}

}  // namespace

TEMPLATE_TEST_CASE("partial results merge, travel as bytes, add as words, and end anywhere", "[partial]", double, float, accrue::half,
                   std::int8_t, std::int32_t, std::uint64_t) {
  using T = TestType;
  for (const std::size_t n : {std::size_t{1}, std::size_t{40}, std::size_t{5000}}) {
    std::vector<T> x(n);
    const auto seed = next_seed();
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) {
        x[i] = static_cast<T>(static_cast<T>(random_bits(seed, i)) >> (sizeof(T) == 8 ? 20 : sizeof(T) == 4 ? 8 : 0));
      } else {
        x[i] = element<T>(n == 40 ? distribution::log_uniform : distribution::wide, seed, i, n);
      }
    }
    check_pieces(accrue::sum_of<T>{}, x);
    check_pieces(accrue::moments_of<T>{}, x);
    check_pieces(accrue::argmin_of<T>{}, x);
    check_pieces(accrue::norm2_of<T>{}, x);
    if constexpr (!std::is_integral_v<T> || sizeof(T) < 8) check_pieces(accrue::dot_of<T>{}, x, x);
    if constexpr (!std::is_integral_v<T>) check_pieces(accrue::weighted_mean_of<T>{}, x, x);
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int32_t>) {  // every state once of floats and once of integers
      check_pieces(accrue::sum_abs_of<T>{}, x);
      check_pieces(accrue::sum_squares_of<T>{}, x);
      check_pieces(accrue::mean_of<T>{}, x);
      check_pieces(accrue::min_of<T>{}, x);
      check_pieces(accrue::max_of<T>{}, x);
      check_pieces(accrue::min_number_of<T>{}, x);
      check_pieces(accrue::max_number_of<T>{}, x);
      check_pieces(accrue::minmax_of<T>{}, x);
      check_pieces(accrue::argmax_of<T>{}, x);
      check_pieces(accrue::argminmax_of<T>{}, x);
      check_pieces(accrue::norm_inf_of<T>{}, x);
    }
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint64_t>) {
      check_pieces(accrue::bit_and_of<T>{}, x);
      check_pieces(accrue::bit_or_of<T>{}, x);
      check_pieces(accrue::bit_xor_of<T>{}, x);
      std::vector<T> factors(n, 1);
      if (n > 2) factors[n / 2] = 7;
      check_pieces(accrue::product_of<T>{}, factors);
    }
  }
}

TEMPLATE_TEST_CASE("partial results of complex numbers", "[partial]", float, double) {
  using C = std::complex<TestType>;
  std::vector<C> z(3000);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = {element<TestType>(distribution::wide, seed, i, z.size()), element<TestType>(distribution::wide, seed + 7, i, z.size())};
  }
  check_pieces(accrue::sum_of<C>{}, z);
  check_pieces(accrue::sum_abs_of<C>{}, z);
  check_pieces(accrue::sum_squares_of<C>{}, z);
  check_pieces(accrue::norm2_of<C>{}, z);
  check_pieces(accrue::norm_inf_of<C>{}, z);
  check_pieces(accrue::dot_of<C>{}, z, z);
  check_pieces(accrue::dot_conjugated_of<C>{}, z, z);
}

TEST_CASE("a partial sum of special values, against the oracle", "[partial]") {
  for (const auto d : {distribution::wide, distribution::log_uniform, distribution::ill_conditioned, distribution::subnormal,
                       distribution::negative_zeros, distribution::infinity,
                       distribution::infinities, distribution::nan, distribution::overflowing}) {
    const auto x = sequence<double>(d, next_seed(), 20001);
    oracle o;
    for (const double v : x) o.add(v);
    const auto bytes_of = [&](const auto& reducer) {
      CHECK(on(x, [&](const auto& s, const auto& r) { return accrue::partial(s, r, reducer); }).to_bytes() ==
            accrue::partial(accrue::serial{}, x, reducer).to_bytes());
    };
    bytes_of(accrue::sum_of<double>{});
    bytes_of(accrue::moments_of<double>{});
    bytes_of(accrue::min_of<double>{});
    bytes_of(accrue::max_number_of<double>{});
    bytes_of(accrue::minmax_of<double>{});
    bytes_of(accrue::argminmax_of<double>{});
    bytes_of(accrue::norm_inf_of<double>{});
    accrue::partial_result<accrue::sum_of<double>> p;
    for (const auto& [begin, end] : random_pieces(next_seed(), x.size(), 9)) {
      p += on(std::vector(x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(end)),
              [](const auto& s, const auto& r) { return accrue::partial(s, r, accrue::sum_of<double>{}); });
    }
    CHECK(bits(p.finish()) == bits(o.round<double>()));
    CHECK(bits(ended(hook::make(), p)) == bits(o.round<double>()));
  }
}

TEST_CASE("partial results in the caller's own floating environment", "[partial]") {
  const std::vector<double> x{5e-324, -1e-310};
  const auto expected = bits(1e-310);
  for (const fp_state& wanted : unusual_fp_states()) {
    const fp_state before = read_fp_state();
    write_fp_state(wanted);
    auto p = on(x, [](const auto& s, const auto& r) { return accrue::partial(s, r, accrue::norm_inf_of<double>{}); });
    p += accrue::partial(accrue::serial{}, x, accrue::norm_inf_of<double>{});
    const auto got = bits(decltype(p)::from_bytes(p.to_bytes()).finish());
    const fp_state left = read_fp_state();
    write_fp_state(before);
    CHECK(left == wanted);
    CHECK(got == expected);
  }
}

TEST_CASE("half of the elements here, half on another backend, through a file", "[partial]") {
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), 30011);
  using reducer = accrue::sum_of<double>;
  const std::vector<double> left(x.begin(), x.begin() + 17000);
  const std::vector<double> right(x.begin() + 17000, x.end());
  const auto bytes = on(left, [](const auto& s, const auto& r) { return accrue::partial(s, r, reducer{}); }).to_bytes();
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
  std::rewind(file);
  std::vector<std::byte> read(bytes.size() + 1);
  REQUIRE(std::fread(read.data(), 1, read.size(), file) == bytes.size());
  std::fclose(file);
  read.pop_back();
  auto total = accrue::partial_result<reducer>::from_bytes(read);
  total.merge(accrue::partial(accrue::default_host_space{}, right, reducer{}));
  oracle o;
  for (const double v : x) o.add(v);
  CHECK(bits(total.finish()) == bits(o.round<double>()));
}

TEST_CASE("bytes that are no such partial result are refused", "[partial]") {
  using reducer = accrue::sum_of<double>;
  using accrue::errc;
  const auto read = [](const std::vector<std::byte>& b) { return code_of([&] { (void)accrue::partial_result<reducer>::from_bytes(b); }); };
  const auto good = accrue::partial(accrue::serial{}, std::vector<double>{1.5, -3e300, 1e-300}, reducer{}).to_bytes();
  CHECK(good.size() == 48 + 8 * 71 + 8);
  CHECK(read(good) == errc::success);
  auto bad = good;
  bad.pop_back();
  CHECK(read(bad) == errc::bad_input);
  bad = good;
  bad.push_back(std::byte{0});
  CHECK(read(bad) == errc::bad_input);
  CHECK(read({}) == errc::bad_input);
  for (const std::size_t at : {0u, 7u, 8u, 40u, 52u}) {  // the beginning, the version, the kind, the length, a digit of 33 bits
    bad = good;
    bad[at] ^= std::byte{1};
    INFO(at);
    CHECK(read(bad) == errc::bad_input);
  }
  const auto other = accrue::partial(accrue::serial{}, std::vector<double>{1.5}, accrue::sum_abs_of<double>{}).to_bytes();
  CHECK(read(other) == errc::bad_input);
  const auto seed = next_seed();
  for (std::uint64_t k = 0; k < 2000; ++k) {
    bad = good;
    bad[random_bits(seed, k) % bad.size()] ^= std::byte{1} << random_bits(seed + 1, k) % 8;
    if (read(bad) != errc::bad_input) FAIL("a damaged bit went unseen");
  }
  using pairs = std::vector<std::complex<double>>;
  const pairs z{{1, 2}};
  const auto conjugated = accrue::partial(accrue::serial{}, z, z, accrue::dot_conjugated_of<std::complex<double>>{}).to_bytes();
  CHECK(code_of([&] { (void)accrue::partial_result<accrue::dot_of<std::complex<double>>>::from_bytes(conjugated); }) == errc::bad_input);
}

TEST_CASE("partial results of no elements", "[partial]") {
  const std::vector<double> none;
  const auto p = on(none, [](const auto& s, const auto& r) { return accrue::partial(s, r, accrue::min_of<double>{}); });
  CHECK(code_of([&] { (void)p.finish(); }) == accrue::errc::empty_range);
  CHECK(p.to_bytes() == accrue::partial_result<accrue::min_of<double>>().to_bytes());
  auto q = on(std::vector<double>{3.0}, [](const auto& s, const auto& r) { return accrue::partial(s, r, accrue::min_of<double>{}); });
  q += p;
  CHECK(q.finish() == 3.0);
  const auto sum = on(none, [](const auto& s, const auto& r) { return accrue::partial(s, r, accrue::sum_of<double>{}); });
  CHECK(bits(sum.finish()) == bits(0.0));
}
