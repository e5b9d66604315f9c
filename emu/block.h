// The state of the block that runs now: its threads, its warps, its barrier. Shared by the scheduler,
// the collectives and the reports; nobody else includes it.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/fiber.h"
#include "emu/launch.h"
#include "emu/runtime.h"

namespace emu {

inline constexpr uint32_t kWarpSize = 32;

enum class State : uint8_t {
  kFresh,    // not started
  kRunning,  // runs, or could
  kWaiting,  // in a collective or a barrier
  kExited,   // returned from the kernel
};

// What a waiting thread waits in.
struct Wait {
  bool barrier = false;  // __syncthreads; else `op` of the lanes in `mask`
  WarpOp op{};
  uint32_t mask = 0;
  int argument = 0;
  int width = 0;
  uint64_t value = 0;
  Site site;
};

struct NotedCopy {
  Copy copy;
  NotedCopy* next;
};

struct Thread : ThreadId {
  uint32_t linear = 0;
  uint32_t warp = 0;
  State state = State::kFresh;
  Wait wait;
  uint64_t result = 0;  // of the last collective
  NotedCopy* copies = nullptr;  // that it has asked for and not waited for, the last one first
  Fiber fiber;
};

// Sets of lanes, one bit a lane.
struct Warp {
  uint32_t born = 0;     // exist: the last warp of a block may be partial
  uint32_t live = 0;     // have not returned
  uint32_t ready = 0;    // can run and do not
  uint32_t waiting = 0;  // wait in a warp collective
};

struct Block {
  std::vector<Thread> threads;  // at least `count`, grown to whole warps
  std::vector<Warp> warps;
  uint32_t count = 0;  // threads in a block of this launch
  uint32_t warp_count = 0;
  uint32_t alive = 0;
  uint32_t at_barrier = 0;
  uint32_t barriers = 0;  // opened so far
  Votes gathering{};  // of the barrier that fills
  Votes votes{};      // of the barrier that was left last
  uint32_t last_warp = 0;
};

extern Block block;
// The process's own stack, as a thread, so that there is always one to switch from.
extern Thread main_thread;
extern const Launch* launch;

bool take_copy(Thread& thread, Copy& copy);

inline Thread* current() { return const_cast<Thread*>(static_cast<const Thread*>(current_id)); }
inline Thread& lane_of(uint32_t warp, uint32_t lane) { return block.threads[warp * kWarpSize + lane]; }

// Calls f with each lane of a set, lowest first.
template <class F>
inline void for_each_lane(uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<uint32_t>(__builtin_ctz(lanes)));
}

// From the scheduler: the next thread that can run, or main_thread when all have exited; a switch to it;
// and both at once, for a thread that has to wait.
Thread* next_thread();
void switch_to(Thread* thread);
void wait_for_turn();
// From the collectives: a thread has returned, which may complete what others wait in.
void thread_exited(Thread& thread);

const char* name_of(WarpOp op);

// Tokens of the race detector that belong to one block. A meeting takes two in turn: who leaves one late
// must not acquire what others have released at the next already, or races between the two are hidden.
struct Tokens {
  char start = 0, end = 0, barrier[2] = {};
  // Two tokens a (warp, mask): lanes that share no collective are not ordered by one. Masks beyond the
  // table share the last one of their warp, which does not turn.
  static constexpr int kMasks = 33;
  struct PerWarp {
    uint32_t masks[kMasks] = {};
    uint8_t turn[kMasks] = {};
    char tokens[kMasks][2] = {};
    int at(uint32_t mask);
  } warps[1024 / kWarpSize];

  // The token of the meeting that the lanes of a mask come to next; and that it has taken place.
  void* of_mask(uint32_t warp, uint32_t mask);
  void met(uint32_t warp, uint32_t mask);
};
extern Tokens* tokens;

}  // namespace emu
