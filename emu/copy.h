// Copies beside the thread, cp.async of PTX: what is copied is there once the thread has waited for it, and not before.
#pragma once

#include <cstdint>
#include <cstring>

#include "emu/runtime.h"

namespace emu {

// Asks for a copy from global to shared memory that writes `bytes`, 4, 8 or 16, and reads the first `read` of them; the rest is zeros.
// Both places are multiples of `bytes`, however much is read.
inline void cp_async(void* to, const void* from, unsigned bytes, unsigned read, Site site = Site::current()) {
  if (reinterpret_cast<uintptr_t>(to) % bytes != 0 || reinterpret_cast<uintptr_t>(from) % bytes != 0)
    fail("misaligned copy", site, "%u bytes from %p to %p: both places must be multiples of %u", bytes, from, to, bytes);
  if (read > bytes) fail("copy beyond its end", site, "%u bytes are read of %u", read, bytes);
  note_copy({to, from, bytes, read});
}

// Waits for all copies of this thread. They are carried out here, in the kernel's code, which the sanitizers watch.
inline void wait_for_copies() {
  for (Copy copy; take_copy(copy);) {
    memcpy(copy.to, copy.from, copy.read);
    memset(static_cast<char*>(copy.to) + copy.read, 0, copy.bytes - copy.read);
  }
}

}  // namespace emu
