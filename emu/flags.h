// The program's command line.
#pragma once

#include <cstdint>

#include "emu/launch.h"

namespace emu {

struct Flags {
  Options options;
  uint64_t memory_bytes = 64ull << 30;
};

// Ends the program with a message on a flag that it does not know.
Flags parse_flags(int argc, char** argv);

}  // namespace emu
