// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over ranks: of each the few digits that sums like those before had, added as integers. What has digits elsewhere the ranks
// notice in the same message, and send all words in use in a second one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/backends/mpi/sum_digits.hpp"
#include "accrue/detail/column_sums.hpp"
#include "accrue/reducer.hpp"
#include "accrue/superaccumulator.hpp"

namespace accrue::ranks {

/// Ranks whose sums travel as digits, which are at most 2^48. Beyond, as words, which leave room for 2^30. A test may set it.
inline int most_ranks_of_digits = 1 << 14;

/// Superaccumulators, whose words are all that they are, and not more than a bit each fits below.
template <class State>
inline constexpr bool travels_in_windows = false;
template <int LowestBit, std::size_t Limbs>
inline constexpr bool travels_in_windows<basic_superaccumulator<LowestBit, Limbs>> =
    basic_superaccumulator<LowestBit, Limbs>::word_count <= 192;

/// How the payload of the first message begins, before the sums' digits.
struct windows_head {
  digit_range window;       ///< that the digits are of
  std::uint8_t travel = 0;  ///< whether they are in the message
  std::uint8_t differ = 0;  ///< whether ranks' windows do
  std::uint8_t digits = 0;  ///< a bit for each that is in use on any rank
  std::uint64_t words[3] = {};  ///< a bit for each word of the states that is in use, where a window does not hold some sum

  void use(std::size_t word) { words[word / 64] |= std::uint64_t{1} << word % 64; }
  [[nodiscard]] bool uses(std::size_t word) const { return (words[word / 64] >> word % 64 & 1) != 0; }
};

/// Adds the digits of two messages whose results are as many, and joins what is in use.
inline void join_windows(const void*, std::byte* a, const std::byte* b) {
  windows_head left;
  windows_head right;
  std::memcpy(&left, a + head_bytes, sizeof left);
  std::memcpy(&right, b + head_bytes, sizeof right);
  if (right.differ != 0 || left.window != right.window || left.travel != right.travel) left.differ = 1;
  left.digits |= right.digits;
  for (std::size_t k = 0; k < std::size(left.words); ++k) left.words[k] |= right.words[k];
  std::memcpy(a + head_bytes, &left, sizeof left);
  auto& head = *reinterpret_cast<first_message*>(a);
  if (left.differ != 0) head.incomplete = 1;
  if (head.incomplete != 0 || left.travel == 0) return;
  constexpr std::size_t before = head_bytes + sizeof(windows_head);
  for (std::size_t k = 0; k < head.results * left.window.size(); ++k) {
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
  static constexpr std::size_t all_digits = 32 * limbs / digit_bits;

 public:
  /// `sums` tells the sums' kind from others, and `call` the call from others with such sums.
  window_sums(const communicator& c, std::uint64_t sums, std::uint64_t call, std::size_t count, bool at_once)
      : of_(&c), kind_(sums), count_(count), exchange_(c, sums + call, count, at_once) {}

  /// A sum's digits in the window, or where that does not hold it, the number of what has all of it.
  struct row {
    sum_digits digits;
    std::size_t wide = 0;
  };
  row row_of(const State& s) {
    if (const auto r = held(s)) return *r;
    State normal = s;
    normal.normalize();
    normal.put_sign_in_digits();  // those of negative sums reach up to the last word else
    if (const auto r = held(normal)) return *r;
    row r;
    const std::lock_guard lock(mutex_);
    wide_.push_back({normal, count_});
    r.wide = wide_.size();
    return r;
  }
  /// Nothing where the window does not hold the total.
  std::optional<row> row_of(const kernels::short_total& total) const {
    return total.with_parts([&](const auto& parts) { return held_parts(parts); });
  }
  /// out[k] = the rows of so many totals; bits of those that the window does not hold.
  template <class Output>
  std::uint64_t put_rows(const kernels::exact_pair* totals, std::size_t count, Output out) const {
    if (of_->size > most_ranks_of_digits) return ~std::uint64_t{0} >> (64 - count);
    kernels::sums_in_digits sums = some_digits(head_.window, count);
    const std::uint64_t left = kernels::to_digits(totals, sums);
    row r;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < sums.digits; ++j) r.digits[j] = sums.digit[j][k];
      out[k] = r;
    }
    return left;
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
      head_.window = expected();
      const std::span<std::byte> room = exchange_.payload().subspan(sizeof(windows_head));
      const std::size_t digits = count_ * head_.window.size();
      head_.travel = digits * sizeof(std::int64_t) <= room.size() ? 1 : 0;
      if (head_.travel != 0) {
        digits_ = reinterpret_cast<std::int64_t*>(room.data());
      } else {
        memory_.resize(digits);
        digits_ = memory_.data();
      }
      local(output(this));
      mark_used();
      m.elements = elements;
      m.incomplete = wide_.empty() ? 0 : 1;
      std::memcpy(exchange_.payload().data(), &head_, sizeof head_);
    });
    exchange_.start({nullptr, join_windows, true});
  }
  [[nodiscard]] bool done() { return exchange_.done(); }

  /// Waits for the sums of all ranks, which this rank then has as far as it is given them.
  void wait(const delivery& results = {}) {
    const first_message& all = exchange_.wait();
    const std::span<const std::byte> payload = exchange_.payload_of_all();
    windows_head head;
    std::memcpy(&head, payload.data(), sizeof head);
    in_words_ = all.incomplete != 0;
    if (in_words_) {
      words_.clear();
      for (std::size_t w = 0; w < State::word_count; ++w) {
        if (head.uses(w)) words_.push_back(w);
      }
      learn(digits_of_words(), head.differ != 0);
      exchange_words(results);
    } else {
      const digit_range used = used_digits(head);
      learn(used, false);
      sent_ = head.travel != 0 ? head.window : used;
      if (head.travel != 0) {
        totals_ = reinterpret_cast<const std::int64_t*>(payload.data() + sizeof head);
      } else {
        exchange_digits(results);
      }
    }
  }
  /// Sum k of all ranks.
  void read(std::size_t k, State& empty) const {
    if (!in_words_) return put_digits(totals_ + k * sent_.size(), sent_, empty);
    const auto to = empty.words();
    for (std::size_t j = 0; j < words_.size(); ++j) to[words_[j]] = totals_[k * words_.size() + j];
    to[limbs + detail::pending] = detail::most_pending - 1;  // the words of all ranks, added as they were
  }
  /// The results of some sums of all ranks.
  template <class R, class Result>
  void results(detail::share part, const R& r, Result* out) const {
    std::size_t k = part.begin;
    if constexpr (requires(const kernels::sums_in_digits& sums) { r.finish_digits(sums, out); }) {
      for (; !in_words_ && k < part.end; k += kernels::sums_in_digits::most) {
        auto sums = some_digits(sent_, std::min(kernels::sums_in_digits::most, part.end - k));
        for (std::size_t i = 0; i < sums.count; ++i) {
          for (std::size_t j = 0; j < sums.digits; ++j) sums.digit[j][i] = totals_[(k + i) * sums.digits + j];
        }
        Result* const to = out + (k - part.begin);
        detail::take_left(r.finish_digits(sums, to), [&](std::size_t i) { to[i] = result(k + i, r); });
      }
    }
    for (; k < part.end; ++k) out[k - part.begin] = result(k, r);
  }
  /// The result of sum k of all ranks.
  template <class R>
  auto result(std::size_t k, const R& r) const {
    if constexpr (requires(const detail::truncated& sum) { r.finish_leading(sum, false); }) {
      if (!in_words_) {
        bool negative = false;
        const int lowest = State::lowest_bit + digit_bits * sent_.first;
        const auto sum = leading_bits(std::span(totals_ + k * sent_.size(), sent_.size()), lowest, negative);
        return r.finish_leading(sum, negative);
      }
    }
    State s = r.empty();
    read(k, s);
    return r.finish(s);
  }

 private:
  /// Digits that calls before had, or around 1.
  digit_range expected() const {
    if (const auto known = of_->seen->windows.find(kind_); known != of_->seen->windows.end()) return known->second;
    constexpr std::size_t width = std::min(most_digits, all_digits);
    constexpr int digit = (-178 - State::lowest_bit) / digit_bits;
    constexpr std::size_t first = digit < 0 ? 0 : std::min(static_cast<std::size_t>(digit), all_digits - width);
    return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(first + width)};
  }
  /// Whether a word is among those that make the value; the last one bounds its digits' growth.
  static constexpr bool counts(std::size_t word) { return word != limbs + detail::pending; }

  static kernels::sums_in_digits some_digits(const digit_range& range, std::size_t count) {
    kernels::sums_in_digits s;
    s.unit = State::lowest_bit + digit_bits * range.first;
    s.digits = range.size();
    s.count = count;
    return s;
  }
  std::optional<row> carried(row& r) const {
    return r.digits.carry(head_.window.size()) && of_->size <= most_ranks_of_digits ? std::optional(r) : std::nullopt;
  }
  std::optional<row> held(const State& s) const {
    row r;
    const auto words = s.words();
    for (std::size_t w = limbs; w < State::word_count; ++w) {
      if (counts(w) && words[w] != 0) return std::nullopt;
    }
    const std::span<const std::int64_t> values(words.data(), limbs);
    const std::size_t end = detail::size_without_zeros(values);
    for (std::size_t w = detail::zeros_at_begin(values.first(end)); w < end; ++w) {
      const int bit = 32 * static_cast<int>(w) - digit_bits * head_.window.first;
      if (!r.digits.add(words[w], bit, head_.window.size())) return std::nullopt;
    }
    return carried(r);
  }
  std::optional<row> held_parts(std::span<const detail::scaled_integer> parts) const {
    row r;
    const int lowest = State::lowest_bit + digit_bits * head_.window.first;
    for (const detail::scaled_integer& p : parts) {
      if (!r.digits.add(p.significand, p.exponent - lowest, head_.window.size())) return std::nullopt;
    }
    return carried(r);
  }
  static void put_digits(const std::int64_t* digits, const digit_range& range, State& empty) {
    for (std::size_t j = 0; j < range.size(); ++j) {
      empty.sink().deposit(digits[j], State::lowest_bit + digit_bits * static_cast<int>(range.first + j));
    }
  }
  void put(std::size_t k, const row& r) {
    const std::size_t width = head_.window.size();
    for (std::size_t j = 0; j < width; ++j) digits_[k * width + j] = r.digits[j];
    if (r.wide == 0) return;
    const std::lock_guard lock(mutex_);
    wide_[r.wide - 1].place = k;
  }
  void mark_used() {
    const std::size_t width = head_.window.size();
    std::int64_t used[most_digits] = {};
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t j = 0; j < width; ++j) used[j] |= digits_[k * width + j];
    }
    for (std::size_t j = 0; j < width; ++j) {
      if (used[j] == 0) continue;
      head_.digits |= static_cast<std::uint8_t>(1u << j);
      const std::size_t bit = digit_bits * (head_.window.first + j);
      for (std::size_t w = bit / 32; w <= (bit + digit_bits - 1) / 32; ++w) head_.use(w);
    }
    for (const wide_sum& sum : wide_) {
      for (std::size_t w = 0; w < State::word_count; ++w) {
        if (counts(w) && sum.state.words()[w] != 0) head_.use(w);
      }
    }
  }
  static digit_range used_digits(const windows_head& head) {
    if (head.digits == 0) return {};
    return {static_cast<std::uint16_t>(head.window.first + std::countr_zero(head.digits)),
            static_cast<std::uint16_t>(head.window.first + std::bit_width(head.digits))};
  }
  /// Those of the words in use, which may be more than there are.
  digit_range digits_of_words() const {
    if (words_.empty()) return {};
    return {static_cast<std::uint16_t>(32 * words_.front() / digit_bits),
            static_cast<std::uint16_t>((32 * (words_.back() + 1) + digit_bits - 1) / digit_bits)};
  }
  /// The second message: the digits in use on any rank.
  void exchange_digits(const delivery& results) {
    auto travelling = memory_for_states<std::int64_t>(*of_, count_ * sent_.size());
    const std::size_t width = head_.window.size();
    const std::size_t sent = sent_.size();
    const std::int64_t* const from = digits_ + (sent_.first - head_.window.first);
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t j = 0; j < sent; ++j) travelling[k * sent + j] = from[k * width + j];
    }
    exchange_all(std::move(travelling), sent_.size(), results);
  }
  /// The second message where a window does not hold all: the words in use on any rank.
  void exchange_words(const delivery& results) {
    auto travelling = memory_for_states<std::int64_t>(*of_, count_ * words_.size());
    const auto send = [&](std::size_t k, const State& s) {
      for (std::size_t j = 0; j < words_.size(); ++j) travelling[k * words_.size() + j] = s.words()[words_[j]];
    };
    for (std::size_t k = 0; k < count_; ++k) {
      State s;
      put_digits(digits_ + k * head_.window.size(), head_.window, s);
      send(k, s);
    }
    for (const wide_sum& sum : wide_) {
      if (sum.place != count_) send(sum.place, sum.state);
    }
    exchange_all(std::move(travelling), words_.size(), results);
  }
  void exchange_all(std::vector<std::int64_t> travelling, std::size_t each, const delivery& results) {
    add_over_ranks(*of_, travelling, each, results);
    memory_ = std::move(travelling);
    totals_ = memory_.data();
  }
  /// Where the windows of later calls are: what this one and those before had in use. Ranks that come here in another order see that their
  /// windows differ.
  void learn(digit_range used, bool differed) {
    auto& windows = of_->seen->windows;
    if (differed) windows.erase(kind_);
    if (used.size() != 0 && used.size() <= most_digits && used.end <= all_digits) {
      const auto known = windows.try_emplace(kind_, used).first;
      const digit_range both{std::min(used.first, known->second.first), std::max(used.end, known->second.end)};
      known->second = both.size() <= most_digits ? both : used;
    }
    const std::size_t wished = head_bytes + sizeof(windows_head) + count_ * expected().size() * sizeof(std::int64_t);
    if (wished <= most_first_bytes && !differed) exchange_.wish(wished);
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
  std::int64_t* digits_ = nullptr;
  std::vector<std::int64_t> memory_;
  std::mutex mutex_;
  std::vector<wide_sum> wide_;
  bool in_words_ = false;
  std::vector<std::size_t> words_;  ///< that the totals have, or
  digit_range sent_;                ///< the digits
  const std::int64_t* totals_ = nullptr;
};

/// A reducer whose result is a row of such sums; that of a short tile, and those of short groups, come without a state.
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
  template <class T, class Output>
    requires detail::adds_up_short_groups<R, T>
  std::uint64_t finish_groups(kernels::short_groups<T>& groups, Output out) const {
    kernels::exact_pair totals[kernels::short_groups<T>::most];
    const std::uint64_t left = R::add_up_groups(groups, totals);
    return left | sums_->put_rows(totals, groups.count, out);
  }
  template <class Tile>
  void certify_tile(const Tile& t) const = delete;  ///< which gives R a result by a bound: no row
  template <class T>
  void add_columns(const kernels::few_columns<T>&, kernels::column_sums&) const = delete;  ///< likewise

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
