// What differs between the compilers that read the kernels: nvcc, and g++ with the emulator's
// language header. Nothing else in cuda/ may look at WW_EMU.
#pragma once

#ifdef WW_EMU
#include "emu/cuda.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include <cstdint>
#include <utility>

// A free function of device code, and a member of one.
#define WW_DEV static __device__ __forceinline__
#define WW_MEM __device__ __forceinline__

// The head of a generated entry: `extern "C" WW_GLOBAL(256) void name(...)`. The launcher starts
// exactly that many threads a block.
#define WW_GLOBAL(threads) __global__ __launch_bounds__(threads)

// Annotations: read by kernelspec, nothing to the compiler.
//   WW_KERNEL(...) stands before a kernel's template head,
//   WW_VIEW(...)   declares a view's meaning in a signature,
//   WW_TAG(name)   declares an instance value that is a type.
#define WW_KERNEL(...)
#define WW_VIEW(...) static_assert(true)
#define WW_TAG(name) \
  struct name {}

namespace ww {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// The base of the block's dynamic shared memory. Kernels never declare shared memory of their
// own, so that its size is always the launcher's, checked against the device.
#ifdef WW_EMU
WW_DEV void* dynamic_shared() { return ww_dynamic_shared(); }
#else
WW_DEV void* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char ww_dynamic_shared_bytes[];
  return ww_dynamic_shared_bytes;
}
#endif

// The instruction that writes Bytes of shared memory beside the thread, the first `read` of them from global memory and the
// rest zeros. This is the one place that asks for an architecture: devices before sm_80 have no such instruction. They copy
// through registers, to the same end, so nobody who copies need know. The emulator copies when the thread waits.
#ifdef WW_EMU
inline constexpr bool copies_beside = true;
template <int Bytes>
WW_DEV void cp_async(void* to, const void* from, u32 read) { emu::cp_async(to, from, Bytes, read); }
WW_DEV void copied() { emu::wait_for_copies(); }
#else
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
inline constexpr bool copies_beside = true;
template <int Bytes>
WW_DEV void cp_async(void* to, const void* from, u32 read) {
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(Bytes), "r"(read) : "memory");  // ptxas wants 16
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(Bytes), "r"(read) : "memory");
  }
}
WW_DEV void copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#else
inline constexpr bool copies_beside = false;
template <int Bytes>
WW_DEV void cp_async(void*, const void*, u32) {}
WW_DEV void copied() {}
#endif
#endif

// Copies from global to shared memory beside the thread, which goes on meanwhile. Both places are aligned to Bytes: 4, 8
// or 16. Where nothing is there to be copied, nothing is read, and zeros are written. What a thread has copied so is there
// after copied(), and for other threads after a barrier behind that.
template <int Bytes>
WW_DEV void copy_beside(void* to, const void* from, bool there) {
  cp_async<Bytes>(to, from, there ? Bytes : 0);
}

// f(0), f(1), ... f(N - 1). The front end writes the calls one behind the other: a loop would be unrolled only after addresses
// have been placed in it, and each call would form its own anew.
template <class F, int... I>
WW_DEV void unrolled(F f, std::integer_sequence<int, I...>) {
  (f(I), ...);
}
template <int N, class F>
WW_DEV void unrolled(F f) {
  unrolled(f, std::make_integer_sequence<int, N>());
}

// A load of what the kernel reads once, columns and weights: marked to leave the caches first, so
// that they keep x, which is read again and again (H200, 1024 entries a row: 297 us against 303).
template <class T>
WW_DEV T load_once(const T* p) {
  return __ldcs(p);
}

}  // namespace ww
