// SPDX-License-Identifier: BSD-3-Clause
// What writes rows of neighbours, a thread a row, while their partners are found.
#pragma once

#include "accrue/backends/simt/kernel/brick_tiles.cuh"

namespace accrue::simt {

/// Particles that are looked at before any of them is added to a row: a bit for each.
inline constexpr std::uint32_t row_part = 32;

/// Writes the entries of a thread's row, of so many lanes, one behind the other: numbers of particles, or places in a tile. It is given
/// bits for 32 numbers that follow each other, the first one's the highest. Such parts wait in shared memory until they have whole loads of
/// all lanes: the threads of a warp have about as many partners in the end, but not in each part.
template <unsigned lanes_shift, class Entry>
class row_of_parts {
 public:
  using entry = Entry;
  static constexpr std::uint32_t rows_a_strip = strip_lanes >> lanes_shift;
  static constexpr std::uint32_t lanes = 1u << lanes_shift;
  static constexpr std::uint32_t each = entries_a_load<Entry>;
  static constexpr std::uint32_t together = lanes * each;
  static constexpr std::uint32_t most_parts = together < 16 ? 16 : together;  // fewer bits than a load may be in as many parts
  static constexpr std::size_t bytes_a_thread = most_parts * (sizeof(std::uint32_t) + sizeof(Entry));

  /// `waiting`: `bytes_a_thread` for each of the block's `threads`.
  ACCRUE_DEVICE row_of_parts(const strip_rows& rows, std::uint32_t row, std::uint32_t filler, void* waiting, std::uint32_t threads)
      : bits_(static_cast<std::uint32_t*>(waiting) + thread()),
        firsts_(reinterpret_cast<Entry*>(static_cast<std::uint32_t*>(waiting) + most_parts * threads) + thread()),
        threads_(threads),
        filler_(filler),
        strip_(row / rows_a_strip),
        first_lane_((row % rows_a_strip) << lanes_shift),
        room_(rows.room << lanes_shift) {
    next_ = static_cast<Entry*>(rows.entries) + rows.template place<Entry>(strip_, 0, first_lane_);
  }

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t strip() const { return strip_; }
  [[nodiscard]] ACCRUE_DEVICE bool is_first() const { return first_lane_ == 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t size() const { return size_; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t steps() const { return (size_ + lanes - 1) >> lanes_shift; }

  [[nodiscard]] ACCRUE_DEVICE bool has_room() const { return waiting_ < most_parts; }
  /// Adds the numbers whose bits are set. There must be room.
  ACCRUE_DEVICE void add(std::uint32_t bits, std::uint32_t first) {
    if (bits == 0) return;
    const std::uint32_t at = (begun_ + waiting_) % most_parts * threads_;
    bits_[at] = bits;
    firsts_[at] = static_cast<Entry>(first);
    ++waiting_;
    size_ += count_bits(bits);
  }
  /// Writes whole loads of all lanes, or forgets them where the row has no room. Afterwards there is some room for parts.
  ACCRUE_DEVICE void flush() {
    while (size_ - written_ >= together) write();
  }
  /// Fills the row up to so many steps, whole loads, with what is no particle, and writes it.
  ACCRUE_DEVICE void fill(std::uint32_t steps) {
    while (written_ < steps << lanes_shift) write();
  }

 private:
  /// The next number, or what is none.
  ACCRUE_DEVICE std::uint32_t take() {
    if (part_ == 0 && waiting_ != 0) {
      const std::uint32_t at = begun_ % most_parts * threads_;
      part_ = bits_[at];
      first_ = firsts_[at];
      ++begun_;
      --waiting_;
    }
    if (part_ == 0) return filler_;
    const std::uint32_t bit = highest_bit(part_);
    part_ ^= std::uint32_t{1} << bit;
    return first_ + (row_part - 1 - bit);
  }
  ACCRUE_DEVICE void write() {
    vector16 loads[lanes] = {};
#pragma unroll
    for (std::uint32_t k = 0; k < together; ++k) {
      std::uint32_t& word = loads[k % lanes].word[k / lanes * 4 / each];
      word |= take() << (sizeof(Entry) == 2 ? 16 * (k / lanes % 2) : 0);
    }
    written_ += together;
    if (written_ <= room_) {
#pragma unroll
      for (std::uint32_t l = 0; l < lanes; ++l) {
        if constexpr (sizeof(Entry) == 2) {
          for (std::uint32_t& word : loads[l].word) word = entries_of(word);
        }
        *reinterpret_cast<vector16*>(next_ + l * each) = loads[l];
      }
    }
    next_ += strip_lanes * each;
  }

  std::uint32_t* bits_;  ///< of the thread's parts that wait
  Entry* firsts_;
  std::uint32_t threads_;
  std::uint32_t begun_ = 0;  ///< parts
  std::uint32_t waiting_ = 0;
  std::uint32_t part_ = 0;  ///< of the part that has been begun the bits that are left
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t written_ = 0;  ///< entries, fillers too
  Entry* next_;
  std::uint32_t filler_;
  std::uint32_t strip_;
  std::uint32_t first_lane_;
  std::uint32_t room_;
};

/// Ends the rows of a strip, by all lanes of a warp together: fills them up to the same length, and tells what they have.
template <class Writer>
ACCRUE_DEVICE void end_row(const strip_rows& rows, Writer& to, bool crosses, list_facts* facts) {
  using entry = typename Writer::entry;
  const std::uint32_t found = to.size();
  std::uint32_t steps = to.steps();
  unsigned crossing = crosses ? 1 : 0;
  for (unsigned distance = 1; distance < Writer::rows_a_strip; distance *= 2) {
    const std::uint32_t other = shuffle_xor(steps, distance);
    steps = other > steps ? other : steps;
    crossing |= shuffle_xor(crossing, distance);
  }
  const auto rounded = [](std::uint32_t n, std::uint32_t to_multiple) { return (n + to_multiple - 1) / to_multiple * to_multiple; };
  if (to.strip() < rows.strips() && steps <= rows.room) {
    to.fill(rounded(steps != 0 ? steps : 1, entries_a_load<entry>));  // sweeps read the first load at once
    if (to.is_first()) rows.steps[to.strip()] = rounded(steps, steps_at_once<entry>) | (crossing != 0 ? strip_rows::crosses : 0);
  }
  std::uint64_t entries = found;
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) entries += shuffle_xor(entries, distance);
  const unsigned longest = largest_in_warp(found);
  if (lane() == 0) {
    add_atomically(&facts->entries, entries);
    raise_atomically(&facts->longest_row, longest);
  }
}

}  // namespace accrue::simt
