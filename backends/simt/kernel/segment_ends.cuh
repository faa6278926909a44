// SPDX-License-Identifier: BSD-3-Clause
// Where segments of a contiguous array end, as a warp that walks along the array meets them.
#pragma once

#include "accrue/backends/simt/kernel/blocks.cuh"

namespace accrue::simt {

/// Segments that offsets bound: k is [offsets[k], offsets[k + 1]).
template <class Offset>
struct offset_bounds {
  const Offset* offsets;
  std::size_t count;

  [[nodiscard]] constexpr std::int64_t at(std::size_t k) const { return static_cast<std::int64_t>(offsets[k]); }
  /// What a segment costs beside its elements, in elements of so many bytes: an offset and a result.
  static constexpr std::int64_t cost(std::size_t bytes) { return static_cast<std::int64_t>((sizeof(Offset) + bytes) / bytes); }
};
/// Segments of one length.
struct row_bounds {
  std::int64_t length;
  std::size_t count;

  [[nodiscard]] constexpr std::int64_t at(std::size_t k) const { return static_cast<std::int64_t>(k) * length; }
  static constexpr std::int64_t cost(std::size_t) { return 1; }
};

inline constexpr unsigned no_end = ~0u;

/// The ends of a warp's segments, in order, from the first element of the chunk that it is at; all lanes call all functions together.
template <class Bounds>
class segment_ends;

template <>
class segment_ends<row_bounds> {
 public:
  /// Of shared memory, for a warp of so many lanes.
  static constexpr std::size_t bytes(unsigned) { return 0; }
  ACCRUE_DEVICE segment_ends(const row_bounds& bounds, std::int64_t first, std::int64_t behind, std::int64_t origin, unsigned char*)
      : next_((first + 1) * bounds.length - origin), length_(bounds.length), left_(static_cast<unsigned>(behind - first)) {}

  ACCRUE_DEVICE void start_chunk() {}
  ACCRUE_DEVICE void end_chunk(unsigned elements) { next_ -= elements; }
  /// The end of the lane's segment among the next ones; `no_end` where there is none near.
  ACCRUE_DEVICE unsigned at() const {
    constexpr std::int64_t far = std::int64_t{1} << 22;
    const auto near = static_cast<unsigned>(next_ < far ? next_ : far);
    return lane() < left_ ? near + lane() * static_cast<unsigned>(length_ < far ? length_ : far) : no_end;
  }
  ACCRUE_DEVICE bool ascend() const { return true; }
  /// Leaves so many of them behind.
  ACCRUE_DEVICE void drop(unsigned n) {
    next_ += n * length_;
    left_ -= n;
  }

 private:
  std::int64_t next_;
  std::int64_t length_;
  unsigned left_;
};

/// Offsets come through a ring in shared memory, asked for ahead. What is asked for in a chunk is in the same group of copies as the
/// elements of a later one.
template <class Offset>
class segment_ends<offset_bounds<Offset>> {
 public:
  static constexpr unsigned size = 8 * warp_width;
  static constexpr std::size_t bytes(unsigned lanes) { return 8 * lanes * sizeof(Offset); }
  ACCRUE_DEVICE segment_ends(const offset_bounds<Offset>& bounds, std::int64_t first, std::int64_t behind, std::int64_t origin,
                             unsigned char* ring)
      : ring_(reinterpret_cast<Offset*>(ring)), from_(bounds.offsets + first + 1), origin_(origin),
        end_(static_cast<unsigned>(behind - first)) {
    if (lane() == 0) ring_[size - 1] = bounds.offsets[first];  // the end before the first
    ask();
    asked_before_ = asked_;
  }

  ACCRUE_DEVICE void start_chunk() {
    arrived_ = asked_before_;
    asked_before_ = asked_;
    ask();
  }
  ACCRUE_DEVICE void end_chunk(unsigned elements) { origin_ += elements; }
  ACCRUE_DEVICE unsigned at() {
    const unsigned wanted = place_ + warp_width < end_ ? place_ + warp_width : end_;
    if (arrived_ < wanted) {  // more segments end here than were asked for in time
      ask();
      end_copies();
      wait_for_copies<0>();
      sync_warp();
      arrived_ = asked_before_ = asked_;
    }
    const unsigned t = place_ + lane();
    const std::int64_t e = static_cast<std::int64_t>(ring_[t % size]) - origin_;
    return t < end_ && e >= 0 && e < no_end ? static_cast<unsigned>(e) : no_end;
  }
  /// Whether the lane's end is not before the one before it.
  ACCRUE_DEVICE bool ascend() const {
    const unsigned t = place_ + lane();
    return t >= end_ || ring_[t % size] >= ring_[(t - 1) % size];
  }
  /// The lanes have read what they wanted.
  ACCRUE_DEVICE void drop(unsigned n) {
    place_ += n;
    sync_warp();
  }

 private:
  /// Asks for as many as there is room for, and keeps the one before the next.
  ACCRUE_DEVICE void ask() {
    while (asked_ < end_ && asked_ + 2 * warp_width <= place_ + size) {
      const unsigned t = asked_ + lane();
      if (t < end_) copy_to_shared<sizeof(Offset)>(ring_ + t % size, from_ + t);
      asked_ += warp_width;
    }
  }

  Offset* ring_;
  const Offset* from_;
  std::int64_t origin_;  ///< the chunk's first element
  unsigned end_;
  unsigned place_ = 0;  ///< the next end
  unsigned asked_ = 0;
  unsigned asked_before_ = 0;  ///< a chunk ago
  unsigned arrived_ = 0;
};

}  // namespace accrue::simt
