// SPDX-License-Identifier: BSD-3-Clause
// The benchmarks see wrong results: contenders that lie by a last place, by a percent, or on special inputs alone.
#include <accrue/superaccumulator.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "suites.hpp"

namespace {

using perf::json;

float exact_sum(const float* x, std::size_t n) {
  accrue::superaccumulator<float> s;
  for (std::size_t i = 0; i < n; ++i) s.add(x[i]);
  return s.round<float>();
}

/// A contender for sums whose exact result goes through `lie`.
template <class Lie>
void compete(const char* name, Lie lie) {
  perf::host_contenders<float>().push_back({.name = name,
                                            .what = perf::operation::sum,
                                            .run = [lie](const perf::place&, const float* x, const float*, std::size_t n,
                                                         float* result) { *result = lie(exact_sum(x, n)); }});
}

struct outcome {
  json rows;
  bool all_right;
};
/// The rows that `suite` makes of the contender alone.
template <class Suite, class Lie>
outcome rows_of(Suite suite, const char* name, Lie lie) {
  perf::host_contenders<float>().clear();
  compete(name, lie);
  perf::runner runner({.once = true});
  suite(runner, *perf::make_host_stage(), {.bytes = 1 << 16, .cache_bytes = 1 << 16, .most_log2 = 6, .threads = {1}});
  REQUIRE(!runner.rows().empty());
  return {runner.rows(), runner.all_right()};
}

const auto honest = [](float v) { return v; };
const auto a_place_off = [](float v) { return std::nextafter(v, std::numeric_limits<float>::infinity()); };
const auto a_percent_off = [](float v) { return v * 1.01f; };
const auto blind_to_infinity = [](float v) { return std::isinf(v) ? std::numeric_limits<float>::quiet_NaN() : v; };

TEST_CASE("an exact contender must be exact", "[bench]") {
  for (const auto suite : {perf::rivals_suite, perf::sizes_suite}) {
    const auto right = rows_of(suite, "accrue exact", honest);
    CHECK(right.all_right);
    const auto wrong = rows_of(suite, "accrue exact", a_place_off);
    CHECK(!wrong.all_right);
    for (const json& r : wrong.rows) {
      CHECK(r["verified"] == false);
      CHECK(r["error_ulp"] == 1);
    }
  }
}

TEST_CASE("an exact contender must be right on special inputs too", "[bench]") {
  const auto wrong = rows_of(perf::rivals_suite, "accrue exact", blind_to_infinity);
  CHECK(!wrong.all_right);
  CHECK(wrong.rows[0]["error_ulp"] == 0);
  CHECK(wrong.rows[0]["exact_cases"] == "12/13");
  CHECK(wrong.rows[0]["errors_ulp"]["ones and Inf"] == "nan for inf");
}

TEST_CASE("another order may round, but not lose a percent", "[bench]") {
  for (const auto suite : {perf::rivals_suite, perf::sizes_suite}) {
    CHECK(rows_of(suite, "accrue fast", a_place_off).all_right);
    const auto wrong = rows_of(suite, "accrue fast", a_percent_off);
    CHECK(!wrong.all_right);
    CHECK(std::all_of(wrong.rows.begin(), wrong.rows.end(), [](const json& r) { return r["verified"] == false; }));
  }
}

TEST_CASE("a rival's wrong result is shown and is no failure", "[bench]") {
  const auto wrong = rows_of(perf::rivals_suite, "a rival", a_percent_off);
  CHECK(wrong.all_right);
  CHECK(wrong.rows[0]["verified"] == false);
  CHECK(wrong.rows[0]["errors_ulp"]["a million zeros"] == 0);
  CHECK(wrong.rows[0]["errors_ulp"]["uniform"].get<double>() > 10000);
}

TEST_CASE("a row is right if what is said of it and the calls before and after its timing are", "[bench]") {
  const auto outcome_of = [](std::size_t right_calls, bool right_about) {
    std::size_t calls = 0;
    perf::runner runner({.stop = {.rounds = 3}});
    runner.measure({{.labels = {{"by", "a row"}},
                     .bytes = 8,
                     .time =
                         [&](std::size_t n) {
                           calls += n;
                           return 1e-3;
                         },
                     .check =
                         [&] {
                           return json{{"verified", calls <= right_calls}};
                         },
                     .about =
                         [&] {
                           return json{{"verified", right_about}};
                         }}},
                   [] {});
    REQUIRE(calls > 3);
    REQUIRE(runner.rows().size() == 1);
    CHECK(runner.rows()[0]["rounds"] == 3);
    CHECK(runner.rows()[0]["verified"] == runner.all_right());
    return runner.all_right();
  };
  CHECK(outcome_of(1000, true));
  CHECK(!outcome_of(1000, false));
  CHECK(!outcome_of(1, true));  // the first call is right, later ones are not
}

TEST_CASE("the fastest row that only reads is the limit of the others", "[bench]") {
  const auto of = [](double seconds, const char* name, bool is_limit) {
    return perf::row{
        .labels = {{"by", name}}, .bytes = 8, .time = [seconds](std::size_t) { return seconds; }, .is_limit = is_limit};
  };
  perf::runner runner({.stop = {.rounds = 3}});
  runner.measure({of(3, "slow loop", true), of(2, "fast loop", true), of(4, "a sum", false)}, [] {});
  REQUIRE(runner.rows().size() == 3);
  CHECK(!runner.rows()[0].contains("of_limit"));
  CHECK(!runner.rows()[1].contains("of_limit"));
  CHECK(runner.rows()[2]["of_limit"] == 0.5);
  CHECK(runner.rows()[2]["of_limit_spread"] == 0);
}

TEST_CASE("results of every type are told apart", "[bench]") {
  constexpr std::size_t n = 4096;
  const auto host = perf::make_host_stage();
  for (const auto& c : host->typed_cases()) {
    INFO(c.what << " of " << c.type << ", " << perf::name_of(c.kind));
    std::vector<unsigned char> x(n * c.element_bytes);
    std::vector<unsigned char> result(c.result_bytes);
    std::vector<unsigned char> other(c.result_bytes);
    c.fill(x.data(), n);
    c.run(host->place(1), x.data(), n, result.data());
    CHECK(c.agree(result.data(), result.data(), n));
    for (std::size_t k = c.element_bytes; k < x.size(); ++k) x[k] = x[k % c.element_bytes];  // the first element everywhere
    c.run(host->place(1), x.data(), n, other.data());
    CHECK(!c.agree(result.data(), other.data(), n));
  }
}

}  // namespace
