// SPDX-License-Identifier: BSD-3-Clause
// The limit on the host: loops that read every word and join them by exclusive or. Which of them is fastest depends on the machine
// and on the number of threads; the fastest is the limit.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "contender.hpp"

namespace perf {

namespace {

using word = std::uint64_t;
using vector [[gnu::vector_size(32), gnu::may_alias]] = word;
using wide_vector [[gnu::vector_size(64), gnu::may_alias]] = word;

/// Reads so many parts of the words side by side, asking for what comes `ahead` words later. p lies on a multiple of 64
/// bytes.
template <class V, std::size_t streams, std::size_t ahead>
[[gnu::always_inline]] inline word read_words(const word* p, std::size_t words) {
  constexpr std::size_t each = sizeof(V) / sizeof(word);
  constexpr std::size_t lanes = 8 / streams;
  const std::size_t part = words / streams / (lanes * each) * (lanes * each);
  V lane[streams][lanes] = {};
  for (std::size_t i = 0; i < part; i += lanes * each) {
    for (std::size_t s = 0; s < streams; ++s) {
      const word* q = p + s * part + i;
      for (std::size_t k = 0; k < lanes * each; k += 8) __builtin_prefetch(q + k + ahead);
      for (std::size_t k = 0; k < lanes; ++k) lane[s][k] ^= *reinterpret_cast<const V*>(q + k * each);
    }
  }
  word all = 0;
  for (std::size_t i = streams * part; i < words; ++i) all ^= p[i];
  for (const auto& of_stream : lane) {
    for (const V& l : of_stream) {
      for (std::size_t k = 0; k < each; ++k) all ^= l[k];
    }
  }
  return all;
}

word one_stream(const word* p, std::size_t words) { return read_words<vector, 1, 512>(p, words); }
word four_streams(const word* p, std::size_t words) { return read_words<vector, 4, 512>(p, words); }
#if defined(__x86_64__)
[[gnu::target("avx512f")]] word one_wide_stream(const word* p, std::size_t words) {
  return read_words<wide_vector, 1, 1024>(p, words);
}
#endif

template <class T>
void add(const char* name, word (*read)(const word*, std::size_t)) {
  const auto run = [read](const place& at, const T* x, const T*, std::size_t n, T* result) {
    const auto* p = reinterpret_cast<const word*>(x);
    const std::size_t words = n * sizeof(T) / sizeof(word);
    const auto threads = static_cast<std::size_t>(at.threads);
    const std::size_t share = (words / threads + 63) / 64 * 64;
    word all = 0;
#pragma omp parallel for reduction(^ : all) num_threads(at.threads) schedule(static)
    for (std::size_t t = 0; t < threads; ++t) {
      const std::size_t begin = std::min(words, t * share);
      const std::size_t end = t + 1 == threads ? words : std::min(words, begin + share);
      all ^= read(p + begin, end - begin);
    }
    std::memcpy(result, &all, sizeof(T));
  };
  host_contenders<T>().push_back({.name = name, .what = operation::read, .run = run});
}

template <class T>
void add() {
  add<T>("read only", one_stream);
  add<T>("read only, four streams", four_streams);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) add<T>("read only, AVX-512", one_wide_stream);
#endif
}

const bool added = (add<float>(), add<double>(), true);

}  // namespace

}  // namespace perf
