// Kernels without a fault: they must run without a report, in every build, and give right answers.

// y = A x, a warp a row.
extern "C" __global__ void spmv_warp(int m, const int* offsets, const int* columns, const float* values, const float* x,
                                     float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= m) return;
  float sum = 0;
  for (int e = offsets[row] + lane; e < offsets[row + 1]; e += 32) sum += values[e] * x[columns[e]];
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

// y[block] = the sum of the block's part of x; one float of shared memory a thread.
extern "C" __global__ void block_sum(const float* x, float* y) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  const unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

extern "C" __global__ void axpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void histogram(const int* keys, int* counts) {
  atomicAdd(&counts[keys[blockIdx.x * blockDim.x + threadIdx.x]], 1);
}

// The last block sums the partial sums of all, with fences.
extern "C" __global__ void last_block_sum(const float* x, float* part, unsigned* count, float* out) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  const unsigned t = threadIdx.x;
  bool* last = reinterpret_cast<bool*>(s + blockDim.x);
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    *last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (*last && t == 0) {
    __threadfence();
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += part[i];
    out[0] = sum;
  }
}

// Lanes pass a value on through shared memory, with __syncwarp in between: a race detector must see its order.
extern "C" __global__ void warp_exchange(float* out) {
  float* s = static_cast<float*>(ww_dynamic_shared());
  const unsigned t = threadIdx.x;
  s[t] = static_cast<float>(t);
  __syncwarp();
  const float next = s[(t + 1) % 32];
  __syncwarp();
  s[t] = next;
  __syncwarp();
  out[t] = s[(t + 1) % 32];
}

// Every collective once; out[i * 32 + lane] is the i-th one's result. One warp.
extern "C" __global__ void collectives(int* out) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  int i = 0;
  auto put = [&](int v) { out[i++ * 32 + lane] = v; };
  put(__shfl_sync(all, lane, 5));
  put(__shfl_sync(all, lane, 9, 8));
  put(__shfl_up_sync(all, lane, 3));
  put(__shfl_up_sync(all, lane, 3, 8));
  put(__shfl_down_sync(all, lane, 3));
  put(__shfl_down_sync(all, lane, 3, 8));
  put(__shfl_xor_sync(all, lane, 7));
  put(static_cast<int>(__ballot_sync(all, lane % 3 == 0)));
  put(__any_sync(all, lane == 7));
  put(__any_sync(all, 0));
  put(__all_sync(all, lane < 32));
  put(__all_sync(all, lane != 31));
  put(static_cast<int>(__match_any_sync(all, lane % 4)));
  put(__syncthreads_count(lane % 2));
  put(__syncthreads_and(lane < 31));
  put(__syncthreads_or(lane == 31));
  if (lane < 8) put(__shfl_xor_sync(0xffu, lane, 1));
}

// Atomics from every thread on one cell each.
extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  const int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicMin(&i[1], -t);
  atomicMax(&i[2], t);
  atomicSub(&i[3], 1);
  atomicOr(&u[0], 1u << (t & 31));
  atomicAnd(&u[1], ~(1u << (t & 31)));
  atomicXor(&u[2], 1u);
  atomicInc(&u[3], 9u);
  atomicAdd(&l[0], 1ull << 33);
  atomicCAS(&l[1], 0ull, 7ull);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
}

// All 65536 halves and bfloat16s to float and back, and a float to both.
extern "C" __global__ void half_bits(const unsigned short* bits, float* h, float* b, unsigned short* h_back, unsigned short* b_back) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = __half2float(__ushort_as_half(bits[i]));
  b[i] = __bfloat162float(__ushort_as_bfloat16(bits[i]));
  h_back[i] = __half_as_ushort(__float2half_rn(h[i]));
  b_back[i] = __bfloat16_as_ushort(__float2bfloat16_rn(b[i]));
}
extern "C" __global__ void half_round(const float* x, unsigned short* h, unsigned short* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = __half_as_ushort(__float2half_rn(x[i]));
  b[i] = __bfloat16_as_ushort(__float2bfloat16_rn(x[i]));
}

// One parameter of each kind: what an entry is given is what the client sent.
extern "C" __global__ void parameters(long long a, int b, unsigned char c, float d, double e, const float* f, double* out) {
  out[0] = static_cast<double>(a);
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f[0];
}

// out[thread's place in the grid] = that place, written through all three axes.
extern "C" __global__ void places(int* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y;
  const unsigned i = (z * ny + y) * nx + x;
  out[i] = static_cast<int>(i);
}
