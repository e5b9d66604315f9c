// Kernels that the tests of go/device/gpu launch, and what the driver would know of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fakecuda {

struct Probe {
  std::string entry;
  std::vector<size_t> sizes;  // of its parameters
  int shared = 0;             // static bytes
  int max_threads = 1024;
};

// The probe of that name, or null.
const Probe* probe(const std::string& entry);

}  // namespace fakecuda
