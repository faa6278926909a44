// SPDX-License-Identifier: BSD-3-Clause
// What teams of host threads ask of the system.
#include "accrue/detail/host_team.hpp"

#include <chrono>
#include <exception>
#include <thread>

namespace accrue::detail {

void yield_thread() { std::this_thread::yield(); }

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

struct team_broken {};

/// What the members of one run share.
struct job {
  void* context;
  void (*member)(void* context, int rank, int size, team_barrier& barrier);
  std::atomic<bool> open{false};
  std::atomic<int> left{0};
  team_barrier barrier{};
  team_lock lock{};
  std::exception_ptr failure{};

  void call(int rank, int size) {
    try {
      member(context, rank, size, barrier);
    } catch (const team_broken&) {  // another member's failure is the one to tell
    } catch (...) {
      {
        const held_lock held(lock);
        if (!failure) failure = std::current_exception();
      }
      barrier.give_up();
    }
  }
};

}  // namespace

void throw_team_broken() { throw team_broken{}; }

void host_team::run_members(void* context, void (*member)(void* context, int rank, int size, team_barrier& barrier)) const {
  job shared{context, member};
  shared.open.store(true, std::memory_order_release);
  run_(
      runtime_.get(), threads_,
      [](void* of, int rank, int size) {
        auto& j = *static_cast<job*>(of);
        (void)j.open.load(std::memory_order_acquire);
        j.call(rank, size);
        j.left.fetch_add(1, std::memory_order_release);
      },
      &shared);
  (void)shared.left.load(std::memory_order_acquire);
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace accrue::detail
