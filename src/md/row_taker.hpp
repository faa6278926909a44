// SPDX-License-Identifier: BSD-3-Clause
// A caller's rows become a neighbour list.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/md/neighbor_rows.hpp"
#include "list_filler.hpp"
#include "row_builder.hpp"

namespace accrue::detail {

/// The whole of it; every member of the team runs `member`.
template <class T>
class row_taker : list_filler<T> {
 public:
  row_taker(neighbor_data& d, const vectors<const T>& from, int threads, const row_view& rows)
      : list_filler<T>(d, from, threads), rows_(rows), full_(d.kind == list_kind::full) {
    check_row_count(rows, from.size);
    if (!full_) partners_.assign(from.size, 0);
  }

  void operator()(int rank, int size, team_barrier& barrier) {
    const fp_environment environment;
    auto& mine = parts_[static_cast<std::size_t>(rank)];
    const share whole = staircase_share(d_.size, rank, size, 0);
    this->check(whole, mine.extent);
    for (std::size_t i = whole.begin; i < whole.end; ++i) this->place(i, i);
    barrier.wait(size);
    if (rank == 0) (void)this->whole_extent(size);
    row_pages& pages = *d_.pages[static_cast<std::size_t>(rank)];
    pages.rewind();
    scratch near;
    near.is_near.assign(d_.near_groups.size(), 0);
    this->fill_groups(
        rank, size,
        [&](std::size_t begin, std::size_t end) {
          near.groups.clear();
          note(near, begin / group_rows);
          for (std::size_t i = begin; i < end; ++i) take_row(i, mine, pages, near);
          keep_near(near, d_.near_groups[begin / group_rows]);
        },
        [&] { return mine.entries; });
  }

  void finish() {
    this->add_parts();
    const auto& most = full_ ? d_.counts : partners_;
    d_.most_partners = most.empty() ? 0 : *std::ranges::max_element(most);
    std::uint64_t balance = 0;
    for (const auto& p : parts_) balance += p.balance;
    std::uint64_t entries = 0;
    for (const auto& p : parts_) entries += p.to_rows;
    check_balance(full_, balance, entries);
  }

 private:
  using list_filler<T>::d_;
  using list_filler<T>::parts_;
  using part = typename list_filler<T>::part;

  /// Groups of rows that those of one group have entries in.
  struct scratch {
    std::vector<std::uint32_t> groups;
    std::vector<std::uint8_t> is_near;
    std::vector<std::uint32_t> inner;
    std::vector<std::uint32_t> crossing;
  };
  static void note(scratch& near, std::size_t group) {
    if (near.is_near[group] != 0) return;
    near.is_near[group] = 1;
    near.groups.push_back(static_cast<std::uint32_t>(group));
  }
  static void keep_near(scratch& near, std::vector<group_range>& ranges) {
    std::ranges::sort(near.groups);
    for (const std::uint32_t g : near.groups) {
      near.is_near[g] = 0;
      if (!ranges.empty() && ranges.back().last + 1 == g) {
        ranges.back().last = g;
      } else {
        ranges.push_back({g, g});
      }
    }
  }

  void take_row(std::size_t i, part& mine, row_pages& pages, scratch& near) {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    row_place at{};
    if (!find_row(rows_, i, at)) refuse_rows(i, none, none);
    auto& inner = near.inner;
    auto& crossing = near.crossing;
    inner.clear();
    crossing.clear();
    const auto* const partners = static_cast<const std::uint32_t*>(rows_.partners);
    for (std::uint64_t k = 0; k < at.count; ++k) {
      const std::uint32_t other = partners[at.first + k * rows_.partner_stride];
      if (other >= d_.size) refuse_rows(none, i, none);
      if (other == i) refuse_rows(none, none, i);
      mine.to_rows += other < rows_.rows ? 1 : 0;
      mine.balance += row_balance(static_cast<std::uint32_t>(i), other, rows_.rows);
      (look_at(i, other, mine) ? crossing : inner).push_back(other);
      note(near, other / group_rows);
      if (full_) continue;
      for (const std::size_t one : {i, std::size_t{other}}) {  // never more than others, but where a pair is repeated
        const std::uint32_t before = std::atomic_ref<std::uint32_t>(partners_[one]).fetch_add(1, std::memory_order_relaxed);
        if (before + 1 >= d_.size) refuse_rows(i, none, none);
      }
    }
    const std::size_t size = inner.size() + crossing.size();
    const std::size_t whole = inner.size();
    inner.insert(inner.end(), crossing.begin(), crossing.end());
    inner.resize(size + kernels::row_multiple);
    keep_row(d_, pages, i, inner, size, whole);
    mine.entries += size;
  }
  /// Whether the nearest image of a partner may be another one than itself, now or when both have moved by half the skin.
  bool look_at(std::size_t i, std::size_t other, part& mine) const {
    const double d[3] = {d_.x[i] - d_.x[other], d_.y[i] - d_.y[other], d_.z[i] - d_.z[other]};
    bool crosses = false;
    double r2 = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      double nearest = d[k];
      if (d_.box.periodic[k]) {
        crosses = crosses || !(std::fabs(d[k]) < d_.box.length[k] / 2 - d_.skin);
        nearest -= d_.box.length[k] * std::nearbyint(d[k] / d_.box.length[k]);
      }
      r2 += nearest * nearest;
    }
    if (r2 == 0) {
      const std::pair<std::size_t, std::size_t> pair = std::minmax(i, other);
      if (!mine.coincident || pair < *mine.coincident) mine.coincident = pair;
    }
    return crosses;
  }

  row_view rows_;
  bool full_;
  std::vector<std::uint32_t> partners_;  ///< of each particle, counting both rows of a pair
};

}  // namespace accrue::detail
