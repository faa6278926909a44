// SPDX-License-Identifier: BSD-3-Clause
// Eigen's sums of rows, columns and segments of mapped arrays, each thread with a share of them.
#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "grouped_case.hpp"

namespace perf {

namespace {

template <class T>
using matrix = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// f(begin, end) by each thread for its share of `size`.
template <class F>
void share(std::size_t size, int threads, const F& f) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; ++t) {
    const auto k = static_cast<std::size_t>(t);
    const auto count = static_cast<std::size_t>(threads);
    f(static_cast<Eigen::Index>(size * k / count), static_cast<Eigen::Index>(size * (k + 1) / count));
  }
}

template <class T>
void sum_rows(const T* x, const grouped_data& d, int threads, T* out) {
  const Eigen::Map<const matrix<T>> all(x, static_cast<Eigen::Index>(d.groups), static_cast<Eigen::Index>(d.length));
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> sums(out, all.rows());
  share(d.groups, threads, [&](Eigen::Index first, Eigen::Index end) {
    sums.segment(first, end - first) = all.middleRows(first, end - first).rowwise().sum();
  });
}
/// Threads take shares of the rows, and add up what they have.
template <class T>
void sum_columns(const T* x, const grouped_data& d, int threads, T* out) {
  const Eigen::Map<const matrix<T>> all(x, static_cast<Eigen::Index>(d.length), static_cast<Eigen::Index>(d.groups));
  Eigen::Map<Eigen::Array<T, 1, Eigen::Dynamic>> sums(out, all.cols());
  if (threads == 1) {
    sums = all.colwise().sum();
    return;
  }
  sums.setZero();
  share(d.length, threads, [&](Eigen::Index first, Eigen::Index end) {
    const Eigen::Array<T, 1, Eigen::Dynamic> mine = all.middleRows(first, end - first).colwise().sum();
#pragma omp critical
    sums += mine;
  });
}
template <class T>
void sum_segments(const T* x, const grouped_data& d, int threads, T* out) {
  const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> all(x, static_cast<Eigen::Index>(d.n));
  share(d.groups, threads, [&](Eigen::Index first, Eigen::Index end) {
    for (Eigen::Index k = first; k < end; ++k) out[k] = all.segment(d.offsets[k], d.offsets[k + 1] - d.offsets[k]).sum();
  });
}

template <class T>
void sum_by_eigen(const place& at, const grouped_data& d, void* results) {
  const auto* const x = static_cast<const T*>(d.x);
  auto* const out = static_cast<T*>(results);
  if (d.kind == grouping_kind::rows) return sum_rows(x, d, at.threads, out);
  if (d.kind == grouping_kind::columns) return sum_columns(x, d, at.threads, out);
  sum_segments(x, d, at.threads, out);
}

const auto takes = [](const grouped_data& d) { return !d.by_keys(); };
const bool added = (add_rival_sums(host_grouped_cases(), "f64", "Eigen", takes, sum_by_eigen<double>),
                    add_rival_sums(host_grouped_cases(), "f32", "Eigen", takes, sum_by_eigen<float>), true);

}  // namespace

}  // namespace perf
