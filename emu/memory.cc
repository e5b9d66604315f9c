#include "emu/memory.h"

#include <cstdlib>
#include <cstring>

namespace emu {
namespace {
constexpr size_t kAlignment = 256;  // cudaMalloc's
// More is left as it comes from the system, untouched.
constexpr uint64_t kMostFilled = 256ull << 20;
}  // namespace

void* DeviceMemory::allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > limit_ - used_) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes) != 0 || !memory) return nullptr;
  if (bytes <= kMostFilled) memset(memory, 0xFF, bytes);
  used_ += bytes;
  sizes_[reinterpret_cast<uint64_t>(memory)] = bytes;
  return memory;
}

bool DeviceMemory::free(uint64_t address) {
  const auto found = sizes_.find(address);
  if (found == sizes_.end()) return false;
  used_ -= found->second;
  sizes_.erase(found);
  ::free(reinterpret_cast<void*>(address));
  return true;
}

char* DeviceMemory::range(uint64_t address, uint64_t bytes) const {
  auto next = sizes_.upper_bound(address);
  if (next == sizes_.begin()) return nullptr;
  const auto& [start, size] = *--next;
  const uint64_t offset = address - start;
  if (offset > size || bytes > size - offset) return nullptr;
  return reinterpret_cast<char*>(address);
}

}  // namespace emu
