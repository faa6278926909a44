// SPDX-License-Identifier: BSD-3-Clause
// Partial results of groups merge to the bits of one call; golden bits of groupings.
#include "results_of_groups.hpp"

#include <cmath>

#include "golden/groups.hpp"
#include "support/golden_file.hpp"

using namespace test;

namespace {

/// What partial results give when their states are ended in the space's memory.
template <class R>
std::vector<std::string> ended_there(const hook::space& space, const accrue::partial_results<R>& p) {
  using state = typename R::state;
  const std::vector<state> states(p.states().begin(), p.states().end());
  using result = decltype(p[0].finish());
  return results_of<result>(space, p.size(), [&](auto out) {
    if constexpr (requires { finish_groups_on_device(space, p.reducer(), states.data(), p.size(), out.data()); }) {
      finish_groups_on_device(space, p.reducer(), states.data(), p.size(), out.data());
    } else {
      const hook::array<state> there(space, states);
      accrue::finish_into(space, p.reducer(), there.get().data(), p.size(), out.data());
      space.synchronize();
    }
  });
}
template <class R>
std::vector<std::string> finished(const accrue::partial_results<R>& p) {
  std::vector<decltype(p[0].finish())> results(p.size());
  p.finish(results);
  std::vector<std::string> text;
  for (const auto& r : results) text.push_back(shown(r));
  return text;
}
/// Merges the partial results of pieces, by way of bytes, as if they came from other processes.
template <class R>
accrue::partial_results<R> merged(const std::vector<accrue::partial_results<R>>& pieces) {
  accrue::partial_results<R> all(pieces[0].size(), pieces[0].reducer());
  for (std::size_t k = pieces.size(); k-- > 0;) all += accrue::partial_results<R>::from_bytes(pieces[k].to_bytes());
  return all;
}

}  // namespace

TEST_CASE("partial results of groupings merge to the bits of one call", "[groupings]") {
  const std::size_t rows = played ? 9 : 130;
  const std::size_t columns = 61;
  const std::size_t cuts[] = {0, 7, 7, 40, columns};  // a piece without elements among them
  for (const auto kind : {distribution::normal, distribution::wide, distribution::infinity}) {
    auto x = sequence<double>(kind, next_seed(), rows * columns);
    if (kind == distribution::infinity) x[columns * 3] = std::numeric_limits<double>::quiet_NaN();
    const auto space = hook::make();
    const hook::array<double> there(space, x);
    using sum_reducer = accrue::sum_of<double>;
    using place_reducer = accrue::argmin_of<double>;
    std::vector<accrue::partial_results<sum_reducer>> sums;
    std::vector<accrue::partial_results<place_reducer>> places;
    for (std::size_t c = 0; c + 1 < std::size(cuts); ++c) {
      const auto piece = accrue::view(there.get().data() + cuts[c], rows, cuts[c + 1] - cuts[c], columns);
      sums.push_back(accrue::partial(space, accrue::rows(piece), sum_reducer{}));
      places.push_back(accrue::partial(space, accrue::rows(piece), place_reducer{}));
      places.back().move_positions(cuts[c]);
    }
    std::vector<std::string> expected_sums, expected_places;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto row = accrue::slice(x, k * columns, columns);
      expected_sums.push_back(shown(accrue::sum(accrue::serial{}, row)));
      expected_places.push_back(shown(accrue::argmin(accrue::serial{}, row)));
    }
    const auto all_sums = merged(sums);
    const auto all_places = merged(places);
    CHECK(finished(all_sums) == expected_sums);
    CHECK(finished(all_places) == expected_places);
    CHECK(ended_there(space, all_sums) == expected_sums);
    CHECK(ended_there(space, all_places) == expected_places);
    CHECK(shown(all_sums[rows - 1].finish()) == expected_sums.back());
    const auto at_once = accrue::partial(accrue::serial{}, accrue::rows(accrue::view(x.data(), rows, columns, columns)), sum_reducer{});
    CHECK(at_once.to_bytes() == all_sums.to_bytes());
    if (kind == distribution::normal) CHECK(all_sums.to_bytes().size() < 64 + 64 * rows);
    auto words = accrue::partial_results<sum_reducer>(rows);
    for (const auto& p : sums) {
      auto copy = p;
      for (std::size_t w = 0; w < words.words().size(); ++w) words.words()[w] += copy.words()[w];
    }
    CHECK(finished(words) == expected_sums);
    auto one = accrue::partial_results<sum_reducer>(rows);
    one.merge(rows / 2, accrue::partial(accrue::serial{}, accrue::slice(x, rows / 2 * columns, columns), sum_reducer{}));
    CHECK(finished(one)[rows / 2] == expected_sums[rows / 2]);
  }
}

TEST_CASE("partial results of segments, keys and two inputs", "[groupings]") {
  const std::size_t n = played ? 900 : 9000;
  const std::size_t groups = 11;
  const auto x = sequence<double>(distribution::wide, next_seed(), n);
  const auto y = sequence<double>(distribution::normal, next_seed(), n);
  std::vector<int> offsets{0};
  for (std::size_t k = 1; k < groups; ++k) offsets.push_back(static_cast<int>(k == 3 ? offsets.back() : k * n / groups));
  offsets.push_back(static_cast<int>(n));
  std::vector<int> keys(n);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(random_bits(seed, i) % groups);
  const auto space = hook::make();
  const hook::array<double> dx(space, x), dy(space, y);
  const hook::array<int> at(space, offsets), by(space, keys);
  using dots = accrue::dot_of<double>;
  using sums = accrue::sum_of<double>;
  const auto here = [](const auto&... a) { return finished(accrue::partial(accrue::serial{}, a...)); };
  CHECK(finished(accrue::partial(space, accrue::segments(dx.get(), at.get()), accrue::segments(dy.get(), at.get()), dots{})) ==
        here(accrue::segments(x, offsets), accrue::segments(y, offsets), dots{}));
  CHECK(finished(accrue::partial(space, accrue::grouped(dx.get(), by.get(), groups), sums{})) ==
        here(accrue::grouped(x, keys, groups), sums{}));
  if constexpr (on_host || played) {  // kernels take long to compile
    const auto several = accrue::fuse(accrue::sum_of<double>{}, accrue::max_of<double>{}, accrue::argmin_of<double>{});
    const auto p = accrue::partial(space, accrue::rows(accrue::view(dx.get().data(), 9, n / 9, n / 9)), several);
    CHECK(finished(p) == here(accrue::rows(accrue::view(x.data(), 9, n / 9, n / 9)), several));
    CHECK(ended_there(space, p) == finished(p));
  }
  const auto totals = accrue::partial(space, accrue::grouped(dx.get(), by.get(), groups), sums{});
  std::vector<double> direct(groups), merged_twice(groups);
  accrue::sum(accrue::serial{}, accrue::grouped(x, keys, groups), direct);
  (totals + totals).finish(merged_twice);
  for (std::size_t k = 0; k < groups; ++k) CHECK(bits(merged_twice[k]) == bits(2 * direct[k]));
}

TEST_CASE("bytes that are no partial results of groups are refused", "[groupings]") {
  using reducer = accrue::sum_of<double>;
  using accrue::errc;
  using results = accrue::partial_results<reducer>;
  const std::vector<double> x{1.5, -3e300, 1e-300, 2.0, -5e-324, 7.0};
  const auto read = [](const std::vector<std::byte>& b) { return code_of([&] { (void)results::from_bytes(b); }); };
  const auto p = accrue::partial(accrue::serial{}, accrue::rows(accrue::view(x.data(), 3, 2, 2)), reducer{});
  const auto good = p.to_bytes();
  CHECK(read(good) == errc::success);
  CHECK(read({}) == errc::bad_input);
  CHECK(read(p[0].to_bytes()) == errc::bad_input);
  CHECK(code_of([&] { (void)accrue::partial_result<reducer>::from_bytes(good); }) == errc::bad_input);
  CHECK(code_of([&] { (void)accrue::partial_results<accrue::sum_abs_of<double>>::from_bytes(good); }) == errc::bad_input);
  const auto seed = next_seed();
  for (std::uint64_t k = 0; k < 2000; ++k) {
    auto bad = good;
    bad[random_bits(seed, k) % bad.size()] ^= std::byte{1} << random_bits(seed + 1, k) % 8;
    if (read(bad) != errc::bad_input) FAIL("a damaged bit went unseen");
  }
  const std::size_t header = 48;
  for (std::size_t kept = 0; kept < good.size() - header - 8; ++kept) {  // cut short, with a right length and checksum
    std::vector<std::byte> bad(good.begin(), good.begin() + 40);
    accrue::detail::byte_writer{bad}(static_cast<std::uint64_t>(kept));
    bad.insert(bad.end(), good.begin() + header, good.begin() + static_cast<std::ptrdiff_t>(header + kept));
    accrue::detail::byte_writer{bad}(accrue::detail::checksum(bad));
    if (read(bad) != errc::bad_input) FAIL("bytes that end early went unseen");
  }
  auto two = results(2);
  CHECK(code_of([&] { two += p; }) == errc::size_mismatch);
  CHECK(code_of([&] { (void)two[2]; }) == errc::out_of_range);
  std::vector<double> out(3);
  CHECK(code_of([&] { two.finish(out); }) == errc::size_mismatch);
  std::vector<double> none;
  results().finish(none);
  const auto empty = accrue::partial_results<accrue::min_of<double>>(1);
  CHECK(code_of([&] { empty.finish(out.data()); }) == errc::empty_range);
}

TEST_CASE("golden bits of groupings", "[groupings][golden]") {
  const auto golden = read_golden("groups.txt");
  const auto space = hook::make();
  const auto [a, b, c] = golden_extents;
  const hook::array<std::int32_t> offsets(space, golden_offsets());
  std::vector<std::int32_t> of_elements(golden_elements);
  for (std::size_t i = 0; i < of_elements.size(); ++i) of_elements[i] = golden_key(i);
  const hook::array<std::int32_t> keys(space, of_elements);
  for (const distribution kind : golden_kinds) {
    const hook::array<double> x(space, golden_elements_of(kind));
    const auto check_line = [&](const std::string& name, const auto& grouping) {
      const std::size_t groups = grouping.count();
      if (groups > 200 && played) return;
      const auto hash = [&](auto result, const auto& call) {
        using result_type = decltype(result);
        std::vector<result_type> there(groups);
        (void)results_of<result_type>(space, groups, [&](auto out) {
          call(out);
          space.copy(there.data(), out.data(), groups * sizeof(result_type));
          space.synchronize();
        });
        golden_hash h;
        for (const result_type& r : there) {
          if constexpr (std::is_same_v<result_type, double>) {
            h.add(std::isnan(r) ? "nan" : bits(r));
          } else {
            h.add(std::to_string(r.index));
          }
        }
        return h.text();
      };
      std::string line = "sum " + hash(0.0, [&](auto out) { accrue::sum(space, grouping, out); });
      line += " norm2 " + hash(0.0, [&](auto out) { accrue::norm2(space, grouping, out); });
      line += " ordered " + hash(0.0, [&](auto out) { accrue::sum(space, grouping, out, accrue::ordered); });
      std::string expected = golden.at(std::string(to_string(kind)) + " " + name);
      if (expected.ends_with("-") || over_ranks<hook::space>) {
        expected.resize(expected.find(" argmax"));
      } else {
        line += " argmax " + hash(accrue::position<double>{},
                                  [&](auto out) { accrue::argmax(space, accrue::whole_positions(grouping), out); });
      }
      CAPTURE(name);
      CHECK(line == expected);
    };
    const auto* data = x.get().data();
    const auto matrix = accrue::view(data, a, b * c, b * c);
    check_line("rows", accrue::rows(matrix));
    check_line("columns", accrue::columns(matrix));
    const tensor3 tensor{data, {a, b, c}, {static_cast<std::ptrdiff_t>(b * c), static_cast<std::ptrdiff_t>(c), 1}};
    check_line("axis<1>", accrue::axis<1>(tensor));
    check_line("segments", accrue::segments(x.get(), offsets.get()));
    check_line("grouped", accrue::grouped(x.get(), keys.get(), golden_keys));
  }
}
