// CUDA C++ for g++: what nvcc gives a kernel for free. Include it before the kernel's source; the
// source itself needs no change. The pieces, one idea each:
//
//   emu/vector.h    dim3, float4 and the other vector types
//   emu/warp.h      shuffles, votes, barriers, fences
//   emu/atomic.h    atomics
//   emu/copy.h      copies beside the thread
//   emu/half.h      __half, __nv_bfloat16 and their conversions
//   emu/math.h      intrinsics, min and max
//
// Two things differ by design. Shared memory is dynamic only, got from ww_dynamic_shared(): the
// runtime gives it exactly the bytes that the launch asked for. And a collective takes its call
// site as a last, defaulted argument, so that a report can name it; a header that wraps a collective
// may pass its caller's on with EMU_SITE.
#pragma once

#include "emu/runtime.h"
#include "emu/vector.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ _Pragma("GCC error \"static __shared__ memory is not emulated: take dynamic shared memory from ww_dynamic_shared()\"")

// The last parameter of a function that wants to know who called it.
#define EMU_SITE ::emu::Site emu_site = ::emu::Site::current()

#define threadIdx (::emu::current_id->index)
#define blockIdx (static_cast<const uint3&>(::emu::block_index))
#define blockDim (static_cast<const dim3&>(::emu::block_dim))
#define gridDim (static_cast<const dim3&>(::emu::grid_dim))
inline constexpr int warpSize = 32;

// The block's dynamic shared memory: as many bytes as the launch asked for, with redzones around
// them and 0xFF (NaN, -1) in them when the block starts.
inline void* ww_dynamic_shared() { return ::emu::dynamic_shared; }

#include "emu/atomic.h"
#include "emu/copy.h"
#include "emu/half.h"
#include "emu/math.h"
#include "emu/warp.h"
