// The forms of control flow and of memory access that the reader of listings must know.
#include <cuda_pipeline.h>

#include <cassert>

typedef unsigned long long u64;

// A loop in a loop, without and with lanes that come apart before a collective.
extern "C" __global__ void __launch_bounds__(256) forms_nest(u64 m, const int* offsets, const float* x, float* y) {
  for (u64 row = u64(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; row < m; row += u64(gridDim.x) * (blockDim.x / 32)) {
    float sum = 0;
#pragma unroll 1
    for (int e = offsets[row] + threadIdx.x % 32; e < offsets[row + 1]; e += 32) sum += x[e];
#pragma unroll
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) y[row] = sum;
  }
}

// A division that the compiler calls.
extern "C" __global__ void __launch_bounds__(256) forms_call(u64 n, u64 d, u64* y) { y[threadIdx.x] = n / d; }

// A jump by a table, and a trap.
extern "C" __global__ void __launch_bounds__(256) forms_switch(int* y, int k) {
  const int i = threadIdx.x;
  switch (y[i]) {
    case 0: y[i] = k * k; break;
    case 1: y[i + 1] = k * 3; break;
    case 2: y[i + 2] = k ^ 7; break;
    case 3: atomicAdd(y, k); break;
    case 4: y[i + 9] = k ^ y[i * 3]; break;
    case 5: y[i + 4] = __popc(y[i + 6]); break;
    case 6: y[i + 11] = __clz(k * i); break;
    default: __trap();
  }
}

// An array in local memory.
extern "C" __global__ void __launch_bounds__(256) forms_local(float* y, int k) {
  float a[64];
#pragma unroll 1
  for (int i = 0; i < 64; i++) a[i] = y[i * k];
  y[threadIdx.x] = a[(threadIdx.x * k) % 64];
}

// A call that does not return.
extern "C" __global__ void __launch_bounds__(256) forms_assert(float* y, int k) {
  assert(threadIdx.x < k);
  y[threadIdx.x] = k;
}

// A function of its own, called by itself.
extern "C" __device__ __noinline__ float forms_recursion(float* y, int k) { return k <= 0 ? y[0] : y[k] + forms_recursion(y, k - int(y[k])); }
extern "C" __global__ void __launch_bounds__(256) forms_recursive(float* y, int k) { y[k] = forms_recursion(y, k); }

// Shared memory, copies into it, atomics, hints, votes.
extern "C" __global__ void __launch_bounds__(256) forms_memory(float* y, const float4* x, int k, double* z, u64* c) {
  extern __shared__ float4 s[];
  __pipeline_memcpy_async(s + threadIdx.x, x + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  while (__any_sync(~0u, y[threadIdx.x] > k)) {
    y[threadIdx.x] -= s[(threadIdx.x + 1) & 255].x;
    __syncwarp();
    if (y[0] > 3) {
      if (y[1] > threadIdx.x) break;
      y[2]++;
    }
  }
  atomicAdd(z, double(s[3].y));
  c[3] = atomicCAS(c, c[1], c[2]);
  atomicAdd(reinterpret_cast<int*>(s) + k, 3);
  y[3] = __match_any_sync(__activemask(), k);
  y[7] = __ldcs(y + 8);
  __stcg(y + 9, *reinterpret_cast<volatile float*>(y + 11));
  reinterpret_cast<unsigned char*>(y)[k] = reinterpret_cast<const signed char*>(x)[k];
}
