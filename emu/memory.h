// The device memory that clients hold: allocations of exact size, and the check that a range lies inside one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace emu {

class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t limit) : limit_(limit) {}

  // The address of `bytes` (> 0) new bytes, or null when there is no room.
  void* allocate(uint64_t bytes);
  // False unless the address is that of an allocation.
  bool free(uint64_t address);
  // The range as a pointer, or null unless it lies inside one allocation.
  char* range(uint64_t address, uint64_t bytes) const;
  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_; }

 private:
  uint64_t limit_;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> sizes_;  // by address
};

}  // namespace emu
