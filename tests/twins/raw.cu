// What an expert writes by hand: pointers, indices as wide as the extents need, no check but each loop's own. The kernels of
// safe.cu and safe_matrix.cu do the same through views, in the same order of operations, so that results
// are equal bit for bit and machine code can be compared. Parameters are those of the safe entries.
#include "ww/platform.h"

using ww::i64;
using ww::u32;
using ww::u64;

// y = a x + y, by threads that stride over the grid.
extern "C" WW_GLOBAL(256) void raw_saxpy_f32(u64 n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const u64 stride = u64(gridDim.x) * 256;
  for (u64 i = u64(blockIdx.x) * 256 + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}

// The same, four elements at a time; the last few one by one.
extern "C" WW_GLOBAL(256) void raw_saxpy4_f32(u64 n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const float4* __restrict__ x4 = reinterpret_cast<const float4*>(x);
  float4* __restrict__ y4 = reinterpret_cast<float4*>(y);
  const u64 first = u64(blockIdx.x) * 256 + threadIdx.x, stride = u64(gridDim.x) * 256;
  for (u64 i = first; i < n / 4; i += stride) {
    const float4 v = x4[i];
    float4 w = y4[i];
    w.x = a * v.x + w.x;
    w.y = a * v.y + w.y;
    w.z = a * v.z + w.z;
    w.w = a * v.w + w.w;
    y4[i] = w;
  }
  const u64 last = n / 4 * 4 + first;
  if (last < n) y[last] = a * x[last] + y[last];
}

// C = alpha A B + beta C, one thread a cell. A is m by k, B k by n. Extents below 2^31, as the contract of the
// safe twin has them: indices of 32 bits, offsets of 64.
extern "C" WW_GLOBAL(256) void raw_gemm_f32(u64 m, u64 n, u64 k, float alpha, const float* __restrict__ a, const float* __restrict__ b,
                                            float beta, float* __restrict__ c) {
  const int rows = m, cols = n, depth = k;
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float sum = 0;
  for (int i = 0; i < depth; i++) sum += a[i64(row) * depth + i] * b[i64(i) * cols + col];
  c[i64(row) * cols + col] = alpha * sum + beta * c[i64(row) * cols + col];
}

// The same through tiles of 16 by 16 in shared memory; what lies beyond the edges is zero.
extern "C" WW_GLOBAL(256) void raw_gemm_tiled_f32(u64 m, u64 n, u64 k, float alpha, const float* __restrict__ a,
                                                  const float* __restrict__ b, float beta, float* __restrict__ c) {
  float(*as)[16] = static_cast<float(*)[16]>(ww::dynamic_shared());
  float(*bs)[16] = as + 16;
  const int rows = m, cols = n, depth = k, x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int at = 0; at < depth; at += 16) {
    as[y][x] = row < rows && at + x < depth ? a[i64(row) * depth + at + x] : 0;
    bs[y][x] = at + y < depth && col < cols ? b[i64(at + y) * cols + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  if (row < rows && col < cols) c[i64(row) * cols + col] = alpha * sum + beta * c[i64(row) * cols + col];
}

// y = A x of a CSR matrix, one thread a row.
extern "C" WW_GLOBAL(256) void raw_csr_thread_f32(u64 m, const int* __restrict__ rows, const int* __restrict__ cols,
                                                  const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ y) {
  const u64 stride = u64(gridDim.x) * 256;
  for (u64 row = u64(blockIdx.x) * 256 + threadIdx.x; row < m; row += stride) {
    float sum = 0;
    const int end = rows[row + 1];
    for (int e = rows[row]; e < end; e++) sum += ww::load_once(weights + e) * x[ww::load_once(cols + e)];
    y[row] = sum;
  }
}

// The same, one warp a row.
extern "C" WW_GLOBAL(256) void raw_csr_warp_f32(u64 m, const int* __restrict__ rows, const int* __restrict__ cols,
                                                const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ y) {
  const int lane = threadIdx.x % 32;
  const u64 stride = u64(gridDim.x) * 8;
  for (u64 row = u64(blockIdx.x) * 8 + threadIdx.x / 32; row < m; row += stride) {
    float sum = 0;
    const int end = rows[row + 1];
    for (int e = rows[row] + lane; e < end; e += 32) sum += ww::load_once(weights + e) * x[ww::load_once(cols + e)];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[row] = sum;
  }
}

// The sum over a block of 8 warps, in all its threads; `part` has an element a warp.
static __device__ __forceinline__ float block_sum(float v, float* part) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffffu, v, offset);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
#pragma unroll
  for (int warp = 0; warp < 8; warp++) v += part[warp];
  __syncthreads();
  return v;
}

// y[g] = the sum of the n rows of three of x[g], one block a g: what a gradient of three biases is, cut
// into g parts.
extern "C" WW_GLOBAL(256) void raw_colsum_f32(u64 groups, u64 n, const float* __restrict__ x, float* __restrict__ y) {
  float* part = static_cast<float*>(ww::dynamic_shared());
  for (u64 g = blockIdx.x; g < groups; g += gridDim.x) {
    const float* rows = x + g * n * 3;
    float s0 = 0, s1 = 0, s2 = 0;
    for (u64 r = threadIdx.x; r < n; r += 256) {
      s0 += rows[3 * r];
      s1 += rows[3 * r + 1];
      s2 += rows[3 * r + 2];
    }
    s0 = block_sum(s0, part);
    s1 = block_sum(s1, part);
    s2 = block_sum(s2, part);
    if (threadIdx.x == 0) {
      y[3 * g] = s0;
      y[3 * g + 1] = s1;
      y[3 * g + 2] = s2;
    }
  }
}

// y = the sums of the columns of x, m by n: 32 columns a block, whose 8 rows of threads share the rows.
extern "C" WW_GLOBAL(256) void raw_colsum_tiled_f32(u64 m, u64 n, const float* __restrict__ x, float* __restrict__ y) {
  float(*part)[32] = static_cast<float(*)[32]>(ww::dynamic_shared());
  const int cols = n, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (col < cols) {
    for (u64 r = threadIdx.y; r < m; r += 8) sum += x[r * cols + col];
  }
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && col < cols) {
    sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) sum += part[i][threadIdx.x];
    y[col] = sum;
  }
}
