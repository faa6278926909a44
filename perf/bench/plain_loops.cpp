// SPDX-License-Identifier: BSD-3-Clause
// The plain loops, in namespace ACCRUE_PLAIN_LOOPS_SET: eight vectors of partial results, which is what a compiler's own reduction lacks
// to run at the speed of the caches.
#include "plain_loops.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace plain::ACCRUE_PLAIN_LOOPS_SET {

namespace {

/// Lanes of partial results that the compiler keeps in eight vectors.
template <class T>
constexpr std::size_t lanes = 8 * ACCRUE_PLAIN_LOOPS_BYTES / sizeof(T);

/// Reduces n terms with `join`: each of `threads` threads takes one contiguous share.
template <class T, class Term, class Join>
T reduce(std::size_t n, int threads, T start, Term term, Join join) {
  const auto share = [=](std::size_t begin, std::size_t end) {
    T lane[lanes<T>];
    for (T& l : lane) l = start;
    std::size_t i = begin;
    for (; i + lanes<T> <= end; i += lanes<T>) {
#pragma omp simd
      for (std::size_t l = 0; l < lanes<T>; ++l) lane[l] = join(lane[l], term(i + l));
    }
    T total = start;
    for (; i < end; ++i) total = join(total, term(i));
    for (const T l : lane) total = join(total, l);
    return total;
  };
  if (threads == 1) return share(0, n);
  T total = start;
#pragma omp parallel num_threads(threads)
  {
    T mine = start;
#pragma omp for schedule(static) nowait
    for (int t = 0; t < threads; ++t) {
      const auto k = static_cast<std::size_t>(t);
      const auto count = static_cast<std::size_t>(threads);
      mine = share(n / count * k, k + 1 == count ? n : n / count * (k + 1));
    }
#pragma omp critical
    total = join(total, mine);
  }
  return total;
}

template <class T>
T add(const T* x, std::size_t n, int threads) {
  return reduce<T>(n, threads, T(0), [=](std::size_t i) { return x[i]; }, [](T a, T b) { return a + b; });
}

template <class T>
void add_rows(const T* x, std::size_t begin, std::size_t end, std::size_t columns, const std::int64_t* offsets, T* out) {
  for (std::size_t k = begin; k < end; ++k) {
    const std::size_t first = offsets != nullptr ? static_cast<std::size_t>(offsets[k]) : k * columns;
    const std::size_t behind = offsets != nullptr ? static_cast<std::size_t>(offsets[k + 1]) : first + columns;
    T sum = 0;
    for (std::size_t i = first; i < behind; ++i) sum += x[i];
    out[k] = sum;
  }
}
/// Row by row, as memory lies.
template <class T>
void add_columns(const groups<T>& g, std::size_t first_row, std::size_t last_row, std::size_t first, std::size_t last, T* out) {
  for (std::size_t k = first; k < last; ++k) out[k] = 0;
  for (std::size_t i = first_row; i < last_row; ++i) {
    const T* const row = g.x + i * g.columns;
#pragma omp simd
    for (std::size_t k = first; k < last; ++k) out[k] += row[k];
  }
}

template <class T>
void add_groups(const groups<T>& g, T* out, int threads) {
  const auto count = static_cast<std::size_t>(threads);
  const auto part = [&](std::size_t of, std::size_t t) { return of / count * t + std::min(of % count, t); };
  const bool few_columns = g.columns < 64 * count;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; ++t) {
    const auto k = static_cast<std::size_t>(t);
    if (!g.by_columns) {
      add_rows(g.x, part(g.rows, k), part(g.rows, k + 1), g.columns, g.offsets, out);
    } else if (!few_columns || threads == 1) {
      add_columns(g, 0, g.rows, part(g.columns, k), part(g.columns, k + 1), out);
    }
  }
  if (!g.by_columns || !few_columns || threads == 1) return;
  std::fill_n(out, g.columns, T(0));
#pragma omp parallel num_threads(threads)
  {
    std::vector<T> mine(g.columns);
#pragma omp for schedule(static)
    for (int t = 0; t < threads; ++t) {
      const auto k = static_cast<std::size_t>(t);
      add_columns(g, part(g.rows, k), part(g.rows, k + 1), 0, g.columns, mine.data());
    }
#pragma omp critical
    for (std::size_t k = 0; k < g.columns; ++k) out[k] += mine[k];
  }
}

/// Each thread adds to a copy of its own.
template <class T>
void add_by_keys(const T* x, const std::uint32_t* keys, std::size_t n, T* out, std::size_t count, int threads) {
  std::fill_n(out, count, T(0));
  if (threads == 1) {
    for (std::size_t i = 0; i < n; ++i) out[keys[i]] += x[i];
    return;
  }
  std::vector<std::vector<T>> copies(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int t = 0; t < threads; ++t) {
      const auto k = static_cast<std::size_t>(t);
      const auto parts = static_cast<std::size_t>(threads);
      copies[k].assign(count, T(0));
      T* const mine = copies[k].data();
      for (std::size_t i = n / parts * k; i < (k + 1 == parts ? n : n / parts * (k + 1)); ++i) mine[keys[i]] += x[i];
    }
#pragma omp for schedule(static)
    for (std::size_t j = 0; j < count; ++j) {
      for (const auto& copy : copies) out[j] += copy[j];
    }
  }
}

}  // namespace

void sum_by_keys(const double* x, const std::uint32_t* keys, std::size_t n, double* out, std::size_t count, int threads) {
  add_by_keys(x, keys, n, out, count, threads);
}
void sum_by_keys(const float* x, const std::uint32_t* keys, std::size_t n, float* out, std::size_t count, int threads) {
  add_by_keys(x, keys, n, out, count, threads);
}
void sum_groups(const groups<double>& g, double* out, int threads) { add_groups(g, out, threads); }
void sum_groups(const groups<float>& g, float* out, int threads) { add_groups(g, out, threads); }

double sum(const double* x, std::size_t n, int threads) { return add(x, n, threads); }
float sum(const float* x, std::size_t n, int threads) { return add(x, n, threads); }

double dot(const double* x, const double* y, std::size_t n, int threads) {
  return reduce<double>(n, threads, 0.0, [=](std::size_t i) { return x[i] * y[i]; }, [](double a, double b) { return a + b; });
}
double sum_squares(const double* x, std::size_t n, int threads) {
  return reduce<double>(n, threads, 0.0, [=](std::size_t i) { return x[i] * x[i]; }, [](double a, double b) { return a + b; });
}
double min(const double* x, std::size_t n, int threads) {
  return reduce<double>(n, threads, std::numeric_limits<double>::max(), [=](std::size_t i) { return x[i]; },
                        [](double a, double b) { return a < b ? a : b; });
}
double max(const double* x, std::size_t n, int threads) {
  return reduce<double>(n, threads, std::numeric_limits<double>::lowest(), [=](std::size_t i) { return x[i]; },
                        [](double a, double b) { return a > b ? a : b; });
}

std::size_t argmin(const double* x, std::size_t n, int threads) {
  struct best {
    double value;
    std::size_t index;
  } b{std::numeric_limits<double>::max(), 0};
#pragma omp declare reduction(lower : best : omp_out = omp_in.value < omp_out.value ? omp_in : omp_out) initializer(omp_priv = omp_orig)
#pragma omp parallel for reduction(lower : b) num_threads(threads) schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] < b.value) b = {x[i], i};
  }
  return b.index;
}

}  // namespace plain::ACCRUE_PLAIN_LOOPS_SET
