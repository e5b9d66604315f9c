// What a running kernel asks of the emulator. Kernels reach it through emu/cuda.h only.
//
// The runtime is compiled without a sanitizer, kernels with one. Everything that both sides
// touch is declared here and kept small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "emu/vector.h"

namespace emu {

// Where in the source a thread stands: file, line and column, so that two calls on one line differ.
using Site = std::source_location;

// The CUDA thread that runs now.
struct ThreadId {
  uint3 index;
  uint32_t lane;
};
extern const ThreadId* current_id;

// The launch and the block that run now.
extern dim3 grid_dim;
extern dim3 block_dim;
extern uint3 block_index;
extern void* dynamic_shared;

// What a lane gives to and wants from its warp.
enum class WarpOp : uint8_t { kShuffle, kShuffleUp, kShuffleDown, kShuffleXor, kBallot, kAny, kAll, kMatchAny, kSync };

// Waits until every lane of `mask` has come to the same operation, then returns this lane's result.
// `argument` is the source lane, the delta or the xor mask of a shuffle; `width` its segment.
uint64_t warp_collective(WarpOp op, uint32_t mask, uint64_t value, int argument, int width, Site site);

// What __syncthreads_count, _and and _or return of the predicates of a block's threads.
struct Votes {
  int count;
  bool all;
  bool any;
};
// Waits until every thread of the block has come to this barrier.
Votes block_barrier(bool predicate, Site site);

// __threadfence, to the race detector: everything before it happens before everything after a later one.
void memory_fence();

// A copy that goes on beside the thread which asked for it: noted then, carried out when the thread waits for its copies. So
// who does not wait reads what was there before.
struct Copy {
  void* to;
  const void* from;
  unsigned bytes, read;  // those that are written, and how many of them are read: the rest is zeros
};
void note_copy(const Copy& copy);
// A copy of this thread that is not carried out yet, taken off its list; false if there is none.
bool take_copy(Copy& copy);

// Ends the process with a report about the thread that runs now.
[[noreturn, gnu::format(printf, 3, 4)]] void fail(const char* kind, Site site, const char* format, ...);

}  // namespace emu
