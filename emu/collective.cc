// Warp collectives and the block's barrier. A lane leaves what it brings in its Wait and waits; the last
// to arrive computes the results of all.
#include <cstdio>

#include "emu/block.h"
#include "emu/options.h"
#include "emu/report.h"
#include "emu/sanitizer.h"

namespace emu {

const char* name_of(WarpOp op) {
  switch (op) {
    case WarpOp::kShuffle: return "__shfl_sync";
    case WarpOp::kShuffleUp: return "__shfl_up_sync";
    case WarpOp::kShuffleDown: return "__shfl_down_sync";
    case WarpOp::kShuffleXor: return "__shfl_xor_sync";
    case WarpOp::kBallot: return "__ballot_sync";
    case WarpOp::kAny: return "__any_sync";
    case WarpOp::kAll: return "__all_sync";
    case WarpOp::kMatchAny: return "__match_any_sync";
    case WarpOp::kSync: return "__syncwarp";
  }
  return "?";
}

namespace {

bool is_shuffle(WarpOp op) { return op <= WarpOp::kShuffleXor; }

bool same_site(const Site& a, const Site& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || __builtin_strcmp(a.file_name(), b.file_name()) == 0);
}

// The lane that a shuffle reads: its own where the segment ends.
uint32_t source_lane(const Thread& thread) {
  const Wait& wait = thread.wait;
  const int lane = static_cast<int>(thread.lane);
  const int first = lane & ~(wait.width - 1), last = first + wait.width - 1;
  int source = lane;
  switch (wait.op) {
    case WarpOp::kShuffle: return static_cast<uint32_t>(first | (wait.argument & (wait.width - 1)));
    case WarpOp::kShuffleUp: source = lane - wait.argument; return static_cast<uint32_t>(source < first ? lane : source);
    case WarpOp::kShuffleDown: source = lane + wait.argument; return static_cast<uint32_t>(source > last ? lane : source);
    default: source = lane ^ wait.argument; return static_cast<uint32_t>(source > last ? lane : source);
  }
}

void shuffle(uint32_t warp_index, uint32_t lanes) {
  const Warp& warp = block.warps[warp_index];
  for_each_lane(lanes, [&](uint32_t lane) {
    Thread& thread = lane_of(warp_index, lane);
    const uint32_t source = source_lane(thread);
    if (source >= kWarpSize || !(lanes >> source & 1)) {
      const char* why = source >= kWarpSize            ? "does not exist"
                        : !(warp.born >> source & 1)   ? "is past the end of the block"
                        : !(warp.live >> source & 1)   ? "has returned"
                                                       : "is not in the mask";
      fail_threads(&thread, nullptr, "shuffle from inactive lane", thread.wait.site, "%s: lane %u reads lane %u, which %s",
                   name_of(thread.wait.op), lane, source, why);
    }
    thread.result = lane_of(warp_index, source).wait.value;
  });
}

void match(uint32_t warp_index, uint32_t lanes) {
  for_each_lane(lanes, [&](uint32_t lane) {
    Thread& thread = lane_of(warp_index, lane);
    uint32_t same = 0;
    for_each_lane(lanes, [&](uint32_t other) {
      if (lane_of(warp_index, other).wait.value == thread.wait.value) same |= 1u << other;
    });
    thread.result = same;
  });
}

void vote(uint32_t warp_index, uint32_t lanes, WarpOp op) {
  uint32_t ballot = 0;
  for_each_lane(lanes, [&](uint32_t lane) {
    if (lane_of(warp_index, lane).wait.value) ballot |= 1u << lane;
  });
  const uint64_t result = op == WarpOp::kBallot ? ballot : op == WarpOp::kAny ? ballot != 0 : ballot == lanes;
  for_each_lane(lanes, [&](uint32_t lane) { lane_of(warp_index, lane).result = result; });
}

// Every lane of `lanes` waits with the mask of `last`, the one that came last.
void complete(uint32_t warp_index, uint32_t lanes, Thread& last) {
  Warp& warp = block.warps[warp_index];
  const Wait& wait = last.wait;
  const uint32_t gone = wait.mask & warp.born & ~warp.live;
  if (gone && !options.allow_exited) {
    fail_threads(&last, nullptr, "exited lane in mask", wait.site, "%s: mask %08x names lanes %08x, which have returned",
                 name_of(wait.op), wait.mask, gone);
  }
  for_each_lane(lanes, [&](uint32_t lane) {
    Thread& other = lane_of(warp_index, lane);
    if (other.wait.op != wait.op || !same_site(other.wait.site, wait.site)) {
      fail_threads(&last, &other, "divergent collective", wait.site,
                   "lane %u is in %s at line %u, lane %u in %s at line %u, both with mask %08x", last.lane, name_of(wait.op),
                   static_cast<unsigned>(wait.site.line()), lane, name_of(other.wait.op),
                   static_cast<unsigned>(other.wait.site.line()), wait.mask);
    }
  });
  if (is_shuffle(wait.op)) {
    shuffle(warp_index, lanes);
  } else if (wait.op == WarpOp::kMatchAny) {
    match(warp_index, lanes);
  } else if (wait.op != WarpOp::kSync) {
    vote(warp_index, lanes, wait.op);
  }
  if (under_tsan()) tokens->met(warp_index, wait.mask);
  warp.waiting &= ~lanes;
  warp.ready |= lanes;
  for_each_lane(lanes, [&](uint32_t lane) { lane_of(warp_index, lane).state = State::kRunning; });
}

// Completes what `thread` waits in, if all live lanes of its mask wait with that mask.
bool try_complete(Thread& thread) {
  const Warp& warp = block.warps[thread.warp];
  const uint32_t lanes = thread.wait.mask & warp.live;
  if (lanes & ~warp.waiting) return false;
  bool agreed = true;
  for_each_lane(lanes, [&](uint32_t lane) { agreed &= lane_of(thread.warp, lane).wait.mask == thread.wait.mask; });
  if (!agreed) return false;
  complete(thread.warp, lanes, thread);
  return true;
}

// The thread was made ready, but goes on at once instead of waiting for its turn.
void keep_running(Thread& thread) { block.warps[thread.warp].ready &= ~(1u << thread.lane); }

// All threads that are alive wait in the barrier.
void open_barrier() {
  Thread* first = nullptr;
  for (uint32_t i = 0; i < block.count; i++) {
    Thread& thread = block.threads[i];
    if (thread.state != State::kWaiting) continue;
    if (!first) first = &thread;
    if (!same_site(first->wait.site, thread.wait.site)) {
      fail_threads(&thread, first, "divergent barrier", thread.wait.site,
                   "thread %u waits in __syncthreads at line %u, thread %u in another at line %u", thread.linear,
                   static_cast<unsigned>(thread.wait.site.line()), first->linear,
                   static_cast<unsigned>(first->wait.site.line()));
    }
  }
  if (block.alive != block.count && !options.allow_exited) {
    fail_threads(first, nullptr, "divergent barrier", first->wait.site,
                 "%u of %u threads have returned without coming to this __syncthreads", block.count - block.alive,
                 block.count);
  }
  for (uint32_t i = 0; i < block.count; i++) {
    Thread& thread = block.threads[i];
    if (thread.state != State::kWaiting) continue;
    thread.state = State::kRunning;
    block.warps[thread.warp].ready |= 1u << thread.lane;
  }
  block.at_barrier = 0;
  block.barriers++;
  block.votes = block.gathering;
  block.gathering = {0, true, false};
}

}  // namespace

uint64_t warp_collective(WarpOp op, uint32_t mask, uint64_t value, int argument, int width, Site site) {
  Thread& thread = *current();
  Warp& warp = block.warps[thread.warp];
  if (!(mask >> thread.lane & 1))
    fail("caller not in mask", site, "%s: lane %u calls it with mask %08x, which does not name it", name_of(op), thread.lane, mask);
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    fail("bad width", site, "%s: width %d is not a power of two from 1 to 32", name_of(op), width);
  thread.wait = {false, op, mask, argument, width, value, site};
  thread.state = State::kWaiting;
  warp.waiting |= 1u << thread.lane;
  void* const token = under_tsan() ? tokens->of_mask(thread.warp, mask) : nullptr;
  if (token) release(token);
  if (try_complete(thread)) {
    keep_running(thread);
  } else {
    wait_for_turn();
  }
  if (token) acquire(token);
  return thread.result;
}

Votes block_barrier(bool predicate, Site site) {
  Thread& thread = *current();
  thread.wait = {true, WarpOp::kSync, 0, 0, 0, 0, site};
  thread.state = State::kWaiting;
  block.gathering.count += predicate;
  block.gathering.all &= predicate;
  block.gathering.any |= predicate;
  void* const token = &tokens->barrier[block.barriers % 2];
  release(token);
  if (++block.at_barrier == block.alive) {
    open_barrier();
    keep_running(thread);
  } else {
    wait_for_turn();
  }
  acquire(token);
  // The next barrier cannot open before every thread has come to it, so these are still this one's.
  return block.votes;
}

void thread_exited(Thread& thread) {
  Warp& warp = block.warps[thread.warp];
  warp.live &= ~(1u << thread.lane);
  thread.state = State::kExited;
  block.alive--;
  // The others may have waited for this thread alone. A completion changes `waiting`, so look again.
  for (bool again = true; again;) {
    again = false;
    for_each_lane(warp.waiting, [&](uint32_t lane) {
      Thread& other = lane_of(thread.warp, lane);
      again |= other.state == State::kWaiting && try_complete(other);
    });
  }
  if (block.alive > 0 && block.at_barrier == block.alive) open_barrier();
}

void memory_fence() {
  static char token;  // one for all: fences are modelled as one global order
  release(&token);
  acquire(&token);
}

namespace {
// Kept for the next copy and never given back to the heap: to the race detector a kernel's thread that frees memory writes to it.
NotedCopy* spare;
}  // namespace

void note_copy(const Copy& copy) {
  NotedCopy* noted = spare;
  if (noted) {
    spare = noted->next;
  } else {
    noted = new NotedCopy;
  }
  *noted = {copy, current()->copies};
  current()->copies = noted;
}

bool take_copy(Thread& thread, Copy& copy) {
  NotedCopy* noted = thread.copies;
  if (!noted) return false;
  copy = noted->copy;
  thread.copies = noted->next;
  noted->next = spare;
  spare = noted;
  return true;
}
bool take_copy(Copy& copy) { return take_copy(*current(), copy); }

int Tokens::PerWarp::at(uint32_t mask) {
  int i = 0;
  while (i < kMasks - 1 && masks[i] != mask && masks[i] != 0) i++;
  masks[i] = mask;
  return i;
}

void* Tokens::of_mask(uint32_t warp, uint32_t mask) {
  PerWarp& known = warps[warp];
  const int i = known.at(mask);
  return &known.tokens[i][known.turn[i]];
}

void Tokens::met(uint32_t warp, uint32_t mask) {
  PerWarp& known = warps[warp];
  const int i = known.at(mask);
  if (i < kMasks - 1) known.turn[i] ^= 1;
}

}  // namespace emu
