// SPDX-License-Identifier: BSD-3-Clause
// Groups of few elements, and columns side by side, taken many at a time, by reducers that can.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "accrue/detail/column_sums.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/tensor_view.hpp"
#include "accrue/detail/views.hpp"
#include "accrue/groupings.hpp"
#include "accrue/reducer.hpp"

namespace accrue::detail {

/// Where the elements of a group begin, and how far they are apart; of pairs also the second ones. Not for views of several rows.
template <class T>
struct stepped {
  const T* first;
  std::ptrdiff_t step;
  bool in_line = true;
  const T* y = nullptr;
  std::ptrdiff_t y_step = 1;
};
template <class T>
stepped<T> as_stepped(const contiguous_view<T>& v) {
  return {v.data, 1};
}
template <class T>
stepped<T> as_stepped(const strided_view<T>& v) {
  if (v.rows == 1) return {v.data, v.column_stride};
  return {v.data, 1, v.contiguous()};
}
template <class T>
stepped<T> as_stepped(const tensor_view<T>& v) {
  if (v.shape.rank == 1) return {v.data, v.shape.strides[0]};
  return {v.data, 1, false};
}
template <class X, class Y>
  requires requires(const X& x, const Y& y) {
    { as_stepped(y) } -> std::same_as<decltype(as_stepped(x))>;
  }
auto as_stepped(const zipped_view<X, Y>& v) {
  const auto x = as_stepped(v.x);
  const auto y = as_stepped(v.y);
  return stepped<typename X::element>{x.first, x.step, x.in_line && y.in_line, y.first, y.step};
}

/// Whether a reducer finishes several groups of a view's kind at once: R itself, not a class that changes it.
template <class R, class View>
concept finishes_groups = std::same_as<typename R::self, R> &&
                          requires(const R& r, const View& v, kernels::short_groups<typename View::element>& groups, result_of<R>* out) {
                            { as_stepped(v).first } -> std::convertible_to<const typename View::element*>;
                            { r.finish_groups(groups, out) } -> std::same_as<std::uint64_t>;
                          };

/// Whether groups are segments of one array.
template <class Groups>
inline constexpr bool lies_in_segments = false;
template <class T, class Offset>
inline constexpr bool lies_in_segments<segment_groups<contiguous_view<T>, Offset>> = true;

/// The most elements of groups side by side that a reducer finishes several at once of: more of those that add up rows as they lie.
template <class R>
inline constexpr std::size_t longest_alike = kernels::longest_short_group;
template <class R>
  requires requires { R::adds_long_rows; }
inline constexpr std::size_t longest_alike<R> = R::adds_long_rows ? kernels::longest_row : kernels::longest_short_group;

/// Groups, collected until there are many: then out[k] = the result of each, or what `one(k)` writes there where that takes more.
template <class R, class T, class Output>
class short_group_batch {
  using result = result_of<R>;
  using groups = kernels::short_groups<T>;
  static constexpr std::size_t longest = kernels::longest_short_group;  ///< nor do short ones gain among many longer ones
  static constexpr std::size_t longest_mean = 96;
  static constexpr std::size_t most_of_rows = 16384;  ///< elements in a batch, of longer rows
  static constexpr std::size_t least_rows = 8;  ///< in one
  static constexpr std::size_t longest_mean_of_rows = 1024;  ///< elements, of segments

 public:
  /// `mean` is the number of elements of a group, of all on average.
  short_group_batch(const R& reducer, const Output& out, std::size_t mean)
      : reducer_(&reducer),
        out_(out),
        longest_(mean <= longest_mean ? longest : 0),
        in_rows_(longest_alike<R> > longest && mean <= longest_mean_of_rows) {}

  /// Takes group k, or answers false.
  template <class One>
  bool take(std::size_t k, const stepped<T>& group, std::size_t size, const One& one) {
    if (size > longest_ || !group.in_line) return false;
    if (group.step != groups_.step || group.y_step != groups_.y_step) finish(one);
    groups_.step = group.step;
    groups_.y_step = group.y_step;
    groups_.x[groups_.count] = group.first;
    groups_.y[groups_.count] = group.y;
    groups_.sizes[groups_.count] = static_cast<std::uint32_t>(size);
    places_[groups_.count] = k;
    if (group.step == 1 && size * sizeof(T) >= 512) {  // it is read when the batch is full
      for (std::size_t i = 0; i < size; i += 64 / sizeof(T)) __builtin_prefetch(group.first + i);
    }
    if (++groups_.count == groups::most) finish(one);
    return true;
  }
  /// Takes group k and others behind it, of which there are so many alike; returns how many. Of long ones it takes those side by side that
  /// fill a cache line.
  template <class One>
  std::size_t take_alike(std::size_t k, const neighbouring_groups<T>& alike, std::size_t count, const One& one) {
    if (const std::size_t taken = take_columns(k, alike, count, one)) return taken;
    if (alike.length > longest && (alike.stride != 1 || alike.length > longest_alike<R>)) return 0;
    groups some;
    some.by_rows = by_rows_;
    some.count = std::min(count, groups::most);
    if (alike.length > longest) some.count = std::min(some.count, std::max(least_rows, most_of_rows / alike.length));
    some.step = alike.stride;
    some.in_lanes = alike.length <= longest;
    some.end_to_end = alike.stride == 1 && alike.group_stride == static_cast<std::ptrdiff_t>(alike.length);
    for (std::size_t i = 0; i < some.count; ++i) {
      some.x[i] = alike.data + static_cast<std::ptrdiff_t>(i) * alike.group_stride;
      some.sizes[i] = static_cast<std::uint32_t>(alike.length);
    }
    const std::uint64_t left = reducer_->finish_groups(some, out_ + k);
    by_rows_ = some.by_rows;
    take_left(left, [&](std::size_t i) { one(k + i); });
    return some.count;
  }
  /// Takes segments k and behind it, before `end`, of one array; returns how many, which is none where an offset is wrong. Those that are
  /// too long are for `one` too, or for the whole team: `other(k, size)` says so.
  template <class Offset, class One, class Other>
  std::size_t take_segments(const segment_groups<contiguous_view<T>, Offset>& segments, std::size_t k, std::size_t end, const One& one,
                            const Other& other) {
    if (longest_ == 0 && !in_rows_) return 0;
    constexpr std::size_t step = 8;  // elements that are read at once
    const neighbours<Offset> here{segments.view.data, segments.offsets + k, std::min(groups::most, end - k)};
    const std::size_t count = here.count;
    bool ordered = here.place(count) <= segments.view.size() && (k != 0 || here.place(0) == 0) &&
                   (k + count != segments.groups || here.place(count) == segments.view.size());
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ordered = ordered && here.place(i) <= here.place(i + 1);
      most = std::max(most, here.size(i));
    }
    if (!ordered) return 0;
    groups some;
    if (in_rows_ && most >= 2 * step && 2 * here.longer_than(2 * step - 1) > count && by_rows_.pay()) {
      if (const std::size_t taken = take_rows(here, k, one)) return taken;
    }
    if (longest_ == 0) {
      for (std::size_t i = 0; i < count; ++i) other(k + i, here.size(i));
      return count;
    }
    some.in_rows = false;
    some.span = here.place(count) - here.place(0);
    if (most <= step) {
      for (std::size_t i = 0; i < count; ++i) here.set(some, i, i);
      some.count = count;
      take_left(reducer_->finish_groups(some, out_ + k), [&](std::size_t i) { one(k + i); });
      return count;
    }
    // Groups of about as many elements come to stand together: what is done at once takes as long as its longest group.
    constexpr std::size_t classes = longest / step + 1;  // and one of those that are too long
    const auto class_of = [](std::size_t size) { return size <= longest ? (size + step - 1) / step : classes; };
    std::uint8_t next[classes + 2] = {};
    for (std::size_t i = 0; i < count; ++i) ++next[class_of(here.size(i)) + 1];
    for (std::size_t c = 1; c < std::size(next); ++c) next[c] = static_cast<std::uint8_t>(next[c] + next[c - 1]);
    some.count = next[classes];
    std::uint8_t places[groups::most];
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = next[class_of(here.size(i))]++;
      here.set(some, to, i);
      places[to] = static_cast<std::uint8_t>(i);
    }
    result results[groups::most];
    const std::uint64_t left = some.count != 0 ? reducer_->finish_groups(some, results) : 0;
    for (std::size_t i = 0; i < some.count; ++i) out_[k + places[i]] = results[i];
    take_left(left, [&](std::size_t i) { one(k + places[i]); });
    for (std::size_t i = some.count; i < count; ++i) other(k + places[i], here.size(places[i]));
    return count;
  }
  template <class One>
  void finish(const One& one) {
    if (groups_.count == 0) return;
    result results[groups::most];
    const std::uint64_t left = reducer_->finish_groups(groups_, results);
    for (std::size_t i = 0; i < groups_.count; ++i) out_[places_[i]] = results[i];
    take_left(left, [&](std::size_t i) { one(places_[i]); });
    groups_.count = 0;
  }

 private:
  /// Segments behind one another.
  template <class Offset>
  struct neighbours {
    const T* data;
    const Offset* offsets;
    std::size_t count;

    [[nodiscard]] std::size_t place(std::size_t i) const { return static_cast<std::size_t>(offsets[i]); }
    [[nodiscard]] std::size_t size(std::size_t i) const { return place(i + 1) - place(i); }
    [[nodiscard]] std::size_t longer_than(std::size_t elements) const {
      std::size_t some = 0;
      for (std::size_t i = 0; i < count; ++i) some += size(i) > elements ? 1 : 0;
      return some;
    }
    /// Makes segment i group `to`.
    void set(groups& some, std::size_t to, std::size_t i) const {
      some.x[to] = data + place(i);
      some.sizes[to] = static_cast<std::uint32_t>(size(i));
    }
  };
  /// Takes the first of these segments in rows, up to one that is too long; returns how many, which is none where that does not pay.
  template <class Offset, class One>
  std::size_t take_rows(const neighbours<Offset>& all, std::size_t k, const One& one) {
    groups rows;
    const auto more = [&](std::size_t i) {
      return i < all.count && all.size(i) <= longest_alike<R> && all.place(i + 1) - all.place(0) <= most_of_rows;
    };
    for (; more(rows.count); ++rows.count) all.set(rows, rows.count, rows.count);
    if (rows.count < std::min(least_rows, all.count)) return 0;
    rows.in_lanes = false;
    rows.by_rows = by_rows_;
    const std::uint64_t left = reducer_->finish_groups(rows, out_ + k);
    by_rows_ = rows.by_rows;
    if (left == ~std::uint64_t{0} >> (groups::most - rows.count)) return 0;
    take_left(left, [&](std::size_t i) { one(k + i); });
    return rows.count;
  }
  template <class One>
  std::size_t take_columns([[maybe_unused]] std::size_t k, [[maybe_unused]] const neighbouring_groups<T>& alike,
                           [[maybe_unused]] std::size_t count, [[maybe_unused]] const One& one) {
    if constexpr (adds_columns<R, T>) {
      const bool without_gaps = alike.stride == static_cast<std::ptrdiff_t>(count) && alike.length >= 512;
      if (alike.group_stride != 1 || (count * sizeof(T) < 64 && !without_gaps)) return 0;
      const std::size_t taken = count < kernels::column_sums::most ? count : kernels::column_sums::most;
      kernels::column_sums sums;
      kernels::clear(sums);
      if (!reducer_->add_columns({alike.data, taken, alike.length, alike.stride}, sums)) return 0;
      finish_columns_of(*reducer_, sums, taken, alike.length, out_ + k, [&](std::size_t i) { one(k + i); });
      return taken;
    }
    return 0;
  }
  const R* reducer_;
  Output out_;
  std::size_t longest_;
  bool in_rows_;  ///< segments
  groups groups_;
  kernels::attempts by_rows_;  ///< of batches of neighbours
  std::size_t places_[groups::most];
};

/// Such a batch, or nothing where groups are taken one by one.
template <class R, class View, class Output>
struct batch_of_groups {
  struct type {
    type(const R&, const Output&, std::size_t) {}
  };
};
template <class R, class View, class Output>
  requires finishes_groups<R, View>
struct batch_of_groups<R, View, Output> {
  using type = short_group_batch<R, typename View::element, Output>;
};

}  // namespace accrue::detail
