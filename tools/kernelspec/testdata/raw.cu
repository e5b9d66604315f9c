// What --raw reads: every form of head and of parameter.
#include "ww/platform.h"

namespace {
template <class T>
__device__ T twice(T v) { return v + v; }
}  // namespace

extern "C" __device__ float helper(float v) { return v; }

// y = a x + y.
// Four at a time.
extern "C" __global__ void __launch_bounds__(128, 4)
raw_axpy4(unsigned long long n, const float a, const float4* __restrict__ x, float4* const __restrict__ y) {
  for (unsigned long long i = threadIdx.x; i < n; i += 128) { y[i].x += a * x[i].x; }
}

/* No launch bounds. */
extern "C" __global__ void raw_fill(size_t n, unsigned int value, std::uint32_t* out) { out[n] = value; }

extern "C" WW_GLOBAL(2 * 32) void raw_all(ww::f16 const* h, const __nv_bfloat16* b, unsigned char* bytes, long long k, int i, double d,
                                          const longlong2* pairs) {}

extern "C" __launch_bounds__(32) __global__ void raw_none() {}
