// Copies beside the thread, cp.async of PTX: what is copied is there once the thread has waited for it, and not before.
#pragma once

#include <cstdint>
#include <cstring>

#include "emu/runtime.h"

namespace emu {

// What is copied where nothing is there.
inline constexpr char kZeros[16] = {};

// Asks for a copy of `bytes` (4, 8 or 16) from global to shared memory, or of zeros if nothing is there. Both places are
// multiples of that, be there something or not.
inline void copy_beside(void* to, const void* from, int bytes, bool there, Site site = Site::current()) {
  if (reinterpret_cast<uintptr_t>(to) % bytes != 0 || reinterpret_cast<uintptr_t>(from) % bytes != 0)
    fail("misaligned copy", site, "%d bytes from %p to %p: both places must be multiples of %d", bytes, from, to, bytes);
  note_copy({to, there ? from : kZeros, bytes});
}

// Waits for all copies of this thread. They are carried out here, in the kernel's code, which the sanitizers watch.
inline void wait_for_copies() {
  for (Copy copy; take_copy(copy);) {
    switch (copy.bytes) {
      case 4: memcpy(copy.to, copy.from, 4); break;
      case 8: memcpy(copy.to, copy.from, 8); break;
      default: memcpy(copy.to, copy.from, 16);
    }
  }
}

}  // namespace emu
