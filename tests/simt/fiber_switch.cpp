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

namespace accrue::simt::host {

void standing::begin(std::size_t stack_bytes, void (*entry)()) {
  if (!stack_) stack_ = std::make_unique_for_overwrite<unsigned char[]>(stack_bytes);
  const auto top = (reinterpret_cast<std::uintptr_t>(stack_.get()) + stack_bytes) & ~std::uintptr_t{15};
  auto* p = reinterpret_cast<void**>(top) - 1;  // as after a call: the stack is 8 beyond a multiple of 16
  *p = nullptr;
  *--p = reinterpret_cast<void*>(entry);
  for (int k = 0; k < 6; ++k) *--p = nullptr;
  pointer_ = p;
}
void standing::leave_for(standing& next) { accrue_test_switch(&pointer_, next.pointer_); }

}  // namespace accrue::simt::host

#else

namespace accrue::simt::host {

void standing::begin(std::size_t stack_bytes, void (*entry)()) {
  if (!stack_) stack_ = std::make_unique_for_overwrite<unsigned char[]>(stack_bytes);
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_bytes;
  makecontext(&context_, entry, 0);
}
void standing::leave_for(standing& next) { swapcontext(&context_, &next.context_); }

}  // namespace accrue::simt::host

#endif
