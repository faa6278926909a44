// SPDX-License-Identifier: BSD-3-Clause
// One exchange of all ranks: what each knows is joined in the order of the ranks, and all have the whole. A first message, of a size that
// does not depend on the call, carries what the ranks must agree on, states where there is room, and the error of a rank that has one,
// which all then throw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "accrue/backends/mpi/communicator.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/error.hpp"

namespace accrue::ranks {

/// Joins bytes of neighbours: `left` becomes both, `right` stands behind it. Of first messages only where the ranks agree, and where none
/// is incomplete, unless it is `of_incomplete` ones too.
struct joining {
  const void* what = nullptr;
  void (*join)(const void* what, std::byte* left, const std::byte* right) = nullptr;
  bool of_incomplete = false;
};

inline constexpr std::size_t head_bytes = 40;
inline constexpr std::size_t most_first_bytes = 8192;
/// How a first message begins; the payload may be longer.
struct first_message {
  std::int32_t code = 0;  ///< an error's
  std::int32_t rank = 0;  ///< whose
  std::uint64_t kind = 0;      ///< of the call; others are an error
  std::uint64_t results = 0;   ///< their number
  std::uint64_t elements = 0;  ///< of all ranks so far
  std::uint32_t incomplete = 0;  ///< whether the payload had no room for some state
  std::uint32_t length = 0;      ///< of the payload
  static constexpr std::size_t room = first_bytes - head_bytes;
  std::array<std::byte, room> payload{};
};
static_assert(sizeof(first_message) == first_bytes);

/// Which words of the states are not zero anywhere, a bit for each in the first message.
inline void join_words_in_use(const void*, std::byte* a, const std::byte* b) {
  auto& left = *reinterpret_cast<first_message*>(a);
  const auto& right = *reinterpret_cast<const first_message*>(b);
  for (std::size_t k = 0; k < left.payload.size(); ++k) left.payload[k] |= right.payload[k];
}

/// The first message of a call, blocking or not.
class exchange {
 public:
  /// `at_once`: `wait` will follow at once, and no other exchange is under way.
  exchange(const communicator& c, std::uint64_t kind, std::uint64_t results, bool at_once = true);
  exchange(exchange&&) noexcept;
  exchange& operator=(exchange&&) = delete;
  ~exchange();

  /// Calls `fill(message)`; what it throws is what all ranks will throw.
  template <class Fill>
  void prepare(const Fill& fill) {
    try {
      fill(message());
    } catch (const error& e) {
      fail(e.code(), e.what());
    } catch (const std::bad_alloc&) {
      fail(errc::out_of_memory, "accrue::mpi: no memory");
    } catch (const std::exception& e) {
      fail(errc::internal, e.what());
    } catch (...) {
      fail(errc::internal, "an exception of a caller's function");
    }
  }
  void fail(errc code, const std::string& what);

  /// The bytes of the message behind its head, more than `first_message` has where calls before have had several results.
  [[nodiscard]] std::span<std::byte> payload();
  /// Sends; `payloads` joins those of two ranks, `first_message`s, and outlives the exchange.
  void start(const joining& payloads);
  [[nodiscard]] bool done();
  /// Waits, and answers what all know. Throws what a rank has failed with, on all ranks the same.
  const first_message& wait();
  /// After that: what the next calls' first messages should have room for, if they are like this one.
  void wish(std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> payload_of_all() const;

 private:
  struct pending;
  [[nodiscard]] first_message& message();
  std::unique_ptr<pending> pending_;
};

/// Which ranks get the results of a call: all of them on each, or on one, or each rank its share.
struct delivery {
  enum class to : std::uint8_t { all, one, shares };
  to where = to::all;
  int root = 0;  ///< the one

  /// The results of a rank, of `count`: those from `begin` to `end` for ranks in order, as many on each, or one less.
  [[nodiscard]] detail::share on(int rank, int ranks, std::size_t count) const {
    if (where == to::all || (where == to::one && rank == root)) return {0, count};
    if (where == to::one) return {0, 0};
    return detail::staircase_share(count, rank, ranks, 0);
  }
  /// Of the calling rank. Throws `invalid_argument` where the communicator has no such root.
  [[nodiscard]] detail::share here(MPI_Comm comm, std::size_t count) const;
  /// Added to a call's kind, so that ranks that differ are told.
  [[nodiscard]] std::uint64_t kind() const { return static_cast<std::uint64_t>(where) << 60 | static_cast<std::uint64_t>(root) << 32; }
};

/// Of a message of results; longer ones go in parts. A test may set it.
inline std::size_t most_message_bytes = std::size_t{1} << 30;

/// A second message: `count` pieces of `bytes` each, joined one by one. Each rank has those that it gets in their place, and anything in
/// the place of the others.
void join_over_ranks(const communicator& c, std::byte* pieces, std::size_t count, std::size_t bytes, const joining& each,
                     const delivery& results = {});
/// Results of so many words that add.
void add_over_ranks(const communicator& c, std::span<std::int64_t> words, std::size_t words_each = 1, const delivery& results = {});

/// Whether all ranks are well. Throws the failure of the lowest that is not.
void agree(const communicator& c, errc code, const std::string& what);
/// So many states or words that will travel, as many on each rank. What one rank has no memory for all throw, where they are many: a
/// message more costs nothing beside them.
template <class T>
std::vector<T> memory_for_states(const communicator& c, std::size_t count) {
  constexpr std::size_t many = std::size_t{1} << 23;  // bytes
  std::vector<T> states;
  errc code = errc::success;
  try {
    states.resize(count);
  } catch (const std::bad_alloc&) {
    code = errc::out_of_memory;
  }
  if (count > many / sizeof(T)) agree(c, code, "accrue::mpi: no memory for the states of all groups");
  if (code != errc::success) throw error(code, "accrue::mpi: no memory for the states of all groups");
  return states;
}
/// Tells the other ranks, which are in a call of their own, blocking (`at_once`) or not, that this one has failed, and throws what all
/// throw.
[[noreturn]] void fail_together(const communicator& c, errc code, const std::string& what, bool at_once);

}  // namespace accrue::ranks
