// SPDX-License-Identifier: BSD-3-Clause
// The limit on the host: a loop that reads every word and joins them by exclusive or.
#include <cstdint>
#include <cstring>

#include "contender.hpp"

namespace perf {

namespace {

constexpr std::size_t lanes = 32;  // eight vectors of 32 bytes
constexpr std::size_t ahead = 512;

std::uint64_t read_words(const std::uint64_t* p, std::size_t words) {
  std::uint64_t lane[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= words; i += lanes) {
    for (std::size_t k = 0; k < lanes; k += 8) __builtin_prefetch(p + i + k + ahead);
    for (std::size_t k = 0; k < lanes; ++k) lane[k] ^= p[i + k];
  }
  std::uint64_t all = 0;
  for (; i < words; ++i) all ^= p[i];
  for (const std::uint64_t l : lane) all ^= l;
  return all;
}

template <class T>
void add() {
  host_contenders<T>().push_back(
      {.name = "read only", .what = operation::read, .run = [](const place& at, const T* x, const T*, std::size_t n, T* result) {
         const auto* p = reinterpret_cast<const std::uint64_t*>(x);
         const std::size_t words = n * sizeof(T) / sizeof(std::uint64_t);
         const std::size_t share = (words / static_cast<std::size_t>(at.threads) + lanes) / lanes * lanes;
         std::uint64_t all = 0;
#pragma omp parallel for reduction(^ : all) num_threads(at.threads) schedule(static)
         for (int t = 0; t < at.threads; ++t) {
           const std::size_t begin = static_cast<std::size_t>(t) * share;
           if (begin < words) all ^= read_words(p + begin, words - begin < share ? words - begin : share);
         }
         std::memcpy(result, &all, sizeof(T));
       }});
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
