// SPDX-License-Identifier: BSD-3-Clause
// How the host dialect runs blocks: out of the kernels, which would have it in every instantiation.
#include "simt/host_dialect.hpp"

#include "accrue/backends/simt/kernel/limits.hpp"

namespace accrue::simt::host {
namespace {

#if defined(ACCRUE_TEST_ADDRESS_SANITIZER)
constexpr std::size_t stack_bytes = 256 << 10;
#else
constexpr std::size_t stack_bytes = 64 << 10;
#endif

std::uint64_t random_number() {
  static thread_local std::uint64_t seed = 88172645463325252u;
  return seed = seed * 6364136223846793005u + 1442695040888963407u;
}

}  // namespace

block_run*& block_run::active() {
  static thread_local block_run* one = nullptr;
  return one;
}

void block_run::run(const std::function<void()>& body, std::uint64_t seed) {
  body_ = &body;
  random_ = seed | 1;
  static thread_local const auto all = std::make_unique<fiber[]>(most_threads);  // with their stacks, from run to run
  fibers_ = {all.get(), threads};
  groups_.assign(threads / warp_width + 1, group{});
  votes_.assign(threads, 0);
  active() = this;
  for (fiber& f : fibers_) {
    f.place.begin(stack_bytes, &block_run::start);
    f.now = state::ready;
  }
  schedule();
  active() = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void block_run::sync_block() { wait(groups_.back(), threads); }
void block_run::sync_warp() { wait(groups_[current / warp_width], warp_width); }

const std::uint64_t* block_run::exchange(std::uint64_t mine) {
  votes_[current] = mine;
  sync_warp();
  return votes_.data() + current / warp_width * warp_width;
}
const std::vector<std::uint64_t>& block_run::exchange_in_block(std::uint64_t mine) {
  votes_[current] = mine;
  sync_block();
  return votes_;
}

void block_run::start() {
  block_run& self = *active();
  try {
    (*self.body_)();
  } catch (...) {
    self.failure_ = std::current_exception();
  }
  fiber& me = self.fibers_[self.current];
  me.now = state::done;
  me.place.leave_for(self.scheduler_);
}

void block_run::wait(group& g, unsigned size) {
  if (++g.arrived == size) {
    g.arrived = 0;
    ++g.generation;
    for (fiber& f : fibers_) {
      if (f.now == state::waiting && f.at == &g) f.now = state::ready;
    }
    return;
  }
  fiber& me = fibers_[current];
  me.now = state::waiting;
  me.at = &g;
  me.place.leave_for(scheduler_);
}

void block_run::schedule() {
  std::vector<unsigned> ready;
  for (;;) {
    ready.clear();
    bool left = false;
    for (unsigned t = 0; t < threads; ++t) {
      if (fibers_[t].now == state::ready) ready.push_back(t);
      left = left || fibers_[t].now != state::done;
    }
    if (!left || failure_) return;
    if (ready.empty()) {
      failure_ = std::make_exception_ptr(std::logic_error("a barrier that not all threads of its group reached"));
      return;
    }
    for (std::size_t k = ready.size(); k > 0; --k) {
      std::swap(ready[k - 1], ready[next_random() % k]);
      if (fibers_[ready[k - 1]].now != state::ready) continue;
      current = ready[k - 1];
      scheduler_.leave_for(fibers_[current].place);
      if (failure_) return;
    }
  }
}

std::uint64_t block_run::next_random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

void run_blocks(const std::function<void()>& body, unsigned first, unsigned blocks, unsigned threads, std::size_t shared_bytes) {
  const std::uint64_t seed = random_number();
  for (unsigned k = 0; k < blocks; ++k) {
    block_run run;
    run.block = (k + first) % blocks;
    run.blocks = blocks;
    run.threads = threads;
    run.shared.assign(shared_bytes + 1, 0xa5);
    run.run(body, seed + k);
  }
}

unsigned any_of(unsigned count) { return static_cast<unsigned>(random_number() % count); }

}  // namespace accrue::simt::host
