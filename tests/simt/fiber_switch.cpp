// SPDX-License-Identifier: BSD-3-Clause
#include "fiber_switch.hpp"

#include <cstdint>

#if defined(__x86_64__)

// Pushes what the calling convention keeps, changes stacks, pops the other's.
extern "C" void accrue_test_switch(void** left, void* next);
asm(R"(
.text
.globl accrue_test_switch
.type accrue_test_switch, @function
accrue_test_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size accrue_test_switch, .-accrue_test_switch
)");

#endif

namespace accrue::simt::host {

namespace {

thread_local standing* leaving = nullptr;
thread_local standing* arriving = nullptr;

}  // namespace

void standing::leave_for(standing& next) {
  leaving = this;
  arriving = &next;
#if defined(ACCRUE_TEST_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&shadow_, next.bottom_, next.size_);
#endif
  change_stacks(next);
#if defined(ACCRUE_TEST_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(shadow_, &leaving->bottom_, &leaving->size_);
#endif
}

/// Where a fiber begins.
void standing::arrive() {
#if defined(ACCRUE_TEST_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(nullptr, &leaving->bottom_, &leaving->size_);
#endif
  arriving->entry_();
}

void standing::begin(std::size_t stack_bytes, void (*entry)()) {
  if (!stack_) stack_ = std::make_unique_for_overwrite<unsigned char[]>(stack_bytes);
#if defined(ACCRUE_TEST_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(stack_.get(), stack_bytes);  // what a fiber left there that never returned
#endif
  entry_ = entry;
  bottom_ = stack_.get();
  size_ = stack_bytes;
#if defined(__x86_64__)
  const auto top = (reinterpret_cast<std::uintptr_t>(stack_.get()) + stack_bytes) & ~std::uintptr_t{15};
  auto* p = reinterpret_cast<void**>(top) - 1;  // as after a call: the stack is 8 beyond a multiple of 16
  *p = nullptr;
  *--p = reinterpret_cast<void*>(&standing::arrive);
  for (int k = 0; k < 6; ++k) *--p = nullptr;
  pointer_ = p;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, &standing::arrive, 0);
#endif
}

void standing::change_stacks(standing& next) {
#if defined(__x86_64__)
  accrue_test_switch(&pointer_, next.pointer_);
#else
  swapcontext(&context_, &next.context_);
#endif
}

}  // namespace accrue::simt::host
