// What the driver makes of an image: which of a fatbin's parts a chip runs.
#pragma once

#include <string>

namespace fakecuda {

struct Choice {
  int code;  // a CUresult
  int binary = 0, ptx = 0;  // versions as function attributes give them: 90
  std::string log;
};

// Chooses as the driver does: machine code of the same major architecture and no newer minor one, the
// newest first; else the newest PTX that is no newer than the chip.
Choice choose(const void* image, int arch);

}  // namespace fakecuda
