// The product of tests/twins with its checks once a thread: before the loop a thread shows that its row of A, its column of B
// and its cell of C are inside their arrays, and that row and column are as long as each other; in the loop
// nothing is checked any more.
#include "ww/platform.h"

using ww::i64;
using ww::u64;

// n elements of an array of length `length`: the one at `first`, the next one `apart` behind it, and so on. All are inside once
// there is a strip. Its numbers are below 2^62, so that nothing wraps.
class Strip {
 public:
  __device__ __forceinline__ Strip(const float* p, u64 length, u64 first, u64 n, u64 apart) : p_(p + first), n_(n), apart_(apart) {
    if (n > 0 && first + (n - 1) * apart >= length) __trap();
  }
  __device__ __forceinline__ int size() const { return n_; }
  __device__ __forceinline__ float operator[](int i) const { return p_[i64(i) * apart_]; }

 private:
  const float* p_;
  int n_, apart_;
};

extern "C" WW_GLOBAL(256) void once_gemm_f32(u64 m, u64 n, u64 k, float alpha, const float* __restrict__ a, u64 a_len,
                                             const float* __restrict__ b, u64 b_len, float beta, float* __restrict__ c, u64 c_len) {
  if ((m | n | k) >> 31) __trap();
  const u64 row = u64(blockIdx.y) * 16 + threadIdx.y, col = u64(blockIdx.x) * 16 + threadIdx.x;
  if (row >= m || col >= n) return;
  const Strip x(a, a_len, row * k, k, 1), y(b, b_len, col, k, n);
  if (x.size() != y.size()) __trap();
  const u64 cell = row * n + col;
  if (cell >= c_len) __trap();
  float sum = 0;
  for (int i = 0; i < x.size(); i++) sum += x[i] * y[i];
  c[cell] = alpha * sum + beta * c[cell];
}
