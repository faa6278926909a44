// SPDX-License-Identifier: BSD-3-Clause
// A scalar as a target of accumulation: the exact sum of what all threads add.
#pragma once

#include <array>
#include <cstddef>
#include <deque>

#include "accrue/detail/exact_accumulator.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/partial_result.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/strategy.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue {

namespace detail {
template <bool checked>
class total_contributions;
}  // namespace detail

/// The exact sum of doubles, rounded once when asked for; in `accumulate`, a target next to arrays.
///
///     accrue::exact_total energy;
///     accrue::accumulate(space, accrue::targets(forces, energy), n, [&](std::size_t i, auto& f, auto& e) { ... e.add(u); });
class exact_total {
 public:
  /// Adds x. Not from several threads at once; inside `accumulate` each thread has its own handle.
  void add(double x) { sum_.add(x); }
  /// The sum of all that was added, rounded to nearest even.
  [[nodiscard]] double value() const { return sum_.round<double>(); }
  void clear() { sum_ = {}; }

  /// What was added, for other backends, ranks and files (partial_result.hpp).
  [[nodiscard]] partial_result<sum_of<double>> partial() const { return {{}, sum_}; }
  /// Adds what others added.
  void merge(const partial_result<sum_of<double>>& other) { sum_ += other.state(); }
  exact_total& operator+=(const exact_total& other) {
    sum_ += other.sum_;
    return *this;
  }

 private:
  template <bool>
  friend class detail::total_contributions;
  superaccumulator<double> sum_;
};

namespace detail {

/// One thread's part of an exact total: terms are collected and added by tiles.
class total_contributor {
 public:
  total_contributor() = default;
  total_contributor(const total_contributor&) = delete;  // what a copy had would be of no total: auto& mine = acc.local()
  total_contributor& operator=(const total_contributor&) = delete;

  void add(double x) {
    terms_[size_++] = x;
    if (size_ == terms_.size()) flush();
  }
  void start_item(std::size_t) {}
  void flush() {
    const fp_environment environment;  // the caller's loop has its own
    const kernels::operands<double> tile{terms_.data(), nullptr, size_};
    if (!accumulator_.fold(kernels::term::value, tile)) accumulator_.refold(state_.sink(), kernels::term::value, tile);
    size_ = 0;
  }
  /// Adds all that was added to `total`, and starts anew.
  void drain(superaccumulator<double>& total) {
    const fp_environment environment;
    flush();
    accumulator_.drain(state_.sink());
    total += state_;
    state_ = {};
  }

 private:
  alignas(64) std::array<double, 256> terms_;
  std::size_t size_ = 0;
  kernels::exact_accumulator accumulator_;
  superaccumulator<double> state_;
};

/// The same interface as `contributions`, for a scalar.
template <bool checked>
class total_contributions {
 public:
  using handle = total_contributor;
  using loops_handle = total_contributor;

  explicit total_contributions(exact_total& target) : target_(target) {}
  void start(int threads, strategy, double) {
    while (handles_.size() < static_cast<std::size_t>(threads)) add_thread();
  }
  int add_thread() {
    handles_.emplace_back();
    return static_cast<int>(handles_.size()) - 1;
  }
  total_contributor& of(int rank) { return handles_[static_cast<std::size_t>(rank)]; }
  static constexpr bool in_several_ways = false;
  template <addition, bool, class F>
  void with_local(int rank, const F& f) {
    f(of(rank));
  }
  [[nodiscard]] std::size_t groups() const { return 0; }
  [[nodiscard]] std::size_t bytes() const { return handles_.size() * sizeof(total_contributor); }
  std::size_t merge_copy(int) { return 0; }
  std::size_t merge_groups(share) { return 0; }
  void check(const char*) {
    for (auto& h : handles_) h.drain(target_.sum_);
  }

 private:
  exact_total& target_;
  std::deque<total_contributor> handles_;
};

}  // namespace detail
}  // namespace accrue
