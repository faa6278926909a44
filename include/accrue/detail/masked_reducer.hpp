// SPDX-License-Identifier: BSD-3-Clause
// A reducer over tiles with a mask: it sees tiles of those elements that take part.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "accrue/detail/views.hpp"

namespace accrue::detail {

/// Reducers for which an element behind its equal changes nothing: `static constexpr bool ignores_repeats = true`.
template <class R>
concept ignores_repeats = R::ignores_repeats;

/// R, a tile reducer whose order is free, over masked tiles.
template <class R>
struct masked_reducer {
  using state = typename R::state;
  using accumulator = typename R::accumulator;
  static constexpr bool order_free = true;
  static constexpr bool additive = requires { requires R::additive; };
  R reducer;

  state empty() const { return reducer.empty(); }
  accumulator start() const { return reducer.start(); }
  template <class Tile, class Mask>
  bool fold(accumulator& a, const masked_tile<Tile, Mask>& t) const {
    return with_taken(t, [&](const auto& taken) { return reducer.fold(a, taken); });
  }
  template <class Tile, class Mask>
  void refold(accumulator& a, state& s, const masked_tile<Tile, Mask>& t) const {
    with_taken(t, [&](const auto& taken) {
      reducer.refold(a, s, taken);
      return true;
    });
  }
  void drain(accumulator& a, state& s) const { reducer.drain(a, s); }
  void merge(state& a, const state& b) const { reducer.merge(a, b); }
  auto finish(const state& s) const { return reducer.finish(s); }
  void normalize(state& s) const
    requires requires(const R& r) { r.normalize(s); }
  {
    reducer.normalize(s);
  }
  void move_positions(state& s, std::size_t first) const
    requires requires(const R& r) { r.move_positions(s, first); }
  {
    reducer.move_positions(s, first);
  }
  bool saturated(const accumulator& a) const
    requires requires(const R& r) { r.saturated(a); }
  {
    return reducer.saturated(a);
  }

 private:
  /// Positions need the elements in their places: the others repeat the one before, and those before the first are cut off.
  template <class T, class Mask, class Use>
  static bool with_taken(const masked_tile<tile<T>, Mask>& t, Use use) {
    const T* x = t.elements.data;
    const std::size_t n = t.elements.size;
    std::size_t first = 0;
    while (first < n && !takes(t, first)) ++first;
    if (first == n) return true;
    tile_buffer<T> buffer;
    T* out = buffer.data();
    if constexpr (ignores_repeats<R>) {
      std::size_t latest = first;
      for (std::size_t i = first; i < n; ++i) {
        latest ^= (latest ^ i) & (std::size_t{0} - std::size_t{takes(t, i)});  // no branch, which random masks would mislead
        out[i - first] = x[latest];
      }
      return use(tile<T>{out, n - first, t.elements.first + first});
    } else {
      static_assert(!requires(const R& r, state& s) { r.move_positions(s, std::size_t{}); },
                    "accrue::where: a reducer of your own with positions takes no mask");
      std::size_t count = 0;
      for (std::size_t i = first; i < n; ++i) {
        std::memcpy(static_cast<void*>(out + count), x + i, sizeof(T));  // what is not taken may be no value at all
        count += takes(t, i) ? 1 : 0;
      }
      return use(tile<T>{out, count, t.elements.first});
    }
  }
  template <class T, class Mask, class Use>
  static bool with_taken(const masked_tile<pair_tile<T>, Mask>& t, Use use) {
    tile_buffer<T> x;
    tile_buffer<T> y;
    std::size_t count = 0;
    for (std::size_t i = 0; i < t.elements.size; ++i) {
      x.data()[count] = t.elements.x[i];
      y.data()[count] = t.elements.y[i];
      count += takes(t, i) ? 1 : 0;
    }
    return count == 0 || use(pair_tile<T>{x.data(), y.data(), count, t.elements.first});
  }
};

}  // namespace accrue::detail
