#include "emu/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emu/sanitizer.h"

// Saves the callee-saved registers on the stack, the stack pointer in *save, and goes on where `to` was saved.
extern "C" void emu_switch_stack(void** save, void* to);

#if defined(__x86_64__)
asm(R"(
.text
.type emu_switch_stack,@function
emu_switch_stack:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp,(%rdi)
  mov %rsi,%rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size emu_switch_stack,.-emu_switch_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.type emu_switch_stack,%function
emu_switch_stack:
  sub sp,sp,#160
  stp x19,x20,[sp]
  stp x21,x22,[sp,#16]
  stp x23,x24,[sp,#32]
  stp x25,x26,[sp,#48]
  stp x27,x28,[sp,#64]
  stp x29,x30,[sp,#80]
  stp d8,d9,[sp,#96]
  stp d10,d11,[sp,#112]
  stp d12,d13,[sp,#128]
  stp d14,d15,[sp,#144]
  mov x9,sp
  str x9,[x0]
  mov sp,x1
  ldp x19,x20,[sp]
  ldp x21,x22,[sp,#16]
  ldp x23,x24,[sp,#32]
  ldp x25,x26,[sp,#48]
  ldp x27,x28,[sp,#64]
  ldp x29,x30,[sp,#80]
  ldp d8,d9,[sp,#96]
  ldp d10,d11,[sp,#112]
  ldp d12,d13,[sp,#128]
  ldp d14,d15,[sp,#144]
  add sp,sp,#160
  ret
.size emu_switch_stack,.-emu_switch_stack
)");
#else
#error "the emulator switches fibers on x86-64 and aarch64 only"
#endif

namespace emu {
namespace {

// A block has 1024 threads at most, so the pool never holds more stacks. It is a plain array: the race
// detector would see the heap being used from a fiber.
constexpr size_t kPoolSize = 1024;
char* pool[kPoolSize];
size_t pooled = 0;

// The process's own stack, as ASan knows it: learnt on the first switch away from it.
const void* main_bottom = nullptr;
size_t main_size = 0;

char* new_stack() {
  if (pooled > 0) return pool[--pooled];
  void* area = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED || mprotect(area, kGuardBytes, PROT_NONE) != 0) {
    perror("emu: cannot make a fiber's stack");
    _exit(1);
  }
  return static_cast<char*>(area) + kGuardBytes;
}

// Writes what emu_switch_stack expects to find on the stack of a fiber that it goes back to.
void* first_frame(char* stack, void (*body)()) {
  char* top = stack + kStackBytes;
#if defined(__x86_64__)
  // The return address above body's frame is null, where unwinders stop. body is entered by `ret`, after which
  // rsp must be 8 modulo 16, as after a call: movaps faults otherwise.
  void** slot = reinterpret_cast<void**>(top);
  *--slot = nullptr;
  *--slot = reinterpret_cast<void*>(body);
  slot -= 6;
  memset(slot, 0, 6 * sizeof *slot);
  return slot;
#else
  void** frame = reinterpret_cast<void**>(top - 160);
  memset(frame, 0, 160);
  frame[11] = reinterpret_cast<void*>(body);  // x30; x29 stays null, where unwinders stop
  return frame;
#endif
}

}  // namespace

void adopt_main_fiber(Fiber& fiber) {
  if (__tsan_get_current_fiber) fiber.tsan = __tsan_get_current_fiber();
}

void start_fiber(Fiber& fiber, void (*body)()) {
  if (!fiber.stack) fiber.stack = new_stack();
  fiber.saved_sp = first_frame(fiber.stack, body);
  fiber.fake_stack = nullptr;
}

void fiber_entered() {
  if (!__sanitizer_finish_switch_fiber) return;
  const void* bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  // The first fiber ever is entered from the process's own stack.
  if (!main_bottom) {
    main_bottom = bottom;
    main_size = size;
  }
}

// Nothing between ASan's start and finish may be instrumented; nothing in this file is.
void switch_fiber(Fiber& from, Fiber& to, bool from_ends) {
  if (__sanitizer_start_switch_fiber) {
    __sanitizer_start_switch_fiber(from_ends ? nullptr : &from.fake_stack, to.stack ? to.stack : main_bottom,
                                   to.stack ? kStackBytes : main_size);
  }
  // 1: the switch itself orders nothing.
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(to.tsan, 1);
  emu_switch_stack(&from.saved_sp, to.saved_sp);
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
}

void release_stack(Fiber& fiber) {
  pool[pooled++] = fiber.stack;
  fiber.stack = nullptr;
}

void discard_stack(Fiber& fiber) {
  if (fiber.stack) munmap(fiber.stack - kGuardBytes, kGuardBytes + kStackBytes);
  fiber.stack = nullptr;
}

}  // namespace emu
