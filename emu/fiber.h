// Fibers: stacks of their own on one OS thread, and the switch between them.
#pragma once

#include <cstddef>

namespace emu {

// A guard area lies below each stack. One page would not do: a large frame steps over it. A GPU thread
// may have 512 KiB of local memory, so no frame that a GPU could run steps over this one.
inline constexpr size_t kStackBytes = 128 * 1024;
inline constexpr size_t kGuardBytes = 1024 * 1024;

struct Fiber {
  void* saved_sp = nullptr;    // valid while it does not run
  char* stack = nullptr;       // lowest usable byte; null for the process's own stack
  void* fake_stack = nullptr;  // ASan's, kept while it does not run
  void* tsan = nullptr;        // TSan's idea of it
};

// Makes `fiber` the process's own stack, on which the caller runs.
void adopt_main_fiber(Fiber& fiber);

// Gives the fiber a stack, if it has none, on which `body` runs at the next switch. body never returns,
// and calls fiber_entered() first.
void start_fiber(Fiber& fiber, void (*body)());
void fiber_entered();

// Runs `to`. Returns when something switches back to `from`; never if from_ends.
void switch_fiber(Fiber& from, Fiber& to, bool from_ends);

// Gives a stack back to the pool. The caller may still run on it, until it switches away.
void release_stack(Fiber& fiber);

// Unmaps a stack, so that none of its addresses carry the race detector's memory of an earlier owner.
void discard_stack(Fiber& fiber);

}  // namespace emu
