// A kernel that is held to few registers, and a function that it calls: both spill.
__device__ __noinline__ float deep(const float* x, int n) {
  float v[40];
#pragma unroll
  for (int i = 0; i < 40; i++) v[i] = x[i * n];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int i = 0; i < 40; i++) s += v[i] * v[39 - i];
  return s;
}
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float* __restrict__ x, float* __restrict__ y) {
  float v[60];
#pragma unroll
  for (int i = 0; i < 60; i++) v[i] = x[i * threadIdx.x];
  float s = deep(x, threadIdx.x);
#pragma unroll
  for (int i = 0; i < 60; i++) s += v[i] * v[59 - i];
  y[threadIdx.x] = s;
}
