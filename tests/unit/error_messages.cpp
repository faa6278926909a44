// SPDX-License-Identifier: BSD-3-Clause
// What errors of groupings say: which call, and which group.
#include <accrue/accrue.hpp>
#include <accrue/partial_results.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace {

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const accrue::error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("errors of a group say which one it is", "[errors]") {
  const accrue::serial space;
  std::vector<double> x(3000, 1.0);
  std::vector<double> out(4);
  for (const std::vector<int>& offsets : {std::vector<int>{0, 5, 9, 9, 14}, std::vector<int>{0, 2000, 2100, 2100, 3000}}) {
    const std::vector<double> read(x.begin(), x.begin() + offsets.back());
    CHECK(message_of([&] { accrue::mean(space, accrue::segments(read, offsets), out); }) == "accrue::mean: no elements, in group 2");
  }
  const std::vector<int> keys(x.size(), 1);
  std::vector<double> three(3);
  CHECK(message_of([&] { accrue::min(space, accrue::grouped(x, keys, 3), three); }).ends_with(": no elements, in group 0"));
  CHECK(message_of([&] { accrue::mean(space, accrue::columns(accrue::view(x.data(), 0, 4, 4)), out); }).ends_with(", in group 0"));
  const auto states = accrue::partial(space, accrue::segments(x, std::vector<int>{0, 0, 3000}), accrue::mean_of<double>{});
  std::vector<double> two(2);
  CHECK(message_of([&] { states.finish(two); }).ends_with(", in group 0"));
}

TEST_CASE("errors of a grouping's output say which grouping it is", "[errors]") {
  const accrue::serial space;
  const std::vector<double> x(12, 1.0);
  std::vector<double> out(5);
  const auto matrix = accrue::view(x.data(), 4, 3, 3);
  CHECK(message_of([&] { accrue::sum(space, accrue::rows(matrix), out); }) == "accrue::rows and columns: 4 groups, but an output of 5");
  CHECK(message_of([&] { accrue::sum(space, accrue::segments(x, std::vector<int>{0, 12}), out); }) ==
        "accrue::segments: 1 groups, but an output of 5");
  const std::vector<int> keys(12, 1);
  CHECK(message_of([&] { accrue::sum(space, accrue::grouped(x, keys, 3), out); }) == "accrue::grouped: 3 groups, but an output of 5");
}
