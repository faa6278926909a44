// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over ranks: of each the few digits that sums like those before had, added as integers. What has digits elsewhere the ranks
// notice in the same message, and send all words in use in a second one.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
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

/// Whether a reducer makes results of digits: by its own functions, not by those of a class that it changes.
template <class R>
concept finishes_digits =
    std::is_same_v<typename R::self, R> &&
    requires(const R& r, const kernels::sums_in_digits& sums, detail::result_of<R>* out, const detail::truncated& sum) {
      { r.finish_digits(sums, out) } -> std::same_as<std::uint64_t>;
      { r.finish_leading(sum, false) } -> std::same_as<detail::result_of<R>>;
    };

/// How the payload of the first message begins, before the sums' digits.
struct windows_head {
  digit_window window;
  std::uint8_t travel = 0;      ///< whether the digits are in the message
  std::uint8_t differ = 0;      ///< whether ranks' windows do
  bit_range used;               ///< bits that any rank has in use
  std::uint64_t words[3] = {};  ///< a bit for each word of the states that is, where a window does not hold some sum

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
  left.used = left.used.with(right.used);
  for (std::size_t k = 0; k < std::size(left.words); ++k) left.words[k] |= right.words[k];
  std::memcpy(a + head_bytes, &left, sizeof left);
  auto& head = *reinterpret_cast<first_message*>(a);
  if (left.differ != 0) head.incomplete = 1;
  if (head.incomplete != 0 || left.travel == 0) return;
  constexpr std::size_t before = head_bytes + sizeof(windows_head);
  for (std::size_t k = 0; k < head.results * left.window.digits; ++k) {
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
  static constexpr std::size_t most_bits = digit_bits * most_digits - 1;
  static constexpr std::size_t most_remembered = 4096;  ///< calls, by the kind and number of their sums
  static constexpr std::size_t all_bits = 32 * (limbs - 1);  ///< for digits: without the last word, into which those of many ranks grow

 public:
  /// `sums` tells the sums' kind from others, and `call` the call from others with such sums.
  window_sums(const communicator& c, std::uint64_t sums, std::uint64_t call, std::size_t count, bool at_once)
      : of_(&c), kind_(sums), count_(count), exchange_(c, sums + call, count, at_once) {}

  /// A sum's digits in the window, the last below 2^48 and the others at most that; or where it does not hold the sum, the number of what
  /// has all of it.
  struct row {
    sum_digits digits;
    std::size_t wide = 0;
  };
  row row_of(const State& s) {
    if (const auto narrow = held(s)) return *narrow;
    State normal = s;
    normal.normalize();
    normal.put_sign_in_digits();  // those of negative sums reach up to the last word else
    if (const auto narrow = held(normal)) return *narrow;
    row elsewhere;
    const std::lock_guard lock(mutex_);
    wide_.push_back({normal, count_});
    elsewhere.wide = wide_.size();
    return elsewhere;
  }
  /// Nothing where the window does not hold the total.
  std::optional<row> row_of(const kernels::short_total& total) const {
    return total.with_parts([&](const auto& parts) { return held_parts(parts); });
  }
  /// out[k] = the rows of so many totals; bits of those that the window does not hold.
  template <class Output>
  std::uint64_t put_rows(const kernels::exact_pair* totals, std::size_t count, const Output& out) const {
    if (of_->size > most_ranks_of_digits) return ~std::uint64_t{0} >> (64 - count);
    kernels::sums_in_digits sums = some_digits(head_.window, count);
    const std::uint64_t left = kernels::to_digits(totals, sums);
    if constexpr (std::is_same_v<Output, output>) {
      out.put(sums);
    } else {
      row r;
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t j = 0; j < sums.digits; ++j) r.digits[j] = sums.digit[j][k];
        out[k] = r;
      }
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
    /// The same of all of them.
    void put(const kernels::sums_in_digits& sums) const {
      for (std::size_t j = 0; j < sums.digits; ++j) std::copy_n(sums.digit[j], sums.count, of_->digits_ + j * of_->count_ + first_);
    }

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
      const std::size_t digits = count_ * head_.window.digits;
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
    learn(head.used, head.differ != 0);
    if (in_words_) {
      words_.clear();
      for (std::size_t w = 0; w < State::word_count; ++w) {
        if (head.uses(w)) words_.push_back(w);
      }
      exchange_words(results);
    } else {
      sent_ = head.travel != 0 ? head.window : digits_in_use(head);
      if (head.travel != 0) {
        totals_ = reinterpret_cast<const std::int64_t*>(payload.data() + sizeof head);
      } else {
        const std::size_t first = sent_.digits != 0 ? static_cast<std::size_t>(sent_.bit - head_.window.bit) / digit_bits : 0;
        totals_ = add_over_ranks({digits_ + first * count_, sent_.digits * count_}, results);
      }
    }
  }
  /// Sum k of all ranks.
  void read(std::size_t k, State& empty) const {
    if (!in_words_) return put_digits(totals_ + k, sent_, empty);
    const auto to = empty.words();
    for (std::size_t j = 0; j < words_.size(); ++j) to[words_[j]] = totals_[j * count_ + k];
    to[limbs + detail::pending] = detail::most_pending - 1;  // the words of all ranks, added as they were
  }
  /// The results of some sums of all ranks.
  template <class R, class Result>
  void results(detail::share part, const R& r, Result* out) const {
    std::size_t k = part.begin;
    if constexpr (finishes_digits<R>) {
      for (; !in_words_ && k < part.end; k += kernels::sums_in_digits::most) {
        auto sums = some_digits(sent_, std::min(kernels::sums_in_digits::most, part.end - k));
        for (std::size_t j = 0; j < sums.digits; ++j) std::copy_n(totals_ + j * count_ + k, sums.count, sums.digit[j]);
        Result* const to = out + (k - part.begin);
        detail::take_left(r.finish_digits(sums, to), [&](std::size_t i) { to[i] = result(k + i, r); });
      }
    }
    for (; k < part.end; ++k) out[k - part.begin] = result(k, r);
  }
  /// The result of sum k of all ranks.
  template <class R>
  auto result(std::size_t k, const R& r) const {
    if constexpr (finishes_digits<R>) {
      if (!in_words_) {
        std::int64_t digits[most_digits];
        for (std::size_t j = 0; j < sent_.digits; ++j) digits[j] = totals_[j * count_ + k];
        bool negative = false;
        const auto sum = leading_bits(std::span(digits).first(sent_.digits), State::lowest_bit + sent_.bit, negative);
        return r.finish_leading(sum, negative);
      }
    }
    State s = r.empty();
    read(k, s);
    return r.finish(s);
  }

 private:
  static constexpr std::uint64_t any_count = ~std::uint64_t{0};  ///< of sums, among what calls before had
  /// Where calls before with as many sums had bits, or others with such sums, and a little around; or around 1.
  digit_window expected() const {
    const auto& bits_of_sums = of_->seen->bits_of_sums;
    for (const std::uint64_t count : {std::uint64_t{count_}, any_count}) {
      const auto known = bits_of_sums.find({kind_, count});
      if (known != bits_of_sums.end()) return window_of(known->second);
    }
    constexpr int usual = -178 - State::lowest_bit;
    return window_at(usual < 0 ? 0 : static_cast<std::size_t>(usual), most_digits);
  }
  static digit_window window_of(const bit_range& used) {
    constexpr std::size_t least_around = 2;
    const std::size_t bits = used.size() + 1;  // the last digit has a sign
    const std::size_t digits = std::min((bits + 2 * least_around + digit_bits - 1) / digit_bits, most_digits);
    const std::size_t below = (digits * digit_bits - bits) / 2;
    return window_at(used.first - std::min<std::size_t>(used.first, below), digits);
  }
  static digit_window window_at(std::size_t bit, std::size_t digits) {
    digits = std::min(digits, all_bits / digit_bits);
    return {static_cast<std::uint16_t>(std::min(bit, all_bits - digit_bits * digits)), static_cast<std::uint16_t>(digits)};
  }
  /// Whether a word is among those that make the value; the last one bounds its digits' growth.
  static constexpr bool counts(std::size_t word) { return word != limbs + detail::pending; }

  static kernels::sums_in_digits some_digits(const digit_window& window, std::size_t count) {
    kernels::sums_in_digits s;
    s.unit = State::lowest_bit + window.bit;
    s.digits = window.digits;
    s.count = count;
    return s;
  }
  std::optional<row> carried(row& r) const {
    return r.digits.carry(head_.window.digits) && of_->size <= most_ranks_of_digits ? std::optional(r) : std::nullopt;
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
      if (!r.digits.add(words[w], 32 * static_cast<int>(w) - head_.window.bit, head_.window.digits)) return std::nullopt;
    }
    return carried(r);
  }
  std::optional<row> held_parts(std::span<const detail::scaled_integer> parts) const {
    row r;
    const int lowest = State::lowest_bit + head_.window.bit;
    for (const detail::scaled_integer& p : parts) {
      if (!r.digits.add(p.significand, p.exponent - lowest, head_.window.digits)) return std::nullopt;
    }
    return carried(r);
  }
  /// A sum's digits, which lie a whole row of all sums' apart.
  void put_digits(const std::int64_t* digits, const digit_window& window, State& empty) const {
    for (std::size_t j = 0; j < window.digits; ++j) empty.sink().deposit(digits[j * count_], State::lowest_bit + window.bit_of(j));
  }
  void put(std::size_t k, const row& r) {
    for (std::size_t j = 0; j < head_.window.digits; ++j) digits_[j * count_ + k] = r.digits[j];
    if (r.wide == 0) return;
    const std::lock_guard lock(mutex_);
    wide_[r.wide - 1].place = k;
  }
  void mark_used() {
    for (std::size_t j = 0; j < head_.window.digits; ++j) {
      std::int64_t used = 0;       // bits from the lowest on, as those of numbers below zero
      std::int64_t magnitude = 0;  // bits up to the highest
      for (std::size_t k = 0; k < count_; ++k) {
        const std::int64_t digit = digits_[j * count_ + k];
        used |= digit;
        magnitude |= digit < 0 ? -digit : digit;
      }
      if (used == 0) continue;
      const bit_range bits = bits_of(used, magnitude, head_.window.bit_of(j));
      head_.used = head_.used.with(bits);
      for (int w = bits.first / 32; w <= (bits.end - 1) / 32; ++w) head_.use(static_cast<std::size_t>(w));
    }
    for (const wide_sum& sum : wide_) {
      for (std::size_t w = 0; w < State::word_count; ++w) {
        const std::int64_t word = sum.state.words()[w];
        if (word == 0 || !counts(w)) continue;
        head_.use(w);
        head_.used = head_.used.with(bits_of(word, word < 0 ? -word : word, 32 * static_cast<int>(w)));
      }
    }
  }
  /// From the lowest that is set in `lowest` up to the highest in `highest`, where these begin at a bit.
  static bit_range bits_of(std::int64_t lowest, std::int64_t highest, int bit) {
    return {static_cast<std::uint16_t>(bit + std::countr_zero(static_cast<std::uint64_t>(lowest))),
            static_cast<std::uint16_t>(bit + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(highest))))};
  }
  static digit_window digits_in_use(const windows_head& head) {
    if (head.used.empty()) return {};
    const std::size_t begin = static_cast<std::size_t>(head.used.first - head.window.bit) / digit_bits;
    const std::size_t end = static_cast<std::size_t>(head.used.end - 1 - head.window.bit) / digit_bits + 1;
    return {static_cast<std::uint16_t>(head.window.bit_of(begin)), static_cast<std::uint16_t>(end - begin)};
  }
  /// The second message where a window does not hold all: the words in use on any rank.
  void exchange_words(const delivery& results) {
    auto travelling = memory_for_states<std::int64_t>(*of_, count_ * words_.size());
    const auto send = [&](std::size_t k, const State& s) {
      for (std::size_t j = 0; j < words_.size(); ++j) travelling[j * count_ + k] = s.words()[words_[j]];
    };
    for (std::size_t k = 0; k < count_; ++k) {
      State s;
      put_digits(digits_ + k, head_.window, s);
      send(k, s);
    }
    for (const wide_sum& sum : wide_) {
      if (sum.place != count_) send(sum.place, sum.state);
    }
    memory_ = std::move(travelling);
    totals_ = add_over_ranks(memory_, results);
  }
  /// The second message: rows of all sums' numbers, the digits or words in use on any rank.
  const std::int64_t* add_over_ranks(std::span<std::int64_t> rows, const delivery& results) const {
    if (results.where != delivery::to::shares || rows.empty()) {
      ranks::add_over_ranks(*of_, rows, 1, results);
      return rows.data();
    }
    const std::size_t each = rows.size() / count_;  // of a sum, which go to one rank
    auto travelling = memory_for_states<std::int64_t>(*of_, rows.size());
    for (std::size_t j = 0; j < each; ++j) {
      for (std::size_t k = 0; k < count_; ++k) travelling[k * each + j] = rows[j * count_ + k];
    }
    ranks::add_over_ranks(*of_, travelling, each, results);
    const detail::share here = results.on(of_->rank, of_->size, count_);
    for (std::size_t j = 0; j < each; ++j) {
      for (std::size_t k = here.begin; k < here.end; ++k) rows[j * count_ + k] = travelling[k * each + j];
    }
    return rows.data();
  }
  /// Where the windows of later calls are: at the bits that this call and those before had in use. Ranks that come here in another order
  /// see that their windows differ.
  void learn(bit_range used, bool differed) {
    auto& bits_of_sums = of_->seen->bits_of_sums;
    if (bits_of_sums.size() > most_remembered) bits_of_sums.clear();
    for (const std::uint64_t count : {std::uint64_t{count_}, any_count}) {
      if (differed) bits_of_sums.erase({kind_, count});
      if (used.empty() || used.size() > most_bits || used.end >= all_bits) continue;
      const auto known = bits_of_sums.try_emplace({kind_, count}, used).first;
      const bit_range both = used.with(known->second);
      known->second = both.size() <= most_bits ? both : used;
    }
    const std::size_t wished = head_bytes + sizeof(windows_head) + count_ * expected().digits * sizeof(std::int64_t);
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
  std::int64_t* digits_ = nullptr;  ///< digit j of sum k at [j * count + k], as all numbers of sums in messages
  std::vector<std::int64_t> memory_;
  std::mutex mutex_;
  std::vector<wide_sum> wide_;
  bool in_words_ = false;
  std::vector<std::size_t> words_;  ///< that the totals have, or
  digit_window sent_;               ///< the digits
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
