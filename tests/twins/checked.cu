// The kernels of raw.cu with a test at every access, as a compiler for a safe language makes them: an
// index beyond the array's length traps. They are what the views save; a comparison that finds no trap
// here looks at the wrong thing.
#include "ww/platform.h"

using ww::u32;
using ww::u64;

// An array that knows its length.
template <class T>
class Checked {
 public:
  __device__ __forceinline__ Checked(T* p, u64 n) : p_(p), n_(n) {}
  __device__ __forceinline__ T& operator[](u64 i) const {
    if (i >= n_) __trap();
    return p_[i];
  }

 private:
  T* p_;
  u64 n_;
};

extern "C" WW_GLOBAL(256) void checked_saxpy_f32(u64 n, float a, const float* __restrict__ x, u64 x_len, float* __restrict__ y, u64 y_len) {
  const Checked<const float> cx(x, x_len);
  const Checked<float> cy(y, y_len);
  const u64 stride = u64(gridDim.x) * 256;
  for (u64 i = u64(blockIdx.x) * 256 + threadIdx.x; i < n; i += stride) cy[i] = a * cx[i] + cy[i];
}

extern "C" WW_GLOBAL(256) void checked_saxpy4_f32(u64 n, float a, const float* __restrict__ x, u64 x_len, float* __restrict__ y, u64 y_len) {
  const Checked<const float4> x4(reinterpret_cast<const float4*>(x), x_len / 4);
  const Checked<float4> y4(reinterpret_cast<float4*>(y), y_len / 4);
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
  const Checked<const float> cx(x, x_len);
  const Checked<float> cy(y, y_len);
  const u64 last = n / 4 * 4 + first;
  if (last < n) cy[last] = a * cx[last] + cy[last];
}

extern "C" WW_GLOBAL(256) void checked_gemm_f32(u64 m, u64 n, u64 k, float alpha, const float* __restrict__ a, u64 a_len,
                                                const float* __restrict__ b, u64 b_len, float beta, float* __restrict__ c, u64 c_len) {
  const Checked<const float> ca(a, a_len), cb(b, b_len);
  const Checked<float> cc(c, c_len);
  const u64 row = u64(blockIdx.y) * 16 + threadIdx.y, col = u64(blockIdx.x) * 16 + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (u64 i = 0; i < k; i++) sum += ca[row * k + i] * cb[i * n + col];
  cc[row * n + col] = alpha * sum + beta * cc[row * n + col];
}

extern "C" WW_GLOBAL(256) void checked_gemm_tiled_f32(u64 m, u64 n, u64 k, float alpha, const float* __restrict__ a, u64 a_len,
                                                      const float* __restrict__ b, u64 b_len, float beta, float* __restrict__ c, u64 c_len) {
  const Checked<const float> ca(a, a_len), cb(b, b_len);
  const Checked<float> cc(c, c_len);
  float* shared = static_cast<float*>(ww::dynamic_shared());
  const Checked<float> as(shared, 256), bs(shared + 256, 256);
  const u32 x = threadIdx.x, y = threadIdx.y;
  const u64 row = u64(blockIdx.y) * 16 + y, col = u64(blockIdx.x) * 16 + x;
  float sum = 0;
  for (u64 at = 0; at < k; at += 16) {
    as[y * 16 + x] = row < m && at + x < k ? ca[row * k + at + x] : 0;
    bs[y * 16 + x] = at + y < k && col < n ? cb[(at + y) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) sum += as[y * 16 + i] * bs[i * 16 + x];
    __syncthreads();
  }
  if (row < m && col < n) cc[row * n + col] = alpha * sum + beta * cc[row * n + col];
}

extern "C" WW_GLOBAL(256) void checked_csr_thread_f32(u64 m, const int* __restrict__ rows, u64 rows_len, const int* __restrict__ cols,
                                                      u64 cols_len, const float* __restrict__ weights, u64 weights_len,
                                                      const float* __restrict__ x, u64 x_len, float* __restrict__ y, u64 y_len) {
  const Checked<const int> crows(rows, rows_len), ccols(cols, cols_len);
  const Checked<const float> cweights(weights, weights_len), cx(x, x_len);
  const Checked<float> cy(y, y_len);
  const u64 stride = u64(gridDim.x) * 256;
  for (u64 row = u64(blockIdx.x) * 256 + threadIdx.x; row < m; row += stride) {
    float sum = 0;
    const int end = crows[row + 1];
    for (int e = crows[row]; e < end; e++) sum += ww::load_once(&cweights[e]) * cx[ww::load_once(&ccols[e])];
    cy[row] = sum;
  }
}

extern "C" WW_GLOBAL(256) void checked_csr_warp_f32(u64 m, const int* __restrict__ rows, u64 rows_len, const int* __restrict__ cols,
                                                    u64 cols_len, const float* __restrict__ weights, u64 weights_len,
                                                    const float* __restrict__ x, u64 x_len, float* __restrict__ y, u64 y_len) {
  const Checked<const int> crows(rows, rows_len), ccols(cols, cols_len);
  const Checked<const float> cweights(weights, weights_len), cx(x, x_len);
  const Checked<float> cy(y, y_len);
  const int lane = threadIdx.x % 32;
  const u64 stride = u64(gridDim.x) * 8;
  for (u64 row = u64(blockIdx.x) * 8 + threadIdx.x / 32; row < m; row += stride) {
    float sum = 0;
    const int end = crows[row + 1];
    for (int e = crows[row] + lane; e < end; e += 32) sum += ww::load_once(&cweights[e]) * cx[ww::load_once(&ccols[e])];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) cy[row] = sum;
  }
}

// The sum over a block of 8 warps, in all its threads.
static __device__ __forceinline__ float block_sum(float v, const Checked<float>& part) {
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

extern "C" WW_GLOBAL(256) void checked_colsum_f32(u64 groups, u64 n, const float* __restrict__ x, u64 x_len, float* __restrict__ y, u64 y_len) {
  const Checked<const float> cx(x, x_len);
  const Checked<float> cy(y, y_len), part(static_cast<float*>(ww::dynamic_shared()), 8);
  for (u64 g = blockIdx.x; g < groups; g += gridDim.x) {
    const u64 rows = g * n * 3;
    float s0 = 0, s1 = 0, s2 = 0;
    for (u64 r = threadIdx.x; r < n; r += 256) {
      s0 += cx[rows + 3 * r];
      s1 += cx[rows + 3 * r + 1];
      s2 += cx[rows + 3 * r + 2];
    }
    s0 = block_sum(s0, part);
    s1 = block_sum(s1, part);
    s2 = block_sum(s2, part);
    if (threadIdx.x == 0) {
      cy[3 * g] = s0;
      cy[3 * g + 1] = s1;
      cy[3 * g + 2] = s2;
    }
  }
}

extern "C" WW_GLOBAL(256) void checked_colsum_tiled_f32(u64 m, u64 n, const float* __restrict__ x, u64 x_len, float* __restrict__ y, u64 y_len) {
  const Checked<const float> cx(x, x_len);
  const Checked<float> cy(y, y_len), part(static_cast<float*>(ww::dynamic_shared()), 256);
  const u64 col = u64(blockIdx.x) * 32 + threadIdx.x;
  float sum = 0;
  if (col < n) {
    for (u64 r = threadIdx.y; r < m; r += 8) sum += cx[r * n + col];
  }
  part[threadIdx.y * 32 + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && col < n) {
    sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) sum += part[i * 32 + threadIdx.x];
    cy[col] = sum;
  }
}
