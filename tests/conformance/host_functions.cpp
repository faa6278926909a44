// SPDX-License-Identifier: BSD-3-Clause
// Functions that only host threads can call: those that count their calls, and those that throw.
#include "suite.hpp"

#include <atomic>
#include <stdexcept>

using namespace test;

TEST_CASE("a function is called once for each element, whichever way the sum takes", "[reduce]") {
  for (const std::size_t n : {2u, 100u, 2048u, 5000u}) {
    auto x = sequence<double>(distribution::log_uniform, next_seed(), n);
    for (const auto& space : hook::variants()) {
      std::atomic<std::size_t> calls{0};
      on(space, x, [&](const auto& s, auto r) {
        accrue::transform_reduce(s, r, accrue::plus{}, [&](double v) {
          ++calls;
          return v;
        });
      });
      CHECK(calls == n);
    }
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
