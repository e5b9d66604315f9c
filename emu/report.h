// Reports: what the emulator says on standard error before it ends the process, or adds to what a
// sanitizer says. The lines that tools read:
//
//   emu: error: <kind>: <text>
//   emu: at <file>:<line>:<column>
//   emu: kernel <kernel> entry <entry> block (x,y,z) thread (x,y,z) warp <n> lane <n> grid (x,y,z)
//        threads (x,y,z) shared <bytes>                       (on one line)
//   emu: waiting: ...                                         (deadlocks: one line a group of lanes)
#pragma once

#include <cstdarg>

#include "emu/block.h"

namespace emu {

// The exit code of a process that the emulator, not a sanitizer, ended.
inline constexpr int kReportExitCode = 86;

// Prints the thread's coordinates; nothing for main_thread.
void say_where(const Thread& thread);
// The same for the thread that runs now.
void say_where_now();

// Reports a fault of `culprit`, and of `other` if there is one, each with its stack: a thread that waits
// is woken to print its own.
[[noreturn, gnu::format(printf, 5, 6)]] void fail_threads(Thread* culprit, Thread* other, const char* kind, Site site,
                                                          const char* format, ...);

// A thread that was switched to calls this before it goes on: it may have been woken to testify.
void testify_if_asked();

}  // namespace emu
