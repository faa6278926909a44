// SPDX-License-Identifier: BSD-3-Clause
// How one CPU thread reduces its share of a range: shared by every backend whose threads run on the host.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/reducer.hpp"

namespace accrue::detail {

/// Elements of a tile: 16 KiB of what the view hands out, so that a second look at a tile finds it in the first-level cache.
template <class Element>
inline constexpr std::size_t tile_elements = sizeof(Element) * kernels::largest_tile <= 16384  ? kernels::largest_tile
                                             : sizeof(Element) * ordered_tree::lanes >= 16384 ? ordered_tree::lanes
                                                                                              : 16384 / sizeof(Element);

/// The tile for a reducer: its own wish where the elements are read in place, else the common size.
template <class R, class View>
constexpr std::size_t tile_size() {
  if constexpr (requires { R::wanted_tile_bytes; } && std::is_same_v<typename View::scratch, no_scratch>) {
    constexpr std::size_t wanted = R::wanted_tile_bytes / sizeof(typename View::element);
    return wanted != 0 ? wanted : 1;
  } else {
    return tile_elements<typename View::element>;
  }
}

/// What a view hands out.
template <class View>
using tile_of = decltype(std::declval<const View&>().read(0, 0, std::declval<typename View::scratch&>()));

/// How much shorter the first of several tiles of a caller's array is, so that the others begin at a cache line: vectors as wide as a line
/// lie in one then (Zen 5, AVX-512, from memory: 1.4 times as fast).
template <class R, class View>
std::size_t shortened_by(const View& view, std::size_t begin) {
  constexpr std::size_t line = 64;
  constexpr bool are_long = tile_size<R, View>() * sizeof(typename View::element) > line;
  if constexpr (are_long && takes_any_tiles<R>() && requires { view.data; } && std::is_same_v<typename View::scratch, no_scratch>) {
    return reinterpret_cast<std::uintptr_t>(view.data + begin) % line / sizeof(*view.data);
  } else {
    return 0;
  }
}

/// Folds elements [begin, end) in tiles and leaves the partial result in `out`. Stops early once `stop` is set or the reducer's
/// result cannot change any more.
template <class R, class View>
void fold_range(const R& r, const View& view, std::size_t begin, std::size_t end, typename R::state& out, std::atomic<bool>& stop) {
  constexpr std::size_t step = tile_size<R, View>();
  typename View::scratch scratch;
  auto accumulator = r.start();
  std::size_t wanted = end - begin > step ? step - shortened_by<R>(view, begin) : step;
  for (std::size_t i = begin; i < end; i += std::exchange(wanted, step)) {
    const std::size_t count = wanted < end - i ? wanted : end - i;
    if constexpr (requires { requires folds_narrow<R, decltype(view.read_narrow(i, count, scratch))>; }) {
      if (r.fold_narrow(accumulator, view.read_narrow(i, count, scratch))) continue;
    }
    const auto t = view.read(i, count, scratch);
    if (!r.fold(accumulator, t)) r.refold(accumulator, out, t);
    if constexpr (requires { r.saturated(accumulator); }) {
      if (r.saturated(accumulator)) stop.store(true, std::memory_order_relaxed);
      if (stop.load(std::memory_order_relaxed)) break;
    }
  }
  r.drain(accumulator, out);
}

/// Joins chunks [begin, end) of the ordered tree into one node. The range is not empty; if it is not the whole, `end - begin` is
/// a power of two that divides `begin`, or `end` is the last chunk's end.
template <class R, class View>
typename R::state fold_chunks(const R& r, const View& view, std::size_t begin, std::size_t end) {
  typename View::scratch scratch;
  tree_joiner<typename R::state> joiner;
  const auto merge = [&](auto& a, const auto& b) { r.merge(a, b); };
  for (std::size_t c = begin; c < end; ++c) {
    const std::size_t first = c * ordered_tree::chunk;
    const std::size_t left = view.size() - first;
    joiner.push(chunk_state(r, view.read(first, left < ordered_tree::chunk ? left : ordered_tree::chunk, scratch)), merge);
  }
  return joiner.root(merge);
}

/// The state of a whole view, on the calling thread and in its floating environment.
template <class R, class View>
typename R::state fold_view(const R& r, const View& view) {
  const std::size_t n = view.size();
  if constexpr (is_order_free<R>()) {
    auto state = r.empty();
    if constexpr (adds_up_short_tiles<R, tile_of<View>>) {
      if (n != 0 && n <= tile_size<R, View>()) {
        typename View::scratch scratch;
        const auto t = view.read(0, n, scratch);
        kernels::short_total total;
        if (!r.add_up_short(total, t)) return tile_state(r, t);
        total.with_parts([&](const auto& parts) {
          for (const scaled_integer& p : parts) state.sink().deposit(p.significand, p.exponent);
        });
        return state;
      }
    }
    std::atomic<bool> stop{false};
    fold_range(r, view, 0, n, state, stop);
    return state;
  } else {
    return n != 0 ? fold_chunks(r, view, 0, ordered_tree::chunks(n)) : r.empty();
  }
}

/// The same in the default environment.
template <class R, class View>
typename R::state state_on_this_thread(const R& r, const View& view) {
  const fp_environment environment;
  return fold_view(r, view);
}

/// Whether a single tile can be finished without a state: by R's own function, not by that of a class that R changes.
template <class R, class Tile>
concept finishes_tiles = std::is_same_v<typename R::self, R> && requires(const R& r, const Tile& t) { r.finish_tile(t); };

/// The result of a state. Out of line, as what follows: a state's kilobytes are no part of what short views wait for.
template <class R, class State>
[[gnu::noinline]] result_of<R> finish_state(const R& r, const State& state) {
  return r.finish(state());
}
/// The result of a single tile.
template <class R, class Tile>
[[gnu::noinline]] result_of<R> finish_by_tile_state(const R& r, const Tile& t) {
  return r.finish(tile_state(r, t));
}

/// Whether a bound may decide the result of a single tile that is long enough.
template <class R, class Tile>
concept certifies_tiles = finishes_tiles<R, Tile> && requires(const R& r, const Tile& t) { r.certify_tile(t); };

/// The result of such a tile. Out of line too.
template <class R, class View>
[[gnu::noinline]] result_of<R> finish_certified_tile(const R& r, const View& view) {
  if (view.size() == 0) __builtin_unreachable();  // or compilers warn of a scratch that nothing was written to
  typename View::scratch scratch;
  const auto t = view.read(0, view.size(), scratch);
  if (const auto result = r.certify_tile(t)) return *result;
  if (const auto result = r.finish_tile(t)) return *result;
  return finish_by_tile_state(r, t);
}

/// The finished result, in the caller's floating environment; that of a single tile may need no state. `state()` gives the state of a
/// longer view.
template <class R, class View, class State>
result_of<R> finish_view(const R& r, const View& view, const State& state) {
  if constexpr (finishes_tiles<R, tile_of<View>>) {
    if (const std::size_t n = view.size(); n != 0 && n <= tile_size<R, View>()) {
      if constexpr (certifies_tiles<R, tile_of<View>>) {
        if (n >= kernels::least_certified_tile) return finish_certified_tile(r, view);
      }
      typename View::scratch scratch;
      const auto t = view.read(0, n, scratch);
      if (const auto result = r.finish_tile(t)) return *result;
      return finish_by_tile_state(r, t);
    }
  }
  return finish_state(r, state);
}

/// The same in the default environment.
template <class R, class View, class State>
result_of<R> finish_on_host(const R& r, const View& view, const State& state) {
  const fp_environment environment;
  return finish_view(r, view, state);
}

/// The state of a view over the ordered tree: threads take aligned runs of chunks, whose nodes the caller's thread joins.
template <class R, class View>
typename R::state fold_tree(const R& reducer, const View& view, const host_team& team) {
  constexpr std::size_t most_nodes = 1024;
  const fp_environment environment;
  const std::size_t chunks = ordered_tree::chunks(view.size());
  std::size_t run = 1;
  while (chunks / run > most_nodes) run *= 2;
  const std::size_t node_count = chunks / run + (chunks % run != 0 ? 1 : 0);
  const std::unique_ptr<typename R::state[]> nodes(new typename R::state[node_count]);
  auto member = [&](int rank, int size) {
    const fp_environment member_environment;
    const share s = staircase_share(node_count, rank, size, 0);
    for (std::size_t k = s.begin; k < s.end; ++k) {
      nodes[k] = fold_chunks(reducer, view, k * run, k + 1 == node_count ? chunks : (k + 1) * run);
    }
  };
  team.run(member);
  tree_joiner<typename R::state> joiner;
  const auto merge = [&](auto& a, const auto& b) { reducer.merge(a, b); };
  for (std::size_t k = 0; k < node_count; ++k) joiner.push(std::move(nodes[k]), merge);
  return joiner.empty() ? reducer.empty() : joiner.root(merge);
}

}  // namespace accrue::detail
