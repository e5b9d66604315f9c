// Blocks one after another; in a block, threads run until they wait or return.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "emu/block.h"
#include "emu/launch.h"
#include "emu/options.h"
#include "emu/report.h"
#include "emu/sanitizer.h"

namespace emu {

const ThreadId* current_id;
dim3 grid_dim, block_dim;
uint3 block_index;
void* dynamic_shared;

Block block;
Thread main_thread;
const Launch* launch;
Options options;
Tokens* tokens;

namespace {

uint64_t random_state;
uint64_t switch_count;

uint32_t random_below(uint32_t n) {  // xorshift64
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return static_cast<uint32_t>(random_state % n);
}

// One lane of a non-empty set; going forward, the first after `after` if there is one.
uint32_t pick_lane(uint32_t lanes, uint32_t after) {
  if (options.order == Order::kReverse) return 31u - static_cast<uint32_t>(__builtin_clz(lanes));
  if (options.order == Order::kRandom) {
    for (uint32_t skip = random_below(static_cast<uint32_t>(__builtin_popcount(lanes))); skip > 0; skip--) lanes &= lanes - 1;
    return static_cast<uint32_t>(__builtin_ctz(lanes));
  }
  const uint32_t later = after < 31 ? lanes & (~0u << (after + 1)) : 0;
  return static_cast<uint32_t>(__builtin_ctz(later ? later : lanes));
}

// Says who waits for what, one line for lanes of a warp that wait alike.
[[noreturn]] void fail_deadlock() {
  Thread* first = nullptr;
  for (uint32_t i = 0; i < block.count; i++) {
    Thread& thread = block.threads[i];
    if (thread.state != State::kWaiting) continue;
    if (!first) first = &thread;
    uint32_t alike = 0;
    for_each_lane(block.warps[thread.warp].born, [&](uint32_t lane) {
      const Thread& other = lane_of(thread.warp, lane);
      const Wait &a = thread.wait, &b = other.wait;
      if (other.state == State::kWaiting && a.barrier == b.barrier && a.op == b.op && a.mask == b.mask &&
          a.site.line() == b.site.line() && a.site.column() == b.site.column())
        alike |= 1u << lane;
    });
    if (static_cast<uint32_t>(__builtin_ctz(alike)) != thread.lane) continue;  // told with an earlier lane
    fprintf(stderr, "emu: waiting: warp %u lanes %08x in %s mask %08x at %s:%u, live lanes %08x\n", thread.warp, alike,
            thread.wait.barrier ? "__syncthreads" : name_of(thread.wait.op), thread.wait.mask,
            thread.wait.site.file_name(), static_cast<unsigned>(thread.wait.site.line()), block.warps[thread.warp].live);
  }
  fail_threads(first, nullptr, "deadlock", first->wait.site,
               "no thread of the block can go on: %u have not returned, %u of them wait in __syncthreads", block.alive,
               block.at_barrier);
}

void run_as_thread() {
  acquire(&tokens->start);
  launch->entry->body(launch->slots);
  release(&tokens->end);
}

// The life of a fiber: it runs one thread, and then the next fresh one on the same stack, which costs no
// switch. A thread that waits keeps the stack that it waits on.
void fiber_body() {
  fiber_entered();
  for (;;) {
    run_as_thread();
    Thread& me = *current();
    thread_exited(me);
    Thread* next = next_thread();
    // The race detector needs a stack for each thread: a reused one looks like a race.
    if (under_tsan()) {
      switch_to(next);
      __builtin_unreachable();
    }
    if (next != &main_thread && next->state == State::kFresh) {
      next->fiber.stack = me.fiber.stack;
      me.fiber.stack = nullptr;
      next->state = State::kRunning;
      current_id = next;
      continue;
    }
    release_stack(me.fiber);
    switch_to(next);
    __builtin_unreachable();
  }
}

// ---- blocks

// Exactly the bytes that were asked for, so that a redzone lies right behind them.
void* new_shared_memory(size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 128, bytes ? bytes : 1) != 0) {
    fprintf(stderr, "emu: no memory for %zu bytes of shared memory\n", bytes);
    _exit(1);
  }
  if (bytes == 0 && __asan_poison_memory_region) __asan_poison_memory_region(memory, 1);
  return memory;
}

void free_shared_memory(void* memory, size_t bytes) {
  if (bytes == 0 && __asan_unpoison_memory_region) __asan_unpoison_memory_region(memory, 1);
  free(memory);
}

void name_fiber(const Thread& thread) {
  if (!__tsan_set_fiber_name) return;
  char name[96];
  snprintf(name, sizeof name, "thread (%u,%u,%u) lane %u", thread.index.x, thread.index.y, thread.index.z, thread.lane);
  if (options.unordered_blocks) {
    snprintf(name, sizeof name, "block (%u,%u,%u) thread (%u,%u,%u) lane %u", block_index.x, block_index.y, block_index.z,
             thread.index.x, thread.index.y, thread.index.z, thread.lane);
  }
  __tsan_set_fiber_name(thread.fiber.tsan, name);
}

// What the race detector calls a fiber carries what happened before it, so each block gets new ones. Kept
// ones would do for blocks that follow one another, but of some 250 fibers on a libtsan finds no race that
// one of them takes part in after it has been away.
//
// Of what a fiber did libtsan knows no more once it and 64 later ones are destroyed, and then it does not
// report a race with it. So the fibers of blocks that it must not order live as long as the launch. They are
// destroyed after the next ones exist, so that none of these inherits a dead one's past.
constexpr size_t kMostFibers = 4096;  // the detector can tell some 8000 apart
std::vector<void*> retired_fibers;    // oldest first

void renew_tsan_fibers(uint64_t ordinal) {
  for (uint32_t i = 0; i < block.count; i++) {
    Thread& thread = block.threads[i];
    if (thread.fiber.tsan) retired_fibers.push_back(thread.fiber.tsan);
    thread.fiber.tsan = __tsan_create_fiber(0);
    name_fiber(thread);
  }
  const bool of_this_launch = options.unordered_blocks && ordinal > 0;
  const size_t keep = of_this_launch ? kMostFibers : 0;
  if (retired_fibers.size() <= keep) return;
  const auto last = retired_fibers.end() - static_cast<ptrdiff_t>(keep);
  for (auto fiber = retired_fibers.begin(); fiber != last; ++fiber) __tsan_destroy_fiber(*fiber);
  retired_fibers.erase(retired_fibers.begin(), last);
}

// Stacks carry the detector's memory of who used them, and to unmap one takes it long. So blocks that it must
// not order have stacks of their own, a set for each of the first blocks of a launch, which the block at
// the same place of the next launch takes over: launches follow one another. Ordered blocks share one set.
constexpr size_t kMostSets = 8;
std::vector<char*> stack_sets[kMostSets];  // one stack a thread

std::vector<char*>& stacks_of(uint64_t ordinal) {
  const uint64_t sets = options.unordered_blocks ? std::min(kMostSets, kMostFibers / block.count) : 1;
  return stack_sets[std::min(ordinal, sets - 1)];
}

void take_stacks(uint64_t ordinal) {
  std::vector<char*>& stacks = stacks_of(ordinal);
  if (stacks.size() < block.count) stacks.resize(block.count);
  // Blocks for which there is no set of their own share the last one, with new stacks for each.
  const bool renew = options.unordered_blocks && ordinal > 0 && &stacks == &stacks_of(ordinal - 1);
  for (uint32_t i = 0; i < block.count; i++) {
    Fiber& fiber = block.threads[i].fiber;
    fiber.stack = stacks[i];
    if (renew) discard_stack(fiber);
  }
}

// Puts them back, those too that threads have been given in between.
void leave_stacks(uint64_t ordinal) {
  std::vector<char*>& stacks = stacks_of(ordinal);
  for (uint32_t i = 0; i < block.count; i++) stacks[i] = std::exchange(block.threads[i].fiber.stack, nullptr);
}

void reset_block() {
  for (uint32_t i = 0; i < block.count; i++) {
    Thread& thread = block.threads[i];
    thread.linear = i;
    thread.lane = i % kWarpSize;
    thread.warp = i / kWarpSize;
    thread.index = {i % block_dim.x, i / block_dim.x % block_dim.y, i / (block_dim.x * block_dim.y)};
    thread.state = State::kFresh;
    for (Copy left; take_copy(thread, left);) {
    }
  }
  for (uint32_t w = 0; w < block.warp_count; w++) {
    const uint32_t lanes = block.count - w * kWarpSize;
    const uint32_t born = lanes >= kWarpSize ? ~0u : (1u << lanes) - 1;
    block.warps[w] = {born, born, born, 0};
  }
  block.alive = block.count;
  block.at_barrier = 0;
  block.gathering = {0, true, false};
  block.last_warp = options.order == Order::kReverse ? block.warp_count - 1 : 0;
}

void run_block(uint64_t ordinal) {
  reset_block();
  if (under_tsan()) {
    renew_tsan_fibers(ordinal);
    take_stacks(ordinal);
  }
  if (launch->shared_bytes) memset(dynamic_shared, 0xFF, launch->shared_bytes);
  release(&tokens->start);
  switch_to(next_thread());
  if (under_tsan()) leave_stacks(ordinal);
  if (!options.unordered_blocks) acquire(&tokens->end);
}

// The block coordinates on one axis that are run: all, or the first, middle and last.
class Axis {
 public:
  Axis(unsigned n, bool corners) : all_(!corners || n <= 3), n_(n) {}
  unsigned size() const { return all_ ? n_ : 3; }
  unsigned operator[](unsigned i) const { return all_ || i == 0 ? i : i == 1 ? n_ / 2 : n_ - 1; }

 private:
  bool all_;
  unsigned n_;
};

// ---- deadline

// A kernel that never ends is no use to anybody: a spin on a block that comes later, for example. The
// handler reports from wherever the thread is, and ends the process.
void on_deadline(int) {
  if (!current_id || current_id == &main_thread) return;
  fail("deadline", Site::current(), "the launch ran longer than %u s", options.deadline_seconds);
}

void set_deadline(unsigned seconds) {
  struct sigaction action {};
  action.sa_handler = on_deadline;
  sigaction(SIGALRM, &action, nullptr);
  alarm(seconds);
}

}  // namespace

Thread* next_thread() {
  if (block.alive == 0) return &main_thread;
  const uint32_t n = block.warp_count;
  const Thread& me = *current();
  const uint32_t from = options.order == Order::kRandom ? random_below(n) : block.last_warp;
  const bool backward = options.order == Order::kReverse;
  uint32_t w = from;
  for (uint32_t i = 0; i < n; i++, w = backward ? (w == 0 ? n - 1 : w - 1) : (w + 1 == n ? 0 : w + 1)) {
    Warp& warp = block.warps[w];
    if (warp.ready == 0) continue;
    const bool mine = &me != &main_thread && me.warp == w;
    const uint32_t lane = pick_lane(warp.ready, mine ? me.lane : kWarpSize - 1);
    warp.ready &= ~(1u << lane);
    block.last_warp = w;  // stay in the warp while it can run
    return &lane_of(w, lane);
  }
  fail_deadlock();
}

void switch_to(Thread* to) {
  Thread* from = current();
  switch_count++;
  if (to->state == State::kFresh && to != &main_thread) {
    start_fiber(to->fiber, fiber_body);
    to->state = State::kRunning;
  }
  current_id = to;
  switch_fiber(from->fiber, to->fiber, from->state == State::kExited);
}

void wait_for_turn() {
  switch_to(next_thread());
  testify_if_asked();
}

Work run_grid(const Launch& what, const Options& how) {
  launch = &what;
  options = how;
  random_state = (how.seed * 0x9E3779B97F4A7C15ull) | 1;
  switch_count = 0;
  grid_dim = what.grid;
  block_dim = what.block;
  block.count = what.block.x * what.block.y * what.block.z;
  block.warp_count = (block.count + kWarpSize - 1) / kWarpSize;
  if (block.threads.size() < block.warp_count * kWarpSize) block.threads.resize(block.warp_count * kWarpSize);
  if (block.warps.size() < block.warp_count) block.warps.resize(block.warp_count);
  main_thread.state = State::kRunning;
  adopt_main_fiber(main_thread.fiber);
  current_id = &main_thread;
  set_deadline(how.deadline_seconds);

  Work work;
  // What blocks that the race detector must not order have used is kept to the end, so that no two of them
  // meet at one address.
  std::vector<std::pair<void*, Tokens*>> used;
  const Axis xs(what.grid.x, how.corner_blocks), ys(what.grid.y, how.corner_blocks), zs(what.grid.z, how.corner_blocks);
  for (unsigned k = 0; k < zs.size(); k++) {
    for (unsigned j = 0; j < ys.size(); j++) {
      for (unsigned i = 0; i < xs.size(); i++) {
        if (used.empty() || options.unordered_blocks) {
          used.emplace_back(new_shared_memory(what.shared_bytes), new Tokens);
          std::tie(dynamic_shared, tokens) = used.back();
        }
        block_index = {xs[i], ys[j], zs[k]};
        run_block(work.blocks);
        work.blocks++;
        work.threads += block.count;
      }
    }
  }
  for (auto& [memory, token] : used) {
    acquire(&token->end);
    free_shared_memory(memory, what.shared_bytes);
    delete token;
  }
  set_deadline(0);
  launch = nullptr;
  current_id = nullptr;
  dynamic_shared = nullptr;
  work.switches = switch_count;
  return work;
}

}  // namespace emu
