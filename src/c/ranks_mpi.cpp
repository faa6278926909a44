// SPDX-License-Identifier: BSD-3-Clause
// Ranks over MPI: one message for one result, two for several.
#include <algorithm>
#include <cstring>
#include <new>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/detail/compact_words.hpp"
#include "accrue/mpi.h"
#include "ranks.hpp"

namespace accrue::c {
namespace {

using ranks::first_message;

/// How the messages of one call join: by a partial result of this rank's, which knows how.
struct joined_states {
  const any_partial* how = nullptr;  ///< null where this rank has failed before it had one
  std::size_t bytes = 0;

  static const joined_states& of(const void* what) {
    const auto& all = *static_cast<const joined_states*>(what);
    if (all.how == nullptr) throw error(errc::internal, "accrue: states to join on a rank that has failed");
    return all;
  }
  static void join_messages(const void* what, std::byte* a, const std::byte* b) {
    const joined_states& all = of(what);
    auto& left = *reinterpret_cast<first_message*>(a);
    const auto& right = *reinterpret_cast<const first_message*>(b);
    std::vector<std::byte> states(2 * all.bytes);
    std::byte* const second = states.data() + all.bytes;
    (void)detail::expand(std::span(left.payload).first(left.length), states.data(), all.bytes);
    (void)detail::expand(std::span(right.payload).first(right.length), second, all.bytes);
    all.how->join(states.data(), second, static_cast<std::size_t>(left.elements));
    write(states.data(), all.bytes, left);
  }
  static void write(const std::byte* state, std::size_t bytes, first_message& m) {
    const std::size_t length = detail::compact(state, bytes, m.payload);
    m.incomplete = length == 0 ? 1 : 0;
    m.length = static_cast<std::uint32_t>(length);
  }
  /// Pieces: a state in full, and the number of its elements.
  static void join_pieces(const void* what, std::byte* a, const std::byte* b) {
    const joined_states& all = of(what);
    const std::uint64_t first = detail::load_word(a + all.bytes, 8);
    all.how->join(a, b, static_cast<std::size_t>(first));
    detail::store_word(a + all.bytes, first + detail::load_word(b + all.bytes, 8), 8);
  }
};

class mpi_ranks : public rank_group {
 public:
  explicit mpi_ranks(MPI_Comm comm) : comm_(comm), size_(ranks::communicator_of(comm).size) {}
  [[nodiscard]] int size() const override { return size_; }

  void run(const std::function<void()>& f) const override {
    ranks::exchange e(ranks::communicator_of(comm_), 0, 0);
    e.prepare([&](first_message&) { f(); });
    e.start({});
    (void)e.wait();
  }

  [[nodiscard]] rank_partials join(const std::function<rank_partials()>& local) const override {
    const auto& c = ranks::communicator_of(comm_);
    ranks::exchange first(c, 0, 0);
    rank_partials mine;
    joined_states how;
    const auto state = [&](std::size_t k) { return mine.of_groups[k]->state().data(); };
    const auto one = [&] { return mine.of_groups.size() == 1; };
    first.prepare([&](first_message& m) {
      mine = local();
      m.kind = mine.kind;
      m.results = mine.of_groups.size();
      if (mine.of_groups.empty()) return;
      how = {mine.of_groups[0].get(), mine.of_groups[0]->state().size()};
      if (one()) {
        m.elements = mine.elements[0];
        joined_states::write(state(0), how.bytes, m);
      } else if (how.how->adds()) {
        mark_words(mine, how.bytes, m);
      }
    });
    // Ranks that differ in the number of results do not get to join their payloads.
    first.start({&how, one() ? joined_states::join_messages : adds(how) ? ranks::join_words_in_use : nullptr});
    const first_message& all = first.wait();
    if (mine.of_groups.empty()) return mine;
    if (one() && all.incomplete == 0) {
      (void)detail::expand(std::span(all.payload).first(all.length), state(0), how.bytes);
    } else if (!one() && adds(how)) {
      add_words(c, mine, how.bytes, all);
    } else {
      join_in_full(c, mine, how);
    }
    return mine;
  }

 private:
  static bool adds(const joined_states& how) { return how.how != nullptr && how.how->adds() && how.bytes / 8 <= 8 * first_message::room; }
  static void mark_words(const rank_partials& mine, std::size_t bytes, first_message& m) {
    if (bytes / 8 > 8 * first_message::room) return;
    for (const auto& p : mine.of_groups) {
      const std::byte* const s = p->state(true).data();
      for (std::size_t w = 0; w < bytes / 8; ++w) {
        std::uint64_t word = 0;
        std::memcpy(&word, s + 8 * w, 8);
        if (word != 0) m.payload[w / 8] |= static_cast<std::byte>(1u << w % 8);
      }
    }
  }
  static void add_words(const ranks::communicator& c, rank_partials& mine, std::size_t bytes, const first_message& all) {
    std::vector<std::size_t> used;
    for (std::size_t w = 0; w < bytes / 8; ++w) {
      if ((std::to_integer<unsigned>(all.payload[w / 8]) >> w % 8 & 1) != 0) used.push_back(w);
    }
    auto words = ranks::memory_for_states<std::int64_t>(c, mine.of_groups.size() * used.size());
    const auto for_each_word = [&](const auto& visit) {
      std::int64_t* at = words.data();
      for (const auto& p : mine.of_groups) {
        std::byte* const s = p->state(true).data();
        for (const std::size_t w : used) visit(at++, s + 8 * w);
      }
    };
    for_each_word([](std::int64_t* word, const std::byte* from) { std::memcpy(word, from, 8); });
    ranks::add_over_ranks(c, words);
    for_each_word([](const std::int64_t* word, std::byte* to) { std::memcpy(to, word, 8); });
  }
  static void join_in_full(const ranks::communicator& c, rank_partials& mine, const joined_states& how) {
    const std::size_t piece = how.bytes + 8;
    auto pieces = ranks::memory_for_states<std::byte>(c, mine.of_groups.size() * piece);
    for (std::size_t k = 0; k < mine.of_groups.size(); ++k) {
      std::memcpy(pieces.data() + k * piece, mine.of_groups[k]->state().data(), how.bytes);
      detail::store_word(pieces.data() + k * piece + how.bytes, mine.elements[k], 8);
    }
    ranks::join_over_ranks(c, pieces.data(), mine.of_groups.size(), piece, {&how, joined_states::join_pieces});
    for (std::size_t k = 0; k < mine.of_groups.size(); ++k) {
      std::memcpy(mine.of_groups[k]->state().data(), pieces.data() + k * piece, how.bytes);
    }
  }

  MPI_Comm comm_;
  int size_;
};

}  // namespace

std::shared_ptr<const rank_group> ranks_of_fortran(int comm) { return std::make_shared<mpi_ranks>(MPI_Comm_f2c(comm)); }

}  // namespace accrue::c

using namespace accrue::c;

accrue_status (accrue_space_create_over_ranks)(MPI_Comm comm, const char* name, int threads, accrue_space** space) {
  return create_space(name, threads, space, [&] { return std::make_shared<mpi_ranks>(comm); });
}
