// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over ranks: of each the few words where sums of similar sizes have their digits, added as integers. What has digits elsewhere
// the ranks notice in the same message, and send all words in use in a second one.
#pragma once

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/reducer.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::ranks {

/// Ranks whose exact sums add as they are: their words leave room for 2^10 (superaccumulator.hpp). Beyond, they are normalised. A test may
/// set it.
inline int most_ranks_unnormalized = 512;

/// Superaccumulators, whose words are all that they are, and not more than a bit each fits below.
template <class State>
inline constexpr bool travels_in_windows = false;
template <int LowestBit, std::size_t Limbs>
inline constexpr bool travels_in_windows<basic_superaccumulator<LowestBit, Limbs>> =
    basic_superaccumulator<LowestBit, Limbs>::word_count <= 192;

/// The payload of the first message: where the windows begin, which words of the states are in use on any rank, and the windows.
struct windows_head {
  std::uint32_t first = 0;
  std::uint32_t differ = 0;  ///< whether ranks' windows began at different words
  std::uint64_t used[3] = {};

  [[nodiscard]] bool uses(std::size_t word) const { return (used[word / 64] >> word % 64 & 1) != 0; }
  void use(std::size_t word) { used[word / 64] |= std::uint64_t{1} << word % 64; }
};

/// Adds the windows of two messages whose results are as many, and joins what is in use.
inline void join_windows(const void* words_each, std::byte* a, const std::byte* b) {
  const std::size_t words = *static_cast<const std::size_t*>(words_each);
  windows_head left;
  windows_head right;
  std::memcpy(&left, a + head_bytes, sizeof left);
  std::memcpy(&right, b + head_bytes, sizeof right);
  left.differ |= right.differ | static_cast<std::uint32_t>(left.first != right.first);
  for (std::size_t k = 0; k < std::size(left.used); ++k) left.used[k] |= right.used[k];
  std::memcpy(a + head_bytes, &left, sizeof left);
  auto& head = *reinterpret_cast<first_message*>(a);
  if (left.differ != 0) head.incomplete = 1;
  if (head.incomplete != 0) return;
  constexpr std::size_t before = head_bytes + sizeof(windows_head);
  for (std::size_t k = 0; k < head.results * words; ++k) {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::memcpy(&x, a + before + 8 * k, 8);
    std::memcpy(&y, b + before + 8 * k, 8);
    x += y;
    std::memcpy(a + before + 8 * k, &x, 8);
  }
}

/// The sums of one call.
template <class State>
class window_sums {
  static_assert(travels_in_windows<State>);
  static constexpr std::size_t limbs = State::limbs;

 public:
  /// Words of a window: all bits of sums whose terms lie within some hundred binades.
  static constexpr std::size_t width = std::min<std::size_t>(8, limbs);

  /// `sums` tells the sums' kind from others, and `call` the call from others with such sums.
  window_sums(const communicator& c, std::uint64_t sums, std::uint64_t call, std::size_t count, bool at_once)
      : of_(&c), kind_(sums), count_(count), exchange_(c, sums + call, count, at_once) {
    const std::size_t wished = head_bytes + sizeof(windows_head) + bytes(count);
    if (wished <= most_first_bytes) exchange_.wish(wished);
  }

  /// A sum's window, or where it has digits elsewhere, the number of what has them all.
  struct row {
    std::int64_t words[width + detail::special_words] = {};
    std::size_t wide = 0;
  };
  row row_of(const State& s) {
    row r;
    if (of_->size <= most_ranks_unnormalized && fits(s, r)) return r;
    State normal = s;
    normal.normalize();
    normal.put_sign_in_digits();  // those of negative sums reach up to the last word else
    if (fits(normal, r)) return r;
    const std::lock_guard lock(mutex_);
    wide_.push_back({normal, count_});
    r.wide = wide_.size();
    return r;
  }
  /// Nothing where the total has no place in a window as it is.
  std::optional<row> row_of(const kernels::short_total& total) const {
    if (of_->size > most_ranks_unnormalized) return std::nullopt;
    row r;
    const detail::limb_sink sink{r.words, width, State::lowest_bit + 32 * static_cast<int>(head_.first)};
    const bool fits = total.with_parts([&](const auto& parts) {
      for (const detail::scaled_integer& p : parts) {
        const int position = p.exponent - sink.lowest;
        if (p.significand == 0) continue;
        if (position < 0 || position >= 32 * static_cast<int>(width - 2)) return false;
        sink.deposit(p.significand, p.exponent);
      }
      return true;
    });
    return fits ? std::optional(r) : std::nullopt;
  }

  /// Where a caller writes its sums, from several threads if it likes: `out[k] = state`, or a row.
  class output {
   public:
    class place {
     public:
      place(window_sums* of, std::size_t k) : of_(of), k_(k) {}
      void operator=(const row& r) const { of_->put(k_, r); }           // NOLINT: of the place, not to it
      void operator=(const State& s) const { *this = of_->row_of(s); }  // NOLINT

     private:
      window_sums* of_;
      std::size_t k_;
    };
    explicit output(window_sums* of, std::size_t first = 0) : of_(of), first_(first) {}
    place operator[](std::size_t k) const { return {of_, first_ + k}; }
    output operator+(std::size_t k) const { return output(of_, first_ + k); }

   private:
    window_sums* of_;
    std::size_t first_;
  };

  /// Has `local(output)` write this rank's states, of so many elements, and sends them.
  template <class Local>
  void start(std::uint64_t elements, const Local& local) {
    exchange_.prepare([&](first_message& m) {
      const auto known = of_->seen->windows.find(kind_);
      head_.first = static_cast<std::uint32_t>(known != of_->seen->windows.end() ? known->second : usual_window());
      const std::span<std::byte> room = exchange_.payload().subspan(sizeof(windows_head));
      travel_ = bytes(count_) <= room.size();
      if (travel_) {
        windows_ = reinterpret_cast<std::int64_t*>(room.data());
      } else {
        memory_.resize(count_ * width);
        windows_ = memory_.data();
      }
      local(output(this));
      mark_used();
      m.elements = elements;
      m.incomplete = travel_ && wide_.empty() ? 0 : 1;
      std::memcpy(exchange_.payload().data(), &head_, sizeof head_);
    });
    exchange_.start({&width, join_windows, true});
  }
  [[nodiscard]] bool done() { return exchange_.done(); }

  /// Waits for the sums of all ranks, which this rank then has as far as it is given them.
  void wait(const delivery& results = {}) {
    const first_message& all = exchange_.wait();
    const std::span<const std::byte> payload = exchange_.payload_of_all();
    windows_head head;
    std::memcpy(&head, payload.data(), sizeof head);
    words_.clear();
    if (all.incomplete == 0) {
      for (std::size_t j = 0; j < width; ++j) words_.push_back(head.first + j);
      totals_ = reinterpret_cast<const std::int64_t*>(payload.data() + sizeof head);
    } else {
      for (std::size_t w = 0; w < State::word_count; ++w) {
        if (head.uses(w)) words_.push_back(w);
      }
      exchange_in_full(results);
    }
    learn();
  }
  /// Sum k of all ranks. `s` is empty, or such a sum of this call.
  void read(std::size_t k, State& s) const {
    const auto to = s.words();
    for (std::size_t j = 0; j < words_.size(); ++j) to[words_[j]] = totals_[k * words_.size() + j];
    to[limbs + detail::pending] = detail::most_pending - 1;  // the words of all ranks, added as they were
  }

 private:
  static constexpr std::size_t bytes(std::size_t count) { return count * width * sizeof(std::int64_t); }
  /// From 2^-178 up, unless the format ends before.
  static constexpr std::size_t usual_window() {
    constexpr int word = (-178 - State::lowest_bit) / 32;
    return word < 0 ? 0 : std::min(static_cast<std::size_t>(word), limbs - width);
  }
  /// Whether a word is among those that make the value; the last one bounds its digits' growth.
  static constexpr bool counts(std::size_t word) { return word != limbs + detail::pending; }

  /// Whether a window holds a sum, which is then in the row.
  bool fits(const State& s, row& r) const {
    const auto words = s.words();
    const std::size_t first = head_.first;
    std::int64_t elsewhere = 0;
    for (std::size_t w = 0; w < first; ++w) elsewhere |= words[w];
    for (std::size_t w = first + width; w < State::word_count; ++w) elsewhere |= counts(w) ? words[w] : 0;
    if (elsewhere == 0) std::memcpy(r.words, &words[first], bytes(1));
    return elsewhere == 0;
  }
  void put(std::size_t k, const row& r) {
    std::memcpy(windows_ + k * width, r.words, bytes(1));
    if (r.wide == 0) return;
    const std::lock_guard lock(mutex_);
    wide_[r.wide - 1].place = k;
  }
  void mark_used() {
    std::int64_t used[width] = {};
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t j = 0; j < width; ++j) used[j] |= windows_[k * width + j];
    }
    for (std::size_t j = 0; j < width; ++j) {
      if (used[j] != 0) head_.use(head_.first + j);
    }
    for (const wide_sum& sum : wide_) {
      for (std::size_t w = 0; w < State::word_count; ++w) {
        if (counts(w) && sum.state.words()[w] != 0) head_.use(w);
      }
    }
  }
  /// The second message: the words in use on any rank.
  void exchange_in_full(const delivery& results) {
    auto travelling = memory_for_states<std::int64_t>(*of_, count_ * words_.size());
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t j = 0; j < words_.size(); ++j) {
        const std::size_t w = words_[j] - head_.first;
        if (w < width) travelling[k * words_.size() + j] = windows_[k * width + w];
      }
    }
    for (const wide_sum& sum : wide_) {
      if (sum.place == count_) continue;
      for (std::size_t j = 0; j < words_.size(); ++j) travelling[sum.place * words_.size() + j] = sum.state.words()[words_[j]];
    }
    add_over_ranks(*of_, travelling, words_.size(), results);
    memory_ = std::move(travelling);
    totals_ = memory_.data();
  }
  /// Where the windows of later calls begin. Ranks that come here in another order see that their windows differ.
  void learn() {
    seen_before& seen = *of_->seen;
    if (words_.empty() || words_.back() >= limbs) return;
    const std::size_t least = words_.front();
    const std::size_t behind = words_.back() + 1;
    if (behind - least > width || (least >= head_.first && behind <= head_.first + width)) return;
    const std::size_t margin = (width - (behind - least)) / 2;
    seen.windows[kind_] = std::min(least - std::min(least, margin), limbs - width);
  }

  /// A sum with digits outside of the windows.
  struct wide_sum {
    State state;
    std::size_t place;  ///< among the results; their number until it has one
  };

  const communicator* of_;
  std::uint64_t kind_;
  std::size_t count_;
  exchange exchange_;
  windows_head head_;
  bool travel_ = false;
  std::int64_t* windows_ = nullptr;
  std::vector<std::int64_t> memory_;
  std::mutex mutex_;
  std::vector<wide_sum> wide_;
  std::vector<std::size_t> words_;  ///< that the totals have
  const std::int64_t* totals_ = nullptr;
};

/// A reducer whose result is a row of such sums; that of a short tile comes without a state.
template <class R>
struct gives_row : detail::gives_state<R> {
  using state = typename R::state;
  using row = typename window_sums<state>::row;
  using self = gives_row;

  gives_row(const R& r, window_sums<state>& sums) : detail::gives_state<R>(r), sums_(&sums) {}
  row finish(const state& s) const { return sums_->row_of(s); }
  template <class Tile>
    requires detail::adds_up_short_tiles<R, Tile>
  std::optional<row> finish_tile(const Tile& t) const {
    kernels::short_total total;
    return R::add_up_short(total, t) ? sums_->row_of(total) : std::nullopt;
  }
  template <class Tile>
  void certify_tile(const Tile& t) const = delete;  ///< which gives R a result by a bound: no row

 private:
  window_sums<state>* sums_;
};

}  // namespace accrue::ranks

namespace accrue::detail {

template <class R>
struct reducer_behind<ranks::gives_row<R>> : reducer_behind<R> {};
template <class R, class Element>
inline constexpr bool folds_elements<ranks::gives_row<R>, Element> = folds_elements<R, Element>;

}  // namespace accrue::detail
