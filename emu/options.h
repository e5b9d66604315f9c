// The options of the launch that runs now.
#pragma once

#include "emu/launch.h"

namespace emu {
extern Options options;
}
