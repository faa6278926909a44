// SPDX-License-Identifier: BSD-3-Clause
// The ordered tree (ordered_tree.hpp) over the elements of all ranks, one rank's behind the other's. A chunk belongs to the rank of its
// first element, which the others send theirs of it; each rank joins neighbouring chunks as far as the tree does, and all join what is
// left.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/backends/mpi/own_chunks.hpp"
#include "accrue/detail/fp_environment.hpp"

namespace accrue::ranks {

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

/// What this rank has failed with, if it has, until all ranks know.
class own_failure {
 public:
  /// Calls f, and keeps what it throws.
  template <class F>
  void of(const F& f) {
    try {
      f();
    } catch (const error& e) {
      code_ = e.code();
      what_ = e.what();
    } catch (const std::bad_alloc&) {
      code_ = errc::out_of_memory;
      what_ = "accrue::mpi: no memory";
    } catch (const std::exception& e) {
      code_ = errc::internal;
      what_ = e.what();
    } catch (...) {
      code_ = errc::internal;
      what_ = "an exception of a caller's function";
    }
  }
  /// Collective. Throws on all ranks what one has failed with.
  void agree(const communicator& c) const { ranks::agree(c, code_, what_); }

 private:
  errc code_ = errc::success;
  std::string what_;
};

/// The state of all ranks' elements, over the tree. Collective; throws what a rank fails with.
template <class Space, class R, class View>
typename R::state ordered_state(const communicator& c, const Space& space, const R& r, const View& view, std::uint64_t kind) {
  using state = typename R::state;
  using node = tree_node<state>;
  static_assert(std::is_trivially_copyable_v<state> && std::is_trivially_copyable_v<typename View::element>,
                "accrue::mpi: states and elements that travel are trivially copyable");
  constexpr std::uint64_t chunk = ordered_tree::chunk;
  exchange first(c, joined_kinds(kind, kind_of_arrays<View>), 1);
  first.start({});
  (void)first.wait();
  const std::vector<std::uint64_t> offset = offsets_of_ranks(c, view.size());
  const auto me = static_cast<std::size_t>(c.rank);
  const std::uint64_t begin = offset[me];
  const std::uint64_t end = offset[me + 1];
  const std::uint64_t all = offset.back();
  const detail::fp_environment environment;
  std::vector<node> nodes;
  own_failure failure;

  // The elements before the first chunk of this rank's go to that chunk's owner; those of its last chunk come from the ranks behind.
  const std::uint64_t own = std::min((begin + chunk - 1) / chunk * chunk, end);
  const std::uint64_t last = own < end ? (end - 1) / chunk * chunk : end;  // the last own chunk begins here
  const std::uint64_t last_end = own < end ? std::min(last + chunk, all) : end;
  const bool shares_last = last_end != end;
  std::optional<shared_chunk<Space, View>> leading;
  std::optional<shared_chunk<Space, View>> trailing;
  {
    neighbour_messages messages(c);
    failure.of([&] {
      if (own != begin) leading.emplace(space, view).take(0, static_cast<std::size_t>(own - begin), 0);
      if (shares_last) trailing.emplace(space, view).take(static_cast<std::size_t>(last - begin), static_cast<std::size_t>(end - last), 0);
    });
    failure.agree(c);
    if (own != begin) {
      const std::uint64_t of_chunk = begin / chunk * chunk;
      const auto owner = std::upper_bound(offset.begin(), offset.end(), of_chunk) - offset.begin() - 1;
      leading->for_each_array([&](std::byte* p, std::size_t bytes) {
        messages.send(p, static_cast<std::size_t>(own - begin) * bytes, static_cast<int>(owner));
      });
    }
    for (std::size_t k = me + 1; k + 1 < offset.size() && shares_last && offset[k] < last_end; ++k) {
      const std::uint64_t until = std::min(offset[k + 1], last_end);
      if (until == offset[k]) continue;
      trailing->for_each_array([&](std::byte* p, std::size_t bytes) {
        messages.receive(p + (offset[k] - last) * bytes, static_cast<std::size_t>(until - offset[k]) * bytes, static_cast<int>(k));
      });
    }
    messages.wait();
  }

  failure.of([&] {
    push_chunks(space, r, view, static_cast<std::size_t>(own - begin), static_cast<std::size_t>((shares_last ? last : end) - begin),
                own / chunk, nodes);
    if (!shares_last) return;
    push(r, nodes, node{last / chunk, 1, trailing->state(r, static_cast<std::size_t>(last_end - last), static_cast<std::size_t>(last))});
  });
  failure.agree(c);
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
