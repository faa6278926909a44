// SPDX-License-Identifier: BSD-3-Clause
// A team of host threads, whoever starts them: what code that is compiled once needs to know of a backend whose threads run on the
// host.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace accrue::detail {

/// Calls body(context, rank, size) from each of at most `threads` threads; `size` is the team there really is. `runtime` is what the
/// backend gave the team: an instance of its runtime, or null.
using run_team_function = void (*)(const void* runtime, int threads, void (*body)(void* context, int rank, int size), void* context);

/// Lets other threads run.
void yield_thread();
/// Seconds on a clock that only goes forward.
double steady_seconds();

/// A lock for short sections of code, held while a `held_lock` lives. (<mutex>, <thread> and <chrono> would cost every source that
/// includes accrue a tenth of a second.)
class team_lock {
 public:
  void acquire() {
    while (taken_.exchange(true, std::memory_order_acquire)) yield_thread();
  }
  void release() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};
class held_lock {
 public:
  explicit held_lock(team_lock& lock) : lock_(lock) { lock_.acquire(); }
  held_lock(const held_lock&) = delete;
  held_lock& operator=(const held_lock&) = delete;
  ~held_lock() { lock_.release(); }

 private:
  team_lock& lock_;
};

/// Leaves a barrier that can no longer be met because a member has failed.
[[noreturn]] void throw_team_broken();

/// A meeting point for the members of one team, usable any number of times.
class team_barrier {
 public:
  /// Returns when all `size` members are here. Throws if one has failed.
  void wait(int size) {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      here_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; turn_.load(std::memory_order_acquire) == turn; ++spins) {
      if (broken_.load(std::memory_order_relaxed)) throw_team_broken();
      if (spins > 1000) yield_thread();
    }
  }
  void give_up() { broken_.store(true, std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<int> here_{0};
  alignas(64) std::atomic<unsigned> turn_{0};
  std::atomic<bool> broken_{false};
};

class host_team {
 public:
  host_team(int threads, run_team_function runner, std::shared_ptr<const void> runtime = nullptr)
      : threads_(threads), run_(runner), runtime_(std::move(runtime)) {}

  [[nodiscard]] int threads() const { return threads_; }
  /// The same kind of team of another size.
  [[nodiscard]] host_team with(int threads) const { return {threads, run_, runtime_}; }

  /// Runs `member(rank, size)`, or `member(rank, size, barrier)`, on the team; afterwards rethrows the first exception a member
  /// threw. What was written before is seen inside and what was written inside is seen after, whatever the runtime's own barriers
  /// are made of.
  template <class Member>
  void run(Member& member) const {
    run_members(&member, [](void* context, int rank, int size, team_barrier& barrier) {
      auto& one = *static_cast<Member*>(context);
      if constexpr (requires { one(rank, size, barrier); }) {
        one(rank, size, barrier);
      } else {
        one(rank, size);
      }
    });
  }

 private:
  void run_members(void* context, void (*member)(void* context, int rank, int size, team_barrier& barrier)) const;

  int threads_;
  run_team_function run_;
  std::shared_ptr<const void> runtime_;
};

/// The calling thread alone.
inline void run_alone(const void* /*runtime*/, int /*threads*/, void (*body)(void* context, int rank, int size), void* context) {
  body(context, 0, 1);
}

}  // namespace accrue::detail
