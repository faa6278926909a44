// SPDX-License-Identifier: BSD-3-Clause
#include "accrue/backends/mpi/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

namespace accrue::ranks {

namespace {

/// What the operation of a message needs to know, which it finds at the message's datatype.
struct context {
  joining how;
  std::size_t bytes;    ///< of a piece
  bool failed = false;  ///< whether a join threw, which must not pass through MPI
};

int context_key() {
  static const int key = [] {
    int k = MPI_KEYVAL_INVALID;
    check(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &k, nullptr), "MPI_Type_create_keyval");
    return k;
  }();
  return key;
}
context& context_of(MPI_Datatype type) {
  void* found = nullptr;
  int known = 0;
  MPI_Type_get_attr(type, context_key(), &found, &known);
  return *static_cast<context*>(found);
}

/// A piece of so many bytes as a datatype that has its context.
class piece_type {
 public:
  explicit piece_type(std::size_t bytes) : context_{{}, bytes, false} {
    check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    check(MPI_Type_set_attr(type_, context_key(), &context_), "MPI_Type_set_attr");
  }
  piece_type(const piece_type&) = delete;
  piece_type& operator=(const piece_type&) = delete;
  ~piece_type() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] std::size_t bytes() const { return context_.bytes; }
  void set(const joining& how) { context_.how = how; }
  [[nodiscard]] bool failed() const { return context_.failed; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  context context_;
};

void fail(first_message& m, errc code, int rank, std::string_view what) {
  m.code = static_cast<std::int32_t>(code);
  m.rank = rank;
  m.length = static_cast<std::uint32_t>(std::min(what.size(), m.payload.size()));
  std::memcpy(m.payload.data(), what.data(), m.length);
}

void join_first(const joining& payloads, first_message& left, const first_message& right) {
  if (left.code == 0 && right.code == 0 && left.kind != right.kind) {
    fail(left, errc::size_mismatch, -1, "different reductions on different ranks");
  } else if (left.code == 0 && right.code == 0 && left.results != right.results) {
    fail(left, errc::size_mismatch, -1,
         std::to_string(left.results) + " results on a rank, " + std::to_string(right.results) + " on another");
  }
  if (left.code != 0) return;
  if (right.code != 0) {
    left = right;
    return;
  }
  left.incomplete |= right.incomplete;
  if (payloads.join != nullptr && (left.incomplete == 0 || payloads.of_incomplete)) {
    payloads.join(payloads.what, reinterpret_cast<std::byte*>(&left), reinterpret_cast<const std::byte*>(&right));
  }
  left.elements += right.elements;
}

/// Memory of a first message, aligned as its numbers are.
using message_memory = std::array<std::uint64_t, most_first_bytes / sizeof(std::uint64_t)>;
first_message& message_in(std::uint64_t* memory) { return *reinterpret_cast<first_message*>(memory); }

/// in holds the lower ranks' pieces.
void join_firsts(void* in, void* inout, int* count, MPI_Datatype* type) {
  const context& c = context_of(*type);
  for (int k = 0; k < *count; ++k) {
    const std::size_t at = static_cast<std::size_t>(k) * c.bytes;
    message_memory left;
    message_memory right;
    std::memcpy(left.data(), static_cast<std::byte*>(in) + at, c.bytes);
    std::memcpy(right.data(), static_cast<std::byte*>(inout) + at, c.bytes);
    try {
      join_first(c.how, message_in(left.data()), message_in(right.data()));
    } catch (...) {
      fail(message_in(left.data()), errc::internal, -1, "a reducer's merge threw");
    }
    std::memcpy(static_cast<std::byte*>(inout) + at, left.data(), c.bytes);
  }
}
void join_pieces(void* in, void* inout, int* count, MPI_Datatype* type) {
  context& c = context_of(*type);
  try {
    std::vector<std::byte> left(c.bytes);
    for (std::size_t k = 0; k < static_cast<std::size_t>(*count); ++k) {
      std::byte* const right = static_cast<std::byte*>(inout) + k * c.bytes;
      std::memcpy(left.data(), static_cast<std::byte*>(in) + k * c.bytes, c.bytes);
      c.how.join(c.how.what, left.data(), right);
      std::memcpy(right, left.data(), c.bytes);
    }
  } catch (...) {
    c.failed = true;
  }
}

/// In the order of the ranks: positions of a rank's elements stand behind those of the lower ranks.
MPI_Op in_order(MPI_User_function* f) {
  MPI_Op op = MPI_OP_NULL;
  check(MPI_Op_create(f, 0, &op), "MPI_Op_create");
  return op;
}
MPI_Op first_operation() {
  static const MPI_Op op = in_order(join_firsts);
  return op;
}
MPI_Op piece_operation() {
  static const MPI_Op op = in_order(join_pieces);
  return op;
}

}  // namespace

struct exchange::pending {
  explicit pending(std::size_t bytes) : type(bytes) {}

  const communicator* of = nullptr;
  bool at_once = true;
  std::size_t wished_before = first_bytes;
  piece_type type;
  message_memory mine;
  message_memory all;
  MPI_Request request = MPI_REQUEST_NULL;
  bool started = false;
};

namespace {

/// Messages that are over, for those to come: a datatype takes its time to make.
template <class Pending>
class spare_messages {
 public:
  std::unique_ptr<Pending> take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(spare_.rbegin(), spare_.rend(), [&](const auto& p) { return p->type.bytes() == bytes; });
    if (found == spare_.rend()) return std::make_unique<Pending>(bytes);
    auto p = std::move(*found);
    spare_.erase(std::next(found).base());
    return p;
  }
  void give_back(std::unique_ptr<Pending> p) {
    const std::lock_guard lock(mutex_);
    if (spare_.size() == 16) spare_.erase(spare_.begin());  // the one that has not been asked for longest
    spare_.push_back(std::move(p));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    spare_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pending>> spare_;
};
template <class Pending>
spare_messages<Pending>& spare() {
  static auto* all = [] {
    auto* made = new spare_messages<Pending>;  // MPI may be finished before static objects are destroyed: it clears them as it ends
    int key = MPI_KEYVAL_INVALID;
    const auto clear = [](MPI_Comm, int, void* messages, void*) {
      static_cast<spare_messages<Pending>*>(messages)->clear();
      return static_cast<int>(MPI_SUCCESS);
    };
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clear, &key, nullptr), "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, made), "MPI_Comm_set_attr");
    return made;
  }();
  return *all;
}

}  // namespace

exchange::exchange(const communicator& c, std::uint64_t kind, std::uint64_t results, bool at_once)
    : pending_(spare<pending>().take(at_once ? c.seen->message_bytes : first_bytes)) {
  pending_->of = &c;
  pending_->at_once = at_once;
  std::memset(pending_->mine.data(), 0, pending_->type.bytes());
  message().kind = kind;
  message().results = results;
  pending_->started = false;
}
exchange::exchange(exchange&&) noexcept = default;
exchange::~exchange() {
  if (pending_ == nullptr) return;
  if (pending_->started) (void)MPI_Wait(&pending_->request, MPI_STATUS_IGNORE);  // the others need this rank's part
  spare<pending>().give_back(std::move(pending_));
}

first_message& exchange::message() { return message_in(pending_->mine.data()); }
std::span<std::byte> exchange::payload() {
  return std::as_writable_bytes(std::span(pending_->mine)).first(pending_->type.bytes()).subspan(head_bytes);
}
std::span<const std::byte> exchange::payload_of_all() const {
  return std::as_bytes(std::span(pending_->all)).first(pending_->type.bytes()).subspan(head_bytes);
}

void exchange::fail(errc code, const std::string& what) {
  ranks::fail(message(), code, pending_->of->rank, what);
}

void exchange::wish(std::size_t bytes) {
  if (!pending_->at_once) return;  // calls under way may end in another order on other ranks
  seen_before& seen = *pending_->of->seen;
  seen.wished_bytes = std::max(bytes, first_bytes);
  seen.message_bytes = std::max(seen.wished_bytes, pending_->wished_before);
}

void exchange::start(const joining& payloads) {
  pending_->type.set(payloads);
  const communicator& c = *pending_->of;
  const auto* const from = pending_->mine.data();
  auto* const to = pending_->all.data();
  if (pending_->at_once) {
    check(MPI_Allreduce(from, to, 1, pending_->type.type(), first_operation(), c.own), "MPI_Allreduce");
    return;
  }
  check(MPI_Iallreduce(from, to, 1, pending_->type.type(), first_operation(), c.own, &pending_->request), "MPI_Iallreduce");
  pending_->started = true;
}
bool exchange::done() {
  int flag = 0;
  check(MPI_Test(&pending_->request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
  return flag != 0;
}
const first_message& exchange::wait() {
  if (pending_->started) check(MPI_Wait(&pending_->request, MPI_STATUS_IGNORE), "MPI_Wait");
  pending_->started = false;
  const first_message& all = message_in(pending_->all.data());
  if (all.code == 0) {
    pending_->wished_before = pending_->of->seen->wished_bytes;
    wish(first_bytes);
    return all;
  }
  std::string text(reinterpret_cast<const char*>(all.payload.data()), all.length);
  if (all.rank >= 0) text += " (on rank " + std::to_string(all.rank) + ")";
  if (all.rank < 0) text = "accrue::mpi: " + text;
  if (all.code == static_cast<std::int32_t>(errc::integer_overflow)) throw overflow_error(text);
  throw error(static_cast<errc>(all.code), text);
}

detail::share delivery::here(MPI_Comm comm, std::size_t count) const {
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  if (where == to::one && (root < 0 || root >= size)) {
    throw error(errc::invalid_argument, "accrue::to_root: rank " + std::to_string(root) + " of " + std::to_string(size));
  }
  return on(rank, size, count);
}

namespace {

/// `count` results of `each` elements of a type of `bytes` each.
void deliver(const communicator& c, std::byte* data, std::size_t count, int each, std::size_t bytes, MPI_Datatype type, MPI_Op op,
             const delivery& results) {
  const std::size_t result_bytes = static_cast<std::size_t>(each) * bytes;
  const std::size_t most_results = std::max<std::size_t>(most_message_bytes / result_bytes, 1);
  const auto onto = [&](detail::share part, int root) {
    for (std::size_t first = part.begin; first < part.end; first += most_results) {
      const std::size_t n = std::min(most_results, part.end - first);
      std::byte* const from = data + first * result_bytes;
      // Not in place, and with memory on all ranks: MPICH 4.0 needs it where an operation does not commute and the root is not rank 0.
      std::vector<std::byte> joined(n * result_bytes);
      check(MPI_Reduce(from, joined.data(), static_cast<int>(n) * each, type, op, root, c.own), "MPI_Reduce");
      if (c.rank == root) std::memcpy(from, joined.data(), joined.size());
    }
  };
  if (results.where == delivery::to::all) {
    for (std::size_t first = 0; first < count; first += most_results) {
      const auto n = static_cast<int>(std::min(most_results, count - first)) * each;
      check(MPI_Allreduce(MPI_IN_PLACE, data + first * result_bytes, n, type, op, c.own), "MPI_Allreduce");
    }
  } else if (results.where == delivery::to::one) {
    onto({0, count}, results.root);
  } else if (count <= most_results) {
    std::vector<int> shares(static_cast<std::size_t>(c.size));
    for (int r = 0; r < c.size; ++r) {
      const detail::share s = results.on(r, c.size, count);
      shares[static_cast<std::size_t>(r)] = static_cast<int>(s.end - s.begin) * each;
    }
    check(MPI_Reduce_scatter(MPI_IN_PLACE, data, shares.data(), type, op, c.own), "MPI_Reduce_scatter");
    const detail::share own = results.on(c.rank, c.size, count);  // it lies at the beginning
    if (own.begin != own.end) std::memmove(data + own.begin * result_bytes, data, (own.end - own.begin) * result_bytes);
  } else {
    for (int r = 0; r < c.size; ++r) onto(results.on(r, c.size, count), r);
  }
}

}  // namespace

void join_over_ranks(const communicator& c, std::byte* pieces, std::size_t count, std::size_t bytes, const joining& each,
                     const delivery& results) {
  piece_type type(bytes);
  type.set(each);
  deliver(c, pieces, count, 1, bytes, type.type(), piece_operation(), results);
  agree(c, type.failed() ? errc::internal : errc::success, "a reducer's merge threw");
}
void add_over_ranks(const communicator& c, std::span<std::int64_t> words, std::size_t words_each, const delivery& results) {
  if (words.empty()) return;
  deliver(c, reinterpret_cast<std::byte*>(words.data()), words.size() / words_each, static_cast<int>(words_each), sizeof(std::int64_t),
          MPI_INT64_T, MPI_SUM, results);
}

void agree(const communicator& c, errc code, const std::string& what) {
  exchange e(c, 0, 0);
  if (code != errc::success) e.fail(code, what);
  e.start({});
  (void)e.wait();
}

void fail_together(const communicator& c, errc code, const std::string& what, bool at_once) {
  exchange e(c, 0, 0, at_once);
  e.fail(code, what);
  e.start({});
  (void)e.wait();
  throw error(errc::internal, "accrue::mpi: an error that no rank knows of");
}

}  // namespace accrue::ranks
