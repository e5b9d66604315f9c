// Planted faults, one for each thing that a rule sees, each beside the same kernel without it. The names say which: bad_ breaks the
// rule, good_ does not. make.sh renews what nvcc and ptxas make of them.
#include <stddef.h>
#include <assert.h>

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

// index32: row * n in 32 bits.
KERNEL(256) bad_row_times_n(float* y, const float* x, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m)
    for (int j = 0; j < n; j++) y[row * n + j] = 2 * x[row * n + j];
}
KERNEL(256) good_row_times_n(float* y, const float* x, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m)
    for (int j = 0; j < n; j++) y[(size_t)row * n + j] = 2 * x[(size_t)row * n + j];
}

// index32: the same with unsigned numbers, which wrap by definition.
KERNEL(256) bad_unsigned(float* y, unsigned m, unsigned n) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m) y[row * n] = 1;
}
KERNEL(256) good_unsigned(float* y, unsigned m, unsigned n) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m) y[size_t(row) * n] = 1;
}

// index32: three coordinates of a box. The good one is this one with bounds that a contract declares: the test does.
KERNEL(256) bad_box(float* y, int Nx, int Ny, int Nz) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x;
  int iy = blockIdx.y * blockDim.y + threadIdx.y;
  int iz = blockIdx.z * blockDim.z + threadIdx.z;
  if (ix < Nx && iy < Ny && iz < Nz) y[(iz * Ny + iy) * Nx + ix] = 1;
}

// index32: three components an element.
KERNEL(256) bad_three(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[3 * i + 2] = 1;
}
KERNEL(256) good_three(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[3 * (size_t)i + 2] = 1;
}

// index32: a product that the compiler turns into a sum, step after step. (Of an int it makes a sum in 64 bits, which is right by
// accident: signed numbers may not wrap, so it need not ask whether these do.)
KERNEL(256) bad_stepped(float* y, unsigned m, unsigned n) {
  unsigned col = threadIdx.x;
#pragma unroll 1
  for (unsigned i = 0; i < m; i++) {
    y[i * n + col] = i;
    __syncthreads();
  }
}
KERNEL(256) good_stepped(float* y, unsigned m, unsigned n) {
  unsigned col = threadIdx.x;
#pragma unroll 1
  for (unsigned i = 0; i < m; i++) {
    y[size_t(i) * n + col] = i;
    __syncthreads();
  }
}

// index32, none: products of what is known, and of numbers that are masked.
KERNEL(256) good_small(float* y, const unsigned* keys, int n) {
  int i = threadIdx.x;
  unsigned bin = keys[i] & 0xffff;
  y[bin * 1024 + (keys[i + 256] >> 24) * 3] = n;
}

// spills: more values than the registers that a block of 1024 threads can have.
#define SPILL(threads, name)                                                         \
  KERNEL(threads) name(float* y, const float* x) {                                   \
    float a[96];                                                                     \
    _Pragma("unroll") for (int i = 0; i < 96; i++) a[i] = x[i * 1024 + threadIdx.x]; \
    __syncthreads();                                                                 \
    _Pragma("unroll") for (int i = 0; i < 96; i++)                                   \
      _Pragma("unroll") for (int j = 0; j < 3; j++) a[i] = a[i] * a[(i + 31 * j + 7) % 96] + 1; \
    _Pragma("unroll") for (int i = 0; i < 96; i++) y[i * 1024 + threadIdx.x] = a[i]; \
  }
SPILL(1024, bad_spills)
SPILL(256, good_spills)

// local-memory: an array that is subscripted by what the thread reads.
KERNEL(256) bad_local(float* y, const int* k, const float* x) {
  float a[64];
  for (int i = 0; i < 64; i++) a[i] = x[i] * x[64 + threadIdx.x];
  y[threadIdx.x] = a[k[threadIdx.x] & 63];
}
KERNEL(256) good_local(float* y, const int* k, const float* x) {
  y[threadIdx.x] = x[k[threadIdx.x] & 63] * x[64 + threadIdx.x];
}

// trap: a check that ends the grid, and an assert.
KERNEL(256) bad_trap(float* y, int n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (i >= len) __trap();
    y[i] = 1;
  }
}
KERNEL(256) bad_assert(float* y, int n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    assert(i < len);
    y[i] = 1;
  }
}
KERNEL(256) good_trap(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1;
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
  return v;
}

// divergent-collective: a shuffle in a loop whose rounds differ by lane.
KERNEL(256) bad_shuffle_loop(float* y, const int* n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n[threadIdx.x]; i++) sum = __shfl_xor_sync(0xffffffffu, sum + i, 1);
  y[threadIdx.x] = sum;
}
KERNEL(256) good_shuffle_loop(float* y, const int* n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n[threadIdx.x / 32]; i++) sum = __shfl_xor_sync(0xffffffffu, sum + i, 1);
  y[threadIdx.x] = sum;
}

// divergent-collective: return in a grid-stride loop before a shuffle. The good one strides by whole warps.
KERNEL(256) bad_return(float* y, const float* x, size_t n) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;; i += size_t(gridDim.x) * blockDim.x) {
    if (i >= n) return;
    float s = warp_sum(x[i]);
    if (threadIdx.x % 32 == 0) y[i / 32] = s;
  }
}
KERNEL(256) good_return(float* y, const float* x, size_t n) {
  size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32 * 32;
  for (size_t i = first; i < n; i += size_t(gridDim.x) * blockDim.x) {
    size_t mine = i + threadIdx.x % 32;
    float s = warp_sum(mine < n ? x[mine] : 0);
    if (threadIdx.x % 32 == 0) y[i / 32] = s;
  }
}

// divergent-collective: after a loop whose rounds differ, all lanes are together again.
KERNEL(256) good_after_loop(float* y, const int* ends, const float* x) {
  float sum = 0;
  for (int i = ends[threadIdx.x]; i < ends[threadIdx.x + 1]; i++) sum += x[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) y[threadIdx.x / 32] = sum;
}

// divergent-collective: a barrier in both arms of a branch.
KERNEL(256) bad_barrier_arms(float* y) {
  extern __shared__ float s[];
  if (y[threadIdx.x] > 0) {
    s[threadIdx.x] = 1;
    __syncthreads();
  } else {
    s[threadIdx.x] = 2;
    __syncthreads();
    s[threadIdx.x ^ 1] += 1;
  }
  y[threadIdx.x] = s[threadIdx.x ^ 32];
}
KERNEL(256) good_barrier_arms(float* y) {
  extern __shared__ float s[];
  if (y[threadIdx.x] > 0) {
    s[threadIdx.x] = 1;
  } else {
    s[threadIdx.x] = 2;
    s[threadIdx.x ^ 1] += 1;
  }
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x ^ 32];
}

// divergent-collective: the warps of the block take different ways to a barrier, those of a warp the same one to a shuffle.
KERNEL(256) bad_barrier_warps(float* y) {
  extern __shared__ float s[];
  if (threadIdx.x < 128) {
    s[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 32];
  }
}
KERNEL(256) good_shuffle_warps(float* y) {
  if (threadIdx.x < 128) y[threadIdx.x] = warp_sum(y[threadIdx.x]);
}

// divergent-collective: in a block of 16 by 16 a row of threads is half a warp.
KERNEL(256) bad_half_rows(float* y) {
  if (threadIdx.y < 5) y[threadIdx.y * 16 + threadIdx.x] = warp_sum(y[threadIdx.y * 16 + threadIdx.x]);
}
KERNEL(256) good_half_rows(float* y) {
  if (threadIdx.y < 6) y[threadIdx.y * 16 + threadIdx.x] = warp_sum(y[threadIdx.y * 16 + threadIdx.x]);
}

// divergent-collective: masks that do not name all lanes.
KERNEL(256) bad_mask(float* y) { y[threadIdx.x] = __shfl_xor_sync(0xffffu, y[threadIdx.x], 1); }
KERNEL(256) bad_active_mask(float* y) { y[threadIdx.x] = __shfl_xor_sync(__activemask(), y[threadIdx.x], 1); }
KERNEL(256) bad_mask_argument(float* y, unsigned mask) { y[threadIdx.x] = __shfl_xor_sync(mask, y[threadIdx.x], 1); }
KERNEL(256) good_mask(float* y) { y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, y[threadIdx.x], 1); }

// divergent-collective: a sum by butterfly is the same in all lanes, so a loop may end on it.
KERNEL(256) good_butterfly(float* y, const float* x) {
  float s = 1;
#pragma unroll 1
  while (s > 0.5f) s = warp_sum(s * x[threadIdx.x]);
  y[threadIdx.x] = s;
}
KERNEL(256) bad_butterfly(float* y, const float* x) {
  float s = 1;
#pragma unroll 1
  while (s > 0.5f) {
    s *= x[threadIdx.x];
    for (int k = 16; k > 1; k /= 2) s += __shfl_xor_sync(0xffffffffu, s, k);
  }
  y[threadIdx.x] = s;
}

// divergent-collective: the last warp has no 32 lanes.
KERNEL(48) bad_block_48(float* y) { y[threadIdx.x] = warp_sum(y[threadIdx.x]); }

// one-warp-block.
KERNEL(32) bad_block_32(float* y) { y[threadIdx.x] = 1; }
KERNEL(64) good_block_64(float* y) { y[threadIdx.x] = 1; }

// launch-bounds.
extern "C" __global__ void bad_bounds(float* y) { y[threadIdx.x] = 1; }
KERNEL(256) good_bounds(float* y) { y[threadIdx.x] = 1; }

// index32: products of what is below 0, of a power of two that only the launch knows, and under an exclusive or.
KERNEL(256) bad_negated(float* y, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[-(i * s)] = 1;
}
KERNEL(256) good_negated(float* y, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[-(i * (long long)s)] = 1;
}
KERNEL(256) bad_shifted(float* y, int s) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i << s] = 1;
}
KERNEL(256) good_shifted(float* y, int s) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i << s] = 1;
}
KERNEL(256) bad_turned(float* y, unsigned m, unsigned n) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m) y[row * n ^ 1] = 1;
}
KERNEL(256) good_turned(float* y, unsigned m, unsigned n) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m) y[size_t(row) * n ^ 1] = 1;
}

// call: a function that is not inlined; here with a shuffle in it that not all lanes come by.
__device__ __noinline__ float neighbours(float v) { return v + __shfl_xor_sync(0xffffffffu, v, 1); }
KERNEL(256) bad_not_inlined(float* y) {
  float v = y[threadIdx.x];
  if (v > 0) v = neighbours(v);
  y[threadIdx.x] = v;
}

// No fault: the same function as part of the kernel, where all lanes come by.
KERNEL(256) good_inlined(float* y) { y[threadIdx.x] = warp_sum(y[threadIdx.x]); }

// No fault: nvcc divides by 7 with a difference that is never below 0, and the rest is a product that fits.
KERNEL(256) good_divided(float* y, size_t n) {
  unsigned t = threadIdx.y * 8 + threadIdx.x;
  y[size_t(t / 7) * n + int(t % 7) - 1] = 1;
}

// No fault: what a barrier counts is the same in all threads, so they leave the loop together.
KERNEL(256) good_vote_of_block(float* y) {
  float v = y[threadIdx.x];
  while (__syncthreads_or(v > 0)) v -= 1;
  y[threadIdx.x] = v;
}
KERNEL(256) bad_vote_of_block(float* y) {
  float v = y[threadIdx.x];
  if (v > 0) v = __syncthreads_count(v > 1);
  y[threadIdx.x] = v;
}

// unawaited-copy: a copy beside the thread, and then a barrier, or the end, without a wait on every way.
__device__ __forceinline__ void beside(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from) : "memory");
}
__device__ __forceinline__ void wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
KERNEL(256) bad_copy_barrier(float* y) {
  __shared__ float s[256];
  beside(s + threadIdx.x, y + threadIdx.x);
  __syncthreads();
  wait();
  y[threadIdx.x] = s[255 - threadIdx.x];
}
KERNEL(256) bad_copy_end(float* y, int n) {
  __shared__ float s[256];
  for (int i = 0; i < n; i++) {
    beside(s + threadIdx.x, y + i);
    if (i % 2) wait();
    y[threadIdx.x + i] = s[threadIdx.x];
  }
}
KERNEL(256) good_copy(float* y, int n) {
  __shared__ float s[256];
  for (int i = 0; i < n; i++) {
    if (i % 2) beside(s + threadIdx.x, y + i);
    wait();
    __syncthreads();
    y[threadIdx.x + i] = s[255 - threadIdx.x];
  }
}

// partial-copy: a copy beside the thread of some of its bytes, or of none ever.
__device__ __forceinline__ void beside(float* to, const float* from, unsigned bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes) : "memory");
}
KERNEL(256) bad_copy_some(float* y, int n) {
  __shared__ float s[256];
  beside(s + threadIdx.x, y + threadIdx.x, threadIdx.x < n ? 4 : 1);
  wait();
  y[threadIdx.x] = s[threadIdx.x];
}
KERNEL(256) bad_copy_none(float* y) {
  __shared__ float s[256];
  beside(s + threadIdx.x, y + threadIdx.x, 0);
  wait();
  y[threadIdx.x] = s[threadIdx.x];
}
KERNEL(256) good_copy_clipped(float* y, int n) {
  __shared__ float s[256];
  unsigned bytes = 0;
  for (int i = 0; i < n; i++) {
    beside(s + threadIdx.x, y + i, bytes);
    bytes = threadIdx.x < i ? 4 : 0;
    wait();
    y[threadIdx.x + i] = s[threadIdx.x];
  }
}
