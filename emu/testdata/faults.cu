// One fault a kernel. Each is one that a sanitizer or the emulator must report, or that the comment says it cannot.

// Shared memory: the launch asks for fewer bytes than the block writes.
extern "C" __global__ void shared_overrun(float* out) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  s[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s[7];
}

// Shared memory that nobody wrote: not a report, the answer is NaN.
extern "C" __global__ void shared_unwritten(float* out) {
  const float* s = static_cast<const float*>(ww_dynamic_shared());
  out[threadIdx.x] = s[threadIdx.x];
}

// The guard is off by one.
extern "C" __global__ void global_overrun(int n, const float* x, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[0] = x[i];
}

extern "C" __global__ void null_pointer(const float* x, float* out) { out[threadIdx.x] = x[threadIdx.x]; }

extern "C" __global__ void local_overrun(int k, float* out) {
  float a[4] = {1, 2, 3, 4};
  out[threadIdx.x] = a[k];
}

// A frame larger than a fiber's stack, larger than one guard page too.
extern "C" __global__ void stack_overflow(int n, float* out) {
  volatile char big[200000];
  for (int i = 0; i < n; i++) big[i] = 1;
  out[0] = big[n / 2];
}

// Lanes past n return, then the rest name them in a shuffle.
extern "C" __global__ void shuffle_after_return(int n, float* out) {
  const int i = threadIdx.x;
  if (i >= n) return;
  float v = out[i];
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (i == 0) out[0] = v;
}

extern "C" __global__ void shuffle_outside_mask(float* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_down_sync(0x0000ffffu, out[threadIdx.x], 1, 32);
}

extern "C" __global__ void caller_outside_mask(float* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, out[threadIdx.x], 0);
}

extern "C" __global__ void bad_width(float* out) { out[threadIdx.x] = __shfl_sync(0xffffffffu, out[threadIdx.x], 0, 12); }

// A grid-stride loop with a return in it, before a shuffle: the warp comes apart.
extern "C" __global__ void return_in_loop(int n, const float* x, float* out) {
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    if (i >= n) return;
    float v = x[i];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) out[0] = v;
  }
}

// The trip count differs by lane, with a full-mask shuffle inside.
extern "C" __global__ void shuffle_in_ragged_loop(int n, float* out) {
  float v = 0;
  for (int j = threadIdx.x; j < n; j += 32) v += __shfl_xor_sync(0xffffffffu, v + j, 1);
  out[threadIdx.x] = v;
}

extern "C" __global__ void shuffle_in_both_arms(float* out) {
  float v = out[threadIdx.x];
  if (threadIdx.x & 1)
    v += __shfl_xor_sync(0xffffffffu, v, 1);
  else
    v -= __shfl_xor_sync(0xffffffffu, v, 1);
  out[threadIdx.x] = v;
}

// The same on one line: only the column tells the calls apart.
extern "C" __global__ void shuffle_twice_on_a_line(float* out) {
  const float v = out[threadIdx.x];
  out[threadIdx.x] = threadIdx.x & 1 ? __shfl_xor_sync(0xffffffffu, v, 1) : -__shfl_xor_sync(0xffffffffu, v, 1);
}

extern "C" __global__ void barrier_in_both_arms(float* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
  }
}

extern "C" __global__ void barrier_after_return(int n, float* out) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  out[threadIdx.x] = 1;
  __syncthreads();
}

// Half of the warp waits for a shuffle, half for the block.
extern "C" __global__ void shuffle_against_barrier(float* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, out[threadIdx.x], 1);
  else
    __syncthreads();
}

// row * n in int: wraps for m = 70000, n = 40000.
extern "C" __global__ void int_index(int m, int n, const float* a, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  float s = 0;
  for (int j = 0; j < 4; j++) s += a[row * n + j];
  out[row] = s;
}

extern "C" __global__ void shift_too_far(int k, int* out) { out[threadIdx.x] = 1 << k; }

extern "C" __global__ void misaligned_load(const float* x, float* out) {
  const float4 v = *reinterpret_cast<const float4*>(x + 1);
  out[threadIdx.x] = v.x;
}

extern "C" __global__ void misaligned_atomic(char* bytes) { atomicAdd(reinterpret_cast<int*>(bytes + 2), 1); }

extern "C" __global__ void misaligned_copy(const char* bytes) { emu::cp_async(ww_dynamic_shared(), bytes + 2, 4, 4); }

extern "C" __global__ void long_copy(const char* bytes) { emu::cp_async(ww_dynamic_shared(), bytes, 4, 8); }

extern "C" __global__ void wrong_assumption(int n, int* out) {
  __builtin_assume(n % 4 == 0);
  out[threadIdx.x] = n / 4;
}

extern "C" __global__ void traps(int* out) {
  if (out[0] != 0) __trap();
}

// Waits for something that no other thread will do.
extern "C" __global__ void spins(int* flag) {
  while (__atomic_load_n(flag, __ATOMIC_RELAXED) != 1) {
  }
}

// Races. ASan sees none of them.

// A neighbour's slot is read without a barrier.
extern "C" __global__ void shared_race(float* out) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  const unsigned t = threadIdx.x;
  s[t] = static_cast<float>(t);
  out[t] = s[(t + 1) % blockDim.x];
}

// Warp-synchronous code without __syncwarp: NaN, or right under another schedule.
extern "C" __global__ void warp_race(float* out) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  const unsigned t = threadIdx.x;
  s[t] = static_cast<float>(t);
  for (unsigned d = 16; d; d >>= 1) {
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) out[0] = s[0];
}

// A scatter without an atomic: threads of one block.
extern "C" __global__ void plain_scatter(const int* to, float* out) { out[to[blockIdx.x * blockDim.x + threadIdx.x]] += 1; }

// Two groups of lanes synchronise within, not with each other: one mask's order must not hide the other's race.
extern "C" __global__ void subgroup_race(float* out) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  const unsigned t = threadIdx.x;
  const unsigned mask = t < 16 ? 0x0000ffffu : 0xffff0000u;
  if (t == 0) s[0] = 1;
  __syncwarp(mask);
  if (t == 16) out[0] = s[0];
}

// Blocks write one element: only unordered blocks show it.
extern "C" __global__ void block_race(float* out) {
  if (threadIdx.x == 0) out[0] += 1;
}

// The last block sums what the others left, without a fence. Found or not by version of libtsan.
extern "C" __global__ void missing_fence(float* part, unsigned* count, float* out) {
  bool* last = static_cast<bool*>(ww_dynamic_shared());
  if (threadIdx.x == 0) {
    part[blockIdx.x] = 1;
    *last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (*last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += part[i];
    out[0] = sum;
  }
}
