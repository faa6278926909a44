// SPDX-License-Identifier: BSD-3-Clause
// Elements of a view brought together by integer keys, on host threads: a stable counting sort by one or more digits of the keys.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "accrue/detail/host_team.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/rounding.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/groupings.hpp"

namespace accrue::detail {

/// Uninitialised memory for n values. Throws `out_of_memory`.
template <class T>
class host_block {
 public:
  host_block() = default;
  explicit host_block(std::size_t n) : bytes_(new (std::nothrow) unsigned char[n * sizeof(T)]) {
    if (bytes_ == nullptr) throw_no_memory("grouped", n, sizeof(T));
  }
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(bytes_.get()); }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
};

/// Memory for the elements of a view in another order.
template <class View>
class arranged_copy {
 public:
  arranged_copy() = default;
  explicit arranged_copy(std::size_t n) : elements_(n) {}
  [[nodiscard]] arranged_view<View> view(std::size_t n) const { return {elements_.data(), n}; }
  /// Puts elements [first, first + count) of `from` to their places.
  template <class From>
  void put(const From& from, std::size_t first, std::size_t count, const std::size_t* places, typename From::scratch& scratch) const {
    const auto t = from.read(first, count, scratch);
    for (std::size_t i = 0; i < count; ++i) elements_.data()[places[i]] = t.data[i];
  }

 private:
  host_block<typename View::element> elements_;
};
template <class View>
class arranged_copy<widened_view<View>> {
 public:
  arranged_copy() = default;
  explicit arranged_copy(std::size_t n) : narrow_(n) {}
  [[nodiscard]] arranged_view<widened_view<View>> view(std::size_t n) const { return {narrow_.view(n)}; }
  template <class From>
  void put(const From& from, std::size_t first, std::size_t count, const std::size_t* places, typename From::scratch& s) const {
    narrow_.put(from.view, first, count, places, s.inner);
  }

 private:
  arranged_copy<View> narrow_;
};
template <class X, class Y>
class arranged_copy<zipped_view<X, Y>> {
 public:
  arranged_copy() = default;
  explicit arranged_copy(std::size_t n) : x_(n), y_(n) {}
  [[nodiscard]] arranged_view<zipped_view<X, Y>> view(std::size_t n) const { return {x_.view(n), y_.view(n)}; }
  template <class From>
  void put(const From& from, std::size_t first, std::size_t count, const std::size_t* places, typename From::scratch& s) const {
    x_.put(from.x, first, count, places, s.x);
    y_.put(from.y, first, count, places, s.y);
  }

 private:
  arranged_copy<X> x_;
  arranged_copy<Y> y_;
};
template <class View, class Mask>
class arranged_copy<masked_view<View, Mask>> {
 public:
  arranged_copy() = default;
  explicit arranged_copy(std::size_t n) : elements_(n), mask_(n) {}
  [[nodiscard]] arranged_view<masked_view<View, Mask>> view(std::size_t n) const { return {elements_.view(n), mask_.view(n)}; }
  template <class From>
  void put(const From& from, std::size_t first, std::size_t count, const std::size_t* places, typename From::scratch& s) const {
    elements_.put(from.view, first, count, places, s.elements);
    mask_.put(from.mask, first, count, places, s.mask);
  }

 private:
  arranged_copy<View> elements_;
  arranged_copy<Mask> mask_;
};

/// The elements of a grouping by keys as segments: brought together by their keys, in the order they had; elements of other keys last.
template <class View, class Key>
class sorted_groups {
 public:
  sorted_groups(const host_team& team, const key_groups<View, Key>& grouping)
      : team_(team), size_(grouping.size()), groups_(static_cast<std::uint32_t>(grouping.count())), offsets_(grouping.count() + 1) {
    constexpr std::size_t least_each = 8192;
    const auto threads = static_cast<std::size_t>(team.threads());
    parts_ = size_ / least_each < 1 ? 1 : size_ / least_each < threads ? size_ / least_each : threads;
    const auto given = [&](std::size_t i) {
      const auto key = static_cast<std::uint64_t>(grouping.keys[i]);
      return key < groups_ ? static_cast<std::uint32_t>(key) : groups_;
    };
    const int bits = bit_width(std::uint64_t{groups_});
    const int passes = groups_ < most_bins ? 1 : (bits + most_bits_of_many - 1) / most_bits_of_many;
    bits_ = passes == 1 ? bits : (bits + passes - 1) / passes;

    bool ascending = count_digits(given, 0);
    if (!grouping.skips_others) refuse_others(grouping, given);
    if constexpr (std::is_same_v<arranged_view<View>, View>) {
      if (ascending) {
        find_offsets(given);
        in_order_ = slice(grouping.view, 0, taken());
        return;
      }
    }
    host_block<std::uint32_t> keys = move(given, grouping.view, 0, passes > 1);
    for (int pass = 1; pass < passes; ++pass) {
      const auto moved = [data = keys.data()](std::size_t i) { return data[i]; };
      const arranged_copy<View> before = std::move(copy_);
      (void)count_digits(moved, pass);
      keys = move(moved, before.view(size_), pass, true);
    }
    if (passes == 1) {
      for (std::size_t k = 0; k <= groups_; ++k) offsets_.data()[k] = k == 0 ? 0 : places_[(k - 1) * parts_ + parts_ - 1];
    } else {
      find_offsets([data = keys.data()](std::size_t i) { return data[i]; });
    }
    in_order_ = copy_.view(taken());
  }

  [[nodiscard]] segment_groups<arranged_view<View>, std::size_t> segments() const { return {in_order_, offsets_.data(), groups_}; }

 private:
  static constexpr std::uint32_t most_bins = 8192;  ///< of one pass, each a place in memory that is written to
  static constexpr int most_bits_of_many = 11;

  [[nodiscard]] std::size_t taken() const { return offsets_.data()[groups_]; }
  [[nodiscard]] std::size_t bins() const { return std::size_t{1} << bits_; }
  [[nodiscard]] std::size_t digit(std::uint32_t key, int pass) const { return key >> (pass * bits_) & (bins() - 1); }
  [[nodiscard]] share part(std::size_t p) const { return staircase_share(size_, static_cast<int>(p), static_cast<int>(parts_), 0); }

  /// body(p) for each part, by the team.
  template <class Body>
  void for_each_part(const Body& body) const {
    std::atomic<std::size_t> next{0};
    auto member = [&](int, int) {
      for (std::size_t p = next.fetch_add(1); p < parts_; p = next.fetch_add(1)) body(p);
    };
    team_.with(static_cast<int>(parts_)).run(member);
  }

  /// Counts the digits of each part's keys, and makes of them the places where each part's elements begin. Whether all keys ascend.
  template <class KeyOf>
  bool count_digits(const KeyOf& key_of, int pass) {
    places_.assign(bins() * parts_, 0);
    std::atomic<bool> ascending{true};
    for_each_part([&](std::size_t p) {
      std::vector<std::size_t> counts(bins());
      const share s = part(p);
      std::uint32_t before = s.begin != 0 ? key_of(s.begin - 1) : 0;
      bool rises = true;
      for (std::size_t i = s.begin; i < s.end; ++i) {
        const std::uint32_t key = key_of(i);
        rises &= before <= key;
        before = key;
        ++counts[digit(key, pass)];
      }
      if (!rises) ascending.store(false, std::memory_order_relaxed);
      for (std::size_t b = 0; b < bins(); ++b) places_[b * parts_ + p] = counts[b];
    });
    std::size_t sum = 0;
    for (std::size_t& place : places_) place = std::exchange(sum, sum + place);
    return ascending.load();
  }

  /// Puts all elements to their places, and answers with their keys if these are wanted.
  template <class KeyOf, class From>
  host_block<std::uint32_t> move(const KeyOf& key_of, const From& from, int pass, bool wants_keys) {
    host_block<std::uint32_t> keys;
    if (wants_keys) keys = host_block<std::uint32_t>(size_);
    copy_ = arranged_copy<View>(size_);
    for_each_part([&](std::size_t p) {
      std::vector<std::size_t> next(bins());
      for (std::size_t b = 0; b < bins(); ++b) next[b] = places_[b * parts_ + p];
      std::size_t places[kernels::largest_tile];
      typename From::scratch scratch;
      const share s = part(p);
      for (std::size_t first = s.begin; first < s.end; first += kernels::largest_tile) {
        const std::size_t n = kernels::largest_tile < s.end - first ? kernels::largest_tile : s.end - first;
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint32_t key = key_of(first + i);
          places[i] = next[digit(key, pass)]++;
          if (wants_keys) keys.data()[places[i]] = key;
        }
        copy_.put(from, first, n, places, scratch);
      }
      for (std::size_t b = 0; b < bins(); ++b) places_[b * parts_ + p] = next[b];
    });
    return keys;
  }

  /// Where groups begin among keys that ascend.
  template <class KeyOf>
  void find_offsets(const KeyOf& key_of) {
    for_each_part([&](std::size_t p) {
      const share s = part(p);
      for (std::size_t i = s.begin; i < s.end; ++i) {
        const std::size_t from = i == 0 ? 0 : std::size_t{key_of(i - 1)} + 1;
        for (std::size_t k = from; k <= key_of(i); ++k) offsets_.data()[k] = i;
      }
    });
    for (std::size_t k = size_ == 0 ? 0 : std::size_t{key_of(size_ - 1)} + 1; k <= groups_; ++k) offsets_.data()[k] = size_;
  }

  template <class KeyOf>
  void refuse_others(const key_groups<View, Key>& grouping, const KeyOf& key_of) const {
    std::atomic<std::size_t> first{size_};
    for_each_part([&](std::size_t p) {
      const share s = part(p);
      for (std::size_t i = s.begin; i < s.end; ++i) {
        if (key_of(i) != groups_) continue;
        std::size_t least = first.load();
        while (i < least && !first.compare_exchange_weak(least, i)) {
        }
        return;
      }
    });
    if (const std::size_t i = first.load(); i != size_) throw_bad_key(i, static_cast<long long>(grouping.keys[i]), groups_);
  }

  host_team team_;
  std::size_t size_;
  std::uint32_t groups_;
  std::size_t parts_ = 1;
  int bits_ = 0;
  std::vector<std::size_t> places_;  ///< [digit][part]: where its next element goes
  host_block<std::size_t> offsets_;
  arranged_copy<View> copy_;
  arranged_view<View> in_order_{};
};

}  // namespace accrue::detail
