// Running a grid: what the server asks of the runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/table.h"
#include "emu/vector.h"

namespace emu {

// The order in which threads that can run do run. A kernel's result must not depend on it.
enum class Order : uint8_t { kForward, kReverse, kRandom };

struct Options {
  Order order = Order::kForward;
  uint64_t seed = 1;
  // Only the first, middle and last block on each axis: index arithmetic of huge grids in little time.
  bool corner_blocks = false;
  // A collective may name lanes that have returned.
  bool allow_exited = false;
  // To the race detector, blocks are not ordered: it then sees races between them. Slow.
  bool unordered_blocks = false;
  // A launch that takes longer is reported; 0: none is.
  unsigned deadline_seconds = 600;
};

struct Launch {
  const Entry* entry;
  dim3 grid;
  dim3 block;
  size_t shared_bytes;
  const uint64_t* slots;
};

struct Work {
  uint64_t blocks = 0;
  uint64_t threads = 0;
  uint64_t switches = 0;
};

inline constexpr uint32_t kMaxThreadsPerBlock = 1024;

// Runs every thread of the grid to its end and says what that took. The block must have 1 to 1024 threads.
// A fault ends the process with a report.
Work run_grid(const Launch& launch, const Options& options);

}  // namespace emu
