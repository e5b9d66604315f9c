// The sanitizers' own interface, declared weak: the runtime is compiled once, without a sanitizer, and
// finds whichever one the program was linked with.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom_old, size_t* size_old);
[[gnu::weak]] void __sanitizer_print_stack_trace();
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* address, size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, size_t size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_set_fiber_name(void* fiber, const char* name);
[[gnu::weak]] void __tsan_acquire(void* token);
[[gnu::weak]] void __tsan_release(void* token);
}

namespace emu {

inline bool under_tsan() { return __tsan_create_fiber != nullptr; }
inline bool under_asan() { return __asan_poison_memory_region != nullptr; }

// To the race detector: what released the token happens before what acquires it later.
inline void acquire(void* token) {
  if (__tsan_acquire) __tsan_acquire(token);
}
inline void release(void* token) {
  if (__tsan_release) __tsan_release(token);
}

}  // namespace emu
