// SPDX-License-Identifier: BSD-3-Clause
// Contributions where an allocation fails: what is told, and that the next step is right. A program of its own: it replaces operator new.
#include <accrue/accumulate.hpp>
#include <accrue/accrue.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

std::size_t left_to_fail = 0;  ///< allocations until one fails; 0: none does

void* allocate(std::size_t bytes) {
  if (left_to_fail != 0 && --left_to_fail == 0) throw std::bad_alloc();
  void* const p = std::malloc(bytes != 0 ? bytes : 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

TEST_CASE("contributions of fixed_point without memory for them", "[accumulate]") {
  // Contributions to a few of many targets, most of one size, which are counted, and others, which are collected and ordered at the end, or
  // go to words, or to superaccumulators; small targets before and after in no order.
  constexpr std::size_t targets = 100000;
  const auto target_of = [](std::size_t i) { return i * 7919 % 331 * 301; };
  const auto value_of = [](std::size_t i, int kind) {
    const double usual = 1 + static_cast<double>(i % 64) / 64;
    if (i < 200 || i % 5 != 0) return usual;
    return kind == 0 ? usual * 0x1p-12 : kind == 1 ? std::ldexp(usual, static_cast<int>(i % 300) - 200) : usual * 0x1p900;
  };
  for (int kind = 0; kind < 3; ++kind) {
    constexpr std::size_t n = 60000;
    std::vector<double> expected(targets);
    accrue::accumulate(
        accrue::serial{}, expected, n, [&](std::size_t i, auto& out) { out.add(target_of(i), value_of(i, kind)); },
        accrue::strategy::fixed_point);
    std::size_t failed = 0;
    for (std::size_t k = 1; failed == k - 1; ++k) {
      std::vector<double> y(targets);
      auto acc = accrue::scatter(accrue::serial{}, y, accrue::strategy::fixed_point);
      auto& mine = acc.local();
      const auto step = [&] {
        for (std::size_t i = 0; i < n; ++i) mine.add(target_of(i), value_of(i, kind));
        acc.finish();
      };
      accrue::errc told = accrue::errc::success;
      left_to_fail = k;
      try {
        step();
      } catch (const accrue::error& e) {
        told = e.code();
      }
      const bool none = left_to_fail != 0;
      left_to_fail = 0;
      CAPTURE(kind, k);
      CHECK(told == (none ? accrue::errc::success : accrue::errc::out_of_memory));
      if (none) {
        CHECK(y == expected);
        break;
      }
      ++failed;
      std::fill(y.begin(), y.end(), 0.0);
      step();
      CHECK(y == expected);
    }
    CHECK(failed > 0);
  }
}
