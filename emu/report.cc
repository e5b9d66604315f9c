#include "emu/report.h"

#include <unistd.h>

#include <cstdio>

#include "emu/sanitizer.h"

namespace emu {
namespace {

// Threads that still have to print where they stand.
Thread* witnesses[2];
int witness_count = 0;
int next_witness = 0;

[[noreturn]] void hear_witnesses() {
  while (next_witness < witness_count) {
    Thread* witness = witnesses[next_witness];
    if (witness != current() && witness->state == State::kWaiting) {
      switch_to(witness);  // it comes to testify_if_asked
      continue;
    }
    next_witness++;
    say_where(*witness);
    if (witness == current() && __sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
  }
  fflush(stderr);
  _exit(kReportExitCode);
}

[[noreturn]] void fail_with(Thread* culprit, Thread* other, const char* kind, Site site, const char* format,
                            va_list arguments) {
  fprintf(stderr, "emu: error: %s: ", kind);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\nemu: at %s:%u:%u\n", site.file_name(), static_cast<unsigned>(site.line()),
          static_cast<unsigned>(site.column()));
  witnesses[witness_count++] = culprit;
  if (other && other != culprit) witnesses[witness_count++] = other;
  hear_witnesses();
}

}  // namespace

void say_where(const Thread& thread) {
  if (&thread == &main_thread || !launch) return;
  const dim3 &grid = launch->grid, &threads = launch->block;
  fprintf(stderr,
          "emu: kernel %s entry %s block (%u,%u,%u) thread (%u,%u,%u) warp %u lane %u grid (%u,%u,%u) "
          "threads (%u,%u,%u) shared %zu\n",
          launch->entry->kernel, launch->entry->name, block_index.x, block_index.y, block_index.z, thread.index.x,
          thread.index.y, thread.index.z, thread.warp, thread.lane, grid.x, grid.y, grid.z, threads.x, threads.y,
          threads.z, launch->shared_bytes);
}

void say_where_now() {
  if (current_id) say_where(*current());
}

void fail(const char* kind, Site site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_with(current(), nullptr, kind, site, format, arguments);
}

void fail_threads(Thread* culprit, Thread* other, const char* kind, Site site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_with(culprit, other, kind, site, format, arguments);
}

void testify_if_asked() {
  if (witness_count > 0) hear_witnesses();
}

}  // namespace emu
