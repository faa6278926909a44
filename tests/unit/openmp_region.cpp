// SPDX-License-Identifier: BSD-3-Clause
// accrue::openmp inside a caller's parallel region, under dynamic teams, and with the caller's settings left alone.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <catch2/catch_test_macros.hpp>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"

using namespace test;

TEST_CASE("inside a caller's parallel region, nested or not", "[openmp]") {
  const auto x = sequence<double>(distribution::wide, 11, 40000);
  const accrue::openmp space(3, accrue::merge_method::tree, 1);
  const std::string expected = bits(accrue::sum(accrue::serial{}, x));
  for (const int levels : {1, 2}) {
    omp_set_max_active_levels(levels);
    std::vector<std::string> results(4);
#pragma omp parallel num_threads(4)
    results[static_cast<std::size_t>(omp_get_thread_num())] =
        bits(accrue::sum(space, x)) + bits(accrue::sum(space, x, accrue::ordered));
    const std::string both = expected + bits(accrue::sum(accrue::serial{}, x, accrue::ordered));
    for (const auto& r : results) {
      if (!r.empty()) CHECK(r == both);
    }
  }
  omp_set_max_active_levels(1);
}

TEST_CASE("dynamic teams and the caller's settings", "[openmp]") {
  const auto x = sequence<double>(distribution::normal, 12, 40000);
  omp_set_dynamic(1);
  omp_set_num_threads(5);
  const std::string expected = bits(accrue::sum(accrue::serial{}, x));
  for (const int threads : {0, 1, 2, 7, 64}) {
    for (const auto method : {accrue::merge_method::critical, accrue::merge_method::triangle, accrue::merge_method::tree}) {
      CHECK(bits(accrue::sum(accrue::openmp(threads, method, 1), x)) == expected);
    }
  }
  CHECK(omp_get_max_threads() == 5);
  CHECK(omp_get_dynamic() == 1);
  omp_set_dynamic(0);
}

TEST_CASE("staircase shares cover the range once, whatever the step", "[openmp]") {
  for (const std::size_t n : {0u, 1u, 5u, 100u, 12345u}) {
    for (int size = 1; size <= 9; ++size) {
      for (const double step : {0.0, 0.5, 10.0, 1000.0, 1e9}) {
        std::size_t next = 0;
        for (int rank = 0; rank < size; ++rank) {
          const auto s = accrue::detail::staircase_share(n, rank, size, step);
          CHECK(s.begin == next);
          CHECK(s.begin <= s.end);
          next = s.end;
        }
        CHECK(next == n);
      }
    }
  }
  const auto first = accrue::detail::staircase_share(12345, 0, 4, 100);
  const auto second = accrue::detail::staircase_share(12345, 1, 4, 100);
  CHECK(second.end - second.begin >= first.end - first.begin + 99);
  CHECK(second.end - second.begin <= first.end - first.begin + 101);
}

TEST_CASE("weighted staircase shares rise by the step, and the step is learned", "[openmp]") {
  std::vector<double> before(1001, 0.0);  // the work of all elements before each: those of the first half cost three times as much
  for (std::size_t i = 0; i < 1000; ++i) before[i + 1] = before[i] + (i < 500 ? 3.0 : 1.0);
  for (const double step : {0.0, 40.0, 1e9}) {
    std::size_t next = 0;
    double last = 0;
    for (int rank = 0; rank < 5; ++rank) {
      const auto s = accrue::detail::staircase_share(before, rank, 5, step);
      CHECK(s.begin == next);
      next = s.end;
      const double work = before[s.end] - before[s.begin];
      if (rank > 0) CHECK(std::abs(work - last - std::min(step, 200.0)) <= 6);  // 200: all that 2000 in five shares allow
      last = work;
    }
    CHECK(next == 1000);
  }
  accrue::detail::staircase_calibration calibration;
  CHECK(calibration.step() == 0);
  calibration.learn(6e-6, 2e-6);
  CHECK(calibration.step() == 3);
  calibration.learn(6.5e-6, 2e-6);  // jitter changes nothing
  CHECK(calibration.step() == 3);
  for (int k = 0; k < 20; ++k) calibration.learn(12e-6, 2e-6);
  CHECK(std::abs(calibration.step() - 6) < 1.6);
}
