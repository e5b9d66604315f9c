// The sanitizers' settings and the words that the emulator adds to their reports. These are strong
// definitions: weak ones lose against those of a sanitizer's own archive.
#include "emu/report.h"

extern "C" {

// detect_stack_use_after_return: its fake stacks make a switch of fibers 50 times slower, and newer
// versions turn it on. redzone: the widest, so that an overrun by a stride still lands in it.
// allocator_may_return_null: too large an allocation is an answer to the client, not a crash.
// atexit_sleep_ms: a second, else, at the end of every process.
// report_signal_unsafe: the deadline's handler reports and ends the process, and may do so.
const char* __asan_default_options() {
  return "detect_stack_use_after_return=0:detect_leaks=0:exitcode=87:redzone=2048:quarantine_size_mb=64:"
         "allocator_may_return_null=1:handle_abort=1";
}
const char* __ubsan_default_options() { return "print_stacktrace=1:exitcode=88:halt_on_error=1"; }
const char* __tsan_default_options() {
  return "halt_on_error=1:exitcode=66:atexit_sleep_ms=0:report_thread_leaks=0:report_signal_unsafe=0:allocator_may_return_null=1:handle_abort=1";
}

// Called at the start of a report.
void __asan_on_error() { emu::say_where_now(); }
void __ubsan_on_report() { emu::say_where_now(); }
void __tsan_on_report(void*) { emu::say_where_now(); }

}  // extern "C"
