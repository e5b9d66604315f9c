#include "go/device/gpu/fakecuda/image.h"

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace fakecuda {
namespace {

constexpr uint32_t kFatbinMagic = 0xBA55ED50;
enum : uint16_t { kPtx = 1, kElf = 2 };

template <class T>
T read(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

}  // namespace

Choice choose(const void* image, int arch) {
  const char* p = static_cast<const char*>(image);
  if (read<uint32_t>(p) != kFatbinMagic) return {CUDA_ERROR_INVALID_IMAGE, 0, 0, "the image is no fatbin"};
  const char* part = p + read<uint16_t>(p + 6);
  const char* end = part + read<uint64_t>(p + 8);
  int elf = 0, ptx = 0;
  while (part < end) {
    const int of = static_cast<int>(read<uint32_t>(part + 28));
    const uint16_t kind = read<uint16_t>(part);
    if (kind == kElf && of / 10 == arch / 10 && of <= arch) elf = std::max(elf, of);
    if (kind == kPtx && of <= arch) ptx = std::max(ptx, of);
    part += read<uint32_t>(part + 4) + read<uint64_t>(part + 8);
  }
  if (elf) return {CUDA_SUCCESS, elf, elf, ""};
  if (ptx) return {CUDA_SUCCESS, arch, ptx, ""};
  return {CUDA_ERROR_NO_BINARY_FOR_GPU, 0, 0, "no part of the fatbin runs on sm_" + std::to_string(arch)};
}

}  // namespace fakecuda
