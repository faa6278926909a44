// SPDX-License-Identifier: BSD-3-Clause
#include "accrue/detail/sums_by_key.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "accrue/detail/exact_adder.hpp"
#include "accrue/detail/exact_copies.hpp"

namespace accrue::detail {

struct keyed_sums::copies {
  exact_copies all;
  std::vector<exact_adder<1>> of_thread;
  std::size_t groups;
  bool magnitudes;

  template <class T>
  bool add(int thread, const T* x, const std::uint32_t* keys, std::size_t size) {
    constexpr std::size_t block = kernels::count_block;
    auto& sums = of_thread[static_cast<std::size_t>(thread)];
    bool known = true;
    for (std::size_t first = 0; first < size; first += block) {
      const std::size_t some = std::min(block, size - first);
      std::uint64_t others = ~std::uint64_t{0} >> (block - some);
      if (sums.has_halves()) {
        if (const kernels::keyed_pairs halves = sums.halves_for(some); halves.sums != nullptr) {
          others = kernels::add_elements(halves, magnitudes, x + first, keys + first, some, known);
        }
      } else {
        std::int64_t counts[block];
        if (const kernels::counted_range unit = sums.unit(); unit.range != 0) {
          others = kernels::count_elements(unit, magnitudes, x + first, some, counts);
          known &= sums.add_counts(keys + first, counts, some);
        }
      }
      for (; others != 0; others &= others - 1) {  // now: only they change the unit
        const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(others));
        const double v = x[i];
        if (keys[i] < groups) {
          sums.add(keys[i], {magnitudes ? std::fabs(v) : v});
        } else {
          known = false;
        }
      }
    }
    return known;
  }
  template <class Result>
  void write(int thread, int threads, Result* out) {
    constexpr std::size_t each = exact_copy::group;
    const share mine = staircase_share((groups + each - 1) / each, thread, threads, 0);
    std::fill(out + std::min(mine.begin * each, groups), out + std::min(mine.end * each, groups), Result{0});
    for (std::size_t g = mine.begin; g < mine.end; ++g) {
      all.merge_group(g, groups, 1, [&](std::size_t first, std::size_t, const auto& f) { f(out + first); });
    }
  }
};

keyed_sums::keyed_sums(int threads, std::size_t groups, bool magnitudes)
    : copies_(new copies{.all = {}, .of_thread = {}, .groups = groups, .magnitudes = magnitudes}) {
  for (int k = 0; k < threads; ++k) copies_->of_thread.emplace_back(copies_->all.of(static_cast<std::size_t>(k), groups, 1));
}
keyed_sums::~keyed_sums() = default;
bool keyed_sums::add(int thread, const double* x, const std::uint32_t* keys, std::size_t size) {
  return copies_->add(thread, x, keys, size);
}
bool keyed_sums::add(int thread, const float* x, const std::uint32_t* keys, std::size_t size) {
  return copies_->add(thread, x, keys, size);
}
void keyed_sums::flush(int thread) { copies_->of_thread[static_cast<std::size_t>(thread)].flush(); }
void keyed_sums::write(int thread, int threads, double* out) { copies_->write(thread, threads, out); }
void keyed_sums::write(int thread, int threads, float* out) { copies_->write(thread, threads, out); }
bool keyed_sums::finish() { return copies_->all.finish(); }

}  // namespace accrue::detail
