// SPDX-License-Identifier: BSD-3-Clause
// The ordered tree (ordered_tree.hpp) over the elements of all ranks, one rank's behind the other's. A chunk belongs to the rank of its
// first element, which the others send theirs of it; each rank joins neighbouring chunks as far as the tree does, and all join what is
// left.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <vector>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/sort_by_key.hpp"
#include "accrue/ordered_tree.hpp"
#include "accrue/space.hpp"

namespace accrue::ranks {

/// Calls `visit(pointer, bytes of an element)` for each array of a contiguous view.
template <class T, class Visit>
void for_each_array(const detail::contiguous_view<T>& v, const Visit& visit) {
  visit(reinterpret_cast<std::byte*>(const_cast<T*>(v.data)), sizeof(T));
}
template <class View, class Visit>
void for_each_array(const detail::widened_view<View>& v, const Visit& visit) {
  for_each_array(v.view, visit);
}
template <class X, class Y, class Visit>
void for_each_array(const detail::zipped_view<X, Y>& v, const Visit& visit) {
  for_each_array(v.x, visit);
  for_each_array(v.y, visit);
}

/// Where each rank's elements begin among all; the number of all at the end.
std::vector<std::uint64_t> offsets_of_ranks(const communicator& c, std::uint64_t mine);
/// What all ranks have, in their order.
std::vector<std::byte> gathered(const communicator& c, std::span<const std::byte> mine);

/// Messages between two ranks, of one chunk's elements.
class neighbour_messages {
 public:
  explicit neighbour_messages(const communicator& c) : of_(c) {}
  ~neighbour_messages() { (void)MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }
  neighbour_messages(const neighbour_messages&) = delete;
  neighbour_messages& operator=(const neighbour_messages&) = delete;
  void send(const std::byte* data, std::size_t bytes, int to) {
    check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, 0, of_.own, &requests_.emplace_back()), "MPI_Isend");
  }
  void receive(std::byte* data, std::size_t bytes, int from) {
    check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, 0, of_.own, &requests_.emplace_back()), "MPI_Irecv");
  }
  void wait() {
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests_.clear();
  }

 private:
  const communicator& of_;
  std::vector<MPI_Request> requests_;
};

/// A node of the tree over chunks `first` up to `first + count`, a power of two that divides `first`, or the last chunks.
template <class State>
struct tree_node {
  std::uint64_t first;
  std::uint64_t count;
  State state;
};
/// Appends a node behind others, and joins what the tree joins.
template <class R>
void push(const R& r, std::vector<tree_node<typename R::state>>& nodes, const tree_node<typename R::state>& next) {
  nodes.push_back(next);
  while (nodes.size() >= 2) {
    auto& left = nodes[nodes.size() - 2];
    const auto& right = nodes.back();
    if (left.count != right.count || left.first % (2 * left.count) != 0) return;
    r.merge(left.state, right.state);
    left.count *= 2;
    nodes.pop_back();
  }
}

/// Elements [first, first + count) of a view, copied to `at` behind the start of a copy.
template <class View, class Copied>
void copy_elements(const View& view, std::size_t first, std::size_t count, const Copied& copy, std::size_t at) {
  typename View::scratch scratch;
  std::size_t places[ordered_tree::chunk];
  std::iota(places, places + count, at);
  copy.put(view, first, count, places, scratch);
}

/// The state of all ranks' elements, over the tree. Collective; throws what a rank fails with.
template <class Space, class R, class View>
typename R::state ordered_state(const communicator& c, const Space& space, const R& r, const View& view, std::uint64_t kind) {
  using state = typename R::state;
  using node = tree_node<state>;
  static_assert(host_space<Space>, "accrue::mpi: ordered reductions over ranks need a host space on each");
  static_assert(std::is_trivially_copyable_v<state> && std::is_trivially_copyable_v<typename View::element>,
                "accrue::mpi: states and elements that travel are trivially copyable");
  constexpr std::uint64_t chunk = ordered_tree::chunk;
  exchange first(c, kind, 1);
  first.start({});
  (void)first.wait();
  const std::vector<std::uint64_t> offset = offsets_of_ranks(c, view.size());
  const auto me = static_cast<std::size_t>(c.rank);
  const std::uint64_t begin = offset[me];
  const std::uint64_t end = offset[me + 1];
  const std::uint64_t all = offset.back();
  const detail::fp_environment environment;
  std::vector<node> nodes;
  errc code = errc::success;
  std::string what;
  const auto guarded = [&](const auto& f) {
    try {
      f();
    } catch (const error& e) {
      code = e.code();
      what = e.what();
    } catch (const std::bad_alloc&) {
      code = errc::out_of_memory;
      what = "accrue::mpi: no memory";
    } catch (const std::exception& e) {
      code = errc::internal;
      what = e.what();
    } catch (...) {
      code = errc::internal;
      what = "an exception of a caller's function";
    }
  };

  // The elements before the first chunk of this rank's go to that chunk's owner; those of its last chunk come from the ranks behind.
  const std::uint64_t own = std::min((begin + chunk - 1) / chunk * chunk, end);
  const std::uint64_t last = own < end ? (end - 1) / chunk * chunk : end;  // the last own chunk begins here
  const std::uint64_t last_end = own < end ? std::min(last + chunk, all) : end;
  using copy_type = detail::arranged_copy<View>;
  copy_type leading;
  copy_type trailing;
  {
    neighbour_messages messages(c);
    guarded([&] {
      leading = copy_type(chunk);
      trailing = copy_type(chunk);
      copy_elements(view, 0, static_cast<std::size_t>(own - begin), leading, 0);
      if (own < end) copy_elements(view, static_cast<std::size_t>(last - begin), static_cast<std::size_t>(end - last), trailing, 0);
    });
    agree(c, code, what);
    if (own != begin) {
      const std::uint64_t of_chunk = begin / chunk * chunk;
      const auto owner = std::upper_bound(offset.begin(), offset.end(), of_chunk) - offset.begin() - 1;
      for_each_array(leading.view(chunk), [&](std::byte* p, std::size_t bytes) {
        messages.send(p, static_cast<std::size_t>(own - begin) * bytes, static_cast<int>(owner));
      });
    }
    for (std::size_t k = me + 1; k + 1 < offset.size() && own < end && offset[k] < last_end; ++k) {
      const std::uint64_t until = std::min(offset[k + 1], last_end);
      if (until == offset[k]) continue;
      for_each_array(trailing.view(chunk), [&](std::byte* p, std::size_t bytes) {
        messages.receive(p + (offset[k] - last) * bytes, static_cast<std::size_t>(until - offset[k]) * bytes, static_cast<int>(k));
      });
    }
    messages.wait();
  }

  guarded([&] {
    const auto merge_later = static_cast<std::size_t>((last - own) / chunk);  // chunks that are this rank's alone
    const std::unique_ptr<state[]> states(new state[merge_later]);
    auto member = [&](int rank, int size) {
      const detail::fp_environment member_environment;
      typename View::scratch scratch;
      const detail::share s = detail::staircase_share(merge_later, rank, size, 0);
      for (std::size_t k = s.begin; k < s.end; ++k) {
        auto t = view.read(static_cast<std::size_t>(own - begin) + k * chunk, chunk, scratch);
        t.first = static_cast<std::size_t>(own) + k * chunk;
        states[k] = detail::chunk_state(r, t);
      }
    };
    team_of(space).run(member);
    for (std::size_t k = 0; k < merge_later; ++k) push(r, nodes, node{own / chunk + k, 1, states[k]});
    if (own < end) {
      const auto size = static_cast<std::size_t>(last_end - last);
      const auto whole = trailing.view(size);
      typename std::remove_const_t<decltype(whole)>::scratch scratch;
      auto t = whole.read(0, size, scratch);
      t.first = static_cast<std::size_t>(last);
      push(r, nodes, node{last / chunk, 1, detail::chunk_state(r, t)});
    }
  });
  agree(c, code, what);
  const auto bytes = gathered(c, std::as_bytes(std::span(nodes)));
  nodes.clear();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(node)) {
    node next{0, 0, r.empty()};
    std::memcpy(static_cast<void*>(&next), bytes.data() + at, sizeof(node));
    push(r, nodes, next);
  }
  if (nodes.empty()) return r.empty();
  while (nodes.size() > 1) {
    r.merge(nodes[nodes.size() - 2].state, nodes.back().state);
    nodes.pop_back();
  }
  return nodes.front().state;
}

}  // namespace accrue::ranks
