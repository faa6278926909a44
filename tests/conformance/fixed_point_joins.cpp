// SPDX-License-Identifier: BSD-3-Clause
// Accumulation by fixed_point: what threads have counted, collected and kept in words, however it lies, joined.
#include <array>
#include <cmath>
#include <latch>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/suite.hpp"

using namespace test;
using accrue::strategy;

TEST_CASE("fixed_point joins full words of many threads", "[accumulate]") {
  constexpr double largest = 0x1.fffffffffffffp2;  // each of these fills a count of the unit for the first
  constexpr std::array<double, 2> first{1.0, -0x1p-6};
  constexpr int threads = 20;
  for (const double sign : {1.0, -1.0}) {
    for (const std::size_t n : {1000u, 2000u}) {
      oracle sum;
      for (int t = 0; t < threads; ++t) {
        for (std::size_t i = 0; i < 256; ++i) sum.add(first[i % 2]);
        for (std::size_t i = 0; i < n; ++i) sum.add(sign * largest);
      }
      std::vector<double> y(70);
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      std::latch all_added(threads);  // no thread takes the place of one that ended
      std::vector<std::thread> team;
      for (int t = 0; t < threads; ++t) {
        team.emplace_back([&] {
          auto& mine = acc.local();
          for (std::size_t i = 0; i < 256; ++i) mine.add(65, first[i % 2]);
          for (std::size_t i = 0; i < n; ++i) mine.add(65, sign * largest);
          all_added.arrive_and_wait();
        });
      }
      for (std::thread& t : team) t.join();
      acc.finish();
      CHECK(bits(y[65]) == bits(sum.round<double>()));
    }
  }
}

TEST_CASE("fixed_point joins what nearly fills 128 bits", "[accumulate]") {
  // Of 256 threads, whose counts, what they collect and the target are as large as the way by 128 bits takes: places are of last bits.
  constexpr int threads = 256;
  constexpr int unit = 1897;
  constexpr double full = 0x1.fffffffffffffp52;
  const auto at = [](double significand, int place) { return std::ldexp(significand, place - 1074); };
  for (const int shift : {53, 54}) {
    for (const double sign : {1.0, -1.0}) {
      const int lower_word = unit - shift;
      const std::size_t parts = (std::size_t{1} << (shift == 54 ? 12 : 11)) - 3;
      std::vector<double> y(131072);
      y[0] = sign * at(full, lower_word + 70);
      oracle sum;
      sum.add(y[0]);
      for (int t = 0; t < threads; ++t) {
        sum.add(at(0x1p52, lower_word + 42));
        sum.add(sign * at(full, unit + 10));
        for (std::size_t i = 0; i < parts; ++i) sum.add(sign * at(full, lower_word + 52));
      }
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      std::mutex one_by_one;
      std::latch all_added(threads);
      std::vector<std::thread> team;
      for (int t = 0; t < threads; ++t) {
        team.emplace_back([&] {
          {
            const std::lock_guard lock(one_by_one);
            auto& mine = acc.local();
            mine.add(0, at(0x1p52, lower_word + 42));  // by this words are chosen, and by the next the unit
            for (int i = 0; i < 191; ++i) mine.add(1, at(i % 2 == 0 ? -0x1p52 : 0x1p52, unit + 3));
            mine.add(0, sign * at(full, unit + 10));
            for (std::size_t i = 0; i < parts; ++i) mine.add(0, sign * at(full, lower_word + 52));
          }
          all_added.arrive_and_wait();
        });
      }
      for (std::thread& t : team) t.join();
      acc.finish();
      CAPTURE(shift, sign);
      CHECK(bits(y[0]) == bits(sum.round<double>()));
    }
  }
}

TEST_CASE("fixed_point joins threads whose units and words lie at any distance", "[accumulate]") {
  const std::uint64_t seed = next_seed();
  for (const std::size_t targets : {3u, 3000u}) {  // with words, and with nothing but counts and what is collected
    for (int distance = -70; distance <= 70; ++distance) {
      CAPTURE(targets, distance, seed);
      std::vector<double> y(targets, 1.0);
      std::map<std::size_t, oracle> sums;
      auto acc = accrue::scatter(hook::make(), y, strategy::fixed_point);
      for (const int exponent : {0, distance}) {
        const auto target = [&](std::uint64_t i) { return i < 200 ? 0 : i % std::min<std::size_t>(targets, 20); };
        const auto contribution = [&](std::uint64_t i) {
          const int lower = i % 100 == 99 ? 30 : static_cast<int>(i % 5);
          return std::ldexp(static_cast<double>(random_bits(seed, i) >> 11 | std::uint64_t{1} << 52), exponent - 53 - lower);
        };
        const auto add_all = [&] {
          for (std::uint64_t i = 0; i < 600; ++i) acc.add(target(i), contribution(i));
        };
        if (exponent == 0) {
          add_all();
        } else {
          std::thread(add_all).join();
        }
        for (std::uint64_t i = 0; i < 600; ++i) {
          const auto [at, first] = sums.try_emplace(target(i));
          if (first) at->second.add(1.0);
          at->second.add(contribution(i));
        }
      }
      acc.finish();
      for (auto& [j, sum] : sums) CHECK(bits(y[j]) == bits(sum.round<double>()));
    }
  }
}
