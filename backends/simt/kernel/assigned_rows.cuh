// SPDX-License-Identifier: BSD-3-Clause
// The kernels that make a list of a caller's rows.
#pragma once

#include "accrue/backends/simt/kernel/row_writer.cuh"
#include "accrue/md/neighbor_rows.hpp"

namespace accrue::simt {

/// What is found in a caller's rows. Zero before. Of rows, all bits turned, the smallest; or 0.
struct row_facts {
  std::uint64_t outside;    ///< one that does not lie within its room, or has too many partners
  std::uint64_t not_there;  ///< one with a partner that is not there
  std::uint64_t itself;     ///< one with its own particle
  std::uint64_t balance;    ///< the sum of row_balance
  std::uint64_t to_rows;    ///< entries that are particles with rows
  std::uint64_t entries;
  unsigned longest;
  unsigned most_partners;  ///< of a particle, counting both rows of a pair
};

/// Particles in the caller's order.
template <class T>
ACCRUE_KERNEL(neighbor_threads, 4)
place_particles_kernel(list_geometry g, vectors<const T> from, std::uint32_t* order, particle_places places, rough_place* rough,
                       list_facts* facts) {
  bool finite = true;
  bool outside = false;
  for (std::size_t i = first_item(); i < from.size; i += item_step()) {
    const particle_place p = wrapped_place(g, from, i);
    finite = finite && is_somewhere(p);
    outside = outside || is_outside(g, p);
    order[i] = static_cast<std::uint32_t>(i);
    places.put(i, p);
    rough[i] = roughly(g, p);
  }
  if (!finite) raise_atomically(&facts->not_finite, 1);
  if (outside) raise_atomically(&facts->outside, 1);
}

ACCRUE_DEVICE std::uint32_t partner_at(const detail::row_view& rows, const detail::row_place& row, std::uint64_t k) {
  return static_cast<const std::uint32_t*>(rows.partners)[row.first + k * rows.partner_stride];
}

inline constexpr unsigned lanes_a_check = 8;  ///< that read a row together, thirty-two bytes of it at a time

/// `counts`: zero before, of half rows how many partners each particle has; of full rows nullptr.
template <class Number>
ACCRUE_KERNEL(neighbor_threads, 4)
check_rows_kernel(detail::row_view from, std::uint32_t particles, Number* counts, row_facts* facts) {
  std::uint64_t balance = 0;
  std::uint64_t to_rows = 0;
  std::uint64_t entries = 0;
  std::uint64_t longest = 0;
  const unsigned my_part = thread() % lanes_a_check;
  for (std::size_t row = first_item() / lanes_a_check; row < particles; row += item_step() / lanes_a_check) {
    const auto tell = [&](std::uint64_t& fact) { raise_atomically(&fact, ~std::uint64_t{row}); };
    detail::row_place at{};
    if (!detail::find_row(from, row, at)) {
      tell(facts->outside);
      continue;
    }
    // No particle has more partners than there are others, but where a pair is repeated.
    const auto count = [&](std::size_t particle, std::uint64_t more) {
      if (fetch_add(counts + particle, static_cast<Number>(more)) + more >= particles) tell(facts->outside);
    };
    bool all_there = true;
    for (std::uint64_t k = my_part; k < at.count && all_there; k += lanes_a_check) {
      const std::uint32_t other = partner_at(from, at, k);
      all_there = other < particles;
      if (!all_there) tell(facts->not_there);
      if (other == row) tell(facts->itself);
      balance += detail::row_balance(static_cast<std::uint32_t>(row), other, from.rows);
      to_rows += other < from.rows ? 1 : 0;
      if (counts != nullptr && all_there) count(other, 1);
    }
    if (my_part != 0) continue;
    if (counts != nullptr && at.count != 0) count(row, at.count);
    entries += at.count;
    longest = at.count > longest ? at.count : longest;
  }
  for (unsigned distance = warp_width / 2; distance != 0; distance /= 2) {
    balance += shuffle_xor(balance, distance);
    to_rows += shuffle_xor(to_rows, distance);
    entries += shuffle_xor(entries, distance);
  }
  const unsigned most = largest_in_warp(static_cast<unsigned>(longest));
  if (lane() != 0) return;
  add_atomically(&facts->balance, balance);
  add_atomically(&facts->to_rows, to_rows);
  add_atomically(&facts->entries, entries);
  raise_atomically(&facts->longest, most);
}
template <class Number>
ACCRUE_KERNEL(neighbor_threads, 4)
most_partners_kernel(const Number* counts, std::uint32_t particles, row_facts* facts) {
  unsigned most = 0;
  for (std::size_t i = first_item(); i < particles; i += item_step()) most = counts[i] > most ? counts[i] : most;
  most = largest_in_warp(most);
  if (lane() == 0) raise_atomically(&facts->most_partners, most);
}

/// Writes the entries of a thread's row, of so many lanes, one behind the other: numbers of particles. They wait in shared memory until
/// there are whole loads.
template <unsigned lanes_shift>
class row_of_numbers {
 public:
  using entry = std::uint32_t;
  static constexpr std::uint32_t rows_a_strip = strip_lanes >> lanes_shift;
  static constexpr std::uint32_t most_waiting = 64;
  struct buffer {
    entry waiting[most_waiting][neighbor_threads];
  };

  ACCRUE_DEVICE row_of_numbers(const strip_rows& rows, std::uint32_t row, std::uint32_t filler, buffer& all)
      : waiting_(&all.waiting[0][thread()]),
        end_(waiting_),
        filler_(filler),
        strip_(row / rows_a_strip),
        first_lane_((row % rows_a_strip) << lanes_shift),
        room_(rows.room << lanes_shift) {
    next_ = static_cast<entry*>(rows.entries) + rows.template place<entry>(strip_, 0, first_lane_);
  }

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t strip() const { return strip_; }
  [[nodiscard]] ACCRUE_DEVICE bool is_first() const { return first_lane_ == 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t size() const { return written_ + waiting(); }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t steps() const { return (size() + lanes - 1) >> lanes_shift; }

  [[nodiscard]] ACCRUE_DEVICE bool has_room(std::uint32_t entries) const { return waiting() + entries <= most_waiting; }
  /// Adds a partner. There must be room.
  ACCRUE_DEVICE void add(std::uint32_t partner) {
    *end_ = partner;
    end_ += neighbor_threads;
  }
  /// Adds `all` partners to the row of lane `of`, by all lanes of a warp together: the caller's behind `below` others, where it has one.
  /// There must be room.
  ACCRUE_DEVICE void add_to(unsigned of, bool has_one, unsigned below, std::uint32_t partner, unsigned all) {
    entry* const its_end = waiting_ - lane() + of + shuffle(waiting(), of) * neighbor_threads;
    sync_warp();  // it may have written what was waiting
    if (has_one) its_end[below * neighbor_threads] = partner;
    sync_warp();
    if (lane() == of) end_ += all * neighbor_threads;
  }
  /// Writes whole loads of all lanes, or forgets them where the row has no room. Afterwards few are waiting.
  ACCRUE_DEVICE void flush() {
    const std::uint32_t count = waiting();
    std::uint32_t first = 0;
    for (; first + together <= count; first += together) {
      written_ += together;
      for (std::uint32_t l = 0; l < lanes && written_ <= room_; ++l) {
        vector16 load;
        for (std::uint32_t w = 0; w < 4; ++w) load.word[w] = word(first + l, w);
        *reinterpret_cast<vector16*>(next_ + l * each) = load;
      }
      next_ += strip_lanes * each;
    }
    if (first == 0) return;
    for (std::uint32_t k = first; k < count; ++k) waiting_[(k - first) * neighbor_threads] = waiting_[k * neighbor_threads];
    end_ -= first * neighbor_threads;
  }
  /// Fills the row up to so many steps, whole loads, with what is no particle, and writes it.
  ACCRUE_DEVICE void fill(std::uint32_t steps) {
    while (size() < steps << lanes_shift) {
      if (!has_room(1)) flush();
      add(filler_);
    }
    flush();
  }

 private:
  static constexpr std::uint32_t lanes = 1u << lanes_shift;
  static constexpr std::uint32_t each = entries_a_load<entry>;
  static constexpr std::uint32_t together = lanes * each;
  static_assert(most_waiting % together == 0);

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t waiting() const { return static_cast<std::uint32_t>(end_ - waiting_) / neighbor_threads; }
  /// Word w of the load of a lane whose first entry is waiting at `first`.
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t word(std::uint32_t first, std::uint32_t w) const {
    return waiting_[(first + w * lanes) * neighbor_threads];
  }

  entry* waiting_;
  entry* end_;  ///< of those that are waiting
  entry* next_;
  std::uint32_t filler_;
  std::uint32_t strip_;
  std::uint32_t first_lane_;
  std::uint32_t room_;
  std::uint32_t written_ = 0;
};

/// Rows that have been checked, a lane for each, which the lanes of a warp read together. `in_order`: as they are; else those behind their
/// particle first. `skin`: of the list.
template <unsigned lanes_shift>
ACCRUE_KERNEL(neighbor_threads, 7)
assign_rows_kernel(list_geometry g, strip_rows rows, bool in_order, detail::row_view from, double skin, particle_places places,
                   const rough_place* rough, list_facts* facts) {
  using writer = row_of_numbers<lanes_shift>;
  ACCRUE_SHARED typename writer::buffer waiting;
  const std::uint32_t row = block() * threads() + thread();  // lanes without a row fill the strip's places
  writer to(rows, row, rows.size, waiting);
  detail::row_place mine{};
  rough_place my_place{};
  if (row < rows.size) {
    (void)detail::find_row(from, row, mine);
    my_place = rough[row];
  }
  // Differences from there on may cross a boundary, now or when both have moved by half the skin, whatever single precision has rounded.
  float wide[3];
  for (int c = 0; c < 3; ++c) {
    const auto length = static_cast<float>(g.length[c]);
    wide[c] = std::numeric_limits<float>::infinity();
    if (g.periodic[c]) wide[c] = length * (0.5f - 0x1p-18f) - static_cast<float>(skin) * (1 + 0x1p-18f);
  }
  const auto look_at = [&](std::uint32_t i, std::uint32_t j, bool& may_cross) {
    const particle_place a = places.at(i);
    const particle_place b = places.at(j);
    const double d[3] = {subtract(a.x, b.x), subtract(a.y, b.y), subtract(a.z, b.z)};
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
      may_cross = may_cross || (g.periodic[c] && !(magnitude(d[c]) < subtract(multiply(g.length[c], 0.5), skin)));
      const double nearest = to_nearest(g, c, d[c]);
      r2 = add(r2, multiply(nearest, nearest));
    }
    if (r2 == 0) tell_coincident(facts, i, j);
  };
  bool crosses = false;
  for (const bool behind : {true, false}) {
    if (in_order && !behind) break;
    for (unsigned of = 0; of < warp_width; ++of) {
      const std::uint32_t owner = row - lane() + of;
      const detail::row_place at = shuffle(mine, of);
      const rough_place own = shuffle(my_place, of);
      bool some_cross = false;
      for (std::uint64_t first = 0; first < at.count; first += strip_lanes) {
        const bool there = lane() < strip_lanes && first + lane() < at.count;
        const std::uint32_t other = there ? partner_at(from, at, first + lane()) : owner;
        const bool taken = there && (in_order || (other > owner) == behind);
        if (taken) {
          const rough_place p = rough[other];
          const float x[3] = {own.x, own.y, own.z};
          const float y[3] = {p.x, p.y, p.z};
          bool same = true;
          bool far = false;
          for (int c = 0; c < 3; ++c) {
            const float d = fabsf(x[c] - y[c]);
            same = same && !(d > 0x1p-20f * (fabsf(x[c]) + fabsf(y[c])));
            far = far || !(d < wide[c]);
          }
          if (same || far) look_at(owner, other, some_cross);
        }
        const lanes_alike alike = lanes_with(taken ? 1 : 0, 1);
        const unsigned all = taken ? alike.all : warp_width - alike.all;
        if (lane() == of && !to.has_room(all)) to.flush();
        to.add_to(of, taken, alike.below, other, all);
      }
      some_cross = any(some_cross);
      crosses = crosses || (some_cross && lane() == of);
    }
    to.flush();
    if (behind && row < rows.size) rows.front[row] = to.size();
  }
  if (row >= rows.size && row < rows.strips() * rows.rows_a_strip()) rows.front[row] = 0;
  end_row(rows, to, crosses, facts);
}

}  // namespace accrue::simt
